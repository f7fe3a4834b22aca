package views

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// The counts by hand: small's first commit adds three files, the next three write one
// again, the fifth adds the logo and removes the notes.
func TestLogCountsChanges(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 200, 50)
	d.press("l")
	s := d.m.stack.top().(*logScreen)
	want := []changes{
		{added: 1, removed: 1, files: 3, bytes: 55, grew: 16 - 11},
		{changed: 1, files: 3, bytes: 50, grew: 5},
		{changed: 1, files: 3, bytes: 45, grew: 5},
		{changed: 1, files: 3, bytes: 40, grew: 5},
		{added: 3, files: 3, bytes: 12 + 12 + 11, grew: 35},
	}
	for i, w := range want {
		c := *s.list.items[i].changes
		n := int(w.added + w.changed + w.removed)
		if len(c.first) != n {
			t.Errorf("row %d keeps %d changes, want %d", i, len(c.first), n)
		}
		c.first = nil
		if c.added != w.added || c.changed != w.changed || c.removed != w.removed || c.files != w.files || c.bytes != w.bytes || c.grew != w.grew || c.err != nil || c.held {
			t.Errorf("row %d: %+v, want %+v", i, c, w)
		}
	}
	d.sees("what it changed in #4", "+ logo.png", "- notes.txt", "+1 ~0 -1, 5 B more", "from 2026-10-05 08:00:04 UTC until now")
	d.press("down")
	d.sees("what it changed in #3", "~ eu/orders.csv", "from 2026-10-04 08:00:0", "until 2026-10-05 08:00:04 UTC")
}

// padded makes commit objects look as large as one wants.
type padded struct {
	bucket.Bucket
	mu    sync.Mutex
	size  int64
	whole int // commit objects that were opened to be read to their end
}

func (b *padded) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	r, v, err := b.Bucket.Open(ctx, key, version, first)
	if strings.HasPrefix(key, commit.Commits) && err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		v.Size = b.size
		if first == 0 {
			b.whole++
		}
	}
	return r, v, err
}

// Large commits are compared only when the person asks for it.
func TestLogHoldsLargeComparisons(t *testing.T) {
	f, _ := small(t)
	b := &padded{Bucket: f.b, size: 200 << 20}
	d := newDriver(t, f.startOn(unclosed{b}, "sales/2026"), 200, 40)
	d.press("l")
	d.sees("large", "some are too large to be compared unasked: w does", "its object has 200.0 MiB")
	d.press("w")
	d.seesNot("large")
	d.sees("3 files, 55 B", "+1 ~0 -1, 5 B more", "+3", "35 B")
	d.press("w")
	d.sees("Not now: what is on the screen is compared")
	if b.whole == 0 {
		t.Error("nothing was read")
	}
}

// What the parents that are gone changed is not known, and is not told as nothing.
func TestLogWithoutTheParent(t *testing.T) {
	f, rs := small(t)
	f.removeAll(commit.CommitKey(rs[2].ID))
	d := newDriver(t, f.start("sales/2026"), 200, 40)
	d.press("l", "down")
	d.sees("? could not be compared with the parent: not found", "the commit object is gone")
	s := d.m.stack.top().(*logScreen)
	if c := s.list.items[1].changes; c == nil || c.err == nil {
		t.Errorf("%+v", c)
	}
}

// counting counts the objects that are opened, by kind.
type counting struct {
	bucket.Bucket
	mu    sync.Mutex
	opens map[string]int
}

func (b *counting) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	b.mu.Lock()
	kind := key
	if i := strings.IndexByte(key[len(commit.Root):], '/'); strings.HasPrefix(key, commit.Root) {
		kind = key[:len(commit.Root)+i]
	}
	b.opens[kind]++
	b.mu.Unlock()
	return b.Bucket.Open(ctx, key, version, first)
}

func (b *counting) count(kind string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.opens[commit.Root+kind]
}

// long makes a log of n entries that all name one commit.
func long(t testing.TB, n int64) *fixture {
	f := newFixture(t)
	f.put("a/x", "1")
	r := f.commit("a", "ana", "The first")
	for i := int64(2); i <= n; i++ {
		f.put(commit.EntryKey("a", i), r.ID)
	}
	return f
}

// Of a long log a part is read at first, more as the person scrolls, and to the end
// on the way to the last row.
func TestLogIsReadAsThePersonScrolls(t *testing.T) {
	const n = 1500
	b := &counting{Bucket: long(t, n).b, opens: map[string]int{}}
	f := newFixture(t)
	d := newDriver(t, f.startOn(unclosed{b}, "a"), 80, 24)
	before := b.count("log")
	d.press("l")
	d.sees("#1500", "200 entries so far, older ones as you scroll")
	// What the stream reads ahead comes on top.
	if got := b.count("log") - before; got < logFirst || got > logFirst+8*4 {
		t.Errorf("%d entries were read for the first rows, want some %d", got, logFirst)
	}
	for range 13 {
		d.press("pgdown")
	}
	d.sees("700 entries so far")
	d.press("end")
	d.sees("1,500 entries", "› ╶─●    #1 ")
	d.seesNot("so far")
	s := d.m.stack.top().(*logScreen)
	if s.current().slot.Number != 1 {
		t.Errorf("the cursor is on #%d", s.current().slot.Number)
	}
	if got := b.count("log") - before; got > n+50 {
		t.Errorf("%d entries were read", got)
	}
}

// A filter looks at the messages of a bounded number of commits, until it is asked to
// go on.
func TestLogFilterIsBounded(t *testing.T) {
	f := long(t, 1300)
	d := newDriver(t, f.start("a"), 100, 24)
	d.press("l", "end")
	d.sees("1,300 entries")
	d.press("/")
	d.write("first")
	d.sees("/first", "1,300 entries", "! the messages of the newest 1,000 only were searched: w goes on")
	d.press("enter", "w")
	d.sees("1,300 of 1,300")
	d.seesNot("only were searched")
}

func TestFew(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1k", 99_999: "99k", 100_000: ".1M", 999_999: ".9M", 1_000_000: "1M", 99_999_999: "99M", 100_000_000: "lots", math.MaxInt64: "lots"} {
		if got := few(n); got != want || len(got) > 4 {
			t.Errorf("few(%d) is %q, want %q", n, got, want)
		}
	}
}

func TestPlusStaysInRange(t *testing.T) {
	const top = math.MaxInt64
	for _, c := range [][3]int64{{1, 2, 3}, {-1, -2, -3}, {top, 1, top}, {top, top, top}, {-top, -1, -top}, {-top, -top, -top}, {top, -top, 0}, {0, -top, -top}, {5, -7, -2}} {
		if got := plus(c[0], c[1]); got != c[2] {
			t.Errorf("plus(%d, %d) is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// Only the last small commits are kept.
func TestSmallFilesAreBounded(t *testing.T) {
	var k smallFiles
	for i := range 100 {
		k.put(fmt.Sprint(i), []commit.File{{Path: "b"}, {Path: "a"}}, 1<<20)
	}
	if k.total > keptSmall || len(k.files) != keptSmall>>20 || len(k.order) != len(k.files) || len(k.sizes) != len(k.files) {
		t.Errorf("%d bytes of %d commits are kept", k.total, len(k.files))
	}
	if files, ok := k.get("99"); !ok || files[0].Path != "a" {
		t.Errorf("the last one: %v, %v", files, ok)
	}
	if _, ok := k.get("0"); ok {
		t.Error("the first one is kept")
	}
	(*smallFiles)(nil).put("x", nil, 1)
}
