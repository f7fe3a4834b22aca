package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

type thing struct {
	name string
	n    int64
}

var thingOrders = []order[thing]{
	{name: "name", column: "name", str: func(t *thing) string { return t.name }},
	{name: "n", column: "n", desc: true, num: func(t *thing) int64 { return t.n }},
}

func things(n int, seed uint64) []thing {
	rnd := rand.New(rand.NewPCG(seed, 2))
	out := make([]thing, n)
	for i := range out {
		out[i] = thing{fmt.Sprintf("data/%x", rnd.Uint64N(uint64(n/2+1))), int64(rnd.Uint64()) >> rnd.IntN(64)}
	}
	return out
}

func thingList() *list[thing] {
	l := &list[thing]{orders: thingOrders, text: func(t *thing) string { return t.name }}
	l.row = func(t *thing, r *ui.Row) { r.Add(ui.Plain, t.name); r.Add(ui.Plain, fmt.Sprint(t.n)) }
	l.table.Columns = []ui.Column{{Title: "name", Min: 10}, {Title: "n", Min: 10}}
	return l
}

// settle does what a list asks for, as the program would, until nothing is left.
func settle(tb testing.TB, act action) {
	tb.Helper()
	switch act := act.(type) {
	case all:
		for _, a := range act {
			settle(tb, a)
		}
	case begin:
		next := act.work.launch(tb.Context())
		for {
			n := next()
			settle(tb, n.apply())
			if n.last {
				return
			}
		}
	}
}

// rows are the items as they are shown.
func rows(l *list[thing]) []thing {
	var out []thing
	for i := range l.Len() {
		out = append(out, *l.at(i))
	}
	return out
}

// Sorting, in parts and with later rows merged in, is what a stable sort gives.
func TestSortIsAStableSort(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100, 65_536, 65_537, 200_000} {
		items := things(n, 5)
		for _, o := range thingOrders {
			for _, desc := range []bool{false, true} {
				idx := make([]int32, n)
				for i := range idx {
					idx[i] = int32(i)
				}
				slices.SortStableFunc(idx, func(a, b int32) int {
					c := cmp.Compare(items[a].name, items[b].name)
					if o.num != nil {
						c = cmp.Compare(items[a].n, items[b].n)
					}
					if desc {
						return -c
					}
					return c
				})
				whole, err := o.sort(context.Background(), items, nil, desc)
				if err != nil || !slices.Equal(whole, idx) {
					t.Fatalf("%d by %s, desc %v: not sorted (%v)", n, o.name, desc, err)
				}
				part, _ := o.sort(context.Background(), items[:n*2/3], nil, desc)
				merged, err := o.sort(context.Background(), items, part, desc)
				if err != nil || !slices.Equal(merged, idx) {
					t.Fatalf("%d by %s, desc %v: not merged (%v)", n, o.name, desc, err)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := thingOrders[0].sort(ctx, things(200_000, 1), nil, false); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Whatever comes in which order (rows, queries, orders, cleared filters), the rows
// are those that match, in the order asked for, and the cursor's item stays.
func TestListKeepsItsOrderAndItsFilter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	for round := range 40 {
		l := thingList()
		scale := []int{10, 9000}[round%2]
		query := ""
		for range 12 {
			switch rnd.IntN(5) {
			case 0, 1:
				l.moveTo(0)
				l.table.Cursor = min(3, max(l.Len()-1, 0))
				was := l.cursorItem()
				settle(t, l.add(things(rnd.IntN(scale), uint64(rnd.IntN(99)))))
				if l.table.Cursor > 0 && l.cursorItem() != was {
					t.Fatalf("the cursor went from item %d to %d", was, l.cursorItem())
				}
			case 2:
				l.filter.Begin()
				c := string("0123456789abcdef/ "[rnd.IntN(18)])
				query += c
				settle(t, l.input(tea.KeyPressMsg{Code: rune(c[0]), Text: c}))
			case 3:
				l.clear()
				query = ""
			case 4:
				act, _ := l.does([]string{"sort", "turn"}[rnd.IntN(2)])
				if l.by == 0 && len(l.order) > 0 {
					t.Fatal("an order without a wish for it")
				}
				settle(t, act)
			}
		}
		var want []thing
		words := strings.Fields(query)
		for _, x := range l.items {
			ok := true
			for _, w := range words {
				ok = ok && strings.Contains(x.name, w)
			}
			if ok {
				want = append(want, x)
			}
		}
		if l.by > 0 {
			slices.SortStableFunc(want, func(a, b thing) int {
				c := cmp.Compare(a.name, b.name)
				if thingOrders[l.by-1].num != nil {
					c = cmp.Compare(a.n, b.n)
				}
				if l.desc {
					return -c
				}
				return c
			})
		}
		if got := rows(l); !slices.Equal(got, want) {
			t.Fatalf("round %d, query %q, by %d: %d rows, want %d", round, query, l.by, len(got), len(want))
		}
	}
}

// While a long list is sorted the old order is shown; cancelled, it stays.
func TestSortingIsCancelled(t *testing.T) {
	l := thingList()
	settle(t, l.add(things(100_000, 3)))
	before := *l.at(7)
	act, _ := l.does("sort")
	if *l.at(7) != before {
		t.Error("another order before it was worked out")
	}
	var w *work
	for _, a := range act.(all) {
		if b, ok := a.(begin); ok {
			w = b.work
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	next := w.launch(ctx)
	for {
		n := next()
		out := fmt.Sprint(n.apply())
		if n.last {
			if !strings.Contains(out, "cancelled") {
				t.Errorf("told %s", out)
			}
			break
		}
	}
	if *l.at(7) != before || l.by != 0 {
		t.Errorf("by %d after it was cancelled", l.by)
	}
}

func TestSortOnScreens(t *testing.T) {
	f := newFixture(t)
	f.put("data/b.csv", "1")
	f.put("data/a.csv", "12345")
	f.put("data/c.csv", "123")
	f.put("data/d.csv", "x")
	f.delete("data/d.csv")
	d := newDriver(t, f.start("data"), 100, 24)
	order := func(want ...string) {
		t.Helper()
		screen := d.text()
		at := -1
		for _, w := range want {
			i := strings.Index(screen, w)
			if i < at {
				t.Errorf("%s is not after the one before; want %v:\n%s", w, want, screen)
			}
			at = i
		}
	}
	order("a.csv", "b.csv", "c.csv", "d.csv")
	d.press("S")
	d.sees("Not now: not sorted yet; s sorts.")
	d.press("s", "s")
	d.sees("size ▼", "Sorted by size, descending")
	order("a.csv", "c.csv", "b.csv", "d.csv")
	d.press("S")
	d.sees("size ▲")
	order("d.csv", "b.csv", "c.csv", "a.csv")
	d.press("tab", "end", "s")
	d.sees("modified (UTC) ▼", "›   a.csv") // the cursor is still on a.csv
	order("d.csv", "c.csv", "a.csv", "b.csv")
	d.press("r")
	d.sees("modified (UTC) ▼", "›   a.csv")
	order("d.csv", "c.csv", "a.csv", "b.csv")
	d.press("s")
	d.seesNot("▼", "▲")
	order("a.csv", "b.csv", "c.csv", "d.csv")
}

// Of a folder that is loaded in part that is said.
func TestSortSaysThatNotAllIsLoaded(t *testing.T) {
	l := thingList()
	l.more = func() bool { return true }
	settle(t, l.add(things(10, 1)))
	act, _ := l.does("sort")
	if got := fmt.Sprint(act); !strings.Contains(got, "Only the 10 lines loaded so far") {
		t.Error(got)
	}
}

func TestSortByName(t *testing.T) {
	l := thingList()
	settle(t, l.add(things(10, 1)))
	if _, err := l.sortBy("n", "desc"); err != nil || l.by != 2 || !l.desc {
		t.Errorf("by %d, %v", l.by, err)
	}
	if _, err := l.sortBy("weight", ""); err == nil || !strings.Contains(err.Error(), "name, n, none") {
		t.Errorf("%v", err)
	}
}

// BenchmarkSort sorts a million rows; told is how long the key itself took.
func BenchmarkSort(b *testing.B) {
	a := commitOf(b, 1_000_000)
	s := a.stack.top().(*commitScreen)
	for i := range s.list.items {
		s.list.items[i].Size = int64(uint32(i) * 2654435761 >> 3)
	}
	for _, name := range []string{"path", "size"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				begun := time.Now()
				act, _ := s.list.sortBy(name, "desc")
				b.ReportMetric(float64(time.Since(begun).Microseconds()), "key-µs")
				settle(b, act)
			}
		})
	}
}
