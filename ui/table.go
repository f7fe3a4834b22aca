package ui

import "strings"

// A Cell is one text of a table, as it came; the table makes it safe and cuts it.
type Cell struct {
	Text string
	Tone Tone
	// Marks are the bytes of Text, ascending, whose characters are underlined: what
	// a search found.
	Marks []int
	// Tail cuts this cell at the left, whatever its column does.
	Tail bool
}

// A Row is what a table shows on one line. It is filled anew for each line.
type Row struct {
	Cells  []Cell
	Marked bool // a person marked it
	// Wide lets the last cell take all the room to the right.
	Wide bool
}

// Add appends a cell.
func (r *Row) Add(tone Tone, text string) { r.Cells = append(r.Cells, Cell{Text: text, Tone: tone}) }

// Rows is what a table shows. Only rows on the screen are asked for, so that any
// number of them costs nothing.
type Rows interface {
	Len() int
	Row(i int, r *Row)
}

// A Column of a table.
type Column struct {
	Title string
	// Min is the least width; below it the column is left out or, with Keep, cut.
	Min int
	// Weight shares out the width that is left over; 0: the column stays at Min.
	Weight int
	// Max bounds a column with a weight; 0: none.
	Max   int
	Align Align
	// Drop tells which columns go first when the room is short: the highest
	// first; 0: never.
	Drop int
}

// A Table shows a window of rows under a line of titles, with a cursor.
type Table struct {
	Columns []Column
	// Show are the names of the columns to show, in their order, see Column.Name; nil:
	// all. Set it before the first view, or call Relayout.
	Show    []string
	Cursor  int
	Focused bool
	// Sorted is the column whose title tells that the rows are sorted by it, from 1;
	// 0: none.
	Sorted     int
	Descending bool
	// NoTitles leaves the line of titles out.
	NoTitles bool
	top      int
	// loose says that the wheel moved the window away from the cursor.
	loose    bool
	pointed  int // the row or the number of lines of the mouse's movement
	shown    int // rows there were in the last view
	page     int // rows in the last view
	row      Row
	widths   []int
	order    []int // the columns as they are drawn
	stored   []int // and as they are in Columns: the order of a wide row
	widthFor int
}

// gutter is the width of the marks before each row: the cursor's and a person's.
const gutter = 2

// Move handles the movements of a list: "up", "down", "pageup", "pagedown",
// "top", "bottom". It tells whether it knows the movement.
func (t *Table) Move(id string, n int) bool {
	page := max(t.page-1, 1)
	switch id {
	case "up":
		t.Cursor--
	case "down":
		t.Cursor++
	case "pageup":
		t.Cursor -= page
	case "pagedown":
		t.Cursor += page
	case "top":
		t.Cursor = 0
	case "bottom":
		t.Cursor = n - 1
	case "point":
		t.Cursor = t.pointed
	case "wheel":
		t.Wheel(t.pointed)
		t.loose = false
		from, to := t.Window(n)
		t.Cursor = max(min(t.Cursor, to-1), from)
	default:
		return false
	}
	t.loose = false
	t.Clamp(n)
	t.scroll(n)
	return true
}

// Clamp keeps the cursor within n rows.
func (t *Table) Clamp(n int) { t.Cursor = max(min(t.Cursor, n-1), 0) }

// Window is the first row on the screen and the one after the last, of n rows.
func (t *Table) Window(n int) (from, to int) {
	page := max(t.page, 1)
	return min(t.top, n), min(t.top+page, n)
}

// layout gives the width of each column; 0: left out.
func (t *Table) layout(w int) []int {
	if t.widthFor == w && len(t.widths) == len(t.Columns) {
		return t.widths
	}
	ws := make([]int, len(t.Columns))
	room := w - gutter
	t.order, t.stored = t.arrange(), t.stored[:0]
	for i := range t.Columns {
		t.stored = append(t.stored, i)
	}
	for _, i := range t.order {
		ws[i] = t.Columns[i].Min
	}
	total := func() int {
		n := 0
		for _, x := range ws {
			if x > 0 {
				n += x + 1
			}
		}
		return max(n-1, 0)
	}
	for total() > room {
		worst, left := -1, 0
		for i, c := range t.Columns {
			if ws[i] > 0 {
				left++
			}
			if ws[i] > 0 && c.Drop > 0 && (worst < 0 || c.Drop > t.Columns[worst].Drop) {
				worst = i
			}
		}
		if worst < 0 || left == 1 { // the last one is cut rather
			break
		}
		ws[worst] = 0
	}
	for over := total() - room; over > 0; over = total() - room {
		// Only columns that always stay are left: the widest gives way.
		widest := 0
		for i := range ws {
			if ws[i] > ws[widest] {
				widest = i
			}
		}
		if len(ws) == 0 || ws[widest] <= 1 {
			break
		}
		ws[widest]--
	}
	for left := room - total(); left > 0; {
		weight := 0
		open := func(i int) bool {
			c := t.Columns[i]
			return ws[i] > 0 && c.Weight > 0 && (c.Max == 0 || ws[i] < c.Max)
		}
		for i, c := range t.Columns {
			if open(i) {
				weight += c.Weight
			}
		}
		if weight == 0 {
			break
		}
		before := left
		share := left
		for i, c := range t.Columns {
			if !open(i) {
				continue
			}
			add := min(max(share*c.Weight/weight, 1), left)
			if c.Max > 0 {
				add = min(add, c.Max-ws[i])
			}
			ws[i] += add
			left -= add
		}
		if left == before {
			break
		}
	}
	t.widths, t.widthFor = ws, w
	return ws
}

// Relayout has the widths worked out anew: after Columns changed.
func (t *Table) Relayout() { t.widths = nil }

// View gives h lines of w columns.
func (t *Table) View(rows Rows, w, h int, th *Theme) []string {
	if h <= 0 || w <= 0 {
		return Block(nil, w, h)
	}
	out := make([]string, 0, h)
	ws := t.layout(w)
	if !t.NoTitles {
		var b strings.Builder
		b.WriteString(Spaces(gutter))
		first := true
		for _, i := range t.order {
			c := t.Columns[i]
			if ws[i] == 0 {
				continue
			}
			if !first {
				b.WriteByte(' ')
			}
			first = false
			a := c.Align
			if a == Tail {
				a = Left
			}
			title := c.Title
			if t.Sorted == i+1 {
				title = t.sortedTitle(title, ws[i])
			}
			if c.Title != "" {
				b.WriteString(th.Mark(Spot{W: ws[i], H: 1, Table: t, Title: c.Title, Focused: t.Focused}))
			}
			b.WriteString(Fit(title, ws[i], a))
		}
		out = append(out, th.Paint(Dim, Pad(b.String(), w)))
	}
	t.page = h - len(out)
	n := rows.Len()
	t.shown = n
	t.Clamp(n)
	t.scroll(n)
	first := len(out)
	for i := t.top; i < n && len(out) < h; i++ {
		out = append(out, t.line(rows, i, ws, w, th))
	}
	for len(out) < h {
		out = append(out, Spaces(w))
	}
	if first < len(out) {
		out[first] = th.Mark(Spot{W: w, H: t.page, Table: t, Focused: t.Focused}) + out[first]
	}
	return out
}

// sortedTitle is a title with the sign of its order; the sign stays when it is cut.
func (t *Table) sortedTitle(title string, w int) string {
	sign := "▲"
	if t.Descending {
		sign = "▼"
	}
	if room := w - 2; Width(title) > room {
		title = strings.TrimRight(Fit(title, max(room, 0), Left), " ")
	}
	return strings.TrimLeft(title+" "+sign, " ")
}

// Hit is the row on line y of the rows in the last view, from 0; -1: there is none.
func (t *Table) Hit(y int) int {
	if i := t.top + y; y >= 0 && y < t.page && i < t.shown {
		return i
	}
	return -1
}

// Shown is how many rows there were in the last view, on the screen or not.
func (t *Table) Shown() int { return t.shown }

// Point prepares the movement "point", to row i.
func (t *Table) Point(i int) { t.pointed = i }

// Turn prepares the movement "wheel", by n lines, which takes the cursor along where
// it would get out of sight.
func (t *Table) Turn(n int) { t.pointed = n }

// Wheel scrolls n lines and leaves the cursor where it is, seen or not, until it is
// moved: for a table that has not the keys.
func (t *Table) Wheel(n int) {
	t.top = max(min(t.top+n, t.shown-max(t.page, 1)), 0)
	t.loose = true
}

// scroll moves the window so that the cursor is in it.
func (t *Table) scroll(n int) {
	page := max(t.page, 1)
	if t.Focused {
		t.loose = false
	}
	if t.loose {
		t.top = max(min(t.top, n-page), 0)
		return
	}
	if t.Cursor < t.top {
		t.top = t.Cursor
	}
	if t.Cursor >= t.top+page {
		t.top = t.Cursor - page + 1
	}
	t.top = max(min(t.top, n-page), 0)
}

func (t *Table) line(rows Rows, i int, ws []int, w int, th *Theme) string {
	t.row.Cells, t.row.Marked, t.row.Wide = t.row.Cells[:0], false, false
	rows.Row(i, &t.row)
	selected := i == t.Cursor
	reverse := selected && t.Focused
	var b strings.Builder
	b.Grow(w + 64)
	if reverse {
		b.WriteString(reverseSGR)
	}
	if selected {
		b.WriteString("›")
	} else {
		b.WriteByte(' ')
	}
	if t.row.Marked {
		b.WriteString("*")
	} else {
		b.WriteByte(' ')
	}
	used := gutter
	order := t.order
	if t.row.Wide { // what it has to say may be in a column that is not shown
		order = t.stored
	}
	for _, c := range order {
		if ws[c] == 0 && (!t.row.Wide || c != len(t.row.Cells)-1) {
			continue
		}
		if used > gutter && used < w {
			b.WriteByte(' ')
			used++
		}
		cw := min(ws[c], w-used)
		align := t.Columns[c].Align
		last := t.row.Wide && c == len(t.row.Cells)-1
		if last {
			cw, align = w-used, Left
		}
		if cw <= 0 {
			break
		}
		var cell Cell
		if c < len(t.row.Cells) {
			cell = t.row.Cells[c]
		}
		open := ""
		if !reverse {
			open = th.open[cell.Tone]
		}
		b.WriteString(open)
		if cell.Tail && !last {
			align = Tail
		}
		if len(cell.Marks) > 0 {
			b.WriteString(FitMarked(cell.Text, cell.Marks, cw, align))
		} else {
			writeFit(&b, cell.Text, cw, align)
		}
		if open != "" {
			b.WriteString(closeSGR)
		}
		used += cw
		if last {
			break
		}
	}
	b.WriteString(Spaces(w - used))
	if reverse {
		b.WriteString(closeSGR)
	}
	if w < gutter {
		return Pad(b.String(), w)
	}
	return b.String()
}
