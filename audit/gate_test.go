package audit

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestHowManyAreReadSideBySide(t *testing.T) {
	for _, c := range []struct {
		cores, most   int
		waited, total time.Duration
		want          int
	}{
		{2, 16, 0, time.Second, 2},
		{2, 16, 500 * time.Millisecond, time.Second, 4},
		{2, 16, 999 * time.Millisecond, time.Second, 16},
		{2, 16, 2 * time.Second, time.Second, 16}, // readings that are not over wait too
		{2, 16, 0, 0, 16},
		{2, 1, 0, time.Second, 1},
		{64, 16, 0, time.Second, 16},
	} {
		if got := abreast(c.cores, c.most, c.waited, c.total); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// All get through, and never more than may.
func TestGate(t *testing.T) {
	g := newGate(3)
	var now, most, done atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			g.pass(func() {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				g.waited.Add(int64(time.Hour))
				done.Add(1)
				now.Add(-1)
			})
		})
	}
	all.Wait()
	if done.Load() != 200 || most.Load() > 3 || g.limit != 3 {
		t.Errorf("%d got through, at most %d at a time, limit %d", done.Load(), most.Load(), g.limit)
	}
}
