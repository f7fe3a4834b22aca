// Command provcat-tui explores, commits and audits versioned buckets.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"provcat-tui/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once, whatever it waits for.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
