package bucket

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A gap is what is left of a part: the keys after pos, through through (empty: to the
// end). before is a key some pages back, start where the last page began, samples are
// some of its keys.
type gap struct {
	pos, before, start, through, prefix string
	samples                             []string
	// behind is how many pages of keys of one make have been, the part's own and those
	// before it.
	behind float64
	barren bool // nothing lies behind through for a while
}

// A plan is where a gap can be cut: keys, ascending, that need not exist, and a guess
// at the pages that are left. jump is how many pages lie before the first, where one
// piece is cut off what nobody knows the end of.
type plan struct {
	cuts []string
	left float64
	jump float64
}

// plan finds up to n keys that cut a gap in which no folders are known. n of 0 asks for
// the guess alone.
//
// Keys of one make differ in few places: numbers, hashes, words. The first place in
// which the last page's keys differ moves now, and with it the number that it is part
// of. How far the number went in a page tells where it will be some pages on. As with
// all things of unknown end, as much is likely to come as has been: so where no end is
// known the first cut lies that far ahead. If nothing turns out to lie behind it, the
// next lies half as far. When the number cannot go on the places before it are tried,
// the slowest first.
//
// All is done in characters, whose order is that of their bytes: stores take no key
// with half a character as the place to begin.
func (g gap) plan(n int) plan {
	if !utf8.ValidString(g.pos) || !utf8.ValidString(g.through) || !strings.HasPrefix(g.pos, g.prefix) {
		return plan{}
	}
	m := g.measure()
	steady := same(m.pos, []rune(g.before)) >= m.word
	if steady {
		if out := g.along(m, n); out.left >= leastLeft {
			return out
		}
	}
	if out, ok := g.slower(m, n); ok {
		return out
	}
	return g.along(m, n)
}

// measures are what the last page's keys tell.
type measures struct {
	pos, through, start []rune
	moves               int // the first place that moved
	word                int // where the letters around it begin
	fixed               int // places that cannot change: the prefix
	bound               int // the place in which through differs; -1: there is no through
	seen                string
}

func (g gap) measure() measures {
	m := measures{pos: []rune(g.pos), through: []rune(g.through), start: []rune(g.start), bound: -1, fixed: utf8.RuneCountInString(g.prefix)}
	m.moves = same(m.pos, m.start)
	for _, s := range g.samples {
		if s > g.start && s <= g.pos {
			m.moves = min(m.moves, same(m.pos, []rune(s)))
		}
	}
	if g.through != "" {
		m.bound = same(m.pos, m.through)
	}
	m.word = m.moves
	for m.word > m.fixed && m.word <= len(m.pos) && isLetter(m.pos[m.word-1]) {
		m.word--
	}
	m.seen = seenAt(g.samples, g.start, m.moves)
	return m
}

// along cuts along the number or word that moves.
func (g gap) along(m measures, n int) plan {
	if m.moves >= len(m.pos) || same(m.pos, m.start) != m.moves {
		return plan{}
	}
	set := alphabet(m.pos[m.moves], m.seen)
	word := max(m.word, m.fixed, m.moves-10) // more places than a float64 can tell apart
	for at := m.moves - 1; at >= word; at-- {
		if !set.has(m.pos[at]) {
			word = at + 1
		}
	}
	inside := m.bound >= word // the end is within the number
	word = max(word, m.bound)
	last := m.moves + 1
	value := func(key []rune) (x float64) {
		unit := 1.0
		for at := word; at <= last; at++ {
			unit /= float64(set.size())
			if at < len(key) {
				x += unit * float64(min(set.index(key[at]), set.size()-1))
			}
		}
		return x
	}
	here, end := value(m.pos), 1.0
	rate := here - value(m.start) // a page
	if rate <= 0 {
		return plan{}
	}
	if inside {
		end = value(m.through)
	}
	out := plan{left: (end - here) / rate}
	if !inside || g.barren {
		out.jump = min(max(leastLeft, g.behind), out.left/2)
		out.left = min(out.left, 2*out.jump)
		n = min(n, 1)
	}
	n = min(n, int(out.left/2))
	for i := range n {
		x := here + (end-here)*float64(i+1)/float64(n+1)
		if out.jump > 0 {
			x = here + out.jump*rate
		}
		key := slices.Clone(m.pos[:word])
		for at := word; at <= last; at++ {
			x *= float64(set.size())
			digit := min(int(x), set.size()-1)
			key = append(key, set.at(digit))
			x -= float64(digit)
		}
		out.add(g, strings.TrimRight(string(key), string(set.at(0))))
	}
	return out
}

func (x *plan) add(g gap, key string) {
	if key > g.pos && (g.through == "" || key < g.through) && (len(x.cuts) == 0 || key > x.cuts[len(x.cuts)-1]) {
		x.cuts = append(x.cuts, key)
	}
}

// slower cuts at a digit before the number that moves, and where that is none but some
// other character, at that.
func (g gap) slower(m measures, n int) (plan, bool) {
	first := max(m.fixed, m.bound)
	if g.barren {
		first = max(first, m.bound+1)
	}
	for at := first; at < len(m.pos) && at <= m.moves; at++ {
		odd := at == m.moves && !isLetter(m.pos[at])
		if !isDigit(m.pos[at]) && !odd || at >= m.word && !odd {
			continue
		}
		set := alphabet(m.pos[at], "")
		low, top := set.index(m.pos[at]), set.size()
		solid := at == m.bound && at < len(m.through)
		if solid {
			if i := set.index(m.through[at]); i > low {
				top = i
			}
		}
		room := top - low - 1
		if room <= 0 {
			continue
		}
		if !solid {
			n = min(n, 1)
		}
		out := plan{left: max(leastLeft, g.behind)}
		n = min(n, room, int(out.left/2))
		for i := range n {
			out.add(g, string(m.pos[:at])+string(set.at(low+max(1, (i+1)*(room+1)/(n+1)))))
		}
		return out, true
	}
	return plan{}, false
}

// same is how many characters two keys have in common from the start.
func same(a, b []rune) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isLetter(r rune) bool { return isDigit(r) || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// seenAt gives the characters of the samples from a place on, two of each.
func seenAt(samples []string, start string, at int) string {
	var b strings.Builder
	for _, s := range samples {
		if s < start {
			continue // of an earlier page
		}
		r := []rune(s)
		if at < len(r) {
			b.WriteString(string(r[at:min(len(r), at+2)]))
		}
	}
	return b.String()
}

// A set is the characters that may stand in a place, ascending: those of list, or all
// from first to last.
type set struct {
	list        string
	first, last rune
}

// alphabet guesses the set from a character of it and those that were seen there.
func alphabet(r rune, seen string) set {
	if !isLetter(r) {
		if r < utf8.RuneSelf {
			return set{first: ' ', last: '~'}
		}
		return set{first: utf8.RuneSelf, last: 0xd7ff} // before the surrogates
	}
	has := func(chars string) bool { return strings.ContainsRune(chars, r) || strings.ContainsAny(seen, chars) }
	list := ""
	if has(digits) {
		list = digits
	}
	for _, group := range []string{upper, lower} {
		if has(group[6:]) {
			list += group
		} else if has(group[:6]) {
			list += group[:6] // as in hexadecimal numbers
		}
	}
	return set{list: list}
}

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
)

func (s set) has(r rune) bool {
	i := s.index(r)
	return i < s.size() && s.at(i) == r
}

// index is the place of a character among the set's, or the one where it would be.
func (s set) index(r rune) int {
	if s.list == "" {
		return int(min(max(r, s.first), s.last+1) - s.first)
	}
	i := 0
	for i < len(s.list) && rune(s.list[i]) < r {
		i++
	}
	return i
}

func (s set) size() int {
	if s.list == "" {
		return int(s.last-s.first) + 1
	}
	return len(s.list)
}

func (s set) at(i int) rune {
	if s.list == "" {
		return s.first + rune(i)
	}
	return rune(s.list[i])
}
