package views

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// inline is how many items a filter looks at without a task of its own.
const inline = 5000

// A list is a table over a slice that only grows, with a filter that runs aside
// where the slice is long.
type list[T any] struct {
	items []T
	// text is what the filter looks at; row draws an item.
	text func(*T) string
	row  func(*T, *ui.Row)

	table  ui.Table
	filter ui.Filter
	// found are the indexes that match the query; seen is how many items were
	// looked at, scan the number of the search that may add to them.
	found []int32
	seen  int
	scan  int
	busy  bool // a search runs aside
	words []string
}

// Len and Row make a list the rows of its own table.
func (l *list[T]) Len() int {
	if len(l.words) > 0 {
		return len(l.found)
	}
	return len(l.items)
}

func (l *list[T]) Row(i int, r *ui.Row) { l.row(l.at(i), r) }

func (l *list[T]) at(i int) *T {
	if len(l.words) > 0 {
		return &l.items[l.found[i]]
	}
	return &l.items[i]
}

// selected is the item under the cursor; nil: there is none.
func (l *list[T]) selected() *T {
	if l.table.Cursor < 0 || l.table.Cursor >= l.Len() {
		return nil
	}
	return l.at(l.table.Cursor)
}

// reset empties the list; the filter stays.
func (l *list[T]) reset() {
	l.items = nil
	l.table.Cursor = 0
	l.restart()
}

// restart forgets what the search found so far.
func (l *list[T]) restart() {
	l.found, l.seen, l.busy = nil, 0, false
	l.scan++
}

// add appends items.
func (l *list[T]) add(items []T) action {
	l.items = append(l.items, items...)
	return l.search()
}

// show puts the cursor on item i, without a filter.
func (l *list[T]) show(i int) {
	l.clear()
	l.table.Cursor = i
}

// move handles the movements of a list.
func (l *list[T]) move(id string) bool { return l.table.Move(id, l.Len()) }

// typing, input and clear serve the filter of the screen that has the list.
func (l *list[T]) typing() bool { return l.filter.Typing }

func (l *list[T]) input(msg tea.Msg) action {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if k := k.String(); k == "up" || k == "down" || k == "pgup" || k == "pgdown" {
			l.move(map[string]string{"up": "up", "down": "down", "pgup": "pageup", "pgdown": "pagedown"}[k])
			return nil
		}
	}
	if !l.filter.Update(msg) {
		return nil
	}
	return l.query()
}

// query starts the search for what is typed now.
func (l *list[T]) query() action {
	l.words = strings.Fields(strings.ToLower(l.filter.Query()))
	l.restart()
	l.table.Cursor = 0
	return all{stop{"filter"}, l.search()}
}

// clear shows everything again; false: it did already.
func (l *list[T]) clear() bool {
	if !l.filter.Active() {
		return false
	}
	l.filter.Clear()
	l.words = nil
	l.restart()
	return true
}

// search looks at the items that were not looked at yet: a few at once, many aside.
func (l *list[T]) search() action {
	if len(l.words) == 0 || l.busy {
		return nil
	}
	rest := l.items[l.seen:]
	if len(rest) <= inline {
		for i := range rest {
			if matches(l.text(&rest[i]), l.words) {
				l.found = append(l.found, int32(l.seen+i))
			}
		}
		l.seen = len(l.items)
		return nil
	}
	// The task reads a part of the slice in which nobody changes any more what
	// text looks at.
	from, words, scan := l.seen, l.words, l.scan
	l.seen, l.busy = len(l.items), true
	return begin{load("filter", "Filtering", func(ctx context.Context, add func(int32)) error {
		for i := range rest {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if matches(l.text(&rest[i]), words) {
				add(int32(from + i))
			}
		}
		return nil
	}, func(more []int32) action {
		if scan == l.scan {
			l.found = append(l.found, more...)
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

func matches(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// view draws the table, and the filter's line under it where it is open.
func (l *list[T]) view(w, h int, focused bool, th *ui.Theme) []string {
	l.table.Focused = focused
	if !l.filter.Active() {
		return l.table.View(l, w, h, th)
	}
	out := l.table.View(l, w, h-1, th)
	return append(out, l.filter.View(l.shown(), w, th))
}

// shown says how many of all are shown.
func (l *list[T]) shown() string {
	return fmt.Sprintf("%s of %s", count(int64(l.Len())), count(int64(len(l.items))))
}
