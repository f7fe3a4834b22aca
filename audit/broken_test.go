package audit

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// refusing refuses to read some versions of one key.
type refusing struct {
	bucket.Bucket
	key, version string
}

func (d refusing) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	if key == d.key && version == d.version {
		return nil, bucket.Version{}, &bucket.Error{Op: "read", Bucket: d.URL(), Key: key, Version: version, Kind: bucket.ErrDenied, Permission: "s3:GetObjectVersion"}
	}
	return d.Bucket.Open(ctx, key, version, first)
}

// What a version that could not be read may name is neither missing nor an orphan.
func TestAnUnreadOlderVersionProvesNothing(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	old := w.versions(slot(2))[0].ID
	w.put(slot(2), ids[1]) // [names 1, names 2]: the second is refused
	r := auditOf(t, refusing{w.b, slot(2), old}, Options{})
	expect(t, r, want{id: "access-denied", severity: Unknown},
		want{id: "log-commit-repeated", severity: Anomaly, number: 2})
	if r.Verdict != Incomplete {
		t.Errorf("verdict %s", r.Verdict)
	}
}

// Of several commits that claim the number of a bare marker none may be chosen
// unless something tells which it was.
func TestSeveralClaimants(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 4)
	for _, m := range []string{"a", "b", "c"} {
		for n := int64(3); n <= 4; n++ {
			w.object(commit.Header{Folder: sales, Number: n, Parent: ids[n-1], Message: m})
		}
	}
	for n := int64(3); n <= 4; n++ {
		w.erase(slot(n))
		w.del(slot(n))
	}
	// Nothing tells which was number 4; so nothing tells which was number 3.
	expect(t, w.audit(Options{}),
		want{id: "log-entry-deleted", severity: Damage, number: 4, sure: Likely, commits: 4, repair: "rebuild-entry", says: "ask their authors"},
		want{id: "log-entry-deleted", severity: Damage, number: 3, sure: Likely, commits: 4})
	// With entry 4 back, its parent tells.
	h, _ := w.load(ids[4])
	w.erase(slot(4))
	w.entry(sales, 4, ids[4], h.Time)
	expect(t, w.audit(Options{}),
		want{id: "log-entry-deleted", severity: Damage, number: 3, sure: Certain, commit: ids[3], repair: "rebuild-entry"})
}

// Commits behind missing entries are no orphans, also where the chain breaks.
func TestAGapWithABrokenChain(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	for n := int64(2); n <= 4; n++ {
		w.erase(slot(n))
	}
	w.erase(commit.CommitKey(ids[4]))
	r := w.audit(Options{})
	expect(t, r, want{id: "log-entry-missing", severity: Damage, number: 4, says: "entries 2 to 4"})
	for _, f := range r.Findings {
		if strings.HasPrefix(f.ID, "commit-") {
			t.Errorf("besides: %s %s", f.ID, f.Title)
		}
	}
}

// What the writer refuses, the audit tells.
func TestWhatTheWriterRefusesIsTold(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 2)
	good := w.body(slot(2), "")
	w.put(slot(2), "garbage")
	w.put(slot(2), good)
	if _, err := w.write(w.b, sales, "x"); err == nil {
		t.Fatal("the writer takes it")
	}
	expect(t, w.audit(Options{}), want{id: "log-entry-unreadable", severity: Anomaly, number: 2, repair: "remove-version", says: "nothing can be added"})

	w = newWorld(t)
	w.history(sales, 2)
	w.del(slot(3))
	w.put(sales+"/more", "1")
	if _, err := w.write(w.b, sales, "x"); err == nil {
		t.Fatal("the writer takes it")
	}
	expect(t, w.audit(Options{}), want{id: "log-marker-stray", severity: Anomaly, number: 3, key: slot(3), repair: "remove-delete-marker", says: "nothing can be added"})
	w.kill(slot(3), w.versions(slot(3))[0].ID)
	if r, err := w.write(w.b, sales, "x"); err != nil || r.Number != 3 {
		t.Errorf("after the repair: %+v, %v", r, err)
	}
}

func TestAnEmptyVersionIsNoMissingOne(t *testing.T) {
	w := newWorld(t)
	w.put("theirs/x", "1")
	id := w.raw(`{"folder":"theirs","parent":null,"time":"2026-10-01T08:00:00Z","files":[{"path":"x","version":""}]}`)
	w.put(commit.EntryKey("theirs", 1), id)
	expect(t, w.audit(Options{}), want{id: "commit-files-invalid", severity: Anomaly, commit: id, says: "empty version"})
}

// One cause, one finding: many orphans of one kind in one folder.
func TestManyOrphansAreOneFinding(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 3)
	for range 30 {
		w.object(commit.Header{Folder: sales, Number: 2, Parent: ids[1]})
		w.object(commit.Header{Folder: sales, Number: 4, Parent: ids[3]})
	}
	w.pass(time.Hour)
	r := w.audit(Options{})
	expect(t, r, want{id: "commit-unfinished", severity: Anomaly, commits: 30, says: "30 commits like this"})
	if len(r.Findings) != 2 || r.Findings[1].ID != "commit-lost-race" || len(r.Findings[1].Affected.Commits) != 30 {
		t.Errorf("%d findings", len(r.Findings))
	}
	if again := w.audit(Options{}); again.Findings[0].Fingerprint != r.Findings[0].Fingerprint {
		t.Error("the fingerprint changes")
	}
}

// A commit that another passed much later did not just lose a race.
func TestPassedByALaterCommit(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 2)
	lost := w.object(commit.Header{Folder: sales, Number: 3, Parent: ids[2]})
	w.pass(12 * time.Hour)
	w.put(sales+"/more", "1")
	w.commit(sales, "later")
	expect(t, w.audit(Options{}), want{id: "commit-lost-race", severity: Info, commit: lost, sure: Likely, says: "was passed by another commit"})
}

// The files of a folder without a log may be named by commits of one above.
func TestAScopeBelowTheLogIsNotSound(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 2)
	r := w.audit(Options{Folder: sales + "/readme"})
	expect(t, r, want{id: "check-incomplete", severity: Unknown, repair: "audit-folder", says: "named by the commits of " + sales})
	if r.Verdict != Incomplete {
		t.Errorf("verdict %s", r.Verdict)
	}
	if r := w.audit(Options{Folder: "elsewhere"}); r.Verdict != Pass || r.Coverage.Logs.Total != 0 {
		t.Errorf("elsewhere: %s, %+v", r.Verdict, r.Coverage)
	}
}
