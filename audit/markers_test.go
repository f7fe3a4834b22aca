package audit

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// hollow deletes a key and removes for good what is then under the marker.
func (w *world) hollow(key string) {
	w.Helper()
	under := w.versions(key)
	w.del(key)
	for _, v := range under {
		w.kill(key, v.ID)
	}
}

// Markers over nothing: the last trace of an entry, or of a key that never was. In
// each case the top one is offered for removal, or is not and must not be removed.
func TestMarkersOverNothing(t *testing.T) {
	const top = int64(7)
	trim := bucket.Rule{ID: "trim", Enabled: true, Prefix: ".provcat/", NoncurrentDays: 7}
	for name, c := range map[string]struct {
		n     int64 // of the marker that a person may be about to remove
		plant func(w *world, ids []string) []want
	}{
		"the head and its object": {6, func(w *world, ids []string) []want {
			w.hollow(slot(6))
			w.hollow(key(ids[6]))
			return []want{{id: "log-entry-deleted", severity: Damage, sure: Likely, folder: sales, number: 6, key: slot(6), repair: "-", says: "nothing is left of it", shows: key(ids[6])}}
		}},
		"everything": {6, func(w *world, ids []string) []want {
			for n, id := range ids[1:] {
				w.hollow(slot(int64(n + 1)))
				w.hollow(key(id))
			}
			return []want{{id: "log-entry-deleted", severity: Damage, sure: Likely, folder: sales, number: 6, repair: "-", says: "6 entries of sales/2026, 1 to 6"}}
		}},
		"a row, whose objects are gone without a trace": {6, func(w *world, ids []string) []want {
			for n := int64(5); n <= 6; n++ {
				w.hollow(slot(n))
				w.erase(key(ids[n]))
			}
			return []want{{id: "log-entry-deleted", severity: Damage, sure: Likely, number: 6, repair: "-", says: "in a row"}}
		}},
		"the head, whose object is junk": {6, func(w *world, ids []string) []want {
			w.hollow(slot(6))
			w.erase(key(ids[6]))
			w.put(key(ids[6]), "junk")
			return []want{{id: "commit-corrupt", commit: ids[6]}, {id: "log-entry-deleted", severity: Damage, sure: Possible, number: 6, repair: "-"}}
		}},
		"the head, whose object has a format of tomorrow": {top, func(w *world, ids []string) []want {
			w.del(slot(top))
			id := w.raw(`{"format":"provcat/2","folder":"sales/2026","parent":null,"time":"2026-10-01T08:00:00Z"}`)
			return []want{{id: "commit-format-unknown", commit: id}, {id: "log-marker-stray", severity: Anomaly, sure: Possible, repair: "-"}}
		}},
		"a key that never was": {top, func(w *world, ids []string) []want {
			w.del(slot(top))
			return []want{{id: "log-marker-stray", severity: Anomaly, sure: Certain, number: top, repair: "remove-delete-marker", says: "Only once it is sure"}}
		}},
		"a key that never was, or whose traces a rule took": {top, func(w *world, ids []string) []want {
			w.must(w.b.SetLifecycle(bg, []bucket.Rule{trim}))
			w.del(slot(top))
			return []want{{id: "log-marker-stray", sure: Likely, number: top, repair: "remove-delete-marker", says: "left no other trace"}, {id: "evidence-erased"}}
		}},
		"two keys that never were, apart": {top, func(w *world, ids []string) []want {
			w.del(slot(top))
			w.del(slot(top + 2))
			return []want{{id: "log-marker-stray", number: top, repair: "remove-delete-marker"}, {id: "log-marker-stray", number: top + 2, repair: "remove-delete-marker"}}
		}},
		"a key that never was beside the erased object of an entry": {top, func(w *world, ids []string) []want {
			w.del(slot(top))
			w.hollow(key(ids[3]))
			return []want{{id: "commit-deleted", number: 3}, {id: "log-marker-stray", sure: Certain, number: top, repair: "remove-delete-marker"}}
		}},
		"a key that never was beside the loser of a race": {top, func(w *world, ids []string) []want {
			w.del(slot(top))
			h, files := w.load(ids[4])
			h.Author = "ben"
			w.object(h, files...)
			return []want{{id: "log-marker-stray", sure: Certain, number: top, repair: "remove-delete-marker"}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			wants := c.plant(w, w.history(sales, 6))
			w.pass(time.Hour)
			r := w.audit(Options{})
			expect(t, r, wants...)
			if len(r.Findings) != len(wants) && wants[0].sure != Certain {
				t.Errorf("%d findings", len(r.Findings))
			}
			offered := false
			for _, x := range wants {
				offered = offered || x.number == c.n && x.repair == "remove-delete-marker"
			}
			removes(t, w.b, slot(c.n), offered)
		})
	}
}

// removes plans to remove all markers of a key, and tells whether it must be refused.
func removes(t *testing.T, b bucket.Bucket, key string, may bool) {
	t.Helper()
	var markers []string
	for v, err := range b.Versions(bg, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			t.Fatal(err)
		}
		markers = append(markers, v.ID)
	}
	_, err := PlanMarkers(bg, b, key, markers)
	var no *RefusedRepair
	if may && err != nil || !may && !errors.As(err, &no) {
		t.Errorf("the removal may be planned: %v; it gives %v", may, err)
	}
}

// A refused read of the object that claims a marker's number proves nothing.
func TestAMarkerWhoseCommitCannotBeRead(t *testing.T) {
	w := newS3World(t)
	var last string
	for _, body := range []string{"1", "2"} {
		w.put("f/a", body)
		last = w.commit("f").ID
	}
	k := commit.EntryKey("f", 2)
	w.s.Delete(w.b.Name, k)
	w.s.DeleteVersion(w.b.Name, k, w.s.Entries(w.b.Name, k)[1].ID)
	w.s.Fail(fakes3.Fault{Kind: "GetObject", Key: commit.CommitKey(last), Times: -1, Do: fakes3.AccessDenied})
	for _, folder := range []string{"", "f"} {
		r := auditOf(t, w.b, Options{Folder: folder})
		expect(t, r, want{id: "access-denied"}, want{id: "log-marker-stray", sure: Possible, number: 2, repair: "-", says: "could not be read", shows: commit.CommitKey(last)})
		if r.Verdict != Incomplete {
			t.Errorf("the verdict is %s", r.Verdict)
		}
	}
	if _, err := PlanMarkers(bg, w.b, k, []string{w.s.Entries(w.b.Name, k)[0].ID}); err == nil || !strings.Contains(err.Error(), "could not be read") {
		t.Errorf("the removal is planned: %v", err)
	}
}

// At depth log the commit objects are not read, so what claims a number is not known.
func TestMarkersOverNothingAtDepthLog(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 3)
	w.hollow(slot(3))
	expect(t, w.audit(Options{Depth: DepthLog}), want{id: "log-marker-stray", sure: Possible, number: 3, repair: "-", says: "depth commits"})
	w.hollow(slot(2))
	expect(t, w.audit(Options{Depth: DepthLog}), want{id: "log-entry-deleted", severity: Damage, sure: Likely, number: 3, repair: "-", says: "depth commits"})
}

// Objects that no entry names, and what they show of entries that were cut off.
func TestLostHeads(t *testing.T) {
	cut := func(w *world, low int64) {
		for n := low; n <= 6; n++ {
			w.erase(slot(n))
		}
	}
	again := func(w *world) {
		w.put(sales+"/orders.csv", "new")
		w.commit(sales, "after")
	}
	unknown := strings.Repeat("ab", 32)
	for name, plant := range map[string]func(w *world, ids []string) []want{
		"the number was used again": func(w *world, ids []string) []want {
			cut(w, 5)
			again(w)
			return []want{{id: "log-head-lost", severity: Damage, sure: Likely, folder: sales, number: 6, commit: ids[6], commits: 2, key: key(ids[5]), repair: "-", says: "both branches of history exist", shows: slot(5)}}
		},
		"all numbers were used again": func(w *world, ids []string) []want {
			cut(w, 5)
			for i := range 3 {
				w.put(sales+"/orders.csv", strings.Repeat("new", i+1))
				w.commit(sales, "after")
			}
			return []want{{id: "log-head-lost", severity: Damage, number: 6, commits: 2, repair: "-"}}
		},
		"the whole log was begun anew": func(w *world, ids []string) []want {
			cut(w, 1)
			again(w)
			return []want{{id: "log-head-lost", severity: Damage, number: 6, commit: ids[6], commits: 6, repair: "-", says: "after no commit"}}
		},
		"begun anew, and the objects of the first gone": func(w *world, ids []string) []want {
			cut(w, 1)
			w.erase(key(ids[1]))
			w.erase(key(ids[2]))
			again(w)
			return []want{{id: "log-head-lost", severity: Damage, number: 6, commits: 4}}
		},
		"a hole in the chain": func(w *world, ids []string) []want {
			cut(w, 4)
			w.erase(key(ids[4]))
			return []want{{id: "log-head-lost", severity: Damage, sure: Likely, folder: sales, number: 6, commit: ids[6], commits: 2, key: slot(4), repair: "rebuild-entry", says: "The log ends at number 3", shows: slot(3)}}
		},
		"junk in the middle of the chain": func(w *world, ids []string) []want {
			cut(w, 4)
			w.erase(key(ids[5]))
			w.put(key(ids[5]), "junk")
			return []want{{id: "commit-corrupt", commit: ids[5]}, {id: "log-head-lost", severity: Damage, sure: Likely, number: 6, commit: ids[6], commits: 2, shows: key(ids[4])}}
		},
		"one alone above the next number": func(w *world, ids []string) []want {
			cut(w, 4)
			w.erase(key(ids[4]))
			w.erase(key(ids[5]))
			return []want{{id: "log-head-lost", severity: Damage, sure: Likely, number: 6, commits: 1}}
		},
		"a hole, with a marker over nothing in the log": func(w *world, ids []string) []want {
			cut(w, 4)
			w.erase(key(ids[4]))
			w.del(slot(4))
			return []want{{id: "log-head-lost", severity: Damage, number: 6, commits: 2}}
		},
		"look-alike: the loser of a race for each number": func(w *world, ids []string) []want {
			for _, id := range ids[1:] {
				h, files := w.load(id)
				h.Author = "ben"
				w.object(h, files...)
			}
			return nil
		},
		"look-alike: losers of a race over an entry that was made again": func(w *world, ids []string) []want {
			id := w.object(commit.Header{Folder: sales, Number: 7, Parent: ids[6]})
			w.del(slot(6))
			h, files := w.load(ids[6])
			h.Author, h.Time = "another tool", w.tick()
			w.entry(sales, 6, w.object(h, files...), h.Time)
			return []want{{id: "log-entry-remade", number: 6}, {id: "commit-unfinished", severity: Anomaly, commit: id}}
		},
		"look-alike: a crash at the next number, and a loser with a wrong one": func(w *world, ids []string) []want {
			a := w.object(commit.Header{Folder: sales, Number: 7, Parent: ids[6]})
			w.object(commit.Header{Folder: sales, Number: 70, Parent: ids[3]})
			return []want{{id: "commit-unfinished", severity: Anomaly, commit: a}}
		},
		"look-alike: strays that do not follow each other": func(w *world, ids []string) []want {
			a := w.object(commit.Header{Folder: sales, Number: 3, Parent: unknown})
			b := w.object(commit.Header{Folder: sales, Number: 3, Parent: unknown, Author: "ben"})
			c := w.object(commit.Header{Folder: sales, Number: 7, Parent: strings.Repeat("cd", 32)})
			return []want{{id: "commit-stray", commit: a}, {id: "commit-stray", commit: b}, {id: "commit-stray", commit: c}}
		},
		"look-alike: a deleted entry of which its commit is left, and a loser after it": func(w *world, ids []string) []want {
			w.hollow(slot(6))
			w.object(commit.Header{Folder: sales, Number: 6, Parent: ids[5], Author: "ben"})
			return []want{{id: "log-entry-deleted", number: 6}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			wants := plant(w, w.history(sales, 6))
			w.pass(time.Hour)
			expect(t, w.audit(Options{}), wants...)
			expect(t, w.audit(Options{Folder: sales}), slices.DeleteFunc(wants, func(x want) bool { return x.id == "commit-corrupt" })...)
		})
	}
}

// Where a rule took the markers of the entries away, those of the objects are the
// last trace; with one by chance it is a tidied orphan.
func TestOnlyMarkersOfObjects(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	for n, id := range ids[1:] {
		w.erase(slot(int64(n + 1)))
		w.hollow(key(id))
	}
	expect(t, w.audit(Options{}), want{id: "commit-stray", severity: Anomaly, sure: Possible, folder: "-", repair: "-", says: "of 3 commit objects"})
	w = newWorld(t)
	ids = w.history(sales, 3)
	w.hollow(key(w.object(commit.Header{Folder: sales, Number: 3, Parent: ids[2], Author: "ben"})))
	expect(t, w.audit(Options{}), want{id: "commit-stray", severity: Anomaly, sure: Possible, says: "of 1 commit object "})
}
