package audit

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A gate lets as many commit objects be read side by side as keep all cores busy, and no
// more than most. The fewer are read at a time the more each has in common with the one
// that was read before; but where the store is slow most of a reading is waiting, and
// more can go on meanwhile.
type gate struct {
	most   int
	waited atomic.Int64 // nanoseconds in which a reading waited for the store

	mu    sync.Mutex // guards what follows
	free  sync.Cond
	limit int
	busy  int
	total time.Duration // of the readings that are over
}

func newGate(most int) *gate {
	g := &gate{most: most, limit: min(most, runtime.GOMAXPROCS(0))}
	g.free.L = &g.mu
	return g
}

// pass calls read once there is room for one more.
func (g *gate) pass(read func()) {
	g.mu.Lock()
	for g.busy >= g.limit {
		g.free.Wait()
	}
	g.busy++
	g.mu.Unlock()
	began := time.Now()
	read()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy--
	g.total += time.Since(began)
	g.limit = abreast(runtime.GOMAXPROCS(0), g.most, time.Duration(g.waited.Load()), g.total)
	g.free.Broadcast()
}

// abreast is how many readings keep the cores busy when so much of their time is waiting.
func abreast(cores, most int, waited, total time.Duration) int {
	n := most
	if work := total - waited; work > 0 {
		n = int(min(int64(most), (int64(cores)*int64(total)+int64(work)-1)/int64(work)))
	}
	return max(1, min(most, n))
}

// A waiting reader counts the time in which it waits.
type waiting struct {
	io.Reader
	waited *atomic.Int64
}

func (r waiting) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.Reader.Read(p)
	r.waited.Add(int64(time.Since(began)))
	return n, err
}
