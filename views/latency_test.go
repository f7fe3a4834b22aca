package views

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// far is a bucket to which each request takes 300 ms, once it is open.
func far(t *testing.T, path string, fill func(b *s3test.Bucket)) *driver {
	t.Helper()
	srv, s := onServer(t, path, fill)
	d := newDriver(t, s, 120, 40)
	srv.Fail(fakes3.Fault{Do: fakes3.Wait(300 * time.Millisecond), Times: -1})
	return d
}

// soon sends a key and waits until a text is seen; it gives how long that took.
func (d *driver) soon(key, want string) time.Duration {
	d.t.Helper()
	start := time.Now()
	d.send(keyMsg(key))
	if since := time.Since(start); since > 150*time.Millisecond {
		d.t.Errorf("the key %q took %v", key, since)
	}
	d.until("showing "+want, func() bool { return strings.Contains(d.text(), want) })
	return time.Since(start)
}

// At 300 ms a request the first rows are there after one, before a second one could
// have been answered. A row of a log is what its entry says, which the listing does
// not hold: those come after the entries of the first page, read side by side.
func TestFirstRowsAfterOneRequest(t *testing.T) {
	d := far(t, "docs", func(b *s3test.Bucket) {
		putOn(t, b, "docs/a.txt", "hello")
		putOn(t, b, "docs/sub/b.txt", "hello")
		for n := range 3 {
			putOn(t, b, fmt.Sprintf("docs/more%d.txt", n), "x")
			writeOn(t, b, "docs")
		}
	})
	const two, three = 590 * time.Millisecond, 890 * time.Millisecond
	for _, c := range []struct {
		key, want, name string
		most            time.Duration
	}{
		{"r", "more2.txt", "folder", two},
		{"l", "#3", "log", three},
	} {
		if took := d.soon(c.key, c.want); took > c.most {
			t.Errorf("the first rows of the %s came after %v", c.name, took)
		}
		d.idle()
	}
	d.press("esc", "tab")
	d.idle()
	if took := d.soon("enter", "● live"); took > two {
		t.Errorf("the first rows of the object came after %v", took)
	}
}

// esc ends the requests: the server sees the connection close, and no further page is
// asked for.
func TestEscapeStopsTheRequests(t *testing.T) {
	srv, s := onServer(t, "docs", func(b *s3test.Bucket) { putOn(t, b, "docs/a.txt", "x") })
	d := newDriver(t, s, 100, 30)
	reached := make(chan struct{}, 64)
	free := make(chan struct{})
	defer close(free)
	srv.Fail(fakes3.Fault{Do: fakes3.Call(func(fakes3.Request) {
		reached <- struct{}{}
		<-free
	}), Times: -1})
	d.send(keyMsg("l"))
	<-reached
	d.send(keyMsg("esc"))
	d.until("cancelled", func() bool { return strings.Contains(d.text(), "Cancelled") })
	n := len(srv.Requests())
	d.idle() // the task ended although the server never answered
	if len(d.m.tasks) != 0 || len(srv.Requests()) != n {
		t.Errorf("%d tasks run, %d requests after esc", len(d.m.tasks), len(srv.Requests())-n)
	}
	d.m.env.trace.mu.Lock()
	open := len(d.m.env.trace.open)
	d.m.env.trace.mu.Unlock()
	if open != 0 {
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
	if b.calls == 0 {
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
