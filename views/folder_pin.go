package views

import (
	"context"
	"errors"
	"fmt"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// maxPin is how many entries of all logs are read to find the pin without being asked.
const maxPin = 300

// pinLine is the pin that a reader would get now.
type pinLine struct {
	done bool
	pin  commit.Pin
	err  error
	// entries is how many would have to be read, where that are too many to do it unasked.
	entries int64
}

// loadPin finds the pin, where that does not mean to read a long log.
func (s *folder) loadPin() action {
	name, _ := canCommit(s.prefix())
	known, own := s.facts(), s.head.slot.Number
	var above []string
	for _, f := range commit.Ancestors(name) {
		if has, sure := known.hasLog(f); has || !sure {
			above = append(above, f)
		}
	}
	return begin{aside(load("pin", "Looking for the pin of "+folderName(name), func(ctx context.Context, add func(pinLine)) error {
		if !rest(ctx, scanRest()) {
			return ctx.Err()
		}
		p := pinLine{done: true, entries: own}
		for _, f := range above {
			h, err := commit.Head(ctx, s.b, f)
			if err != nil {
				return err
			}
			p.entries += h.Number
		}
		if p.entries <= maxPin {
			p.entries = 0
			var err error
			if p.pin, err = commit.FindPin(ctx, s.b, name, time.Time{}, s.parallel()); err != nil {
				return err
			}
		}
		add(p)
		return ctx.Err()
	}, func(p []pinLine) action {
		s.pin = p[len(p)-1]
		return nil
	}, func(err error) action {
		if err != nil {
			s.pin = pinLine{done: true, err: err}
		}
		return nil
	}))}
}

// tellPin is the commit that a reader would get now.
func (s *folder) tellPin() (fact, bool) {
	p := &s.pin
	if s.head.slot.Number == 0 && s.head.aboveSlot.Number == 0 {
		return fact{}, false
	}
	f := fact{label: "pin", rank: 4}
	name, _ := canCommit(s.prefix())
	c := p.pin.Chosen
	switch {
	case !p.done:
		f.tone, f.text = ui.Dim, "…"
	case p.err != nil:
		f.tone, f.text = s.unchecked(p.err)
	case p.entries > 0:
		f.tone, f.text = ui.Dim, fmt.Sprintf("not looked for: %s entries to read", count(p.entries))
	case c == nil && len(p.pin.Doubts) > 0:
		f.tone, f.text, f.rank = ui.Unsure, "? not known: "+p.pin.Doubts[0], 8
	case c == nil:
		f.tone, f.text = ui.Dim, "none"
	case errors.Is(c.Err, bucket.ErrNotFound):
		f.tone, f.text, f.rank = ui.Bad, fmt.Sprintf("✗ #%d%s: its object is gone, a reader gets nothing", c.Number, of(c.Folder, name)), 9
		f.short = fmt.Sprintf("✗ #%d: gone, a reader gets nothing", c.Number)
	case c.Err != nil:
		f.tone, f.text, f.rank = ui.Unsure, fmt.Sprintf("? #%d%s could not be read: %v", c.Number, of(c.Folder, name), c.Err), 9
	case c.Folder == name && c.Number == s.head.slot.Number && len(p.pin.Doubts) == 0:
		f.text = fmt.Sprintf("#%d, the newest commit", c.Number)
	case c.Folder != name && s.head.slot.Number == 0 && len(p.pin.Doubts) == 0:
		f.text = fmt.Sprintf("#%d%s", c.Number, of(c.Folder, name))
	case len(p.pin.Doubts) > 0:
		f.tone, f.rank = ui.Unsure, 8
		f.text = fmt.Sprintf("? #%d%s; %s", c.Number, of(c.Folder, name), p.pin.Doubts[0])
		f.short = fmt.Sprintf("? #%d%s, in doubt", c.Number, of(c.Folder, name))
	case c.Folder != name:
		f.rank = 8
		f.text = fmt.Sprintf("#%d%s: it is newer than #%d here", c.Number, of(c.Folder, name), s.head.slot.Number)
	default:
		f.rank = 8
		f.text = fmt.Sprintf("#%d, not #%d: by time it is the newest", c.Number, s.head.slot.Number)
	}
	return f, true
}

// of names another folder.
func of(folder, here string) string {
	if folder == here {
		return ""
	}
	return " of " + folderName(folder)
}
