package commit

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"provcat-tui/bucket"
)

// A PinCandidate is a commit that a pin may choose.
type PinCandidate struct {
	Folder string
	Number int64
	ID     string
	Time   time.Time // zero: unknown
	// Err says why the commit object could not be read. Its time is then that of
	// its entry, or unknown.
	Err error
}

// A Pin is the answer to which commit a reader of a folder gets.
type Pin struct {
	Folder string
	At     time.Time     // the inclusive bound; zero: none
	Chosen *PinCandidate // nil: there is no commit
	// Candidates are the newest eligible commit of the folder's own log and of
	// each log above; the chosen one first, those of unknown time last.
	Candidates []PinCandidate
	// Doubts say, for a person, what could not be read and might change the answer.
	Doubts []string
}

// FindPin finds the pin of a folder: the newest commit by time of the folder and
// of all folders above it, with a bound the newest at or before it. At equal
// times the folder above counts as newer, in one log the higher number. Times are
// those of the log entries; the commit objects of the newest ones are read, and
// their time is the one that counts.
//
// An error means that a log could not be listed, so that there is no answer. A
// chosen commit whose object is gone or unreadable has its Err set.
func FindPin(ctx context.Context, b bucket.Bucket, folder string, at time.Time, concurrency int) (Pin, error) {
	p := Pin{Folder: folder, At: at}
	depth := map[string]int{}
	for i, f := range append([]string{folder}, Ancestors(folder)...) {
		depth[f] = i
		c, doubts, err := newestIn(ctx, b, f, at, concurrency)
		if err != nil {
			return p, err
		}
		p.Doubts = append(p.Doubts, doubts...)
		if c != nil {
			p.Candidates = append(p.Candidates, *c)
		}
	}
	sort.SliceStable(p.Candidates, func(i, j int) bool {
		x, y := p.Candidates[i], p.Candidates[j]
		switch {
		case x.Time.IsZero() != y.Time.IsZero():
			return y.Time.IsZero()
		case !x.Time.Equal(y.Time):
			return x.Time.After(y.Time)
		}
		return depth[x.Folder] > depth[y.Folder]
	})
	for i := range p.Candidates {
		if c := &p.Candidates[i]; !c.Time.IsZero() {
			p.Chosen = &p.Candidates[0]
		} else {
			p.Doubts = append(p.Doubts, fmt.Sprintf("the time of commit %d of %s is unknown: %v", c.Number, folderName(c.Folder), c.Err))
		}
	}
	return p, nil
}

// newestIn gives the newest eligible commit of one log, nil if there is none. It
// reads the whole log: a foreign writer's times need not rise with the numbers.
func newestIn(ctx context.Context, b bucket.Bucket, folder string, at time.Time, concurrency int) (*PinCandidate, []string, error) {
	var eligible []PinCandidate // in order of the log
	var doubts, pending []string
	var timeless *PinCandidate
	doubt := func(s Slot) {
		switch {
		case s.Gap > 1:
			pending = append(pending, fmt.Sprintf("the entries %d to %d of %s are missing", s.Number-s.Gap+1, s.Number, folderName(folder)))
		case s.Gap == 1:
			pending = append(pending, fmt.Sprintf("entry %d of %s is missing", s.Number, folderName(folder)))
		default:
			pending = append(pending, fmt.Sprintf("entry %d of %s: %v", s.Number, folderName(folder), s.Err))
		}
	}
	for s, err := range Log(ctx, b, FolderHash(folder), concurrency) {
		if err != nil {
			return nil, nil, err
		}
		if s.Gap > 0 || s.Err != nil {
			// It matters only if it may be newer than what is chosen: the log's
			// order puts it before all that was met already.
			if len(eligible) == 0 && !laterThan(ctx, b, s, at) {
				doubt(s)
			}
			continue
		}
		c := PinCandidate{Folder: folder, Number: s.Number, ID: s.Entry.Commit, Time: s.Entry.Time}
		if c.Time.IsZero() {
			if c = confirmed(ctx, b, c); c.Time.IsZero() {
				if timeless == nil && len(eligible) == 0 {
					timeless = &c
				}
				continue
			}
		}
		if !at.IsZero() && c.Time.After(at) {
			if len(eligible) == 0 {
				// Whatever lies above it in the log is later still.
				pending, timeless = nil, nil
			}
			continue
		}
		if len(eligible) == 0 {
			doubts, pending = pending, nil
		}
		eligible = append(eligible, c)
	}
	if len(eligible) == 0 {
		return timeless, pending, nil
	}
	if timeless != nil {
		doubts = append(doubts, fmt.Sprintf("the time of commit %d of %s is unknown: %v", timeless.Number, folderName(folder), timeless.Err))
	}
	// The commit object's time counts. Where it differs from the entry's the order
	// may change, so look again until the newest one is confirmed.
	sure := map[int]bool{}
	for {
		best := -1
		for i, c := range eligible {
			if (at.IsZero() || !c.Time.After(at)) && (best < 0 || c.Time.After(eligible[best].Time)) {
				best = i
			}
		}
		if best < 0 {
			return nil, doubts, nil
		}
		if sure[best] {
			return &eligible[best], doubts, nil
		}
		eligible[best] = confirmed(ctx, b, eligible[best])
		sure[best] = true
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
}

// laterThan says that a deleted entry is known to name a commit after the bound:
// then it changes nothing, hidden or not.
func laterThan(ctx context.Context, b bucket.Bucket, s Slot, at time.Time) bool {
	if at.IsZero() || !errors.Is(s.Err, ErrDeleted) {
		return false
	}
	t, _, err := headTime(ctx, b, s)
	return err == nil && t.After(at)
}

// confirmed gives the candidate with the time of its commit object, or with the
// reason why that cannot be read.
func confirmed(ctx context.Context, b bucket.Bucket, c PinCandidate) PinCandidate {
	h, err := LoadHeader(ctx, b, c.ID)
	if c.Err = err; err == nil {
		c.Time = h.Time
	}
	return c
}

// timeLayouts are the forms in which people give the time of a pin. Each has a zone
// but the date: a guessed one would give another commit.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", time.DateOnly}

// ParseTime reads a time that a person wrote, in UTC; a date is its first moment there.
func ParseTime(s string) (time.Time, bool) {
	for _, l := range timeLayouts {
		if t, err := time.Parse(l, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
