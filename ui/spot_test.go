package ui

import (
	"strings"
	"testing"
)

func TestSpotsAreFoundWhereTheyEndedUp(t *testing.T) {
	var s Spots
	th := NewTheme(true, false)
	th.TrackSpots(&s)
	form := NewForm("Title", "Text", "Go", Field{Label: "é", Input: NewInput("日本", 20)})
	tab := Table{Columns: []Column{{Title: "a", Min: 3}}}
	left := tab.View(rowsOf(9), 10, 6, th)
	right := Block([]string{"x" + th.Mark(Spot{W: 2, H: 1, Press: "y"}) + th.Paint(Bad, "y!")}, 10, 6)
	lines := append([]string{Spaces(21)}, Beside(left, Divider(6, th), right)...)
	spots := s.Find(lines)
	if len(spots) != 3 || spots[0].Title != "a" || spots[0].X != 2 || spots[0].Y != 1 || spots[0].W < 3 {
		t.Fatalf("%+v", spots)
	}
	spots = spots[1:]
	if spots[1].Table != &tab || spots[1].X != 0 || spots[1].Y != 2 || spots[1].W != 10 || spots[1].H != 5 ||
		spots[0].Press != "y" || spots[0].X != 12 || spots[0].Y != 1 {
		t.Fatalf("%+v", spots)
	}
	for _, l := range lines {
		if strings.Contains(l, "z") || Width(l) != 21 {
			t.Errorf("%q", l)
		}
	}
	// Under a box nothing is left but the box's own.
	s.Reset()
	base := tab.View(rowsOf(9), 40, 20, th)
	over := Over(base, Box("Title", form.Lines(30, th), 30, th), 40, 20)
	spots = s.Find(over)
	if len(spots) != 3 { // the field and two buttons
		t.Fatalf("%+v", spots)
	}
	for i, want := range []string{"› é", "[ Cancel ]", "[ Go ]"} {
		p := spots[i]
		line := Plainly(over[p.Y])
		if cut := []rune(line)[p.X:]; !strings.HasPrefix(strings.TrimLeft(string(cut), " ›"), strings.TrimLeft(want, "› ")) || p.Part != i {
			t.Errorf("part %d is at %d,%d: %q", p.Part, p.X, p.Y, line)
		}
	}
}

type rowsOf int

func (n rowsOf) Len() int          { return int(n) }
func (n rowsOf) Row(i int, r *Row) { r.Add(Plain, strings.Repeat("i", i%3)) }

func TestHit(t *testing.T) {
	tab := Table{Columns: []Column{{Min: 3}}, NoTitles: true}
	th := NewTheme(true, false)
	tab.View(rowsOf(4), 10, 6, th)
	for y, want := range map[int]int{-1: -1, 0: 0, 3: 3, 4: -1, 5: -1, 6: -1} {
		if got := tab.Hit(y); got != want {
			t.Errorf("line %d is row %d, want %d", y, got, want)
		}
	}
	tab.View(rowsOf(40), 10, 6, th)
	tab.Wheel(5)
	tab.View(rowsOf(40), 10, 6, th)
	if tab.Cursor != 0 || tab.Hit(0) != 5 {
		t.Errorf("cursor %d, row %d on top", tab.Cursor, tab.Hit(0))
	}
	tab.Wheel(1000)
	if tab.Hit(5) != 39 {
		t.Errorf("row %d at the bottom", tab.Hit(5))
	}
}
