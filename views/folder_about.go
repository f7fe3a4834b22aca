package views

import (
	"context"
	"errors"
	"maps"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// maxLog is how many entries of a log are listed for its picture over time, and
// maxPin how many entries of all logs are read to find the pin without being asked.
const (
	maxLog = 5000
	maxPin = 300
)

// about is what is known of the selected folder beyond its one level. All of it is
// read aside, one after another, after the cursor rested.
type about struct {
	head headLine
	past past
	scan *scanned // nil: not begun
	// scanning says that a scan is under way.
	scanning bool
	pin      pinLine
	last     []*logRow // the newest commits, where there is room to show them
}

// past is a log over time.
type past struct {
	done    bool
	err     error
	more    bool // there are older entries than were listed
	entries int64
	missing int64 // numbers of which nothing is left
	deleted int64 // entries without a live version
	places  []pastPlace
	newest  []commit.Slot // a few
}

// pastPlace is one entry, or a row of missing ones.
type pastPlace struct {
	at  time.Time // when it was first written, as the bucket says; of a gap: of the entry above it
	gap bool
}

// pinLine is the pin that a reader would get now.
type pinLine struct {
	done bool
	pin  commit.Pin
	err  error
	// entries is how many would have to be read, where that are too many to do it unasked.
	entries int64
}

// loadAbout begins anew with all that is told of the selected folder.
func (s *folder) loadAbout() action {
	s.about = about{}
	return all{stop{"past"}, stop{"scan"}, stop{"pin"}, stop{"last"}, s.loadHead()}
}

// loadRest goes on after the head is known.
func (s *folder) loadRest() action {
	out := all{s.loadLogs(), s.loadScan()}
	if s.head.slot.Number > 0 {
		out = append(out, s.loadPast())
	}
	if s.head.slot.Number > 0 || s.head.aboveSlot.Number > 0 {
		out = append(out, s.loadPin())
	}
	return out
}

// loadPast lists the folder's log, without reading an entry.
func (s *folder) loadPast() action {
	name, _ := canCommit(s.prefix())
	return begin{aside(load("past", "Listing the log of "+folderName(name), func(ctx context.Context, add func(past)) error {
		p, err := readPast(ctx, s.b, commit.FolderHash(name))
		if err != nil {
			return err // what is missing is not known
		}
		p.done = true
		add(p)
		return nil
	}, func(p []past) action {
		s.past = p[len(p)-1]
		wrong := s.head.wrong()
		if wrong == "" && s.past.missing+s.past.deleted > 0 {
			wrong = "its log has missing or deleted entries"
		}
		s.facts().looked(name, wrong)
		return s.loadLast()
	}, func(err error) action {
		if err != nil {
			s.past.done, s.past.err = true, err
		}
		return nil
	}))}
}

func readPast(ctx context.Context, b bucket.Bucket, hash string) (past, error) {
	var p past
	var above int64
	for s, err := range commit.Slots(ctx, b, hash) {
		if err != nil {
			return p, err
		}
		if p.entries == maxLog {
			p.more = true
			return p, nil
		}
		// The time of the first write stays what it was when an entry was put back.
		var at time.Time
		for _, v := range s.Versions {
			if !v.DeleteMarker {
				at = v.Modified
			}
		}
		if above > 0 && above-s.Number > 1 {
			p.missing += above - s.Number - 1
			p.places = append(p.places, pastPlace{at, true})
		}
		above = s.Number
		p.entries++
		if _, ok := s.Live(); !ok {
			p.deleted++
			p.places = append(p.places, pastPlace{at, true})
		}
		p.places = append(p.places, pastPlace{at, false})
		if len(p.newest) < maxLast {
			p.newest = append(p.newest, s)
		}
	}
	if above > 1 {
		p.missing += above - 1
		if n := len(p.places); n > 0 {
			p.places = append(p.places, pastPlace{p.places[n-1].at, true})
		}
	}
	return p, nil
}

// maxLast is how many of the newest commits are told where there is room.
const maxLast = 40

// loadLast reads the newest commits, for the pane that a wide screen has.
func (s *folder) loadLast() action {
	if !s.wide || s.last != nil || len(s.past.newest) == 0 {
		return nil
	}
	rows := make([]*logRow, len(s.past.newest))
	for i, slot := range s.past.newest {
		rows[i] = newLogRow(slot)
	}
	s.last = rows
	return begin{aside(load("last", "Reading the newest commits", func(ctx context.Context, add func(struct{})) error {
		return sideBySide(ctx, rows, s.parallel(), func(r *logRow) {
			d := &logDetail{}
			if v, ok := r.slot.Live(); ok {
				var e commit.Entry
				if e, d.err = commit.LoadEntry(ctx, s.b, r.slot.Key, v.ID); d.err == nil {
					d.named = []string{e.Commit}
					d.header, d.err = commit.LoadHeader(ctx, s.b, e.Commit)
					d.known = d.err == nil
				}
			} else {
				d.deleted = true
			}
			if ctx.Err() == nil {
				r.detail.Store(d)
				add(struct{}{})
			}
		})
	}, nil, nil))}
}

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

// maxLogs is how many logs of a bucket are looked for, to mark their folders.
const maxLogs = 20_000

// loadLogs finds out once which folders have a log: one listing of the hashes of
// their names.
func (s *folder) loadLogs() action {
	k := s.facts()
	if k.logs != nil && !k.logsStale {
		return nil
	}
	logs := map[string]bool{}
	return begin{aside(load("logs", "Looking which folders have a log", func(ctx context.Context, add func(string)) error {
		n := 0
		for item, err := range s.b.Level(ctx, commit.Logs) {
			if err != nil {
				return err
			}
			if item.Folder == "" {
				continue
			}
			if n++; n > maxLogs {
				return errBudget
			}
			add(item.Folder[len(commit.Logs) : len(item.Folder)-1])
		}
		return nil
	}, func(hashes []string) action {
		for _, h := range hashes {
			logs[h] = true
		}
		return nil
	}, func(err error) action {
		switch {
		case errors.Is(err, context.Canceled): // asked again with the next folder
		case err == nil, errors.Is(err, errBudget):
			k.logs, k.logsWhole, k.logsStale = logs, err == nil, false
		case k.logs == nil: // no mark is put on what is not known; r tries again
			k.logs = logs
		}
		return nil
	}))}
}

// sign is the mark of a folder in the tree: what its own log is, and whether
// anything below it is known to be damaged.
func (s *folder) sign(n *ui.Node) (ui.Tone, string) {
	prefix, _ := n.Value.(string)
	name, err := commit.FolderOf(prefix)
	if err != nil {
		return ui.Dim, ""
	}
	k := s.facts()
	tone, mark := ui.Good, " "
	if has, _ := k.hasLog(name); has {
		mark = ui.MarkSound
	}
	if k.damage[name] != "" {
		tone, mark = ui.Bad, ui.MarkDeleted
	}
	if k.damagedBelow(name) != "" {
		tone, mark = ui.Bad, mark+"↓"
	}
	return tone, mark
}
