package views

import (
	"testing"

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
		d.sees("✗ the version that #1 names, ver0000003, is gone.", `The lifecycle rule "trim"`, "explains it")
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
		d.sees("✗ version no-such-version is not there", "If the ID is right, it was removed", "No lifecycle rule of the")
	})
	t.Run("denied", func(t *testing.T) {
		f, _ := small(t)
		d := open(t, f, unclosed{denied{f.b}}, "ver0000003")
		d.sees("? It is there, but these credentials may not read it")
		d.seesNot("gone", "✗")
	})
}
