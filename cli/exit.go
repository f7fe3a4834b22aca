package cli

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// The exit codes of every command. docs/cli.md describes them for users.
const (
	exitDone        = 0
	exitNegative    = 1   // a negative answer: findings, differences, damaged or gone
	exitUsage       = 2   // wrong usage, or the bucket cannot be opened
	exitIncomplete  = 3   // could not be completed, or is unclear
	exitInterrupted = 130 // SIGINT, SIGTERM or SIGHUP
)

// errUsage marks what the person can put right in the command line itself.
var errUsage = errors.New("wrong usage")

// An exitError sets the exit code of err. A nil err ends the program silently:
// all there is to say has been said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// An interruptedError says in a sentence what an interruption means here.
type interruptedError struct {
	text string
	err  error
}

func (e *interruptedError) Error() string { return e.text }
func (e *interruptedError) Unwrap() error { return e.err }

// An outputError is a failed write to standard output.
type outputError struct{ err error }

func (e *outputError) Error() string { return "write to standard output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// stdout marks its errors, so that a closed pipe behind standard output is told
// from one behind a socket.
type stdout struct{ w io.Writer }

func (s stdout) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil {
		err = &outputError{err}
	}
	return n, err
}

// kindCodes gives the exit code of each kind of error; the first that fits
// counts. What fits none could not be completed.
var kindCodes = []struct {
	kind error
	code int
}{
	{errUsage, exitUsage},
	{bucket.ErrUsage, exitUsage},
	{commit.ErrUnknownRef, exitUsage},
	{commit.ErrAmbiguousRef, exitUsage},
	{commit.ErrNoFolder, exitUsage},
	{bucket.ErrDamaged, exitNegative},
	{commit.ErrCorrupt, exitNegative},
	{commit.ErrDeleted, exitNegative},
	{commit.ErrEntry, exitNegative},
	{bucket.ErrNotFound, exitNegative},
}

// reasonCodes gives the exit code of a commit that was not made.
var reasonCodes = map[string]int{
	commit.ReasonDamagedLog:    exitNegative,
	commit.ReasonVersioning:    exitNegative,
	commit.ReasonConditions:    exitNegative,
	commit.ReasonClock:         exitNegative,
	commit.ReasonDamageAfter:   exitNegative,
	commit.ReasonNoFolder:      exitUsage,
	commit.ReasonContended:     exitIncomplete,
	commit.ReasonStale:         exitIncomplete,
	commit.ReasonUnsettled:     exitIncomplete,
	commit.ReasonUnclear:       exitIncomplete,
	commit.ReasonUnknownFormat: exitIncomplete,
}

// codeOf maps what a command returned to the program's exit code.
func codeOf(ctx context.Context, err error) int {
	if err == nil {
		return exitDone
	}
	var out *outputError
	if errors.As(err, &out) && brokenPipe(out.err) {
		return exitDone
	}
	// An unclear write stays unclear when it was interrupted: that is what the
	// person must know.
	var w *commit.WriteError
	if errors.As(err, &w) && w.Unclear {
		return exitIncomplete
	}
	var u *audit.UnclearRepair
	if errors.As(err, &u) {
		return exitIncomplete
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	if w != nil {
		if code, ok := reasonCodes[w.Reason]; ok {
			return code
		}
	}
	for _, k := range kindCodes {
		if errors.Is(err, k.kind) {
			return k.code
		}
	}
	return exitIncomplete
}

// brokenPipe: the reader of our output has gone, as "| head" does.
func brokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// outliveReader has a reader of the output that goes away not end the program halfway
// through what it does: the write fails instead.
func outliveReader() { signal.Ignore(syscall.SIGPIPE) }

// silent says whether nothing needs to be said about err.
func silent(err error) bool {
	var out *outputError
	if errors.As(err, &out) && brokenPipe(out.err) {
		return true
	}
	var e *exitError
	return errors.As(err, &e) && e.err == nil
}
