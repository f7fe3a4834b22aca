package bucket

import (
	"context"
	"iter"
	"sync"
	"time"
)

// WalkOptions are the choices of a walk. The zero value is right for most.
type WalkOptions struct {
	// Concurrency is the most requests side by side; 0: 16. 1: one listing, page
	// after page.
	Concurrency int
	// Cuts are keys, ascending, at which the walk begins with parts of its own, for
	// callers who know the folder from before. The bound on requests holds where at
	// least four pages of versions lie between two of them on average.
	Cuts []string
}

// defaultWalk is how many listings run side by side where nobody says.
const defaultWalk = 16

// Walk lists every version and marker in r, ranges of it side by side, and calls visit
// for each range, as a Part, on goroutines of its own: at most o.Concurrency at a
// time, in no order. Visits may not wait for one another.
//
// The parts do not overlap and together are r. All versions of a key are in one part,
// keys ascend in it, and the versions of a key come newest first, markers among them.
// Under concurrent writers every version that was there from the beginning to the end
// comes exactly once. What came or went meanwhile may come, once, or not.
//
// The walk begins with one listing. From what it sees it finds where the rest can be
// cut: at folders where there are some, grouped, else between keys of the same make. A
// cut and a look at a folder cost up to one request that a single listing would not
// need, so they are made only when four pages have been read for each: whatever the
// folders and keys are like, at most 1.25 times the requests of a single listing are
// made.
//
// Where the store asks for fewer requests (ErrSlowDown) half as many run from then on,
// each asks for its page again after a growing wait, and one more is risked for every
// four rounds that go well. A part that gets no further in ten tries ends with that
// error. r.OnSlowDown and r.OnPage are not called: the walk and its parts have
// their own.
//
// The first error that stays ends the walk: it is yielded to the part that met it, the
// others get one that wraps context.Canceled, and Walk returns it when all visits have
// returned. So do an error of visit, and the end of ctx. What lies outside of the parts
// that were read to their ends was then not seen, and no proof that something is absent.
//
// Memory is bounded by o.Concurrency, not by what is listed.
func Walk(ctx context.Context, b Bucket, r Range, o WalkOptions, visit func(ctx context.Context, p *Part) error) error {
	if r.Through != "" && (r.Through <= r.After || r.Through < r.Prefix) {
		return ctx.Err()
	}
	w := &walk{b: b, r: r, page: r.PageSize, most: o.Concurrency, visit: visit, looked: map[string]bool{}, ends: map[string]*Part{}}
	if w.page <= 0 || w.page > 1000 {
		w.page = 1000
	}
	if w.most <= 0 {
		w.most = defaultWalk
	}
	w.limit = float64(w.most)
	w.change.L = &w.mu
	ctx, w.cancel = context.WithCancel(ctx)
	defer w.cancel()
	w.ctx = ctx
	defer context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.change.Broadcast()
	})()

	first := &Part{w: w, after: r.After, through: r.Through}
	w.mu.Lock()
	w.push(task{part: first})
	for _, c := range o.Cuts {
		if c > first.after && c >= r.Prefix && (r.Through == "" || c < r.Through) && w.most > 1 {
			first = w.cut(first, c)
		}
	}
	w.mu.Unlock()
	w.all.Wait()
	if w.err == nil {
		return ctx.Err()
	}
	return w.err
}

// A Part is one range of a walk. It belongs to the visit that it was given to.
type Part struct {
	// OnPage may be set before Versions is called: it is called with each page of the
	// part, as Range.OnPage is. A page may hold versions that lie behind the part's end.
	OnPage func(Page)

	w     *walk
	after string
	// through shrinks when the part is cut. Only the part's own goroutine changes it
	// once the part is being read.
	through string

	// Where the reading is.
	key   string // the last one
	count int64  // versions so far
	asked time.Time
	tries int // since the last version that came

	cutting
}

// After is the exclusive lower bound of the part's keys; empty: none.
func (p *Part) After() string { return p.after }

// Through is the inclusive upper bound of the part's keys; empty: none. It can become
// smaller while the part is read, but never smaller than a key that has come: it is
// right once Versions has ended.
func (p *Part) Through() string { return p.through }

// Versions lists the part, once. See Walk for its order and its errors. A visit that
// stops it early gives up the rest of the part.
func (p *Part) Versions() iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		if err := p.read(yield); err != nil {
			p.w.fail(err)
			yield(Version{}, err)
		}
	}
}

// A walk is one call of Walk.
type walk struct {
	ctx    context.Context
	cancel context.CancelFunc
	b      Bucket
	r      Range
	page   int
	most   int
	visit  func(context.Context, *Part) error
	all    sync.WaitGroup

	mu      sync.Mutex // guards what follows
	change  sync.Cond
	queue   []task
	open    int // tasks that wait or run
	workers int
	err     error

	pace
	budget
	looked map[string]bool  // folders
	ends   map[string]*Part // parts that are not done, by the key they end with
}

// A task is a part to be read, or a folder to be looked at for a part.
type task struct {
	part   *Part
	folder string
	look   bool
}

// push adds a task, and a worker where all have something to do. w.mu is held.
func (w *walk) push(t task) {
	w.queue = append(w.queue, t)
	w.open++
	if t.part != nil && !t.look {
		w.ends[t.part.through] = t.part
	}
	if w.workers < w.most && w.workers < w.open {
		w.workers++
		w.all.Go(w.work)
	}
	w.change.Broadcast()
}

// work does tasks until there are none and will be none.
func (w *walk) work() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && w.open > 0 && w.err == nil && w.ctx.Err() == nil {
			w.change.Wait()
		}
		if len(w.queue) == 0 || w.err != nil || w.ctx.Err() != nil {
			return
		}
		t := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		if t.look {
			w.look(t)
		} else if err := w.visit(w.ctx, t.part); err != nil {
			w.fail(err)
		}
		w.mu.Lock()
		if !t.look {
			w.done(t.part)
		}
		w.open--
		w.change.Broadcast()
	}
}

// fail ends the walk with its first error.
func (w *walk) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.cancel()
	}
}
