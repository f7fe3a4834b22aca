package views

import (
	"context"
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
	files := make([]commit.File, n)
	for i := range files {
		files[i] = commit.File{Path: fmt.Sprintf("2026/eu/orders-%07d.parquet", i), Version: "3sL4kqtJlcpXroDTDmJ", ETag: "9b2cf535f27731c974343645a3985328", Size: int64(i)}
	}
	s.list.add(files)
	s.done = true
	a := newApp(Start{Now: e.Now})
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
// first rows come within 50 ms.
func BenchmarkFilterFirstRows(b *testing.B) {
	a := commitOf(b, 1_000_000)
	s := a.stack.top().(*commitScreen)
	for b.Loop() {
		s.list.clear()
		s.list.filter.Begin()
		begun := time.Now()
		act := s.input(keyMsg("7"))
		b.ReportMetric(float64(time.Since(begun).Microseconds()), "key-µs")
		var w *work
		var find func(action)
		find = func(x action) {
			switch x := x.(type) {
			case all:
				for _, y := range x {
					find(y)
				}
			case begin:
				w = x.work
			}
		}
		find(act)
		ctx, cancel := context.WithCancel(context.Background())
		next := w.launch(ctx)
		next().apply()
		b.ReportMetric(float64(time.Since(begun).Microseconds()), "first-rows-µs")
		if s.list.Len() == 0 {
			b.Fatal("no rows")
		}
		cancel()
		for !next().last {
		}
	}
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
