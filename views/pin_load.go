package views

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// pinFirst is how many entries of one log are read at first; each is two requests.
const pinFirst = 5000

// pinRow is a commit that readers got for a while, or a log entry of which that is
// not known.
type pinRow struct {
	commit.PinEntry
	// time is that of the entry; of one whose time is unknown that of the next newer one
	// of its log, for its place alone.
	time  time.Time
	until time.Time // when the next one took its place; zero: it is the newest
	never bool      // another one of the same time comes before it
}

// bad says that the entry tells no commit.
func (r *pinRow) bad() bool { return r.Slot.Gap > 0 || r.Slot.Err != nil }

// readPinLog reads one log, as far as the valve lets it.
func readPinLog(ctx context.Context, b bucket.Bucket, folder string, depth, concurrency int, v *valve, add func(*pinRow)) error {
	newer := time.Time{}
	for e, err := range commit.PinLog(ctx, b, folder, depth, concurrency) {
		if err != nil {
			return err
		}
		if err := v.pass(ctx); err != nil {
			return err
		}
		r := &pinRow{PinEntry: e, time: e.Time}
		if r.bad() || r.time.IsZero() {
			r.time = newer
		}
		newer = r.time
		add(r)
	}
	return ctx.Err()
}

// order puts rows in the order in which readers got them, the newest first, and finds
// out until when. At equal times the folder above counts as newer, in one log the
// higher number.
func orderPins(rows []*pinRow) {
	slices.SortStableFunc(rows, func(a, b *pinRow) int {
		return cmp.Or(b.time.Compare(a.time), cmp.Compare(b.Depth, a.Depth), cmp.Compare(b.Slot.Number, a.Slot.Number))
	})
	var next *pinRow
	for _, r := range rows {
		r.until, r.never = time.Time{}, false
		if r.bad() {
			continue
		}
		if next != nil {
			r.until, r.never = next.time, r.time.Equal(next.time)
		}
		next = r
	}
}

// A pinLog is how far one log was read.
type pinLog struct {
	folder string
	valve  *valve
	ended  atomic.Bool
	err    error // why it was not read to its end; for readers that saw it ended
}

// held says that the rest of the log waits for the person.
func (l *pinLog) held() bool { return !l.ended.Load() && l.valve.waits() }

// load reads the logs of the folder and all above it side by side. What was read
// answers for every time; r reads again.
func (s *pinScreen) load() action {
	s.rows.reset()
	s.listed, s.listErr, s.answered = false, nil, false
	s.logs = nil
	for _, f := range append([]string{s.folder}, commit.Ancestors(s.folder)...) {
		s.logs = append(s.logs, &pinLog{folder: f, valve: newValve(pinFirst)})
	}
	logs := s.logs
	w := load("rows", "Reading the logs of "+folderName(s.folder)+" and above", func(ctx context.Context, add func(*pinRow)) error {
		var g errgroup.Group
		each := max(s.parallel()/len(logs), 1)
		for depth, l := range logs {
			g.Go(func() error {
				defer l.ended.Store(true)
				l.err = readPinLog(ctx, s.b, l.folder, depth, each, l.valve, add)
				return nil
			})
		}
		_ = g.Wait() // the errors are with the logs
		return failedLog(logs)
	}, func(rows []*pinRow) action {
		s.answered = false
		return all{s.rows.add(rows), s.arrange()}
	}, func(err error) action {
		s.listed, s.listErr, s.answered = err == nil, err, false
		s.toChosen()
		return nil
	})
	w.waits = func() bool { return s.settled() && s.heldLogs() > 0 }
	return begin{w}
}

// failedLog is the error of the nearest log that could not be read to its end.
func failedLog(logs []*pinLog) error {
	for _, l := range logs {
		if l.ended.Load() && l.err != nil {
			return l.err
		}
	}
	return nil
}

// settled says that all logs were read, as far as they are read unasked.
func (s *pinScreen) settled() bool {
	for _, l := range s.logs {
		if !l.ended.Load() && !l.valve.waits() {
			return false
		}
	}
	return true
}

// heldLogs is how many logs wait for the person.
func (s *pinScreen) heldLogs() (n int) {
	for _, l := range s.logs {
		if l.held() {
			n++
		}
	}
	return n
}

// goOn reads on in the logs that were held back.
func (s *pinScreen) goOn() {
	for _, l := range s.logs {
		l.valve.open(pinFirst)
	}
	s.answered = false
}

// answerNow works the pin out of what was read, once that is all or as much as is read
// unasked.
func (s *pinScreen) answerNow() {
	if s.answered {
		return
	}
	s.pin, s.found, s.err = commit.Pin{}, false, s.listErr
	if s.err == nil && s.settled() {
		s.err = failedLog(s.logs)
	}
	if s.err != nil || len(s.logs) == 0 || !s.listed && !(s.settled() && s.heldLogs() > 0) {
		return
	}
	rows := slices.Clone(s.rows.items)
	slices.SortFunc(rows, func(a, b *pinRow) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(b.Slot.Number, a.Slot.Number))
	})
	s.pin, s.err = commit.ChoosePin(s.folder, s.at, func(yield func(commit.PinEntry, error) bool) {
		for _, r := range rows {
			if !yield(r.PinEntry, nil) {
				return
			}
		}
	})
	for _, l := range s.logs {
		if l.held() {
			s.pin.Doubts = append(s.pin.Doubts, "only the newest entries of "+folderName(l.folder)+" were read"+s.keys(": {goon} reads on"))
		}
	}
	s.found, s.answered = s.err == nil, true
}

// arrange orders the rows anew; the cursor stays on its row.
func (s *pinScreen) arrange() action {
	cur := s.rows.selected()
	var was *pinRow
	if cur != nil {
		was = *cur
	}
	s.rows.items = slices.Clone(s.rows.items) // a search may be looking at the old ones
	orderPins(s.rows.items)
	s.rows.restart()
	act := s.rows.search()
	if i := slices.Index(s.rows.items, was); s.touched && i >= 0 && len(s.rows.words) == 0 {
		s.rows.table.Cursor = i
	} else {
		s.toChosen()
	}
	return act
}

// chosen is the row of the pin; -1: it is not listed, or there is none.
func (s *pinScreen) chosen() int {
	s.answerNow()
	c := s.pin.Chosen
	if !s.found || c == nil {
		return -1
	}
	return slices.IndexFunc(s.rows.items, func(r *pinRow) bool {
		return r.Folder == c.Folder && r.Slot.Number == c.Number && !r.bad()
	})
}

// toChosen puts the cursor on the pin, until the person moved it.
func (s *pinScreen) toChosen() {
	if i := s.chosen(); i >= 0 && !s.touched && len(s.rows.words) == 0 {
		s.rows.table.Cursor = i
	}
}

// unreadable says that the chosen commit's object could not be read, and is gone or
// only not seen.
func unreadable(err error) (gone bool) {
	return errors.Is(err, bucket.ErrNotFound) || errors.Is(err, commit.ErrCorrupt)
}
