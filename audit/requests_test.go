package audit

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
)

// A counted way leads to a server, and counts the TCP connections that are made on it.
type countedWay struct {
	url  string
	made atomic.Int64
}

func wayTo(t *testing.T, url string) *countedWay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &countedWay{url: "http://" + l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			w.made.Add(1)
			all.Go(func() { pass(in, strings.TrimPrefix(url, "http://")) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return w
}

// pass hands on what comes, both ways, until one side ends.
func pass(in net.Conn, to string) {
	out, err := net.Dial("tcp", to)
	if err != nil {
		_ = in.Close()
		return
	}
	var both sync.WaitGroup
	for _, x := range [][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			_, _ = io.Copy(x[0], x[1])
			_ = x[0].Close()
			_ = x[1].Close()
		})
	}
	both.Wait()
}

// A walk, commits, an audit, a log and a diff ask for hundreds of things over a handful
// of connections: as many as they may ask side by side and a few more, since a dial can
// lose against a connection that comes free. None of them asks for the head of an object:
// the listings tell all that it would.
func TestConnectionsAreKeptAndNothingIsAskedTwice(t *testing.T) {
	w := newS3World(t)
	for i := range 400 {
		w.put(fmt.Sprintf("f/%d/%03d", i/40, i), "x")
	}
	const side, few = 8, 4
	way := wayTo(t, w.s.URL())
	b := s3test.Open(t, way.url, w.b.Name)
	t.Cleanup(func() { _ = b.Close() }) // before the way ends, which waits for its connections
	w.s.Forget()
	check := func(what string, least int) {
		t.Helper()
		if n := way.made.Load(); n < 1 || n > side+few {
			t.Errorf("%s: %d connections for %d side by side", what, n, side)
		}
		if n := w.s.Count(""); n < least {
			t.Errorf("%s: %d requests prove nothing", what, n)
		}
		if n := w.s.Count("HeadObject"); n != 0 {
			t.Errorf("%s: %d HEAD requests", what, n)
		}
	}

	var seen atomic.Int64
	for range 5 {
		err := bucket.Walk(t.Context(), b, bucket.Range{PageSize: 10}, bucket.WalkOptions{Concurrency: side}, func(_ context.Context, p *bucket.Part) error {
			for _, err := range p.Versions() {
				if err != nil {
					return err
				}
				seen.Add(1)
			}
			return nil
		})
		w.must(err)
	}
	if seen.Load() != 5*400 {
		t.Errorf("%d versions", seen.Load())
	}
	check("five walks", 200)

	var ids []string
	for i := range 12 {
		w.put("f/0/000", fmt.Sprint(i))
		r, err := commit.Write(bg, b, "f", commit.WriteOptions{Author: "ana", Now: w.tick, Concurrency: side,
			Sleep: func(ctx context.Context, d time.Duration) error { w.pass(d); return ctx.Err() }})
		w.must(err)
		ids = append(ids, r.ID)
	}
	check("commits", 280)

	if r := auditOf(t, b, Options{Concurrency: side, pageSize: 10}); r.Verdict != Pass || r.Requests.Head != 0 {
		t.Errorf("%s, %+v", r.Verdict, r.Requests)
	}
	check("an audit", 350)

	n := 0
	for s, err := range commit.Log(bg, b, commit.FolderHash("f"), side) {
		w.must(err)
		w.must(s.Err)
		n++
	}
	_, err := commit.Load(bg, b, ids[11], nil)
	w.must(err)
	if n != len(ids) {
		t.Errorf("%d entries in the log", n)
	}
	check("a log", 350)
}

// The head of a log is found by one listing and read by one more request, however long
// the log is, and whatever lies over older entries.
func TestHeadOfALogTakesTwoRequests(t *testing.T) {
	w := newS3World(t)
	for n := range int64(1500) {
		w.put(commit.EntryKey("f", n+1), fmt.Sprintf(`{"format":"provcat/1","folder":"f","number":%d,"commit":"%064x"}`, n+1, n+1))
	}
	w.s.Delete(w.b.Name, commit.EntryKey("f", 1400))
	w.s.Forget()
	s, err := commit.Head(bg, w.b, "f")
	if err != nil || s.Err != nil || s.Number != 1500 || s.Entry.Commit != fmt.Sprintf("%064x", 1500) {
		t.Fatalf("%+v, %v", s, err)
	}
	if l, g, all := w.s.Count("ListObjectVersions"), w.s.Count("GetObject"), w.s.Count(""); l != 1 || g != 1 || all != 2 {
		t.Errorf("%d listings and %d reads, %d requests", l, g, all)
	}
}
