package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

type entries []Entry

func (e entries) Len() int          { return len(e) }
func (e entries) Entry(i int) Entry { return e[i] }

func pressOf(name string) tea.KeyPressMsg {
	switch name {
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "pgdown":
		return tea.KeyPressMsg{Code: tea.KeyPgDown}
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "tab":
		return tea.KeyPressMsg{Code: tea.KeyTab}
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: rune(name[0]), Text: name}
}

func TestPaletteMarksWhatWasFound(t *testing.T) {
	p := NewPalette("csv")
	p.Entries = entries{{Text: "a/b.csv", Marks: []int{4, 5, 6}, Note: "file"}, {Text: "café\x1b[31m", Marks: []int{3}, Note: "folder"}}
	p.Count = "2 of 9"
	th := NewTheme(true, true)
	out := p.View(40, 6, th)
	if got := Plainly(out[0]); !strings.HasPrefix(got, "› csv") || !strings.HasSuffix(got, " 2 of 9") {
		t.Errorf("query %q", got)
	}
	if want := "\x1b[7m›  a/b.\x1b[4mcsv\x1b[24m"; !strings.HasPrefix(out[2], strings.Replace(want, "›  ", "› ", 1)) {
		t.Errorf("the selected line %q", out[2])
	}
	if want := "  caf\x1b[4mé\x1b[24m" + `\x1b[31m`; !strings.HasPrefix(out[3], want) {
		t.Errorf("the next line %q, want %q", out[3], want)
	}
	if got := Plainly(out[2]); !strings.HasSuffix(got, " file") {
		t.Errorf("note: %q", got)
	}
}

func TestPaletteKeys(t *testing.T) {
	var e entries
	for i := range 30 {
		e = append(e, Entry{Text: fmt.Sprint("entry ", i)})
	}
	p := NewPalette("")
	p.Entries = e
	p.View(40, 12, NewTheme(true, true))
	step := func(key string, want Picked, at int) {
		t.Helper()
		if got := p.Update(pressOf(key)); got != want || p.Selected() != at {
			t.Errorf("%s: %v at %d, want %v at %d", key, got, p.Selected(), want, at)
		}
	}
	step("down", PickNone, 1)
	step("ctrl+n", PickNone, 2)
	step("ctrl+p", PickNone, 1)
	step("up", PickNone, 0)
	step("pgdown", PickNone, 9)
	step("enter", PickThis, 9)
	step("tab", PickTab, 9)
	step("x", PickQuery, 9)
	step("left", PickNone, 9) // the cursor of the query is no change
	step("esc", PickCancel, 9)
	if p.Query() != "xl" && p.Query() != "x" {
		t.Errorf("query %q", p.Query())
	}
	p.Entries = entries{}
	step("enter", PickNone, -1)
}

// Every line is exactly as wide as told, whatever the texts hold.
func TestPaletteAtEverySize(t *testing.T) {
	p := NewPalette("ü")
	p.Entries = entries{
		{Text: "宽/字符/" + strings.Repeat("長", 80), Marks: []int{0, 3, 8}, Note: "folder", Tail: true},
		{Text: "e\u0301\u202e" + strings.Repeat("x", 9000), Marks: []int{0, 1, 500}, Note: strings.Repeat("note ", 30)},
		{Text: "\xff\xfe\t\n", Marks: []int{1}, Tail: true}, {Text: "", Marks: []int{3}},
	}
	p.Foot, p.Count, p.Empty = "more folders were not looked at", "4 of 4", "none"
	for w := range 90 {
		for h := range 8 {
			out := p.View(w, h, NewTheme(true, false))
			if len(out) != h {
				t.Fatalf("%d×%d: %d lines", w, h, len(out))
			}
			for _, l := range out {
				if Width(l) != w || strings.ContainsAny(Plainly(l), "\x1b\u202e\t\n") {
					t.Fatalf("%d×%d: %q is %d wide", w, h, l, Width(l))
				}
			}
		}
	}
}
