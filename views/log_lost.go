package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Commit objects that follow the newest entry are found among all of the bucket: so
// many are listed and, of those that are new enough, so many read.
const (
	lostListed = 100_000
	lostRead   = 1000
)

// lostSearch is what a look for commits after the newest entry found.
type lostSearch struct {
	running, done bool
	err           error
	found         int
	unread        int  // new enough, but could not be read
	cut           bool // not all were looked at
}

// An orphan is a commit object of this log that no entry is known to name.
type orphan struct {
	id     string
	header commit.Header
}

// top is the newest entry that is there or was there, and when it was first written;
// nil: there is none.
func (s *logScreen) top() (r *logRow, since time.Time) {
	for _, r := range s.list.items {
		if r.kind != inLog || r.slot.Gap > 0 {
			continue
		}
		for _, v := range r.slot.Versions {
			if !v.DeleteMarker {
				since = v.Modified // the last one is the first that was written
			}
		}
		return r, since
	}
	return nil, since
}

// findLost looks for commits that were made after the newest entry. A writer builds
// only on what is logged, so their objects are no older than it by the store's clock.
func (s *logScreen) findLost() action {
	top, since := s.top()
	head, number := "", int64(0)
	if top != nil {
		head, number = top.commit(), top.slot.Number
	}
	named := map[string]bool{}
	for _, r := range s.list.items {
		if r.kind > namedBefore {
			continue // found by an earlier look
		}
		named[r.commit()] = true
		if d := r.detail.Load(); d != nil {
			for _, id := range d.named {
				named[id] = true
			}
		}
	}
	s.lost = lostSearch{running: true}
	var all []orphan
	var unread int
	var cut bool
	return begin{load("lost", "Looking for commits after the newest entry of "+s.name(), func(ctx context.Context, _ func(struct{})) (err error) {
		all, unread, cut, err = orphansSince(ctx, s.b, s.hash, since, named, s.parallel())
		return err
	}, nil, func(err error) action {
		s.lost = lostSearch{done: err == nil, err: err, unread: unread, cut: cut}
		if errors.Is(err, context.Canceled) {
			s.lost.err = nil
		}
		if err == nil {
			rows := lostRows(head, number, all)
			s.lost.found = len(rows)
			s.list.items = slices.DeleteFunc(slices.Clone(s.list.items), func(r *logRow) bool { return r.kind > namedBefore })
			s.insert(0, rows)
			s.list.table.Clamp(s.list.Len())
			if len(rows) > 0 && !s.list.filtered() {
				s.list.table.Cursor = 0 // they are what was asked for
			}
		}
		return s.look()
	})}
}

// orphansSince reads the headers of the commit objects that are no older than since, of
// the log with the hash, without those that are named. unread are those that could
// not be read.
func orphansSince(ctx context.Context, b bucket.Bucket, hash string, since time.Time, named map[string]bool, n int) (found []orphan, unread int, cut bool, err error) {
	type candidate struct {
		id   string
		at   time.Time
		head *commit.Header
	}
	var all []*candidate
	listed := 0
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: commit.Commits, Ahead: true}) {
		if err != nil {
			return nil, 0, false, err
		}
		if listed++; listed > lostListed {
			cut = true
			break
		}
		// S3's times are whole seconds.
		if id, ok := commit.ParseCommitKey(v.Key); ok && v.Live() && !named[id] && !v.Modified.Before(since.Truncate(time.Second)) {
			all = append(all, &candidate{id: id, at: v.Modified})
		}
	}
	slices.SortFunc(all, func(x, y *candidate) int { return y.at.Compare(x.at) })
	if len(all) > lostRead {
		all, cut = all[:lostRead], true
	}
	if err := sideBySide(ctx, all, n, func(c *candidate) {
		if h, err := commit.LoadHeader(ctx, b, c.id); err == nil {
			c.head = &h
		}
	}); err != nil {
		return nil, 0, false, err
	}
	for _, c := range all {
		switch {
		case c.head == nil:
			unread++
		case commit.FolderHash(c.head.Folder) == hash:
			found = append(found, orphan{c.id, *c.head})
		}
	}
	return found, unread, cut, nil
}

// lostRows are the rows of those that follow the head, the highest number first; an
// empty head with a number is not known. A chain of them was very likely in the log, for
// a writer builds only on what is logged; of its last one alone this is not sure. A single
// one may be a writer that crashed. One that says to be further up was built on others
// that are not there any more.
func lostRows(head string, number int64, all []orphan) []*logRow {
	children := map[string][]orphan{}
	for _, o := range all {
		children[o.header.Parent] = append(children[o.header.Parent], o)
	}
	rows := map[string]*logRow{}
	add := func(o orphan, n int64, k rowKind) {
		rows[o.id] = &logRow{kind: k, slot: commit.Slot{Number: n, Entry: commit.Entry{Commit: o.id}}}
	}
	type step struct {
		o orphan
		n int64
	}
	var stack []step
	if head != "" || number == 0 { // else it is not known what would follow
		for _, o := range children[head] {
			stack = append(stack, step{o, number + 1})
		}
	}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if rows[at.o.id] != nil {
			continue // what names itself was not written by a writer
		}
		kind := crashed
		if at.n > number+1 || len(children[at.o.id]) > 0 {
			kind = cutOff
		}
		add(at.o, at.n, kind)
		for _, c := range children[at.o.id] {
			stack = append(stack, step{c, at.n + 1})
		}
	}
	for _, o := range all {
		if rows[o.id] == nil && o.header.Number > number+1 {
			add(o, o.header.Number, cutOff)
		}
	}
	out := make([]*logRow, 0, len(rows))
	for _, o := range all { // newest first; a map has no order
		if r := rows[o.id]; r != nil {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(x, y *logRow) int { return cmp.Compare(y.slot.Number, x.slot.Number) })
	return out
}

// say tells what came of the look.
func (l *lostSearch) say() string {
	switch {
	case l.err != nil:
		return "? lost commits could not be looked for: " + briefly(l.err)
	case !l.done:
		return ""
	}
	text := "no commit follows the newest entry"
	if l.found > 0 {
		text = plural(int64(l.found), "commit") + " after the newest entry, which no entry names"
	}
	if l.unread > 0 {
		text += fmt.Sprintf("; ? %s could not be read", plural(int64(l.unread), "commit object"))
	}
	if l.cut {
		text += "; ? not all commit objects were looked at"
	}
	return text
}
