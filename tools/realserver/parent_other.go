//go:build !linux

package main

import "syscall"

func withParent() *syscall.SysProcAttr { return nil }
