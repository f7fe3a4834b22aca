package commit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"provcat-tui/bucket"
)

// A PinPast is what one version of a log entry named while it was the newest.
type PinPast struct {
	From  time.Time // the bucket's time of the version; zero: unknown
	Until time.Time // that of the next newer one; zero: it is the newest
	ID    string    // the commit; empty: none, a delete marker or bytes that are no entry
	Time  time.Time // the commit's; zero: unknown
	// Err says why it is not known what the version, or its commit's object, said.
	Err error
}

// pinMargin is how long before the bucket's time of an entry's version a commit counts
// as being there: its own time is taken a little earlier, and by another clock.
const pinMargin = 2 * time.Second

// maxPast is how many versions of one entry are read for what they named: who writes a
// log may have made a million.
const maxPast = 64

// pastOf reads what the versions of a slot named, newest first. Where there are too many
// the last one stands for all that were not read.
func pastOf(ctx context.Context, b bucket.Bucket, s Slot) []PinPast {
	var out []PinPast
	var until time.Time
	for i, v := range s.Versions {
		if i == maxPast {
			return append(out, PinPast{Until: until, Err: fmt.Errorf("of %d versions of the entry only the newest %d were read", len(s.Versions), maxPast)})
		}
		p := PinPast{From: v.Modified, Until: until}
		until = v.Modified
		if !v.DeleteMarker {
			e, err := LoadEntry(ctx, b, s.Key, v.ID)
			switch {
			case err == nil:
				p.ID, p.Time = e.Commit, e.Time
				h, err := quickHeader(ctx, b, e.Commit)
				if p.Err = err; err == nil {
					p.Time = h.Time
				}
			case errUnread(err):
				p.Err = err
			}
		}
		out = append(out, p)
	}
	return out
}

// then is what the entry named at a time. An entry that was only written after it
// counts as its first version says: of a sound one too it is the commit's time that
// counts, not the entry's.
func (e PinEntry) then(at time.Time) PinPast {
	for _, p := range e.Past {
		from := p.From
		if p.ID != "" {
			from = from.Add(-pinMargin)
		}
		if !from.After(at) {
			return p
		}
	}
	return e.Past[len(e.Past)-1]
}

// A pinHistory finds the pin that readers got at a time in the past, by what each entry
// named then, and the entry that made it another one than today's.
type pinHistory struct {
	at      time.Time
	best    *PinCandidate
	depth   int
	bestWas *pinChange // best is what this entry named then
	changes []*pinChange
	unread  []string // what could not be read of it
}

// A pinChange is an entry that named something else then, or nothing.
type pinChange struct {
	entry PinEntry
	then  PinPast
}

// add takes the next entry, in the order that ChoosePin gets them.
func (h *pinHistory) add(e PinEntry) {
	if h.at.IsZero() || e.Slot.Gap > 0 {
		return
	}
	c := PinCandidate{Folder: e.Folder, Number: e.Slot.Number, ID: e.Slot.Entry.Commit, Time: e.Time, Err: e.Err}
	var was *pinChange
	if len(e.Past) > 0 {
		p := e.then(h.at)
		now := ""
		if e.Slot.Err == nil {
			now = e.Slot.Entry.Commit
		}
		if p.ID == "" && p.Err != nil {
			h.unread = append(h.unread, fmt.Sprintf("what entry %d of %s named at that time could not be read: %v", e.Slot.Number, folderName(e.Folder), p.Err))
		}
		if p.ID != now {
			was = &pinChange{e, p}
			h.changes = append(h.changes, was)
		}
		c.ID, c.Time, c.Err = p.ID, p.Time, p.Err
	} else if e.Slot.Err != nil {
		return
	}
	if c.ID == "" || c.Time.IsZero() || c.Time.After(h.at) {
		return
	}
	// In one log the higher number came first; at equal times the folder above counts.
	if h.best == nil || c.Time.After(h.best.Time) || c.Time.Equal(h.best.Time) && e.Depth > h.depth {
		h.best, h.depth, h.bestWas = &c, e.Depth, was
	}
}

// doubts say what readers got instead of the commit that is the pin now, and what could
// not be read of it; nil: they got the same.
func (h *pinHistory) doubts(chosen *PinCandidate) (other bool, doubts []string) {
	same := h.best == nil && chosen == nil || h.best != nil && chosen != nil && h.best.ID == chosen.ID
	if same || len(h.changes) == 0 {
		return false, h.unread
	}
	got := "no commit"
	if h.best != nil {
		got = fmt.Sprintf("commit %d of %s (%s)", h.best.Number, folderName(h.best.Folder), ShortID(h.best.ID))
	}
	got = "readers got " + got + " at that time"
	why := h.bestWas
	if why == nil && chosen != nil {
		i := slices.IndexFunc(h.changes, func(c *pinChange) bool {
			return c.entry.Folder == chosen.Folder && c.entry.Slot.Number == chosen.Number
		})
		if i >= 0 {
			why = h.changes[i]
		}
	}
	if why == nil {
		why = h.changes[0]
	}
	return true, append([]string{got + ": " + why.text()}, h.unread...)
}

// text says what an entry was then and is now.
func (c pinChange) text() string {
	was := "was deleted"
	if c.then.ID != "" {
		was = "named " + ShortID(c.then.ID)
	}
	span := "from " + inUTC(c.then.From)
	if !c.then.Until.IsZero() {
		span += " until " + inUTC(c.then.Until)
	}
	now := "cannot be read"
	switch s := c.entry.Slot; {
	case s.Err == nil:
		now = "names " + ShortID(s.Entry.Commit)
	case errors.Is(s.Err, ErrDeleted):
		now = "is deleted"
	}
	return fmt.Sprintf("entry %d of %s %s %s, and %s now", c.entry.Slot.Number, folderName(c.entry.Folder), was, span, now)
}

func inUTC(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
