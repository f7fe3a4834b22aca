package views

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// chunk is how many items one core looks at before what it found is shown.
const chunk = 8192

// query starts the search for what is typed now.
func (l *list[T]) query() action {
	words := strings.Fields(strings.ToLower(l.filter.Query()))
	if len(words) == 0 {
		if l.filtered() {
			l.words, l.narrow = nil, nil
			l.restart()
			l.moveTo(l.from)
		}
		return stop{"filter"}
	}
	if !l.filtered() {
		l.from = max(l.cursorItem(), 0)
	}
	// What lacks the old words lacks the new ones, where these go on from them.
	var among []int32
	seen := 0
	if len(l.words) > 0 && !l.busy && extend(words, l.words) {
		among, seen = l.found, l.seen
	}
	l.words, l.narrow = words, words
	l.restart()
	l.table.Cursor = 0
	return all{stop{"filter"}, l.look(among, seen)}
}

// extend says whether each of the old words is in one of the new ones.
func extend(words, old []string) bool {
	for _, o := range old {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, o) }) {
			return false
		}
	}
	return true
}

// clear shows everything again; false: it did already. The matches stay known: n
// and N go on from one to the next.
func (l *list[T]) clear() bool {
	if !l.filter.Active() {
		return false
	}
	at := l.cursorItem()
	if at < 0 {
		at = l.from
	}
	was := l.filtered()
	l.filter.Clear()
	l.narrow = nil
	if was {
		l.moveTo(at)
	}
	return true
}

// restart forgets what the search found so far.
func (l *list[T]) restart() {
	l.found, l.seen, l.busy = nil, 0, false
	l.scan++
}

// search looks at the places that were not looked at yet.
func (l *list[T]) search() action {
	if len(l.words) == 0 || l.busy {
		return nil
	}
	return l.look(nil, l.seen)
}

// look looks at some places and at all from one on: a few at once, many aside.
func (l *list[T]) look(among []int32, from int) action {
	items, order, words, scan := l.items, l.order, l.words, l.scan
	n := len(among) + len(items) - from
	at := func(k int) int32 {
		if k < len(among) {
			return among[k]
		}
		return int32(from + k - len(among))
	}
	part := func(k, to int) (out []int32) {
		for ; k < to; k++ {
			place := at(k)
			item := place
			if int(place) < len(order) {
				item = order[place]
			}
			if matches(l.text(&items[item]), words) {
				out = append(out, place)
			}
		}
		return out
	}
	l.seen = len(items)
	if n <= inline {
		l.found = append(l.found, part(0, n)...)
		return nil
	}
	l.busy = true
	return begin{load("filter", "Filtering", func(ctx context.Context, add func([]int32)) error {
		return inOrder(ctx, n, part, add)
	}, func(more [][]int32) action {
		if scan == l.scan {
			for _, m := range more {
				l.found = append(l.found, m...)
			}
		}
		return nil
	}, func(err error) action {
		if scan != l.scan || err != nil { // cancelled: the next key begins anew
			return nil
		}
		l.busy = false
		return l.search()
	})}
}

// inOrder calls part for chunks of n on all cores and hands on what each gave, in
// their order.
func inOrder(ctx context.Context, n int, part func(from, to int) []int32, add func([]int32)) error {
	cores := runtime.GOMAXPROCS(0)
	out := make([][]int32, cores)
	for from := 0; from < n; from += cores * chunk {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		sideways(cores, func(c int) {
			out[c] = part(min(from+c*chunk, n), min(from+(c+1)*chunk, n))
		})
		for _, o := range out {
			if len(o) > 0 {
				add(o)
			}
		}
	}
	return nil
}

// sideways calls f for 0 to n-1, each in a goroutine of its own, and waits. A panic
// in one is one of its caller.
func sideways(n int, f func(i int)) {
	var wg sync.WaitGroup
	faults := make([]any, n)
	for i := range n {
		wg.Go(func() {
			defer func() { faults[i] = recover() }()
			f(i)
		})
	}
	wg.Wait()
	for _, p := range faults {
		if p != nil {
			panic(p)
		}
	}
}

func matches(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// step goes to the next match, or with -1 to the one before, round at the ends:
// among the rows that a filter leaves, or, after it was cleared, among all lines.
func (l *list[T]) step(by int) {
	n := len(l.found)
	if n == 0 {
		l.told = "no line matches " + strings.Join(l.words, " ")
		return
	}
	at := l.table.Cursor
	exact := true
	if !l.filtered() {
		at, exact = slices.BinarySearch(l.found, int32(l.table.Cursor))
	}
	if by > 0 && exact || by < 0 {
		at += by
	}
	round := ""
	switch {
	case at >= n:
		at, round = 0, ", from the first again"
	case at < 0:
		at, round = n-1, ", from the last again"
	}
	l.table.Cursor = at
	if !l.filtered() {
		l.table.Cursor = int(l.found[at])
	}
	l.told = fmt.Sprintf("match %s of %s%s", count(int64(at+1)), count(int64(n)), round)
	if l.busy {
		l.told += " so far"
	}
}
