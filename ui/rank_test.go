package ui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sahilm/fuzzy"
)

func texts(ms []Match, all []string) (out []string) {
	for _, m := range ms {
		out = append(out, all[m.Index])
	}
	return out
}

func TestRankPutsTheNearestFirst(t *testing.T) {
	all := []string{"sales/2026/eu/orders.csv", "sales/2026/", "README.md", "web/sale.html", "Über/Größe.txt", "s/a/l/e/s/2026"}
	r, err := Rank(t.Context(), "sales26", all, nil)
	if err != nil || !slices.Equal(r.Hits, []int32{0, 1, 5}) {
		t.Fatalf("hits %v, %v", r.Hits, err)
	}
	if got := texts(r.Best, all); got[0] != "sales/2026/" {
		t.Errorf("best %q", got)
	}
	if m := r.Best[0].Marks; !slices.Equal(m, []int{0, 1, 2, 3, 4, 6, 9}) {
		t.Errorf("marks %v", m)
	}
	// Spaces and case don't matter; letters beyond ASCII are letters.
	r, _ = Rank(t.Context(), " SALES csv", all, nil)
	if got := texts(r.Best, all); !slices.Equal(got, []string{"sales/2026/eu/orders.csv"}) {
		t.Errorf("%q", got)
	}
	r, _ = Rank(t.Context(), "übgrö", all, nil)
	if got := texts(r.Best, all); !slices.Equal(got, []string{"Über/Größe.txt"}) {
		t.Errorf("%q", got)
	}
	r, _ = Rank(t.Context(), "", all, nil)
	if r.Hits != nil || len(r.Best) != len(all) || r.Best[3].Index != 3 {
		t.Errorf("an empty query gives %v", r)
	}
	r, _ = Rank(t.Context(), "nothing like it", all, nil)
	if len(r.Hits)+len(r.Best) != 0 {
		t.Errorf("%v", r)
	}
}

// Going on from the last answer finds what a search of everything finds, also where
// more texts came meanwhile, and both find what fuzzy finds.
func TestRankNarrows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var all []string
	for range 20_000 {
		var b strings.Builder
		for range 3 + rnd.IntN(20) {
			b.WriteByte("abcdABCD/-_"[rnd.IntN(11)])
		}
		all = append(all, b.String())
	}
	for range 30 {
		var last *Ranked
		q := ""
		n := 1000
		for range 6 {
			q += string("abcd/"[rnd.IntN(5)])
			narrowed, err := Rank(t.Context(), q, all[:n], last)
			if err != nil {
				t.Fatal(err)
			}
			whole, _ := Rank(t.Context(), q, all[:n], nil)
			if !slices.Equal(narrowed.Hits, whole.Hits) {
				t.Fatalf("%q of %d: %d hits narrowed, %d at once", q, n, len(narrowed.Hits), len(whole.Hits))
			}
			if peer := fuzzy.FindNoSort(q, all[:n]); len(peer) != len(whole.Hits) {
				t.Fatalf("%q of %d: %d hits, fuzzy has %d", q, n, len(whole.Hits), len(peer))
			}
			if fmt.Sprint(narrowed.Best) != fmt.Sprint(whole.Best) || len(whole.Best) != min(len(whole.Hits), scored) {
				t.Fatalf("%q of %d: other best ones", q, n)
			}
			last, n = narrowed, min(n+rnd.IntN(5000), len(all))
		}
	}
}

func TestRankIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Rank(ctx, "a", make([]string, 5000), nil); err == nil {
		t.Error("no error")
	}
}

func millionKeys() []string {
	rnd := rand.New(rand.NewPCG(7, 8))
	regions := []string{"eu-west", "eu-north", "us-east", "ap-south", "sa-east"}
	kinds := []string{"orders", "events", "Clicks", "invoices", "returns", "sessions", "users"}
	out := make([]string, 1_000_000)
	for i := range out {
		out[i] = fmt.Sprintf("lake/%d/%s/%s/part-%07d.parquet", 2015+rnd.IntN(12), regions[rnd.IntN(5)], kinds[rnd.IntN(7)], i)
	}
	return out
}

// BenchmarkRank types a query over a million keys, key by key; whole is a search of
// all keys at once, BenchmarkPeerFuzzy's peer.
func BenchmarkRank(b *testing.B) {
	all := millionKeys()
	for _, q := range []string{"7", "ord", "2026ordpart77", "zzz"} {
		b.Run("whole/"+q, func(b *testing.B) {
			for b.Loop() {
				_, _ = Rank(b.Context(), q, all, nil)
			}
		})
	}
	q := "2026ordpart77"
	var last *Ranked
	for n := 1; n <= len(q); n++ {
		before := last
		b.Run("typed/"+q[:n], func(b *testing.B) {
			for b.Loop() {
				last, _ = Rank(b.Context(), q[:n], all, before)
			}
		})
	}
}

func BenchmarkPeerFuzzy(b *testing.B) {
	all := millionKeys()
	for _, q := range []string{"7", "ord", "2026ordpart77", "zzz"} {
		b.Run(q, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fuzzy.Find(q, all)
			}
		})
	}
}
