package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// numbers is a table of n rows that counts how many were asked for.
type numbers struct{ n, asked int }

func (r *numbers) Len() int { return r.n }
func (r *numbers) Row(i int, row *Row) {
	r.asked++
	row.Add(Plain, fmt.Sprintf("row %d", i))
	row.Add(Dim, "size")
}

func table() *Table {
	return &Table{Focused: true, Columns: []Column{
		{Title: "name", Min: 8, Weight: 1}, {Title: "size", Min: 6, Align: Right, Drop: 1},
	}}
}

func TestTableAsksOnlyForWhatIsShown(t *testing.T) {
	tb, rows := table(), &numbers{n: 1_000_000}
	th := NewTheme(true, true)
	out := tb.View(rows, 30, 11, th)
	if rows.asked != 10 || len(out) != 11 {
		t.Fatalf("asked for %d rows, drew %d lines; want 10 and 11", rows.asked, len(out))
	}
	if got := Plainly(out[0]); got != "  name                    size" {
		t.Errorf("titles %q", got)
	}
	if want := "\x1b[7m› row 0                   size\x1b[m"; out[1] != want {
		t.Errorf("the cursor's row %q", out[1])
	}
	tb.Move("bottom", rows.n)
	out = tb.View(rows, 30, 11, th)
	if !strings.Contains(out[10], "row 999999") || !strings.HasPrefix(out[10], "\x1b[7m") {
		t.Errorf("last line %q", out[10])
	}
	if from, to := tb.Window(rows.n); from != 999_990 || to != 1_000_000 {
		t.Errorf("window %d to %d", from, to)
	}
	tb.Move("pageup", rows.n)
	if tb.Cursor != 999_999-9 {
		t.Errorf("a page up from the end: %d", tb.Cursor)
	}
}

func TestTableMarks(t *testing.T) {
	out := table().View(marked{}, 20, 3, NewTheme(true, true))
	if got := Plainly(out[1]); got != "›*x                 " {
		t.Errorf("got %q", got)
	}
}

type marked struct{}

func (marked) Len() int          { return 1 }
func (marked) Row(_ int, r *Row) { r.Add(Plain, "x"); r.Marked = true }

type wide struct{}

func (wide) Len() int { return 1 }
func (wide) Row(_ int, r *Row) {
	r.Add(Plain, "a text that is wider than its column")
	r.Wide = true
}

func TestTableWideRow(t *testing.T) {
	out := table().View(wide{}, 40, 2, NewTheme(true, true))
	if got := Plainly(out[1]); got != "› a text that is wider than its column  " {
		t.Errorf("got %q", got)
	}
}

func TestTableDropsColumnsBeforeItCuts(t *testing.T) {
	tb := table()
	rows := &numbers{n: 1}
	if out := tb.View(rows, 17, 2, NewTheme(true, true)); !strings.Contains(Plainly(out[1]), "size") {
		t.Errorf("17 columns hold both: %q", out[1])
	}
	if out := tb.View(rows, 16, 2, NewTheme(true, true)); strings.Contains(Plainly(out[1]), "size") {
		t.Errorf("16 columns hold one: %q", out[1])
	}
}

// Every line is exactly as wide as told at any size, wherever the cursor goes.
func TestTableAtEverySize(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	ids := []string{"up", "down", "pageup", "pagedown", "top", "bottom"}
	tb, rows := table(), &numbers{}
	for w := range 60 {
		for h := range 20 {
			rows.n = rnd.IntN(30)
			tb.Move(ids[rnd.IntN(len(ids))], rows.n)
			out := tb.View(rows, w, h, NewTheme(true, false))
			if len(out) != h {
				t.Fatalf("%d×%d: %d lines", w, h, len(out))
			}
			for _, l := range out {
				if Width(l) != w {
					t.Fatalf("%d×%d: line %q is %d wide", w, h, l, Width(l))
				}
			}
		}
	}
}

func BenchmarkTable(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tb, rows, th := table(), &numbers{n: n}, NewTheme(true, false)
			b.ReportAllocs()
			for b.Loop() {
				tb.Move("pagedown", n)
				if tb.Cursor == n-1 {
					tb.Move("top", n)
				}
				tb.View(rows, 200, 57, th)
			}
		})
	}
}
