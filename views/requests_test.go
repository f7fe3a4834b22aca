package views

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/s3"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// onServer is a program on a fresh bucket of the test server, which the driver opens
// for the program, with its requests.
func onServer(t *testing.T, path string, fill func(b *s3test.Bucket)) (*fakes3.Server, Start) {
	t.Helper()
	srv := fakes3.New(fakes3.Options{})
	t.Cleanup(srv.Close)
	b := s3test.New(t, srv.URL())
	fill(b)
	return srv, Start{
		Location: &bucket.Location{Scheme: "s3", Bucket: b.Name, Path: path},
		Open: func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
			return s3.OpenWith(ctx, l, bucket.Options{Endpoint: srv.URL(), Region: "us-east-1", PathStyle: true}, s3test.Tune)
		},
		Author: "ana", Version: "test", Concurrency: 4, Now: func() time.Time { return later },
	}
}

func putOn(t *testing.T, b bucket.Bucket, key, body string) {
	t.Helper()
	if _, err := b.PutIfAbsent(t.Context(), key, strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
}

// What the screens ask is on the screen of requests, a refused one with the store's
// words and its ID, and nothing that is secret.
func TestRequests(t *testing.T) {
	srv, s := onServer(t, "docs", func(b *s3test.Bucket) {
		putOn(t, b, "docs/a.txt", "hello")
		putOn(t, b, "docs/b.txt", "hello")
	})
	d := newDriver(t, s, 120, 40)
	d.press("tab", "enter")
	d.until("read", func() bool { return strings.Contains(d.text(), "hello") })
	armed := srv.Fail(fakes3.Fault{Kind: "GetObject", Key: "docs/a.txt", Do: fakes3.AccessDenied, Times: -1})
	d.press("r")
	if armed.Fired() == 0 {
		t.Fatal("nothing was read again")
	}
	d.press("R")
	d.until("listed", func() bool { return strings.Contains(d.text(), "403 Forbidden, AccessDenied: Access Denied") })
	d.sees("Requests", "docs/a.txt", "✗ 403", "list", "get", "5 B", "last error (Y copies it)", "request ID")
	h := srv.Requests()[len(srv.Requests())-1].Header
	_, signature, ok := strings.Cut(h.Get("Authorization"), "Signature=")
	if !ok {
		t.Fatalf("not signed: %v", h)
	}
	_, said := d.m.Update(keyMsg("Y"))
	for _, secret := range []string{signature[:16], "Credential=", "AWS4-HMAC", "X-Amz"} {
		if strings.Contains(d.text(), secret) || strings.Contains(errorText(d.m.env.trace.failed), secret) {
			t.Errorf("%q is told:\n%s", secret, d.text())
		}
	}
	if said == nil {
		t.Error("Y copies nothing")
	}
	d.sees("on the clipboard")
	// The filter looks at all of it.
	d.press("/")
	d.write("forbidden")
	d.sees("1 of ")
	d.press("esc", "R")
	d.seesNot("the newest first")
	if len(d.m.stack) != 2 {
		t.Errorf("R does not go back: %d screens", len(d.m.stack))
	}
}

// A request under way is on top with its time, which goes on without a key; when
// another screen is shown nothing follows any more.
func TestRequestsUnderWay(t *testing.T) {
	srv, s := onServer(t, "docs", func(b *s3test.Bucket) { putOn(t, b, "docs/a.txt", "hello") })
	d := newDriver(t, s, 120, 40)
	free := make(chan struct{})
	srv.Fail(fakes3.Fault{Kind: "ListObjectVersions", Do: fakes3.Call(func(fakes3.Request) { <-free }), Times: -1})
	d.send(keyMsg("r"))
	d.send(keyMsg("R"))
	d.until("under way", func() bool {
		return strings.Contains(d.text(), "waiting") && !strings.Contains(d.text(), " 0 under way")
	})
	first := d.text()
	d.until("later", func() bool { return d.text() != first && strings.Contains(d.text(), "waiting") })
	close(free)
	d.until("over", func() bool {
		return strings.Contains(d.text(), " 0 under way") || strings.HasPrefix(d.m.stack.top().status(), "0 under way")
	})
	rs := d.m.stack.top().(*requestsScreen)
	d.press("R")
	d.m.env.trace.note(bucket.Request{ID: 1 << 40, Done: true, Kind: bucket.KindGet})
	d.idle()
	for _, task := range d.m.tasks {
		if task.owner == screen(rs) {
			t.Error("it follows although it is not shown")
		}
	}
}

// The sums are those of hand-made requests.
func TestRequestSums(t *testing.T) {
	tr := newTracer()
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	id := int64(0)
	end := func(k bucket.Kind, took time.Duration, attempt int, err string, expected bool) {
		id++
		r := bucket.Request{ID: id, Op: "Op", Kind: k, Started: at, Attempt: attempt}
		tr.note(r)
		r.Done, r.Took, r.Err, r.Expected, r.Bytes = true, took, err, expected, 10
		tr.note(r)
	}
	for i := 1; i <= 100; i++ {
		end(bucket.KindList, time.Duration(i)*time.Millisecond, 1, "", false)
	}
	end(bucket.KindGet, time.Second, 1, "503 Slow Down", false)
	end(bucket.KindGet, time.Second, 2, "404 Not Found", true)
	end(bucket.KindPut, time.Second, 1, "", false)
	end(bucket.KindDelete, time.Second, 1, "", false)
	id++
	tr.note(bucket.Request{ID: id, Kind: bucket.KindGet, Started: at})
	v := tr.look()
	if v.open != 1 || v.rows[0].ID != 105 || v.rows[1].ID != 104 || len(v.rows) != 105 {
		t.Errorf("%d open, %d rows, first %d and %d", v.open, len(v.rows), v.rows[0].ID, v.rows[1].ID)
	}
	if v.p50[bucket.KindList] != 50*time.Millisecond || v.p99[bucket.KindList] != 99*time.Millisecond {
		t.Errorf("p50 %v, p99 %v", v.p50[bucket.KindList], v.p99[bucket.KindList])
	}
	if g := v.sums[bucket.KindGet]; g != (requestSum{n: 2, failed: 1, retries: 1, bytes: 20}) {
		t.Errorf("%+v", g)
	}
	if v.failed == nil || v.failed.ID != 101 {
		t.Errorf("last error: %+v", v.failed)
	}
	// 100 lists and a put at 5 $ per 1,000 and two gets at 4 $ per 1,000.
	if c := v.cost(&audit.Prices{List: 5, Get: 4}, bucket.Kinds...); c < 0.5129 || c > 0.5131 {
		t.Errorf("cost %v", c)
	}
	for range keptRequests + 10 {
		end(bucket.KindList, time.Millisecond, 1, "", false)
	}
	v = tr.look()
	if len(v.rows) != keptRequests+1 || v.rows[1].ID != id || v.sums[bucket.KindList].n != int64(100+keptRequests+10) {
		t.Errorf("%d rows, newest %d of %d", len(v.rows), v.rows[1].ID, id)
	}
}

// The frames of the screen, of requests made by hand; and one of nothing.
func TestGoldenRequests(t *testing.T) {
	at := time.Date(2026, 11, 20, 11, 58, 0, 0, time.UTC)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		name := fmt.Sprintf("requests-%dx%d", size[0], size[1])
		d := newDriver(t, Start{ConfigFile: "/c", Now: func() time.Time { return later }}, size[0], size[1])
		if size[0] == 80 {
			d.press("R")
			d.golden("requests-none-80x24", false)
			d.press("R")
		}
		for i := range int64(40) {
			r := bucket.Request{ID: i + 1, Op: "ListObjectVersions", Kind: bucket.KindList, Bucket: "s3://team-data", Key: "sales/2026/",
				Started: at.Add(time.Duration(i) * time.Second), First: 21 * time.Millisecond, Took: 34 * time.Millisecond, Done: true,
				Attempt: 1, Status: 200, Bytes: 412_000, Store: fmt.Sprintf("4442587FB7D0A2%02X", i)}
			switch {
			case i%4 == 1:
				r.Op, r.Kind, r.Key, r.Bytes, r.Version = "GetObject", bucket.KindGet, "sales/2026/eu/orders.csv", 65536, "3sL4kqtJlcpXroDTDmJ"
			case i == 6 || i == 38:
				r.Status, r.Err, r.Bytes, r.Took = 503, "503 Service Unavailable, SlowDown: Please reduce your request rate.", 230, 1200*time.Millisecond
			case i == 7 || i == 39:
				r.Attempt, r.After = 2, "sales/2026/eu/orders-0999.csv"
			case i == 10 || i == 34:
				r.Op, r.Kind, r.Key, r.Status = "GetObject", bucket.KindGet, ".provcat/commits/13/59f9aa80", 404
				r.Err, r.Expected = "404 Not Found, NoSuchKey: The specified key does not exist.", true
			case i == 36:
				r.Op, r.Kind, r.Key, r.Status = "GetBucketLifecycleConfiguration", bucket.KindSettings, "", 403
				r.Err = "403 Forbidden, AccessDenied: Access Denied"
			}
			d.m.env.trace.note(r)
		}
		d.press("R", "down", "down")
		d.golden(name, false)
		d.golden(name+"-styled", true)
	}
}

// What was going on under the screen of requests goes on: a bucket that opened
// meanwhile is there when one comes back.
func TestRequestsOverAnOpening(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	open, free := s.Open, make(chan struct{})
	s.Open = func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
		<-free
		return open(ctx, l)
	}
	d := &driver{t: t, m: newApp(s), msgs: make(chan tea.Msg, 1024), w: 100, h: 30}
	t.Cleanup(d.m.close)
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	d.send(keyMsg("R"))
	d.sees("Requests")
	close(free)
	d.idle()
	d.sees("Requests", "list")
	d.press("R")
	d.sees("files, live", "logo.png")
}
