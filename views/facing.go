package views

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"provcat-tui/compare"
	"provcat-tui/ui"
)

// A facing is two contents that face each other, in one of the ways to show them: as lines, as a table, as
// JSON values or as bytes.
type facing struct {
	as    string // "lines"
	unit  string // what a line of it is: "line"
	by    string // how they were put beside each other; may be empty
	note  string // what else is to be said; may be empty
	pairs []compare.Pair
	// text is line i of a side (0 or 1), looks its looks, number what stands before it.
	text   func(side, i int) string
	looks  func(side, i int) []ui.Stretch // nil: none
	number func(side, i int) string
	// words are what differs in two lines that stand beside each other.
	words func(a, b int) (inA, inB []compare.Span)
	// unsure says that it is not known whether a line has one beside it; may be nil.
	unsure func(k int) bool
	head   string // the titles of columns; empty: none
	// whole: in a difference all lines of one side stand before those of the other.
	whole bool
	// alone: of the other side nothing is known, so nothing is added or removed.
	alone bool
	// language of the lines, which has colours.
	language string
	width    int // of number
	summed   *sums
	refit    func(w int) *facing
}

// structured is up to how many bytes of each side are looked at as a table or as JSON.
const structured = 4 << 20

// shownLines is the most lines of a side that are compared.
const shownLines = 400_000

// facings makes those that fit two contents, the best first. a or b is nil where there
// is none; alone says that there should be one. It may take long.
func facings(name string, a, b *content, alone bool) []*facing {
	var out []*facing
	text, like := true, true
	for _, c := range []*content{a, b} {
		if c != nil {
			text = text && isText(c.data, c.cut)
			like = like && (text || isTextLike(c.data))
		}
	}
	put := func(s *facing) {
		if s != nil {
			s.alone = alone
			out = append(out, s)
		}
	}
	note := ""
	if text {
		s, why := structuredFacing(name, a, b)
		put(s)
		note = why
	}
	dump := bytesFacing(a, b)
	if !text {
		put(dump)
	}
	if like {
		l := linesFacing(name, a, b)
		l.note = note
		put(l)
	}
	if text {
		put(dump)
	}
	return out
}

// structuredFacing is a table or JSON where the name says so; why says why it is not.
func structuredFacing(name string, a, b *content) (s *facing, why string) {
	size, cut := 0, false
	for _, c := range []*content{a, b} {
		if c != nil {
			size, cut = max(size, len(c.data)), cut || c.cut
		}
	}
	if size == 0 || a == nil && b == nil {
		return nil, ""
	}
	var err error
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".csv", ".tsv":
		if size > structured {
			return nil, "too large to be shown as a table"
		}
		if s, err = tableFacing(name, a, b); err != nil {
			return nil, "no table: " + err.Error()
		}
	case ".json", ".geojson", ".ipynb", ".jsonl", ".ndjson":
		lines := ext == ".jsonl" || ext == ".ndjson"
		switch {
		case size > structured:
			return nil, "too large to be compared as JSON"
		case cut && !lines:
			return nil, "not all of it was read, so not compared as JSON"
		}
		if s, err = jsonFacing(a, b, lines); err != nil {
			return nil, "not compared as JSON: " + err.Error()
		}
	}
	return s, ""
}

// digits is the width of the numbers up to n.
func digits(n int) int { return len(strconv.Itoa(max(n, 1))) }

// ordinal numbers lines from 1.
func ordinal(_, i int) string { return strconv.Itoa(i + 1) }

// dataOf is what was read of a content; nil has nothing.
func dataOf(c *content) []byte {
	if c == nil {
		return nil
	}
	return c.data
}

// linesOf splits a text. The end of what was read is left out where it may be half a
// line. cut says that there are more.
func linesOf(c *content) (lines []string, cut bool) {
	if c == nil || len(c.data) == 0 {
		return nil, c != nil && c.cut
	}
	text := string(c.data)
	cut = c.cut
	if cut {
		if end := strings.LastIndexByte(text, '\n'); end >= 0 {
			text = text[:end]
		}
	}
	lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > shownLines {
		lines, cut = lines[:shownLines:shownLines], true
	}
	return lines, cut
}

// unended is put after a last line that lacks its newline, where the other side's has it.
const unended = " (no newline at the end)"

func linesFacing(name string, a, b *content) *facing {
	la, cutA := linesOf(a)
	lb, cutB := linesOf(b)
	ended := func(c *content) bool {
		return c == nil || len(c.data) == 0 || c.cut || bytes.HasSuffix(c.data, []byte("\n"))
	}
	if eA, eB := ended(a), ended(b); a != nil && b != nil && eA != eB {
		if !eA && !cutA {
			la[len(la)-1] += unended
		}
		if !eB && !cutB {
			lb[len(lb)-1] += unended
		}
	}
	// A carriage return is worth a sign only where not all lines have it.
	bare := func(l string) bool { return !strings.HasSuffix(strings.TrimSuffix(l, unended), "\r") }
	if !slices.ContainsFunc(la, bare) && !slices.ContainsFunc(lb, bare) {
		for _, ls := range [][]string{la, lb} {
			for i := range ls {
				ls[i] = strings.TrimSuffix(ls[i], "\r")
			}
		}
	}
	both := [2][]string{la, lb}
	first := dataOf(b)
	if len(first) == 0 {
		first = dataOf(a)
	}
	s := &facing{
		as: "lines", unit: "line", whole: true,
		pairs:    compare.Pairs(compare.Lines(la, lb), alikeLines(la, lb)),
		text:     func(side, i int) string { return both[side][i] },
		number:   ordinal,
		words:    func(i, j int) (x, y []compare.Span) { return compare.Words(la[i], lb[j]) },
		language: ui.Language(name, string(first[:min(len(first), 200)])),
		width:    digits(max(len(la), len(lb))),
	}
	s.unsure = unsureTail(s.pairs, cutA, cutB)
	return s
}

// closely is for how many pairs of lines their words are compared to find those that
// belong together: about a second's work.
const closely = 100_000

// alikeLines tells how much two lines have in common: at their ends, else in words.
func alikeLines(a, b []string) func(i, j int) int {
	left := closely
	return func(i, j int) int {
		if n := compare.Alike(a[i], b[j]); n > 0 || left == 0 || len(a[i])+len(b[j]) > 500 {
			return n
		}
		left--
		inA, _ := compare.Words(a[i], b[j])
		if inA == nil {
			return 0
		}
		same := len(a[i])
		for _, x := range inA {
			same -= x.To - x.From
		}
		return max(1000*same/max(len(a[i]), len(b[j])), 1)
	}
}

// unsureTail is for lines in order: those after the last that both sides have may have
// theirs in what was not read of the other side.
func unsureTail(pairs []compare.Pair, cutA, cutB bool) func(k int) bool {
	if !cutA && !cutB {
		return nil
	}
	end := len(pairs)
	for end > 0 && (pairs[end-1].A < 0 && cutA || pairs[end-1].B < 0 && cutB) {
		end--
	}
	return func(k int) bool { return k >= end }
}

// sums of a facing.
type sums struct{ same, changed, added, removed, unsure int }

// sums counts once: every frame asks, and there may be hundreds of thousands of lines.
func (s *facing) sums() sums {
	if s.summed == nil {
		n := s.count()
		s.summed = &n
	}
	return *s.summed
}

func (s *facing) count() (n sums) {
	for k, p := range s.pairs {
		switch {
		case s.unsure != nil && s.unsure(k):
			n.unsure++
		case p.Same:
			n.same++
		case p.A >= 0 && p.B >= 0:
			n.changed++
		case p.A >= 0:
			n.removed++
		default:
			n.added++
		}
	}
	return n
}

// told says in a line what differs.
func (s *facing) told(n sums) string {
	if s.alone {
		return plural(int64(len(s.pairs)), s.unit)
	}
	var parts []string
	for _, x := range []struct {
		sign string
		n    int
		what string
	}{{"~", n.changed, "changed"}, {"+", n.added, "added"}, {"-", n.removed, "removed"}, {"? ", n.unsure, "not known"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%s%s %s", x.sign, count(int64(x.n)), x.what))
		}
	}
	if n.same > 0 {
		parts = append(parts, count(int64(n.same))+" the same")
	}
	if len(parts) == 0 {
		return "empty"
	}
	return strings.Join(parts, ", ")
}

// differs says whether anything does, or may.
func (n sums) differs() bool { return n.changed+n.added+n.removed+n.unsure > 0 }
