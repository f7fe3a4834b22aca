package views

import (
	"context"
	"slices"
	"sync"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// env is what all screens share.
type env struct {
	Start
	ctx    context.Context // of the program; every task's is below it
	cancel context.CancelFunc

	mu   sync.Mutex
	open map[string]bucket.Bucket // by the bucket's own URL

	// learned is by bucket's own URL; of the program's goroutine alone.
	learned map[string]*known
	// trace knows what was asked of all buckets; shown is the screen that is shown, of
	// the program's goroutine alone.
	trace *tracer
	shown screen
	// drafts are messages of commits that were not made, by the folder's URL.
	drafts map[string]draft
	// warned are the warnings of drivers that were told; untold those that were not yet;
	// both under mu.
	warned map[string]bool
	untold []string
	// written says how the last write ended, for one who has left; of the program's
	// goroutine alone.
	written string
	unclear error // how it ended is not known
	// outlooks is by bucket's own URL, under mu.
	outlooks map[string]outlookAt
	// hideDeleted: folders don't show their deleted keys.
	hideDeleted bool
	// keymap is the table of keys with the person's own presses.
	keymap ui.Keymap
}

func newEnv(s Start) *env {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Concurrency <= 0 {
		s.Concurrency = 16
	}
	e := &env{Start: s, open: map[string]bucket.Bucket{}, learned: map[string]*known{}, drafts: map[string]draft{}, warned: map[string]bool{}, outlooks: map[string]outlookAt{}, keymap: keyTable.With(s.Keys)}
	e.trace = newTracer()
	e.ctx, e.cancel = context.WithCancel(commit.WithMaxObject(bucket.WithWarn(bucket.WithTrace(context.Background(), e.trace.note), e.warn), s.MaxCommit))
	return e
}

// warn takes what a driver has to tell of the way to a bucket, each text once.
func (e *env) warn(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.warned[text] {
		e.warned[text] = true
		e.untold = append(e.untold, text)
	}
}

// warning is the next warning that the person was not told; empty: there is none.
func (e *env) warning() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.untold) == 0 {
		return ""
	}
	text := e.untold[0]
	e.untold = e.untold[1:]
	return text
}

// bucket gives the bucket of a location, opened once. It waits: only for tasks.
func (e *env) bucket(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
	e.mu.Lock()
	b := e.open[l.Root()]
	e.mu.Unlock()
	if b != nil {
		return b, nil
	}
	b, err := e.Open(ctx, l)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if other := e.open[l.Root()]; other != nil {
		_ = b.Close() // opened twice at once; nothing was written through it
		return other, nil
	}
	e.open[l.Root()] = b
	return b, nil
}

// recently puts a place first among the recent ones of this run, as Visited does for
// the next.
func (e *env) recently(url string) {
	e.Recent = append([]string{url}, slices.DeleteFunc(slices.Clone(e.Recent), func(u string) bool { return u == url })...)
}

// close gives up all buckets. What still reads gets errors, which nobody sees.
func (e *env) close() {
	e.cancel()
	e.mu.Lock()
	defer e.mu.Unlock()
	for k, b := range e.open {
		_ = b.Close() // reads only, or writes whose answers were waited for
		delete(e.open, k)
	}
}

// place is an open bucket.
type place struct {
	*env
	b   bucket.Bucket
	loc bucket.Location // without a path
}

// readOnly says that nothing may be written to the bucket.
func (p place) readOnly() bool { return p.readOnlyAt("") }

// readOnlyAt says that nothing may be written below a folder.
func (p place) readOnlyAt(folder string) bool {
	l := p.loc
	l.Path = folder
	return p.ReadOnly || p.ReadOnlyAt != nil && p.ReadOnlyAt(l)
}

// folderName is how a folder is called in texts.
func folderName(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return folder
}

// authorOf is the author that a commit of a folder has unless the person writes another.
func (p place) authorOf(folder string) string {
	if p.AuthorAt == nil {
		return p.Author
	}
	l := p.loc
	l.Path = folder
	return p.AuthorAt(l)
}

// parallel is the most reads side by side in the place's bucket.
func (p place) parallel() int {
	if p.ConcurrencyAt != nil {
		if n := p.ConcurrencyAt(p.loc); n > 0 {
			return n
		}
	}
	return p.Concurrency
}

// url names a key or prefix of the bucket.
func (p place) url(path string) string {
	l := p.loc
	l.Path = path
	return l.String()
}

// canCommit says whether a key prefix names a folder, and if not, why.
func canCommit(prefix string) (folder string, why string) {
	f, err := commit.FolderOf(prefix)
	if err != nil {
		return "", err.Error()
	}
	return f, ""
}
