package ui

import "testing"

// three is a table of a mark, a name and a size that may be dropped.
func three(show ...string) *Table {
	return &Table{Show: show, Columns: []Column{
		{Title: "", Min: 1}, {Title: "name", Min: 6, Weight: 1}, {Title: "size (UTC)", Min: 5, Align: Right, Drop: 1}, {Title: "#", Min: 3, Drop: 2},
	}}
}

type threeRows struct{ wide bool }

func (threeRows) Len() int { return 1 }
func (r threeRows) Row(_ int, row *Row) {
	row.Add(Plain, "*")
	if r.wide {
		row.Add(Plain, "all of it")
		row.Wide = true
		return
	}
	row.Add(Plain, "abc")
	row.Add(Plain, "12")
	row.Add(Plain, "7")
}

func TestColumnsAreShownInTheGivenOrder(t *testing.T) {
	for _, c := range []struct {
		show []string
		w    int
		row  string
	}{
		{nil, 24, "› * abc           12 7  "},
		{[]string{"size", "name"}, 24, "› *    12 abc           "},
		{[]string{"name", "mark"}, 14, "› abc        *"},
		{[]string{"number", "name", "mark"}, 18, "› 7   abc        *"},
		{[]string{"number", "name", "mark"}, 12, "› abc      *"}, // number goes first, by its rank
		{[]string{"number"}, 8, "› * 7   "},                      // the marks stay
		{[]string{"colour"}, 24, "› * abc           12 7  "},     // none is there: all
		{[]string{"colour", "name"}, 14, "› * abc       "},       // what is not there is passed over
	} {
		out := three(c.show...).View(threeRows{}, c.w, 2, NewTheme(true, true))
		for _, l := range out {
			if Width(l) != c.w {
				t.Errorf("%v at %d: %q is %d wide", c.show, c.w, l, Width(l))
			}
		}
		if got := Plainly(out[1]); got != c.row {
			t.Errorf("%v at %d: %q, want %q", c.show, c.w, got, c.row)
		}
	}
}

// A row that speaks over all columns is whole even where its column is not shown.
func TestWideRowWithoutItsColumn(t *testing.T) {
	out := three("size").View(threeRows{wide: true}, 20, 2, NewTheme(true, true))
	if got := Plainly(out[1]); got != "› * all of it       " {
		t.Errorf("%q", got)
	}
}

// The last column is cut rather than left out.
func TestTheLastColumnStays(t *testing.T) {
	tb := &Table{Columns: []Column{{Title: "name", Min: 4}, {Title: "endpoint", Min: 20, Drop: 1}}, Show: []string{"endpoint"}}
	if got := Plainly(tb.View(threeRows{}, 12, 1, NewTheme(true, true))[0]); got != "  endpoint  " {
		t.Errorf("%q", got)
	}
}

func TestColumnNames(t *testing.T) {
	for title, want := range map[string]string{"": "mark", "#": "number", "+": "added", "~": "changed", "-": "removed", "modified (UTC)": "modified", "ETag": "etag", "named by": "named by"} {
		if got := (Column{Title: title}).Name(); got != want {
			t.Errorf("%q is called %q, want %q", title, got, want)
		}
	}
}
