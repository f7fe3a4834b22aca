package commit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sort"
	"strings"
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

// A Pin is the answer to which commit a reader of a folder gets now, with a time too: what
// the log names today counts. What it named then is looked at only for doubts.
type Pin struct {
	Folder string
	At     time.Time     // the inclusive bound; zero: none
	Chosen *PinCandidate // nil: there is no commit
	// Candidates are the newest eligible commit of the folder's own log and of
	// each log above; the chosen one first, those of unknown time last.
	Candidates []PinCandidate
	// Doubts say, for a person, what could not be read and might change the answer, and
	// before that, where Other, what readers got at the time.
	Doubts []string
	// Other says that by the log's history readers at the time got another answer: entries
	// were made again, deleted or restored since.
	Other bool
}

// FindPin finds the pin of a folder: the newest commit by time of the folder and
// of all folders above it, with a bound the newest at or before it. At equal
// times the folder above counts as newer, in one log the higher number. The times are
// those that the commit objects say; where one cannot be read, that of its entry. So
// each entry and the start of each commit object of these logs is read, at most
// concurrency (0: 16) at a time.
//
// An error means that a log could not be listed, so that there is no answer. A
// chosen commit whose object is gone or unreadable has its Err set.
func FindPin(ctx context.Context, b bucket.Bucket, folder string, at time.Time, concurrency int) (Pin, error) {
	return ChoosePin(folder, at, func(yield func(PinEntry, error) bool) {
		for depth, f := range append([]string{folder}, Ancestors(folder)...) {
			for e, err := range PinLog(ctx, b, f, depth, concurrency) {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	})
}

// A PinEntry is one place of a log that a pin looks at.
type PinEntry struct {
	Folder string
	Depth  int // 0: the folder's own log, 1: that of the folder above it, …
	Slot   Slot
	// Time is the one that counts; zero: unknown. Of an entry that was deleted it is that
	// of the newest version that can be read.
	Time time.Time
	// Header is that of the commit; Err says why it could not be read. Both are empty
	// where the slot names none.
	Header Header
	Err    error
	// Past is what its versions named, newest first; empty of an entry that has only one,
	// which is live.
	Past []PinPast
}

// PinLog streams what a pin looks at in one log, newest first, as Log does; depth goes
// into the entries. An error ends the stream.
func PinLog(ctx context.Context, b bucket.Bucket, folder string, depth, concurrency int) iter.Seq2[PinEntry, error] {
	list := func(ctx context.Context) iter.Seq2[Slot, error] {
		return Log(ctx, b, FolderHash(folder), concurrency)
	}
	read := func(ctx context.Context, s Slot) PinEntry {
		e := PinEntry{Folder: folder, Depth: depth, Slot: s, Time: s.Entry.Time}
		if s.Gap > 0 {
			return e
		}
		if s.Err == nil {
			if e.Header, e.Err = quickHeader(ctx, b, s.Entry.Commit); e.Err == nil {
				e.Time = e.Header.Time
			}
			if len(s.Versions) == 1 {
				return e
			}
		}
		e.Past = pastOf(ctx, b, s)
		if errors.Is(s.Err, ErrDeleted) {
			e.Time = hiddenTime(e.Past)
		}
		return e
	}
	return inOrder(ctx, parallel(concurrency), list, read)
}

// hiddenTime is the time of the commit that a deleted entry named; zero: nothing tells.
func hiddenTime(past []PinPast) time.Time {
	for _, p := range past {
		if p.ID != "" {
			return p.Time
		}
	}
	return time.Time{}
}

// ChoosePin is FindPin on entries that were read: those of each log together, the
// folder's own first and then those above it, in the order that PinLog gives them.
// The first error of theirs is the answer's.
func ChoosePin(folder string, at time.Time, entries iter.Seq2[PinEntry, error]) (Pin, error) {
	p := Pin{Folder: folder, At: at}
	depth := map[string]int{}
	history := pinHistory{at: at}
	var log *pinLog
	take := func() {
		if log == nil {
			return
		}
		c, doubts := log.newest()
		p.Doubts = append(p.Doubts, doubts...)
		if c != nil {
			p.Candidates = append(p.Candidates, *c)
		}
	}
	for e, err := range entries {
		if err != nil {
			return p, err
		}
		if log == nil || log.folder != e.Folder {
			take()
			log = &pinLog{folder: e.Folder, at: at}
			depth[e.Folder] = e.Depth
		}
		log.add(e)
		history.add(e)
	}
	take()
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
	other, doubts := history.doubts(p.Chosen)
	p.Other, p.Doubts = other, append(doubts, p.Doubts...)
	return p, nil
}

// A pinLog finds the newest eligible commit of one log. It looks at all of its entries:
// a foreign writer's times need not rise with the numbers.
type pinLog struct {
	folder string
	at     time.Time // zero: no bound
	best   *PinCandidate
	// timeless is the newest commit of unknown time above the first eligible one.
	timeless *PinCandidate
	// pending are doubts that count if an eligible commit lies below them in the log.
	doubts, pending []string
	// unread are commits whose objects could not be read: their entries' times may be wrong.
	unread    int
	unreadErr error
}

// add takes the next entry of the log.
func (l *pinLog) add(e PinEntry) {
	s := e.Slot
	bounded := !l.at.IsZero()
	if s.Gap > 0 || s.Err != nil {
		// It matters only if it may be newer than what is chosen: the log's order puts it
		// before all that was met already. A deleted one that is known to name a commit
		// after the bound changes nothing, hidden or not.
		if l.best == nil && !(bounded && e.Time.After(l.at)) {
			l.doubt(s)
		}
		return
	}
	c := PinCandidate{Folder: l.folder, Number: s.Number, ID: s.Entry.Commit, Time: e.Time, Err: e.Err}
	if errUnread(e.Err) && !c.Time.IsZero() {
		if l.unread++; l.unreadErr == nil {
			l.unreadErr = e.Err
		}
	}
	switch {
	case c.Time.IsZero():
		if l.timeless == nil && l.best == nil {
			l.timeless = &c
		}
	case bounded && c.Time.After(l.at):
		if l.best == nil {
			// Whatever lies above it in the log is later still.
			l.pending, l.timeless = nil, nil
		}
	default:
		if l.best == nil {
			l.doubts, l.pending = l.pending, nil
		}
		if l.best == nil || c.Time.After(l.best.Time) {
			l.best = &c
		}
	}
}

func commits(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprintf("%d commits", n)
}

func (l *pinLog) doubt(s Slot) {
	switch {
	case s.Gap > 1:
		l.pending = append(l.pending, fmt.Sprintf("the entries %d to %d of %s are missing", s.Number-s.Gap+1, s.Number, folderName(l.folder)))
	case s.Gap == 1:
		l.pending = append(l.pending, fmt.Sprintf("entry %d of %s is missing", s.Number, folderName(l.folder)))
	default:
		l.pending = append(l.pending, fmt.Sprintf("entry %d of %s: %v", s.Number, folderName(l.folder), s.Err))
	}
}

// newest gives the log's candidate, nil if there is none, and the doubts.
func (l *pinLog) newest() (*PinCandidate, []string) {
	unread := l.unread
	if l.best != nil && errUnread(l.best.Err) {
		unread-- // it says so itself
	}
	var doubts []string
	if unread > 0 {
		doubts = append(doubts, fmt.Sprintf("%s of %s could not be read, so that the times are those of the entries: %v", commits(unread), folderName(l.folder), l.unreadErr))
	}
	if l.best == nil {
		return l.timeless, append(l.pending, doubts...)
	}
	if l.timeless != nil {
		l.doubts = append(l.doubts, fmt.Sprintf("the time of commit %d of %s is unknown: %v", l.timeless.Number, folderName(l.folder), l.timeless.Err))
	}
	return l.best, append(l.doubts, doubts...)
}

// timeLayouts are the forms in which people give the time of a pin. Each has a zone
// but the date: a guessed one would give another commit.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", time.DateOnly}

// ParseTime reads a time that a person wrote, in UTC; a date is its first moment there.
func ParseTime(s string) (time.Time, bool) {
	if rest, ok := strings.CutSuffix(s, " UTC"); ok { // as this program writes them
		s = rest + "Z"
	}
	for _, l := range timeLayouts {
		if t, err := time.Parse(l, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
