package audit

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever the order in which commits come, rows give the runs of the set of them.
func TestRowsOfCommits(t *testing.T) {
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		n := 1 + rnd.IntN(120)
		holds := make([]bool, n)
		var order []int32
		for i := range holds {
			if holds[i] = rnd.IntN(5) > 0; holds[i] {
				order = append(order, int32(n-1-i)) // from the newest down
			}
		}
		slices.Reverse(holds)
		// Some places off, as readers side by side are; or in any order at all.
		near := 1 + rnd.IntN(40)
		for i := range order {
			j := min(len(order)-1, i+rnd.IntN(near))
			order[i], order[j] = order[j], order[i]
		}
		if len(order) == 0 {
			continue
		}
		r := newRefs()
		r.runs = parts[row]{{{first: order[0], last: order[0]}}}
		for _, i := range order {
			r.add(0, i)
			r.add(0, i) // twice is once
		}
		got := r.row(0).appendRuns(nil)
		for _, u := range r.more[0] {
			got = u.appendRuns(got)
		}
		var want []run
		for i, in := range holds {
			switch k := len(want) - 1; {
			case !in:
			case k >= 0 && want[k].last == int32(i-1):
				want[k].last++
			default:
				want = append(want, run{int32(i), int32(i)})
			}
		}
		if got = joinRuns(got); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v came, %v are noted, want %v", seed, order, got, want)
		}
	}
}
