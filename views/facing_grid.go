package views

import (
	"strconv"
	"strings"

	"provcat-tui/compare"
	"provcat-tui/ui"
)

// A gridText gives the records of two tables as lines with straight columns.
type gridText struct {
	grid   compare.Grid
	recs   [2][][]string
	widths []int
	right  []bool // a column of numbers
}

// sampled is how many records of each side tell how wide the columns are, besides all
// that differ, up to as many.
const sampled = 1000

// The widths that a column may have.
const (
	leastCell = 3
	mostCell  = 60
)

func newGridText(g compare.Grid, recs [2][][]string) *gridText {
	t := &gridText{grid: g, recs: recs, widths: make([]int, len(g.Columns)), right: make([]bool, len(g.Columns))}
	most := max(min(mostCell, 240/max(len(g.Columns), 1)), 16)
	numbers, others := make([]int, len(g.Columns)), make([]int, len(g.Columns))
	for k := range g.Columns {
		t.widths[k] = max(leastCell, min(ui.Width(ui.Clean(t.title(k))), most))
	}
	look := func(side, i int) {
		for k := range g.Columns {
			c := shownCell(t.cell(side, i, k))
			if len(c) == 0 {
				continue
			}
			t.widths[k] = max(t.widths[k], min(ui.Width(ui.Clean(c[:min(len(c), 4*most)])), most))
			if _, err := strconv.ParseFloat(c, 64); err == nil {
				numbers[k]++
			} else {
				others[k]++
			}
		}
	}
	n, different := 0, 0
	for _, p := range g.Pairs {
		if p.Same {
			if n++; n > sampled {
				continue
			}
		} else if different++; different > sampled {
			continue
		}
		if p.A >= 0 {
			look(0, int(p.A))
		}
		if p.B >= 0 && !p.Same {
			look(1, int(p.B))
		}
	}
	for k := range t.right {
		t.right[k] = numbers[k] > 0 && others[k] == 0
	}
	return t
}

// title is a column's name; a sign says that only one side has the column.
func (t *gridText) title(k int) string {
	c := t.grid.Columns[k]
	name := c.Name
	if name == "" {
		name = strconv.Itoa(k + 1)
	}
	switch {
	case c.A < 0:
		return "+" + name
	case c.B < 0:
		return "-" + name
	}
	return name
}

func (t *gridText) cell(side, i, k int) string {
	at := t.grid.Columns[k].A
	if side == 1 {
		at = t.grid.Columns[k].B
	}
	if rec := t.recs[side][i]; at >= 0 && at < len(rec) {
		return rec[at]
	}
	return ""
}

var cellSigns = strings.NewReplacer("\r\n", "↵", "\n", "↵", "\t", " ")

func shownCell(c string) string {
	if len(c) > 4<<10 {
		c = c[:4<<10]
	}
	return cellSigns.Replace(c)
}

// put appends a text of a width to a line; what does not fit is cut, with a sign.
func put(b *strings.Builder, text string, w int, right bool) (from, to int) {
	n := ui.Width(ui.Clean(text))
	if n > w {
		cut := 0
		for i := range text {
			if i > 4*w || ui.Width(ui.Clean(text[:i])) > w-1 {
				break
			}
			cut = i
		}
		text = text[:cut] + "…"
		n = ui.Width(ui.Clean(text))
	}
	if right {
		b.WriteString(ui.Spaces(w - n))
	}
	from = b.Len()
	b.WriteString(text)
	to = b.Len()
	if !right {
		b.WriteString(ui.Spaces(w - n))
	}
	return from, to
}

const betweenCells = "  "

// line is a record, and where each of its cells stands in it. Cells past the columns
// follow at the end.
func (t *gridText) line(side, i int) (string, []compare.Span) {
	var b strings.Builder
	cells := make([]compare.Span, 0, len(t.widths))
	for k, w := range t.widths {
		if k > 0 {
			b.WriteString(betweenCells)
		}
		from, to := put(&b, shownCell(t.cell(side, i, k)), w, t.right[k])
		cells = append(cells, compare.Span{From: from, To: to})
	}
	for _, c := range t.past(side, i) {
		b.WriteString(betweenCells)
		from := b.Len()
		b.WriteString(shownCell(c))
		cells = append(cells, compare.Span{From: from, To: b.Len()})
	}
	return strings.TrimRight(b.String(), " "), cells
}

// past are a record's cells that no column is for.
func (t *gridText) past(side, i int) []string {
	named := 0
	for _, c := range t.grid.Columns {
		at := c.A
		if side == 1 {
			at = c.B
		}
		named = max(named, at+1)
	}
	rec := t.recs[side][i]
	return rec[min(named, len(rec)):]
}

// words are the cells that differ in two records.
func (t *gridText) words(i, j int) (inA, inB []compare.Span) {
	lineA, cellsA := t.line(0, i)
	lineB, cellsB := t.line(1, j)
	pastA, pastB := t.past(0, i), t.past(1, j)
	add := func(out []compare.Span, line string, cells []compare.Span, k int) []compare.Span {
		if k < len(cells) && cells[k].From < min(cells[k].To, len(line)) {
			out = append(out, compare.Span{From: cells[k].From, To: min(cells[k].To, len(line))})
		}
		return out
	}
	n := len(t.widths)
	for k := range max(len(cellsA), len(cellsB)) {
		switch {
		case k < n:
			if c := t.grid.Columns[k]; c.A < 0 || c.B < 0 || t.cell(0, i, k) == t.cell(1, j, k) {
				continue
			}
		case k-n < len(pastA) && k-n < len(pastB) && pastA[k-n] == pastB[k-n]:
			continue
		}
		inA, inB = add(inA, lineA, cellsA, k), add(inB, lineB, cellsB, k)
	}
	return inA, inB
}

// head is the line of titles.
func (t *gridText) head() string {
	if !t.grid.Headed {
		return ""
	}
	var b strings.Builder
	for k, w := range t.widths {
		if k > 0 {
			b.WriteString(betweenCells)
		}
		put(&b, t.title(k), w, t.right[k])
	}
	return strings.TrimRight(b.String(), " ")
}
