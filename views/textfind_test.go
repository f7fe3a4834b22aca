package views

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSearchInAPreview(t *testing.T) {
	f := newFixture(t)
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "line %d\n", i)
		if i%50 == 9 {
			b.WriteString("\tHere is an Örder, order 7\n")
		}
	}
	f.put("data/a.txt", b.String())
	d := newDriver(t, f.start("data"), 80, 24)
	d.press("tab", "enter")
	d.sees("line 0", "preview of")
	d.press("n")
	d.sees("Not now: nothing was searched for; / begins.")
	d.press("/")
	d.write("ORDER")
	d.sees("›    Here is an Örder, order 7", "line 1 of 4", "n and N go from match to match")
	if frame := d.m.View().Content; !strings.Contains(frame, "\x1b[4morder\x1b[24m 7") {
		t.Error("the match is not underlined")
	}
	d.press("enter", "n")
	d.sees("line 59", "match 2 of 4", "line 2 of 4")
	d.press("n", "n", "n")
	d.sees("match 1 of 4, from the first again", "line 9")
	d.press("N")
	d.sees("match 4 of 4, from the last again", "line 159")
	d.press("esc")
	d.seesNot("/ORDER")
	d.sees("line 159")
	d.press("n")
	d.sees("match 1 of 4", "›    Here is")
	d.press("/")
	d.write("not in it")
	d.sees("not found")
	d.press("enter", "n")
	d.sees("no line has not in it")
	d.press("esc", "esc", "esc")
	d.sees("files, live")
}

func TestPlacesOfAQuery(t *testing.T) {
	f := textFind{query: "ab"}
	if got := f.places("xABab a b aab"); !slices.Equal(got, []int{1, 3, 11}) {
		t.Errorf("%v", got)
	}
	// İ has a longer lower case: bytes would not be where they were.
	f.query = "x"
	if got := f.places("İİx"); !slices.Equal(got, []int{4}) {
		t.Errorf("%v", got)
	}
}
