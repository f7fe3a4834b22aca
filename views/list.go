package views

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// inline is how many items a filter or a sort looks at without a task of its own.
const inline = 5000

// A list is a table over a slice that only grows, with a filter and orders that are
// worked out aside where the slice is long. list_filter.go is the search,
// list_sort.go the orders. A place is where an item stands in the order that is
// shown, hidden ones counted.
type list[T any] struct {
	items []T
	// text is what the filter looks at; row draws an item. text runs aside, on items
	// that nobody changes any more.
	text func(*T) string
	row  func(*T, *ui.Row)
	// orders are what the list can be sorted by; none: it has the order it came in.
	orders []order[T]
	// more says that only a part of all was loaded; may be nil.
	more func() bool

	table  ui.Table
	filter ui.Filter
	// words are what is searched for, narrow the same where other items are hidden.
	words, narrow []string
	// found are the places of matches, ascending; seen is how many places were looked
	// at, scan the number of the search that may add to them.
	found []int32
	seen  int
	scan  int
	busy  bool // a search runs aside
	from  int  // the item that was under the cursor before the search
	told  string
	sorting
}

// Len and Row make a list the rows of its own table.
func (l *list[T]) Len() int {
	if l.filtered() {
		return len(l.found)
	}
	return len(l.items)
}

// Row draws a row.
func (l *list[T]) Row(i int, r *ui.Row) { l.row(l.at(i), r) }

// filtered says that only matches are shown.
func (l *list[T]) filtered() bool { return len(l.narrow) > 0 }

// place is where row i stands in the whole list, item the index of what stands there.
func (l *list[T]) place(i int) int {
	if l.filtered() {
		return int(l.found[i])
	}
	return i
}

func (l *list[T]) item(place int) int {
	if place < len(l.order) {
		return int(l.order[place])
	}
	return place
}

func (l *list[T]) at(i int) *T { return &l.items[l.item(l.place(i))] }

// selected is the item under the cursor; nil: there is none.
func (l *list[T]) selected() *T {
	if i := l.cursorItem(); i >= 0 {
		return &l.items[i]
	}
	return nil
}

// cursorItem is its index; -1: there is none.
func (l *list[T]) cursorItem() int {
	if l.table.Cursor < 0 || l.table.Cursor >= l.Len() {
		return -1
	}
	return l.item(l.place(l.table.Cursor))
}

// moveTo puts the cursor on an item, if it is shown.
func (l *list[T]) moveTo(item int) {
	if item < 0 {
		return
	}
	for i := range l.Len() {
		if l.item(l.place(i)) == item {
			l.table.Cursor = i
			return
		}
	}
}

// reset empties the list; the filter and the order stay.
func (l *list[T]) reset() {
	l.items = nil
	l.table.Cursor = 0
	l.words = l.narrow
	l.restart()
	l.unsort()
}

// add appends items.
func (l *list[T]) add(items []T) action {
	l.items = append(l.items, items...)
	if l.by == 0 {
		return l.search()
	}
	return all{l.search(), l.resort()}
}

// show puts the cursor on item i, without a filter.
func (l *list[T]) show(i int) {
	l.clear()
	l.moveTo(i)
}

// move handles the movements of a list, "next" and "previous" match among them.
func (l *list[T]) move(id string) bool {
	switch id {
	case "next":
		l.step(1)
		return true
	case "previous":
		l.step(-1)
		return true
	}
	return l.table.Move(id, l.Len())
}

// typing, input and clear serve the filter of the screen that has the list.
func (l *list[T]) typing() bool { return l.filter.Typing }

func (l *list[T]) input(msg tea.Msg) action {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch k := k.String(); k {
		case "up", "down", "pgup", "pgdown":
			l.move(map[string]string{"up": "up", "down": "down", "pgup": "pageup", "pgdown": "pagedown"}[k])
			return nil
		case "esc":
			l.clear()
			return nil
		}
	}
	if !l.filter.Update(msg) {
		return nil
	}
	return l.query()
}

// view draws the table, and the filter's line under it where it is open.
func (l *list[T]) view(w, h int, focused bool, th *ui.Theme) []string {
	l.table.Focused = focused
	l.table.Sorted, l.table.Descending = l.column(l.isBy)+1, l.isDesc
	if !l.filter.Active() {
		return l.table.View(l, w, h, th)
	}
	out := l.table.View(l, w, h-1, th)
	if at := len(out) - 1; l.filtered() && l.Len() == 0 && !l.busy && at > 0 {
		text := "None of the " + plural(int64(len(l.items)), "line") + " has all of this."
		if l.more != nil && l.more() {
			text = "No line that is loaded has all of this."
		}
		out[min(2, at)] = ui.Pad("  "+th.Paint(ui.Dim, strings.TrimRight(ui.Fit(text, w-3, ui.Left), " ")), w)
	}
	return append(out, l.filter.View(l.shown(), w, th))
}

// shown says how many of all are shown.
func (l *list[T]) shown() string {
	text := fmt.Sprintf("%s of %s", count(int64(l.Len())), count(int64(len(l.items))))
	switch {
	case l.busy:
		text += " …"
	case l.more != nil && l.more():
		text += " loaded"
	}
	return text
}

// A lister is a screen whose list can be searched and sorted by the keys that are
// the same everywhere.
type lister interface{ lines() liner }

// A liner is what the program asks of such a list.
type liner interface {
	// able says whether a key of the list works now; known: it is one of the list's.
	able(id string) (known, ok bool, why string)
	// does sorts; known as above.
	does(id string) (act action, known bool)
	// said is what the last step to a match has to tell.
	said() string
	// sortBy sorts by a name out of sorts, asc, desc, or (way empty) as s does at first;
	// none: the order in which it came.
	sortBy(name, way string) (action, error)
	sorts() []string
}

// A titled liner is sorted by a column, if the table is its own.
type titled interface {
	byTitle(t *ui.Table, title string) action
}

func (l *list[T]) able(id string) (known, ok bool, why string) {
	switch id {
	case "next", "previous":
		return true, len(l.words) > 0, "nothing was searched for; {filter} begins"
	case "sort":
		return true, len(l.orders) > 0, "these lines have one order only"
	case "turn":
		return true, l.by > 0, "not sorted yet; {sort} sorts"
	}
	return false, false, ""
}

func (l *list[T]) does(id string) (act action, known bool) {
	switch id {
	case "sort":
		return l.sortNext(), true
	case "turn":
		return l.sort(l.by, !l.desc), true
	}
	return nil, false
}

func (l *list[T]) said() string { return l.told }
