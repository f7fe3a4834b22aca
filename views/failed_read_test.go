package views

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/commit"
)

// From the message of a failed read to its cause: which version it was, that it is gone
// for good, which commits named it, when readers got these, what an audit says of it, and
// what mends it: the bytes under another ID.
func TestFailedReadJourney(t *testing.T) {
	f, rs := small(t)
	const key = "sales/2026/us/orders.csv" // all five commits name its one version
	named := namedVersion(t, f, rs[0].ID, "us/orders.csv")
	again := f.put(key, "id,usd\n1,12\n") // the same bytes again
	if err := f.b.DeleteVersion(t.Context(), key, named); err != nil {
		t.Fatal(err)
	}
	d := newDriver(t, f.start(""), 120, 40)
	d.press("ctrl+p")
	d.send(tea.PasteMsg{Content: "botocore.errorfactory.NoSuchVersion: An error occurred (NoSuchVersion) when calling the GetObject operation: Key=" + key + " VersionId=" + named})
	d.idle()
	d.sees("the pasted text names this object", key)
	d.press("enter")
	d.sees("Object "+key, "✗ Gone: version "+named, "#1–5 of sales/2026", "same bytes")
	// The cause and what mends it, from where the object is.
	d.press("a")
	d.sees("✗ FAIL", "version-missing", "were gone at the latest", "No lifecycle rule of the bucket explains it", "The same bytes are still at "+key+",", "version "+again.ID)
	d.press("esc", "esc")
	// The commits that named it, and what else each lost.
	d.press(":")
	d.write("log sales/2026")
	d.press("enter")
	d.sees("Log of sales/2026", "from 2026-10-05 08:00:04 UTC", "until now")
	d.press("end")
	d.sees("from 2026-10-01 08:00:07 UTC", "until 2026-10-02 08:00:0")
	d.press("enter")
	d.sees("Commit #1 of sales/2026", "1 gone")
	d.press("/")
	d.write("gone")
	d.press("enter")
	d.sees("us/orders.csv", "✗ gone")
	d.seesNot("notes.txt")
}

// namedVersion is the version that a commit names for a path.
func namedVersion(t *testing.T, f *fixture, id, path string) string {
	t.Helper()
	for x, err := range commit.Files(t.Context(), f.b, id) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Path == path {
			return x.Version
		}
	}
	t.Fatalf("commit %s has no %s", id, path)
	return ""
}
