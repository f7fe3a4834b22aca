package views

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// rounds lets requests through in rounds: one that begins when an answer was given is
// of the next round. Each takes 300 ms; those of rounds that are not allowed are held.
type rounds struct {
	mu      sync.Mutex
	done    int // the highest round that was answered
	allowed int // -1: all, without delay
	free    chan struct{}
}

func (r *rounds) pass(fakes3.Request) {
	r.mu.Lock()
	round, allowed, free := r.done+1, r.allowed, r.free
	r.mu.Unlock()
	switch {
	case allowed < 0:
		return
	case round > allowed:
		<-free
		return
	}
	time.Sleep(300 * time.Millisecond)
	r.mu.Lock()
	r.done = max(r.done, round)
	r.mu.Unlock()
}

// in presses a key and waits for a text that must come within n rounds of requests.
func (r *rounds) in(d *driver, n int, key, want string) {
	d.t.Helper()
	r.mu.Lock()
	r.done, r.allowed, r.free = 0, n, make(chan struct{})
	r.mu.Unlock()
	d.send(keyMsg(key))
	d.until(fmt.Sprintf("showing %q after requests in %d rounds", want, n), func() bool { return strings.Contains(d.text(), want) })
	r.mu.Lock()
	r.allowed = -1
	close(r.free)
	r.mu.Unlock()
	d.idle()
}

// At 300 ms a request the first rows are there after one: what the others bring is not
// waited for. A row of a log is what its entry says, which the listing does not hold:
// those come after the entries of the first page, read side by side.
func TestFirstRowsAfterOneRequest(t *testing.T) {
	srv, s := onServer(t, "", func(b *s3test.Bucket) {
		putOn(t, b, "docs/a.txt", "hello")
		putOn(t, b, "docs/sub/b.txt", "hello")
		for n := range 3 {
			putOn(t, b, fmt.Sprintf("docs/more%d.txt", n), "x")
			writeOn(t, b, "docs")
		}
	})
	d := newDriver(t, s, 120, 40)
	r := &rounds{allowed: -1}
	srv.Fail(fakes3.Fault{Do: fakes3.Call(r.pass), Times: -1})
	d.seesNot("more2.txt")
	r.in(d, 1, "down", "more2.txt")
	r.in(d, 2, "l", "#3")
	d.press("esc", "tab")
	r.in(d, 1, "enter", "● live")
}

// esc ends the requests: the server sees that the client has gone, and no further page
// is asked for.
func TestEscapeStopsTheRequests(t *testing.T) {
	srv, s := onServer(t, "docs", func(b *s3test.Bucket) { putOn(t, b, "docs/a.txt", "x") })
	d := newDriver(t, s, 100, 30)
	var began atomic.Int64
	srv.Fail(fakes3.Fault{Do: fakes3.Call(func(fakes3.Request) { began.Add(1) }), Times: -1})
	srv.Fail(fakes3.Fault{Do: fakes3.Wait(time.Hour), Times: -1})
	d.send(keyMsg("l"))
	d.until("asked", func() bool { return began.Load() > 0 })
	d.send(keyMsg("esc"))
	d.until("cancelled", func() bool { return strings.Contains(d.text(), "Cancelled") })
	d.idle() // the tasks ended although the server never answers
	d.until("seen by the server", func() bool { return int64(srv.Gone()) == began.Load() })
	n := began.Load()
	d.press("down", "up")
	if len(d.m.tasks) != 0 || began.Load() != n {
		t.Errorf("%d tasks run, %d requests after esc", len(d.m.tasks), began.Load()-n)
	}
	if open := d.m.env.trace.look().open; open != 0 {
		t.Errorf("%d requests are still under way", open)
	}
}

func writeOn(t *testing.T, b bucket.Bucket, folder string) {
	t.Helper()
	if _, err := commit.Write(t.Context(), b, folder, commit.WriteOptions{Author: "ana", Message: "m"}); err != nil {
		t.Fatal(err)
	}
}

// A hung bucket answers no call, not even when it is cancelled.
type hung struct {
	bucket.Bucket
	mu    sync.Mutex
	hangs bool
	calls int
}

func (b *hung) wait() {
	b.mu.Lock()
	b.calls++
	hangs := b.hangs
	b.mu.Unlock()
	if hangs {
		select {}
	}
}

func (b *hung) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		b.wait()
		b.Bucket.Versions(ctx, r)(yield)
	}
}

func (b *hung) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		b.wait()
		b.Bucket.Level(ctx, prefix)(yield)
	}
}

func (b *hung) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	b.wait()
	return b.Bucket.Open(ctx, key, version, first)
}

func (b *hung) Versioning(ctx context.Context) (bucket.Versioning, time.Time, error) {
	b.wait()
	return b.Bucket.Versioning(ctx)
}

func (b *hung) Settings(ctx context.Context) bucket.Settings {
	b.wait()
	return b.Bucket.Settings(ctx)
}

// No key waits for the network: on a bucket that never answers again every key is
// answered at once, and esc, q and ctrl+c still leave.
func TestNoKeyWaitsForAHungBucket(t *testing.T) {
	f, _ := small(t)
	b := &hung{Bucket: f.b}
	d := newDriver(t, withMouse(f.startOn(b, "sales/2026")), 100, 30)
	b.mu.Lock()
	b.hangs = true
	b.mu.Unlock()
	for _, k := range []string{"r", "up", "down", "tab", "end", "enter", "tab", "esc", "esc", "l", "r", "end", "esc", "esc", "a", "esc", "esc", "R", "R", "ctrl+p", "esc", "c", "esc", "esc", "?", "esc"} {
		start := time.Now()
		d.send(keyMsg(k)) // with its frame
		if took := time.Since(start); took > 250*time.Millisecond {
			t.Errorf("the key %q took %v", k, took)
		}
	}
	b.mu.Lock()
	calls := b.calls
	b.mu.Unlock()
	if calls == 0 {
		t.Error("nothing was asked of the bucket: the test shows nothing")
	}
	for range 12 {
		if d.quit {
			break
		}
		d.send(keyMsg("q"))
		for len(d.msgs) > 0 {
			d.send(<-d.msgs)
		}
		time.Sleep(time.Millisecond)
	}
	d.until("left", func() bool { return d.quit })
}
