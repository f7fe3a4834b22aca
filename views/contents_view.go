package views

import (
	"bytes"

	"provcat-tui/audit"
	"provcat-tui/compare"
	"provcat-tui/ui"
)

// besideFrom is the width from which on two contents stand side by side by themselves.
const besideFrom = 120

func (s *contentsScreen) view(w, h int, th *ui.Theme) []string {
	out := s.head(w, h, th)
	f := s.facing()
	switch {
	case s.err != nil:
		return append(out, indent(s.failure("Comparing the contents", s.err, w-4, th), w, h-len(out))...)
	case f == nil && !s.done:
		return append(out, indent([]string{th.Paint(ui.Dim, "…")}, w, h-len(out))...)
	case f == nil:
		return append(out, indent(th.Paragraph(ui.Dim, s.keys("There are no bytes to show of either side. Press {reload} to read them again, {open} for the time line of the key."), w-4), w, h-len(out))...)
	}
	s.rows.screen = w
	beside := s.wantBeside()
	if f.refit != nil {
		room := w
		if beside {
			room = (w - 1) / 2
		}
		if n := f.refit(room); n != nil {
			f = n
			s.facings[s.shown] = n
		}
	}
	s.fold(f)
	n := f.sums()
	for _, l := range s.verdict(f, n, w-2, th) {
		out = append(out, " "+l)
	}
	out = append(out, ui.Rule(s.title(f, n), w, true, th))
	foot := s.find.foot(w, th)
	room := h - len(out)
	if foot != "" {
		room--
	}
	out = append(out, marked(s.body(f, w, room, th), &s.rows, w, true, th)...)
	if foot != "" {
		out = append(out, foot)
	}
	return out
}

// head names the key and tells of both sides.
func (s *contentsScreen) head(w, h int, th *ui.Theme) []string {
	out := []string{th.Paint(ui.Dim, " key ") + ui.Fit(s.keyName, w-5, ui.Tail)}
	ref := 0
	for i := range s.sides {
		ref = max(ref, min(ui.Width(ui.Clean(s.sides[i].ref)), 20))
	}
	for i := range s.sides {
		out = append(out, s.sides[i].lines(i, ref, w, max(h/6, 1), th)...)
	}
	return out
}

// lines tell of a side: what it is, and what is wrong with it in at most most lines.
func (x *side) lines(i, ref, w, most int, th *ui.Theme) []string {
	tone, sign := ui.Bad, "-"
	if i == 1 {
		tone, sign = ui.Good, "+"
	}
	head := th.Paint(tone, " "+sign+" ") + ui.Fit(x.ref, ref, ui.Left)
	if !x.there {
		return []string{head + th.Paint(ui.Dim, "  not there")}
	}
	room := w - 3 - ref
	text := "  " + ui.Fit(size(x.file.Size), 10, ui.Right)
	when := "…"
	if x.ready {
		when = stamp(x.version.Modified)
	}
	text += "  " + ui.Fit(when, 16, ui.Left)
	class := ""
	if c := x.version.StorageClass; c != "" && c != "STANDARD" {
		class = "  " + c
		if audit.Archived(c) {
			class += " (archived)"
		}
	}
	etag := x.file.ETag
	if etag == "" {
		etag = x.version.ETag
	}
	left := room - ui.Width(text)
	ver := ui.Clean("version " + x.file.Version)
	tag := ui.Clean("ETag " + etag)
	if etag == "" {
		tag = ""
	}
	most1 := min(ui.Width(ver), max(left-2-min(ui.Width(tag)+2, 24)-min(ui.Width(class), 20), 12))
	text += "  " + ui.Pad(ver, most1)
	if left -= 2 + most1; left > 12 && tag != "" {
		n := min(left-2, ui.Width(tag))
		text += "  " + ui.Pad(tag, n)
		left -= 2 + n
	}
	if left > 4 && class != "" {
		text += ui.Fit(class, left, ui.Left)
	}
	out := []string{head + th.Paint(ui.Dim, ui.Pad(text, room))}
	if x.why == "" {
		return out
	}
	says := th.Shown(x.tone, x.why, w-5-ref)
	if len(says) > most {
		says = append(says[:most-1], ui.Pad(says[most-1], w-7-ref)+" …")
	}
	for _, l := range says {
		out = append(out, ui.Spaces(5+ref)+l)
	}
	return out
}

// verdict says where nothing differs, or cannot be told.
func (s *contentsScreen) verdict(f *facing, n sums, w int, th *ui.Theme) []string {
	switch {
	case f.alone:
		return th.Paragraph(ui.Unsure, "? Nothing to compare with: only one side could be read. It is shown as it is.", w)
	case !s.bothRead() || n.differs():
		return nil
	case s.sides[0].cut || s.sides[1].cut:
		return th.Paragraph(ui.Plain, "No difference in what was read so far.", w)
	case bytes.Equal(s.sides[0].data, s.sides[1].data):
		return th.Paragraph(ui.Good, "= No difference: the bytes of both versions are the same.", w)
	case f.as == "bytes":
		return th.Paragraph(ui.Warn, "! They differ past what is shown here.", w)
	case f.note == "":
		return th.Paragraph(ui.Warn, s.keys("! The values are the same, the bytes differ: white space, order or notation. {as} shows the lines."), w)
	}
	return th.Paragraph(ui.Warn, "! The values are the same: "+f.note+s.keys(". {as} shows the lines."), w)
}

// title says what is shown and what differs in it.
func (s *contentsScreen) title(f *facing, n sums) string {
	text := "as " + f.as
	if f.by != "" && !f.alone {
		text += " " + f.by
	}
	text += ": " + f.told(n)
	if f.note != "" {
		text += "; " + f.note
	}
	return text
}

// body draws h lines of what is scrolled to.
func (s *contentsScreen) body(f *facing, w, h int, th *ui.Theme) []string {
	r := &s.rows
	out := make([]string, 0, max(h, 0))
	half := (w - 1) / 2
	if r.beside {
		r.width = half - f.width - lineMarks
	} else {
		r.width = w - f.width - lineMarks
	}
	if f.head != "" && h > 2 {
		title := ui.Spaces(f.width+lineMarks) + th.CodeLine(ui.Code{Text: f.head, Looks: []ui.Stretch{{To: int32(len(f.head)), Look: ui.Comment}}}, s.left, r.width)
		if r.beside {
			title = ui.Pad(title, half) + th.Paint(ui.Dim, "│") + ui.Pad(title, w-half-1)
		}
		out = append(out, title)
		r.see(f.head)
	}
	r.page = max(h-len(out), 0)
	r.clamp()
	for i := r.top; i < len(r.list) && len(out) < h; i++ {
		if r.beside && r.list[i].kind != gapRow {
			p := f.pairs[r.list[i].pair]
			out = append(out, s.line(f, i, 0, int(p.A), half, th)+th.Paint(ui.Dim, "│")+s.line(f, i, 1, int(p.B), w-half-1, th))
			continue
		}
		out = append(out, s.unified(f, i, w, th))
	}
	return ui.Block(out, w, h)
}

// lineMarks is the width of what stands before a line besides its number.
const lineMarks = 4

// unified draws a row over the whole width.
func (s *contentsScreen) unified(f *facing, i, w int, th *ui.Theme) string {
	x := s.rows.list[i]
	p := f.pairs[x.pair]
	switch {
	case x.kind == gapRow:
		return th.Paint(ui.Dim, ui.Fit(ui.Spaces(f.width+1)+"┊ "+plural(int64(x.n), f.unit)+" the same", w, ui.Left))
	case x.kind == toRow, p.A < 0, p.Same:
		return s.line(f, i, 1, int(p.B), w, th)
	}
	return s.line(f, i, 0, int(p.A), w, th)
}

// line draws line n of a side in row i; -1: there is none beside the other's.
func (s *contentsScreen) line(f *facing, i, at, n, w int, th *ui.Theme) string {
	mark := " "
	if i == s.rows.at {
		mark = "›"
	}
	if n < 0 {
		return mark + ui.Spaces(w-1)
	}
	k := s.rows.list[i].pair
	p := f.pairs[k]
	text := f.text(at, n)
	s.rows.see(text)
	c := ui.Code{Text: text, Found: s.find.marks(text)}
	if f.looks != nil {
		c.Looks = f.looks(at, n)
	} else if f.language != "" && n < len(s.colours[at]) {
		c.Looks = s.colours[at][n]
	}
	number := ""
	if f.number != nil {
		number = f.number(at, n)
	}
	sign, tone := " ", ui.Plain
	switch {
	case f.alone || p.Same:
	case f.unsure != nil && f.unsure(int(k)):
		sign, tone = "?", ui.Unsure
	case at == 0:
		sign, tone, c.Ground = "-", ui.Bad, ui.RemovedGround
	default:
		sign, tone, c.Ground = "+", ui.Good, ui.AddedGround
	}
	if !p.Same && p.A >= 0 && p.B >= 0 {
		for _, x := range s.rows.differs(f, p)[at] {
			c.Differs = append(c.Differs, [2]int{x.From, x.To})
		}
	}
	room := max(w-f.width-lineMarks, 1)
	return ui.Pad(mark+th.Paint(ui.Dim, ui.Fit(number, f.width, ui.Right))+" "+th.Paint(tone, sign)+" "+th.CodeLine(c, s.left, room), w)
}

// see notes how wide a line is.
func (r *contentsRows) see(text string) {
	if len(text) > r.widest {
		r.widest = max(r.widest, ui.Width(ui.Clean(text[:min(len(text), 64<<10)])))
	}
}

// keptWords is for how many pairs of lines what differs in them is kept.
const keptWords = 400

// differs is what differs in a pair of lines.
func (r *contentsRows) differs(f *facing, p compare.Pair) [2][]compare.Span {
	if got, ok := r.words[p.A]; ok {
		return got
	}
	a, b := f.words(int(p.A), int(p.B))
	if r.words == nil || len(r.words) >= keptWords {
		r.words = map[int32][2][]compare.Span{}
	}
	r.words[p.A] = [2][]compare.Span{a, b}
	return r.words[p.A]
}
