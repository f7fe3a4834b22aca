package views

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// pinRows is the most entries of one log that are listed, the newest.
const pinRows = 2000

// pinTotal bounds those of all logs.
const pinTotal = 5000

// pinRow is a commit that readers got for a while, or a log entry of which that is
// not known.
type pinRow struct {
	folder string
	depth  int // 0: the folder itself, 1: the one above, …
	slot   commit.Slot
	// time is the commit's own once it was read, before that its entry's; of an entry
	// that cannot be read that of the next newer one of its log, for its place alone.
	time   time.Time
	header commit.Header
	known  bool  // header was read
	err    error // why not
	asked  bool
	until  time.Time // when the next one took its place; zero: it is the newest
	never  bool      // another one of the same time comes before it
}

// bad says that the entry tells no commit.
func (r *pinRow) bad() bool { return r.slot.Gap > 0 || r.slot.Err != nil }

// readPinRows lists the newest entries of the logs of a folder and all above it.
func readPinRows(ctx context.Context, b bucket.Bucket, folder string, concurrency int, add func(*pinRow)) error {
	total := 0
	for depth, f := range append([]string{folder}, commit.Ancestors(folder)...) {
		n, newer := 0, time.Time{}
		for s, err := range commit.Log(ctx, b, commit.FolderHash(f), concurrency) {
			if err != nil {
				return err
			}
			r := &pinRow{folder: f, depth: depth, slot: s, time: s.Entry.Time}
			if r.bad() || r.time.IsZero() {
				r.time = newer
			}
			newer = r.time
			add(r)
			total++
			if n++; n == pinRows || total == pinTotal {
				break
			}
		}
		if total == pinTotal {
			break
		}
	}
	return ctx.Err()
}

// order puts rows in the order in which readers got them, the newest first, and finds
// out until when. At equal times the folder above counts as newer, in one log the
// higher number.
func orderPins(rows []*pinRow) {
	slices.SortStableFunc(rows, func(a, b *pinRow) int {
		return cmp.Or(b.time.Compare(a.time), cmp.Compare(b.depth, a.depth), cmp.Compare(b.slot.Number, a.slot.Number))
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

// load finds the answer, and lists what there is to choose from.
func (s *pinScreen) load() action {
	s.rows.reset()
	s.listed, s.listErr = false, nil
	return all{s.find(0), stop{"headers"}, begin{load("rows", "Reading the logs of "+folderName(s.folder)+" and above", func(ctx context.Context, add func(*pinRow)) error {
		return readPinRows(ctx, s.b, s.folder, s.parallel(), add)
	}, func(rows []*pinRow) action {
		return all{s.rows.add(rows), s.arrange(), s.headers()}
	}, func(err error) action {
		s.listed, s.listErr = err == nil, err
		return nil
	})}}
}

// find asks for the pin at the time that is set.
func (s *pinScreen) find(after time.Duration) action {
	s.found, s.err = false, nil
	at := s.at
	return begin{load("pin", "Looking for the pin of "+folderName(s.folder), func(ctx context.Context, add func(commit.Pin)) error {
		if after > 0 && !rest(ctx, after) {
			return ctx.Err()
		}
		p, err := commit.FindPin(ctx, s.b, s.folder, at, s.parallel())
		if err == nil {
			add(p)
		}
		return err
	}, func(p []commit.Pin) action {
		s.pin, s.found = p[len(p)-1], true
		s.toChosen()
		return s.headers()
	}, func(err error) action {
		s.err = err
		return nil
	})}
}

// headers reads the commits of the rows on the screen, whose own times count.
func (s *pinScreen) headers() action {
	if s.asking {
		return nil
	}
	from, to := s.rows.table.Window(s.rows.Len())
	var rows []*pinRow
	for i := from; i < min(2*to-from+20, s.rows.Len()); i++ {
		if r := *s.rows.at(i); !r.bad() && !r.asked {
			r.asked = true
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	type answer struct {
		row    *pinRow
		header commit.Header
		err    error
	}
	s.asking = true
	return begin{load("headers", "Reading "+plural(int64(len(rows)), "commit"), func(ctx context.Context, add func(answer)) error {
		return sideBySide(ctx, rows, s.parallel(), func(r *pinRow) {
			h, err := commit.LoadHeader(ctx, s.b, r.slot.Entry.Commit)
			if ctx.Err() == nil {
				add(answer{r, h, err})
			}
		})
	}, func(got []answer) action {
		moved := false
		for _, a := range got {
			a.row.header, a.row.err, a.row.known = a.header, a.err, a.err == nil
			if a.row.known && !a.header.Time.Equal(a.row.time) {
				a.row.time, moved = a.header.Time, true
			}
		}
		if moved {
			return s.arrange()
		}
		return nil
	}, func(err error) action {
		s.asking = false
		if err != nil {
			for _, r := range rows {
				r.asked = r.known || r.err != nil
			}
			return nil
		}
		return s.headers()
	})}
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
	c := s.pin.Chosen
	if !s.found || c == nil {
		return -1
	}
	return slices.IndexFunc(s.rows.items, func(r *pinRow) bool {
		return r.folder == c.Folder && r.slot.Number == c.Number && !r.bad()
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
