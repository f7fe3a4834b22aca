package views

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// A guarded screen is in a bucket that may be read-only.
type guarded interface{ readOnly() bool }

// readOnly says that nothing may be written where the shown screen is.
func (a *app) readOnly() bool {
	if a.env.ReadOnly {
		return true
	}
	g, ok := a.stack.top().(guarded)
	return ok && g.readOnly()
}

// bound is the table of keys as it holds on the shown screen. It is asked for several
// times a frame, and not to be changed.
func (a *app) bound() ui.Keymap {
	at := boundAt{a.stack.top().kind(), a.readOnly()}
	keys, ok := a.boundKeys[at]
	if !ok {
		keys = a.env.keymap.On(at.screen)
		if at.readOnly {
			keys = keys.ReadOnly()
		}
		a.boundKeys[at] = keys
	}
	return keys
}

// A boundAt is what the bound keys hang on; the table itself stays as it began.
type boundAt struct {
	screen   string
	readOnly bool
}

// means says whether a press is bound to an ID, and can be so while text is typed.
func (a *app) means(press, id string) bool {
	if !strings.HasPrefix(press, "ctrl+") {
		return false
	}
	for _, k := range a.bound().Bound(a.stack.top().kind(), press) {
		if k.ID == id {
			return true
		}
	}
	return false
}

// sequence takes a press that may begin or go on a sequence: what was pressed so
// far, and whether more is to come.
func (a *app) sequence(press string) (whole string, more bool) {
	whole = press
	if a.begun != "" {
		whole = a.begun + " " + press
	}
	begun := a.begun
	a.begun = ""
	if begun != "" && press == "esc" {
		return "", true
	}
	kind := a.stack.top().kind()
	if len(a.bound().Begun(kind, whole)) > 0 {
		a.begun = whole
		return "", true
	}
	if begun != "" && len(a.bound().Bound(kind, whole)) == 0 {
		a.note = note{ui.Dim, ui.PressName(whole) + " is not bound."}
		return "", true
	}
	return whole, false
}

// continuations are the keys that may follow in a sequence that was begun.
func (a *app) continuations() ui.Keymap {
	keys := a.bound().Begun(a.stack.top().kind(), a.begun)
	for i := range keys {
		keys[i].Hint = i + 1
	}
	return append(keys, ui.Key{ID: "back", Press: []string{"esc"}, Label: "no more", Hint: len(keys) + 1})
}

// run does what the key of an ID does on the shown screen, however it is pressed.
func (a *app) run(id string) tea.Cmd {
	a.note, a.begun = note{}, ""
	var keys ui.Keymap
	for _, k := range a.bound() {
		if k.ID == id {
			keys = append(keys, k)
		}
	}
	return a.performFirst(keys)
}

// performFirst does the first of some keys that works now: one press may mean other
// things elsewhere on a screen. If none does, it says why.
func (a *app) performFirst(keys ui.Keymap) tea.Cmd {
	why := ""
	for _, x := range keys {
		ok, not := a.enabled(x.ID)
		if ok {
			return a.perform(a.stack.top(), x)
		}
		if why == "" {
			why = not
		}
	}
	if why != "" {
		a.note = note{ui.Dim, "Not now: " + why + "."}
	}
	return nil
}
