package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// A Field of a form: a line of text, or a choice.
type Field struct {
	Label  string
	Input  *Input
	Choice *Choice // used if Input is nil
}

// A Form has fields and two buttons: Cancel, which is the default, and one that
// goes on. With no fields it is a dialog that asks for a confirmation.
type Form struct {
	Title  string
	Text   string // shown above the fields
	Fields []Field
	Go     string // the other button's word
	// Error is shown under the fields.
	Error string
	// Asks says that nothing is changed by going on: enter in the last field does.
	Asks bool
	// Changed is called after a key or a paste went into a field; may be nil.
	Changed func(*Form)
	focus   int // fields, then Cancel, then Go
}

// NewForm focuses the first field, or Cancel where there is none.
func NewForm(title, text, goWord string, fields ...Field) *Form {
	return &Form{Title: title, Text: text, Go: goWord, Fields: fields}
}

// Answer of a form.
type Answer int

// The answers.
const (
	Open Answer = iota // not yet answered
	Cancelled
	Confirmed
)

// Update takes a key or a paste.
func (f *Form) Update(msg tea.Msg) Answer {
	cancel, last := len(f.Fields), len(f.Fields)+1
	if p, ok := msg.(PointMsg); ok {
		return f.point(p)
	}
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		f.edit(msg)
		return Open
	}
	switch k.String() {
	case "esc":
		return Cancelled
	case "tab", "down":
		f.focus = (f.focus + 1) % (last + 1)
		return Open
	case "shift+tab", "up":
		f.focus = (f.focus + last) % (last + 1)
		return Open
	case "enter":
		switch f.focus {
		case cancel:
			return Cancelled
		case last:
			return Confirmed
		}
		if f.Asks && f.focus == cancel-1 {
			return Confirmed
		}
		f.focus++ // to the next field, after the last one to Cancel
		return Open
	}
	if f.focus < cancel {
		f.edit(msg)
		return Open
	}
	switch k.String() {
	case "left", "h", "right", "l":
		f.focus = cancel + last - f.focus
	}
	return Open
}

// A PointMsg tells a form that a mouse pointed at one of its fields or, behind them,
// at Cancel or the other button.
type PointMsg struct {
	Form *Form
	Part int
}

// point focuses a field, goes on in a choice that has the focus, or presses a button.
func (f *Form) point(p PointMsg) Answer {
	if p.Form != f {
		return Open
	}
	switch n := len(f.Fields); {
	case p.Part == n:
		return Cancelled
	case p.Part > n:
		return Confirmed
	case p.Part == f.focus && f.Choosing():
		f.Fields[f.focus].Choice.Move(1)
		if f.Changed != nil {
			f.Changed(f)
		}
	default:
		f.focus = p.Part
	}
	return Open
}

// edit hands a key or a paste to the field that has the focus.
func (f *Form) edit(msg tea.Msg) {
	if f.focus >= len(f.Fields) {
		return
	}
	x := f.Fields[f.focus]
	if x.Input != nil {
		x.Input.Update(msg)
	} else if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "left", "h":
			x.Choice.Move(-1)
		case "right", "l", "space":
			x.Choice.Move(1)
		}
	}
	if f.Changed != nil {
		f.Changed(f)
	}
}

// Focus puts the cursor into a field, from 0: the one that must be written anew.
func (f *Form) Focus(field int) { f.focus = max(min(field, len(f.Fields)), 0) }

// Typing says that keys go into a field.
func (f *Form) Typing() bool { return f.focus < len(f.Fields) }

// Choosing says that the field with the focus is a choice.
func (f *Form) Choosing() bool { return f.Typing() && f.Fields[f.focus].Input == nil }

// Breaks says that the field with the focus takes line breaks.
func (f *Form) Breaks() bool {
	return f.Typing() && f.Fields[f.focus].Input != nil && f.Fields[f.focus].Input.Lines
}

// First says that the first field has the focus.
func (f *Form) First() bool { return f.focus == 0 }

// Last says that the last field has the focus.
func (f *Form) Last() bool { return f.focus == len(f.Fields)-1 }

// Lines draws the form w columns wide.
func (f *Form) Lines(w int, th *Theme) []string { return f.LinesIn(w, 1<<20, th) }

// LinesIn is Lines in h lines at most, as long as the fields and the buttons alone
// fit: of the text, and then of the error, as much is shown as there is room for.
func (f *Form) LinesIn(w, h int, th *Theme) []string {
	fields, buttons := f.fieldLines(w, th), f.buttonLine(w, th)
	room := h - len(fields) - 1
	var failed, text []string
	if f.Error != "" {
		failed = some(th.Paragraph(Bad, "✗ "+f.Error, w), &room)
	}
	if f.Text != "" {
		text = some(Wrap(f.Text, w), &room)
	}
	return append(slices.Concat(text, fields, failed), buttons)
}

// some gives as many lines as there is room for, and a blank one after them.
func some(lines []string, room *int) []string {
	n := min(len(lines), *room-1)
	if n <= 0 {
		return nil
	}
	lines = append(slices.Clone(lines[:n]), "")
	*room -= n + 1
	return lines
}

func (f *Form) fieldLines(w int, th *Theme) []string {
	var out []string
	label := 0
	for _, x := range f.Fields {
		label = max(label, Width(x.Label))
	}
	for i, x := range f.Fields {
		mark := "  "
		if i == f.focus {
			mark = "› "
		}
		value := ""
		if x.Input != nil {
			value = x.Input.View(w-label-4, i == f.focus, th)
		} else {
			value = x.Choice.View(w-label-4, i == f.focus, th)
		}
		out = append(out, th.Mark(Spot{W: w, H: 1, Form: f, Part: i})+Pad(mark+th.Paint(Dim, Fit(x.Label, label, Left))+"  "+value, w))
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	return out
}

func (f *Form) buttonLine(w int, th *Theme) string {
	button := func(word string, part int) string {
		s := "[ " + Clean(word) + " ]"
		spot := th.Mark(Spot{W: Width(s) + 1, H: 1, Form: f, Part: part})
		if part == f.focus {
			return spot + th.Selected("›"+s)
		}
		return spot + " " + s
	}
	return Pad("  "+button("Cancel", len(f.Fields))+"  "+button(f.Go, len(f.Fields)+1), w)
}

// Box frames lines of w columns under a title; it is w+4 wide.
func Box(title string, lines []string, w int, th *Theme) []string {
	t := Fit(title, min(Width(Clean(title)), max(w-1, 0)), Left)
	out := []string{"╭─ " + th.Paint(Strong, t) + " " + line(w-1-Width(t)) + "╮"}
	for _, l := range lines {
		out = append(out, "│ "+Pad(l, w)+" │")
	}
	return append(out, "╰"+line(w+2)+"╯")
}

func line(n int) string {
	s := ""
	for range n {
		s += "─"
	}
	return s
}

// Over lays a box over the middle of a screen of w×h. Of spots, only those of the box
// can be pointed at.
func Over(base, box []string, w, h int) []string {
	bw := 0
	for _, l := range box {
		bw = max(bw, Width(l))
	}
	x, y := max((w-bw)/2, 0), max((h-len(box))/2, 0)
	signs := make([]string, h)
	bare := func(lines []string, keep bool) []string {
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = takeSigns(l, func(n, at int) {
				if keep && y+i < h {
					signs[y+i] += sign(n, x+at)
				}
			})
		}
		return out
	}
	out, top := Block(bare(base, false), w, h), bare(box, true)
	for i, l := range top {
		if y+i >= h {
			break
		}
		// Cut, not composed of cells: a frame is drawn for each key.
		under := out[y+i]
		left := ansi.Truncate(under, x, "")
		right := ansi.TruncateLeft(under, x+bw, "")
		out[y+i] = left + Spaces(x-Width(left)) + closeSGR + Pad(l, min(bw, w-x)) + Spaces(w-x-bw-Width(right)) + right
		if strings.Contains(right, "\x1b") {
			out[y+i] += closeSGR
		}
	}
	for i := range out {
		out[i] = signs[i] + Pad(out[i], w)
	}
	return out
}
