package views

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// pace is the least time between two news of one task: a view is drawn for each.
var pace = 50 * time.Millisecond // shorter in tests

// work is something to run aside for a screen.
type work struct {
	// slot: a new work of a screen takes the place of the one in the same slot,
	// whose late answers are dropped.
	slot string
	text string // shown while it runs, as it came
	// settle says that its answer counts even after it was cancelled: a write.
	settle bool
	// aside says that nobody waits for it: a look that the screen takes by itself.
	// esc goes back all the same, which ends it.
	aside bool
	// waits says that it is not busy but waits for the person; may be nil.
	waits func() bool
	// launch starts it and gives next, which waits for news.
	launch func(ctx context.Context) (next func() news)
}

// aside marks work as such.
func aside(w *work) *work {
	w.aside = true
	return w
}

// news of a work: apply hands it to the screen, in the program's own goroutine.
type news struct {
	apply func() action
	last  bool
}

// load is work that gives items of type T. run calls add for each, from one
// goroutine or several; page gets them in batches, done the end, both in the
// program's goroutine. page and done may be nil.
func load[T any](slot, text string, run func(ctx context.Context, add func(T)) error, page func([]T) action, done func(error) action) *work {
	return &work{slot: slot, text: text, launch: func(ctx context.Context) func() news {
		s := &stream[T]{wake: make(chan struct{}, 1)}
		go func() {
			var err error
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("a fault of this program: %v; please report it", p)
				}
				s.finish(err)
			}()
			err = run(ctx, s.add)
		}()
		return func() news {
			items, end, err := s.take()
			return news{last: end, apply: func() action {
				var out all
				if len(items) > 0 && page != nil {
					out = append(out, page(items))
				}
				if end && done != nil {
					out = append(out, done(err))
				}
				return out
			}}
		}
	}}
}

// A stream holds items until somebody takes them.
type stream[T any] struct {
	mu    sync.Mutex
	items []T
	end   bool
	err   error
	wake  chan struct{}
	taken time.Time
}

func (s *stream[T]) add(item T) {
	s.mu.Lock()
	s.items = append(s.items, item)
	s.mu.Unlock()
	s.ring()
}

func (s *stream[T]) finish(err error) {
	s.mu.Lock()
	s.end, s.err = true, err
	s.mu.Unlock()
	s.ring()
}

func (s *stream[T]) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take waits for items or the end, and after it gave some before, until pace is
// over. Its caller is one goroutine.
func (s *stream[T]) take() (items []T, end bool, err error) {
	<-s.wake
	if wait := pace - time.Since(s.taken); wait > 0 {
		s.mu.Lock()
		end = s.end
		s.mu.Unlock()
		if !end {
			time.Sleep(wait)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	items, s.items = s.items, nil
	s.taken = time.Now()
	return items, s.end, s.err
}

// A valve holds back a listing after a number of items, until the person wants
// to see more: a folder may have ten million.
type valve struct {
	mu     sync.Mutex
	passed int
	limit  int
	held   bool
	more   chan struct{}
}

func newValve(limit int) *valve { return &valve{limit: limit, more: make(chan struct{})} }

// pass waits until one more item may go through.
func (v *valve) pass(ctx context.Context) error {
	for {
		v.mu.Lock()
		if v.passed < v.limit {
			v.passed++
			v.held = false
			v.mu.Unlock()
			return nil
		}
		v.held = true
		more := v.more
		v.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// open lets n more items through than have passed.
func (v *valve) open(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.limit >= v.passed+n {
		return
	}
	v.limit = v.passed + n
	v.held = false
	close(v.more)
	v.more = make(chan struct{})
}

func (v *valve) waits() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.held
}

// a task is work that runs.
type task struct {
	id        int64
	owner     screen
	work      *work
	cancel    context.CancelFunc
	started   time.Time
	cancelled bool
	next      func() news
}

// before orders tasks: first those that a person waits for.
func (t *task) before(x *task) bool {
	if t.work.aside != x.work.aside {
		return x.work.aside
	}
	return t.id < x.id
}

func (t *task) busy() bool { return t.work.waits == nil || !t.work.waits() }

// taskMsg brings the news of a task to the program.
type taskMsg struct {
	id   int64
	news news
}

// rest waits before a request that the next key may make needless; false: it was.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
