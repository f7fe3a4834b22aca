package s3_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/synthetic"
)

// patience is what a machine that stands still for a while may take.
const patience = 20 * time.Second

// eventually waits until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// asking counts the goroutines that ask for a page ahead.
func asking() int {
	b := make([]byte, 4<<20)
	return strings.Count(string(b[:runtime.Stack(b, true)]), "askAhead.func")
}

// The next page is asked for while the first is taken, and the one after it is not:
// two pages are in memory, no more.
func TestTheNextPageIsAskedForAheadAndNoOther(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	for i := range 6 {
		s.Put(b.Name, fmt.Sprint(i), nil)
	}
	var asked atomic.Int64
	s.Before(func(r fakes3.Request) {
		if r.Kind == "ListObjectVersions" {
			asked.Add(1)
		}
	})
	n := int64(0)
	for _, err := range b.Versions(t.Context(), bucket.Range{PageSize: 2, Ahead: true}) {
		if err != nil {
			t.Fatal(err)
		}
		page := n/2 + 1
		n++
		eventually(t, fmt.Sprintf("page %d while page %d is taken", page+1, page), func() bool { return asked.Load() >= min(3, page+1) })
		time.Sleep(20 * time.Millisecond) // in which one too many would come
		if got := asked.Load(); got != min(3, page+1) {
			t.Fatalf("while page %d was taken %d were asked for", page, got)
		}
	}
	if n != 6 || asked.Load() != 3 {
		t.Errorf("%d versions of 6, %d pages of 3", n, asked.Load())
	}
}

// A listing that is stopped early cancels what it asked for ahead, and waits for nothing
// that a store holds back: no goroutine, and no request at the store, is left over.
func TestAheadStoppedEarlyLeavesNothingBehind(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	for i := range 6 {
		s.Put(b.Name, fmt.Sprint(i), nil)
	}
	for name, stop := range map[string]func(bucket.Range) error{
		"break": func(r bucket.Range) error {
			for _, err := range b.Versions(context.Background(), r) {
				return err
			}
			return errors.New("nothing came")
		},
		"cancel": func(r bucket.Range) (last error) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			for _, err := range b.Versions(ctx, r) {
				cancel()
				last = err
			}
			if errors.Is(last, context.Canceled) {
				return nil
			}
			return fmt.Errorf("a cancelled listing ended with %w", last)
		},
		"a walk's visit": func(r bucket.Range) error {
			own := errors.New("enough")
			err := bucket.Walk(context.Background(), b, r, bucket.WalkOptions{Concurrency: 1}, func(_ context.Context, p *bucket.Part) error {
				for _, err := range p.Versions() {
					return errors.Join(err, own)
				}
				return nil
			})
			if !errors.Is(err, own) {
				return err
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			held := make(chan struct{})
			s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Skip: 1, Times: -1, Do: fakes3.Call(func(fakes3.Request) { <-held })})
			defer s.Heal()
			defer close(held)
			before := b.Requests().List
			began := time.Now()
			if err := stop(bucket.Range{PageSize: 2, Ahead: true}); err != nil {
				t.Error(err)
			}
			if d := time.Since(began); d > patience {
				t.Errorf("it took %s to stop", d)
			}
			if n := b.Requests().List - before; n > 2 {
				t.Errorf("%d requests for the first of three pages, not 2 at most", n)
			}
			eventually(t, "no goroutine asks ahead", func() bool { return asking() == 0 })
		})
	}
}

// What a page that nobody reaches failed with is told to nobody, and whoever may wait
// for a store that is busy is only asked once its page is due.
func TestAheadTellsNoErrorBeforeItsPageIsDue(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	for i := range 6 {
		s.Put(b.Name, fmt.Sprint(i), nil)
	}
	for name, do := range map[string]fakes3.Action{"denied": fakes3.AccessDenied, "busy": fakes3.SlowDown} {
		t.Run(name, func(t *testing.T) {
			defer s.Heal()
			// By its marker: a request that was cancelled may still reach the store.
			second := fakes3.Fault{Times: -1, Do: do, Match: func(r fakes3.Request) bool { return strings.Contains(r.Query, "key-marker=1") }}
			f := s.Fail(second)
			var came []string
			told := 0
			r := bucket.Range{PageSize: 2, Ahead: true, OnSlowDown: func(err error) error {
				if told++; len(came) != 2 {
					t.Errorf("told after %q", came)
				}
				return err
			}}
			for v, err := range b.Versions(t.Context(), r) {
				if err != nil {
					t.Fatalf("%v after %q", err, came)
				}
				came = append(came, v.Key)
				eventually(t, "the second page fails", func() bool { return f.Fired() > 0 })
				break
			}
			if told != 0 {
				t.Errorf("told %d times of a page that was not reached", told)
			}
			s.Heal()
			s.Fail(second)
			came = nil
			var last error
			for v, err := range b.Versions(t.Context(), r) {
				if last = err; err == nil {
					came = append(came, v.Key)
				}
			}
			if last == nil || strings.Join(came, "") != "01" || name == "busy" && told != 1 {
				t.Errorf("%q, then %v; told %d times", came, last, told)
			}
		})
	}
}

// While writers write, delete and remove between the requests, what was there all the
// time comes once, in order, asked for ahead or not.
func TestAheadWithWriters(t *testing.T) {
	shape := synthetic.Odd(6000)
	shape.Deleted = 50
	quiet := synthetic.New(shape)
	defer quiet.Close()
	list := func(s *synthetic.Server, ahead bool) (out []string) {
		for v, err := range s3test.Open(t, s.URL(), "synthetic").Versions(t.Context(), bucket.Range{PageSize: 100, Ahead: ahead}) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, v.Key+" "+v.ID)
		}
		return out
	}
	plain, ahead := list(quiet, false), list(quiet, true)
	if strings.Join(plain, "\n") != strings.Join(ahead, "\n") || int64(len(plain)) != shape.Total() {
		t.Errorf("%d versions, ahead %d, of %d", len(plain), len(ahead), shape.Total())
	}
	shape.Churn = true
	busy := synthetic.New(shape)
	defer busy.Close()
	got := list(busy, true)
	if strings.Join(steady(got), "\n") != strings.Join(steady(plain), "\n") {
		t.Errorf("%d steady versions came, want %d", len(steady(got)), len(steady(plain)))
	}
	if len(got) == len(steady(got)) {
		t.Error("no writer was seen")
	}
}
