package audit

import (
	"testing"
	"time"

	"provcat-tui/bucket"
)

// A deletion under suspended versioning puts a marker with the ID null in the place of
// the null version: what a commit names is gone for good, and was no marker then.
func TestNullVersionDeletedUnderSuspendedVersioning(t *testing.T) {
	w := newWorld(t)
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	w.put("f/old", "x")
	w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
	w.put("f/new", "x")
	w.commit("f", "")
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	w.del("f/old")
	r := w.audit(Options{})
	expect(t, r, want{id: "version-missing", severity: Damage, folder: "f", key: "f/old", versions: 1, commits: 1}, want{id: "versioning-suspended"})
	if r.Verdict != Fail {
		t.Errorf("verdict %s", r.Verdict)
	}
}

// The first successor of a lost version may have been a null version that later writes
// under suspended versioning replaced, so the rule may have been due earlier.
func TestExpiryBehindAReplacedNullVersion(t *testing.T) {
	w := newWorld(t)
	w.must(w.b.SetLifecycle(bg, []bucket.Rule{{ID: "trim", Enabled: true, Prefix: "f/", NoncurrentDays: 10}}))
	w.put("f/a", "1")
	w.commit("f", "")
	old := w.versions("f/a")[0].ID
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	w.put("f/a", "2")
	w.pass(20 * 24 * time.Hour)
	w.kill("f/a", old) // as the rule does
	w.put("f/a", "3")  // in the place of the null version
	w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
	expect(t, w.audit(Options{}), want{id: "version-missing", key: "f/a", says: `"trim" explains it`})
}
