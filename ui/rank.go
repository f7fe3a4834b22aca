package ui

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// scored is how many candidates of the quick filter are scored by fuzzy.
const scored = 500

// A Match is a text that a query was found in.
type Match struct {
	Index int   // of the text
	Marks []int // the bytes of the text where the query's characters are
}

// Ranked is the answer to a query.
type Ranked struct {
	Query string
	// Hits are the indexes of all texts that have the query's characters in their
	// order, ascending; nil where the query is empty: all have.
	Hits []int32
	// Best are the best matches, the best first; at most 500.
	Best []Match
	seen int // texts that were looked at
}

// Rank finds the texts that have the characters of a query in their order, without
// regard to case and to the query's spaces, and puts the best first. A quick filter
// looks at all texts, on all cores; only its best few hundred are scored. before is
// the answer to an earlier query on the same texts, of which more may have come
// meanwhile: if the query goes on from that one, only its hits are looked at again.
// With an empty query the first texts are the best. The error is the context's; the
// texts are only read.
func Rank(ctx context.Context, query string, texts []string, before *Ranked) (*Ranked, error) {
	out := &Ranked{Query: strings.Join(strings.Fields(query), ""), seen: len(texts)}
	if out.Query == "" {
		for i := range min(len(texts), scored) {
			out.Best = append(out.Best, Match{Index: i})
		}
		return out, ctx.Err()
	}
	q := newQuery(out.Query)
	var among []int32
	from := 0
	if before != nil && before.Query != "" && strings.HasPrefix(out.Query, before.Query) {
		among, from = before.Hits, before.seen
	}
	hits, best := q.filter(ctx, texts, among, from)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.Hits = hits
	slices.SortFunc(best, func(a, b rough) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.i, b.i)) })
	names := make([]string, len(best))
	for i, b := range best {
		names[i] = texts[b.i]
	}
	for _, m := range fuzzy.Find(out.Query, names) {
		out.Best = append(out.Best, Match{Index: int(best[m.Index].i), Marks: m.MatchedIndexes})
	}
	return out, ctx.Err()
}

// rough is a hit with what it seems to be worth: the least cost is the best.
type rough struct {
	cost int32
	i    int32
}

// A query as the quick filter wants it.
type rankQuery struct {
	lower  string
	ascii  bool
	lo, up []byte // each byte in both cases
	runes  []rune
}

func newQuery(s string) *rankQuery {
	q := &rankQuery{lower: strings.ToLower(s), ascii: true}
	q.runes = []rune(q.lower)
	for i := range len(q.lower) {
		c := q.lower[i]
		q.ascii = q.ascii && c < utf8.RuneSelf
		u := c
		if 'a' <= c && c <= 'z' {
			u = c - 'a' + 'A'
		}
		q.lo, q.up = append(q.lo, c), append(q.up, u)
	}
	return q
}

// longest is the length from which texts count as equally long.
const longest = 1<<16 - 1

// in says whether the query's characters are in s in their order; together, that
// they follow each other where they were found first.
func (q *rankQuery) in(s string) (together, ok bool) {
	if !q.ascii {
		return false, q.inRunes(s)
	}
	first, i := -1, 0
	for k := range q.lo {
		if i < len(s) && (s[i] == q.lo[k] || s[i] == q.up[k]) { // they often follow each other
			if first < 0 {
				first = i
			}
			i++
			continue
		}
		rest := s[i:]
		j := strings.IndexByte(rest, q.lo[k])
		if q.up[k] != q.lo[k] {
			if j >= 0 {
				rest = rest[:j]
			}
			if u := strings.IndexByte(rest, q.up[k]); u >= 0 {
				j = u
			}
		}
		if j < 0 {
			return false, false
		}
		if first < 0 {
			first = i + j
		}
		i += j + 1
	}
	return i-first == len(q.lo), true
}

// inRunes is in for a query beyond ASCII.
func (q *rankQuery) inRunes(s string) bool {
	k := 0
	for _, r := range s {
		if k < len(q.runes) && unicode.ToLower(r) == q.runes[k] {
			k++
		}
	}
	return k == len(q.runes)
}

// cost is what a hit is worth, the least the best: all together in the last name of
// a path, all together, or scattered; among equals the shorter text.
// ok is false where it is not less than bound.
func (q *rankQuery) cost(s string, together bool, bound int32) (cost int32, ok bool) {
	cost = int32(min(len(s), longest))
	if cost >= bound {
		return 0, false
	}
	if q.stands(s[strings.LastIndexByte(s[:max(len(s)-1, 0)], '/')+1:]) {
		return cost, true
	}
	if cost += longest + 1; cost >= bound {
		return 0, false
	}
	if together || q.stands(s) {
		return cost, true
	}
	cost += longest + 1
	return cost, cost < bound
}

// stands says whether the query stands in s without a gap.
func (q *rankQuery) stands(s string) bool {
	if !q.ascii {
		return strings.Contains(strings.ToLower(s), q.lower)
	}
	n := len(q.lo)
	lo, up := q.lo[0], q.up[0]
	for i := 0; i+n <= len(s); i++ {
		if s[i] != lo && s[i] != up {
			continue
		}
		k := 1
		for k < n && (s[i+k] == q.lo[k] || s[i+k] == q.up[k]) {
			k++
		}
		if k == n {
			return true
		}
	}
	return false
}

// filter looks at the texts of among and at all from that one on, on all cores.
func (q *rankQuery) filter(ctx context.Context, texts []string, among []int32, from int) ([]int32, []rough) {
	n := len(among) + len(texts) - from
	at := func(k int) int32 {
		if k < len(among) {
			return among[k]
		}
		return int32(from + k - len(among))
	}
	workers := min(runtime.GOMAXPROCS(0), n/4096+1)
	hits, kept := make([][]int32, workers), make([][]rough, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			// Of its own until the end: neighbours in memory would slow each other down.
			var found []int32
			var best keep
			for k, end := n*w/workers, n*(w+1)/workers; k < end; k++ {
				if k&1023 == 0 && ctx.Err() != nil {
					return
				}
				i := at(k)
				together, ok := q.in(texts[i])
				if !ok {
					continue
				}
				found = append(found, i)
				// Most hits are not worth a closer look.
				if cost, ok := q.cost(texts[i], together, best.bound(i)); ok {
					best.add(rough{cost, i})
				}
			}
			hits[w], kept[w] = found, best.heap
		})
	}
	wg.Wait()
	all := slices.Concat(kept...)
	slices.SortFunc(all, func(a, b rough) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.i, b.i)) })
	return slices.Concat(hits...), all[:min(len(all), scored)]
}

// keep holds the best hits: a heap with the worst on top.
type keep struct{ heap []rough }

func worse(a, b rough) bool { return a.cost > b.cost || a.cost == b.cost && a.i > b.i }

// bound is what text i must cost less than to be kept.
func (k *keep) bound(i int32) int32 {
	switch {
	case len(k.heap) < scored:
		return math.MaxInt32
	case i < k.heap[0].i:
		return k.heap[0].cost + 1
	}
	return k.heap[0].cost
}

// add keeps a hit that bound let through.
func (k *keep) add(r rough) {
	h := k.heap
	if len(h) == scored {
		h[0] = r
		for i := 0; ; {
			c := 2*i + 1
			if c >= len(h) {
				return
			}
			if c+1 < len(h) && worse(h[c+1], h[c]) {
				c++
			}
			if !worse(h[c], h[i]) {
				return
			}
			h[i], h[c] = h[c], h[i]
			i = c
		}
	}
	h = append(h, r)
	for i := len(h) - 1; i > 0 && worse(h[i], h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	k.heap = h
}
