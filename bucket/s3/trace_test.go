package s3_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// Each attempt is told, when it begins and when it ended, with what came of it.
func TestTrace(t *testing.T) {
	srv := fakes3.New(fakes3.Options{PageCap: 2})
	defer srv.Close()
	b := s3test.New(t, srv.URL())
	for _, k := range []string{"a/1", "a/2", "a/3"} {
		if _, err := b.PutIfAbsent(t.Context(), k, strings.NewReader("12345")); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var begun int
	var ended []bucket.Request
	ctx := bucket.WithTrace(t.Context(), func(r bucket.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Done {
			ended = append(ended, r)
		} else {
			begun++
		}
	})
	srv.Fail(fakes3.Fault{Kind: "ListObjectVersions", Do: fakes3.SlowDown})
	for _, err := range b.Versions(ctx, bucket.Range{Prefix: "a/"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.Open(ctx, "absent", "", 0); err == nil {
		t.Fatal("an absent key was read")
	}
	if _, err := b.PutIfAbsent(ctx, "a/1", strings.NewReader("12345")); err == nil {
		t.Fatal("written over")
	}
	stopped, cancel := context.WithCancel(ctx)
	over := make(chan struct{}) // the server holds its answer back: else it may come first
	srv.Fail(fakes3.Fault{Kind: "GetObject", Do: fakes3.Call(func(fakes3.Request) { cancel(); <-over })})
	_, _, err := b.Open(stopped, "a/1", "", 0)
	close(over)
	if err == nil {
		t.Fatal("read after it was cancelled")
	}
	mu.Lock()
	defer mu.Unlock()
	want := []struct {
		op, key, after string
		attempt        int
		status         int
		err            string
		expected       bool
	}{
		{"ListObjectVersions", "a/", "", 1, 503, "503 Service Unavailable, SlowDown: Please reduce your request rate.", false},
		{"ListObjectVersions", "a/", "", 2, 200, "", false},
		{"ListObjectVersions", "a/", "a/2", 1, 200, "", false},
		{"GetObject", "absent", "", 1, 404, "404 Not Found, NoSuchKey: The specified key does not exist.", true},
		{"PutObject", "a/1", "", 1, 412, "412 Precondition Failed, PreconditionFailed: At least one of the pre-conditions you specified did not hold", true},
		{"GetObject", "a/1", "", 1, 0, "cancelled", true},
	}
	if begun != len(want) || len(ended) != len(want) {
		t.Fatalf("%d began, %d ended; want %d: %+v", begun, len(ended), len(want), ended)
	}
	for i, w := range want {
		r := ended[i]
		if r.Op != w.op || r.Key != w.key || r.After != w.after || r.Attempt != w.attempt || r.Status != w.status || r.Err != w.err || r.Expected != w.expected {
			t.Errorf("request %d: %+v\nwant %+v", i, r, w)
		}
		if r.Bucket != b.URL() || r.Took <= 0 || r.First > r.Took || r.Status > 0 && r.Store == "" {
			t.Errorf("request %d: %+v", i, r)
		}
	}
	if n := ended[4].Bytes; n < 5 {
		t.Errorf("%d bytes of a body of 5 were sent", n)
	}
}
