package views

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"provcat-tui/ui"
)

// An order is something that a list can be sorted by: num or str.
type order[T any] struct {
	name string // for the command line
	// column is the title of the column that shows it.
	column string
	num    func(*T) int64
	str    func(*T) string
	desc   bool // the first direction: the largest or newest first
}

// sorting is how a list is sorted: as wanted, and as shown until that is worked out.
type sorting struct {
	by     int // of the orders, from 1; 0: as it came
	desc   bool
	isBy   int // as shown
	isDesc bool
	// order are the items that stand at the first places; those that came since
	// follow as they came.
	order []int32
	run   int           // the number of the sort whose answer counts
	aside bool          // a sort runs aside
	took  time.Duration // by the last one
}

// sortNext sorts by the next order, after the last one not at all.
func (l *list[T]) sortNext() action {
	by := (l.by + 1) % (len(l.orders) + 1)
	for by > 0 && !l.table.Shows(l.column(by)) { // the columns are others at times
		by = (by + 1) % (len(l.orders) + 1)
	}
	return l.sort(by, by > 0 && l.orders[by-1].desc)
}

func (l *list[T]) byTitle(t *ui.Table, title string) action {
	if t != &l.table || len(l.orders) == 0 {
		return nil
	}
	for i, o := range l.orders {
		switch {
		case o.column != title:
		case l.by == i+1:
			return l.sort(l.by, !l.desc)
		default:
			return l.sort(i+1, o.desc)
		}
	}
	return tell{ui.Dim, "These lines are not sorted by " + title + "; {sort} goes through what they can be sorted by."}
}

// column is that of an order; -1: it is not shown.
func (l *list[T]) column(by int) int {
	return slices.IndexFunc(l.table.Columns, func(c ui.Column) bool { return by > 0 && c.Title == l.orders[by-1].column })
}

func (l *list[T]) sort(by int, desc bool) action {
	l.by, l.desc = by, desc
	l.run++
	l.aside = false
	if by == 0 {
		return all{stop{"sort"}, l.arrange(nil), note{ui.Dim, "In the order in which they are stored."}}
	}
	how := "ascending"
	if desc {
		how = "descending"
	}
	said := tell{ui.Dim, fmt.Sprintf("Sorted by %s, %s; {turn} turns it.", l.orders[by-1].name, how)}
	if l.more != nil && l.more() {
		said = tell{ui.Warn, fmt.Sprintf("! Only the %s lines loaded so far are sorted; scroll on to load more.", count(int64(len(l.items))))}
	}
	return all{said, l.sortAll(nil)}
}

// unsort forgets the order that was worked out, not the wish for it.
func (l *list[T]) unsort() {
	l.order, l.aside = nil, false
	l.run++
}

// resort takes in the items that came.
func (l *list[T]) resort() action {
	if l.aside || len(l.order) == len(l.items) {
		return nil
	}
	return l.sortAll(l.order)
}

// sortAll sorts the items after those of an order that holds already, and merges.
func (l *list[T]) sortAll(holds []int32) action {
	if l.by > len(l.orders) {
		return nil
	}
	items, o, desc, run := l.items, l.orders[l.by-1], l.desc, l.run
	if len(items) <= inline {
		out, _ := o.sort(context.Background(), items, holds, desc)
		return l.arrange(out)
	}
	// Rows that go on coming take a fifth of the time, not all of it.
	pause := time.Duration(0)
	if holds != nil {
		pause = 4 * l.took
	}
	l.aside = true
	var out []int32
	var took time.Duration
	return begin{load("sort", "Sorting "+plural(int64(len(items)), "line")+" by "+o.name, func(ctx context.Context, _ func(struct{})) (err error) {
		if pause > 0 && !rest(ctx, pause) {
			return ctx.Err()
		}
		begun := time.Now()
		out, err = o.sort(ctx, items, holds, desc)
		took = time.Since(begun)
		return err
	}, nil, func(err error) action {
		if run != l.run {
			return nil
		}
		l.aside = false
		if err != nil { // cancelled: what is shown stays
			l.by, l.desc = l.isBy, l.isDesc
			return note{ui.Dim, "Sorting was cancelled: the order is the one before."}
		}
		l.took = took
		return all{l.arrange(out), l.resort()}
	})}
}

// arrange shows the items in an order; the cursor stays on its item, on the first
// row it stays on the first row.
func (l *list[T]) arrange(order []int32) action {
	at, top := l.cursorItem(), l.table.Cursor == 0
	var marked []bool
	if len(l.words) > 0 && !l.busy {
		marked = make([]bool, l.seen)
		for _, p := range l.found {
			marked[l.item(int(p))] = true
		}
	}
	l.order = order
	l.isBy, l.isDesc = l.by, l.desc
	var act action
	if marked != nil {
		l.found = l.found[:0:0]
		for p := range len(l.items) {
			if i := l.item(p); i < len(marked) && marked[i] {
				l.found = append(l.found, int32(p))
			}
		}
		act = l.search()
	} else if len(l.words) > 0 {
		l.restart()
		act = all{stop{"filter"}, l.search()}
	}
	if top {
		l.table.Cursor = 0
	} else {
		l.moveTo(at)
	}
	return act
}

func (l *list[T]) sortBy(name, way string) (action, error) {
	for i, o := range l.orders {
		if o.name == name {
			return l.sort(i+1, way == "desc" || way == "" && o.desc), nil
		}
	}
	if name == "none" {
		return l.sort(0, false), nil
	}
	return nil, fmt.Errorf("these lines cannot be sorted by %q, only by %s", name, strings.Join(append(l.sorts(), "none"), ", "))
}

func (l *list[T]) sorts() (out []string) {
	for _, o := range l.orders {
		out = append(out, o.name)
	}
	return out
}

// A keyed item: most comparisons are of the keys alone.
type keyed struct {
	key uint64
	i   int32
}

// compare two items; equal ones stay as they came.
func (o *order[T]) compare(items []T, a, b int32, desc bool) int {
	var c int
	if o.num != nil {
		c = cmp.Compare(o.num(&items[a]), o.num(&items[b]))
	} else {
		c = strings.Compare(o.str(&items[a]), o.str(&items[b]))
	}
	if desc {
		c = -c
	}
	return cmp.Or(c, cmp.Compare(a, b))
}

// sort gives the indexes of items in their order, on all cores. holds is the order of
// the first ones.
func (o *order[T]) sort(ctx context.Context, items []T, holds []int32, desc bool) ([]int32, error) {
	ks := o.keys(items, len(holds), desc)
	less := func(a, b keyed) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return o.compare(items, a.i, b.i, desc)
	}
	const part = 1 << 16
	cores := runtime.GOMAXPROCS(0)
	parts := (len(ks) + part - 1) / part
	for p := 0; p < parts; p += cores {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sideways(min(cores, parts-p), func(c int) {
			from := (p + c) * part
			slices.SortFunc(ks[from:min(from+part, len(ks))], less)
		})
	}
	spare := make([]keyed, len(ks))
	for size := part; size < len(ks); size *= 2 {
		pairs := (len(ks) + 2*size - 1) / (2 * size)
		for p := 0; p < pairs; p += cores {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			sideways(min(cores, pairs-p), func(c int) {
				from := (p + c) * 2 * size
				mid, to := min(from+size, len(ks)), min(from+2*size, len(ks))
				merge(spare[from:to], ks[from:mid], ks[mid:to], less)
			})
		}
		ks, spare = spare, ks
	}
	tail := make([]int32, len(ks))
	for i, k := range ks {
		tail[i] = k.i
	}
	if len(holds) == 0 {
		return tail, ctx.Err()
	}
	out := make([]int32, len(items))
	merge(out, holds, tail, func(a, b int32) int { return o.compare(items, a, b, desc) })
	return out, ctx.Err()
}

// merge puts two sorted slices together.
func merge[E any](out, a, b []E, compare func(x, y E) int) {
	for n := range out {
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			out[n], a = a[0], a[1:]
		} else {
			out[n], b = b[0], b[1:]
		}
	}
}

// keys gives the items from one on their keys: of a number all of it, of a text the
// eight bytes after what all of them begin with.
func (o *order[T]) keys(items []T, from int, desc bool) []keyed {
	ks := make([]keyed, len(items)-from)
	flip := uint64(0)
	if desc {
		flip = ^flip
	}
	if o.num != nil {
		for k := range ks {
			ks[k] = keyed{(uint64(o.num(&items[from+k])) ^ 1<<63) ^ flip, int32(from + k)}
		}
		return ks
	}
	if len(ks) == 0 {
		return ks
	}
	common := o.str(&items[from])
	for k := range ks {
		s := o.str(&items[from+k])
		n := 0
		for n < len(common) && n < len(s) && common[n] == s[n] {
			n++
		}
		common = common[:n]
	}
	for k := range ks {
		s := o.str(&items[from+k])[len(common):]
		var key uint64
		for b := range 8 {
			key <<= 8
			if b < len(s) {
				key |= uint64(s[b])
			}
		}
		ks[k] = keyed{key ^ flip, int32(from + k)}
	}
	return ks
}
