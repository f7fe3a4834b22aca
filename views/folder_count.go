package views

import (
	"context"
	"errors"
	"maps"
	"time"
)

// base is the commit that the folder's files are compared with: the newest of its
// own log, else of the nearest log above.
func (h *headLine) base(own string) (id, in string, number int64) {
	switch {
	case h.slot.Number > 0 && h.slot.Err == nil:
		return h.slot.Entry.Commit, own, h.slot.Number
	case h.slot.Number == 0 && h.aboveSlot.Number > 0 && h.aboveSlot.Err == nil:
		return h.aboveSlot.Entry.Commit, h.above, h.aboveSlot.Number
	}
	return "", "", 0
}

// loadScan takes a first, bounded look at the whole folder.
func (s *folder) loadScan() action {
	s.about.scan = &scanned{marks: map[string]byte{}}
	return s.runScan(scan{budget: look, past: lookPast}, scanRest())
}

// scanRest is how long the cursor rests before a whole folder is looked at.
func scanRest() time.Duration { return 3 * settleTime }

// runScan scans on from where the last one stopped.
func (s *folder) runScan(c scan, after time.Duration) action {
	name, _ := canCommit(s.prefix())
	c.b, c.prefix = s.b, s.prefix()
	if s.about.scan.baseErr == nil || errors.Is(s.about.scan.baseErr, errTooFar) && c.past == 0 {
		c.base, c.in, _ = s.head.base(name)
	}
	before := *s.about.scan
	before.below = maps.Clone(before.below)
	was := s.about.scan
	was.err, was.compared = nil, c.base != ""
	s.scanning = true
	w := load("scan", "Counting "+s.url(c.prefix), func(ctx context.Context, add func(tally)) error {
		if after > 0 && !rest(ctx, after) {
			return ctx.Err()
		}
		c.add = add
		return c.run(ctx)
	}, func(ps []tally) action {
		for _, p := range ps {
			was.add(p)
		}
		return nil
	}, func(err error) action {
		s.scanning = false
		var over *budgetError
		var base baseError
		switch {
		case err == nil:
			was.whole = true
		case errors.As(err, &over):
			was.listed = over.key
			if c.base != "" && !was.capped {
				was.upTo = over.key
			}
		case errors.As(err, &base) && !errors.Is(err, context.Canceled):
			// The commit says nothing then; the folder can still be counted.
			*was = scanned{marks: map[string]byte{}, baseErr: base.error}
			return s.runScan(scan{budget: c.budget, past: c.past}, 0)
		default:
			marks := was.marks // each of them was seen
			*was = before
			was.marks = marks
			was.err = err
		}
		return nil
	})
	if c.budget > 0 {
		w = aside(w)
	}
	return begin{w}
}

// goOn scans to the end, from where the first look stopped.
func (s *folder) goOn() action {
	done := s.about.scan
	if errors.Is(done.baseErr, errTooFar) { // from the first key again, and past all files
		s.about.scan = &scanned{marks: map[string]byte{}}
		return s.runScan(scan{}, 0)
	}
	return s.runScan(scan{after: done.listed}, 0)
}

// canGoOn says whether there is more to scan.
func (s *folder) canGoOn() (bool, string) {
	switch d := s.about.scan; {
	case s.at != nil:
		return false, "the files are those of a commit"
	case s.scanning, d == nil:
		return false, "it is being counted"
	case d.whole && !errors.Is(d.baseErr, errTooFar):
		return false, "all of the folder was counted"
	}
	return true, ""
}
