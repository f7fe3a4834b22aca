//go:build !linux

package main

import (
	"os"
	"time"
)

// spent is not known.
func spent() time.Duration { return 0 }

// peak is not known: each system has a unit of its own.
func peak(*os.ProcessState) int64 { return 0 }
