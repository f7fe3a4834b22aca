package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Process is Main for a process of its own, which SIGINT, SIGTERM and SIGHUP interrupt.
// A second signal ends the program at once, whatever it waits for. What the process was
// started to ignore (nohup, a shell's background) it goes on to ignore.
func Process(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx := context.Background()
	outliveLimits()
	var heard []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			heard = append(heard, s)
		}
	}
	if len(heard) > 0 { // none would be all
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, heard...)
		context.AfterFunc(ctx, stop)
		defer stop()
	}
	return Main(ctx, args, stdin, stdout, stderr)
}
