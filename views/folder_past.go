package views

import (
	"context"
	"fmt"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// maxLog is how many entries of a log are listed for its picture over time.
const maxLog = 5000

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

// tellPast is the log over time, and what is missing of it.
func (s *folder) tellPast() (fact, bool) {
	p := &s.past
	f := fact{label: "log", rank: 5, bars: true}
	switch {
	case s.head.slot.Number == 0:
		return fact{}, false
	case !p.done:
		f.tone, f.text, f.bars = ui.Dim, "…", false
		return f, true
	case p.err != nil:
		f.tone, f.text = s.unchecked(p.err)
		f.bars = false
		return f, true
	}
	f.text = plural(p.entries, "commit")
	if p.more {
		f.text = "the newest " + count(p.entries) + " commits"
	}
	if p.missing+p.deleted > 0 {
		f.tone, f.rank = ui.Bad, 9
		var wrong []string
		if p.deleted > 0 {
			wrong = append(wrong, fmt.Sprintf("%s deleted", count(p.deleted)))
		}
		if p.missing > 0 {
			wrong = append(wrong, fmt.Sprintf("%s missing", count(p.missing)))
		}
		f.text = "✗ " + plural(p.entries, "entry") + ", " + strings.Join(wrong, ", ")
	}
	f.short = f.text
	first, last := p.span()
	switch {
	case first.IsZero():
	case day(first) == day(last):
		f.text += " on " + day(first)
	default:
		to := day(last)
		if first.UTC().Year() == last.UTC().Year() {
			to = to[len(to)-len("10-02"):]
		}
		f.text += ", " + day(first) + " to " + to
	}
	return f, true
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02") }

// span is the first and the last time of the log.
func (p *past) span() (first, last time.Time) {
	for _, x := range p.places {
		switch {
		case x.at.IsZero():
		case first.IsZero():
			first, last = x.at, x.at
		case x.at.Before(first):
			first = x.at
		case x.at.After(last):
			last = x.at
		}
	}
	return first, last
}

// bars counts the commits in n equal spans of time, and marks where the log has gaps.
func (p *past) bars(n int) (counts []int, broken []bool) {
	first, last := p.span()
	if first.IsZero() || n < 1 {
		return nil, nil
	}
	from, span := first.Unix(), last.Unix()-first.Unix()
	if span == 0 {
		n = 1
	}
	counts, broken = make([]int, n), make([]bool, n)
	for _, x := range p.places {
		if x.at.IsZero() {
			continue
		}
		i := 0
		if span > 0 {
			i = min(int(float64(x.at.Unix()-from)/float64(span)*float64(n)), n-1)
		}
		if x.gap {
			broken[i] = true
		} else {
			counts[i]++
		}
	}
	return counts, broken
}
