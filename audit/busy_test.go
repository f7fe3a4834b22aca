package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A busy bucket lets somebody in at the n-th thing that is read: before a listing,
// before a page of it, before a version that it gives, before an object.
type busy struct {
	bucket.Bucket
	n    int
	then func()
}

func (b *busy) event() {
	if b.n--; b.n == 0 {
		b.then()
	}
}

func (b *busy) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	b.event()
	return b.Bucket.Open(ctx, key, version, first)
}

func (b *busy) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	r.PageSize = 2
	return func(yield func(bucket.Version, error) bool) {
		b.event()
		for v, err := range b.Bucket.Versions(ctx, r) {
			b.event()
			if !yield(v, err) {
				return
			}
		}
	}
}

// Writers at work during an audit never look like damage, whenever they come. Beside
// what else there is to find they come at every third event, or at each where
// PROVCAT_HISTORIES asks for a long run.
func TestABusyBucket(t *testing.T) {
	// What writers do meanwhile, all of it within the format.
	work := func(w *world) {
		w.put(sales+"/orders.csv", "more")
		w.commit(sales, "during the audit")
		w.del(sales + "/readme")
		w.put(sales+"/aaa", "first of all")
		h, files := w.load(w.commit(sales, "again").ID)
		w.put("zz-new/x", "")
		w.commit("zz-new", "")
		w.commit("", "everything")
		h.Author = "ben"
		w.object(h, files...) // lost a race
	}
	for name, x := range map[string]struct {
		before func(w *world, ids []string)
		want   []want // at most these are not info
	}{
		"sound": {func(w *world, ids []string) {}, nil},
		"with an old orphan at the head": {func(w *world, ids []string) {
			w.object(commit.Header{Folder: sales, Number: 4, Parent: ids[3]})
			w.object(commit.Header{Folder: "zz-new", Number: 1})
		}, []want{{id: "commit-unfinished"}, {id: "commit-unfinished"}}},
		"with damage of its own": {func(w *world, ids []string) {
			w.del(slot(2))
			w.erase(key(ids[1]))
			w.history("other", 2)
			w.erase("other/readme")
		}, []want{{id: "log-entry-deleted"}, {id: "commit-missing"}, {id: "version-missing"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			every := 3
			if x.want == nil || os.Getenv("PROVCAT_HISTORIES") != "" {
				every = 1
			}
			for n := 1 + rand.IntN(every); ; n += every {
				w := newWorld(t)
				x.before(w, w.history(sales, 3))
				w.pass(time.Hour)
				came := false
				b := &busy{Bucket: w.b, n: n, then: func() { came = true; work(w) }}
				r := auditOf(t, b, Options{Concurrency: 1})
				for _, f := range r.Findings {
					known := f.Severity == Info
					for _, y := range x.want {
						known = known || f.ID == y.id
					}
					if !known {
						t.Errorf("writers at event %d: %s %s: %s (%s)", n, f.Severity, f.ID, f.Title, f.Detail)
					}
				}
				// Damage that was there before is found whoever else is at work.
				for _, y := range x.want {
					if y.id == "commit-unfinished" {
						continue
					}
					found := false
					for _, f := range r.Findings {
						found = found || f.ID == y.id
					}
					if !found {
						t.Errorf("writers at event %d: %s is not found", n, y.id)
					}
				}
				if t.Failed() || !came {
					if n < 15 {
						t.Errorf("only %d events", n)
					}
					return
				}
			}
		})
	}
}

// What looked damaged at first and is sound at the second reading is not reported.
func TestGoneAtTheSecondReading(t *testing.T) {
	for name, x := range map[string]func(w *world, ids []string) (heal func()){
		"a marker on an entry": func(w *world, ids []string) func() {
			m := w.del(slot(3))
			return func() { w.kill(slot(3), m.ID) }
		},
		"a marker on a commit object": func(w *world, ids []string) func() {
			m := w.del(key(ids[3]))
			return func() { w.kill(key(ids[3]), m.ID) }
		},
		"a commit object": func(w *world, ids []string) func() {
			body := w.body(key(ids[3]), "")
			w.erase(key(ids[3]))
			return func() { w.put(key(ids[3]), body) }
		},
		"an entry": func(w *world, ids []string) func() {
			body := w.body(slot(6), "")
			w.erase(slot(6))
			w.erase(slot(5))
			return func() { w.put(slot(5), ids[5]); w.put(slot(6), body) }
		},
		"garbage in an entry": func(w *world, ids []string) func() {
			v := w.put(slot(3), "garbage")
			return func() { w.kill(slot(3), v.ID) }
		},
		"an orphan": func(w *world, ids []string) func() {
			h, files := w.load(ids[6])
			h.Number, h.Parent, h.Time = 7, ids[6], w.tick()
			h.Message = "slow"
			id := w.object(h, files...)
			w.pass(time.Hour)
			return func() { w.entry(sales, 7, id, h.Time) }
		},
		"an orphan whose folder has no log yet": func(w *world, ids []string) func() {
			h := commit.Header{Folder: "slow", Number: 1, Time: w.tick()}
			id := w.object(h)
			w.pass(time.Hour)
			return func() { w.entry("slow", 1, id, h.Time) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			heal := x(w, w.history(sales, 6))
			var first Progress
			r := w.audit(Options{Progress: func(p Progress) {
				if p.Stage == "confirming" && heal != nil {
					first = p
					heal()
					heal = nil
				}
			}})
			if first.Findings == 0 {
				t.Error("nothing looked wrong at the first reading")
			}
			expect(t, r)
			if r.Verdict != Pass || !r.Complete {
				t.Errorf("verdict %s, complete %v", r.Verdict, r.Complete)
			}
		})
	}
}

var errHide = errors.New("hide this version")

// A version that only the first listing lacks is not missing.
func TestALapseOfTheListing(t *testing.T) {
	for _, files := range []int{3, 200} { // looked at one by one, and by a walk
		w := newWorld(t)
		for i := range files {
			w.put(fmt.Sprintf("f/%03d", i), "x")
		}
		w.commit("f", "")
		w.erase("f/002")
		lapsed := map[string]bool{}
		r := auditOf(t, &tampered{Bucket: w.b, list: func(_ bucket.Range, v bucket.Version) error {
			if strings.HasPrefix(v.Key, "f/") && !lapsed[v.ID] {
				lapsed[v.ID] = true
				return errHide
			}
			return nil
		}}, Options{Concurrency: 1})
		expect(t, r, want{id: "version-missing", key: "f/002", versions: 1})
	}
}

// Damage that came after the first reading is left to the next run.
func TestDamageDuringTheAuditIsLeftToTheNext(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 6)
	w.del(slot(3))
	done := false
	r := w.audit(Options{Progress: func(p Progress) {
		if p.Stage == "confirming" && !done {
			done = true
			w.del(slot(5))
		}
	}})
	expect(t, r, want{id: "log-entry-deleted", number: 3})
	expect(t, w.audit(Options{}), want{id: "log-entry-deleted", number: 3}, want{id: "log-entry-deleted", number: 5})
}

// A racing bucket runs something just before a log entry is created.
type racing struct {
	bucket.Bucket
	then func()
}

func (b *racing) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	if strings.HasPrefix(key, commit.Logs) && b.then != nil {
		then := b.then
		b.then = nil
		then()
	}
	return b.Bucket.PutIfAbsent(ctx, key, body)
}
