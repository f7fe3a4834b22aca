// Package compare finds what differs between two contents: lines, words of a line,
// cells of tables, bytes. All of it is pure, bounded in time on any input, and knows
// nothing of screens or buckets.
package compare

import (
	"sort"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// A Block is a stretch of lines: A[A0:A1] against B[B0:B1]. Where Same is true both
// are equal, line by line.
type Block struct {
	A0, A1, B0, B1 int
	Same           bool
}

// Lines compares two lists of lines. The blocks cover both lists, in order; no two
// that follow each other are both Same or both different. It takes a time that grows
// little more than with the number of lines: lines that stand once on each side hold
// the two together, and what lies between is compared with a bounded search, which on
// bad input finds fewer equal lines than there are, never wrong ones.
func Lines(a, b []string) []Block {
	ids := make(map[string]int32, len(a))
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = int32(len(ids))
				ids[l] = id
			}
			out[i] = id
		}
		return out
	}
	return numbers(number(a), number(b), len(ids))
}

// numbers compares lists of numbers from 0 to below n.
func numbers(a, b []int32, n int) []Block {
	d := differ{a: a, b: b, seen: make([]seen, n)}
	d.solve(0, len(a), 0, len(b), 0)
	d.skip(len(a), len(b))
	return d.out
}

// A differ collects the blocks, from the start to the end.
type differ struct {
	a, b []int32
	out  []Block
	seen []seen // for each number, empty between uses
}

// seen says how often a number stands in a stretch of each side, and where last.
type seen struct{ inA, inB, atA, atB int32 }

// at is where the blocks end so far.
func (d *differ) at() (a, b int) {
	if n := len(d.out); n > 0 {
		return d.out[n-1].A1, d.out[n-1].B1
	}
	return 0, 0
}

// skip makes all up to two places a difference.
func (d *differ) skip(a, b int) {
	a0, b0 := d.at()
	if a0 == a && b0 == b {
		return
	}
	d.out = append(d.out, Block{A0: a0, A1: a, B0: b0, B1: b})
}

// same makes n lines from two places equal; what lies before them is a difference.
func (d *differ) same(a, b, n int) {
	if n == 0 {
		return
	}
	d.skip(a, b)
	if k := len(d.out) - 1; k >= 0 && d.out[k].Same {
		d.out[k].A1 += n
		d.out[k].B1 += n
		return
	}
	d.out = append(d.out, Block{a, a + n, b, b + n, true})
}

// deepest is how often a stretch is cut at lines that stand once in it.
const deepest = 12

// solve compares a[a0:a1] with b[b0:b1].
func (d *differ) solve(a0, a1, b0, b1, depth int) {
	n := 0
	for a0+n < a1 && b0+n < b1 && d.a[a0+n] == d.b[b0+n] {
		n++
	}
	d.same(a0, b0, n)
	a0, b0 = a0+n, b0+n
	n = 0
	for a1-n > a0 && b1-n > b0 && d.a[a1-n-1] == d.b[b1-n-1] {
		n++
	}
	a1, b1 = a1-n, b1-n
	if a0 < a1 && b0 < b1 {
		d.middle(a0, a1, b0, b1, depth)
	}
	d.same(a1, b1, n)
}

// small is a stretch that is searched whole at once.
const small = 64

func (d *differ) middle(a0, a1, b0, b1, depth int) {
	if a1-a0+b1-b0 > small && depth < deepest {
		if held := d.held(a0, a1, b0, b1); len(held) > 0 {
			for _, h := range held {
				d.solve(a0, int(h.atA), b0, int(h.atB), depth+1)
				d.same(int(h.atA), int(h.atB), 1)
				a0, b0 = int(h.atA)+1, int(h.atB)+1
			}
			d.solve(a0, a1, b0, b1, depth+1)
			return
		}
	}
	at, bt := a0, b0
	for _, e := range append(lcs.DiffRunes(d.a[a0:a1], d.b[b0:b1]), lcs.Diff{Start: a1 - a0, End: a1 - a0, ReplStart: b1 - b0, ReplEnd: b1 - b0}) {
		d.same(at, bt, a0+e.Start-at)
		at, bt = a0+e.End, b0+e.ReplEnd
	}
}

// held are the lines that stand once in each stretch, as many as can keep their
// order on both sides.
func (d *differ) held(a0, a1, b0, b1 int) []seen {
	for i := a0; i < a1; i++ {
		s := &d.seen[d.a[i]]
		s.inA++
		s.atA = int32(i)
	}
	for i := b0; i < b1; i++ {
		s := &d.seen[d.b[i]]
		s.inB++
		s.atB = int32(i)
	}
	var once []seen
	for i := a0; i < a1; i++ {
		if s := d.seen[d.a[i]]; s.inA == 1 && s.inB == 1 {
			once = append(once, s)
		}
	}
	for i := a0; i < a1; i++ {
		d.seen[d.a[i]] = seen{}
	}
	for i := b0; i < b1; i++ {
		d.seen[d.b[i]] = seen{}
	}
	return rising(once)
}

// rising is the longest part of s, in its order, in which atB rises.
func rising(s []seen) []seen {
	if len(s) == 0 {
		return nil
	}
	ends := make([]int32, 0, len(s)) // of the best part of each length, its last place in s
	before := make([]int32, len(s))
	for i := range s {
		k := sort.Search(len(ends), func(k int) bool { return s[ends[k]].atB >= s[i].atB })
		before[i] = -1
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, int32(i))
		} else {
			ends[k] = int32(i)
		}
	}
	out := make([]seen, len(ends))
	for k, i := len(ends)-1, ends[len(ends)-1]; k >= 0; k, i = k-1, before[i] {
		out[k] = s[i]
	}
	return out
}
