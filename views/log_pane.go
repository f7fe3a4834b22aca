package views

import (
	"fmt"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// A pane collects the lines of a detail.
type pane struct {
	w    int
	tall bool // there is room for whole IDs
	th   *ui.Theme
	out  []string
}

// paneLabel is the width of the labels.
const paneLabel = 8

// say adds a labelled text.
func (p *pane) say(label string, tone ui.Tone, text string) {
	lines := []string{ui.Fit(text, p.w-paneLabel, ui.Left)}
	if p.tall {
		lines = ui.Wrap(text, p.w-paneLabel)
	}
	for i, l := range lines {
		if i > 0 {
			label = ""
		}
		p.out = append(p.out, p.th.Paint(ui.Dim, ui.Fit(label, paneLabel, ui.Left))+p.th.Paint(tone, ui.Pad(l, p.w-paneLabel)))
	}
}

// title begins a part, with a line left free before it.
func (p *pane) title(text string) {
	p.out = append(p.out, "", p.th.Paint(ui.Accent, ui.Fit(text, p.w, ui.Left)))
}

// detailLines tell all about the selected row in at most h lines, the state first.
func (s *logScreen) detailLines(w, h int, th *ui.Theme) []string {
	r := s.current()
	if r == nil {
		return nil
	}
	p := &pane{w: w, tall: h > 12, th: th}
	above, below := s.neighbours(r)
	_, tone, says := r.state()
	if says != "" {
		p.out = append(p.out, th.Paragraph(tone, fmt.Sprintf("#%d: %s", r.slot.Number, says), w)...)
	}
	if r.kind == cutOff {
		p.out = append(p.out, th.Paragraph(ui.Plain, s.keys("Don't commit to the folder before it is back: an audit ({audit}) gives the command that writes its entry again."), w)...)
	}
	if r.slot.Gap > 0 {
		p.out = append(p.out, th.Paragraph(ui.Dim, s.keys("An audit ({audit}) says what can be rebuilt."), w)...)
		return p.out[:min(len(p.out), h)]
	}
	d := r.detail.Load()
	p.say("commit", ui.Plain, r.commit())
	switch {
	case d == nil:
		p.out = append(p.out, th.Paint(ui.Dim, "reading …"))
	case d.known:
		s.sayCommit(p, r, d, above)
		if !p.tall {
			break
		}
		if text := strings.TrimSpace(d.header.Message); text != "" {
			p.title("message")
			p.out = append(p.out, ui.Wrap(text, w)...)
		}
	}
	if d != nil {
		s.sayEntry(p, r, d)
		s.sayChanges(p, r, below, h)
	}
	return p.out[:min(len(p.out), max(h, 0))]
}

// sayCommit tells what a commit's object says, and when readers got it.
func (s *logScreen) sayCommit(p *pane, r *logRow, d *logDetail, above *logRow) {
	p.say("by", ui.Plain, fmt.Sprintf("%s, %s (%s)", orNobody(d.header.Author), exact(d.header.Time), age(s.Now(), d.header.Time)))
	tone, text := s.sayCounts(r)
	if p.tall {
		p.say("holds", ui.Plain, r.sayHeld(d))
		p.say("changed", tone, text)
	} else {
		if h := r.sayHeld(d); text != "" && h != "" {
			text = h + "  " + text
		} else {
			text = h + text
		}
		p.say("holds", tone, text)
		if text := strings.TrimSpace(d.header.Message); text != "" {
			p.out = append(p.out, ui.Wrap(text, p.w)[0])
		}
	}
	parent := d.header.Parent
	if parent == "" {
		parent = "none: the first commit of its log"
	}
	p.say("parent", ui.Plain, parent)
	if tone, text := s.span(r, d, above); text != "" {
		p.say("read", tone, text)
	}
}

// sayHeld puts into words what a commit holds.
func (r *logRow) sayHeld(d *logDetail) string {
	c := r.changes
	switch {
	case d.whole:
		return fmt.Sprintf("%s, %s; the hash is right", plural(d.files, "file"), size(d.bytes))
	case c != nil && c.err == nil && !c.held:
		return fmt.Sprintf("%s, %s; the hash is right", plural(c.files, "file"), size(c.bytes))
	case d.object > 0:
		return "not counted: its object has " + size(d.object)
	}
	return ""
}

// sayCounts puts into words what a commit changed.
func (s *logScreen) sayCounts(r *logRow) (ui.Tone, string) {
	c := r.changes
	switch {
	case c == nil && r.counting:
		return ui.Dim, "…"
	case c == nil:
		return ui.Dim, ""
	case c.held:
		return ui.Dim, s.keys("not compared: the commit objects are large; {goon} compares them")
	case c.err != nil:
		return ui.Unsure, "? could not be compared with the parent: " + briefly(c.err)
	case c.added+c.changed+c.removed == 0:
		return ui.Plain, "nothing: the same versions as its parent"
	}
	text := fmt.Sprintf("+%s ~%s -%s", count(c.added), count(c.changed), count(c.removed))
	switch {
	case c.grew == 0:
		return ui.Plain, text + ", as many bytes as before"
	case c.grew < 0:
		return ui.Plain, text + ", " + size(-c.grew) + " less"
	}
	return ui.Plain, text + ", " + size(c.grew) + " more"
}

// span says from when until when readers got a commit, as far as this log tells: a
// newer commit of a folder above may have taken its place before.
func (s *logScreen) span(r *logRow, d *logDetail, above *logRow) (ui.Tone, string) {
	if r.kind != inLog || r.slot.Err != nil || s.list.filtered() {
		return ui.Plain, ""
	}
	from, more := "from "+exact(d.header.Time), ""
	if len(commit.Ancestors(s.folder)) > 0 {
		more = s.keys("; {pin} asks the folders above too")
	}
	if above == nil && s.lost.found > 0 {
		return ui.Unsure, from + " until ? lost commits follow it" + more
	}
	if above == nil {
		return ui.Plain, from + " until now" + more
	}
	u := above.detail.Load()
	var until time.Time
	switch {
	case above.slot.Gap > 0 || above.slot.Err != nil:
		return ui.Unsure, from + " until ? the next entry is damaged" + more
	case u != nil && u.known:
		until = u.header.Time
	default:
		until = above.slot.Entry.Time
	}
	if until.IsZero() {
		return ui.Plain, ""
	}
	if !until.After(d.header.Time) {
		return ui.Warn, s.keys("the next commit is dated no later: {pin} tells who got it")
	}
	return ui.Plain, from + " until " + exact(until) + more
}

// sayEntry tells the versions of a log entry and what each names, if there is more
// than the one.
func (s *logScreen) sayEntry(p *pane, r *logRow, d *logDetail) {
	if r.kind != inLog || len(r.slot.Versions) < 2 && r.slot.Err == nil {
		return
	}
	if !p.tall {
		for _, n := range d.named[min(1, len(d.named)):] {
			p.say("earlier", ui.Warn, "a version of this entry named "+n)
		}
		return
	}
	p.title("versions of the entry, newest first")
	for i, v := range r.slot.Versions {
		if i == 2*maxVersions {
			p.out = append(p.out, p.th.Paint(ui.Dim, ui.Fit(fmt.Sprintf("and %d more", len(r.slot.Versions)-i), p.w, ui.Left)))
			break
		}
		mark, tone, what := ui.MarkPast, ui.Dim, "not looked at"
		if v.Live() {
			mark, tone = ui.MarkLive, ui.Good
		}
		if v.DeleteMarker {
			mark, tone, what = ui.MarkDeleted, ui.Bad, "deleted here"
		}
		what = d.namedBy(v, what)
		p.out = append(p.out, p.th.Paint(tone, mark)+" "+ui.Fit(stamp(v.Modified)+"  "+what, p.w-2, ui.Left))
	}
}

// namedBy says what a version of the entry names; else: it was not read.
func (d *logDetail) namedBy(v bucket.Version, otherwise string) string {
	for _, x := range d.versions {
		if x.id != v.ID || v.DeleteMarker {
			continue
		}
		if x.err != nil {
			return "? could not be read: " + briefly(x.err)
		}
		return "names " + commit.ShortID(x.commit)
	}
	return otherwise
}

// sayChanges lists the first of the files that a commit changed, as far as there is
// room.
func (s *logScreen) sayChanges(p *pane, r *logRow, below *logRow, h int) {
	c := r.changes
	room := h - len(p.out) - 2
	if c == nil || len(c.first) == 0 || !p.tall || room < 2 {
		return
	}
	all := c.added + c.changed + c.removed
	what := "what it changed"
	if below != nil && r.kind == inLog && joined(r, below) {
		what = fmt.Sprintf("what it changed in #%d", below.slot.Number)
	}
	p.title(what)
	n := min(len(c.first), room)
	if int64(n) < all {
		n = min(n, room-1)
	}
	for i := range c.first[:n] {
		x := &c.first[i]
		path := x.Path
		if path == "" {
			path = "(the folder's own key)"
		}
		tone, sign, held := ui.Warn, "~", x.To.Size-x.From.Size
		switch {
		case x.Kind == commit.Added:
			tone, sign, held = ui.Good, "+", x.To.Size
		case x.Kind == commit.Removed:
			tone, sign, held = ui.Bad, "-", -x.From.Size
		}
		grew := signed(held)
		if x.SameBytes {
			grew = "same bytes"
		} else if x.From.Size < 0 || x.To.Size < 0 {
			grew = "?"
		}
		p.out = append(p.out, p.th.Paint(tone, sign)+" "+ui.Fit(path, p.w-14, ui.Tail)+p.th.Paint(ui.Dim, ui.Fit(grew, 12, ui.Right)))
	}
	if rest := all - int64(n); rest > 0 {
		p.out = append(p.out, p.th.Paint(ui.Dim, ui.Fit(fmt.Sprintf("and %s more", count(rest))+s.keys("; {open}, then {diff}, shows all"), p.w, ui.Left)))
	}
}
