// Command realserver runs a command against a server that others wrote: a SeaweedFS
// (S3), or a fake-gcs-server (Cloud Storage), of its own on free loopback ports, with
// a folder of its own, gone when the command ends.
//
//	go run ./tools/realserver -weed PATH [-- COMMAND ARG…]
//	go run ./tools/realserver -gcs PATH [-- COMMAND ARG…]
//
// The command finds the server in PROVCAT_TEST_S3, and credentials in
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in PROVCAT_TEST_GCS; its exit code
// becomes ours. Without a command it prints the variables and waits for an interrupt.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func main() {
	// Linux ties "ends with its parent" to the thread that started the child.
	runtime.LockOSThread()
	weed := flag.String("weed", "", "the SeaweedFS binary")
	gcs := flag.String("gcs", "", "the fake-gcs-server binary")
	wait := flag.Duration("wait", 2*time.Minute, "how long to wait until the server answers")
	keepLog := flag.String("log", "", "keep the server's log in this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	k, binary := seaweedFS, *weed
	if *gcs != "" {
		k, binary = fakeGCS, *gcs
	}
	code, err := run(ctx, k, binary, *wait, *keepLog, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "realserver:", err)
	}
	os.Exit(code)
}

// run gives the exit code: that of the command, or 2 where the server was the
// trouble.
func run(ctx context.Context, k kind, binary string, wait time.Duration, keepLog string, command []string) (int, error) {
	if binary == "" {
		return 2, errors.New("-weed PATH or -gcs PATH is needed: a SeaweedFS, built from tools/weed, or a fake-gcs-server, built from tools/gcsserver")
	}
	s, err := start(k, binary, keepLog)
	if err != nil {
		return 2, err
	}
	defer s.stop()
	begun := time.Now()
	if err := s.await(ctx, wait); err != nil {
		return 2, fmt.Errorf("%w\nthe end of its log:\n%s", err, s.tail(60))
	}
	fmt.Fprintf(os.Stderr, "realserver: %s (process %d) answers at %s after %.1f s\n", s.name, s.cmd.Process.Pid, s.endpoint, time.Since(begun).Seconds())
	if len(command) == 0 {
		for _, v := range s.env(s.endpoint) {
			fmt.Println("export " + v)
		}
		select {
		case <-ctx.Done():
		case <-s.gone:
			return 2, fmt.Errorf("the server ended by itself: %w\nthe end of its log:\n%s", s.ended, s.tail(60))
		}
		return 0, nil
	}
	return s.with(ctx, command)
}

// with runs the command in the server's environment.
func (s *server) with(ctx context.Context, command []string) (int, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), s.env(s.endpoint)...)
	err := c.Run()
	select {
	case <-s.gone:
		return 2, fmt.Errorf("the server ended while the command ran: %w\nthe end of its log:\n%s", s.ended, s.tail(60))
	default:
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 2, fmt.Errorf("run %s: %w", command[0], err)
	}
	return 0, nil
}
