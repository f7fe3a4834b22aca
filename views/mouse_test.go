package views

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// place finds a text on the screen: its first column and line.
func (d *driver) place(text string) (x, y int) {
	d.t.Helper()
	for y, l := range strings.Split(d.text(), "\n") {
		if before, _, ok := strings.Cut(l, text); ok {
			return ui.Width(before), y
		}
	}
	d.t.Fatalf("%q is not on the screen:\n%s", text, d.text())
	return 0, 0
}

// click clicks on the first place of a text.
func (d *driver) click(text string) {
	d.t.Helper()
	x, y := d.place(text)
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.idle()
}

// turn turns the wheel over a text, n notches down or, if negative, up.
func (d *driver) turn(text string, n int) {
	d.t.Helper()
	x, y := d.place(text)
	button := tea.MouseWheelDown
	if n < 0 {
		button, n = tea.MouseWheelUp, -n
	}
	for range n {
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: button})
	}
	d.idle()
}

func withMouse(s Start) Start {
	s.Mouse = true
	return s
}

// A click selects and gives its pane the keys; one on what is selected opens it; the
// way back is in the line at the top, and the hints at the bottom are buttons.
func TestMouseGoesAround(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, withMouse(f.start("")), 100, 30)
	d.click("▸ sales/")
	d.sees("›   ▸ sales/")
	d.click("▸ sales/") // opens it
	d.click("▸ 2026/")
	d.sees("logo.png")
	d.click("logo.png")
	if fo := d.m.stack.top().(*folder); !fo.right || fo.files.selected().name != "logo.png" {
		t.Fatalf("a click does not select the file and focus its pane:\n%s", d.text())
	}
	d.click("logo.png")
	d.sees("Object sales/2026/logo.png")
	d.click("demo.bucket/sales/2026") // the crumb
	d.sees("l log")
	d.click("l log")
	d.sees("Log of sales/2026", "#5")
	d.click("#3 ")
	d.click("#3 ")
	d.sees("Commit #3 of sales/2026")
	d.click("p parent")
	d.sees("Commit #2 of sales/2026")
	d.click("demo.bucket/sales/2026") // two screens at once
	if n := len(d.m.stack); n != 1 {
		t.Fatalf("%d screens are left:\n%s", n, d.text())
	}
}

// The wheel scrolls what is under the pointer and leaves the keys where they are.
func TestWheel(t *testing.T) {
	f := newFixture(t)
	for i := range 200 {
		f.put(fmt.Sprintf("docs/%03d.txt", i), "x")
	}
	d := newDriver(t, withMouse(f.start("docs")), 100, 30)
	fo := d.m.stack.top().(*folder)
	d.turn("005.txt", 2)
	d.seesNot("005.txt")
	d.sees("006.txt")
	if fo.right || fo.files.table.Cursor != 0 {
		t.Errorf("the wheel moved the keys to the files, or their cursor to %d", fo.files.table.Cursor)
	}
	d.press("tab", "down") // the cursor comes back into sight
	d.sees("000.txt", "› ")
	d.turn("005.txt", 2) // now the pane has the keys: the cursor is taken along
	d.seesNot("005.txt")
	if fo.files.table.Cursor != 6 {
		t.Errorf("the cursor is on row %d, not on the first in sight", fo.files.table.Cursor)
	}
	d.turn("020.txt", -9)
	d.sees("000.txt")
	d.turn("010.txt", 99)
	d.sees("199.txt")
}

func TestMouseScrollsAPreview(t *testing.T) {
	f := newFixture(t)
	var b strings.Builder
	for i := range 90 {
		fmt.Fprintf(&b, "line %d.\n", i)
	}
	f.put("long.txt", b.String())
	d := newDriver(t, withMouse(f.start("")), 80, 24)
	d.press("tab", "enter")
	d.sees("line 2.")
	d.turn("line 2.", 1)
	d.seesNot("line 2.")
	o := d.m.stack.top().(*objectScreen)
	if o.lower {
		t.Error("the wheel moved the keys")
	}
	d.click("line 5.")
	if !o.lower {
		t.Error("a click does not give the preview the keys")
	}
	d.click("● live")
	if o.lower {
		t.Error("a click does not give the versions the keys")
	}
}

// A click on a title sorts by that column, another one turns the order.
func TestMouseSorts(t *testing.T) {
	f := newFixture(t)
	f.put("docs/a.txt", "12345")
	f.put("docs/b.txt", "1")
	f.put("docs/c.txt", "123")
	d := newDriver(t, withMouse(f.start("docs")), 120, 30)
	order := func() (s string) {
		for _, l := range strings.Split(d.text(), "\n") {
			if i := strings.Index(l, ".txt"); i > 0 {
				s += l[i-1 : i]
			}
		}
		return s
	}
	for _, c := range []struct{ title, want string }{{"size", "acb"}, {"size", "bca"}, {"name", "abc"}, {"name", "cba"}} {
		d.click(c.title)
		if got := order(); got != c.want {
			t.Errorf("after a click on %s: %s, want %s\n%s", c.title, got, c.want, d.text())
		}
	}
	d.click("versions")
	d.sees("not sorted by versions")
}

// Fields and buttons of forms, in a dialog and on a screen.
func TestMouseInForms(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, withMouse(f.start("sales/2026")), 100, 30)
	d.press("@")
	d.click("▾ sales/") // a dialog lies over all: nothing of the screen can be clicked
	d.sees("Files at a commit")
	d.write("1")
	d.click("[ Show ]")
	d.sees("files at #1")
	d.press("esc", "@")
	d.click("[ Cancel ]")
	d.seesNot("Files at a commit")
	d.press("c")
	d.click("Author")
	d.write("x")
	cf := d.m.stack.top().(*commitForm)
	if cf.author.Value() != "anax" || cf.message.Value() != "" {
		t.Errorf("author %q, message %q", cf.author.Value(), cf.message.Value())
	}
	d.click("[ Cancel ]")
	d.sees("files, live")
}

// The finder's candidates and the help can be clicked and scrolled.
func TestMouseInTheFinder(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, withMouse(f.start("sales/2026")), 100, 30)
	d.press("ctrl+p")
	d.write("web")
	d.until("found", func() bool { return strings.Contains(d.text(), "web/index.html") })
	d.click("web/index.html")
	d.sees("› web/index.html")
	d.click("web/index.html")
	d.sees("Object web/index.html")
	d.press("esc")
	d.press("?")
	top := d.text()
	d.turn("type to narrow", 1)
	if d.text() == top {
		t.Error("the wheel does not scroll the help")
	}
}

// The detail of a finding: the wheel scrolls it, a click selects where it leads and
// another one goes there.
func TestMouseInTheAudit(t *testing.T) {
	f, _ := damaged(t)
	d := newDriver(t, withMouse(f.start("sales/2026")), 140, 40)
	d.press("a")
	s := d.m.stack.top().(*auditScreen)
	if len(s.pane.targets) == 0 {
		t.Fatalf("nothing to go to:\n%s", d.text())
	}
	d.click("→ ")
	if !s.detail || s.pane.selected() == nil {
		t.Fatalf("a click on → does not select it:\n%s", d.text())
	}
	d.click("› → ")
	if d.m.stack.top() == screen(s) {
		t.Errorf("a second click does not go there:\n%s", d.text())
	}
}

// With the mouse off the terminal selects text: nothing is asked of it, and what comes
// all the same does nothing.
func TestMouseOff(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, withMouse(f.start("")), 100, 30)
	if d.m.View().MouseMode != tea.MouseModeCellMotion {
		t.Error("the mouse is not on")
	}
	d.press("M")
	d.sees("Mouse off", "M turns it on")
	if d.m.View().MouseMode != tea.MouseModeNone {
		t.Error("M does not turn the mouse off")
	}
	d.click("▸ sales/")
	d.seesNot("›   ▸ sales/")
	d.press("M")
	d.sees("Mouse on")
	d.click("▸ sales/")
	d.sees("›   ▸ sales/")
}

// No sign of a spot reaches the terminal, whatever lies over what, and each spot is
// within the screen.
func TestSpotsStayInside(t *testing.T) {
	f, _ := damaged(t)
	for _, size := range [][2]int{{60, 15}, {80, 24}, {160, 50}} {
		d := newDriver(t, withMouse(f.start("sales/2026")), size[0], size[1])
		for _, k := range []string{"l", "enter", "esc", "?", "esc", "esc", "a", "tab", "esc", "esc", "@", "esc", "ctrl+p", "esc", "c"} {
			d.press(k) // each frame is checked for control characters
			for _, s := range d.m.spots {
				if s.X < 0 || s.Y < 0 || s.X >= size[0] || s.Y+s.H > size[1] {
					t.Errorf("at %v after %q: a spot at %d,%d of %d×%d", size, k, s.X, s.Y, s.W, s.H)
				}
			}
		}
	}
}
