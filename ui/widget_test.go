package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

func press(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "left": tea.KeyLeft,
		"right": tea.KeyRight, "backspace": tea.KeyBackspace, "up": tea.KeyUp, "down": tea.KeyDown}
	if c, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: c}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

func TestFormCancelIsTheDefault(t *testing.T) {
	f := NewForm("Sure?", "It writes.", "Write")
	if f.Update(press("enter")) != Cancelled {
		t.Error("enter on a dialog without fields must cancel")
	}
	f = NewForm("Sure?", "", "Write", Field{Label: "Message", Input: NewInput("", 100)})
	for _, k := range []string{"h", "i", "enter"} {
		if a := f.Update(press(k)); a != Open {
			t.Fatalf("%s answered %d", k, a)
		}
	}
	if got := f.Fields[0].Input.Value(); got != "hi" {
		t.Errorf("typed %q", got)
	}
	if f.Update(press("enter")) != Cancelled {
		t.Error("after the last field Cancel has the focus")
	}
	f.Update(press("right"))
	if f.Update(press("enter")) != Confirmed {
		t.Error("right moves to the other button")
	}
	if f.Update(press("esc")) != Cancelled {
		t.Error("esc cancels")
	}
}

func TestFormFitsItsRoom(t *testing.T) {
	th := NewTheme(true, true)
	f := NewForm("Sure?", strings.Repeat("many words ", 60), "Write", Field{Label: "Reason", Input: NewInput("", 10)})
	f.Error = strings.Repeat("wrong ", 60)
	whole := len(f.Lines(30, th))
	for h := 3; h < whole+3; h++ {
		lines := f.LinesIn(30, h, th)
		if len(lines) > h {
			t.Errorf("%d lines in %d", len(lines), h)
		}
		shown := Plainly(strings.Join(lines, "\n"))
		if !strings.Contains(shown, "Reason") || !strings.Contains(shown, "[ Cancel ]") || h > 5 && !strings.Contains(shown, "✗ wrong") {
			t.Errorf("in %d lines:\n%s", h, shown)
		}
	}
	if n := len(f.LinesIn(30, whole, th)); n != whole {
		t.Errorf("%d of %d lines, where all fit", n, whole)
	}
}

func TestFormChoice(t *testing.T) {
	c := &Choice{Options: []Option{{"text", "for people"}, {"json", "for programs"}}}
	changed := 0
	f := NewForm("Export", "", "Write", Field{Label: "Format", Choice: c}, Field{Label: "File", Input: NewInput("", 10)})
	f.Asks, f.Changed = true, func(*Form) { changed++ }
	for _, k := range []string{"right", "right", "left"} {
		f.Update(press(k))
	}
	if c.Chosen().Name != "json" || changed != 3 || !f.Choosing() {
		t.Errorf("chosen %v after %d changes", c.Chosen(), changed)
	}
	th := NewTheme(true, true)
	for w := range 60 {
		for _, l := range f.Lines(w, th) {
			if Width(Plainly(l)) > max(w, 60) {
				t.Fatalf("%d wide: %q", w, l)
			}
		}
	}
	if got := Plainly(c.View(40, true, th)); !strings.Contains(got, "‹ json ›  for programs") {
		t.Errorf("view %q", got)
	}
	f.Update(press("tab"))
	if f.Choosing() || !f.Last() {
		t.Error("the last field is a text")
	}
	if f.Update(press("enter")) != Confirmed {
		t.Error("enter in the last field of a form that only asks goes on")
	}
}

func TestFilterCountsWhileTyping(t *testing.T) {
	var f Filter
	f.Begin()
	if !f.Update(press("a")) || f.Query() != "a" || !f.Typing {
		t.Errorf("after a: %q, typing %v", f.Query(), f.Typing)
	}
	line := Plainly(f.View("3 of 9", 20, NewTheme(true, true)))
	if !strings.HasPrefix(line, "/a") || !strings.HasSuffix(line, "3 of 9") || Width(line) != 20 {
		t.Errorf("line %q", line)
	}
	f.Update(press("enter"))
	if f.Typing || f.Query() != "a" {
		t.Error("enter keeps the filter and ends the typing")
	}
	f.Begin()
	if !f.Update(press("esc")) || f.Active() {
		t.Error("esc clears it")
	}
}

func TestInputShowsPastedTextSafely(t *testing.T) {
	in := NewInput("", 100)
	in.Update(tea.PasteMsg{Content: "a\x1b[31mb\u202ec"})
	line := in.View(30, true, NewTheme(true, true))
	if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(line, "\x1b[7m", ""), "\x1b[m", ""), "\x1b") || strings.Contains(line, "\u202e") {
		t.Errorf("raw: %q", line)
	}
	if Width(line) != 30 {
		t.Errorf("%d wide", Width(line))
	}
}

func TestTreeOpensLazily(t *testing.T) {
	root := &Node{Name: "root", Open: true}
	a := &Node{Name: "a", Parent: root}
	root.Children = []*Node{a, {Name: "b", Parent: root, Leaf: true}}
	tr := NewTree(root)
	if tr.Len() != 3 {
		t.Fatalf("%d lines, want 3", tr.Len())
	}
	tr.Move("down")
	tr.Toggle()
	a.Children = []*Node{{Name: "c", Parent: a}}
	tr.Refresh()
	var got []string
	for _, l := range tr.View(20, 5, true, NewTheme(true, true)) {
		got = append(got, strings.TrimRight(Plainly(l), " "))
	}
	want := "  ▾ root|›   ▾ a|      ▸ c|      b|"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %q\nwant %q", strings.Join(got, "|"), want)
	}
	tr.Move("down")
	tr.Select(a)
	tr.Toggle()
	if tr.Selected() != a || tr.Len() != 3 {
		t.Error("closing keeps the cursor on the closed node")
	}
}

func TestChain(t *testing.T) {
	for _, c := range []struct {
		l    Link
		want string
	}{
		{Link{Up: false, Down: true, Mark: MarkSound}, "┌─●"}, {Link{Up: true, Down: true, Mark: MarkSound}, "├─●"}, {Link{Up: true, Down: false, Mark: MarkSound}, "└─●"},
		{Link{Up: false, Down: false, Mark: MarkDeleted}, "╶─✗"}, {Link{Up: false, Down: false, Mark: MarkGap}, "┊  "},
		{Link{Up: true, Down: true, Mark: MarkDeleted, Beside: true}, "│ ✗"}, {Link{Up: true, Mark: MarkDeleted, Beside: true}, "  ✗"},
	} {
		if got := Chain(c.l); got != c.want || Width(got) != ChainWidth {
			t.Errorf("%+v: %q, want %q", c.l, got, c.want)
		}
	}
}

func TestKeymap(t *testing.T) {
	m := Keymap{
		{ID: "open", Press: []string{"enter"}, Label: "open", Help: "opens", Group: "Go", Hint: 2},
		{ID: "write", Press: []string{"w"}, Label: "write", Help: "writes", Group: "Go", Hint: 1, Writes: true, On: []string{"here"}},
	}
	if k, ok := m.Find("here", "w"); !ok || k.ID != "write" {
		t.Error("w is bound here")
	}
	if _, ok := m.Find("there", "w"); ok {
		t.Error("w is not bound there")
	}
	if _, ok := m.ReadOnly().Find("here", "w"); ok {
		t.Error("read-only must not bind a key that writes")
	}
	th := NewTheme(true, true)
	yes := func(string) (bool, string) { return true, "" }
	if got := Plainly(m.On("here").Hints(yes, 80, th)); got != "w write  enter open" {
		t.Errorf("hints %q", got)
	}
	if got := Plainly(m.On("here").Hints(yes, 12, th)); got != "w write" {
		t.Errorf("hints in 12 columns %q", got)
	}
	no := func(id string) (bool, string) { return id != "open", "nothing is there" }
	if got := Plainly(m.Hints(no, 80, th)); got != "w write" {
		t.Errorf("hints without a disabled key: %q", got)
	}
}

func TestCrumbsKeepTheLastPiece(t *testing.T) {
	th := NewTheme(true, true)
	if got := Plainly(Crumbs([]string{"bucket", "log", "commit 1"}, "", 40, th)); strings.TrimRight(got, " ") != "bucket › log › commit 1" {
		t.Errorf("%q", got)
	}
	got := Plainly(Crumbs([]string{"a long bucket name", "log of it", "commit 1"}, "", 24, th))
	if strings.TrimRight(got, " ") != "… › log of it › commit 1" || Width(got) != 24 {
		t.Errorf("%q", got)
	}
	for w := range 30 {
		if got := Crumbs([]string{"a long bucket name", "log of it", "commit 1"}, th.Badge(Warn, "RO"), w, th); w > 6 && Width(got) != w {
			t.Errorf("%d columns: %q is %d wide", w, Plainly(got), Width(got))
		}
	}
}

func TestSpinnerComesAfter100ms(t *testing.T) {
	if Spinner(99*time.Millisecond) != " " || Spinner(100*time.Millisecond) == " " {
		t.Error("the spinner comes after 100 ms")
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		want        string
	}{{0, 10, "░░░░"}, {5, 10, "██░░"}, {10, 10, "████"}, {11, 10, "████"}, {1, 0, ""}} {
		if got := Bar(c.done, c.total, 4); got != c.want {
			t.Errorf("%d of %d: %q", c.done, c.total, got)
		}
	}
}

func TestTooSmallAtEverySize(t *testing.T) {
	for w := 1; w < 70; w++ {
		for h := 1; h < 20; h++ {
			for _, l := range TooSmall(w, h) {
				if Width(l) != w {
					t.Fatalf("%d×%d: %q", w, h, l)
				}
			}
		}
	}
}

func TestOver(t *testing.T) {
	base := Block([]string{"日本語日本語日本語日本語", "bbb", "ccc"}, 24, 3)
	out := Over(base, []string{"[box]"}, 24, 3)
	for _, l := range out {
		if Width(l) != 24 {
			t.Errorf("%q is %d wide", l, Width(l))
		}
	}
	if !strings.Contains(strings.Join(out, "\n"), "[box]") {
		t.Error("the box is not seen")
	}
}
