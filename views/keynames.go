package views

import (
	"strings"

	"provcat-tui/ui"
)

// keys puts the person's own presses into a text of the program that names keys by
// their ID: of "{reload} loads it" it makes "r loads it". Text from a bucket never goes
// through it: it is put in afterwards.
func (e *env) keys(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		id, after, found := strings.Cut(rest, "}")
		if !found {
			return b.String() + "{" + rest
		}
		b.WriteString(e.pressOf(id))
		text = after
	}
}

// pressOf names the press of a key as texts do. What was unbound can still be found:
// ctrl+p runs it.
func (e *env) pressOf(id string) string {
	if p := e.keymap.First(id); p != "" {
		return ui.PressName(p)
	}
	label := id
	for _, k := range e.keymap {
		if k.ID == id {
			label = k.Label
			break
		}
	}
	if p := e.keymap.First("find"); p != "" {
		return ui.PressName(p) + " " + label
	}
	return label + " (not bound)"
}
