package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

func TestExitCodes(t *testing.T) {
	write := func(reason string, unclear bool) error {
		return fmt.Errorf("commit: %w", &commit.WriteError{Reason: reason, Unclear: unclear, Detail: "d"})
	}
	of := func(kind error) error { return &bucket.Error{Op: "read", Bucket: "s3://b", Kind: kind} }
	for _, c := range []struct {
		name string
		err  error
		want int
	}{
		{"done", nil, 0},
		{"wrong usage", usagef("x"), 2},
		{"a URL that cannot be read", fmt.Errorf("%w: x", bucket.ErrUsage), 2},
		{"unknown REF", fmt.Errorf("%w: 7", commit.ErrUnknownRef), 2},
		{"ambiguous REF", fmt.Errorf("%w: abc", commit.ErrAmbiguousRef), 2},
		{"no folder", commit.ErrNoFolder, 2},
		{"the bucket cannot be opened", &exitError{exitUsage, of(bucket.ErrDenied)}, 2},
		{"gone", of(bucket.ErrNotFound), 1},
		{"damaged log", of(bucket.ErrDamaged), 1},
		{"corrupt commit", fmt.Errorf("x: %w", commit.ErrCorrupt), 1},
		{"deleted entry", commit.ErrDeleted, 1},
		{"a silent negative answer", &exitError{code: exitNegative}, 1},
		{"denied is not missing", of(bucket.ErrDenied), 3},
		{"bad answer", of(bucket.ErrBadAnswer), 3},
		{"unknown format", commit.ErrFormat, 3},
		{"anything else", errors.New("x"), 3},
		{"refused: damaged", write(commit.ReasonDamagedLog, false), 1},
		{"refused: versioning", write(commit.ReasonVersioning, false), 1},
		{"refused: conditions", write(commit.ReasonConditions, false), 1},
		{"refused: clock", write(commit.ReasonClock, false), 1},
		{"commit of no folder", write(commit.ReasonNoFolder, false), 2},
		{"contended", write(commit.ReasonContended, false), 3},
		{"stale listing", write(commit.ReasonStale, false), 3},
		{"unsettled", write(commit.ReasonUnsettled, false), 3},
		{"unclear", write(commit.ReasonUnclear, true), 3},
		{"closed pipe", &outputError{syscall.EPIPE}, 0},
		{"full disk", &outputError{syscall.ENOSPC}, 3},
		{"closed socket", of(syscall.EPIPE), 3},
	} {
		if got := codeOf(context.Background(), c.err); got != c.want {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := codeOf(ctx, of(context.Canceled)); got != 130 {
		t.Errorf("interrupted: exit code %d, want 130", got)
	}
	if got := codeOf(ctx, write(commit.ReasonUnclear, true)); got != 3 {
		t.Errorf("interrupted and unclear: exit code %d, want 3", got)
	}
	if got := codeOf(ctx, nil); got != 0 {
		t.Errorf("done before the interrupt: exit code %d, want 0", got)
	}
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestClosedPipeEndsQuietly(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	for _, c := range []struct {
		out  io.Writer
		code int
		says string
	}{{closedPipe{}, 0, ""}, {fullDisk{}, 3, "write to standard output"}} {
		var errs bytes.Buffer
		code := Main(context.Background(), []string{"ls", tb.at("sales")}, strings.NewReader(""), c.out, &errs)
		if code != c.code || !strings.Contains(errs.String(), c.says) || c.says == "" && errs.Len() > 0 {
			t.Errorf("exit code %d, stderr %q; want %d, %q", code, errs.String(), c.code, c.says)
		}
	}
}

func TestInterrupted(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"ls", tb.at("sales")}, {"log", tb.at("sales")}, {"show", tb.at("sales"), "1"}, {"diff", tb.at("sales"), "1"},
		{"pin", tb.at("sales")}, {"cat", tb.at("sales/us.csv")}, {"audit", tb.path}, {"commit", tb.at("sales"), "-m", "x"},
	} {
		r := cliWith(ctx, clockStart, args...)
		if r.code != 130 {
			t.Errorf("%v: exit code %d, want 130 (%s)", args, r.code, r.err)
		}
		if !strings.HasPrefix(r.err, "provcat-tui: interrupted") {
			t.Errorf("%v: stderr %q", args, r.err)
		}
	}
}
