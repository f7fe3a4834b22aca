package cli

import (
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"provcat-tui/internal/safe"
)

// A meter shows one line of progress on standard error, if that is a terminal
// and --quiet was not given, and takes it away again.
type meter struct {
	w     io.Writer
	on    bool
	width int
	last  time.Time
	shown bool
}

func (a *app) newMeter() *meter {
	m := &meter{w: a.err, on: !a.flags.quiet && isTerminal(a.err) && !dumbTerminal(), width: 80}
	if f, ok := a.err.(*os.File); ok && m.on {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 1 {
			m.width = w
		}
	}
	return m
}

// show replaces the line, at most ten times a second. It escapes text.
func (m *meter) show(text string) {
	if !m.on || time.Since(m.last) < 100*time.Millisecond {
		return
	}
	m.last, m.shown = time.Now(), true
	line := ansi.Truncate(safe.Text(text), m.width-1, "…")
	_, _ = io.WriteString(m.w, "\r"+line+"\x1b[K") // progress has no reader to fail for
}

// clear takes the line away.
func (m *meter) clear() {
	if m.shown {
		_, _ = io.WriteString(m.w, "\r\x1b[K") // as above
		m.shown = false
	}
}

// dumbTerminal: one that takes no escape sequences.
func dumbTerminal() bool { return os.Getenv("TERM") == "dumb" }
