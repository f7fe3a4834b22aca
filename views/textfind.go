package views

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// A textFind searches a text that is scrolled: / takes a query, n and N go from line
// to line that has it. The owner keeps the lines, scrolls to the line that it is
// given and draws foot under the text while that is not empty. For texts of some MB
// at most: a key searches all of it.
type textFind struct {
	line  ui.Filter
	query string
	hits  []int // the lines that have it
	shown bool  // the match has its mark
	at    int   // the one that was gone to last, of hits
	told  string
}

// begin opens the line for typing.
func (f *textFind) begin() { f.line.Begin() }

func (f *textFind) typing() bool { return f.line.Typing }

// input takes a key; top is the first line on the screen. ok: scroll to the line to.
func (f *textFind) input(msg tea.Msg, lines []string, top int) (to int, ok bool) {
	if k, is := msg.(tea.KeyPressMsg); is && k.String() == "esc" {
		f.clear()
		return 0, false
	}
	if !f.line.Update(msg) {
		return 0, false
	}
	f.query, f.shown = f.line.Query(), true
	f.search(lines)
	if len(f.hits) == 0 {
		return 0, false
	}
	f.at, _ = slices.BinarySearch(f.hits, top)
	f.at %= len(f.hits)
	return f.hits[f.at], true
}

// search looks for the query in a text, which may be another one than before.
func (f *textFind) search(lines []string) {
	f.hits, f.at = nil, 0
	for i, l := range lines {
		if len(f.places(l)) > 0 {
			f.hits = append(f.hits, i)
		}
	}
}

// places are the first bytes of the query in a line, without regard to case.
func (f *textFind) places(line string) (out []int) {
	q := strings.ToLower(f.query)
	low := strings.ToLower(line)
	if len(low) != len(line) { // letters whose other case is longer
		low = line
	}
	if q == "" {
		return nil
	}
	for from := 0; ; {
		i := strings.Index(low[from:], q)
		if i < 0 {
			return out
		}
		out = append(out, from+i)
		from += i + len(q)
	}
}

// marks are the bytes of a line that are to be underlined.
func (f *textFind) marks(line string) (out []int) {
	if !f.line.Active() {
		return nil
	}
	for _, p := range f.places(line) {
		for i := range len(f.query) {
			out = append(out, p+i)
		}
	}
	return out
}

// current is the line of the match that was gone to last; -1: none.
func (f *textFind) current() int {
	if len(f.hits) == 0 || !f.shown {
		return -1
	}
	return f.hits[f.at]
}

// step goes n matches on, round at the ends; ok: scroll to the line to.
func (f *textFind) step(by int) (to int, ok bool) {
	n := len(f.hits)
	if n == 0 {
		f.told = "no line has " + f.query
		return 0, false
	}
	f.shown = true
	round := ""
	switch f.at += by; {
	case f.at >= n:
		f.at, round = 0, ", from the first again"
	case f.at < 0:
		f.at, round = n-1, ", from the last again"
	}
	f.told = fmt.Sprintf("match %s of %s%s", count(int64(f.at+1)), count(int64(n)), round)
	return f.hits[f.at], true
}

// clear takes the line and the marks away; false: there was none. n and N still know
// the matches.
func (f *textFind) clear() bool {
	had := f.line.Active()
	f.line.Clear()
	f.shown = false
	return had
}

// foot is the line with the query, w columns wide; empty: nothing is searched for.
func (f *textFind) foot(w int, th *ui.Theme) string {
	if !f.line.Active() {
		return ""
	}
	told := ""
	switch n := len(f.hits); {
	case f.query == "":
	case n == 0:
		told = "not found"
	default:
		told = fmt.Sprintf("line %s of %s", count(int64(f.at+1)), count(int64(n)))
	}
	return f.line.View(told, w, th)
}

// A textFind is a liner without orders: n and N work as in lists.
func (f *textFind) able(id string) (known, ok bool, why string) {
	if id == "next" || id == "previous" {
		return true, f.query != "", "nothing was searched for; {filter} begins"
	}
	return false, false, ""
}

func (f *textFind) does(string) (action, bool) { return nil, false }
func (f *textFind) said() string               { return f.told }
func (f *textFind) sorts() []string            { return nil }
func (f *textFind) sortBy(string, string) (action, error) {
	return nil, errors.New("a text is not sorted")
}
