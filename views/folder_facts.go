package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// fact is one line of what is told of the selected folder.
type fact struct {
	label string // in a column of its own; empty: the text has the whole line
	tone  ui.Tone
	text  string
	short string // where text does not fit; may be empty
	// rank tells what goes first where there is little room: the highest.
	rank int
	// bars are drawn before the text.
	bars bool
}

// factLabel is the width of the labels.
const factLabel = 10

// facts tells what the selected folder is, the most important first.
func (s *folder) tell() []fact {
	tone, text := s.head.say(s)
	if s.at != nil {
		text = "the folder's newest: " + text
	}
	out := []fact{{tone: tone, text: text}}
	if _, why := canCommit(s.prefix()); why != "" || !s.head.done || s.at != nil {
		return out
	}
	if f, ok := s.tellAudit(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellSince(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellSize(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellPast(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellPin(); ok {
		out = append(out, f)
	}
	return out
}

// tellAudit is the last audit of this session that covers the folder.
func (s *folder) tellAudit() (fact, bool) {
	name, _ := canCommit(s.prefix())
	in, kept := s.facts().auditOf(name)
	if kept == nil {
		return fact{}, false
	}
	when := "at " + kept.at.UTC().Format("15:04")
	if s.Now().Sub(kept.at) > 20*time.Hour {
		when = "on " + stamp(kept.at)
	}
	f := fact{label: "audit", rank: 3}
	var mark, text string
	switch v := kept.report.Verdict; {
	case in != name:
		mark, text, f.tone = s.damageHere(name, kept.report)
	case v == audit.Fail:
		mark, text, f.tone = "✗", fmt.Sprintf("FAIL: %d damage", kept.report.Counts[audit.Damage]), ui.Bad
	case v == audit.Incomplete:
		mark, text, f.tone = "?", "INCOMPLETE", ui.Unsure
	default:
		mark, text, f.tone = "●", "PASS", ui.Good
	}
	if f.tone != ui.Good {
		f.rank = 9
	}
	f.text = mark + " " + text + ", " + when + s.keys("; {audit} opens it")
	if in != name {
		f.short, f.text = f.text, mark+" "+text+", "+when+", of "+folderName(in)+s.keys("; {audit} opens it")
	}
	return f, true
}

// damageHere is what the audit of a folder above says of this one.
func (s *folder) damageHere(name string, r *audit.Report) (mark, text string, tone ui.Tone) {
	here, above := 0, false
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Severity != audit.Damage:
		case f.Folder != nil && inside(name, *f.Folder):
			here++
		case f.Folder == nil, inside(*f.Folder, name): // it may concern what lies here
			above = true
		}
	}
	switch {
	case here > 0:
		return "✗", fmt.Sprintf("%d damage here", here), ui.Bad
	case above:
		return "!", "no damage here, but above", ui.Warn
	case !r.Complete:
		return "?", "INCOMPLETE", ui.Unsure
	}
	return "●", "no damage here", ui.Good
}

// tellSince is what changed since the newest commit.
func (s *folder) tellSince() (fact, bool) {
	name, _ := canCommit(s.prefix())
	id, in, number := s.head.base(name)
	d := s.scan
	if id == "" || d == nil {
		return fact{}, false
	}
	f := fact{label: fmt.Sprintf("since #%d", number), rank: 8}
	switch {
	case errors.Is(d.baseErr, errTooFar):
		f.tone, f.text = ui.Dim, fmt.Sprintf(s.keys("not compared: #%d of %s names much before this folder; {total} does it"), number, folderName(in))
		f.short = s.keys("not compared: a long commit; {total} does it")
		return f, true
	case d.baseErr != nil && in == name && s.head.err != nil:
		return f, false // the first line tells it
	case errors.Is(d.baseErr, bucket.ErrNotFound):
		f.tone, f.text = ui.Bad, fmt.Sprintf("✗ cannot be told: the object of commit #%d is gone", number)
		return f, true
	case d.baseErr != nil:
		f.tone, f.text = ui.Unsure, fmt.Sprintf("? cannot be told: commit #%d: %v", number, d.baseErr)
		return f, true
	case d.err != nil && d.versions == 0:
		f.tone, f.text = s.unchecked(d.err)
		return f, true
	case d.versions == 0 && !d.whole:
		f.tone, f.text = ui.Dim, "…"
		return f, true
	}
	n := d.added + d.changed + d.removed
	if n == 0 && d.whole {
		f.tone, f.text = ui.Dim, "nothing changed"
	} else {
		f.text = fmt.Sprintf("+ %s new  ~ %s changed  - %s deleted", count(d.added), count(d.changed), count(d.removed))
	}
	f.short = f.text
	if !d.whole {
		f.short = "at least " + count(n)
		f.text = "at least " + f.text
		if n == 0 {
			f.short, f.text = "nothing", "nothing"
		}
		long, short := s.soFar()
		f.text += long
		f.short += short
	}
	if in != name {
		f.text += ", since #" + count(number) + " of " + folderName(in)
	}
	return f, true
}

// soFar says how far a count went that is not complete.
func (s *folder) soFar() (long, short string) {
	switch {
	case s.scanning:
		return " …", " …"
	case s.scan.err != nil && !errors.Is(s.scan.err, context.Canceled):
		return "; then it failed: " + briefly(s.scan.err), s.keys("; then it failed, {total} tries on")
	}
	n := count(s.scan.versions)
	return "; " + n + s.keys(" versions looked at, {total} counts on"), s.keys("; {total} counts on")
}

// unchecked says why something is not known.
func (s *folder) unchecked(err error) (ui.Tone, string) {
	if errors.Is(err, context.Canceled) {
		return ui.Dim, s.keys("cancelled; {reload} loads it")
	}
	return ui.Unsure, "? could not be checked: " + briefly(err)
}

// tellSize is how much the folder holds, with all below it.
func (s *folder) tellSize() (fact, bool) {
	d := s.scan
	if d == nil {
		return fact{}, false
	}
	f := fact{label: "holds", rank: 6}
	if d.versions == 0 && !d.whole {
		if d.err != nil {
			f.tone, f.text = s.unchecked(d.err)
			return f, true
		}
		f.tone, f.text = ui.Dim, "…"
		return f, true
	}
	f.text = fmt.Sprintf("%s, %s live", plural(d.files, "file"), size(d.bytes))
	if d.deleted > 0 {
		f.text += ", " + plural(d.deleted, "deleted key")
	}
	if !d.whole {
		f.text = "at least " + f.text
		f.short = fmt.Sprintf("at least %s, %s", plural(d.files, "file"), size(d.bytes))
		if !d.compared || s.scanning {
			long, _ := s.soFar()
			f.text += long
			f.short += s.keys("; {total} counts on")
		}
	}
	return f, true
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

// summary draws the facts in at most h lines; what matters least goes first.
func (s *folder) summary(w, h int, th *ui.Theme) []string {
	facts := s.tell()
	if len(facts) == 0 || h < 1 {
		return nil
	}
	first := ui.Wrap(facts[0].text, w-2)
	first = first[:min(len(first), 2)]
	facts[0].rank = 10
	for len(facts)-1+len(first) > h && len(facts) > 1 {
		if len(facts) == 2 && len(first) > 1 {
			first = first[:1]
			continue
		}
		low := 1
		for i := range facts[1:] {
			if facts[i+1].rank < facts[low].rank {
				low = i + 1
			}
		}
		if facts[low].rank >= 8 && len(first) > 1 {
			first = first[:1]
			continue
		}
		facts = slices.Delete(facts, low, low+1)
	}
	var out []string
	for _, l := range first[:min(len(first), h)] {
		out = append(out, " "+th.Paint(facts[0].tone, l))
	}
	for _, f := range facts[1:] {
		out = append(out, " "+s.factLine(f, w-2, th))
	}
	return out
}

// factLine is one fact on one line.
func (s *folder) factLine(f fact, w int, th *ui.Theme) string {
	if ui.Width(f.label) > factLabel { // a commit of a high number
		f.label = strings.TrimPrefix(f.label, "since ")
	}
	label := th.Paint(ui.Dim, ui.Fit(f.label, factLabel, ui.Left)) + " "
	room := w - factLabel - 1
	if f.short != "" && ui.Width(f.text) > room {
		f.text = f.short
	}
	if f.bars {
		if n := min(room-ui.Width(f.text)-2, 24); n >= 4 {
			counts, broken := s.past.bars(n)
			if counts != nil {
				return label + th.Paint(ui.Accent, ui.Sparkline(counts, broken, 1)[0]) + "  " + th.Say(f.tone, f.text)
			}
		}
	}
	return label + th.Paint(f.tone, strings.TrimRight(ui.Fit(f.text, room, ui.Left), " "))
}
