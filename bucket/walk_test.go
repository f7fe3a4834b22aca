package bucket_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/synthetic"
)

// A paged is a bucket in memory that gives pages as a store does: each takes its time,
// may be refused, and shows what is there at that moment.
type paged struct {
	bucket.Bucket
	took time.Duration

	mu       sync.Mutex
	keys     []string // ascending
	versions map[string][]bucket.Version
	requests int
	busy     int
	most     int
	// before is called for each request, with how many are under way; its error is
	// the answer.
	before func(n, busy int) error
}

// removed is the size of a version that is gone: its place is still known.
const removed = -2

func newPaged(s synthetic.Shape) *paged {
	b := &paged{versions: map[string][]bucket.Version{}, took: 30 * time.Millisecond}
	for i := range s.Keys {
		key := string(s.Key(nil, i))
		b.keys = append(b.keys, key)
		for j := range max(1, s.Versions) {
			b.versions[key] = append(b.versions[key], bucket.Version{Key: key, ID: fmt.Sprintf("%d.%d", i, j), Latest: j == 0, Size: i})
		}
	}
	return b
}

func (b *paged) URL() string { return "mem://paged" }

func (b *paged) ask(ctx context.Context) error {
	b.mu.Lock()
	b.requests++
	b.busy++
	b.most = max(b.most, b.busy)
	n, busy, before := b.requests, b.busy, b.before
	b.mu.Unlock()
	time.Sleep(b.took)
	var err error
	if before != nil {
		err = before(n, busy)
	}
	b.mu.Lock()
	b.busy--
	b.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (b *paged) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		size := r.PageSize
		if size == 0 {
			size = 1000
		}
		after, at := r.After, "" // at: the last version of after that was given; empty: all were
		for {
			if err := b.ask(ctx); err != nil {
				if err = r.Again(err); err == nil {
					continue
				}
				yield(bucket.Version{}, err)
				return
			}
			page, more := b.page(r.Prefix, after, at, size)
			for _, v := range page {
				if r.Through != "" && v.Key > r.Through {
					return
				}
				if !yield(v, nil) {
					return
				}
			}
			if !more {
				return
			}
			after, at = page[len(page)-1].Key, page[len(page)-1].ID
		}
	}
}

func (b *paged) page(prefix, after, at string, size int) (out []bucket.Version, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := sort.SearchStrings(b.keys, max(prefix, after)); i < len(b.keys) && strings.HasPrefix(b.keys[i], prefix); i++ {
		vs := b.versions[b.keys[i]]
		if b.keys[i] == after && after != "" {
			if at == "" {
				continue
			}
			vs = vs[slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == at })+1:]
		}
		for _, v := range vs {
			if v.Size == removed {
				continue
			}
			if len(out) == size {
				return out, true
			}
			out = append(out, v)
		}
	}
	return out, false
}

func (b *paged) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		if err := b.ask(ctx); err != nil {
			yield(bucket.Item{}, err)
			return
		}
		b.mu.Lock()
		var items []bucket.Item
		for i := sort.SearchStrings(b.keys, prefix); i < len(b.keys) && strings.HasPrefix(b.keys[i], prefix); i++ {
			at := strings.IndexByte(b.keys[i][len(prefix):], '/')
			if at < 0 {
				items = append(items, bucket.Item{Version: b.versions[b.keys[i]][0]})
			} else if f := b.keys[i][:len(prefix)+at+1]; len(items) == 0 || items[len(items)-1].Folder != f {
				items = append(items, bucket.Item{Folder: f})
			}
		}
		b.mu.Unlock()
		for i, item := range items {
			if i > 0 && i%1000 == 0 {
				if err := b.ask(ctx); err != nil {
					yield(bucket.Item{}, err)
					return
				}
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// A walked is one part as a visit saw it.
type walked struct {
	after, through string
	ids, keys      []string
}

// walkAll walks, and checks what holds for every walk: parts that adjoin, keys that
// ascend in them and lie within them, and nothing twice.
func walkAll(t testing.TB, b bucket.Bucket, r bucket.Range, o bucket.WalkOptions) (ids []string, parts []walked, err error) {
	t.Helper()
	var mu sync.Mutex
	err = bucket.Walk(context.Background(), b, r, o, func(_ context.Context, p *bucket.Part) error {
		x := walked{after: p.After()}
		for v, err := range p.Versions() {
			if err != nil {
				return err
			}
			x.keys, x.ids = append(x.keys, v.Key), append(x.ids, v.Key+" "+v.ID)
		}
		x.through = p.Through()
		mu.Lock()
		defer mu.Unlock()
		parts = append(parts, x)
		return nil
	})
	slices.SortFunc(parts, func(a, b walked) int { return strings.Compare(a.after, b.after) })
	at := r.After
	once := map[string]bool{}
	for i, x := range parts {
		if x.after != at && err == nil {
			t.Errorf("part %d begins after %q; the one before ended at %q", i, x.after, at)
		}
		if !slices.IsSorted(x.keys) {
			t.Errorf("part %d is out of order", i)
		}
		for _, k := range x.keys {
			if k <= x.after && x.after != "" || x.through != "" && k > x.through {
				t.Errorf("part %d, %q to %q, holds %q", i, x.after, x.through, k)
				break
			}
		}
		for _, id := range x.ids {
			if once[id] {
				t.Errorf("%q came twice", id)
			}
			once[id] = true
		}
		at = x.through
		ids = append(ids, x.ids...)
	}
	if err == nil && at != r.Through && len(parts) > 0 {
		t.Errorf("the last part ends at %q, not at %q", at, r.Through)
	}
	return ids, parts, err
}

func inRow(t testing.TB, b bucket.Bucket, r bucket.Range) (ids []string) {
	t.Helper()
	for v, err := range b.Versions(context.Background(), r) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, v.Key+" "+v.ID)
	}
	return ids
}

// A parallel walk gives what one listing gives, in at most 1.25 times its requests,
// whatever the keys are like; and it is faster where they can be cut at all. The time
// is that of a store that takes 30 ms for every page and nothing else.
func TestWalkOfEveryShape(t *testing.T) {
	const page = 20
	for _, size := range []int64{0, 1, 40, 300, 8000} {
		for _, s := range synthetic.Shapes(max(3, size)) {
			if s.Keys = min(s.Keys, size); s.Keys == 0 && size > 0 {
				continue
			}
			for _, most := range []int{1, 3, 24} {
				if size == 8000 && most == 1 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%d", s.Name, size, most), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						b := newPaged(s)
						want := inRow(t, b, bucket.Range{PageSize: page})
						pages := b.requests
						b.requests, b.most = 0, 0
						began := time.Now()
						got, parts, err := walkAll(t, b, bucket.Range{PageSize: page}, bucket.WalkOptions{Concurrency: most})
						took := time.Since(began)
						if err != nil || !slices.Equal(got, want) {
							t.Fatalf("%v; %d versions, want %d", err, len(got), len(want))
						}
						t.Logf("%d pages, %d requests, %d parts, %.1f times as fast", pages, b.requests, len(parts), float64(time.Duration(pages)*b.took)/float64(took))
						if 4*b.requests > 5*pages {
							t.Errorf("%d requests for %d pages", b.requests, pages)
						}
						if b.most > most {
							t.Errorf("%d requests side by side, not %d", b.most, most)
						}
						if most < 16 || size < 8000 || s.Keys <= 100 {
							return
						}
						// Which part asks first, and so what is known where one is cut, is up to
						// the scheduler: it has three tries.
						third := time.Duration(pages) * b.took / 3
						for tries := 1; took > third && tries < 3; tries++ {
							began := time.Now()
							_, parts, _ = walkAll(t, b, bucket.Range{PageSize: page}, bucket.WalkOptions{Concurrency: most})
							took = time.Since(began)
						}
						if took > third {
							t.Errorf("%d pages took %s, %d parts", pages, took, len(parts))
						}
					})
				})
			}
		}
	}
}

func TestWalkOfARange(t *testing.T) {
	for _, s := range []synthetic.Shape{synthetic.Folders(5000, 40), synthetic.Odd(5000), synthetic.Flat(5000)} {
		synctest.Test(t, func(t *testing.T) {
			b := newPaged(s)
			key := func(i int) string { return b.keys[i] }
			folder := key(2500)[:strings.IndexByte(key(2500), '/')+1]
			for _, r := range []bucket.Range{
				{After: key(900)}, {Through: key(4100)}, {After: key(900) + "\x01", Through: key(4100) + "x"}, {Prefix: folder}, {Prefix: folder[:1]},
				{Prefix: folder, After: key(2510)}, {After: key(7), Through: key(7)}, {After: key(8), Through: key(7)}, {Prefix: "no such"},
			} {
				r.PageSize = 20
				want := inRow(t, b, r)
				got, _, err := walkAll(t, b, r, bucket.WalkOptions{Concurrency: 8})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %+v: %v; %d versions, want %d", s.Name, r, err, len(got), len(want))
				}
			}
		})
	}
}

// Where the caller knows the keys the parts run side by side from the first request.
func TestWalkFromCuts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPaged(synthetic.Hashed(16_000))
		want := inRow(t, b, bucket.Range{PageSize: 100})
		cuts := []string{b.keys[4000], b.keys[8000], b.keys[12_000], "zz", "zzz"}
		b.requests = 0
		began := time.Now()
		got, _, err := walkAll(t, b, bucket.Range{PageSize: 100, Through: "z"}, bucket.WalkOptions{Concurrency: 4, Cuts: cuts})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v; %d versions, want %d", err, len(got), len(want))
		}
		if took := time.Since(began); took > 45*b.took || b.requests > 180 {
			t.Errorf("160 pages in four parts took %s and %d requests", took, b.requests)
		}
	})
}

// busyStore refuses requests while more than so many are under way.
func busyStore(most int) func(int, int) error {
	return func(_, busy int) error {
		if busy > most {
			return &bucket.Error{Op: "list", Kind: bucket.ErrSlowDown}
		}
		return nil
	}
}

func TestWalkSlowsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPaged(synthetic.Hashed(40_000))
		want := inRow(t, b, bucket.Range{PageSize: 100})
		refused := 0
		slow := busyStore(4)
		b.before = func(n, busy int) error {
			err := slow(n, busy)
			if err != nil {
				b.mu.Lock()
				defer b.mu.Unlock()
				refused++
			}
			return err
		}
		began := time.Now()
		got, _, err := walkAll(t, b, bucket.Range{PageSize: 100}, bucket.WalkOptions{Concurrency: 32})
		took := time.Since(began)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v; %d versions, want %d", err, len(got), len(want))
		}
		// 400 pages; four at a time would take 3 s, one after another 12 s.
		if took > 9*time.Second || refused > 60 {
			t.Errorf("it took %s, %d requests were refused", took, refused)
		}
	})
}

// A store that refuses everything for a while is waited for, and the pace recovers; one
// that goes on refusing ends the walk, in bounded time.
func TestWalkWaitsForARest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPaged(synthetic.Hashed(40_000))
		want := inRow(t, b, bucket.Range{PageSize: 100})
		began := time.Now()
		b.before = func(int, int) error {
			if d := time.Since(began); d > time.Second && d < 6*time.Second {
				return &bucket.Error{Op: "list", Kind: bucket.ErrSlowDown}
			}
			return nil
		}
		got, _, err := walkAll(t, b, bucket.Range{PageSize: 100}, bucket.WalkOptions{Concurrency: 8})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v; %d versions, want %d", err, len(got), len(want))
		}
		b.before = func(n int, _ int) error { return busyStore(0)(n, 1) }
		began = time.Now()
		_, _, err = walkAll(t, b, bucket.Range{PageSize: 100}, bucket.WalkOptions{Concurrency: 8})
		if took := time.Since(began); !errors.Is(err, bucket.ErrSlowDown) || took < 10*time.Second || took > 3*time.Minute {
			t.Errorf("a store that always refuses: %v after %s", err, took)
		}
	})
}

// A page that is refused in the middle of a key is the very page that comes next,
// whatever came and went meanwhile: all that had been listed may be gone.
func TestWalkGoesOnWithinAKey(t *testing.T) {
	const before = "9 8 7 6 5 4" // newest first; 9, 8 and 7 come in the first two pages of two
	for _, c := range []struct{ added, removed, want string }{
		{"", "", "9 8 7 6 5 4"},
		{"12 11 10", "", "9 8 7 6 5 4"},
		{"10", "8", "9 8 7 6 5 4"},
		{"10", "9 7 5", "9 8 7 6 4"},
		{"12 11 10", "9 8 7", "9 8 7 6 5 4"},
		{"12 11 10", before, "9 8 7"},
		{"", before, "9 8 7"},
	} {
		for _, times := range []int{1, 9} {
			synctest.Test(t, func(t *testing.T) {
				b := &paged{keys: []string{"a", "k", "z"}, versions: map[string][]bucket.Version{"a": {{Key: "a", ID: "1"}}, "z": {{Key: "z", ID: "1"}}}}
				for _, id := range strings.Fields(before) {
					b.versions["k"] = append(b.versions["k"], bucket.Version{Key: "k", ID: id})
				}
				b.before = func(n, _ int) error {
					if n < 3 || n >= 3+times {
						return nil
					}
					b.mu.Lock()
					defer b.mu.Unlock()
					var vs []bucket.Version
					if n == 3 {
						for _, id := range strings.Fields(c.added) {
							vs = append(vs, bucket.Version{Key: "k", ID: id})
						}
					}
					for _, v := range b.versions["k"] {
						if slices.Contains(strings.Fields(c.removed), v.ID) {
							v.Size = removed
						}
						vs = append(vs, v)
					}
					b.versions["k"] = vs
					return &bucket.Error{Op: "list", Kind: bucket.ErrSlowDown}
				}
				got, _, err := walkAll(t, b, bucket.Range{PageSize: 2}, bucket.WalkOptions{Concurrency: 1})
				want := strings.Fields("a1 " + strings.ReplaceAll(" "+c.want, " ", " k") + " z1")
				for i := range got {
					got[i] = strings.ReplaceAll(got[i], " ", "")
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%q came, %q went, %d times refused: %v, %q; want %q", c.added, c.removed, times, err, got, want)
				}
			})
		}
	}
}

func TestWalkStopsAtTheFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPaged(synthetic.Hashed(20_000))
		denied := &bucket.Error{Op: "list", Kind: bucket.ErrDenied}
		b.before = func(n, _ int) error {
			if n == 60 {
				return denied
			}
			return nil
		}
		var mu sync.Mutex
		told, cancelled, visits := 0, 0, 0
		err := bucket.Walk(context.Background(), b, bucket.Range{PageSize: 100}, bucket.WalkOptions{Concurrency: 8}, func(_ context.Context, p *bucket.Part) error {
			mu.Lock()
			visits++
			mu.Unlock()
			for _, err := range p.Versions() {
				if err == nil {
					continue
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(err, bucket.ErrDenied):
					told++
				case errors.Is(err, context.Canceled):
					cancelled++
				}
				return nil // the walk fails all the same
			}
			return nil
		})
		if !errors.Is(err, bucket.ErrDenied) || told != 1 || cancelled == 0 || b.requests > 80 {
			t.Errorf("%v; %d visits were told, %d cancelled, of %d; %d requests", err, told, cancelled, visits, b.requests)
		}

		b.before = nil
		own := errors.New("enough")
		if err := bucket.Walk(context.Background(), b, bucket.Range{}, bucket.WalkOptions{}, func(context.Context, *bucket.Part) error { return own }); err != own {
			t.Errorf("a visit's error: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		err = bucket.Walk(ctx, b, bucket.Range{PageSize: 100}, bucket.WalkOptions{Concurrency: 2}, func(_ context.Context, p *bucket.Part) error {
			var last error
			for _, err := range p.Versions() {
				last = err
			}
			return last
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a walk that was cancelled: %v", err)
		}
	})
}

// A visit may give the rest of its part up; the others are none the worse.
func TestWalkOfWhichAVisitStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPaged(synthetic.Hashed(20_000))
		var mu sync.Mutex
		n, visits := 0, 0
		err := bucket.Walk(context.Background(), b, bucket.Range{PageSize: 100}, bucket.WalkOptions{Concurrency: 8}, func(_ context.Context, p *bucket.Part) error {
			for _, err := range p.Versions() {
				if err != nil {
					return err
				}
				mu.Lock()
				n++
				mu.Unlock()
				if p.After() == "" && p.Through() != "" {
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			visits++
			return nil
		})
		if err != nil || visits < 8 || n < 9000 || n > 20_000 {
			t.Errorf("%v; %d versions in %d visits", err, n, visits)
		}
	})
}

// Random keys, ranges, page sizes and refusals, with writers at work: what was there
// throughout comes once.
func TestWalkAtRandom(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 6))
			b := randomBucket(rng)
			r := bucket.Range{PageSize: 1 + rng.IntN(30)}
			if rng.IntN(3) == 0 {
				r.After = b.keys[rng.IntN(len(b.keys))]
			}
			if rng.IntN(3) == 0 {
				r.Through = b.keys[rng.IntN(len(b.keys))]
			}
			if rng.IntN(3) == 0 {
				k := b.keys[rng.IntN(len(b.keys))]
				r.Prefix = k[:rng.IntN(len(k)+1)]
			}
			steady := inRow(t, b, r)
			gone := map[string]bool{}
			began := b.requests
			b.before = func(n, _ int) error {
				b.mu.Lock()
				defer b.mu.Unlock()
				for range rng.IntN(3) {
					b.change(rng, gone, n)
				}
				if (n-began)%23 == 11 {
					return &bucket.Error{Op: "list", Kind: bucket.ErrSlowDown}
				}
				return nil
			}
			got, _, err := walkAll(t, b, r, bucket.WalkOptions{Concurrency: 1 + rng.IntN(12)})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			came := map[string]bool{}
			for _, id := range got {
				came[id] = true
			}
			for _, id := range steady {
				if !came[id] && !gone[id] {
					t.Errorf("seed %d, %+v: %q did not come", seed, r, id)
				}
			}
		})
	}
}

func randomBucket(rng *rand.Rand) *paged {
	b := &paged{took: time.Millisecond, versions: map[string][]bucket.Version{}}
	parts := []string{"a", "b", "é", "🎈", "0", "17", "year=2026", "//", "-", "zz", " ", "\x01", "日"}
	for range 20 + rng.IntN(2000) {
		key := ""
		for range 1 + rng.IntN(4) {
			key += parts[rng.IntN(len(parts))]
			if rng.IntN(2) == 0 {
				key += "/"
			}
		}
		key += fmt.Sprint(rng.IntN(50))
		if b.versions[key] == nil {
			b.keys = append(b.keys, key)
		}
		b.versions[key] = append(b.versions[key], bucket.Version{Key: key, ID: fmt.Sprint(len(b.versions[key]))})
	}
	sort.Strings(b.keys)
	return b
}

// change is a writer: a newer version, or one that is removed for good, be it the last
// of its key. b.mu is held.
func (b *paged) change(rng *rand.Rand, gone map[string]bool, n int) {
	key := b.keys[rng.IntN(len(b.keys))]
	vs := b.versions[key]
	i := rng.IntN(len(vs))
	if id := key + " " + vs[i].ID; rng.IntN(2) == 0 && !gone[id] {
		gone[id] = true
		vs = slices.Clone(vs)
		vs[i].Size = removed
		b.versions[key] = vs
		return
	}
	b.versions[key] = append([]bucket.Version{{Key: key, ID: fmt.Sprint("new ", n, rng.Uint32())}}, vs...)
}
