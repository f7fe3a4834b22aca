package audit

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"provcat-tui/commit"
)

// What collectors gather side by side of random commits, some of which don't count, is
// what a map gathers one after the other: each record once, in order, with its commits.
func TestCollectedRecordsAreThoseOfAMap(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		files := 1 + rnd.IntN(3*partSize) // over more than one part
		type name struct {
			key, version, etag string
			size               int64
		}
		want := map[name]map[int32]bool{}
		r := newRefs()
		var side sync.WaitGroup
		for n := range 1 + rnd.IntN(7) {
			folder := []string{"a", "a/b", ""}[rnd.IntN(3)]
			c := r.collect(CommitRef{Folder: folder, Number: int64(n + 1)})
			counts := rnd.IntN(5) > 0
			var records []commit.Record
			for i := range files {
				if rnd.IntN(20) == 0 {
					continue
				}
				// Most are as in every commit; some versions have two sizes or ETags.
				x := commit.Record{Path: fmt.Appendf(nil, "f%06d", i), Version: fmt.Appendf(nil, "v%d", rnd.IntN(40)/39), Size: int64(rnd.IntN(30) / 29), ETag: []byte(`"e"`)}
				if rnd.IntN(50) == 0 {
					x.ETag = nil
				}
				records = append(records, x)
				if rnd.IntN(100) == 0 {
					records = append(records, x) // a damaged commit names it twice
				}
				if counts {
					k := name{commit.KeyPrefix(folder) + string(x.Path), string(x.Version), strings.Trim(string(x.ETag), `"`), x.Size}
					if want[k] == nil {
						want[k] = map[int32]bool{}
					}
					want[k][int32(n)] = true
				}
			}
			if rnd.IntN(4) == 0 {
				rnd.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
			}
			side.Go(func() {
				c.begin()
				for i := range records {
					c.file(&records[i])
				}
				h := commit.Header{Folder: folder}
				if !counts {
					h.Folder += "elsewhere"
				}
				c.done(h)
			})
		}
		side.Wait()
		r.finish()

		var order []name
		for k := range want {
			order = append(order, k)
		}
		slices.SortFunc(order, func(a, b name) int {
			return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.version, b.version), strings.Compare(a.etag, b.etag), cmp.Compare(a.size, b.size))
		})
		if r.len() != len(order) {
			t.Fatalf("seed %d: %d records, want %d", seed, r.len(), len(order))
		}
		for i, k := range order {
			x := r.at(int32(i))
			if got := (name{x.key, x.version, x.etag, x.size}); got != k || r.key(i) != k.key {
				t.Fatalf("seed %d: %+v at %d, want %+v", seed, got, i, k)
			}
			if same := i > 0 && order[i-1].key == k.key && order[i-1].version == k.version; i > 0 && r.same(int32(i), int32(i-1)) != same {
				t.Fatalf("seed %d: %+v and the one before: the same is not %v", seed, k, same)
			}
			held := map[int32]bool{}
			r.each(&x, func(n int32) { held[n] = true })
			if len(held) != len(want[k]) {
				t.Fatalf("seed %d: %+v is of %v, want %v", seed, k, held, want[k])
			}
			for n := range held {
				if !want[k][n] {
					t.Fatalf("seed %d: %+v is of %v, want %v", seed, k, held, want[k])
				}
			}
		}
		if middle := r.len() / 2; r.len() > 0 {
			if some := r.only([]int32{int32(middle)}); some.len() != 1 || some.key(0) != r.key(middle) {
				t.Fatalf("seed %d: of %s one gives %d", seed, r.key(middle), some.len())
			}
		}
	}
}
