package audit

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// walks gives the key prefixes that cover every committed folder, none inside
// another, in ascending order.
func (r *refs) walks() []string {
	set := map[string]bool{}
	for _, c := range r.commits {
		if c.ok {
			set[commit.KeyPrefix(c.Folder)] = true
		}
	}
	var all []string
	for p := range set {
		all = append(all, p)
	}
	sort.Strings(all)
	var out []string
	for _, p := range all {
		if n := len(out); n > 0 && strings.HasPrefix(p, out[n-1]) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// A joining is the join of all refs with the listings of the committed folders.
type joining struct {
	a     *auditor
	r     *refs
	watch bool
	seen  atomic.Int64 // versions
	found *bits

	mu   sync.Mutex // guards what follows
	free []*joined  // whose parts are over; each takes the parts of one goroutine at a time
	all  []*joined
}

// join walks every version under the committed folders once, folders and ranges of them
// side by side, each in key order beside the refs in the same order. What it gives does
// not hang on how many run side by side, but for what a broken listing leaves out.
func (a *auditor) join(ctx context.Context, r *refs, watch bool) (*joined, error) {
	switch {
	case a.o.Inventory != nil && watch:
		return a.joinInventory(ctx, r)
	case a.o.Inventory != nil:
		return a.joinKeys(ctx, r)
	}
	walks := r.walks()
	x := &joining{a: a, r: r, watch: watch}
	if watch {
		x.found = newBits(r.len())
	}
	// Each walk gets its share of the requests, at least one, by what is named in it.
	side := semaphore.NewWeighted(int64(a.o.Concurrency))
	skipped := make([][]Skip, len(walks))
	var g errgroup.Group
	for i, prefix := range walks {
		first, end := r.under(prefix)
		share := int64(a.o.Concurrency)
		if len(walks) > 1 {
			share = max(1, share/int64(len(walks)), share*int64(end-first)/int64(max(1, r.len())))
		}
		if side.Acquire(ctx, share) != nil {
			break // ctx is done
		}
		g.Go(func() error {
			defer side.Release(share)
			skipped[i] = x.walk(ctx, prefix, first, end, int(share))
			return nil
		})
	}
	_ = g.Wait() // they give none
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := x.take()
	out.found = x.found
	for _, p := range x.all {
		if p == out {
			continue
		}
		out.watch.merge(p.watch)
		out.missing = append(out.missing, p.missing...)
		out.changed = append(out.changed, p.changed...)
		out.null = append(out.null, p.null...)
		out.marked = append(out.marked, p.marked...)
		out.cold = append(out.cold, p.cold...)
		out.checked += p.checked
	}
	out.skipped = slices.Concat(skipped...)
	for _, list := range [][]lost{out.missing, out.changed, out.null, out.marked} {
		slices.SortFunc(list, func(a, b lost) int { return cmp.Compare(a.ref, b.ref) })
	}
	slices.Sort(out.cold)
	for i := min(len(out.null), maxExamples); i < len(out.null); i++ {
		out.null[i].now = nil // kept of the first of each part
	}
	return out, nil
}

// take gives what the next part is joined into.
func (x *joining) take() *joined {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := len(x.free); n > 0 {
		out := x.free[n-1]
		x.free = x.free[:n-1]
		return out
	}
	out := &joined{found: x.found}
	if x.watch {
		out.watch = x.a.newWatchers(x.r)
	}
	x.all = append(x.all, out)
	return out
}

func (x *joining) put(j *joined) {
	j.watch.passed()
	j.nulls = len(j.null)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.free = append(x.free, j)
}

// cutEvery is how many pages of refs lie between two keys at which a walk begins with
// parts of its own: at least as many of versions (see bucket.WalkOptions).
const cutEvery = 4

// walk joins one committed folder with its refs, first to end-1. A ref is judged only
// once the listing has passed its key; what a broken listing did not reach is skipped,
// never missing.
func (x *joining) walk(ctx context.Context, prefix string, first, end, side int) []Skip {
	if first == end && !x.watch {
		return nil
	}
	var judged atomic.Int64
	o := bucket.WalkOptions{Concurrency: side, Cuts: x.cuts(first, end, side)}
	err := bucket.Walk(ctx, x.a.b, bucket.Range{Prefix: prefix, PageSize: x.a.o.pageSize}, o, func(_ context.Context, p *bucket.Part) error {
		out := x.take()
		defer x.put(out)
		before := out.checked
		defer func() { judged.Add(out.checked - before) }()
		return x.part(p, first, end, out)
	})
	if err == nil || ctx.Err() != nil {
		return nil
	}
	folder := strings.TrimSuffix(prefix, "/")
	x.a.t.add("committed folders (a listing of their versions)", prefix, &folder, err)
	out := x.take()
	defer x.put(out)
	out.watch.broken()
	return []Skip{skipOf(err, "the listing of "+folderTitle(folder)+" failed", x.r.count(first, end)-judged.Load())}
}

// cuts gives keys that cut the refs first to end-1 into pieces of one size.
func (x *joining) cuts(first, end, side int) []string {
	if side == 1 {
		return nil
	}
	var out []string
	least := cutEvery * 1000
	if n := x.a.o.pageSize; n > 0 {
		least = cutEvery * n
	}
	every := max(least, (end-first)/(2*side))
	for i := first + every; i+least <= end; i += every {
		if key := x.r.key(i); len(out) == 0 || key > out[len(out)-1] {
			out = append(out, key)
		}
	}
	return out
}

// part joins one part of a walk.
func (x *joining) part(p *bucket.Part, first, end int, out *joined) error {
	r := x.r
	at := first
	if p.After() != "" {
		at += sort.Search(end-first, func(i int) bool { return r.key(first+i) > p.After() })
	}
	if !x.watch && (at == end || p.Through() != "" && r.key(at) > p.Through()) {
		return nil // no commit names anything in it
	}
	h := history{}
	// settle judges the refs at keys below next.
	settle := func(next string) {
		for at < end && r.key(at) < next {
			out.judge(r, int32(at), nil)
			at++
		}
	}
	// done judges the refs of the key whose versions have all been listed.
	done := func() {
		if h.key == "" {
			return // nothing was listed yet: no key is empty
		}
		h.first = int32(at)
		for at < end && r.key(at) == h.key {
			out.judge(r, int32(at), h.versions)
			at++
		}
		h.end = int32(at)
		out.watch.look(h)
	}
	for v, err := range p.Versions() {
		if err != nil {
			return err
		}
		if n := x.seen.Add(1); n%1024 == 0 {
			x.a.step("versions", n, 0)
		}
		if v.Key != h.key {
			done()
			settle(v.Key)
			h.key, h.versions = v.Key, h.versions[:0]
			if at == end && !x.watch {
				return nil // nothing that a commit names comes later
			}
		}
		if x.watch || r.key(at) == v.Key {
			h.versions = append(h.versions, v)
		}
	}
	done()
	for at < end && (p.Through() == "" || r.key(at) <= p.Through()) {
		out.judge(r, int32(at), nil)
		at++
	}
	return nil
}
