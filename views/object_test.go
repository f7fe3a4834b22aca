package views

import (
	"fmt"
	"testing"
	"time"

	"provcat-tui/bucket"
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
	d.sees("3 commits could not be read and may name a version too")
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
