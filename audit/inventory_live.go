package audit

import (
	"context"
	"errors"
	"sync/atomic"
	"unicode/utf8"

	"provcat-tui/bucket"
)

const (
	// batch is how many refs are looked up one after the other, so that neighbours
	// may come with one request.
	batch = 1000
	// few is how many of a batch are asked for one by one at least: and a page of a
	// listing that answers fewer is no gain.
	few = 4
	// patience is how many keys in a row may fail before the rest of a batch is left.
	patience = 3
)

// looked is what live listings gave of refs.
type looked struct {
	joined
	at map[int32]bucket.Version // of those in joined.cold
}

// lookUp judges refs, which are in order, by live listings of their keys: by pages
// where keys are neighbours, else one listing for each key. At most about one request
// for each key is made, and one for a thousand versions where they lie close. What
// could not be listed is told and skipped. What is there is added to found. It may spend what the budget keeps for
// second looks.
func (a *auditor) lookUp(ctx context.Context, r *refs, list []int32, found *bits) (*looked, error) {
	out := &looked{at: map[int32]bucket.Version{}}
	if len(list) == 0 {
		return out, nil
	}
	defer a.budget.secondLook()()
	var done atomic.Int64
	var batches [][]int32
	for len(list) > 0 {
		n := min(batch, len(list))
		for n < len(list) && r.key(int(list[n])) == r.key(int(list[n-1])) {
			n++ // a key is in one batch
		}
		batches = append(batches, list[:n])
		list = list[n:]
	}
	total := int64(0)
	for _, b := range batches {
		total += int64(len(b))
	}
	parts := make([]looked, len(batches))
	err := a.each(ctx, len(batches), func(i int) {
		l := &liveLook{a: a, r: r, out: &parts[i], list: batches[i], step: func() { a.step("confirming", done.Add(1), total) }}
		parts[i].found = found
		parts[i].at = map[int32]bucket.Version{}
		l.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	for i := range parts {
		out.add(&parts[i].joined)
		for k, v := range parts[i].at {
			out.at[k] = v
		}
	}
	return out, nil
}

// joinKeys is join for all refs, by listings of their keys alone.
func (a *auditor) joinKeys(ctx context.Context, r *refs) (*joined, error) {
	all := make([]int32, r.len())
	for i := range all {
		all[i] = int32(i)
	}
	found := newBits(r.len())
	out, err := a.lookUp(ctx, r, all, found)
	if err != nil {
		return nil, err
	}
	out.found = found
	return &out.joined, nil
}

// A liveLook judges the refs of one batch.
type liveLook struct {
	a    *auditor
	r    *refs
	out  *looked
	list []int32 // not judged yet
	step func()
}

func (l *liveLook) key(i int) string { return l.r.key(int(l.list[i])) }

func (l *liveLook) run(ctx context.Context) {
	if len(l.list) > few {
		// An error may be that of a key between: one by one it shows.
		_ = l.pages(ctx)
	}
	for failed := 0; len(l.list) > 0 && ctx.Err() == nil; {
		key := l.key(0)
		vs, err := l.a.versionsOf(ctx, key)
		if err == nil {
			l.settle(key, vs)
			failed = 0
			continue
		}
		n := 1
		for n < len(l.list) && l.key(n) == key {
			n++
		}
		if failed++; failed >= patience || errors.Is(err, errSecondLook) {
			n = len(l.list) // the next will fail too
		}
		l.leave(n, err)
	}
}

// leave gives up on the first n refs.
func (l *liveLook) leave(n int, err error) {
	l.a.t.add("versions that commits name", l.key(0), nil, err)
	l.out.skipped = append(l.out.skipped, skipOf(err, "the inventory report lacks them, and the listing of their keys failed", l.r.countOf(l.list[:n])))
	l.list = l.list[n:]
}

// pages goes through a listing from the first key on, as long as its pages answer for
// enough keys.
func (l *liveLook) pages(ctx context.Context) error {
	first, last := l.key(0), l.key(len(l.list)-1)
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	for n > 0 && n < len(first) && !utf8.RuneStart(first[n]) {
		n--
	}
	r := bucket.Range{Prefix: first[:n], Through: last}
	// A key less its last character sorts before it, and few keys lie between them.
	if _, size := utf8.DecodeLastRuneInString(first); len(first)-size > n {
		r.After = first[:len(first)-size]
	}
	var key string
	var vs []bucket.Version
	seen, left := 0, len(l.list)
	for v, err := range l.a.b.Versions(ctx, r) {
		if err != nil {
			return err
		}
		if v.Key != key {
			l.settle(key, vs)
			key, vs = v.Key, vs[:0]
		}
		if len(l.list) > 0 && l.key(0) <= key {
			vs = append(vs, v) // kept only of keys that are asked for, or that lie before
		}
		if seen++; seen == pageSize {
			if left-len(l.list) < few {
				return nil // one by one is cheaper
			}
			seen, left = 0, len(l.list)
		}
	}
	l.settle(key, vs)
	for len(l.list) > 0 { // the listing has passed them all
		l.settle(l.key(0), nil)
	}
	return nil
}

// settle judges the refs at keys below key, which have no version, and those of key.
func (l *liveLook) settle(key string, vs []bucket.Version) {
	for len(l.list) > 0 && l.key(0) <= key {
		i := l.list[0]
		var of []bucket.Version
		if l.key(0) == key {
			of = vs
		}
		colds := len(l.out.cold)
		l.out.judge(l.r, i, of)
		if len(l.out.cold) > colds {
			for _, v := range of {
				if v.ID == l.r.at(i).version {
					l.out.at[i] = v
				}
			}
		}
		l.list = l.list[1:]
		l.step()
	}
}
