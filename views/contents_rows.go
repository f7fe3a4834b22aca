package views

import (
	"fmt"
	"sort"

	"provcat-tui/compare"
)

// A pieceKind is what a row shows.
type pieceKind byte

const (
	bothRow pieceKind = iota // a line of both, or each beside the other
	fromRow                  // the line of A
	toRow                    // the line of B
	gapRow                   // n pairs that are left out
)

type contentsRow struct {
	pair int32
	n    int32
	kind pieceKind
}

// rows are what a facing gives, folded and in one or two columns, and what of them is
// on the screen.
type contentsRows struct {
	of      *facing
	beside  bool
	all     bool
	list    []contentsRow
	changes []int // the first row of each difference
	differ  int   // how many pairs they are
	at      int   // the row that was gone to; -1: none
	top     int
	page    int
	screen  int // the width of the screen
	width   int // of a line's text
	widest  int // the widest line that was drawn
	search  []string
	words   map[int32][2][]compare.Span // what differs in lines that were drawn, by A's
}

// around is how many same lines are shown around a difference.
const around = 3

// fold brings the rows up to date; the line at the top stays.
func (s *contentsScreen) fold(f *facing) {
	r := &s.rows
	beside := r.beside
	allOf := s.all || f.alone
	if r.of == f && beside == s.wantBeside() && r.all == allOf {
		return
	}
	was, fresh := -1, r.of == nil
	if r.of == f && r.top < len(r.list) {
		was = int(r.list[r.top].pair)
	}
	old := *r
	*r = contentsRows{of: f, beside: s.wantBeside(), all: allOf, at: -1, page: old.page, screen: old.screen, width: old.width, widest: old.widest}
	r.build(f)
	if !r.all && len(r.changes) == 0 { // nothing differs: then all of it
		r.all, r.list = true, nil
		r.build(f)
		r.all = allOf
	}
	if was >= 0 {
		r.top = r.rowOf(was)
		if old.at >= 0 && old.at < len(old.list) {
			r.at = r.rowOf(int(old.list[old.at].pair))
		}
	}
	if fresh && len(r.changes) > 0 {
		r.show(r.changes[0])
	}
	s.find.search(nil)
	if s.find.query != "" {
		s.find.search(r.texts(f))
	}
}

// rowOf is the first row of a pair or of one after it.
func (r *contentsRows) rowOf(pair int) int {
	return sort.Search(len(r.list), func(i int) bool { return int(r.list[i].pair) >= pair })
}

// wantBeside says whether the two stand side by side.
func (s *contentsScreen) wantBeside() bool {
	return s.bothRead() && (s.beside == on || s.beside == unset && s.rows.screen >= besideFrom)
}

func (r *contentsRows) build(f *facing) {
	for k := 0; k < len(f.pairs); {
		end := k
		same := f.pairs[k].Same
		for end < len(f.pairs) && f.pairs[end].Same == same {
			end++
		}
		switch {
		case same && !r.all:
			from, to := k+around, end-around
			if k == 0 {
				from = 0
			}
			if end == len(f.pairs) {
				to = end
			}
			if to-from > 1 {
				r.put(f, k, from)
				r.list = append(r.list, contentsRow{int32(from), int32(to - from), gapRow})
				r.put(f, to, end)
			} else {
				r.put(f, k, end)
			}
		case same:
			r.put(f, k, end)
		default:
			r.changes = append(r.changes, len(r.list))
			r.differ += end - k
			r.put(f, k, end)
		}
		k = end
	}
	if f.alone {
		r.changes = nil
	}
}

// put adds the rows of some pairs, which are all the same or all differ.
func (r *contentsRows) put(f *facing, from, to int) {
	if from >= to {
		return
	}
	if f.pairs[from].Same || r.beside {
		for k := from; k < to; k++ {
			r.list = append(r.list, contentsRow{int32(k), 1, bothRow})
		}
		return
	}
	parts := [][2]int{{from, to}}
	if !f.whole {
		parts = nil
		for k := from; k < to; k++ {
			parts = append(parts, [2]int{k, k + 1})
		}
	}
	for _, p := range parts {
		for k := p[0]; k < p[1]; k++ {
			if f.pairs[k].A >= 0 {
				r.list = append(r.list, contentsRow{int32(k), 1, fromRow})
			}
		}
		for k := p[0]; k < p[1]; k++ {
			if f.pairs[k].B >= 0 {
				r.list = append(r.list, contentsRow{int32(k), 1, toRow})
			}
		}
	}
}

// texts are the rows as they are searched.
func (r *contentsRows) texts(f *facing) []string {
	if r.search != nil {
		return r.search
	}
	r.search = make([]string, len(r.list))
	for i, x := range r.list {
		p := f.pairs[x.pair]
		switch {
		case x.kind == gapRow:
		case x.kind == toRow, p.A < 0:
			r.search[i] = f.text(1, int(p.B))
		case x.kind == fromRow, p.B < 0, p.Same:
			r.search[i] = f.text(0, int(p.A))
		default: // side by side
			r.search[i] = f.text(0, int(p.A)) + "\n" + f.text(1, int(p.B))
		}
	}
	return r.search
}

// change is the difference that the top of the screen is at; -1: before the first.
func (r *contentsRows) change() int {
	at := r.at
	if at < 0 {
		at = r.top + r.page/3
	}
	return sort.Search(len(r.changes), func(i int) bool { return r.changes[i] > at }) - 1
}

// step goes to the next difference or the one before, and says which that is.
func (r *contentsRows) step(by int) string {
	n := len(r.changes)
	if n == 0 {
		return "nothing differs"
	}
	now := r.change()
	to := now + by
	if by < 0 && r.at < 0 && now >= 0 && r.changes[now] < r.top { // its start is out of sight
		to = now
	}
	round := ""
	switch {
	case to >= n:
		to, round = 0, ", from the first again"
	case to < 0:
		to, round = n-1, ", from the last again"
	}
	r.show(r.changes[to])
	r.at = r.changes[to]
	return fmt.Sprintf("change %s of %s%s", count(int64(to+1)), count(int64(n)), round)
}

// show scrolls so that a row is on the screen, with some before it.
func (r *contentsRows) show(i int) {
	r.at = i
	if i < r.top+1 || i >= r.top+r.page*2/3 {
		r.top = i - r.page/3
	}
	r.clamp()
}

func (r *contentsRows) clamp() { r.top = max(min(r.top, len(r.list)-r.page), 0) }

// move scrolls.
func (r *contentsRows) move(id string) {
	if to, ok := scrolled(id, r.top, r.page, len(r.list)); ok {
		r.top, r.at = to, -1
	}
}

// Wheel scrolls, for the mouse.
func (r *contentsRows) Wheel(n int) {
	r.top += n
	r.at = -1
	r.clamp()
}

// half is how far left and right scroll.
func (r *contentsRows) half() int { return max(r.width/2, 1) }
