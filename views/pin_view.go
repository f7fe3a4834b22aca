package views

import (
	"fmt"
	"slices"
	"time"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// answer is the pin in words, and why it is that.
func (s *pinScreen) answer() (tone ui.Tone, text, why string) {
	bound := ""
	if !s.at.IsZero() {
		bound = " at or before that time"
	}
	c := s.pin.Chosen
	switch {
	case s.err != nil:
		return ui.Unsure, "? could not be decided: " + briefly(s.err), ""
	case !s.found:
		return ui.Dim, "…", ""
	case c == nil && s.pin.Other:
		return ui.Unsure, "? none by the logs as they are now; readers got a commit at that time", ""
	case c == nil && len(s.pin.Doubts) > 0:
		return ui.Unsure, "? could not be decided: no commit" + bound + " could be read", ""
	case c == nil:
		if bound == "" {
			bound = " there"
		}
		return ui.Plain, "none: no commit of " + s.whose() + " is" + bound, ""
	}
	text = fmt.Sprintf("commit #%d  %s  of %s", c.Number, commit.ShortID(c.ID), folderName(c.Folder))
	switch {
	case len(s.pin.Candidates) > 1 && s.pin.Candidates[1].Time.Equal(c.Time) && !c.Time.IsZero():
		x := s.pin.Candidates[1]
		why = fmt.Sprintf("it has the same time as #%d of %s: the folder above counts as newer", x.Number, folderName(x.Folder))
	case len(s.pin.Candidates) > 1:
		why = fmt.Sprintf("it is the newest%s of the %d logs that have one", bound, len(s.pin.Candidates))
	default:
		why = "it is the newest" + bound + " of the only log that has one"
	}
	switch {
	case c.Err != nil && unreadable(c.Err):
		return ui.Bad, "✗ " + text + ", but its object cannot be read: " + briefly(c.Err), why
	case c.Err != nil:
		return ui.Unsure, "? " + text + ", but its object could not be checked: " + briefly(c.Err), why
	case s.remade():
		return ui.Unsure, "? " + text + ", but its log entry was written more than once: readers may have got another commit before; the log tells", why
	case s.pin.Other:
		return ui.Unsure, "? " + text + " by the logs as they are now; readers got another one at that time", why
	case len(s.pin.Doubts) > 0:
		return ui.Unsure, "? " + text + ", unless what could not be read is newer", why
	}
	return ui.Good, "● " + text, why
}

// remade says that the entry that names the pin has more than one version with a
// body: the rules look at the live one alone, readers before it was written did not.
func (s *pinScreen) remade() bool {
	i := s.chosen()
	if i < 0 {
		return false
	}
	bodies := 0
	for _, v := range s.rows.items[i].Slot.Versions {
		if !v.DeleteMarker {
			bodies++
		}
	}
	return bodies > 1
}

func (s *pinScreen) head(w, h int, th *ui.Theme) []string {
	var out []string
	say := func(label string, tone ui.Tone, text string) {
		for i, l := range ui.WrapShown(text, w-10) {
			if i > 0 {
				label = ""
			}
			out = append(out, " "+th.Paint(ui.Dim, ui.Fit(label, 8, ui.Left))+th.Paint(tone, l))
		}
	}
	when := "now, " + exact(s.Now())
	if !s.at.IsZero() {
		when = fmt.Sprintf("%s (%s)", exact(s.at), since(s.Now(), s.at))
	}
	say("time", ui.Plain, when)
	tone, text, why := s.answer()
	say("reads", tone, text)
	if c := s.pin.Chosen; s.found && c != nil && s.err == nil {
		say("why", ui.Plain, why)
		if !c.Time.IsZero() {
			say("made", ui.Plain, fmt.Sprintf("%s (%s)", exact(c.Time), since(s.Now(), c.Time)))
		}
	}
	if s.found && s.err == nil {
		for i, d := range s.pin.Doubts {
			if i == 2 && len(s.pin.Doubts) > 3 && h < 40 {
				say("", ui.Unsure, fmt.Sprintf("? and %d more; an audit tells of each", len(s.pin.Doubts)-i))
				break
			}
			say("doubt", ui.Unsure, "? "+d)
		}
	}
	say("same as", ui.Dim, s.command())
	return out
}

// whose are the logs that a pin looks at, in words.
func (s *pinScreen) whose() string {
	if s.folder == "" {
		return folderName(s.folder)
	}
	return s.folder + " or of a folder above it"
}

// since is an age in words.
func since(now, t time.Time) string {
	if t.After(now) {
		return age(now, t)
	}
	return age(now, t) + " ago"
}

// strip draws the commits on a line of time, and under it the time that is asked for.
func (s *pinScreen) strip(w int, th *ui.Theme) []string {
	var rows []*pinRow
	for _, r := range s.rows.items {
		if !r.bad() && !r.time.IsZero() {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 || w < 40 {
		return nil
	}
	at := s.at
	if at.IsZero() {
		at = s.Now()
	}
	first, last := rows[len(rows)-1].time, rows[0].time
	if at.Before(first) {
		first = at
	}
	if at.After(last) {
		last = at
	}
	room := w - 2
	place := func(t time.Time) int {
		// In seconds: a Duration ends after 292 years, times from a bucket need not.
		span := float64(last.Unix() - first.Unix())
		if span <= 0 {
			return 0
		}
		return max(min(int(float64(t.Unix()-first.Unix())/span*float64(room-1)), room-1), 0)
	}
	line := slices.Repeat([]string{"─"}, room)
	for _, r := range rows {
		line[place(r.time)] = ui.MarkSound
	}
	drawn := ""
	for _, c := range line {
		drawn += c
	}
	label := "asked for"
	if s.at.IsZero() {
		label = "now"
	}
	x := place(at)
	under := ui.Spaces(x) + "↑ " + label
	if x+2+len(label) > room {
		under = ui.Spaces(x-len(label)-1) + label + " ↑"
	}
	dates := ui.Fit(stamp(first), room/2, ui.Left) + ui.Fit(stamp(last), room-room/2, ui.Right)
	return []string{" " + th.Paint(ui.Good, drawn), " " + th.Paint(ui.Accent, under), " " + th.Paint(ui.Dim, dates)}
}

func (s *pinScreen) draw(p **pinRow, out *ui.Row) {
	r := *p
	if r.bad() {
		what := fmt.Sprintf("entry %d: %v", r.Slot.Number, r.Slot.Err)
		if r.Slot.Gap > 0 {
			what = fmt.Sprintf("entries %d to %d are missing", r.Slot.Number-r.Slot.Gap+1, r.Slot.Number)
			if r.Slot.Gap == 1 {
				what = fmt.Sprintf("entry %d is missing", r.Slot.Number)
			}
		}
		out.Add(ui.Unsure, "? gap")
		out.Add(ui.Unsure, "time unknown; of "+folderName(r.Folder)+": "+what)
		out.Wide = true
		return
	}
	i := s.chosen()
	switch {
	case i >= 0 && s.rows.items[i] == r:
		out.Add(ui.Good, "● pin")
	case r.never:
		out.Add(ui.Warn, "~ never")
	case !s.at.IsZero() && r.time.After(s.at):
		out.Add(ui.Dim, "later")
	default:
		out.Add(ui.Dim, "")
	}
	out.Add(ui.Plain, stamp(r.time))
	switch {
	case r.never:
		out.Add(ui.Dim, "same time as next")
	case r.until.IsZero():
		out.Add(ui.Dim, "now")
	default:
		out.Add(ui.Dim, stamp(r.until))
	}
	out.Add(ui.Plain, fmt.Sprintf("#%d", r.Slot.Number))
	out.Add(ui.Accent, commit.ShortID(r.Slot.Entry.Commit))
	out.Add(ui.Dim, folderName(r.Folder))
	out.Add(ui.Plain, r.Header.Author)
	switch {
	case r.Err != nil && unreadable(r.Err):
		out.Add(ui.Bad, "✗ "+briefly(r.Err))
	case r.Err != nil:
		out.Add(ui.Unsure, "? could not be checked: "+briefly(r.Err))
	case !r.Slot.Entry.Time.IsZero() && !r.Header.Time.Equal(r.Slot.Entry.Time):
		out.Add(ui.Warn, "! its entry says another time, "+stamp(r.Slot.Entry.Time)+"; the commit's counts")
	default:
		out.Add(ui.Plain, firstLine(r.Header.Message))
	}
}

func (s *pinScreen) view(w, h int, th *ui.Theme) []string {
	s.answerNow()
	out := s.head(w, h, th)
	if strip := s.strip(w, th); strip != nil && len(out)+len(strip)+6 <= h {
		out = append(append(out, ""), strip...)
	}
	out = append(out, ui.Rule("which commit readers got, and when", w, true, th))
	switch {
	case s.listErr != nil && len(s.rows.items) == 0:
		return append(out, indent(s.failure("Reading the logs", s.listErr, w-4, th), w, h-len(out))...)
	case s.listed && len(s.rows.items) == 0:
		return append(out, indent(th.Paragraph(ui.Plain, "No commit of "+s.whose()+" yet.", w-4), w, h-len(out))...)
	case s.listErr != nil:
		msg := s.failure("Reading the rest of the logs", s.listErr, w-4, th)
		msg = indent(msg, w, min(len(msg)+1, h/3))
		return append(append(out, s.rows.view(w, h-len(out)-len(msg), true, th)...), msg...)
	}
	return append(out, s.rows.view(w, h-len(out), true, th)...)
}
