package views

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// scanAll scans in steps of a budget until the end, as the first look and the key
// that goes on do it.
func scanAll(t *testing.T, c scan) *scanned {
	t.Helper()
	s := &scanned{marks: map[string]byte{}, compared: c.base != ""}
	var parts = make(chan tally, 100_000)
	c.add = func(p tally) { parts <- p }
	for step := 0; ; step++ {
		err := c.run(t.Context())
		for len(parts) > 0 {
			s.add(<-parts)
		}
		var over *budgetError
		switch {
		case err == nil:
			s.whole = true
			return s
		case errors.As(err, &over):
			if over.key <= c.after || step > 10_000 {
				t.Fatalf("no step forward from %q to %q", c.after, over.key)
			}
			c.after, s.upTo = over.key, over.key
		default:
			t.Fatal(err)
		}
	}
}

// Counting in steps of any size gives what the person who made the folder knows.
func TestScanCountsAndComparesInStepsOfAnySize(t *testing.T) {
	for seed := range 12 {
		rnd := rand.New(rand.NewPCG(uint64(seed), 3))
		f := newFixture(t)
		folders := []string{"a", "a/b", ""}
		name := folders[seed%3]          // the folder that is looked at
		in := []string{name, ""}[seed%2] // the one that has the log
		live := map[string]string{}      // key to version
		touch := func(n int) {
			for range n {
				key := []string{"a/", "a/b/", "z/", ""}[rnd.IntN(4)] + fmt.Sprintf("k%02d", rnd.IntN(12))
				if rnd.IntN(3) == 0 {
					f.delete(key)
					delete(live, key)
				} else {
					live[key] = f.put(key, strings.Repeat("x", rnd.IntN(9))).ID
				}
			}
		}
		f.put("a/b/k00", "x") // there is always something to commit
		live["a/b/k00"] = versionOf(t, f, "a/b/k00")
		touch(30)
		r := f.commit(in, "ana", "one")
		was := maps.Clone(live)
		touch(15)

		prefix := commit.KeyPrefix(name)
		want := scanned{marks: map[string]byte{}}
		for key, id := range live {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			want.files++
			mark := byte('=')
			switch before, there := was[key]; {
			case !there:
				want.added++
				mark = '+'
			case before != id:
				want.changed++
				mark = '~'
			}
			want.marks[key] = mark
		}
		for key := range was {
			if _, there := live[key]; !there && strings.HasPrefix(key, prefix) {
				want.removed++
				want.marks[key] = '-'
			}
		}
		for _, budget := range []int64{0, 1, 2, 3, 7, 1000} {
			got := scanAll(t, scan{b: f.b, prefix: prefix, base: r.ID, in: in, budget: budget})
			if got.files != want.files || got.added != want.added || got.changed != want.changed || got.removed != want.removed {
				t.Fatalf("seed %d, %q with the log of %q, budget %d: files %d + %d ~ %d - %d, want %d + %d ~ %d - %d", seed, name, in, budget,
					got.files, got.added, got.changed, got.removed, want.files, want.added, want.changed, want.removed)
			}
			below := map[string]below{}
			for key, mark := range want.marks {
				if i := strings.IndexByte(key[len(prefix):], '/'); i >= 0 {
					x := below[key[:len(prefix)+i+1]]
					if mark != '-' {
						x.files++
					}
					switch mark {
					case '+':
						x.added++
					case '~':
						x.changed++
					case '-':
						x.removed++
					}
					below[key[:len(prefix)+i+1]] = x
				}
			}
			for name, x := range got.below {
				x.bytes = 0
				if x != below[name] {
					t.Fatalf("seed %d, budget %d: below in %s %+v, want %+v", seed, budget, name, x, below[name])
				}
			}
			for key, mark := range want.marks {
				if !strings.Contains(key[len(prefix):], "/") && got.mark(key) != mark {
					t.Fatalf("seed %d, budget %d: %s is %c, want %c", seed, budget, key, got.mark(key), mark)
				}
			}
			if plain := scanAll(t, scan{b: f.b, prefix: prefix, budget: budget}); plain.files != want.files || plain.versions != got.versions || plain.deleted != got.deleted {
				t.Fatalf("seed %d, budget %d: without a commit %d files, %d versions", seed, budget, plain.files, plain.versions)
			}
		}
	}
}

func versionOf(t *testing.T, f *fixture, key string) string {
	t.Helper()
	for v, err := range f.b.Versions(t.Context(), bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			t.Fatal(err)
		}
		return v.ID
	}
	t.Fatalf("%s has no version", key)
	return ""
}

// What was not compared has no mark: neither behind the budget, nor behind the marks
// that are kept.
func TestScanNeverGuesses(t *testing.T) {
	f := newFixture(t)
	for i := range 10 {
		f.put(fmt.Sprintf("d/k%d", i), "x")
	}
	r := f.commit("d", "ana", "one")
	f.put("d/k3", "y")
	f.put("d/k8", "y")
	s := &scanned{marks: map[string]byte{}, compared: true}
	c := scan{b: f.b, prefix: "d/", base: r.ID, in: "d", budget: 6, add: func(p tally) { s.add(p) }}
	var over *budgetError
	if err := c.run(t.Context()); !errors.As(err, &over) {
		t.Fatal(err)
	}
	s.upTo = over.key
	var got []byte
	for i := range 10 {
		got = append(got, s.mark(fmt.Sprintf("d/k%d", i)))
	}
	// Six versions are those of k0 to k4, of which k3 has two.
	if want := "===~=     "; string(got) != want {
		t.Errorf("marks %q, want %q", got, want)
	}
	if s.changed != 1 {
		t.Errorf("%d changed within the budget, want 1", s.changed)
	}
	s.capped, s.whole, s.upTo = true, true, "d/k4"
	if m := s.mark("d/k9"); m != ' ' {
		t.Errorf("behind what is kept the mark is %c", m)
	}
	if m := (&scanned{whole: true}).mark("d/k1"); m != ' ' {
		t.Errorf("without a commit the mark is %c", m)
	}
}

// A key of very many versions does not make the look run away.
func TestScanLeavesAKeyOfManyVersionsBehind(t *testing.T) {
	f := newFixture(t)
	for range 100 {
		f.put("d/a", "x")
	}
	f.put("d/b", "x")
	var sum tally
	c := scan{b: f.b, prefix: "d/", budget: 5, add: func(p tally) { sum.versions += p.versions; sum.files += p.files }}
	var over *budgetError
	if err := c.run(t.Context()); !errors.As(err, &over) || over.key != "d/a" || sum.versions > 51 || sum.files != 1 {
		t.Fatalf("%v after %d versions and %d files", err, sum.versions, sum.files)
	}
	c.after, sum = over.key, tally{}
	if err := c.run(t.Context()); err != nil || sum.files != 1 || sum.versions != 1 {
		t.Errorf("behind it: %v, %+v", err, sum)
	}
}

// The commit of a folder above may name very much before this folder.
func TestScanOfACommitFarAbove(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		f.put(fmt.Sprintf("a/k%02d", i), "x")
	}
	f.put("z/k", "x")
	r := f.commit("", "ana", "all")
	c := scan{b: f.b, prefix: "z/", base: r.ID, past: 10, add: func(tally) {}}
	if err := c.run(t.Context()); !errors.Is(err, errTooFar) {
		t.Errorf("got %v", err)
	}
	c.past = 0
	if err := c.run(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLogOverTime(t *testing.T) {
	f, _ := damaged(t)
	p, err := readPast(t.Context(), f.b, commit.FolderHash("sales/2026"))
	if err != nil {
		t.Fatal(err)
	}
	// 5, 4 (made anew) and 1 are live, 2 is deleted, of 3 nothing is left.
	if p.entries != 4 || p.missing != 1 || p.deleted != 1 || p.more {
		t.Errorf("%+v", p)
	}
	counts, broken := p.bars(5)
	sum := 0
	for _, c := range counts {
		sum += c
	}
	if sum != 4 || !slices.Contains(broken, true) {
		t.Errorf("bars %v, broken %v", counts, broken)
	}
	first, last := p.span()
	if day(first) != "2026-10-01" || day(last) != "2026-10-05" {
		t.Errorf("%s to %s", day(first), day(last))
	}
}
