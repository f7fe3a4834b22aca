package views

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"provcat-tui/commit"
)

// A rowKind says why a commit stands in the log's list.
type rowKind uint8

const (
	inLog       rowKind = iota // the slot's own row
	namedBefore                // an earlier version of the entry named it
	cutOff                     // no entry names it, though very likely it was in the log once
	crashed                    // no entry names it, and it may never have been in the log
)

// How much of a row's detail was asked for.
const (
	askedNothing = iota
	askedHeader  // for the filter
	askedAll
)

// logRow is one place of a log, or a commit that stands beside it.
type logRow struct {
	slot commit.Slot
	kind rowKind
	// detail is read aside, nil before; asked is how much of it was asked for.
	asked  int
	detail atomic.Pointer[logDetail]
	// changes is what the commit changed, nil before that is known; counting: it is
	// being found out. Both are of the program's goroutine alone.
	changes  *changes
	counting bool
}

func newLogRow(s commit.Slot) *logRow { return &logRow{slot: s} }

// commit is the ID that the entry names; of a deleted one what it named last.
func (r *logRow) commit() string {
	if r.slot.Err == nil {
		return r.slot.Entry.Commit
	}
	if d := r.detail.Load(); d != nil && len(d.named) > 0 {
		return d.named[0]
	}
	return ""
}

// ref names the commit: by its number only where the log gives it that.
func (r *logRow) ref() commit.Ref {
	if r.kind != inLog {
		return commit.Ref{ID: r.commit()}
	}
	return commit.Ref{Number: r.slot.Number, ID: r.commit()}
}

// olderThan orders two commits of a log by their place in it.
func (r *logRow) olderThan(x *logRow) bool {
	if r.slot.Number != x.slot.Number {
		return r.slot.Number < x.slot.Number
	}
	return r.kind > x.kind
}

// text is what the filter looks at.
func (r *logRow) text() string {
	if r.slot.Gap > 0 {
		return "missing"
	}
	t := fmt.Sprintf("#%d %s", r.slot.Number, r.commit())
	if r.kind != inLog {
		t += " " + r.kind.word()
	}
	if d := r.detail.Load(); d != nil {
		t += " " + d.header.Author + " " + d.header.Message
	}
	return t
}

// word says in the list what a row beside the log is.
func (k rowKind) word() string {
	return [...]string{inLog: "", namedBefore: "named before", cutOff: "lost", crashed: "no entry"}[k]
}

// sideBySide calls f for each row, at most n at a time, until ctx is done.
func sideBySide[T any](ctx context.Context, rows []T, n int, f func(T)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(n, 1))
	for _, r := range rows {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			f(r)
			return ctx.Err()
		})
	}
	return g.Wait()
}
