package buckettest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"provcat-tui/bucket"
)

var createChecks = []check{
	{"absent", func(r *recorder) {
		r.create("k", "first")
		r.listsAll()
		r.reads("k", "", "first")
	}},
	{"present", func(r *recorder) {
		r.create("k", "first")
		r.refused("k", "second")
		r.refused("k", "first") // the same bytes are refused too
		r.put("k", "second")
		r.refused("k", "third")
		r.listsAll()
		r.reads("k", "", "second")
	}},
	{"over-a-marker", func(r *recorder) {
		v := r.create("k", "first")
		r.del("k")
		r.create("k", "second")
		r.refused("k", "third")
		r.listsAll()
		r.reads("k", "", "second")
		r.reads("k", v.ID, "first")
	}},
	{"over-a-marker-of-a-key-that-never-was", func(r *recorder) {
		r.del("k")
		r.create("k", "first")
		r.listsAll()
	}},
	{"after-the-marker-is-removed", func(r *recorder) {
		r.create("k", "first")
		m := r.del("k")
		r.destroy(m)
		r.refused("k", "second")
		r.listsAll()
		r.reads("k", "", "first")
	}},
	{"after-the-only-version-is-removed", func(r *recorder) {
		v := r.create("k", "first")
		r.destroy(v)
		r.create("k", "second")
		r.listsAll()
	}},
	{"beside-keys-that-start-alike", func(r *recorder) {
		r.create("k/x", "1")
		r.create("kk", "1")
		r.create("k", "1")
		r.listsAll()
	}},
	{"empty-body", func(r *recorder) {
		r.create("k", "")
		r.refused("k", "")
		r.listsAll()
		r.reads("k", "", "")
	}},
	{"body-is-read-from-its-start", func(r *recorder) {
		body := strings.NewReader("0123456789")
		if _, err := io.CopyN(io.Discard, body, 7); err != nil {
			r.fatalf("seek: %v", err)
		}
		v, err := r.b.PutIfAbsent(r.ctx, "k", body)
		r.must("PutIfAbsent", err)
		r.wrote(v, "k", "0123456789")
		r.reads("k", "", "0123456789")
	}},
	{"key-too-long", func(r *recorder) {
		_, err := r.b.PutIfAbsent(r.ctx, strings.Repeat("k", 1025), strings.NewReader("x"))
		if err == nil || errors.Is(err, bucket.ErrUnclear) || errors.Is(err, bucket.ErrExists) {
			r.errorf("a key of 1,025 bytes: %v; want a clear refusal", err)
		}
		r.listsAll()
	}},
	{"race", func(r *recorder) { r.race() }},
	{"race-over-a-marker", func(r *recorder) {
		r.create("k", "old")
		r.del("k")
		r.race()
	}},
	{"cancelled", func(r *recorder) {
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if _, err := r.b.PutIfAbsent(ctx, "k", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
			r.errorf("a cancelled PutIfAbsent says %v", err)
		}
		r.listsAll()
	}},
}

// refused checks that put-if-absent says that the key exists.
func (r *recorder) refused(key, body string) {
	v, err := r.b.PutIfAbsent(r.ctx, key, strings.NewReader(body))
	if !errors.Is(err, bucket.ErrExists) {
		r.errorf("PutIfAbsent %q over a live version: %+v, %v; want %v", key, v, err, bucket.ErrExists)
	}
}

// race lets all racers create the key k at once. After an unclear answer a
// racer puts its bytes again, as a writer of commits does; a refusal after that
// may be its own success, so it looks whose bytes are there.
func (r *recorder) race() {
	type result struct {
		v   bucket.Version
		won bool
	}
	results := make([]result, r.racers)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			body := fmt.Sprintf("racer %d", i)
			<-start
			unclear := false
			for {
				v, err := r.b.PutIfAbsent(r.ctx, "k", strings.NewReader(body))
				switch {
				case err == nil:
					results[i] = result{v, true}
					return
				case errors.Is(err, bucket.ErrUnclear) && r.ctx.Err() == nil:
					unclear = true
					time.Sleep(5 * time.Millisecond)
					continue
				case !errors.Is(err, bucket.ErrExists):
					r.errorf("racer %d: %v", i, err)
				case unclear:
					got, v, err := r.body("k", "", 0)
					if err != nil {
						r.errorf("racer %d reads: %v", i, err)
					}
					results[i] = result{v, got == body}
				}
				return
			}
		})
	}
	close(start)
	wg.Wait()
	winners := 0
	for i, res := range results {
		if res.won {
			winners++
			r.wrote(res.v, "k", fmt.Sprintf("racer %d", i))
		}
	}
	if winners != 1 {
		r.fatalf("%d of %d racers were told that they won; want one", winners, r.racers)
	}
	r.listsAll()
	r.reads("k", "", r.model["k"][0].body)
}
