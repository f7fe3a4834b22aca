package views

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// wheelLines is how far a notch of the wheel scrolls.
const wheelLines = 3

// A pointing screen says which of its widgets has the keys, where tab alone does not
// go from one to the other.
type pointing interface {
	// focus gives the keys to the pane with a widget, a *ui.Table or ui.Pane.
	focus(widget any)
	// scrolled tells that the wheel moved a pane that has not the keys: there may be
	// more to load.
	scrolled(widget any) action
}

// A picker is a pane with places in it that can be selected and opened.
type picker interface {
	// point selects what is on line y; true: it was selected already.
	point(y int) bool
}

// marked notes lines as a pane that the mouse can point at.
func marked(lines []string, p ui.Pane, w int, focused bool, th *ui.Theme) []string {
	if len(lines) > 0 {
		lines[0] = th.Mark(ui.Spot{W: w, H: len(lines), Pane: p, Focused: focused}) + lines[0]
	}
	return lines
}

// mouse takes a click or a turn of the wheel.
func (a *app) mouse(msg tea.MouseMsg) tea.Cmd {
	if !a.pointer || a.quitting || a.deaf() {
		return nil
	}
	m := msg.Mouse()
	var at *ui.Spot
	for i := range a.spots { // the last one lies on top
		if a.spots[i].Has(m.X, m.Y) {
			at = &a.spots[i]
		}
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		switch m.Button {
		case tea.MouseWheelUp:
			return a.wheel(at, -wheelLines)
		case tea.MouseWheelDown:
			return a.wheel(at, wheelLines)
		}
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft && at != nil {
			return a.click(*at, m.Y-at.Y)
		}
	}
	return nil
}

// modal says that the table under the pointer lies over the screen, or that the
// screen takes text: keys would not mean movements.
func (a *app) modal() bool {
	t, ok := a.stack.top().(typist)
	return a.form != nil || a.help != nil || ok && t.typing()
}

// wheel scrolls what is under the pointer.
func (a *app) wheel(at *ui.Spot, n int) tea.Cmd {
	switch {
	case at == nil && a.help != nil:
		key := tea.KeyPressMsg{Code: tea.KeyDown}
		if n < 0 {
			key.Code = tea.KeyUp
		}
		var cmds []tea.Cmd
		for range wheelLines {
			cmds = append(cmds, a.press(key))
		}
		return tea.Batch(cmds...)
	case at == nil:
		return nil
	case at.Pane != nil:
		at.Pane.Wheel(n)
	case at.Table == nil:
	case a.modal():
		at.Table.Turn(n)
		at.Table.Move("wheel", at.Table.Shown())
	case at.Focused:
		at.Table.Turn(n)
		return a.do(a.stack.top(), a.stack.top().key("wheel"))
	default:
		at.Table.Wheel(n)
		if p, ok := a.stack.top().(pointing); ok {
			return a.do(a.stack.top(), p.scrolled(at.Table))
		}
	}
	return nil
}

// click points at line y of a spot.
func (a *app) click(at ui.Spot, y int) tea.Cmd {
	if at.Press == "" {
		a.begun = ""
	}
	switch {
	case at.Press != "":
		return a.pressNamed(at.Press)
	case at.Form != nil:
		return a.paste(ui.PointMsg{Form: at.Form, Part: at.Part})
	case at.Crumb > 1 && a.form == nil && a.help == nil:
		return a.backTo(len(a.stack.crumbs()) - at.Crumb)
	case at.Title != "":
		return a.clickTitle(at)
	case at.Table != nil:
		return a.clickRow(at, y)
	case at.Pane != nil && !a.modal():
		return a.clickPane(at, y)
	}
	return nil
}

// clickPane gives the keys to a pane and selects what it has there.
func (a *app) clickPane(at ui.Spot, y int) tea.Cmd {
	a.note = note{}
	var cmd tea.Cmd
	if !at.Focused {
		cmd = a.focus(at.Pane)
	}
	if p, ok := at.Pane.(picker); ok && p.point(y) && at.Focused {
		return tea.Batch(cmd, a.run("open"))
	}
	return cmd
}

// clickTitle sorts by a column, or turns the order if it is sorted by that one.
func (a *app) clickTitle(at ui.Spot) tea.Cmd {
	top := a.stack.top()
	l, ok := top.(lister)
	if !ok || a.modal() {
		return nil
	}
	a.note = note{}
	if t, ok := l.lines().(titled); ok {
		return a.do(top, t.byTitle(at.Table, at.Title))
	}
	return nil
}

// clickRow selects a row; the selected one of the pane that has the keys is opened.
func (a *app) clickRow(at ui.Spot, y int) tea.Cmd {
	row := at.Table.Hit(y)
	if row < 0 {
		if !at.Focused && !a.modal() {
			return a.focus(at.Table)
		}
		return nil
	}
	if row == at.Table.Cursor && at.Focused {
		if !a.modal() {
			return a.run("open")
		}
		return a.pressNamed("enter")
	}
	at.Table.Point(row)
	if a.modal() {
		at.Table.Move("point", at.Table.Shown())
		if p, ok := a.stack.top().(interface{ pointed() }); ok {
			p.pointed()
		}
		return nil
	}
	a.note = note{}
	var cmd tea.Cmd
	if !at.Focused {
		cmd = a.focus(at.Table)
	}
	top := a.stack.top()
	return tea.Batch(cmd, a.do(top, top.key("point")))
}

// focus gives the keys to the pane of a widget.
func (a *app) focus(widget any) tea.Cmd {
	top := a.stack.top()
	if p, ok := top.(pointing); ok {
		p.focus(widget)
		return nil
	}
	if !slices.Contains(panes, top.kind()) {
		return nil
	}
	return a.do(top, top.key("pane"))
}

// backTo leaves screens until n above the first are left.
func (a *app) backTo(n int) tea.Cmd {
	a.note = note{}
	var cmds []tea.Cmd
	for len(a.stack) > n+1 {
		was := len(a.stack)
		cmds = append(cmds, a.back())
		if len(a.stack) == was { // a write is waited for
			break
		}
	}
	return tea.Batch(cmds...)
}

// toggleMouse turns the mouse on or off and says what that is good for.
func (a *app) toggleMouse() {
	a.pointer = !a.pointer
	a.note = note{ui.Dim, a.env.keys("Mouse on: click and scroll. {mouse} turns it off, so that the terminal can select text.")}
	if !a.pointer {
		a.note = note{ui.Dim, a.env.keys("Mouse off: the terminal selects text. {mouse} turns it on again.")}
	}
}

// pressNamed presses the keys that a hint names, one after another.
func (a *app) pressNamed(names string) tea.Cmd {
	var cmds []tea.Cmd
	for name := range strings.FieldsSeq(names) {
		if k, ok := keyNamed(name); ok {
			cmds = append(cmds, a.press(k))
		}
	}
	return tea.Batch(cmds...)
}

var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"insert": tea.KeyInsert, "f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f11": tea.KeyF11, "f12": tea.KeyF12,
}

// keyNamed is the press that a name of the table of keys stands for.
func keyNamed(name string) (tea.KeyPressMsg, bool) {
	var mod tea.KeyMod
	for _, m := range []struct { // in the order in which a name has them
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if rest, ok := strings.CutPrefix(name, m.prefix); ok && rest != "" {
			name, mod = rest, mod|m.mod
		}
	}
	if c, ok := namedKeys[name]; ok {
		if name == "space" && mod == 0 {
			return tea.KeyPressMsg{Code: c, Text: " "}, true
		}
		return tea.KeyPressMsg{Code: c, Mod: mod}, true
	}
	if r := []rune(name); len(r) == 1 {
		if mod != 0 {
			return tea.KeyPressMsg{Code: r[0], Mod: mod}, true
		}
		return tea.KeyPressMsg{Code: r[0], Text: name}, true
	}
	return tea.KeyPressMsg{}, false
}
