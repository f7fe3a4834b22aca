package views

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// verdictOn is what an object screen says, opened for a version, with a complete
// listing of these versions, newest first.
func verdictOn(asked string, rules []bucket.Rule, vs ...bucket.Version) verdict {
	e := newEnv(Start{Now: func() time.Time { return later }})
	s := newObject(place{env: e, loc: bucket.Location{Scheme: "s3", Bucket: "b"}}, "f/a", asked)
	for i := range vs {
		vs[i].Key, vs[i].Latest = "f/a", i == 0
	}
	s.done, s.below = true, belowNone
	s.grow(vs)
	s.rules = audit.NewOutlook(bucket.Settings{Versioning: bucket.VersioningEnabled, Lifecycle: rules}, later)
	s.settle()
	return s.verdict()
}

func TestVerdicts(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 8, 0, 0, 0, time.UTC) }
	live := bucket.Version{ID: "new", Modified: day(10), Size: 5, ETag: "e1"}
	old := bucket.Version{ID: "old", Modified: day(1), Size: 4, ETag: "e2"}
	marker := bucket.Version{ID: "mark", Modified: day(15), DeleteMarker: true}
	gap := marker
	gap.Derived = true
	cold, null := old, old
	cold.StorageClass, null.ID = "DEEP_ARCHIVE", bucket.NullID
	evil := []bucket.Rule{{ID: "a\x1b[31m\nb", Enabled: true, NoncurrentDays: 30}}
	for name, c := range map[string]struct {
		asked string
		rules []bucket.Rule
		vs    []bucket.Version
		says  []string
	}{
		"live":               {"new", nil, []bucket.Version{live, old}, []string{"● Readable: it is the live version."}},
		"a plain read":       {"", nil, []bucket.Version{live}, []string{"● Readable"}},
		"replaced":           {"old", nil, []bucket.Version{live, old}, []string{"○ Readable by its version ID; replaced since: the live version is new of 2026-11-10 08:00:00 UTC"}},
		"deleted since":      {"old", nil, []bucket.Version{marker, old}, []string{"○ Readable by its version ID only: the key was deleted at 2026-11-15"}},
		"a plain read of it": {"", nil, []bucket.Version{marker, old}, []string{"✗ Deleted", "since 2026-11-15 08:00:00 UTC", "newest is old", "Removing the marker brings that one back"}},
		"no such object":     {"", nil, []bucket.Version{gap, old}, []string{"✗ Deleted", "Copying that one over its key makes it live again, as a new version: this store has no marker to remove."}},
		"a marker's ID":      {"mark", nil, []bucket.Version{marker, old}, []string{"✗ Not readable: this ID is a delete marker, made 2026-11-15"}},
		"a marker alone":     {"", nil, []bucket.Version{marker}, []string{"No version is under it"}},
		"archived":           {"old", nil, []bucket.Version{live, cold}, []string{"! Not readable at once", "DEEP_ARCHIVE", "restored first"}},
		"the null version":   {bucket.NullID, nil, []bucket.Version{live, null}, []string{"Its ID is null", "destroys it"}},
		"gone":               {"x", nil, []bucket.Version{live}, []string{"✗ Version x is not there", "If the ID is right, it was removed for good"}},
		"nothing left":       {"x", nil, nil, []string{"✗ Version x is not there", "Nothing is left of the key"}},
		"never was":          {"", nil, nil, []string{"✗ This key has no version and no delete marker"}},
		// Replaced on 10 November at 8: 30 days later, at the next midnight.
		"a hostile rule's name": {"old", evil, []bucket.Version{live, old}, []string{`The lifecycle rule a\x1b[31m\nb will delete it for good from 2026-12-11 on.`}},
		// Replaced on 10 November at 8, two days: due on the 13th, and it is the 20th.
		"overdue": {"old", []bucket.Rule{{ID: "r", Enabled: true, NoncurrentDays: 2}}, []bucket.Version{live, old}, []string{"was to delete it for good from 2026-11-13 on: any day now"}},
	} {
		got := verdictOn(c.asked, c.rules, c.vs...)
		for _, want := range c.says {
			if !strings.Contains(got.text, want) {
				t.Errorf("%s: %q lacks %q", name, got.text, want)
			}
		}
	}
}

// broken lists one version of a key, and then fails.
type broken struct{ bucket.Bucket }

func (b broken) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		for v, err := range b.Bucket.Versions(ctx, r) {
			if !yield(v, err) || err != nil {
				return
			}
			break
		}
		yield(bucket.Version{}, &bucket.Error{Op: "list versions of", Bucket: "s3://b", Kind: bucket.ErrDenied, Permission: "s3:ListBucketVersions"})
	}
}

// A listing that breaks off proves nothing, and logs that could not be listed are named.
func TestObjectWhoseListingBreaksOff(t *testing.T) {
	f, _ := small(t)
	b := unclosed{broken{f.b}}
	d := newDriver(t, f.startOn(b, "sales/2026"), 100, 30)
	d.run(d.m.do(d.m.stack.top(), push{newObject(place{d.m.env, b, bucket.Location{Scheme: "file", Bucket: "/data/demo.bucket"}}, "sales/2026/eu/orders.csv", "ver0000003")}))
	d.idle()
	d.sees("? Whether the version is there could not be checked", "s3:ListBucketVersions", "The log of sales/2026/eu could not be read")
	d.seesNot("gone", "✗")
}

// A version that is gone and whose bytes are still there as another one.
func TestLostVersionWithTheSameBytes(t *testing.T) {
	e := newEnv(Start{Now: func() time.Time { return later }})
	s := newObject(place{env: e}, "f/a", "x")
	s.by, s.recorded.ETag, s.recorded.Size, s.done = "#3", "e1", 5, true
	s.grow([]bucket.Version{{Key: "f/a", ID: "new", Latest: true, ETag: "e2", Size: 5}, {Key: "f/a", ID: "same", ETag: "e1", Size: 5}})
	s.settle()
	if got := s.verdict().text; !strings.Contains(got, "version x, which #3 names, is in no listing any more") || !strings.Contains(got, "The same bytes (by ETag and size) are still here as version same") {
		t.Error(got)
	}
}

// A version that has other bytes now than the commit recorded, from which it was opened, is
// not told as readable.
func TestVersionWithOtherBytes(t *testing.T) {
	e := newEnv(Start{Now: func() time.Time { return later }})
	for _, c := range []struct {
		rec  commit.File
		want string
	}{
		{commit.File{Version: "null", ETag: "e1", Size: 5}, "✗ Other bytes than #3 recorded are under this version ID: the commit says ETag e1, the version has e2 (who overwrites a file while versioning is suspended leaves it the ID null)."},
		{commit.File{Version: "null", Size: 6}, "✗ Other bytes than #3 recorded are under this version ID: the commit says 6 bytes, the version has 5"},
		{commit.File{Version: "null", ETag: "e2", Size: 5}, "● Readable"},
		{commit.File{Version: "null", Size: -1}, "● Readable"},
	} {
		s := newObject(place{env: e}, "f/a", "null")
		s.by, s.recorded, s.done = "#3", c.rec, true
		s.grow([]bucket.Version{{Key: "f/a", ID: "null", Latest: true, ETag: "e2", Size: 5}})
		s.settle()
		if got := s.verdict().text; !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %s", c.rec, got)
		}
	}
}

// The list of differences says of a version with other bytes that it was overwritten.
func TestDiffOfAnOverwrittenVersion(t *testing.T) {
	var row ui.Row
	drawChange(&commit.Change{Path: "a", Kind: commit.Changed, SameVersion: true,
		From: commit.File{Path: "a", Version: "null", ETag: "e1", Size: 5}, To: commit.File{Path: "a", Version: "null", ETag: "e2", Size: 5}}, &row)
	if got := fmt.Sprintf("%+v", row); !strings.Contains(got, "~ changed") || !strings.Contains(got, "overwritten") {
		t.Error(got)
	}
}

// Of very many versions the lines come as they are listed, and none is lost.
func TestTimelineOfManyVersions(t *testing.T) {
	e := newEnv(Start{Now: func() time.Time { return later }})
	s := newObject(place{env: e}, "f/a", "id-07000")
	s.want = "id-07000"
	for n := 0; n < 10*1000; n += 1000 {
		var page []bucket.Version
		for i := n; i < n+1000; i++ {
			page = append(page, bucket.Version{Key: "f/a", ID: fmt.Sprintf("id-%05d", i), Modified: later.Add(-time.Duration(i) * time.Hour)})
		}
		s.grow(page)
	}
	s.done = true
	s.settle()
	if got := s.list.selected(); got == nil || got.ID != "id-07000" {
		t.Errorf("the cursor is on %v", got)
	}
	if n := len(s.list.items); n != 10_000 {
		t.Errorf("%d lines", n)
	}
}
