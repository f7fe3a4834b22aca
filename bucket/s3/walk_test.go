package s3_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/synthetic"
)

// A passed is what a walk saw: versions in order of the parts.
type passed struct {
	mu    sync.Mutex
	parts []passedPart
}

type passedPart struct {
	after string
	ids   []string
}

func (w *passed) visit(_ context.Context, p *bucket.Part) error {
	x := passedPart{after: p.After()}
	last := ""
	for v, err := range p.Versions() {
		if err != nil {
			return err
		}
		if v.Key < last {
			return fmt.Errorf("%q comes after %q", v.Key, last)
		}
		last = v.Key
		x.ids = append(x.ids, v.Key+" "+v.ID)
	}
	if p.Through() != "" && last > p.Through() {
		return fmt.Errorf("%q lies outside of its part", last)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts = append(w.parts, x)
	return nil
}

func (w *passed) ids() (out []string) {
	slices.SortFunc(w.parts, func(a, b passedPart) int { return strings.Compare(a.after, b.after) })
	for _, p := range w.parts {
		out = append(out, p.ids...)
	}
	return out
}

// scale is how many versions the slow tests take: PROVCAT_SCALE, 1000000 for the
// figure in the docs.
func scale(otherwise int64) int64 {
	if n, err := strconv.ParseInt(os.Getenv("PROVCAT_SCALE"), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// Writers are at work on odd keys, the store takes five requests at a time and refuses
// the others: every version that is there throughout comes once, in order, and the
// walk takes no more requests than it may.
func TestWalkOfOddKeysWithWriters(t *testing.T) {
	n := scale(15_000)
	shape := synthetic.Odd(n)
	shape.Deleted = 50
	s := synthetic.New(shape)
	defer s.Close()
	b := s3test.Open(t, s.URL(), "synthetic")
	size := int(min(1000, n/300))
	var want []string
	for v, err := range b.Versions(context.Background(), bucket.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if synthetic.Steady(v.ID) {
			want = append(want, v.Key+" "+v.ID)
		}
	}

	quiet := &passed{}
	s.Forget()
	s.Latency(5 * time.Millisecond)
	if err := bucket.Walk(context.Background(), b, bucket.Range{PageSize: size}, bucket.WalkOptions{Concurrency: 16}, quiet.visit); err != nil {
		t.Fatal(err)
	}
	if got := steady(quiet.ids()); !slices.Equal(got, want) || int64(len(quiet.ids())) != shape.Total() {
		t.Errorf("%d versions, %d of them steady; want %d and %d", len(quiet.ids()), len(got), shape.Total(), len(want))
	}
	if c, pages := s.Counts(), (n+int64(size)-1)/int64(size); 4*c.Listings > 5*pages || c.Most < 8 {
		t.Errorf("%+v for %d pages", c, pages)
	}

	shape.Churn = true
	busy := synthetic.New(shape)
	defer busy.Close()
	busy.Latency(5 * time.Millisecond)
	busy.Limit(5)
	b = s3test.Open(t, busy.URL(), "synthetic")
	w := &passed{}
	if err := bucket.Walk(context.Background(), b, bucket.Range{PageSize: size}, bucket.WalkOptions{Concurrency: 16}, w.visit); err != nil {
		t.Fatal(err)
	}
	got := w.ids()
	if once := slices.Compact(slices.Sorted(slices.Values(got))); len(once) != len(got) {
		t.Errorf("%d of %d versions came more than once", len(got)-len(once), len(got))
	}
	if !slices.Equal(steady(got), want) {
		t.Errorf("%d steady versions came, want %d", len(steady(got)), len(want))
	}
	if c := busy.Counts(); c.Refused == 0 || len(got) == len(want) {
		t.Errorf("nothing was refused, or no writer was seen: %+v, %d versions", c, len(got))
	}
}

func steady(ids []string) (out []string) {
	for _, id := range ids {
		if synthetic.Steady(id[strings.LastIndexByte(id, ' ')+1:]) {
			out = append(out, id)
		}
	}
	return out
}

// Every fault that passes is lived through: answers that break off, connections that
// are reset, the store's own errors, and refusals that outlast the SDK's own tries.
// Meanwhile writers write, delete, and remove for good.
func TestWalkUnderFaults(t *testing.T) {
	t.Run("8", func(t *testing.T) { walkUnderFaults(t, 8, 50, 20) })
	t.Run("1, each page asked for ahead", func(t *testing.T) { walkUnderFaults(t, 1, 30, 8) })
}

// refused is how many requests in a row the store has no time for.
func walkUnderFaults(t *testing.T, side, page, refused int) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	var want []string
	for i := range 3000 {
		key := fmt.Sprintf("f%d/é %04d", i/600, i)
		for range 1 + i%3/2 {
			s.Put(b.Name, key, []byte("x"))
		}
	}
	for v, err := range b.Versions(context.Background(), bucket.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, v.Key+" "+v.ID)
	}
	var asked atomic.Int64
	gone := sync.Map{}
	s.Before(func(r fakes3.Request) {
		if r.Kind != "ListObjectVersions" {
			return
		}
		n := asked.Add(1)
		i := int(n*97) % len(want)
		at := strings.LastIndexByte(want[i], ' ')
		if n%3 == 0 {
			gone.Store(want[i], true)
			s.DeleteVersion(b.Name, want[i][:at], want[i][at+1:])
			return
		}
		s.Put(b.Name, want[i][:at], []byte("newer"))
		s.Put(b.Name, want[i][:at]+" new", []byte("new"))
	})
	var armed []*fakes3.Armed
	list := fakes3.Fault{Kind: "ListObjectVersions"}
	// The SDK tries three times, so none of these may meet one request more than twice:
	// they meet first tries.
	first := func(r fakes3.Request) bool { return strings.HasPrefix(r.Header.Get("Amz-Sdk-Request"), "attempt=1") }
	for i, do := range []fakes3.Action{fakes3.SlowDown, fakes3.Reset, fakes3.Cut(1000), fakes3.InternalError, fakes3.Drop} {
		for k := range 3 {
			f := list
			f.Match, f.Skip, f.Do = first, 7+11*i+23*k, do
			armed = append(armed, s.Fail(f))
		}
	}
	f := list
	f.Skip, f.Times, f.Do = 45, refused, fakes3.SlowDown // three at a time are the SDK's own tries
	armed = append(armed, s.Fail(f))
	w := &passed{}
	began := time.Now()
	if err := bucket.Walk(context.Background(), b, bucket.Range{PageSize: page}, bucket.WalkOptions{Concurrency: side}, w.visit); err != nil {
		t.Fatal(err)
	}
	came := map[string]bool{}
	for _, id := range w.ids() {
		if came[id] {
			t.Errorf("%q came twice", id)
		}
		came[id] = true
	}
	for _, id := range want {
		if _, away := gone.Load(id); !came[id] && !away {
			t.Errorf("%q did not come", id)
		}
	}
	for i, f := range armed {
		if f.Fired() == 0 {
			t.Errorf("fault %d met no request", i)
		}
	}
	t.Logf("%d requests in %s, %d parts, %d of %d versions", asked.Load(), time.Since(began), len(w.parts), len(came), len(want))
	if side > 1 && len(w.parts) < 4 || side == 1 && len(w.parts) != 1 {
		t.Errorf("%d parts", len(w.parts))
	}
}

// BenchmarkWalk: PROVCAT_SCALE versions (100,000) of each shape, at no latency and at
// 30 ms a request, by one listing and by walks.
func BenchmarkWalk(b *testing.B) {
	n := scale(100_000)
	for _, shape := range []synthetic.Shape{synthetic.Flat(n), synthetic.Hashed(n), synthetic.Folders(n, 10), synthetic.Folders(n, 5000), synthetic.Deep(n), synthetic.Skewed(n), synthetic.Odd(n)} {
		for _, latency := range []time.Duration{0, 30 * time.Millisecond} {
			for _, side := range []int{1, 16, 64} {
				b.Run(fmt.Sprintf("%s/%s/%d", shape.Name, latency, side), func(b *testing.B) {
					s := synthetic.New(shape)
					defer s.Close()
					s.Latency(latency)
					bk := s3test.Open(b, s.URL(), "synthetic")
					s.Forget()
					for b.Loop() {
						var seen atomic.Int64
						err := bucket.Walk(context.Background(), bk, bucket.Range{}, bucket.WalkOptions{Concurrency: side}, func(_ context.Context, p *bucket.Part) error {
							k := int64(0)
							for _, err := range p.Versions() {
								if err != nil {
									return err
								}
								k++
							}
							seen.Add(k)
							return nil
						})
						if err != nil || seen.Load() != n {
							b.Fatal(err, seen.Load())
						}
					}
					b.ReportMetric(float64(s.Counts().Listings)/float64(b.N)/float64((n+999)/1000), "requests/page")
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/version")
				})
			}
		}
	}
}
