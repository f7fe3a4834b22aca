// Package views holds the screens of the terminal program: app.go is the only
// Bubble Tea model, each screen is a plain struct that answers keys with typed
// actions, and all that touches a bucket runs aside as a task.
package views

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// A Bookmark names a bucket or folder, and the way to it. What is empty is not known.
type Bookmark struct {
	Name     string
	URL      string
	Profile  string
	Region   string
	Endpoint string // URL of the server; empty: the store's own
}

// Start says where and how the program begins.
type Start struct {
	// Location to open; nil: the bucket list.
	Location *bucket.Location
	// Link is the screen to open at Location; the zero Link: its folder. Check it first.
	Link Link
	// Session are the flags that open the same buckets again, such as --endpoint URL.
	Session []string
	// Open opens a bucket. It runs aside and may be called more than once.
	Open func(ctx context.Context, l bucket.Location) (bucket.Bucket, error)
	// Buckets gives the buckets that the credentials can list, also those that came
	// before an error; nil: there is no way to list them.
	Buckets   func(ctx context.Context) ([]Bookmark, error)
	Bookmarks []Bookmark
	Recent    []string // URLs, newest first
	// Way tells how a URL would be opened: its profile, region and endpoint as far as
	// they are set. It asks nobody; nil: nothing is known.
	Way func(url string) Bookmark
	// ConfigFile is where bookmarks are kept; empty: nowhere.
	ConfigFile string
	// Last is the command that leads to the place left last; empty: none is known.
	Last string
	// Left remembers the command that leads to where the person quit; may be nil.
	Left func(command string)
	// Tell tells the person how a write ended that was waited for on leaving, once the
	// terminal is theirs again; may be nil.
	Tell func(text string)
	// Visited remembers a place; may be nil. It is called aside.
	Visited func(url string)
	// Commands are those that were typed in earlier runs, the oldest first. Typed
	// remembers one; may be nil. It is called aside.
	Commands []string
	Typed    func(line string)
	// ReadOnly: nothing is written anywhere. ReadOnlyAt says so of a place, a bucket or
	// a folder; nil: of none. It is asked for each frame.
	ReadOnly   bool
	ReadOnlyAt func(l bucket.Location) bool
	// Keys are the person's own presses by the ID of the key, see CheckKeys; an empty
	// list unbinds.
	Keys    map[string][]string
	NoColor bool
	// ASCII draws borders and marks without signs that poor terminals lack.
	ASCII bool
	// Columns are the columns of a screen's table, in their order, by the screen's
	// name, see CheckColumns; a screen that is not named has all of its own.
	Columns map[string][]string
	// Light: the terminal's background is light, until it says itself what it is.
	Light bool
	// Theme is "light" or "dark", whatever the terminal says of itself; "auto" or
	// empty: the terminal is asked.
	Theme string
	// Mouse: clicks and the wheel go to the program, from the start. M changes it.
	Mouse  bool
	Author string // default author of a commit
	// AuthorAt gives the default author of a commit at a place; nil: Author everywhere.
	AuthorAt func(bucket.Location) string
	// Concurrency is the most reads side by side; 0: 16.
	Concurrency int
	// ConcurrencyAt says so of a bucket; nil, or 0: Concurrency.
	ConcurrencyAt func(l bucket.Location) int
	// MaxCommit is the most bytes of a commit object that are read; 0: of any size.
	MaxCommit int64
	// IgnoreFile holds the acknowledged findings of audits: YAML, see
	// audit.ParseIgnore. It need not be there. Empty: findings cannot be acknowledged.
	IgnoreFile string
	// Prices of requests, for what an audit costs; nil: audit.DefaultPrices.
	Prices  *audit.Prices
	Version string
	Now     func() time.Time // nil: time.Now
}

// themeSet says that the person chose the theme, so that the terminal is not asked.
func (s *Start) themeSet() bool { return s.Theme == "light" || s.Theme == "dark" }

// dark says whether the first frame is for a dark background.
func (s *Start) dark() bool {
	if s.themeSet() {
		return s.Theme == "dark"
	}
	return !s.Light
}

// ErrNoTerminal: the program cannot be shown here.
var ErrNoTerminal = errors.New("no terminal to show it on")

// Run shows the program on the terminal until the person quits. It refuses with
// ErrNoTerminal where there is none, or a dumb one. A context that is over, and
// SIGINT, SIGTERM and SIGHUP unless they are ignored, end it with context.Canceled, and
// with bucket.ErrUnclear where the end of a write is not known.
func Run(ctx context.Context, s Start) error {
	const instead = "; use the one-shot commands instead: provcat-tui ls, log, show, diff, commit, audit (see provcat-tui --help)"
	if t := os.Getenv("TERM"); t == "dumb" || t == "" {
		return fmt.Errorf("%w: TERM is %q%s", ErrNoTerminal, t, instead)
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return fmt.Errorf("%w: input or output is not a terminal%s", ErrNoTerminal, instead)
	}
	if os.Getenv("NO_COLOR") != "" {
		s.NoColor = true
	}
	s.Light = s.Light || ui.LightBackground(os.Getenv("COLORFGBG"))
	m := newApp(s)
	ended, err := show(ctx, m)
	if s.Left != nil && m.stack.top().kind() != onBuckets {
		if line, err := m.command(); err == nil {
			s.Left(line)
		}
	}
	m.close()
	switch {
	case err != nil:
		return err
	case m.settling() != nil || m.abandoned:
		return fmt.Errorf("%w: left while a commit was being written; \"provcat-tui log\" on the folder tells whether it landed", bucket.ErrUnclear)
	case m.leaving && m.env.unclear != nil:
		return m.env.unclear
	case m.leaving && s.Tell != nil:
		s.Tell(m.env.written)
	}
	if ended {
		return context.Canceled
	}
	return nil
}

// New makes the program's model, for tests and other hosts.
func New(s Start) tea.Model { return newApp(s) }
