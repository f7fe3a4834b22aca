package main

import "syscall"

// withParent makes the kernel end the server if we are killed.
func withParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
