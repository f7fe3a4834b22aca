package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestMenuNarrowsAndPicks(t *testing.T) {
	th := NewTheme(true, true)
	m := NewMenu("")
	m.Intro = "What this is."
	m.Items = []MenuItem{
		{Group: "Go", Key: "l", Text: "the log of the folder, which is a long text that needs more than one line here"},
		{Group: "Go", Key: "p", Text: "the pin"},
		{Group: "Do", Key: "g g", Text: "to the first line", Off: true, Why: "nothing is there"},
		{Group: "Do", Key: "n", Text: "next log"},
	}
	view := func() string { return Plainly(strings.Join(m.View(50, 20, th), "\n")) }
	for _, want := range []string{"type to narrow", "4 of 4", "What this is.", "Go", "› l ", "a long text", "nothing is there)", "Do"} {
		if !strings.Contains(view(), want) {
			t.Errorf("%q is not in\n%s", want, view())
		}
	}
	key := func(names ...string) {
		for _, n := range names {
			switch n {
			case "down":
				m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
			case "up":
				m.Update(tea.KeyPressMsg{Code: tea.KeyUp})
			default:
				m.Update(tea.KeyPressMsg{Code: rune(n[0]), Text: n})
			}
		}
	}
	key("down", "down")
	if p := m.Picked(); p.Key != "g g" {
		t.Errorf("%+v", p)
	}
	key("l", "o", "g")
	if p := m.Picked(); p.Key != "l" || !strings.Contains(view(), "2 of 4") || strings.Contains(view(), "What this is") {
		t.Errorf("%+v in\n%s", p, view())
	}
	m.Clear()
	key("n") // the item of that key is first, whatever else has the letter
	if p := m.Picked(); p.Key != "n" {
		t.Errorf("%+v", p)
	}
	key("z", "z")
	if m.Picked() != nil || !strings.Contains(view(), "Nothing here has these words") {
		t.Errorf("%+v in\n%s", m.Picked(), view())
	}
	for _, h := range []int{1, 2, 3, 5} {
		m.Clear()
		key("down", "down", "down", "down", "up")
		for i, l := range m.View(30, h, th) {
			if Width(l) != 30 {
				t.Errorf("line %d is %d wide", i, Width(l))
			}
		}
		if h == 5 && !strings.Contains(Plainly(strings.Join(m.View(30, h, th), "\n")), "›") {
			t.Error("the picked item is not seen")
		}
	}
}
