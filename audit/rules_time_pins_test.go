package audit

import (
	"fmt"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Each case starts at 2026-10-01 08:00:00; each put takes a second.
func TestPins(t *testing.T) {
	const minute = time.Minute
	for name, plant := range map[string]func(w *world) []want{
		"pin-misordered: a clock that is ahead, and a writer that did not look": func(w *world) []want {
			x := w.dated("eu", 1, "", "ana", w.clock().Add(5*minute)) // 08:05:00, made at 08:00:02
			w.pass(2 * minute)
			w.dated("", 1, "", "ben", w.clock()) // 08:02:02, made at 08:02:04
			w.pass(time.Hour)
			return []want{
				{id: "pin-misordered", severity: Risk, sure: Likely, folder: "eu", number: 1, commit: x, key: commit.EntryKey("eu", 1), commits: 2, repair: "-", shows: "whose own time is 2026-10-01T08:02:02.000000Z",
					says: "A reader who pins eu at 2026-10-01T08:05:00.000000Z or any later time gets commit 1 of eu (by ana, dated 2026-10-01T08:05:00.000000Z), though commit 1 of the whole bucket (by ben, dated 2026-10-01T08:02:02.000000Z) was committed later: by the bucket's clock at 2026-10-01T08:02:04Z, and the other at 2026-10-01T08:00:02Z. Readers who give no time have got the same since 2026-10-01T08:02:04Z by the bucket's clock, and still do."},
				{id: "time-skewed", folder: "eu"},
			}
		},
		"pin-misordered, until a later commit": func(w *world) []want {
			w.dated("eu", 1, "", "ana", w.clock().Add(5*minute))
			w.pass(2 * minute)
			a := w.dated("", 1, "", "ben", w.clock())
			w.pass(8 * minute)
			w.dated("", 2, a, "ben", w.clock()) // 08:10:04, made at 08:10:06
			w.pass(time.Hour)
			return []want{{id: "pin-misordered", folder: "eu", commits: 2,
				says: "from 2026-10-01T08:05:00.000000Z until before 2026-10-01T08:10:04.000000Z gets commit 1 of eu"},
				{id: "time-skewed", folder: "eu"}}
		},
		"pin-misordered: a clock that is behind": func(w *world) []want {
			x := w.dated("eu", 1, "", "ana", w.clock()) // 08:00:00
			w.pass(2 * minute)
			y := w.dated("eu", 2, x, "ana", w.clock()) // 08:02:02
			w.pass(2 * minute)
			w.dated("", 1, "", "ben", w.clock().Add(-10*minute)) // 07:54:04, made at 08:04:06
			w.pass(2 * minute)
			w.dated("eu", 3, y, "ana", w.clock()) // 08:06:06, made at 08:06:08
			w.pass(time.Hour)
			return []want{{id: "pin-misordered", folder: "eu", number: 1, commit: x, commits: 3,
				says: "until before 2026-10-01T08:06:06.000000Z gets commit 1 of eu (by ana, dated 2026-10-01T08:00:00.000000Z) or another one dated after it"},
				{id: "time-skewed", folder: "", says: "behind"}}
		},
		"pin-misordered, one finding for many folders with one cause": func(w *world) []want {
			for i := range 25 {
				w.dated(fmt.Sprintf("f%02d", i), 1, "", "ana", w.clock())
			}
			w.pass(2 * minute)
			y := w.dated("", 1, "", "ben", w.clock().Add(-10*minute))
			return []want{{id: "pin-misordered", folder: "", number: 1, commit: y, commits: 26, says: "25 pins like this, all with commit 1 of the whole bucket"}, {id: "time-skewed", folder: ""}}
		},
		"two folders side by side have no order": func(w *world) []want {
			w.dated("eu", 1, "", "ana", w.clock().Add(50*time.Second))
			w.pass(20 * time.Second)
			w.dated("us", 1, "", "ben", w.clock())
			w.pass(time.Hour)
			return nil
		},
		"pin-tied": func(w *world) []want {
			at := w.clock()
			w.dated("eu/x", 1, "", "ana", at)
			w.dated("", 1, "", "ana", at)
			return []want{{id: "pin-tied", severity: Anomaly, sure: Certain, folder: "eu/x", commits: 2, repair: "-", says: "so a pin of eu/x takes commit 1 of the whole bucket"}}
		},
		"pin-tied, where the folder's own was plainly later": func(w *world) []want {
			at := w.clock().Add(30 * time.Second)
			w.dated("", 1, "", "ana", at)
			w.pass(50 * time.Second)
			w.dated("eu", 1, "", "ana", at)
			return []want{{id: "pin-tied", folder: "eu", says: "it is the older of the two: commit 1 of eu was written later"}}
		},
		"pin-tied, a program that dates all folders alike": func(w *world) []want {
			at := w.clock()
			w.dated("", 1, "", "ana", at)
			for i := range 25 {
				w.dated(fmt.Sprintf("f%02d", i), 1, "", "ana", at)
			}
			return []want{{id: "pin-tied", folder: "", commits: 26, says: "25 pins like this"}}
		},
		"no tie: side by side": func(w *world) []want {
			at := w.clock()
			w.dated("eu", 1, "", "ana", at)
			w.dated("eu2", 1, "", "ana", at)
			return nil
		},
		"no claim: one commit was in the making while the other came": func(w *world) []want {
			at := w.clock()
			y := w.object(commit.Header{Folder: "", Number: 1, Time: at})
			w.pass(20 * time.Second)
			w.dated("eu", 1, "", "ana", w.clock())
			w.pass(20 * time.Second)
			w.entry("", 1, y, at) // 40 s after its object
			w.pass(time.Hour)
			return nil
		},
		"no claim: its writer read its clock, and the other's entry came before its object": func(w *world) []want {
			at := w.clock()
			w.dated("eu", 1, "", "ana", at.Add(5*time.Second))
			w.pass(30 * time.Second) // a large commit object takes its time
			w.dated("", 1, "", "ben", at)
			w.pass(time.Hour)
			return nil
		},
		"no claim: within two seconds": func(w *world) []want {
			w.dated("eu", 1, "", "ana", w.clock().Add(30*time.Second)) // made at 08:00:02
			w.dated("", 1, "", "ben", w.clock())                       // 08:00:02, made at 08:00:04
			w.pass(time.Hour)
			return nil
		},
		"no claim: an entry that was restored after its first version was removed": func(w *world) []want {
			at := w.clock()
			w.dated("", 1, "", "ana", at)
			w.pass(time.Minute)
			w.dated("eu", 1, "", "ana", w.clock())
			w.pass(time.Hour)
			k := commit.EntryKey("", 1)
			body := w.body(k, "")
			w.erase(k)
			w.put(k, body)
			return nil
		},
		"no claim: an entry over a marker that lay there before": func(w *world) []want {
			w.del(commit.EntryKey("eu", 1))
			w.pass(time.Minute)
			w.dated("", 1, "", "ana", w.clock())
			w.pass(time.Minute)
			w.dated("eu", 1, "", "ana", w.clock())
			return nil
		},
		"no claim: an entry and its commit object that were both put again": func(w *world) []want {
			w.dated("", 1, "", "ana", w.clock())
			w.pass(time.Minute)
			x := w.dated("eu", 1, "", "ana", w.clock())
			w.pass(time.Minute)
			w.dated("eu", 2, x, "ana", w.clock())
			w.pass(time.Hour)
			for _, k := range []string{key(x), commit.EntryKey("eu", 1)} {
				body := w.body(k, "")
				w.erase(k)
				w.put(k, body)
			}
			return nil
		},
		"no claim: an entry restored by removing its marker": func(w *world) []want {
			w.dated("", 1, "", "ana", w.clock())
			w.pass(time.Minute)
			w.dated("eu", 1, "", "ana", w.clock())
			w.pass(time.Hour)
			k := commit.EntryKey("", 1)
			w.kill(k, w.del(k).ID)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			wants := plant(w)
			expect(t, w.audit(Options{}), wants...)
		})
	}
}

// What an audit of one folder says of its pin rests on the folders above too.
func TestPinsInANarrowScope(t *testing.T) {
	w := newWorld(t)
	w.dated("eu", 1, "", "ana", w.clock().Add(5*time.Minute))
	w.pass(2 * time.Minute)
	w.dated("", 1, "", "ben", w.clock())
	w.pass(time.Hour)
	expect(t, w.audit(Options{Folder: "eu"}), want{id: "pin-misordered", folder: "eu"}, want{id: "time-skewed", folder: "eu"})
}

// The pin that a finding speaks of is the pin that readers get.
func TestAMisorderedPinIsThePin(t *testing.T) {
	w := newWorld(t)
	x := w.dated("eu", 1, "", "ana", w.clock().Add(5*time.Minute))
	w.pass(2 * time.Minute)
	y := w.dated("", 1, "", "ben", w.clock())
	for at, id := range map[time.Time]string{
		{}: x,
		time.Date(2026, 10, 1, 8, 5, 0, 0, time.UTC):  x,
		time.Date(2026, 10, 1, 8, 4, 59, 0, time.UTC): y,
	} {
		p, err := commit.FindPin(bg, w.b, "eu", at, 1)
		if err != nil || p.Chosen.ID != id {
			t.Errorf("at %v: %v, %v", at, p.Chosen, err)
		}
	}
}

// A commit that cannot be read leaves doubt: it may be what the pin gives.
func TestPinsWithDoubt(t *testing.T) {
	w := newWorld(t)
	w.dated("eu", 1, "", "ana", w.clock().Add(5*time.Minute))
	w.pass(2 * time.Minute)
	w.dated("", 1, "", "ben", w.clock())
	id := w.object(commit.Header{Number: 2})
	w.put(commit.EntryKey("", 2), id)
	w.erase(key(id))
	w.pass(time.Hour)
	r := w.audit(Options{})
	expect(t, r, want{id: "pin-misordered", folder: "eu", sure: Possible, says: "no known time"}, want{id: "time-skewed"}, want{id: "commit-missing"})
}

// A finding keeps its fingerprint when later commits end the span.
func TestFingerprintOfASpan(t *testing.T) {
	w := newWorld(t)
	w.dated("eu", 1, "", "ana", w.clock().Add(5*time.Minute))
	w.pass(2 * time.Minute)
	a := w.dated("", 1, "", "ben", w.clock())
	w.pass(time.Hour)
	print := func() map[string]string {
		out := map[string]string{}
		for _, f := range w.audit(Options{}).Findings {
			out[f.ID] = f.Fingerprint
		}
		return out
	}
	before := print()
	w.dated("", 2, a, "ben", w.clock())
	after := print()
	for _, id := range []string{"pin-misordered", "time-skewed"} {
		if before[id] == "" || before[id] != after[id] {
			t.Errorf("%s: %q, then %q", id, before[id], after[id])
		}
	}
}

// Writers at work during an audit leave no finding about time.
func TestTimesOfABusyBucket(t *testing.T) {
	for n := 1; ; n++ {
		w := newWorld(t)
		w.history("f", 2)
		w.put("g/x", "")
		w.commit("", "")
		came := false
		b := &busy{Bucket: w.b, n: n, then: func() {
			came = true
			for i := range 3 {
				w.put("f/x", fmt.Sprint(i))
				w.commit("f", "")
				w.commit("", "")
			}
			w.pass(time.Hour)
			w.put("f/x", "last")
			w.commit("f", "")
		}}
		// Neighbours in line are listed one after the other, not at once.
		expect(t, auditOf(t, bucket.Bucket(b), Options{Concurrency: 1}))
		if t.Failed() || !came {
			return
		}
	}
}
