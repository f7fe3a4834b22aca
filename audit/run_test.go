package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// Three files, one of which has six states, in six commits.
func TestCoverageCountedByHand(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 6)
	r := auditOf(t, w.b, Options{Version: "1.2"})
	full := func(n int64) Coverage { return Coverage{Checked: n, Total: n, Skipped: []Skip{}} }
	for what, x := range map[string][2]Coverage{
		"logs": {r.Coverage.Logs, full(1)}, "entries": {r.Coverage.Entries, full(6)}, "commits": {r.Coverage.Commits, full(6)},
		"versions": {r.Coverage.Versions, full(8)}, "settings": {r.Coverage.Settings, full(3)},
	} {
		if fmt.Sprint(x[0]) != fmt.Sprint(x[1]) {
			t.Errorf("%s: %+v, want %+v", what, x[0], x[1])
		}
	}
	// One listing of .provcat/ and one of the folder; six entries, six commits, and
	// the settings, which are GET requests too: versioning and lifecycle.
	if r.Requests.List != 2 || r.Requests.Get != 14 || r.Requests.Head != 0 {
		t.Errorf("requests: %+v", r.Requests)
	}
	if want := 2*0.000005 + 14*0.0000004; r.Requests.CostUSD < want*0.999 || r.Requests.CostUSD > want*1.001 {
		t.Errorf("cost %v, want %v", r.Requests.CostUSD, want)
	}
	if r.Schema != "provcat-audit/1" || r.Verdict != Pass || !r.Complete || r.Bucket != w.b.URL() || r.Tool.Version != "1.2" || r.Scope.Depth != DepthVersions {
		t.Errorf("%+v", r)
	}
	if r.Findings == nil || len(r.Counts) != len(Severities) {
		t.Errorf("findings %v, counts %v", r.Findings, r.Counts)
	}
}

func TestAnEmptyBucketIsZeroOfZero(t *testing.T) {
	r := newWorld(t).audit(Options{})
	c := r.Coverage
	if r.Verdict != Pass || c.Logs.Total+c.Entries.Total+c.Commits.Total+c.Versions.Total != 0 || c.Settings.Checked != 3 {
		t.Errorf("%s, %+v", r.Verdict, c)
	}
}

// Orphans, deleted entries and rewritten objects are counted once each.
func TestCoverageOfADamagedBucket(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 4)
	w.del(slot(2))
	w.erase(key(ids[3]))
	w.object(commit.Header{Folder: sales, Number: 4, Parent: ids[3], Author: "ben"})
	w.put(".provcat/commits/notes", "x")
	c := w.audit(Options{}).Coverage
	// Entry 2 is read under its marker; commit 3 was looked for and is missing; the
	// orphan is read. Commits 1, 2 and 4 are sound: three states of the orders, the
	// two other files.
	if c.Entries.Checked != 4 || c.Commits.Checked != 5 || c.Commits.Total != 5 || c.Versions.Checked != 5 || c.Versions.Total != 5 {
		t.Errorf("%+v", c)
	}
}

// The files of a commit whose entry is deleted are checked too: nobody should learn
// that they are gone once the entry is back. It is not what to read instead.
func TestFilesBehindADeletedEntry(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 3)
	old := w.versions(sales + "/orders.csv")[1].ID // what commit 2 names
	w.del(slot(2))
	w.del(slot(3))
	w.kill(sales+"/orders.csv", old)
	expect(t, w.audit(Options{}), want{id: "log-entry-deleted", number: 2}, want{id: "log-entry-deleted", number: 3},
		want{id: "version-missing", folder: sales, key: sales + "/orders.csv", versions: 1, commits: 1, says: "known to be whole is 1 "})
}

func TestOrderOfFindings(t *testing.T) {
	w := newWorld(t)
	ids := w.history("b", 4)
	w.history("a", 3)
	w.del(commit.EntryKey("b", 2))
	w.del(commit.EntryKey("b", 3))
	w.del(commit.EntryKey("a", 1))
	w.put(".provcat/x", "")
	w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
	w.put(key(ids[1]), w.body(key(ids[1]), ""))
	b := &tampered{Bucket: w.b, settings: func(s *bucket.Settings) { s.LifecycleErr = denied("read", "s3:GetLifecycleConfiguration") }}
	var got []string
	for _, f := range auditOf(t, b, Options{}).Findings {
		folder := "-"
		if f.Folder != nil {
			folder = *f.Folder
		}
		got = append(got, fmt.Sprint(f.ID, " ", folder, " ", f.Number))
	}
	want := []string{"log-entry-deleted a 1", "log-entry-deleted b 3", "log-entry-deleted b 2", "versioning-suspended - 0",
		"log-key-foreign - 0", "access-denied - 0", "commit-rewritten b 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A fingerprint stays as time passes and other things break.
func TestFingerprintsStay(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	w.erase(sales + "/readme")
	w.del(slot(3))
	w.erase(key(ids[2]))
	prints := func(r *Report) map[string]string {
		out := map[string]string{}
		for _, f := range r.Findings {
			if out[f.Fingerprint] != "" {
				t.Errorf("%s and %s have one fingerprint", f.ID, out[f.Fingerprint])
			}
			out[f.Fingerprint] = f.ID
		}
		return out
	}
	before := prints(w.audit(Options{}))
	if len(before) != 3 {
		t.Fatalf("%v", before)
	}
	w.pass(100 * 24 * time.Hour)
	w.put(sales+"/orders.csv", "later")
	w.commit(sales, "goes on")
	w.erase(sales + "/de/prices.csv")
	w.del(slot(5))
	after := prints(w.audit(Options{Concurrency: 3}))
	for p, id := range before {
		if after[p] != id {
			t.Errorf("the fingerprint of %s is gone", id)
		}
	}
}

func TestDepths(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	w.del(slot(5))
	w.erase(key(ids[3]))
	w.erase(sales + "/readme")
	w.put("theirs/x", "x")
	w.put(commit.EntryKey("theirs", 1), w.object(commit.Header{Folder: "theirs", Number: 1}))
	entry := want{id: "log-entry-deleted", number: 5}
	object := want{id: "commit-missing", number: 3}
	version := want{id: "version-missing", key: sales + "/readme"}
	for depth, wants := range map[Depth][]want{
		DepthLog: {entry}, DepthCommits: {entry, object}, DepthVersions: {entry, object, version}, DepthReadable: {entry, object, version},
	} {
		r := w.audit(Options{Depth: depth})
		expect(t, r, wants...)
		if depth == DepthLog && r.Coverage.Commits.Total != 0 || depth == DepthCommits && (r.Coverage.Commits.Total != 7 || r.Coverage.Versions.Total != 0) {
			t.Errorf("%s: %+v", depth, r.Coverage)
		}
	}
}

// A counting bucket notes which keys are opened.
type counting struct {
	bucket.Bucket
	mu     sync.Mutex
	opened map[string]int
}

func (b *counting) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	b.mu.Lock()
	b.opened[key]++
	b.mu.Unlock()
	return b.Bucket.Open(ctx, key, version, first)
}

func TestScope(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 3)
	w.history(sales+"/de", 2)
	w.history("sales/2026x", 2)
	other := w.history("other", 2)
	w.history("", 2)
	w.del(commit.EntryKey("other", 1))
	w.del(commit.EntryKey("sales/2026x", 1))
	w.erase("other/readme")
	w.del(slot(2))
	w.erase(sales + "/de/readme")
	w.put(".provcat/x", "")
	w.object(commit.Header{Folder: "other", Number: 9, Parent: strings.Repeat("ab", 32)})
	stray := w.object(commit.Header{Folder: sales + "/de", Number: 2, Parent: strings.Repeat("ab", 32)})
	b := &counting{Bucket: w.b, opened: map[string]int{}}
	r := auditOf(t, b, Options{Folder: sales})
	expect(t, r,
		want{id: "log-entry-deleted", folder: sales, number: 2},
		want{id: "version-missing", folder: sales + "/de", key: sales + "/de/readme"},
		want{id: "commit-stray", folder: sales + "/de", commit: stray})
	if b.opened[key(other[1])]+b.opened[key(other[2])] > 0 {
		t.Error("commits of another folder were read")
	}
	// Two logs, 3 + 2 entries, their commits and the stray.
	if c := r.Coverage; c.Logs.Total != 2 || c.Entries.Total != 5 || c.Commits.Total != 6 {
		t.Errorf("%+v", c)
	}
	// The whole bucket has a log, and its commits name the files of every folder.
	if r := w.audit(Options{Folder: "nobody"}); r.Verdict != Incomplete || r.Coverage.Logs.Total != 0 {
		t.Errorf("%s, %+v", r.Verdict, r.Coverage)
	}
}

func TestACancelledAuditHasNoReport(t *testing.T) {
	w := newWorld(t)
	w.history(sales, 3)
	w.del(slot(2))
	w.erase(sales + "/readme")
	seen := map[string]bool{}
	for _, stage := range []string{"logs", "entries", "commits", "confirming", "reading"} {
		ctx, cancel := context.WithCancel(bg)
		r, err := Run(ctx, w.b, Options{Depth: DepthReadable, Progress: func(p Progress) {
			if p.Stage == stage {
				seen[stage] = true
				cancel()
			}
		}})
		cancel()
		if r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at %s: %v, %v", stage, r, err)
		}
		if !seen[stage] {
			t.Errorf("there was no stage %s", stage)
		}
	}
}

// The audit works on a bucket that cannot be written to.
func TestTheAuditOnlyReads(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 4)
	w.del(slot(2))
	w.erase(key(ids[3]))
	before := w.b.Requests()
	w.audit(Options{Depth: DepthReadable})
	if after := w.b.Requests(); after.Put != before.Put || after.Delete != before.Delete {
		t.Errorf("%+v, then %+v", before, after)
	}
}
