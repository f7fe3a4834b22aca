package views

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// A child is the next commit of the log.
type child struct {
	number int64 // of its entry; 0: it was not looked for
	id     string
	parent string // what the child says its parent is
	err    error  // why there is no ID, or no parent
	of     string // the commit whose child it should be
}

// findChild reads the next entry of the log.
func (s *commitScreen) findChild() action {
	hash, next, id := s.hash, s.number+1, s.id
	return begin{aside(load("child", fmt.Sprintf("Looking for entry #%d", next), func(ctx context.Context, add func(child)) error {
		c := child{number: next, of: id}
		e, err := commit.LoadEntry(ctx, s.b, commit.SlotKey(hash, next), "")
		if c.id, c.err = e.Commit, err; err == nil {
			h, err := commit.LoadHeader(ctx, s.b, c.id)
			c.parent, c.err = h.Parent, err
		}
		add(c)
		return ctx.Err()
	}, func(c []child) action {
		s.child = c[len(c)-1]
		return nil
	}, nil))}
}

// say puts it into words; empty: nothing is known yet.
func (c child) say() (ui.Tone, string) {
	switch {
	case c.number == 0:
		return ui.Dim, ""
	case c.id == "" && errors.Is(c.err, bucket.ErrNotFound):
		return ui.Dim, fmt.Sprintf("none: there is no live entry #%d", c.number)
	case c.id == "":
		return ui.Unsure, fmt.Sprintf("? entry #%d could not be read: %v", c.number, c.err)
	case errors.Is(c.err, bucket.ErrNotFound):
		return ui.Bad, fmt.Sprintf("✗ #%d %s: its commit object is gone", c.number, commit.ShortID(c.id))
	case c.err != nil:
		return ui.Unsure, fmt.Sprintf("? #%d %s: its commit object could not be read", c.number, commit.ShortID(c.id))
	case c.parent != c.of:
		return ui.Bad, fmt.Sprintf("✗ #%d %s has another parent", c.number, commit.ShortID(c.id))
	}
	return ui.Plain, fmt.Sprintf("#%d %s", c.number, c.id)
}
