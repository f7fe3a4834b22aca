package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// dated commits by hand, as a program that chooses its own times: one file or none,
// whatever is there.
func (w *world) dated(folder string, n int64, parent, author string, t time.Time) string {
	w.Helper()
	id := w.object(commit.Header{Folder: folder, Number: n, Parent: parent, Author: author, Time: t})
	w.entry(folder, n, id, t)
	return id
}

// clock is the world's time without a step on.
func (w *world) clock() time.Time { return w.pass(0) }

// Each case starts at 2026-10-01 08:00:00; each put takes a second.
func TestTimes(t *testing.T) {
	const us, minute = time.Microsecond, time.Minute
	for name, x := range map[string]struct {
		plant func(w *world) []want
		o     Options
	}{
		"time-backwards": {plant: func(w *world) []want {
			a := w.dated("f", 1, "", "ana", w.clock())
			b := w.dated("f", 2, a, "ben", w.clock().Add(-30*time.Second))
			// Made at 08:00:02 and 08:00:04, dated 08:00:00 and 07:59:32.
			return []want{
				{id: "time-backwards", severity: Anomaly, sure: Certain, folder: "f", number: 2, commit: b, key: commit.EntryKey("f", 2), repair: "-", commits: 2, says: "by ben) is dated 2026-10-01T07:59:32.000000Z", shows: "whose own time is 2026-10-01T07:59:32.000000Z"},
				{id: "pin-misordered", severity: Risk, sure: Certain, folder: "f", number: 1, commit: a, commits: 2, says: "pins f at 2026-10-01T08:00:00.000000Z or any later time gets commit 1 of f"},
			}
		}},
		"time-backwards: equal times, of which the pin takes the right one": {plant: func(w *world) []want {
			at := w.clock()
			a := w.dated("f", 1, "", "ana", at)
			w.dated("f", 2, a, "ana", at)
			return []want{{id: "time-backwards", folder: "f", number: 2, says: "takes the higher number"}}
		}},
		"time-backwards, and a later commit that ends it": {plant: func(w *world) []want {
			a := w.dated("f", 1, "", "ana", w.clock())
			b := w.dated("f", 2, a, "ana", w.clock().Add(-30*time.Second))
			w.dated("f", 3, b, "ana", w.clock())
			// Entries 2 and 3 are made at 08:00:04 and 08:00:06.
			return []want{{id: "time-backwards", number: 2},
				{id: "pin-misordered", folder: "f", commit: a, says: "from 2026-10-01T08:00:00.000000Z until before 2026-10-01T08:00:04.000000Z"}}
		}},
		"time-backwards, 30 of a log in one finding": {plant: func(w *world) []want {
			at, id := w.clock(), ""
			for n := range int64(31) {
				id = w.dated("f", n+1, id, "ana", at)
			}
			return []want{{id: "time-backwards", folder: "f", commits: 30, says: "30 commits like this"},
				{id: "time-skewed", folder: "f", commits: 1}} // the last is 62 s late
		}},
		"time-future": {plant: func(w *world) []want {
			id := w.dated("f", 1, "", "ana", w.clock().Add(time.Hour))
			return []want{{id: "time-future", severity: Anomaly, sure: Certain, folder: "f", number: 1, commit: id, commits: 1, says: "59 minutes ahead of the bucket's own clock"}}
		}},
		"time-future: those that only follow are told with it": {plant: func(w *world) []want {
			at := w.clock().Add(time.Hour)
			a := w.dated("f", 1, "", "ana", at)
			w.dated("f", 2, a, "ben", at.Add(us))
			w.dated("", 1, "", "cy", at.Add(2*us))
			w.dated("f/g", 1, "", "dan", at.Add(3*us))
			w.dated("apart", 1, "", "eve", w.clock())
			return []want{{id: "time-future", folder: "f", commits: 4, says: "3 of them only follow"}}
		}},
		"time-future: two clocks": {plant: func(w *world) []want {
			w.dated("f", 1, "", "ana", w.clock().Add(time.Hour))
			w.dated("g", 1, "", "ben", w.clock().Add(2*time.Hour))
			return []want{{id: "time-future", folder: "f"}, {id: "time-future", folder: "g", says: "the clock of ben"}}
		}},
		"time-future in the year 9999": {plant: func(w *world) []want {
			id := w.raw(`{"format":"provcat/1","folder":"f","number":1,"parent":null,"time":"9999-12-31T23:59:59.999999Z","author":"x","message":"","files":[]}`)
			w.put(commit.EntryKey("f", 1), id)
			return []want{{id: "time-future", folder: "f", commit: id, says: "7978 years ahead"}}
		}},
		"time-skewed in the year 1": {plant: func(w *world) []want {
			id := w.raw(`{"format":"provcat/1","folder":"f","number":1,"parent":null,"time":"0001-01-01T00:00:00.000001Z","author":"x","message":"","files":[]}`)
			w.put(commit.EntryKey("f", 1), id)
			return []want{{id: "time-skewed", folder: "f", commit: id, says: "2027 years behind"}}
		}},
		"time-skewed ahead": {plant: func(w *world) []want {
			id := w.dated("f", 1, "", "ana", w.clock().Add(5*minute)) // its entry is made 2 s later
			w.pass(time.Hour)
			return []want{{id: "time-skewed", severity: Anomaly, sure: Likely, folder: "f", number: 1, commit: id, key: commit.EntryKey("f", 1), commits: 1, says: "the clock of ana was 4 minutes ahead of the bucket's"}}
		}},
		"time-skewed behind": {plant: func(w *world) []want {
			w.dated("f", 1, "", "ana", w.clock().Add(-10*minute))
			return []want{{id: "time-skewed", folder: "f", number: 1, commits: 1, says: "the clock of ana was 10 minutes behind the bucket's"}}
		}},
		"time-skewed: one finding for each author and direction": {plant: func(w *world) []want {
			id := ""
			for n := range int64(5) {
				id = w.dated("f", 2*n+1, id, "ana", w.clock().Add(-10*minute))
				w.pass(time.Minute)
				id = w.dated("f", 2*n+2, id, "ben", w.clock().Add(-5*minute))
				w.pass(time.Hour)
			}
			return []want{{id: "time-skewed", folder: "f", commits: 5, says: "the clock of ana was 10 minutes"}, {id: "time-skewed", folder: "f", commits: 5, says: "the clock of ben was 5 minutes"}}
		}},
		"not skewed: dated 1 µs after what its writer saw": {plant: func(w *world) []want {
			at := w.clock().Add(10 * minute)
			a := w.dated("f", 1, "", "ana", at)
			w.dated("f", 2, a, "ben", at.Add(us))
			w.dated("", 1, "", "cy", at.Add(2*us))
			w.dated("f/g/h", 1, "", "dan", at.Add(3*us))
			w.pass(time.Hour)
			return []want{{id: "time-skewed", folder: "f", commits: 1, says: "the clock of ana"}}
		}},
		"skewed: 1 µs after a commit that its writer had no reason to look at": {plant: func(w *world) []want {
			at := w.clock().Add(10 * minute)
			w.dated("f", 1, "", "ana", at)
			w.dated("g", 1, "", "ben", at.Add(us))
			w.pass(time.Hour)
			return []want{{id: "time-skewed", folder: "f"}, {id: "time-skewed", folder: "g"}}
		}},
		"not skewed: within the tolerance": {o: Options{SkewTolerance: 11 * minute}, plant: func(w *world) []want {
			w.dated("f", 1, "", "ana", w.clock().Add(-10*minute))
			w.dated("g", 1, "", "ana", w.clock().Add(10*minute))
			w.pass(time.Hour)
			return nil
		}},
		"not skewed: an entry that was restored, its first version still there": {plant: func(w *world) []want {
			ids := w.history("f", 3)
			body := w.body(commit.EntryKey("f", 2), "")
			w.pass(time.Hour)
			w.del(commit.EntryKey("f", 2))
			w.put(commit.EntryKey("f", 2), body)
			_ = ids
			return nil
		}},
		"not skewed: entries restored after their first versions were removed": {plant: func(w *world) []want {
			w.history("f", 3)
			w.history("g", 1)
			w.history("h", 1)
			for _, k := range []string{commit.EntryKey("f", 2), commit.EntryKey("f", 3), commit.EntryKey("g", 1)} {
				body := w.body(k, "")
				w.pass(time.Hour)
				w.erase(k)
				w.put(k, body)
			}
			// The same with the marker left under it.
			k := commit.EntryKey("h", 1)
			body, first := w.body(k, ""), w.versions(k)[0].ID
			w.del(k)
			w.kill(k, first)
			w.put(k, body)
			return nil
		}},
		"not skewed: logs that were copied to where they are": {plant: func(w *world) []want {
			for _, f := range []string{"", "f", "g"} {
				for n := range 4 {
					w.put(commit.KeyPrefix(f)+"data", fmt.Sprint(f, n))
					w.commit(f, "")
					w.pass(30 * time.Second)
				}
				w.pass(time.Hour)
			}
			copyAll(w)
			return nil
		}},
		"no times are told of a commit that is misfiled": {plant: func(w *world) []want {
			id := w.object(commit.Header{Folder: "g", Number: 1, Time: w.clock().Add(time.Hour)})
			w.entry("f", 1, id, time.Time{})
			return []want{{id: "log-entry-misfiled"}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			wants := x.plant(w)
			expect(t, w.audit(x.o), wants...)
		})
	}
}

// copyAll writes everything under .provcat/ anew, as a tool does that copies a
// bucket, and removes what was there.
func copyAll(w *world) {
	w.Helper()
	var keys []string
	for v, err := range w.b.Versions(bg, bucket.Range{Prefix: commit.Root}) {
		w.must(err)
		keys = append(keys, v.Key)
	}
	w.pass(1000 * time.Hour)
	for _, k := range keys {
		body := w.body(k, "")
		w.erase(k)
		_, err := w.b.PutIfAbsent(bg, k, strings.NewReader(body))
		w.must(err)
	}
}

// At depth log the entries tell the times.
func TestTimesOfEntriesAlone(t *testing.T) {
	w := newWorld(t)
	at := w.clock()
	a := w.dated("f", 1, "", "ana", at)
	w.dated("f", 2, a, "ana", at)
	expect(t, w.audit(Options{Depth: DepthLog}), want{id: "time-backwards", number: 2})
}

func TestTheBucketsClock(t *testing.T) {
	w := newWorld(t)
	now := w.clock()
	w.dated("f", 1, "", "ana", now.Add(5*time.Second)) // made 2 s later
	mute := func(clock time.Time) bucket.Bucket {
		return &tampered{Bucket: w.b, settings: func(s *bucket.Settings) { s.Clock = clock }}
	}
	for name, x := range map[string]struct {
		clock, ours time.Time
		sure        Confidence // empty: no finding
	}{
		"told":                                {now.Add(2 * time.Second), now.Add(time.Hour), ""}, // the entry was there at the third second
		"told, and past":                      {now.Add(time.Minute), now, ""},
		"not told":                            {time.Time{}, now.Add(-time.Hour), ""},
		"read long before the entry was made": {now.Add(-time.Hour), now, ""},
	} {
		r := auditOf(t, mute(x.clock), Options{Now: func() time.Time { return x.ours }})
		expect(t, r)
		if len(r.Findings) > 0 {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
	w.dated("g", 1, "", "ana", w.clock().Add(time.Minute))
	expect(t, auditOf(t, mute(w.clock()), Options{}), want{id: "time-future", sure: Certain, says: "the bucket's own clock says"})
	ours := w.clock()
	expect(t, auditOf(t, mute(time.Time{}), Options{Now: func() time.Time { return ours }}), want{id: "time-future", sure: Likely, says: "this machine's clock"})
}

// A writer that keeps to the format leaves no finding, whatever its clock, as long
// as that is within the tolerance.
func TestWritersClocksWithinTheTolerance(t *testing.T) {
	w := newWorld(t)
	for n := range 12 {
		f := []string{"", "f", "f/g", "h"}[n%4]
		w.put(commit.KeyPrefix(f)+"data", fmt.Sprint(n))
		off := time.Duration(n%3-1) * 45 * time.Second
		_, err := commit.Write(bg, w.b, f, commit.WriteOptions{Now: func() time.Time { return w.tick().Add(off) }})
		w.must(err)
	}
	w.pass(time.Hour)
	expect(t, w.audit(Options{}))
}
