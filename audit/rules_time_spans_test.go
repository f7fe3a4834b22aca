package audit

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The spans in which a pin is out of order, against the definition, asked for at
// every moment.
func TestDisordersAgainstTheDefinition(t *testing.T) {
	base := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	moment := func(half int) time.Time { return base.Add(time.Duration(half) * time.Second / 2) }
	const end = 60 // halves of a second
	found := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		logs := []*logFacts{{folder: "", known: true}, {folder: "a", known: true}, {folder: "a/b", known: true}}
		var all []*timed
		for _, l := range logs {
			made := base.Unix()
			for n := range r.IntN(4) {
				made += int64(r.IntN(10))
				x := &timed{log: l, slot: &slotFacts{number: int64(n + 1)}, at: moment(2 * r.IntN(20)), made: made, began: made - int64(r.IntN(3))}
				switch r.IntN(8) {
				case 0:
					x.made, x.began = never, never
				case 1:
					x.began = never
				}
				all = append(all, x)
			}
		}
		if len(all) == 0 {
			continue
		}
		own := logs[2]
		// later says it in other words than timed.after.
		later := func(y, x *timed) bool {
			if x.log != own && y.log != own {
				return false
			}
			if x.log == y.log {
				return y.slot.number > x.slot.number
			}
			return y.began != never && x.made != never && y.began > x.made+2
		}
		// pin takes the newest of what a reader sees; seen by folder depth, the
		// deepest first, so that at equal times what comes later wins.
		pin := func(sees func(*timed) bool) (best *timed) {
			for _, l := range []*logFacts{logs[2], logs[1], logs[0]} {
				for _, x := range all {
					if x.log == l && sees(x) && (best == nil || !x.at.Before(best.at)) {
						best = x
					}
				}
			}
			return best
		}
		ds := disorders(own, all)
		found += len(ds)
		for half := -2; half < end; half++ {
			at := moment(half)
			sees := func(x *timed) bool { return !x.at.After(at) }
			given := pin(sees)
			wrong := false
			for _, y := range all {
				wrong = wrong || given != nil && sees(y) && y.at.Before(given.at) && later(y, given)
			}
			said := false
			for _, d := range ds {
				in := !at.Before(d.from) && (d.to.IsZero() || at.Before(d.to))
				said = said || in
				if in && wrong {
					ok := false
					for i := range d.given {
						ok = ok || d.given[i] == given && later(d.later[i], given)
					}
					if !ok {
						t.Errorf("seed %d, at %v: the pin is not among what is told", seed, at)
					}
				}
			}
			if wrong != said {
				t.Fatalf("seed %d, at %v: out of order is %v, told %v", seed, at, wrong, said)
			}
		}
		// Readers without a time: the first and the last moment of each.
		for _, d := range ds {
			first, last := int64(never), int64(never)
			for s := base.Unix() - 1; s < base.Unix()+40; s++ {
				sees := func(x *timed) bool { return x.made == never || x.made <= s }
				given := pin(sees)
				told := false
				for _, x := range d.given {
					told = told || x == given
				}
				for _, y := range all {
					if told && y.made != never && sees(y) && later(y, given) {
						if first == never {
							first = s
						}
						last = s
						break
					}
				}
			}
			switch {
			case d.now != (first != never), d.now && d.nowFrom != first:
				t.Fatalf("seed %d: readers without a time are told from %d (%v), want %d", seed, d.nowFrom, d.now, first)
			case d.now && d.nowTo != never && d.nowTo != last+1, d.now && d.nowTo == never && last != base.Unix()+39:
				t.Fatalf("seed %d: readers without a time are told until %d, want %d", seed, d.nowTo, last+1)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d spans were found", found)
	}
}

// What tells quickly whether a log is out of order says the same as the spans.
func TestLineups(t *testing.T) {
	base := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 8))
		logs := []*logFacts{{folder: "", known: true}, {folder: "a", known: true}}
		lines := make([][]*timed, 2)
		for i, l := range logs {
			made := base.Unix()
			for n := range 1 + r.IntN(4) {
				made += int64(r.IntN(10))
				x := &timed{log: l, slot: &slotFacts{number: int64(n + 1)}, id: string(rune('a' + 10*i + n)), at: base.Add(time.Duration(r.IntN(20)) * time.Second), made: made, began: made}
				if r.IntN(6) == 0 {
					x.made, x.began = never, never
				}
				lines[i] = append(lines[i], x)
			}
		}
		above, own := newLineup(logs[0], lines[0]), newLineup(logs[1], lines[1])
		out := false
		for _, x := range lines[1] {
			out = out || above.out(x)
		}
		pairs := false
		tangled := false
		for _, x := range lines[1] {
			for _, y := range lines[0] {
				pairs = pairs || x.after(y) && x.at.Before(y.at) || y.after(x) && y.at.Before(x.at)
			}
			for _, y := range lines[1] {
				tangled = tangled || y.slot.number > x.slot.number && y.at.Before(x.at)
			}
		}
		if out != pairs || tangled != own.tangled {
			t.Fatalf("seed %d: out of order %v, want %v; tangled %v, want %v", seed, out, pairs, own.tangled, tangled)
		}
	}
}
