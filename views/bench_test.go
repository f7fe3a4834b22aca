package views

import (
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// commitOf is the program on a commit screen that holds n files.
func commitOf(tb testing.TB, n int) *app {
	tb.Helper()
	e := newEnv(Start{Now: func() time.Time { return later }})
	s := newCommit(place{env: e, loc: bucket.Location{Scheme: "s3", Bucket: "b"}}, "sales", fmt.Sprintf("%064d", 1), 1)
	files := make([]commitFile, n)
	for i := range files {
		files[i].File = commit.File{Path: fmt.Sprintf("2026/eu/orders-%07d.parquet", i), Version: "3sL4kqtJlcpXroDTDmJ", ETag: "9b2cf535f27731c974343645a3985328", Size: int64(i)}
	}
	s.list.add(files)
	s.done = true
	a := newApp(Start{Now: e.Now, Mouse: true})
	a.stack.push(s)
	a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	return a
}

func frame(a *app, key string) time.Duration {
	begun := time.Now()
	a.Update(keyMsg(key))
	a.View()
	return time.Since(begun)
}

// A frame of a million rows costs what a frame of a thousand does.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := commitOf(b, n)
			keys := []string{"down", "pgdown", "up", "end", "home"}
			var times []time.Duration
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				times = append(times, frame(a, keys[i%len(keys)]))
				i++
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// A key in the filter over a million rows does not wait for the search, and the
// first rows come within 50 ms. Each key goes on from the answer before.
func BenchmarkFilter(b *testing.B) {
	a := commitOf(b, 1_000_000)
	s := a.stack.top().(*commitScreen)
	defer func(p time.Duration) { pace = p }(pace)
	pace = 50 * time.Millisecond
	for _, q := range []string{"7", "77", "777"} {
		b.Run(q, func(b *testing.B) {
			var key, first, whole time.Duration
			for b.Loop() {
				s.list.clear()
				s.list.words = nil
				s.list.filter.Begin()
				for i := range len(q) - 1 {
					settle(b, s.input(keyMsg(q[i:i+1])))
				}
				begun := time.Now()
				act := s.input(keyMsg(q[len(q)-1:]))
				key += time.Since(begun)
				w := workIn(act)
				if w == nil {
					b.Fatal("nothing runs aside")
				}
				next, shown := w.launch(b.Context()), false
				for n := next(); ; n = next() {
					n.apply()
					if !shown && (s.list.Len() > 0 || n.last) {
						first, shown = first+time.Since(begun), true
					}
					if n.last {
						break
					}
				}
				whole += time.Since(begun)
			}
			b.ReportMetric(float64(key.Microseconds())/float64(b.N), "key-µs")
			b.ReportMetric(float64(first.Microseconds())/float64(b.N), "first-rows-µs")
			b.ReportMetric(float64(whole.Microseconds())/float64(b.N), "whole-µs")
		})
	}
}

// workIn is the work that an action begins.
func workIn(act action) *work {
	switch x := act.(type) {
	case all:
		for _, y := range x {
			if w := workIn(y); w != nil {
				return w
			}
		}
	case begin:
		return x.work
	}
	return nil
}

// The cost of a frame does not grow with the rows: neither in what it allocates.
func TestFrameAllocatesTheSameForAnyNumberOfRows(t *testing.T) {
	few, many := commitOf(t, 1_000), commitOf(t, 1_000_000)
	cost := func(a *app) float64 {
		return testing.AllocsPerRun(20, func() { frame(a, "pgdown") })
	}
	x, y := cost(few), cost(many)
	if y > 1.5*x {
		t.Errorf("%v allocations with a thousand rows, %v with a million", x, y)
	}
}

func BenchmarkAuditFrame(b *testing.B) {
	f, _ := small(b)
	d := audited(b, f, sampleReport(), 200, 60)
	for b.Loop() {
		_, _ = d.m.Update(keyMsg("down"))
		_ = d.m.View()
	}
}

// A key in the finder over a million files waits for nothing: neither the one that
// opens it nor those that are typed.
func BenchmarkFinderKey(b *testing.B) {
	a := commitOf(b, 1_000_000)
	b.ReportAllocs()
	var times []time.Duration
	for b.Loop() {
		for _, k := range []string{"ctrl+p", "o", "r", "d", "7", "backspace", "esc"} {
			times = append(times, frame(a, k))
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
	if a.stack.top().kind() != onCommit {
		b.Fatal("the finder was not closed")
	}
}
