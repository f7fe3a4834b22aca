package audit

import (
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

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
