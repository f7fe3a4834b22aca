package ui

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// An Input is one line of text that a person edits. The editing is bubbles' text
// input; the drawing is ours, so that pasted text is as safe as any other.
type Input struct {
	model textinput.Model
	// Lines keeps the line breaks of what is pasted, and alt+enter or ctrl+j makes one;
	// they are shown as ↵.
	Lines bool
}

// breakRune stands for a line break in the one line that the editing knows.
const breakRune = '\ue00a'

// NewInput makes an input that holds value.
func NewInput(value string, limit int) *Input {
	m := textinput.New()
	m.CharLimit = limit
	m.SetVirtualCursor(false)
	m.SetValue(value)
	m.CursorEnd()
	m.Focus()
	return &Input{model: m}
}

// Value is the text as it was typed.
func (i *Input) Value() string {
	if !i.Lines {
		return i.model.Value()
	}
	return strings.ReplaceAll(i.model.Value(), string(breakRune), "\n")
}

// Set replaces the text.
func (i *Input) Set(s string) {
	if i.Lines {
		s = strings.ReplaceAll(s, "\n", string(breakRune))
	}
	i.model.SetValue(s)
	i.model.CursorEnd()
}

// Cursor is the byte of the text before which the cursor stands.
func (i *Input) Cursor() int {
	r := []rune(i.model.Value())
	return len(string(r[:min(i.model.Position(), len(r))]))
}

// SetCursor puts the cursor before a byte of the text.
func (i *Input) SetCursor(at int) {
	v := i.model.Value()
	i.model.SetCursor(utf8.RuneCountInString(v[:max(min(at, len(v)), 0)]))
}

// Update takes a key or a paste.
func (i *Input) Update(msg tea.Msg) {
	if i.Lines {
		switch m := msg.(type) {
		case tea.PasteMsg:
			text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimRight(m.Content, "\r\n"))
			msg = tea.PasteMsg{Content: strings.ReplaceAll(text, "\n", string(breakRune))}
		case tea.KeyPressMsg:
			if k := m.String(); k == "alt+enter" || k == "ctrl+j" {
				msg = tea.PasteMsg{Content: string(breakRune)}
			}
		}
	}
	i.model, _ = i.model.Update(msg)
}

// shown is a part of the text as a person reads it.
func (i *Input) shown(s string) string {
	if i.Lines {
		return strings.ReplaceAll(s, string(breakRune), "↵")
	}
	return s
}

// View is one line of exactly w columns, with the cursor if focused.
func (i *Input) View(w int, focused bool, th *Theme) string {
	if w <= 0 {
		return ""
	}
	value := []rune(i.shown(i.model.Value()))
	if !focused {
		return Fit(string(value), w, Left)
	}
	pos := min(i.model.Position(), len(value))
	before, at, after := Clean(string(value[:pos])), " ", ""
	if pos < len(value) {
		at = Clean(string(value[pos]))
		after = Clean(string(value[pos+1:]))
	}
	if w <= Width(at)+1 {
		return Fit("", w, Left)
	}
	if room := w - Width(at); Width(before) >= room {
		before = strings.TrimRight(Fit(string(value[:pos]), room, Tail), " ")
		if strings.HasSuffix(string(value[:pos]), " ") {
			before = Fit(string(value[:pos]), room, Tail)
		}
	}
	return Pad(before+reverseSGR+at+closeSGR+after, w)
}

// A Filter is the line that narrows a list while it is typed.
type Filter struct {
	Typing bool
	input  *Input
}

// Query is what is typed so far; empty: everything is shown.
func (f *Filter) Query() string {
	if f.input == nil {
		return ""
	}
	return strings.TrimSpace(f.input.Value())
}

// Begin opens the line for typing.
func (f *Filter) Begin() {
	if f.input == nil {
		f.input = NewInput("", 200)
	}
	f.Typing = true
}

// Clear shows everything again.
func (f *Filter) Clear() { f.input, f.Typing = nil, false }

// Update takes a key while typing; changed tells that the query is another.
func (f *Filter) Update(msg tea.Msg) (changed bool) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k.String() {
		case "enter":
			f.Typing = false
			if f.Query() == "" {
				f.Clear()
			}
			return false
		case "esc":
			had := f.Query() != ""
			f.Clear()
			return had
		}
	}
	before := f.Query()
	f.input.Update(msg)
	return f.Query() != before
}

// View is the line: the query and how many of all match.
func (f *Filter) View(count string, w int, th *Theme) string {
	if f.input == nil {
		return Spaces(w)
	}
	count = " " + Clean(count)
	room := w - 1 - Width(count)
	if room < 4 {
		return Pad("/"+f.input.View(w-1, f.Typing, th), w)
	}
	return Pad(th.Paint(Accent, "/")+f.input.View(room, f.Typing, th)+th.Paint(Dim, count), w)
}

// Active says whether the line is shown.
func (f *Filter) Active() bool { return f.input != nil }
