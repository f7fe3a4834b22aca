package main

import (
	"os"
	"syscall"
)

// peak is the most memory that a process held, in bytes.
func peak(s *os.ProcessState) int64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss << 10 // Linux tells KiB
	}
	return 0
}
