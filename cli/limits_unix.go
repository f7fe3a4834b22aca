//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// outliveLimits has a write beyond the limit of a file's size (ulimit -f) fail, as one on
// a full disk does, and not end the program halfway through what it does.
func outliveLimits() { signal.Ignore(syscall.SIGXFSZ) }
