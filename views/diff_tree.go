package views

import (
	"slices"
	"sort"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// A changeTree groups changes, which come in the order of their paths, by folder. A
// folder with nothing but one folder or one change in it has no row of its own, so
// that there are never more groups than twice the changes, however deep their paths
// are. All that it keeps for a change are two indexes.
type changeTree struct {
	changes []commit.Change // the list's
	groups  []changeGroup
	of      []int32     // the innermost group of each change; -1: it is in none
	stack   []openGroup // the groups of the last change, outermost first
	rows    []int32     // what is shown: a change, or ^ a group
	dirty   int         // rows of the changes from here on are out of date
	headed  bool        // a folder has a row: files stand further in
	table   ui.Table
}

// A changeGroup is a folder with its changes, from first to before end.
type changeGroup struct {
	parent int32 // -1: none
	first  int32
	end    int32 // -1: more may come
	size   int32 // of the folder's path, with its slash
	closed bool
	totals totals
}

// totals of changes: how many of each kind, and their bytes on both sides.
type totals struct{ added, removed, changed, before, after int64 }

func (t *totals) add(o totals) {
	t.added += o.added
	t.removed += o.removed
	t.changed += o.changed
	t.before += o.before
	t.after += o.after
}

func totalsOf(c *commit.Change) totals {
	t := totals{before: max(c.From.Size, 0), after: max(c.To.Size, 0)}
	switch c.Kind {
	case commit.Added:
		t.added = 1
	case commit.Removed:
		t.removed = 1
	default:
		t.changed = 1
	}
	return t
}

// An openGroup may get more changes; pending is what its totals lack.
type openGroup struct {
	group   int32
	pending totals
}

// add takes in the changes after those that it knows.
func (t *changeTree) add(changes []commit.Change) {
	from := len(t.of)
	t.changes = changes
	for i := from; i < len(changes); i++ {
		t.put(i)
	}
	for k := len(t.stack) - 1; k >= 0; k-- {
		o := &t.stack[k]
		t.groups[o.group].totals.add(o.pending)
		if k > 0 {
			t.stack[k-1].pending.add(o.pending)
		}
		o.pending = totals{}
	}
	at := t.row()
	t.fill()
	if t.table.Cursor > 0 { // rows may have come above it
		t.moveTo(at)
	}
}

func (t *changeTree) put(i int) {
	path := t.changes[i].Path
	dir := int32(strings.LastIndexByte(path, '/') + 1)
	common := int32(0)
	if i > 0 {
		common = commonFolder(t.changes[i-1].Path, path)
	}
	left := int32(-1)
	for n := len(t.stack); n > 0 && t.groups[t.stack[n-1].group].size > common; n-- {
		o := t.stack[n-1]
		t.stack = t.stack[:n-1]
		left = o.group
		t.groups[left].end = int32(i)
		t.groups[left].totals.add(o.pending)
		if n > 1 {
			t.stack[n-2].pending.add(o.pending)
		}
	}
	if left >= 0 && common > 0 && t.innerSize() < common {
		// What was left and what comes share a folder that had no row so far.
		g := t.groups[left]
		t.push(changeGroup{first: g.first, size: common, totals: g.totals})
		t.groups[left].parent = t.inner()
		t.dirty = min(t.dirty, int(g.first))
	}
	if g := t.inner(); g >= 0 && int(t.groups[g].first) == i-1 {
		t.dirty = min(t.dirty, i-1) // its second change: it gets a row
	}
	if dir > t.innerSize() {
		t.push(changeGroup{first: int32(i), size: dir})
	}
	t.of = append(t.of, t.inner())
	if n := len(t.stack); n > 0 {
		t.stack[n-1].pending.add(totalsOf(&t.changes[i]))
	}
}

func (t *changeTree) push(g changeGroup) {
	g.parent, g.end = t.inner(), -1
	t.groups = append(t.groups, g)
	t.stack = append(t.stack, openGroup{group: int32(len(t.groups) - 1)})
}

// inner is the innermost open group; -1: there is none.
func (t *changeTree) inner() int32 {
	if n := len(t.stack); n > 0 {
		return t.stack[n-1].group
	}
	return -1
}

func (t *changeTree) innerSize() int32 {
	if g := t.inner(); g >= 0 {
		return t.groups[g].size
	}
	return 0
}

// commonFolder is the size of the longest folder that both paths are in.
func commonFolder(a, b string) int32 {
	slash := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			slash = i + 1
		}
	}
	return int32(slash)
}

// end is the change after the last one of a group.
func (t *changeTree) end(g int32) int {
	if e := t.groups[g].end; e >= 0 {
		return int(e)
	}
	return len(t.of)
}

// shown says that a group has a row of its own.
func (t *changeTree) shown(g int32) bool { return t.end(g)-int(t.groups[g].first) > 1 }

// around is the innermost group with a row of its own, of this one and those around it.
func (t *changeTree) around(g int32) int32 {
	for g >= 0 && !t.shown(g) {
		g = t.groups[g].parent
	}
	return g
}

// begins is the first change of a row.
func (t *changeTree) begins(row int32) int {
	if row < 0 {
		return int(t.groups[^row].first)
	}
	return int(row)
}

// at is the first row that begins at a change or after it.
func (t *changeTree) at(change int) int {
	return sort.Search(len(t.rows), func(r int) bool { return t.begins(t.rows[r]) >= change })
}

// fill brings the rows up to date.
func (t *changeTree) fill() {
	from := t.dirty
	t.rows = t.rows[:t.at(from)]
	if n := len(t.rows); n > 0 && t.rows[n-1] < 0 {
		if g := ^t.rows[n-1]; t.groups[g].closed {
			from = max(from, t.end(g))
		}
	}
	t.rows = t.unrolled(t.rows, from, len(t.of), -1)
	t.dirty = len(t.of)
}

// unrolled appends the rows of the changes from one to before another, of groups
// only those within a group; -1: of all.
func (t *changeTree) unrolled(rows []int32, from, to int, within int32) []int32 {
	var chain []int32
	for i := from; i < to; {
		chain = chain[:0]
		for g := t.of[i]; g != within && g >= 0 && int(t.groups[g].first) == i; g = t.groups[g].parent {
			if t.shown(g) {
				chain = append(chain, g)
			}
		}
		next := -1
		for k := len(chain) - 1; k >= 0 && next < 0; k-- {
			rows = append(rows, ^chain[k])
			t.headed = true
			if t.groups[chain[k]].closed {
				next = t.end(chain[k])
			}
		}
		if next < 0 {
			rows = append(rows, int32(i))
			next = i + 1
		}
		i = next
	}
	return rows
}

// row is what is under the cursor; noRow: there is nothing.
func (t *changeTree) row() (row int32) {
	if c := t.table.Cursor; c >= 0 && c < len(t.rows) {
		return t.rows[c]
	}
	return noRow
}

// noRow is no row of a changeTree.
const noRow = int32(1<<31 - 1)

// moveTo puts the cursor on a row, if it is shown.
func (t *changeTree) moveTo(row int32) {
	if row == noRow || row >= 0 && int(row) >= len(t.of) {
		return
	}
	for r := t.at(t.begins(row)); r < len(t.rows) && t.begins(t.rows[r]) == t.begins(row); r++ {
		if t.rows[r] == row {
			t.table.Cursor = r
			return
		}
	}
}

// selected is the change under the cursor; -1: it is on a folder, or there is none.
func (t *changeTree) selected() int {
	if r := t.row(); r >= 0 && r != noRow {
		return int(r)
	}
	return -1
}

// under is the change under the cursor, of a folder its first one; -1: there is none.
func (t *changeTree) under() int {
	if r := t.row(); r != noRow {
		return t.begins(r)
	}
	return -1
}

// group is the folder under the cursor; -1: it is on a change, or there is none.
func (t *changeTree) group() int32 {
	if r := t.row(); r < 0 {
		return ^r
	}
	return -1
}

// toggle folds or unfolds the folder under the cursor.
func (t *changeTree) toggle() {
	g := t.group()
	if g < 0 {
		return
	}
	group := &t.groups[g]
	from, to := t.table.Cursor+1, t.at(t.end(g))
	group.closed = !group.closed
	var inside []int32
	if !group.closed {
		to = from
		inside = t.unrolled(nil, int(group.first), t.end(g), g)
	}
	t.rows = slices.Replace(t.rows, from, to, inside...)
}

// outwards goes to the heading of the folder around the row under the cursor.
func (t *changeTree) outwards() {
	var up int32
	switch r := t.row(); {
	case r == noRow:
		return
	case r < 0:
		up = t.groups[^r].parent
	default:
		up = t.around(t.of[r])
	}
	if up >= 0 {
		t.moveTo(^up)
	}
}

// foldAll folds or unfolds all folders; the cursor goes to what is left of its row.
func (t *changeTree) foldAll(closed bool) {
	at := t.row()
	for g := range t.groups {
		t.groups[g].closed = closed
	}
	t.dirty = 0
	t.fill()
	if at == noRow {
		return
	}
	if closed {
		g := ^at
		if at >= 0 {
			g = t.around(t.of[at])
		}
		for ; g >= 0; g = t.groups[g].parent {
			at = ^g
		}
	}
	t.moveTo(at)
}

// anyOpen says whether a folder is unfolded.
func (t *changeTree) anyOpen() bool {
	for g := range t.groups {
		if !t.groups[g].closed && t.shown(int32(g)) {
			return true
		}
	}
	return false
}

// reveal puts the cursor on a change and unfolds the folders around it.
func (t *changeTree) reveal(change int) {
	if change < 0 || change >= len(t.of) {
		return
	}
	for g := t.of[change]; g >= 0; g = t.groups[g].parent {
		if t.groups[g].closed {
			t.groups[g].closed = false
			t.dirty = min(t.dirty, int(t.groups[g].first))
		}
	}
	t.fill()
	t.moveTo(int32(change))
}

// path of a group's folder, with its slash.
func (t *changeTree) path(g int32) string {
	return t.changes[t.groups[g].first].Path[:t.groups[g].size]
}

// Len and Row make it the rows of its table.
func (t *changeTree) Len() int { return len(t.rows) }

// deepest is how far rows are indented, in levels.
const deepest = 8

// Row draws a folder or a change.
func (t *changeTree) Row(i int, out *ui.Row) {
	row := t.rows[i]
	g, change := ^row, row >= 0
	if change {
		g = t.around(t.of[row])
	} else {
		g = t.groups[g].parent
	}
	above, depth := int32(0), 0
	if g >= 0 {
		above = t.groups[g].size
	}
	for ; g >= 0 && depth < deepest; g = t.groups[g].parent {
		depth++
	}
	indent := ui.Spaces(2 * depth)
	if change {
		c := &t.changes[row]
		drawChange(c, out)
		if name := c.Path[above:]; name != "" && t.headed {
			out.Cells[1].Text = indent + "  " + name
		}
		return
	}
	group := &t.groups[^row]
	mark := "▾ "
	if group.closed {
		mark = "▸ "
	}
	sum := group.totals
	out.Add(ui.Dim, "")
	out.Add(ui.Accent, indent+mark+t.path(^row)[above:]+"  "+sum.counts())
	out.Add(ui.Dim, size(sum.before))
	out.Add(ui.Dim, size(sum.after))
	out.Add(ui.Dim, signed(sum.after-sum.before))
}

// counts are the numbers of changes, those that are not zero.
func (t totals) counts() string {
	var out []string
	for _, x := range []struct {
		mark string
		n    int64
	}{{"+", t.added}, {"-", t.removed}, {"~", t.changed}} {
		if x.n > 0 {
			out = append(out, x.mark+count(x.n))
		}
	}
	return strings.Join(out, " ")
}
