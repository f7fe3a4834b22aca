package views

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// state judges a row: its mark, its tone, and in words what is wrong; no words
// where it is sound as far as it was read.
func (r *logRow) state() (mark string, tone ui.Tone, says string) {
	d := r.detail.Load()
	if r.kind != inLog {
		return r.stateBeside(d)
	}
	switch {
	case r.slot.Gap == 1:
		return ui.MarkGap, ui.Bad, fmt.Sprintf("entry %d is missing: no version is left of it", r.slot.Number)
	case r.slot.Gap > 1:
		return ui.MarkGap, ui.Bad, fmt.Sprintf("%s are missing: %d to %d", plural(r.slot.Gap, "entry"), r.slot.Number-r.slot.Gap+1, r.slot.Number)
	case errors.Is(r.slot.Err, commit.ErrDeleted) && !r.hasBody():
		return ui.MarkDeleted, ui.Bad, "deleted: a delete marker, and no version is left under it; nothing tells what it named"
	case errors.Is(r.slot.Err, commit.ErrDeleted):
		return ui.MarkDeleted, ui.Bad, "deleted: the newest version of this log entry is a delete marker, or none is live"
	case errors.Is(r.slot.Err, commit.ErrEntry):
		return ui.MarkBroken, ui.Bad, "unreadable: this log entry is neither JSON with a commit nor a commit's ID"
	case r.slot.Err != nil:
		return ui.MarkUnsure, ui.Unsure, "could not be checked: " + r.slot.Err.Error()
	case d == nil:
		return ui.MarkSound, ui.Plain, ""
	case len(d.named) > 1 && d.deleted:
		return ui.MarkRemade, ui.Bad, fmt.Sprintf("re-made: its versions name %d different commits, with a deletion between them", len(d.named))
	case len(d.named) > 1:
		return ui.MarkRemade, ui.Bad, fmt.Sprintf("overwritten: its versions name %d different commits", len(d.named))
	case d.err != nil:
		return d.objectState()
	case d.unread > 0:
		return ui.MarkUnsure, ui.Unsure, plural(int64(d.unread), "earlier version") + " of this entry could not be checked"
	}
	return ui.MarkSound, ui.Plain, ""
}

// objectState says what is wrong with a commit object.
func (d *logDetail) objectState() (mark string, tone ui.Tone, says string) {
	switch {
	case errors.Is(d.err, bucket.ErrNotFound):
		return ui.MarkBroken, ui.Bad, "the commit object is gone"
	case errors.Is(d.err, commit.ErrCorrupt):
		return ui.MarkBroken, ui.Bad, "the commit object's bytes do not have the hash that is its ID"
	case errors.Is(d.err, commit.ErrFormat):
		return ui.MarkUnsure, ui.Unsure, "the commit object is of a kind that this program cannot read"
	}
	return ui.MarkUnsure, ui.Unsure, "the commit object could not be checked: " + d.err.Error()
}

// stateBeside judges a commit that stands beside the log.
func (r *logRow) stateBeside(d *logDetail) (mark string, tone ui.Tone, says string) {
	if d != nil && d.err != nil {
		mark, tone, says = d.objectState()
		return mark, tone, r.kind.word() + ", and " + says
	}
	switch r.kind {
	case cutOff:
		return ui.MarkLost, ui.Bad, "lost: very likely it was in the log, and no entry names it any more"
	case crashed:
		return ui.MarkUnsure, ui.Unsure, "no entry: no entry names it, though it follows the newest; its writer crashed, or its entry was removed"
	}
	return ui.MarkPast, ui.Warn, fmt.Sprintf("named before: an earlier version of entry %d named this commit", r.slot.Number)
}

func (r *logRow) hasBody() bool {
	return slices.ContainsFunc(r.slot.Versions, func(v bucket.Version) bool { return !v.DeleteMarker })
}

// joined says whether the chain holds from a row to the older one below it. It is
// not drawn where the parent could not be read.
func joined(newer, older *logRow) bool {
	if newer == nil || older == nil || newer.slot.Gap > 0 || older.slot.Gap > 0 ||
		newer.slot.Err != nil || older.slot.Err != nil || newer.slot.Number != older.slot.Number+1 {
		return false
	}
	d := newer.detail.Load()
	return d == nil || d.known && d.header.Parent == older.slot.Entry.Commit
}

// neighbours are the places of the log above and below a row's; nil under a filter,
// where they need not be shown.
func (s *logScreen) neighbours(r *logRow) (above, below *logRow) {
	if s.list.filtered() {
		return nil, nil
	}
	at := s.index(r)
	for i := at - 1; i >= 0 && above == nil; i-- {
		if x := s.list.items[i]; x.kind == inLog {
			above = x
		}
	}
	for i := at + 1; i < len(s.list.items) && below == nil; i++ {
		if x := s.list.items[i]; x.kind == inLog {
			below = x
		}
	}
	return above, below
}

// index of a row: the log is in descending order of numbers.
func (s *logScreen) index(r *logRow) int {
	i, _ := slices.BinarySearchFunc(s.list.items, r.slot.Number, func(x *logRow, n int64) int { return cmp.Compare(n, x.slot.Number) })
	for i < len(s.list.items)-1 && s.list.items[i] != r {
		i++
	}
	return i
}

// chain draws a row's place in the chain.
func (s *logScreen) chain(r, above, below *logRow, mark string) string {
	switch r.kind {
	case inLog:
		return ui.Chain(ui.Link{Up: joined(above, r), Down: joined(r, below), Mark: mark})
	case namedBefore: // above is the row of its entry
		on := joined(above, below)
		return ui.Chain(ui.Link{Up: on, Down: on, Mark: mark, Beside: true})
	}
	return ui.Chain(ui.Link{Mark: mark, Beside: true})
}

func (s *logScreen) draw(p **logRow, out *ui.Row) {
	r := *p
	out.Marked = s.marked(r)
	above, below := s.neighbours(r)
	mark, tone, says := r.state()
	markTone := tone
	if tone == ui.Plain {
		markTone = ui.Good
	}
	out.Add(markTone, s.chain(r, above, below, mark))
	if r.slot.Gap > 0 {
		out.Add(tone, "  "+says)
		out.Wide = true
		return
	}
	d := r.detail.Load()
	if d == nil {
		d = &logDetail{}
	}
	when := d.header.Time
	if when.IsZero() {
		when = r.slot.Entry.Time
	}
	out.Add(ui.Plain, fmt.Sprintf("#%d", r.slot.Number))
	out.Add(ui.Accent, commit.ShortID(r.commit()))
	if when.IsZero() {
		out.Add(ui.Dim, "")
	} else {
		out.Add(ui.Dim, age(s.Now(), when))
	}
	out.Add(ui.Plain, d.header.Author)
	text := says
	if d.known {
		text = firstLine(d.header.Message)
		if says != "" {
			text = strings.SplitN(says, ":", 2)[0] + " · " + text
		} else if r.kind == inLog && below != nil && !joined(r, below) && below.slot.Gap == 0 && below.slot.Err == nil {
			tone, text = ui.Bad, fmt.Sprintf("its parent is not #%d · %s", below.slot.Number, text)
		}
	}
	out.Add(tone, text)
	if d.err != nil && !d.known || r.slot.Err != nil && r.commit() == "" {
		out.Wide = true // why takes the place of what cannot be had
		return
	}
	r.drawChanges(d, out)
	out.Add(ui.Dim, stamp(when))
}

// drawChanges fills in the cells of what a commit changed and holds.
func (r *logRow) drawChanges(d *logDetail, out *ui.Row) {
	c := r.changes
	files, bytes, grew := "", "", ""
	switch {
	case d.whole:
		files, bytes = count(d.files), size(d.bytes)
	case c != nil && c.err == nil && !c.held:
		files, bytes = count(c.files), size(c.bytes)
	case d.err != nil || c != nil && c.err != nil:
		files, bytes = "?", "?"
	case c != nil:
		files, bytes = "large", "large"
	case d.known || r.asked > askedNothing:
		files, bytes = "…", "…"
	}
	plain := func(text string) { out.Add(ui.Dim, text) }
	switch {
	case c == nil && d.err == nil && bytes != "":
		plain("…")
		plain("…")
		plain("…")
	case c == nil || c.err != nil:
		what := ""
		if d.err != nil || c != nil {
			what = "?"
		}
		plain(what)
		plain(what)
		plain(what)
	case c.held:
		plain("")
		plain("")
		plain("")
	default:
		for _, x := range []struct {
			tone ui.Tone
			sign string
			n    int64
		}{{ui.Good, "+", c.added}, {ui.Warn, "~", c.changed}, {ui.Bad, "-", c.removed}} {
			if x.n == 0 {
				plain("")
			} else {
				out.Add(x.tone, x.sign+few(x.n))
			}
		}
		if grew = signed(c.grew); c.grew == 0 {
			grew = "="
		}
	}
	out.Add(ui.Plain, bytes)
	plain(grew)
	plain(files)
}

func (s *logScreen) view(w, h int, th *ui.Theme) []string {
	if s.err != nil && len(s.list.items) == 0 {
		return indent(s.failure("Reading the log of "+s.name(), s.err, w-4, th), w, h)
	}
	if s.done && len(s.list.items) == 0 {
		text := "No commit of " + s.name() + " yet."
		if !s.readOnly() {
			text += s.keys(" Press {commit} to commit the folder as it is now.")
		}
		return indent(th.Paragraph(ui.Plain, text, w-4), w, h)
	}
	if w >= 120 {
		dw := min(max(w*2/5, 39), 72)
		if w < 150 {
			dw = 39 // the table keeps the columns of a narrow screen
		}
		table := s.table(w-dw-1, h, th)
		detail := append([]string{ui.Rule("selected", dw, false, th)}, s.detailLines(dw-2, h-1, th)...)
		for i := 1; i < len(detail); i++ {
			detail[i] = " " + detail[i]
		}
		return ui.Beside(ui.Block(table, w-dw-1, h), ui.Divider(h, th), ui.Block(detail, dw, h))
	}
	dh := min(6, h/3)
	if h > 30 {
		dh = 12
	}
	table := s.table(w, h-dh-1, th)
	out := append(table, ui.Rule("selected", w, false, th))
	for _, l := range s.detailLines(w-2, dh, th) {
		out = append(out, " "+l)
	}
	return out
}

func (s *logScreen) table(w, h int, th *ui.Theme) []string {
	if s.err == nil {
		return s.list.view(w, h, true, th)
	}
	msg := s.failure("Reading the rest of the log", s.err, w-2, th)
	msg = indent(msg, w, min(len(msg)+1, h/2))
	return append(s.list.view(w, h-len(msg), true, th), msg...)
}
