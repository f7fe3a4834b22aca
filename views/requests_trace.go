package views

import (
	"slices"
	"sync"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
)

// keptRequests is how many requests are remembered, the last ones.
const keptRequests = 4096

// A requestSum adds up the requests of one kind since the program began.
type requestSum struct {
	n, failed, retries, bytes int64
}

// A tracer remembers what was asked of all buckets. note is called by whatever makes
// the request.
type tracer struct {
	mu     sync.Mutex
	open   map[int64]bucket.Request
	ring   []bucket.Request // in a circle
	next   int              // where the next goes
	sums   map[bucket.Kind]requestSum
	failed *bucket.Request // the last that failed
	wake   chan struct{}
}

func newTracer() *tracer {
	return &tracer{open: map[int64]bucket.Request{}, sums: map[bucket.Kind]requestSum{}, wake: make(chan struct{}, 1)}
}

func (t *tracer) note(r bucket.Request) {
	t.mu.Lock()
	if !r.Done {
		t.open[r.ID] = r
	} else {
		t.end(r)
	}
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *tracer) end(r bucket.Request) {
	delete(t.open, r.ID)
	if len(t.ring) < keptRequests {
		t.ring = append(t.ring, r)
	} else {
		t.ring[t.next] = r
		t.next = (t.next + 1) % keptRequests
	}
	s := t.sums[r.Kind]
	s.n++
	s.bytes += r.Bytes
	if r.Attempt > 1 {
		s.retries++
	}
	if r.Err != "" && !r.Expected {
		s.failed++
		t.failed = &r
	}
	t.sums[r.Kind] = s
}

// A traceView is what was asked, at one moment.
type traceView struct {
	rows   []bucket.Request // under way first, then newest first
	open   int
	sums   map[bucket.Kind]requestSum
	p50    map[bucket.Kind]time.Duration
	p99    map[bucket.Kind]time.Duration
	failed *bucket.Request
}

// look takes a view. It sorts: not for the program's own goroutine.
func (t *tracer) look() traceView {
	t.mu.Lock()
	v := traceView{sums: map[bucket.Kind]requestSum{}, p50: map[bucket.Kind]time.Duration{}, p99: map[bucket.Kind]time.Duration{}, failed: t.failed}
	for _, r := range t.open {
		v.rows = append(v.rows, r)
	}
	v.open = len(v.rows)
	v.rows = append(v.rows, t.ring...)
	for k, s := range t.sums {
		v.sums[k] = s
	}
	t.mu.Unlock()
	byID := func(a, b bucket.Request) int { return int(b.ID - a.ID) }
	slices.SortFunc(v.rows[:v.open], byID)
	slices.SortFunc(v.rows[v.open:], byID)
	for _, k := range bucket.Kinds {
		var took []time.Duration
		for _, r := range v.rows[v.open:] {
			if r.Kind == k {
				took = append(took, r.Took)
			}
		}
		if len(took) > 0 {
			slices.Sort(took)
			v.p50[k], v.p99[k] = took[(len(took)-1)/2], took[(len(took)*99+99)/100-1]
		}
	}
	return v
}

// slowAfter is how long a request is under way before its count is shown everywhere:
// shorter ones would flicker.
const slowAfter = 500 * time.Millisecond

// slow counts the requests under way, if the oldest is slow; else 0.
func (t *tracer) slow(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.open {
		if now.Sub(r.Started) >= slowAfter {
			return len(t.open)
		}
	}
	return 0
}

// total is the sum of all kinds.
func (v *traceView) total() requestSum {
	var all requestSum
	for _, s := range v.sums {
		all.n += s.n
		all.failed += s.failed
		all.retries += s.retries
		all.bytes += s.bytes
	}
	return all
}

// cost of the requests so far, in US dollars: Amazon S3 prices a put like a listing,
// a read of a setting like a get, and no delete.
func (v *traceView) cost(p *audit.Prices, kinds ...bucket.Kind) float64 {
	if p == nil {
		p = &audit.DefaultPrices
	}
	var r audit.Requests
	for _, k := range kinds {
		switch n := v.sums[k].n; k {
		case bucket.KindList, bucket.KindPut:
			r.List += n
		case bucket.KindGet, bucket.KindHead, bucket.KindSettings:
			r.Get += n
		}
	}
	return p.Of(r)
}
