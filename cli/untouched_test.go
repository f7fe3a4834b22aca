package cli

import (
	"context"
	"testing"
	"time"
)

// Every command that writes says of an interruption, whenever it comes, what was done:
// here it comes before anything was.
func TestInterruptedBeforeAnythingWasWritten(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for words, commands := range map[string][][]string{
		"interrupted: nothing was committed\n": {{"commit", tb.at("sales"), "-m", "x"}},
		"interrupted: nothing was written\n": {
			{"restore", tb.at("sales"), "--at", "1", "--yes"},
			{"protect", tb.at("sales"), "--yes"},
			{"repair", "marker", tb.path, "--key", ".provcat/log/x", "--version", "v1", "--yes"},
			{"repair", "deletions", tb.path, "--all", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-02T00:00:00Z", "--yes"},
		},
		"interrupted\n": {{"ls", tb.path}},
	} {
		for _, args := range commands {
			r := cliWith(ctx, clockStart.Add(time.Hour), args...)
			if r.code != exitInterrupted || r.err != "provcat-tui: "+words {
				t.Errorf("%v: exit code %d, %q", args, r.code, r.err)
			}
		}
	}
}
