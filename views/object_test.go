package views

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A failed read, from the key and version of its error message to the cause.
func TestInvestigateAFailedRead(t *testing.T) {
	const key = "sales/2026/eu/orders.csv"
	open := func(t *testing.T, f *fixture, b bucket.Bucket, version string) *driver {
		d := newDriver(t, f.startOn(b, "sales/2026"), 80, 24)
		p := place{d.m.env, b, bucket.Location{Scheme: "file", Bucket: "/data/demo.bucket"}}
		d.run(d.m.do(d.m.stack.top(), push{newObject(p, key, version)}))
		d.idle()
		return d
	}
	t.Run("replaced, and a rule will remove it", func(t *testing.T) {
		f, _ := small(t)
		if err := f.b.SetLifecycle(t.Context(), []bucket.Rule{{ID: "trim", Enabled: true, NoncurrentDays: 90}}); err != nil {
			t.Fatal(err)
		}
		d := open(t, f, f.b, "ver0000003")
		// Its successor was made on 2026-10-02 at 08:00: 90 days later, at the next midnight.
		d.sees("○ Readable by its version ID; replaced since", "The lifecycle rule trim will delete it for good", "2027-01-01 on")
	})
	t.Run("removed by a rule", func(t *testing.T) {
		f, _ := small(t)
		if err := f.b.SetLifecycle(t.Context(), []bucket.Rule{{ID: "trim", Enabled: true, NoncurrentDays: 2}}); err != nil {
			t.Fatal(err)
		}
		if err := f.b.DeleteVersion(t.Context(), key, "ver0000003"); err != nil {
			t.Fatal(err)
		}
		d := newDriver(t, f.start("sales/2026"), 80, 24)
		d.press("l", "end", "enter", "enter")
		d.sees("✗ Gone: version ver0000003, which #1 of sales/2026 names", `The lifecycle rule "trim" explains it`, "due from 2026-10-05 on", "✗ gone", "#5 of sales/2026")
	})
	t.Run("hidden by a marker, read by its ID", func(t *testing.T) {
		f, _ := small(t)
		f.delete(key)
		d := open(t, f, f.b, "ver0000003")
		d.sees("○ Readable by its version ID only: the key was deleted at 2026-10-06")
		d = open(t, f, f.b, "")
		d.sees("✗ Deleted: a plain read finds nothing since 2026-10-06", "The versions under it can be read by their")
	})
	t.Run("never there", func(t *testing.T) {
		f, _ := small(t)
		d := open(t, f, f.b, "no-such-version")
		d.sees("✗ Version no-such-version is not there", "No commit names it: the ID is wrong", "is here is #5 of")
	})
	t.Run("denied", func(t *testing.T) {
		f, _ := small(t)
		d := open(t, f, unclosed{denied{f.b}}, "ver0000003")
		d.sees("? It is there, but these credentials may not read it")
		d.seesNot("gone", "✗")
	})
}

// Which commits name each version, and a gone one in its place.
func TestCommitsThatNameAVersion(t *testing.T) {
	f, _ := small(t)
	const key = "sales/2026/eu/orders.csv"
	f.commit("sales", "ana", "All of sales")
	if err := f.b.DeleteVersion(t.Context(), key, "ver0000011"); err != nil { // of commit 3
		t.Fatal(err)
	}
	d := newDriver(t, f.start("sales/2026/eu"), 120, 30)
	d.press("tab", "enter")
	d.sees("● Readable: it is the live version.", "#1 of sales", "#4–5 of sales/2026", "├─✗ gone", "#3 of sales/2026", "└─○", "live for")
	d.press("down", "down")
	d.sees("This version is gone: there are no bytes to read.", "(#3 of sales/2026)")
	d.press("w")
	d.sees("Not now: all commits above this key were looked at")
	d.press("a")
	d.sees("Audit of sales/2026")
}

// A commit that cannot be read may name a version too, and that is said.
func TestUnreadCommitsMayNameAVersion(t *testing.T) {
	f, _ := damaged(t) // 2 deleted, 3 missing, no commit object behind 5
	d := newDriver(t, f.start("sales/2026/eu"), 120, 30)
	d.press("tab", "enter")
	d.sees("2 commits could not be read: may name it too")
	// A deleted entry hides its commit from readers of the log, not from us.
	d.sees("#2 (entry deleted) of sales")
}

func TestLogsAboveAKey(t *testing.T) {
	for key, want := range map[string]string{
		"a": "[]", "a/b": "[a ]", "a/b/c": "[a/b a ]", "a/b/": "[a/b a ]", "/x": "[]", ".provcat/log/x": "[]",
	} {
		if got := fmt.Sprint(logsAbove(key)); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if got := logsAbove("a"); len(got) != 1 || got[0] != "" {
		t.Errorf("%q", got)
	}
}

// Past the budget the search waits until it is asked to go on.
func TestNamesWaitAtTheBudget(t *testing.T) {
	v := newValve(2)
	v.charge(2)
	done := make(chan error)
	go func() { done <- v.pass(t.Context()) }()
	for !v.waits() {
		time.Sleep(time.Millisecond)
	}
	v.open(1)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// Opening an object asks for a bounded number of commits; w goes on, esc goes back at
// once, and what was found of a commit is not read again.
func TestNamesAreAskedForInPortions(t *testing.T) {
	f := newFixture(t)
	f.put("d/a", "x")
	for i := range 5 {
		f.put("d/b", fmt.Sprint(i))
		f.commit("d", "ana", "again")
	}
	g := &turnstile{Bucket: f.b}
	d := newDriver(t, f.startOn(unclosed{g}, "d"), 80, 24)
	d.press("tab", "enter")
	d.sees("#1–5 of d")
	if n := g.reads(); n < 5 {
		t.Fatalf("%d commit objects were read", n)
	}
	before := g.reads()
	d.press("r")
	d.sees("#1–5 of d")
	if n := g.reads() - before; n != 0 {
		t.Errorf("%d commit objects were read again", n)
	}
	// A store that does not answer holds nobody back.
	g.shut()
	d.press("esc", "down") // the folder
	d.send(keyMsg("enter"))
	d.until("reading commits", func() bool { return g.waiting() > 0 })
	d.send(keyMsg("esc"))
	d.idle()
	d.sees("files, live")
	d.until("stopping the reads", func() bool { return g.waiting() == 0 })
}

// turnstile counts the reads of commit objects that go through to their files, and can
// hold them back.
type turnstile struct {
	bucket.Bucket
	mu     sync.Mutex
	n      int
	held   int
	closed bool
}

func (g *turnstile) reads() int   { g.mu.Lock(); defer g.mu.Unlock(); return g.n }
func (g *turnstile) waiting() int { g.mu.Lock(); defer g.mu.Unlock(); return g.held }
func (g *turnstile) shut()        { g.mu.Lock(); defer g.mu.Unlock(); g.closed = true }

func (g *turnstile) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	if _, ok := commit.ParseCommitKey(key); ok && first == 0 {
		g.mu.Lock()
		g.n++
		closed := g.closed
		if closed {
			g.held++
		}
		g.mu.Unlock()
		if closed {
			<-ctx.Done()
			g.mu.Lock()
			g.held--
			g.mu.Unlock()
			return nil, bucket.Version{}, ctx.Err()
		}
	}
	return g.Bucket.Open(ctx, key, version, first)
}

// The frames of an investigation.
func TestGoldenInvestigation(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		f, _ := small(t)
		if err := f.b.SetLifecycle(t.Context(), []bucket.Rule{{ID: "expire-old", Enabled: true, NoncurrentDays: 2}, {ID: "cold", Enabled: true, NoncurrentDays: 90, Prefix: "sales/2026/us"}}); err != nil {
			t.Fatal(err)
		}
		if err := f.b.DeleteVersion(t.Context(), "sales/2026/eu/orders.csv", "ver0000008"); err != nil {
			t.Fatal(err)
		}
		d := newDriver(t, f.start("sales/2026"), size[0], size[1])
		name := func(screen string) string { return fmt.Sprintf("%s-%dx%d", screen, size[0], size[1]) }
		d.press("l", "end", "up", "enter")
		d.golden(name("commit-gone"), false)
		d.golden(name("commit-gone-styled"), true)
		d.press("enter")
		d.golden(name("object-gone"), false)
		d.golden(name("object-gone-styled"), true)
	}
}
