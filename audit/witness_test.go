package audit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
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

// A log seen at depth log tells nothing of objects, and later deeper runs do.
func TestTheWitnessAcrossDepthsAndScopes(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	others := w.history("other", 3)
	wit := w.first(Options{Depth: DepthLog})
	if e := wit.logs[commit.FolderHash(sales)].entries; len(e) != 3 || e[0].sound || !e[2].named(ids[3]) {
		t.Errorf("entries %+v", e)
	}
	_, wit = seenBy(t, w.b, wit, Options{Folder: sales})
	if !wit.logs[commit.FolderHash(sales)].entries[0].sound || wit.logs[commit.FolderHash("other")].entries[0].sound {
		t.Error("an audit of one folder learns of that folder's objects, and of no others")
	}
	_, wit = seenBy(t, w.b, wit, Options{Depth: DepthLog})
	if !wit.logs[commit.FolderHash(sales)].entries[0].sound {
		t.Error("a shallow run forgot what a deeper one knew")
	}
	// The other folder loses its head: an audit of this one neither tells nor forgets.
	w.erase(commit.EntryKey("other", 3))
	w.erase(key(others[3]))
	r, wit := seenBy(t, w.b, wit, Options{Folder: sales})
	expect(t, r)
	r, wit = seenBy(t, w.b, wit, Options{Folder: "other"})
	expect(t, r, want{id: "witness-regressed", folder: "other", number: 3})
	r, _ = seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "witness-regressed", folder: "other", number: 3})
}

// A folder of which nothing at all is left, audited by its name.
func TestAFolderThatIsGoneAltogether(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 2)
	w.history("other", 1)
	wit := w.first(Options{})
	for v, err := range w.b.Versions(bg, bucket.Range{}) {
		w.must(err)
		if strings.HasPrefix(v.Key, sales) || strings.Contains(v.Key, commit.FolderHash(sales)) || v.Key == key(ids[1]) || v.Key == key(ids[2]) {
			w.kill(v.Key, v.ID)
		}
	}
	for _, folder := range []string{"", sales, "sales"} {
		r, _ := seenBy(t, w.b, wit, Options{Folder: folder})
		expect(t, r, want{id: "witness-regressed", folder: sales, number: 2, commits: 2, says: "is gone as a whole"})
	}
	if !wit.Sees(sales) || !wit.Sees("sales") || wit.Sees("sale") || wit.Sees("sales/2026/x") {
		t.Error("Sees")
	}
}

// A log of which neither the bucket nor the witness tells the folder.
func TestALogWithoutANameThatIsGone(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 2)
	wit := w.first(Options{})
	hash := commit.FolderHash(sales)
	wit.logs[hash].folder, wit.logs[hash].known = "", false
	for n := range 2 {
		w.erase(slot(int64(n + 1)))
		w.erase(key(ids[n+1]))
	}
	r, wit := seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "witness-regressed", folder: "-", number: 2, says: "the log " + hash[:10]})
	if !wit.Sees(sales) || wit.Sees("sales") {
		t.Error("Sees")
	}
}

// A log whose folder nothing in the bucket tells is named by the witness.
func TestTheWitnessNamesALog(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 2)
	wit := w.first(Options{})
	for n := range 2 {
		w.erase(key(ids[n+1]))
		w.put(commit.EntryKey(sales, int64(n+1)), ids[n+1]) // bare digits
		vs := w.versions(commit.EntryKey(sales, int64(n+1)))
		w.kill(vs[1].Key, vs[1].ID)
	}
	expect(t, w.audit(Options{Depth: DepthLog}), want{id: "log-folder-unknown"})
	r, _ := seenBy(t, w.b, wit, Options{Depth: DepthLog})
	expect(t, r)
}

var errNoWay = &bucket.Error{Op: "x", Err: bucket.ErrDenied}

// What cannot be read is neither an alarm nor forgotten.
func TestTheWitnessWhereThingsCannotBeRead(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	wit := w.first(Options{})
	entries := func(w *Witness) []seenEntry { return w.logs[commit.FolderHash(sales)].entries }
	for name, b := range map[string]bucket.Bucket{
		"entries": &tampered{Bucket: w.b, open: func(key, version string, _ int64) error {
			if strings.HasPrefix(key, commit.Logs) {
				return errNoWay
			}
			return nil
		}},
		"objects": &tampered{Bucket: w.b, open: func(key, version string, _ int64) error {
			if strings.HasPrefix(key, commit.Commits) {
				return errNoWay
			}
			return nil
		}},
	} {
		r, next := seenBy(t, b, wit, Options{Depth: DepthCommits})
		if r.Verdict != Incomplete || r.Counts[Damage] != 0 {
			t.Errorf("%s: verdict %s, %+v", name, r.Verdict, r.Findings)
		}
		if !slices.Equal(entries(next), entries(wit)) {
			t.Errorf("%s: the state is %+v", name, entries(next))
		}
		for n := int64(1); n <= 3 && name == "entries"; n++ {
			at := next.logs[commit.FolderHash(sales)].at(n)
			if !at.there.Equal(wit.logs[commit.FolderHash(sales)].seen) || !at.since.IsZero() {
				t.Errorf("entry %d could not be read, and counts as %+v", n, at)
			}
		}
	}
	// No listing: no new state.
	r, next := seenBy(t, &tampered{Bucket: w.b, list: func(bucket.Range, bucket.Version) error { return errNoWay }}, wit, Options{})
	if r.Verdict != Incomplete || next != nil {
		t.Errorf("verdict %s, witness %v", r.Verdict, next)
	}
	// The second look fails: nothing is said of the log, and the state stays.
	w.erase(slot(3))
	w.erase(key(ids[3]))
	r, next = seenBy(t, &tampered{Bucket: w.b, list: func(r bucket.Range, v bucket.Version) error {
		if r.Prefix == commit.LogPrefix(commit.FolderHash(sales)) {
			return errNoWay
		}
		return nil
	}}, wit, Options{})
	if r.Verdict != Incomplete || r.Counts[Damage] != 0 || !slices.Equal(entries(next), entries(wit)) {
		t.Errorf("verdict %s, %+v, state %+v", r.Verdict, r.Findings, entries(next))
	}
}

// An audit that leaves things out by choice neither alarms nor forgets.
func TestTheWitnessAndBudgets(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 5)
	w.history("other", 5)
	wit := w.first(Options{})
	_, entries := wit.Size()
	for n := int64(1); n <= 40; n++ {
		r, next := seenBy(t, w.b, wit, Options{MaxRequests: n})
		if r.Counts[Damage] != 0 {
			t.Errorf("%d requests: %+v", n, r.Findings)
		}
		if next == nil {
			continue // the logs were not listed
		}
		if _, now := next.Size(); now != entries {
			t.Errorf("%d requests: %d entries are known, want %d", n, now, entries)
		}
		for hash, l := range next.logs {
			if !slices.Equal(l.entries, wit.logs[hash].entries) {
				t.Errorf("%d requests: %+v", n, l.entries)
			}
		}
	}
}

// What only the first look lacks is no loss; what only the second lacks is left to
// the next run, and what both lack is told whatever else came back.
func TestTheWitnessLooksTwice(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	wit := w.first(Options{})
	entry, object := w.body(slot(6), ""), w.body(key(ids[6]), "")
	w.erase(slot(6))
	w.erase(key(ids[6]))
	at := func(then func()) func(Progress) {
		return func(p Progress) {
			if p.Stage == "confirming" && then != nil {
				then()
				then = nil
			}
		}
	}
	r, wit := seenBy(t, w.b, wit, Options{Progress: at(func() { w.put(key(ids[6]), object); w.put(slot(6), entry) })})
	expect(t, r)
	w.erase(slot(6))
	w.erase(key(ids[6]))
	r, wit = seenBy(t, w.b, wit, Options{Progress: at(func() { w.erase(slot(5)); w.erase(key(ids[5])) })})
	expect(t, r, want{id: "witness-regressed", commits: 1, number: 6})
	r, wit = seenBy(t, w.b, wit, Options{Progress: at(func() { w.put(slot(5), ids[5]) })})
	expect(t, r, want{id: "witness-regressed", commits: 1, number: 6})
	r, _ = seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "witness-regressed", commits: 1, number: 6}, want{id: "commit-missing", number: 5})
}

// Writers at work never look like a loss, whenever they come.
func TestTheWitnessOfABusyBucket(t *testing.T) {
	for n := 1; ; n++ {
		w := newWorld(t)
		w.history(sales, 3)
		w.history("other", 2)
		wit := w.first(Options{Depth: DepthCommits})
		w.pass(time.Hour)
		came := false
		b := &busy{Bucket: w.b, n: n, then: func() {
			came = true
			w.put(sales+"/orders.csv", "more")
			w.commit(sales, "during the audit")
			w.put("zz-new/x", "")
			w.commit("zz-new", "")
		}}
		r, next := seenBy(t, b, wit, Options{Depth: DepthCommits, Concurrency: 1})
		for _, f := range r.Findings {
			if f.Severity != Info {
				t.Errorf("writers at event %d: %s: %s", n, f.ID, f.Title)
			}
		}
		// Whatever of it was seen, the next run is content too.
		r, _ = seenBy(t, w.b, next, Options{Depth: DepthCommits})
		for _, f := range r.Findings {
			if f.Severity == Damage {
				t.Errorf("after writers at event %d: %s: %s", n, f.ID, f.Title)
			}
		}
		if t.Failed() || !came {
			if n < 10 {
				t.Errorf("only %d events", n)
			}
			return
		}
	}
}

// Damage that was there when the witness began is not a loss besides, and once its
// last trace goes the witness knows of it.
func TestTheWitnessBeginsWithDamage(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	m := w.del(slot(3))
	r, wit := seenBy(t, w.b, nil, Options{})
	expect(t, r, want{id: "log-entry-deleted", number: 3})
	r, wit = seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "log-entry-deleted", number: 3})
	w.kill(slot(3), m.ID)
	r, _ = seenBy(t, w.b, wit, Options{})
	expect(t, r)
	w.del(slot(3))
	_, wit = seenBy(t, w.b, wit, Options{})
	w.erase(slot(3))
	w.erase(key(ids[3]))
	r, _ = seenBy(t, w.b, wit, Options{})
	expect(t, r, want{id: "witness-regressed", number: 3})
}

// A slot in dispute is remembered by what was seen there first.
func TestTheWitnessOfADisputedSlot(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	h, files := w.load(ids[3])
	h.Message = "another"
	other := w.object(h, files...)
	w.entry(sales, 3, other, h.Time)
	_, wit := seenBy(t, w.b, nil, Options{})
	if n := len(wit.logs[commit.FolderHash(sales)].entries); n != 2 {
		t.Errorf("%d entries are remembered, want 2: the third is in dispute", n)
	}
}

// Whatever people do within the format, in whatever order and depth and scope audits
// come between: the witness is content.
func TestRandomHistoriesAndAWitness(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 3))
			w := newWorld(t)
			folders := []string{"", "a", "a/b", "ab"}
			any := func() string { return folders[r.IntN(len(folders))] }
			var wit *Witness
			var rep *Report
			for range 40 {
				folder := any()
				switch r.IntN(6) {
				case 0, 1:
					w.put(commit.KeyPrefix(folder)+"x", fmt.Sprint(r.Uint32()))
				case 2, 3:
					w.put(commit.KeyPrefix(folder)+"y", fmt.Sprint(r.Uint32()))
					var b bucket.Bucket = w.b
					if r.IntN(3) == 0 {
						b = &racing{w.b, func() {
							w.put(commit.KeyPrefix(folder)+"y", fmt.Sprint(r.Uint32()))
							w.commit(folder, "the winner")
						}}
					}
					if _, err := w.write(b, folder, fmt.Sprint(r.Uint32())); err != nil {
						t.Fatal(err)
					}
				case 4: // an entry is deleted and restored, or put again
					vs := w.versions(commit.EntryKey(folder, 1))
					if len(vs) == 0 {
						continue
					}
					if r.IntN(2) == 0 {
						w.kill(vs[0].Key, w.del(vs[0].Key).ID)
					} else {
						w.put(vs[0].Key, w.body(vs[0].Key, ""))
					}
				case 5:
					rep, wit = seenBy(t, w.b, wit, Options{Folder: any(), Depth: depths[r.IntN(3)]})
					if rep.Counts[Damage] != 0 {
						t.Fatalf("%+v", rep.Findings)
					}
				}
			}
		})
	}
}

// Whatever is erased: each entry that was seen and is no longer there is told by one
// finding of damage, and by one only.
func TestRandomLossesAreToldOnce(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			w := newWorld(t)
			ids := w.history(sales, 7)
			wit := w.first(Options{Depth: DepthCommits})
			lost := map[int64]bool{}
			for range 1 + r.IntN(5) {
				n := 1 + r.Int64N(7)
				switch r.IntN(5) {
				case 0:
					w.del(slot(n))
					lost[n] = true
				case 1:
					w.erase(key(ids[n]))
				case 2: // made anew, with nothing left of it
					id := w.object(commit.Header{Folder: sales, Number: n, Parent: ids[n-1], Message: fmt.Sprint("anew ", n)})
					w.erase(slot(n))
					w.entry(sales, n, id, w.tick())
					lost[n] = true
				default:
					w.erase(slot(n))
					if r.IntN(2) == 0 {
						w.erase(key(ids[n]))
					}
					lost[n] = true
				}
			}
			for range 2 {
				var rep *Report
				rep, wit = seenBy(t, w.b, wit, Options{Depth: DepthCommits})
				for n := range lost {
					var by []string
					for _, f := range rep.Findings {
						if f.Severity == Damage && isAbout(f, n, ids[n], w) {
							by = append(by, f.ID)
						}
					}
					if len(by) != 1 {
						t.Errorf("entry %d is told by %v", n, by)
					}
				}
				if t.Failed() {
					for _, f := range rep.Findings {
						t.Logf("%s %d: %s (%s)", f.ID, f.Number, f.Title, f.Detail)
					}
				}
			}
		})
	}
}

// isAbout says whether a finding is about the entry n, which named a commit.
func isAbout(f Finding, n int64, id string, w *world) bool {
	switch f.ID {
	case "witness-regressed", "log-head-lost":
		return slices.ContainsFunc(f.Affected.Commits, func(c CommitRef) bool { return c.Number == n && c.ID == id })
	case "log-entry-deleted", "log-entry-remade", "log-entry-overwritten", "log-entry-unreadable":
		return f.Number == n && slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return strings.Contains(e.Note, id) })
	case "log-tail-missing", "log-entry-missing":
		for k := n; k <= f.Number; k++ { // a gap from below n up to the finding's number
			if slices.ContainsFunc(w.versions(slot(k)), func(v bucket.Version) bool { return !v.DeleteMarker }) {
				return f.ID == "log-entry-missing" && f.Number == n && f.Commit == id // or made anew
			}
		}
		return n <= f.Number
	}
	return false
}

func TestMergedWitnesses(t *testing.T) {
	id := func(b byte) (x [32]byte) { x[0] = b; return x }
	day := func(d int) time.Time { return time.Date(2026, 10, d, 0, 0, 0, 0, time.UTC) }
	hash := commit.FolderHash("a")
	a, b := NewWitness("s3://x"), NewWitness("s3://x")
	a.Written, b.Written = day(2), day(3)
	a.logs[hash] = &seenLog{hash: hash, seen: day(2), absent: map[int64]absence{2: {day(1), day(2)}}, entries: []seenEntry{{1, id(1), false}, {2, id(2), true}, {4, id(4), true}}}
	b.logs[hash] = &seenLog{hash: hash, folder: "a", known: true, seen: day(3), absent: map[int64]absence{1: {since: day(3)}}, entries: []seenEntry{{1, id(1), true}, {3, id(3), false}, {4, id(9), true}}}
	other := commit.FolderHash("b")
	b.logs[other] = &seenLog{hash: other, entries: []seenEntry{{1, id(7), false}}}
	want := []seenEntry{{1, id(1), true}, {2, id(2), true}, {3, id(3), false}, {4, id(4), true}}
	for _, x := range [][2]*Witness{{a, b}, {b, a}} {
		w := written(t, x[0])
		w.Merge(x[1])
		l := w.logs[hash]
		if !slices.Equal(l.entries, want) || !l.known || len(l.absent) != 2 || l.absent[2].there != day(1) || l.absent[1].since != day(3) || !w.Written.Equal(day(3)) || len(w.logs) != 2 {
			t.Errorf("merged: %+v, written %v", l, w.Written)
		}
	}
}

var errDisk = errors.New("disk on fire")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errDisk }

func TestReadingWhatIsNoWitness(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 3)
	w.history("é\u202e", 1)
	var buf bytes.Buffer
	w.must(w.first(Options{}).Encode(&buf))
	good := buf.String()
	if strings.Contains(good, "\u202e") {
		t.Error("a control character is in the file")
	}
	if !strings.Contains(good, `"head":{"number":3,`) {
		t.Errorf("no head in %s", good)
	}
	for i := range good[:len(good)-1] { // the last byte is a line end
		if _, err := ReadWitness(strings.NewReader(good[:i])); !errors.Is(err, ErrWitness) {
			t.Fatalf("cut off after %d bytes: %v", i, err)
		}
	}
	for i := range good {
		b := []byte(good)
		b[i] ^= 1
		if x, err := ReadWitness(bytes.NewReader(b)); err == nil {
			var again bytes.Buffer
			w.must(x.Encode(&again))
			y := again.String()
			// What is not covered by a sum harms nobody: the head, a member's name, white space.
			for _, l := range x.logs {
				if !strings.Contains(good, l.sum()) {
					t.Fatalf("byte %d changed: %s", i, y)
				}
			}
		}
	}
	for name, x := range map[string][2]string{
		"no JSON":              {"pass", "byte"},
		"empty":                {"", "breaks off"},
		"a report":             {`{"schema":"provcat-audit/1","bucket":"s3://x"}`, "provcat-audit/1"},
		"a list":               {`[1]`, "stands where {"},
		"no schema":            {`{"bucket":"s3://x","logs":[]}`, "no schema"},
		"no bucket":            {`{"schema":"provcat-witness/1","logs":[]}`, "names no bucket"},
		"two documents":        {good + good, "something follows"},
		"a later format":       {strings.Replace(good, "witness/1", "witness/2", 1), "provcat-witness/2"},
		"a log twice":          {`{"schema":"provcat-witness/1","bucket":"x","bucket":"y"}`, "twice"},
		"another folder":       {strings.Replace(good, `"folder":"sales/2026"`, `"folder":"sales/2025"`, 1), "not that of the folder"},
		"a hand-made change":   {strings.Replace(good, `,1]]`, `,0]]`, 1), "changed or damaged"},
		"an entry as a word":   {strings.Replace(good, `[1,"`, `[one,"`, 1), "byte"},
		"a number too high":    {strings.Replace(good, `[1,"`, `[1000000000000001,"`, 1), "is no entry"},
		"a number below one":   {strings.Replace(good, `[1,"`, `[0,"`, 1), "is no entry"},
		"numbers out of order": {strings.Replace(good, `[3,"`, `[1,"`, 1), "comes after"},
		"deep":                 {strings.Repeat(`[`, 20000), "byte"},
	} {
		if _, err := ReadWitness(strings.NewReader(x[0])); !errors.Is(err, ErrWitness) || !strings.Contains(err.Error(), x[1]) {
			t.Errorf("%s: %v, want %q in it", name, err, x[1])
		}
	}
	if _, err := ReadWitness(failing{}); !errors.Is(err, errDisk) || errors.Is(err, ErrWitness) {
		t.Errorf("a disk that fails: %v", err)
	}
	if c := (&capped{w: &buf, left: 3}); c.left == 3 {
		if _, err := c.Write([]byte("1234")); err == nil {
			t.Error("more than fits was written")
		}
	}
}

func FuzzReadWitness(f *testing.F) {
	hash := commit.FolderHash("a")
	w := NewWitness("s3://x")
	w.logs[hash] = &seenLog{hash: hash, folder: "a", known: true, seen: time.Unix(1, 2), absent: map[int64]absence{5: {since: time.Unix(3, 4)}}, entries: []seenEntry{{1, [32]byte{1}, true}, {5, [32]byte{2}, false}}}
	var buf bytes.Buffer
	if err := w.Encode(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add([]byte(`{"schema":"provcat-witness/1","bucket":"s3://x","logs":[]}`))
	f.Add([]byte(`{"schema":"provcat-witness/1","bucket":"s3://x","logs":[{"log":"x","entries":[[1,"",1]]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := ReadWitness(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, ErrWitness) {
				t.Fatalf("not an ErrWitness: %v", err)
			}
			return
		}
		var one, two bytes.Buffer
		if err := w.Encode(&one); err != nil {
			t.Skip(err) // a time that JSON cannot say
		}
		again, err := ReadWitness(bytes.NewReader(one.Bytes()))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, one.Bytes())
		}
		if err := again.Encode(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatalf("%v: %s and %s", err, one.Bytes(), two.Bytes())
		}
	})
}
