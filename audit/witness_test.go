package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// seenBy audits with a witness that goes through its file, and gives the next one.
func seenBy(t testing.TB, b bucket.Bucket, w *Witness, o Options) (*Report, *Witness) {
	t.Helper()
	if w == nil {
		w = NewWitness(b.URL())
	}
	o.Witness = written(t, w)
	r := auditOf(t, b, o)
	return r, r.Witness
}

// written is a witness that was written and read again.
func written(t testing.TB, w *Witness) *Witness {
	t.Helper()
	var buf bytes.Buffer
	if err := w.Encode(&buf); err != nil {
		t.Fatal(err)
	}
	out, err := ReadWitness(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// first gives the witness of a sound bucket.
func (w *world) first(o Options) *Witness {
	w.Helper()
	r, wit := seenBy(w.TB, w.b, nil, o)
	expect(w.TB, r)
	return wit
}

func findingOf(t testing.TB, r *Report, id string) Finding {
	t.Helper()
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("no finding %s", id)
	}
	return r.Findings[i]
}

// What only the witness knows, planted through the bucket's own calls.
func TestWitnessRegressed(t *testing.T) {
	for name, x := range map[string]struct {
		depth  Depth
		damage func(w *world, ids []string)
		want   want
		says   []string
	}{
		"the head is cut off, its object too": {damage: func(w *world, ids []string) {
			w.erase(slot(6))
			w.erase(key(ids[6]))
		}, want: want{number: 6, repair: "restore-commit-object", commits: 1, shows: "nothing is there"},
			says: []string{"went back from 6 to 5", "entry 6", "Its commit object cannot be read", "was last there at"}},
		"the head is cut off, its object is left": {damage: func(w *world, ids []string) {
			w.erase(slot(6))
			w.pass(time.Hour) // alone it would be a writer that crashed
		}, want: want{number: 6, repair: "rebuild-entry", commits: 1, shows: "has the right hash"},
			says: []string{"went back from 6 to 5", "Its commit object is still there"}},
		"three entries are cut off with their objects": {damage: func(w *world, ids []string) {
			for n := 4; n <= 6; n++ {
				w.erase(slot(int64(n)))
				w.erase(key(ids[n]))
			}
		}, want: want{number: 6, repair: "restore-commit-object", commits: 3},
			says: []string{"went back from 6 to 3", "entries 4 to 6"}},
		"at depth log": {depth: DepthLog, damage: func(w *world, ids []string) {
			w.erase(slot(5))
			w.erase(slot(6))
		}, want: want{number: 6, repair: "rebuild-entry", commits: 2},
			says: []string{"went back from 6 to 4", "was not looked at"}},
		"the whole log and its objects": {damage: func(w *world, ids []string) {
			for n := 1; n <= 6; n++ {
				w.erase(slot(int64(n)))
				w.erase(key(ids[n]))
			}
		}, want: want{number: 6, commits: 6, repair: "restore-commit-object"},
			says: []string{"the log of sales/2026 is gone as a whole", "entries 1 to 6"}},
		"the head is re-made without a trace": {damage: func(w *world, ids []string) {
			w.erase(slot(6))
			w.erase(key(ids[6]))
			w.put(sales+"/orders.csv", "another history")
			w.commit(sales, "the other one")
		}, want: want{number: 6, repair: "-", commits: 1, shows: "names commit"},
			says: []string{"history of sales/2026 was changed", "entry 6", "different histories"}},
		"the head is re-made, its object is left": {damage: func(w *world, ids []string) {
			w.erase(slot(6))
			w.put(sales+"/orders.csv", "another history")
			w.commit(sales, "the other one")
		}, want: want{number: 6, repair: "-", commits: 1},
			says: []string{"history of sales/2026 was changed"}},
		"history is written anew from the middle on": {damage: func(w *world, ids []string) {
			for n := 4; n <= 6; n++ {
				w.erase(slot(int64(n)))
				w.erase(key(ids[n]))
			}
			for i := range 5 {
				w.put(sales+"/orders.csv", fmt.Sprint("anew ", i))
				w.commit(sales, "anew")
			}
		}, want: want{number: 6, repair: "-", commits: 3},
			says: []string{"entries 4 to 6", "history of sales/2026 was changed"}},
		"a marker is left where nothing is under it": {damage: func(w *world, ids []string) {
			w.erase(slot(6))
			w.erase(key(ids[6]))
			w.del(slot(6))
		}, want: want{number: 6, commits: 1}, says: []string{"went back from 6 to 5"}},
		"entries at both ends, objects too": {damage: func(w *world, ids []string) {
			w.erase(slot(6))
			w.erase(key(ids[6]))
			w.erase(slot(5))
		}, want: want{number: 6, commits: 2}, says: []string{"1 of their 2 commit objects can still be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ids := w.history(sales, 6)
			w.history("other", 2)
			wit := w.first(Options{Depth: x.depth})
			x.damage(w, ids)
			x.want.id, x.want.severity, x.want.sure, x.want.folder = "witness-regressed", Damage, Certain, sales
			r, next := seenBy(t, w.b, wit, Options{Depth: x.depth})
			expect(t, r, x.want)
			f := findingOf(t, r, "witness-regressed")
			for _, s := range x.says {
				if !strings.Contains(f.Title+f.Detail, s) {
					t.Errorf("%q is not in %q, %q", s, f.Title, f.Detail)
				}
			}
			for _, c := range f.Affected.Commits {
				if ids[c.Number] != c.ID || c.Folder != sales {
					t.Errorf("affected: %+v, want %s", c, ids[c.Number])
				}
			}
			// It does not go away by itself, and is the same finding.
			for range 2 {
				r, next = seenBy(t, w.b, next, Options{Depth: x.depth})
				expect(t, r, x.want)
				g := findingOf(t, r, "witness-regressed")
				if g.Fingerprint != f.Fingerprint {
					t.Error("another fingerprint in the next run")
				}
				if !strings.Contains(g.Detail, "missed since") {
					t.Errorf("since when is not said: %s", g.Detail)
				}
			}
			// Without the witness nobody knows.
			for _, g := range w.audit(Options{Depth: x.depth}).Findings {
				if g.Severity == Damage {
					t.Errorf("the bucket alone shows %s: %s", g.ID, g.Title)
				}
			}
		})
	}
}

// What the bucket itself shows is told once, by its own finding, and the witness's
// word is added.
func TestTheWitnessVouchesForOtherFindings(t *testing.T) {
	for name, x := range map[string]struct {
		damage func(w *world, ids []string)
		wants  []want
	}{
		"a deleted entry": {func(w *world, ids []string) { w.del(slot(6)) },
			[]want{{id: "log-entry-deleted", number: 6, says: "saw entry 6"}}},
		"a deleted entry of which only the marker is left, and two that claim its number": {func(w *world, ids []string) {
			h, files := w.load(ids[6])
			h.Author = "ben" // lost the race for number 6
			w.object(h, files...)
			w.del(slot(6))
			for _, v := range w.versions(slot(6)) {
				if !v.DeleteMarker {
					w.kill(slot(6), v.ID)
				}
			}
		}, []want{{id: "log-entry-deleted", number: 6, repair: "rebuild-entry", sure: Certain, says: "saw entry 6"}}},
		"an entry in the middle": {func(w *world, ids []string) { w.erase(slot(4)) },
			[]want{{id: "log-entry-missing", number: 4, says: "saw entry 4"}}},
		"two in the middle, their objects too": {func(w *world, ids []string) {
			for _, n := range []int64{3, 4} {
				w.erase(slot(n))
				w.erase(key(ids[n]))
			}
		}, []want{{id: "log-entry-missing", number: 4, says: "saw 2 of these entries, 3 to 4"}}},
		"the oldest entries": {func(w *world, ids []string) { w.erase(slot(1)); w.erase(slot(2)) },
			[]want{{id: "log-tail-missing", number: 2, says: "saw 2 of these entries, 1 to 2"}}},
		"the newest two, whose objects are left": {func(w *world, ids []string) { w.erase(slot(5)); w.erase(slot(6)) },
			[]want{{id: "log-head-lost", number: 6, sure: Certain, says: "saw 2 of these entries, 5 to 6"}}},
		"all entries, whose objects are left": {func(w *world, ids []string) {
			for n := int64(1); n <= 6; n++ {
				w.erase(slot(n))
			}
		}, []want{{id: "log-head-lost", number: 6, sure: Certain, says: "saw 6 of these entries, 1 to 6"}}},
		"an entry of which the child tells": {func(w *world, ids []string) {
			h, files := w.load(ids[4])
			h.Message = "another"
			id := w.object(h, files...)
			w.erase(slot(4))
			w.entry(sales, 4, id, h.Time)
		}, []want{{id: "log-entry-missing", number: 4, says: "saw entry 4"}}},
		"an overwritten entry": {func(w *world, ids []string) {
			h, files := w.load(ids[6])
			h.Message = "another"
			w.entry(sales, 6, w.object(h, files...), h.Time)
		}, []want{{id: "log-entry-overwritten", number: 6, says: "saw entry 6"}}},
		"garbage in an entry": {func(w *world, ids []string) { w.put(slot(6), "garbage") },
			[]want{{id: "log-entry-unreadable", number: 6, says: "saw entry 6"}}},
		"a missing object": {func(w *world, ids []string) { w.erase(key(ids[3])) },
			[]want{{id: "commit-missing", number: 3, says: "read it whole"}}},
		"a corrupt object": {func(w *world, ids []string) { w.put(key(ids[3]), "{}") },
			[]want{{id: "commit-corrupt", number: 3, says: "read it whole"}}},
		"a deleted object": {func(w *world, ids []string) { w.del(key(ids[3])) },
			[]want{{id: "commit-deleted", number: 3, says: "read it whole"}}},
		"two causes in one log": {func(w *world, ids []string) {
			w.del(slot(2))
			w.erase(slot(6))
		}, []want{{id: "log-entry-deleted", number: 2, says: "saw entry 2"}, {id: "witness-regressed", number: 6, commits: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ids := w.history(sales, 6)
			wit := w.first(Options{Depth: DepthCommits})
			x.damage(w, ids)
			w.pass(time.Hour)
			for range 2 {
				var r *Report
				r, wit = seenBy(t, w.b, wit, Options{Depth: DepthCommits})
				expect(t, r, x.wants...)
			}
		})
	}
}

// What must not raise it: all within the format, or mended.
func TestTheWitnessIsContent(t *testing.T) {
	for name, x := range map[string]func(w *world, ids []string){
		"nothing happened": func(*world, []string) {},
		"more commits": func(w *world, ids []string) {
			w.history("new", 2)
			w.put(sales+"/x", "y")
			w.commit(sales, "more")
		},
		"an entry is deleted and restored": func(w *world, ids []string) {
			w.kill(slot(4), w.del(slot(4)).ID)
		},
		"an entry is put again": func(w *world, ids []string) { w.put(slot(6), w.body(slot(6), "")) },
		"an entry is purged and put back": func(w *world, ids []string) {
			body := w.body(slot(6), "")
			w.erase(slot(6))
			w.put(slot(6), body)
		},
		"an entry is put back as bare digits": func(w *world, ids []string) { w.erase(slot(6)); w.put(slot(6), ids[6]) },
		"an object is purged and put back": func(w *world, ids []string) {
			b := w.body(key(ids[2]), "")
			w.erase(key(ids[2]))
			w.put(key(ids[2]), b)
		},
		"the loser of a race is tidied up":     func(w *world, ids []string) { w.erase(key(ids[0])) },
		"a folder is deleted, not its history": func(w *world, ids []string) { w.del(sales + "/readme"); w.commit(sales, "less") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ids := w.history(sales, 6)
			h, files := w.load(ids[6])
			h.Author = "ben"
			ids[0] = w.object(h, files...) // lost the race for number 6
			wit := w.first(Options{})
			x(w, ids)
			for range 2 {
				var r *Report
				r, wit = seenBy(t, w.b, wit, Options{})
				expect(t, r)
				if r.Verdict != Pass {
					t.Errorf("verdict %s", r.Verdict)
				}
			}
		})
	}
}

// What is lost later besides is another instance: an acknowledgement of the first
// does not cover it. What is mended is forgotten.
func TestALossGrowsAndIsMended(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	wit := w.first(Options{})
	entry, object := w.body(slot(6), ""), w.body(key(ids[6]), "")
	w.erase(slot(6))
	w.erase(key(ids[6]))
	r, wit := seenBy(t, w.b, wit, Options{})
	one := findingOf(t, r, "witness-regressed").Fingerprint
	w.erase(slot(5))
	w.erase(key(ids[5]))
	r, wit = seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "witness-regressed", commits: 2})
	if findingOf(t, r, "witness-regressed").Fingerprint == one {
		t.Error("a larger loss has the fingerprint of the smaller one")
	}
	// The whole log is put back.
	w.put(key(ids[6]), object)
	w.put(slot(6), entry)
	r, _ = seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "log-entry-missing", number: 5})
	w2 := newWorld(t)
	w2.history(sales, 3)
	wit = w2.first(Options{})
	entry = w2.body(slot(3), "")
	w2.erase(slot(3))
	_, wit = seenBy(t, w2.b, wit, Options{})
	if x := wit.logs[commit.FolderHash(sales)].absent; len(x) != 1 || x[3].since.IsZero() || x[3].there.IsZero() {
		t.Errorf("the loss is marked as %+v", x)
	}
	w2.put(slot(3), entry)
	r, wit = seenBy(t, w2.b, wit, Options{})
	expect(t, r)
	if l := wit.logs[commit.FolderHash(sales)]; len(l.absent) != 0 || !l.seen.Equal(r.Started) {
		t.Errorf("mended, but %+v is absent, seen at %v", l.absent, l.seen)
	}
}

// When something was last there, and since when it is missed, by the audits' own
// clocks.
func TestTheWitnessTellsWhen(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	w.now = today.AddDate(0, 0, -1)
	on := func(day int) Options {
		return Options{Now: func() time.Time { return time.Date(2026, 12, day, 6, 0, 0, 0, time.UTC) }}
	}
	blind := &tampered{Bucket: w.b, open: func(key, _ string, _ int64) error {
		if key == slot(5) {
			return errNoWay
		}
		return nil
	}}
	cut := func(n int64) { w.erase(slot(n)); w.erase(key(ids[n])) }
	says := func(r *Report, texts ...string) {
		t.Helper()
		f := findingOf(t, r, "witness-regressed")
		for _, s := range texts {
			if !strings.Contains(f.Detail, s) {
				t.Errorf("%q is not in %q", s, f.Detail)
			}
		}
		if strings.Contains(f.Detail, "missed since") != strings.Contains(strings.Join(texts, ""), "missed since") {
			t.Errorf("missed since, in %q", f.Detail)
		}
	}
	_, wit := seenBy(t, w.b, nil, on(1))
	_, wit = seenBy(t, blind, wit, on(2)) // entry 5 cannot be read
	cut(6)
	r, wit := seenBy(t, w.b, wit, on(3))
	says(r, "It was last there at 2026-12-02T06:00:00.000000Z.")
	r, wit = seenBy(t, w.b, wit, on(4))
	says(r, "It was last there at 2026-12-02T06:00:00.000000Z. It has been missed since 2026-12-03T06:00:00.000000Z.")
	_, wit = seenBy(t, blind, wit, on(5))
	cut(5)
	r, wit = seenBy(t, w.b, wit, on(6))
	says(r, "They were last there at 2026-12-04T06:00:00.000000Z, some of them only until 2026-12-02T06:00:00.000000Z. They have been missed since 2026-12-03T06:00:00.000000Z.")
	x := wit.logs[commit.FolderHash(sales)].absent
	if len(x) != 2 || x[5].since.Day() != 6 || x[5].there.Day() != 4 || x[6].since.Day() != 3 || x[6].there.Day() != 2 {
		t.Errorf("absent: %+v", x)
	}
}

// An entry that was hidden when the witness first saw its log was never there for
// it: that it is hidden since then says nothing of the others.
func TestTheWitnessTellsNoTimeOfWhatItNeverSaw(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	w.del(slot(2))
	on := func(day int) Options {
		return Options{Now: func() time.Time { return time.Date(2026, 12, day, 6, 0, 0, 0, time.UTC) }}
	}
	_, wit := seenBy(t, w.b, nil, on(1))
	_, wit = seenBy(t, w.b, wit, on(2))
	for n := int64(1); n <= 6; n++ {
		w.erase(slot(n))
		w.erase(key(ids[n]))
	}
	_, wit = seenBy(t, w.b, wit, on(3))
	r, _ := seenBy(t, w.b, wit, on(4))
	f := findingOf(t, r, "witness-regressed")
	if !strings.Contains(f.Detail, "last there at 2026-12-02T") || !strings.Contains(f.Detail, "missed since 2026-12-03T") {
		t.Error(f.Detail)
	}
}
