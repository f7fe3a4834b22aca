package bucket

import (
	"math/rand/v2"
	"time"
)

// read makes the listing of the part. The result is the error that stays.
func (p *Part) read(yield func(Version, error) bool) error {
	err := p.w.enter()
	defer p.w.leave()
	if err != nil {
		return err
	}
	p.asked = time.Now()
	n := 0
	r := Range{Prefix: p.w.r.Prefix, After: p.after, Through: p.through, PageSize: p.w.r.PageSize, OnSlowDown: p.refused, OnPage: p.OnPage}
	r.Ahead = p.w.most == 1 // else another part has use for the request
	for v, err := range p.w.b.Versions(p.w.ctx, r) {
		if err != nil {
			return err
		}
		if p.through != "" && v.Key > p.through {
			break // it was cut since
		}
		p.key = v.Key
		p.count++
		p.tries = 0
		p.sample(v.Key)
		if !yield(v, nil) {
			return nil
		}
		if n++; n%p.w.page == 0 {
			p.w.turn(p, p.w.page)
			p.asked = time.Now()
		}
	}
	p.w.turn(p, n%p.w.page)
	return nil
}

// refused lets others read while the part waits to ask for a page again.
func (p *Part) refused(err error) error {
	if p.tries++; p.tries == maxTries {
		return err
	}
	p.w.leave()
	ended := p.w.slower(p.asked, p.tries)
	if e := p.w.enter(); ended == nil {
		ended = e
	}
	p.asked = time.Now()
	return ended
}

// pace is how many may read side by side.
type pace struct {
	limit   float64 // at least 1
	busy    int     // parts and looks that read now
	lowered time.Time
}

const (
	maxTries  = 10
	firstWait = 200 * time.Millisecond
	longWait  = 10 * time.Second
	// rounds that must go well before one more is risked.
	rounds = 4
)

// enter waits until one more may read, or the walk ends. Either way leave follows.
func (w *walk) enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wait()
	return w.ctx.Err()
}

// wait is enter with w.mu held.
func (w *walk) wait() {
	for w.busy >= int(w.limit) && w.ctx.Err() == nil {
		w.change.Wait()
	}
	w.busy++
}

func (w *walk) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	w.change.Broadcast()
}

// turn is called when n versions have come since the last time: between two requests,
// or at the end of a part. Others may read first where too many do, and the part may
// be cut.
func (w *walk) turn(p *Part, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listed += int64(n)
	if n < w.page {
		return
	}
	w.limit = min(float64(w.most), w.limit+1/(rounds*w.limit))
	if w.busy > int(w.limit) {
		w.busy--
		w.change.Broadcast()
		w.wait()
	}
	w.divide(p)
	p.began()
}

// slower has fewer read, once for all that were refused at the same time, and waits
// before the next try. began is when the request that was refused began, or earlier.
func (w *walk) slower(began time.Time, tries int) error {
	w.mu.Lock()
	if began.After(w.lowered) {
		w.limit, w.lowered = max(1, w.limit/2), time.Now()
	}
	w.mu.Unlock()
	d := min(longWait, firstWait<<tries)
	t := time.NewTimer(d/2 + rand.N(d/2))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}
