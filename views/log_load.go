package views

import (
	"context"
	"errors"
	"slices"

	"provcat-tui/commit"
)

// A log may have a million entries, and each is a request of its own: so many are read
// at first, more as the person scrolls, and more at once on the way to the last.
const (
	logFirst = 200
	logMore  = 500
	logEnd   = 2000
	// logTo is how many are read unasked on the way to an entry that was asked for.
	logTo = 5000
	// logSearched is how many commits' messages are read for a filter unasked.
	logSearched = 1000
)

// logReading is how far a log was read.
type logReading struct {
	valve   *valve
	running bool
	done    bool
	err     error
	asking  bool // details are being read
	goTo    int64
	toEnd   bool // the cursor stays on the last row while more come
	// searched is how many rows' messages a filter may read.
	searched int
	// Sums over the rows: entries there are, entries that are missing, that are deleted,
	// and that could not be read, whatever the reason.
	entries, gaps, deleted, bad int64
}

// held says that there are more entries, which were not asked for.
func (r *logReading) held() bool { return r.running && r.valve.waits() }

func (s *logScreen) start() action {
	if cur := s.current(); cur != nil {
		s.goTo = cur.slot.Number
	}
	s.list.reset()
	s.marks, s.lost = nil, lostSearch{}
	v := newValve(logFirst)
	s.logReading = logReading{goTo: s.goTo, valve: v, running: true, searched: logSearched}
	s.countLeft.left = countAll
	to, hash := s.goTo, s.hash
	w := load("log", "Reading the log of "+s.name(), func(ctx context.Context, add func(*logRow)) error {
		n := 0
		for slot, err := range commit.Log(ctx, s.b, hash, s.parallel()) {
			if err != nil {
				return err
			}
			if n++; to == 0 || n > logTo {
				if err := v.pass(ctx); err != nil {
					return err
				}
			}
			if slot.Number-max(slot.Gap, 1) < to {
				to = 0
			}
			add(newLogRow(slot))
		}
		return nil
	}, s.grow, func(err error) action {
		s.running, s.toEnd = false, false
		s.done, s.err = err == nil, err
		return nil
	})
	w.waits = v.waits
	return all{stop{"details"}, stop{"counts"}, stop{"filter"}, stop{"lost"}, begin{w}}
}

// grow takes in rows of the log.
func (s *logScreen) grow(rows []*logRow) action {
	for _, r := range rows {
		switch {
		case r.slot.Gap > 0:
			s.gaps += r.slot.Gap
			continue
		case errors.Is(r.slot.Err, commit.ErrDeleted):
			s.deleted++
		case r.slot.Err != nil:
			s.bad++
		}
		s.entries++
	}
	if len(s.list.items) == 0 {
		s.list.table.Columns[1].Min = max(4, len(refName(commit.Ref{Number: rows[0].slot.Number, ID: "x"})))
		s.list.table.Relayout()
	}
	act := s.list.add(rows)
	switch {
	case s.list.filtered():
	case s.toEnd:
		s.list.move("bottom")
	case s.goTo > 0:
		for i, r := range s.list.items {
			if r.slot.Number == s.goTo || r.slot.Gap > 0 && r.slot.Number >= s.goTo && s.goTo > r.slot.Number-r.slot.Gap {
				s.list.table.Cursor, s.goTo = i, 0
				break
			}
		}
	}
	return all{act, s.look()}
}

// moved follows a movement: it lets more entries through where the last one is nearly
// seen, or was asked for.
func (s *logScreen) moved(id string) action {
	s.toEnd = id == "bottom" && s.running
	_, seen := s.list.table.Window(s.list.Len())
	if s.toEnd {
		s.valve.open(logEnd)
	} else if max(s.list.table.Cursor, seen) >= s.list.Len()-logFirst/4 {
		s.valve.open(logMore)
	}
	return s.look()
}

// look reads what the rows on the screen are about, and what they changed.
func (s *logScreen) look() action { return all{s.details(), s.countRows()} }

// details reads what the rows on the screen are about, a page ahead; while there is a
// filter also the messages of others, which it looks at.
func (s *logScreen) details() action {
	if s.asking {
		return nil
	}
	from, to := s.list.table.Window(s.list.Len())
	to = min(2*to-from+40, s.list.Len())
	var rows []*logRow
	was := map[*logRow]int{}
	want := func(r *logRow, much int) {
		if r.slot.Gap == 0 && r.asked < much {
			if _, ok := was[r]; !ok {
				rows = append(rows, r)
				was[r] = r.asked
			}
			r.asked = much
		}
	}
	for i := from; i < to; i++ {
		want(*s.list.at(i), askedAll)
	}
	if s.list.filtered() {
		for _, r := range s.list.items[:min(s.searched, len(s.list.items))] {
			want(r, askedHeader)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	s.asking = true
	return begin{load("details", "Reading "+plural(int64(len(rows)), "commit"), func(ctx context.Context, add func(*logRow)) error {
		return sideBySide(ctx, rows, s.parallel(), func(r *logRow) {
			d := readDetail(ctx, s.b, r.slot, r.asked < askedAll, &s.small)
			if ctx.Err() != nil {
				return
			}
			r.detail.Store(d)
			add(r)
		})
	}, func(read []*logRow) action {
		for _, r := range read {
			s.spread(r)
		}
		if s.list.filtered() {
			at := s.list.table.Cursor
			s.list.restart()
			act := s.list.search()
			s.list.table.Cursor = at
			return act
		}
		return s.countRows()
	}, func(err error) action {
		s.asking = false
		for _, r := range rows {
			if d := r.detail.Load(); d == nil || r.asked == askedAll && d.light {
				r.asked = was[r]
			}
		}
		if err != nil { // cancelled: until the cursor moves
			return nil
		}
		return s.look()
	})}
}

// spread puts the commits that earlier versions of an entry named under its row.
func (s *logScreen) spread(r *logRow) {
	d := r.detail.Load()
	if r.kind != inLog || len(d.named) < 2 {
		return
	}
	i := s.index(r)
	if i+1 < len(s.list.items) && s.list.items[i+1].kind == namedBefore {
		return // they are there
	}
	var rows []*logRow
	for _, id := range d.named[1:] {
		rows = append(rows, &logRow{kind: namedBefore, slot: commit.Slot{Number: r.slot.Number, Entry: commit.Entry{Commit: id}}})
	}
	s.insert(i+1, rows)
}

// insert puts rows into the list; the cursor stays on its row.
func (s *logScreen) insert(at int, rows []*logRow) {
	if !s.list.filtered() && s.list.table.Cursor >= at {
		s.list.table.Cursor += len(rows)
	}
	// A search may be looking at the old ones.
	s.list.items = slices.Insert(slices.Clone(s.list.items), at, rows...)
	s.list.restart()
}

// goOn does what was held back for the rows on the screen.
func (s *logScreen) goOn() action {
	if s.heldCounts() {
		s.countFree = true
		return s.countRows()
	}
	s.searched += logSearched
	return s.details()
}

// heldCounts says that commits on the screen are too large to be compared unasked.
func (s *logScreen) heldCounts() bool {
	if s.counting {
		return false
	}
	from, to := s.list.table.Window(s.list.Len())
	for i := from; i < to; i++ {
		if c := (*s.list.at(i)).changes; c != nil && c.held {
			return true
		}
	}
	return false
}

// filterHeld says that a filter did not look at all messages.
func (s *logScreen) filterHeld() bool {
	return s.list.filtered() && !s.asking && len(s.list.items) > s.searched
}

// returned looks again: the screen above may have made a commit.
func (s *logScreen) returned() action {
	if s.err == nil && len(s.list.items) > 0 {
		return begin{s.lookForNew()}
	}
	return nil
}

// lookForNew asks for the head, and loads the log anew if it is another.
func (s *logScreen) lookForNew() *work {
	var head commit.Slot
	return load("look", "Looking for new commits", func(ctx context.Context, _ func(struct{})) (err error) {
		head, err = commit.Head(ctx, s.b, s.folder)
		return err
	}, nil, func(err error) action {
		if err == nil && s.named && head.Number > s.newest() {
			act := s.start()
			s.goTo = 0
			return act
		}
		return nil
	})
}

// newest is the highest number that the log itself has.
func (s *logScreen) newest() int64 {
	for _, r := range s.list.items {
		if r.kind == inLog {
			return r.slot.Number
		}
	}
	return 0
}
