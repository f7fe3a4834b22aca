package commit

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/synthetic"
)

// pagedServer gives at most three versions a page. The keys of f/ have 1 to 7 versions,
// so that pages begin at keys and within them; commits and others lie around them.
func pagedServer(t testing.TB) (*fakes3.Server, *s3test.Bucket) {
	s := fakes3.New(fakes3.Options{PageCap: 3})
	t.Cleanup(s.Close)
	b := s3test.New(t, s.URL())
	for _, key := range []string{"a", "z", Root + "x/1", Root + "x/2"} {
		s.Put(b.Name, key, []byte("x"))
	}
	for i, n := range []int{1, 1, 1, 2, 3, 1, 7, 1, 1, 4, 1, 1} {
		for j := range n {
			s.Put(b.Name, fmt.Sprintf("f/%02d", i), []byte{byte(j)})
		}
		if i%5 == 4 {
			remove(t, b, fmt.Sprintf("f/%02d", i))
		}
	}
	return s, b
}

func listingOf(t testing.TB, b bucket.Bucket, folder string, d digest) *listing {
	t.Helper()
	l := &listing{prefix: KeyPrefix(folder), keep: true, side: 3, seen: func(int64) {}}
	l.digest.secret = d.secret
	if err := l.read(bg, b); err != nil {
		t.Fatal(err)
	}
	return l
}

// Whatever one writer does between two listings, at whatever place: the listing that is
// made of the first one's pages is what a fresh one is.
func TestAgainSeesEveryChange(t *testing.T) {
	changes := map[string]func(s *fakes3.Server, b *s3test.Bucket, key string){
		"nothing":       func(*fakes3.Server, *s3test.Bucket, string) {},
		"a new version": func(s *fakes3.Server, b *s3test.Bucket, key string) { s.Put(b.Name, key, []byte("new")) },
		"a new key":     func(s *fakes3.Server, b *s3test.Bucket, key string) { s.Put(b.Name, key+" new", []byte("new")) },
		"a key before":  func(s *fakes3.Server, b *s3test.Bucket, key string) { s.Put(b.Name, key[:len(key)-1], []byte("new")) },
		"a page of new keys": func(s *fakes3.Server, b *s3test.Bucket, key string) {
			for i := range 7 {
				s.Put(b.Name, fmt.Sprint(key, i), []byte("new"))
			}
		},
		"a marker": func(s *fakes3.Server, b *s3test.Bucket, key string) { _, _ = b.Delete(bg, key) },
		"the newest removed": func(s *fakes3.Server, b *s3test.Bucket, key string) {
			s.DeleteVersion(b.Name, key, s.Entries(b.Name, key)[0].ID)
		},
		"the oldest removed": func(s *fakes3.Server, b *s3test.Bucket, key string) {
			e := s.Entries(b.Name, key)
			s.DeleteVersion(b.Name, key, e[len(e)-1].ID)
		},
		"all removed": func(s *fakes3.Server, b *s3test.Bucket, key string) {
			for _, e := range s.Entries(b.Name, key) {
				s.DeleteVersion(b.Name, key, e.ID)
			}
		},
	}
	for name, change := range changes {
		for _, folder := range []string{"f", ""} {
			for i := range 12 {
				s, b := pagedServer(t)
				var d digest
				if err := d.begin(); err != nil {
					t.Fatal(err)
				}
				before := listingOf(t, b, folder, d)
				pages := 0
				for _, p := range before.parts {
					pages += len(p.pages)
				}
				change(s, b, fmt.Sprintf("f/%02d", i))
				s.Forget()
				got := &listing{prefix: before.prefix, keep: true, side: 3, seen: func(int64) {}}
				got.digest.secret = d.secret
				ok, err := got.again(bg, b, bucket.Again(b), before)
				if err != nil || !ok && (name == "nothing" || name == "a marker") {
					t.Fatalf("%s of %d in %q: %t, %v", name, i, folder, ok, err)
				}
				asked := s.Count("ListObjectVersions")
				want := listingOf(t, b, folder, d)
				if !ok {
					continue // so much differs that all is listed
				}
				if got.digest != want.digest || got.listed != want.listed || !slices.Equal(got.files(), want.files()) {
					t.Errorf("%s of %d in %q: %+v, %v; want %+v, %v", name, i, folder, got.listed, got.files(), want.listed, want.files())
				}
				if changed := got.digest != before.digest; changed != (name != "nothing") {
					t.Errorf("%s of %d in %q: seen as a change: %t", name, i, folder, changed)
				}
				if name == "nothing" && asked != pages {
					t.Errorf("%d requests for %d pages", asked, pages)
				}
			}
		}
	}
}

// Writers are at work between the listings and during them: what Collect gives is the
// folder's state at some moment.
func TestCollectOfAFolderThatChanges(t *testing.T) {
	settled, again := 0, 0
	for seed := range uint64(60) {
		s, b := pagedServer(t)
		rng := rand.New(rand.NewPCG(seed, 8))
		var mu sync.Mutex
		state := map[string]string{}
		for i := range 12 {
			key := fmt.Sprintf("f/%02d", i)
			if e := s.Entries(b.Name, key); !e[0].Marker {
				state[key[2:]] = e[0].ID
			}
		}
		states := []map[string]string{maps.Clone(state)}
		left := 1 + rng.IntN(12)
		s.Before(func(r fakes3.Request) {
			if r.Kind != "ListObjectVersions" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for left > 0 && rng.IntN(8) == 0 {
				left--
				key := fmt.Sprintf("f/%02d", rng.IntN(12))
				if rng.IntN(3) == 0 {
					key += " new"
				}
				state[key[2:]] = s.Put(b.Name, key, []byte("newer"))
				states = append(states, maps.Clone(state))
			}
		})
		got, err := Collect(bg, b, "f", 1+int(seed)%4, nil)
		if err != nil {
			continue // it kept changing
		}
		settled++
		if got.Listings > 2 {
			again++
		}
		live := map[string]string{}
		for _, f := range got.Files {
			live[f.Path] = f.Version
		}
		if !slices.ContainsFunc(states, func(x map[string]string) bool { return maps.Equal(x, live) }) {
			t.Errorf("seed %d: after %d listings %v, which never was", seed, got.Listings, live)
		}
	}
	if settled < 40 || again < 20 {
		t.Errorf("%d folders settled, %d of them after a change", settled, again)
	}
}

// A store that asks for fewer requests is not asked for pages side by side: the walk
// knows how to wait.
func TestAgainLeavesARefusingStoreToTheWalk(t *testing.T) {
	s, b := pagedServer(t)
	s.Forget()
	listingOf(t, b, "f", digest{})
	pages := s.Count("ListObjectVersions")
	refused := s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Skip: pages + 2, Times: 12, Do: fakes3.SlowDown})
	got, err := Collect(bg, b, "f", 4, nil)
	if err != nil || got.Listings != 2 || len(got.Files) != 10 || refused.Fired() != 12 {
		t.Errorf("%+v, %v; %d were refused", got, err, refused.Fired())
	}
}

// BenchmarkCollect: a snapshot of PROVCAT_SCALE versions (100,000) at no latency and at
// 30 ms a request, beside a single listing of the kind that it makes twice.
func BenchmarkCollect(b *testing.B) {
	n, err := strconv.ParseInt(os.Getenv("PROVCAT_SCALE"), 10, 64)
	if err != nil {
		n = 100_000
	}
	shape := synthetic.Folders(n, 1000)
	for _, latency := range []time.Duration{0, 30 * time.Millisecond} {
		s := synthetic.New(shape)
		defer s.Close()
		s.Latency(latency)
		bk := s3test.Open(b, s.URL(), "synthetic")
		b.Run(fmt.Sprintf("first/%s", latency), func(b *testing.B) {
			for b.Loop() {
				listingOf(b, bk, "", digest{})
			}
		})
		b.Run(fmt.Sprintf("second/%s", latency), func(b *testing.B) {
			before := listingOf(b, bk, "", digest{})
			for b.Loop() {
				l := &listing{keep: true, side: 16, seen: func(int64) {}}
				if ok, err := l.again(context.Background(), bk, bucket.Again(bk), before); !ok || err != nil || l.versions != n {
					b.Fatal(ok, err, l.versions)
				}
			}
		})
		b.Run(fmt.Sprintf("snapshot/%s", latency), func(b *testing.B) {
			for b.Loop() {
				if got, err := Collect(context.Background(), bk, "", 16, nil); err != nil || got.Versions != n {
					b.Fatal(err, got.Versions)
				}
			}
		})
	}
}
