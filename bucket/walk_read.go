package bucket

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// read lists the part, and goes on where a listing was refused for being too many. The
// result is the error that stays.
func (p *Part) read(yield func(Version, error) bool) error {
	for {
		err := p.w.enter()
		if err == nil {
			err = p.list(yield)
			p.w.leave()
		}
		if err == nil || !errors.Is(err, ErrSlowDown) {
			return err
		}
		if p.tries++; p.tries == maxTries {
			return err
		}
		if e := p.w.slower(p.asked, p.tries); e != nil {
			return err
		}
	}
}

// list makes one listing of what is left of the part.
func (p *Part) list(yield func(Version, error) bool) error {
	after, again := p.after, p.key != ""
	if p.prev != "" {
		after = p.prev
	}
	// Where the listing goes on: what came of key before must not come again. found:
	// one of those versions was met; others: so many before it, newer ones.
	key, found, others := p.key, false, 0
	p.asked = time.Now()
	n := 0
	for v, err := range p.w.b.Versions(p.w.ctx, Range{Prefix: p.w.r.Prefix, After: after, Through: p.through, PageSize: p.w.r.PageSize}) {
		if err != nil {
			return err
		}
		if p.through != "" && v.Key > p.through {
			break
		}
		if again && v.Key <= key {
			switch {
			case v.Key < key: // it is new
				continue
			case p.came(v):
				found = true
				continue
			case !found:
				others++
				continue
			}
		} else if again {
			if others > 0 && !found {
				return p.lost()
			}
			again = false
		}
		p.note(v)
		if !yield(v, nil) {
			return nil
		}
		if n++; n%p.w.page == 0 {
			p.w.turn(p, p.w.page)
			p.asked = time.Now()
		}
	}
	if again && others > 0 && !found {
		return p.lost()
	}
	p.w.turn(p, n%p.w.page)
	return nil
}

// note remembers that a version comes.
func (p *Part) note(v Version) {
	if v.Key != p.key {
		p.prev, p.key = p.key, v.Key
		p.recent = p.recent[:0]
	}
	if len(p.recent) == recentKept {
		p.recent = append(p.recent[:0], p.recent[recentKept/2:]...)
	}
	p.recent = append(p.recent, seen{v.ID, v.Modified})
	p.count++
	p.tries = 0
	p.sample(v.Key)
}

// came says that a version of p.key has come already. The ID null alone proves
// nothing: another version may have taken its place.
func (p *Part) came(v Version) bool {
	return slices.ContainsFunc(p.recent, func(s seen) bool {
		return s.id == v.ID && (v.ID != NullID || s.made.Equal(v.Modified))
	})
}

// lost is the error where a listing cannot go on: the store refused in the middle of
// a key, what had come of it has all been removed since, and other versions are there
// of which nobody can tell whether they are newer or were still to come.
func (p *Part) lost() error {
	return &Error{Op: "list versions of", Bucket: p.w.b.URL(), Key: p.key, Kind: ErrBadAnswer,
		Err:  errors.New("the store broke the listing off within this key, and the versions that had been listed are gone since"),
		Hint: "try again"}
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

// enter waits until one more may read.
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
