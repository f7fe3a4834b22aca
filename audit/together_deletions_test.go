package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

func TestDeletionsInOneGo(t *testing.T) {
	t.Parallel()
	slots := func(w *world, from, to int64, pause time.Duration) {
		for n := from; n <= to; n++ {
			w.pass(pause)
			w.del(slot(n))
		}
	}
	single := func(from, to int64) (out []want) {
		for n := from; n <= to; n++ {
			out = append(out, want{id: "log-entry-deleted", number: n, key: slot(n), repair: "remove-delete-marker", commits: 1})
		}
		return out
	}
	for name, x := range map[string]struct {
		plant func(w *world, ids []string)
		want  []want
	}{
		"six entries": {func(w *world, _ []string) { slots(w, 2, 7, 0) }, []want{{id: "log-entry-deleted", severity: Damage, sure: Certain, folder: sales, commits: 6,
			repair: "remove-delete-marker", says: "6 entries of sales/2026 were deleted in one go", shows: "true"}}},
		"with the head, which is said": {func(w *world, _ []string) { slots(w, 3, 12, 0) }, []want{{id: "log-entry-deleted", commits: 10, says: "newest entry"}}},
		"all entries and all objects, one finding of each": {func(w *world, ids []string) {
			for _, id := range ids[1:] {
				w.del(key(id))
			}
			slots(w, 1, 12, 0)
		}, []want{{id: "log-entry-deleted", commits: 12, says: "of commits 1 to 12 were made between"},
			{id: "commit-deleted", commits: 12, repair: "remove-delete-marker", says: "12 commit objects of sales/2026 were deleted in one go"}}},
		"a row that takes longer than a minute":  {func(w *world, _ []string) { slots(w, 1, 12, 50*time.Second) }, []want{{id: "log-entry-deleted", commits: 12}}},
		"two rows, a day apart":                  {func(w *world, _ []string) { slots(w, 1, 6, 0); w.pass(24 * time.Hour); slots(w, 7, 12, 0) }, []want{{id: "log-entry-deleted", commits: 6, says: "commits 1 to 6"}, {id: "log-entry-deleted", commits: 6, says: "commits 7 to 12"}}},
		"five stay single":                       {func(w *world, _ []string) { slots(w, 2, 6, 0) }, single(2, 6)},
		"six with more than a minute in between": {func(w *world, _ []string) { slots(w, 2, 7, 2*time.Minute) }, single(2, 7)},
		"a row, and one by itself": {func(w *world, _ []string) { slots(w, 1, 6, 0); w.pass(time.Hour); slots(w, 9, 9, 0) },
			append(single(9, 9), want{id: "log-entry-deleted", commits: 6})},
		"another log's, in the same minute": {func(w *world, _ []string) {
			slots(w, 2, 7, 0)
			w.del(commit.EntryKey("logs", 1))
		}, []want{{id: "log-entry-deleted", folder: "-", commits: 7, repair: "remove-delete-marker", says: "7 entries of 2 folders were deleted in one go"}}},
		"another log's, an hour later": {func(w *world, _ []string) {
			slots(w, 2, 7, 0)
			w.pass(time.Hour)
			w.del(commit.EntryKey("logs", 1))
		}, []want{{id: "log-entry-deleted", folder: sales, commits: 6}, {id: "log-entry-deleted", folder: "logs", number: 1}}},
		"few of each of two logs": {func(w *world, _ []string) {
			slots(w, 9, 12, 0)
			w.del(commit.EntryKey("logs", 2))
			w.del(commit.EntryKey("logs", 1))
		}, []want{{id: "log-entry-deleted", folder: "-", commits: 6, says: "of logs and sales/2026 were made between"}}},
		"few of each of two logs, five in all": {func(w *world, _ []string) {
			slots(w, 10, 12, 0)
			w.del(commit.EntryKey("logs", 2))
			w.del(commit.EntryKey("logs", 1))
		}, append(single(10, 12), want{id: "log-entry-deleted", folder: "logs", number: 2}, want{id: "log-entry-deleted", folder: "logs", number: 1})},
		"one of them had been deleted an hour before too": {func(w *world, _ []string) {
			w.del(slot(5))
			w.pass(time.Hour)
			slots(w, 1, 7, 0)
		}, []want{{id: "log-entry-deleted", commits: 6}, {id: "log-entry-deleted", number: 5, says: "the 2 delete markers"}}},
		"one of them was restored": {func(w *world, _ []string) {
			slots(w, 2, 8, 0)
			w.kill(slot(4), w.versions(slot(4))[0].ID)
		}, []want{{id: "log-entry-deleted", commits: 6}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ids := w.history(sales, 12)
			w.history("logs", 2)
			x.plant(w, ids)
			r := w.audit(Options{})
			expect(t, r, x.want...)
			seen := map[string]bool{}
			for _, f := range r.Findings {
				if seen[f.Fingerprint] {
					t.Errorf("two findings have the fingerprint of %s", f.Title)
				}
				seen[f.Fingerprint] = true
			}
		})
	}
}

// What the second look finds restored leaves the row; the rest is still told, be it
// a row or no longer one.
func TestDeletionsRestoredMeanwhile(t *testing.T) {
	t.Parallel()
	for restored, wants := range map[int][]want{
		1: {{id: "log-entry-deleted", commits: 6}},
		4: {{id: "log-entry-deleted", number: 5}, {id: "log-entry-deleted", number: 6}, {id: "log-entry-deleted", number: 7}},
	} {
		w := newWorld(t)
		w.history(sales, 12)
		for n := int64(1); n <= 7; n++ {
			w.del(slot(n))
		}
		listed := 0
		b := &tampered{Bucket: w.b}
		b.open = func(string, string, int64) error {
			if listed == 0 { // the first listing is over
				listed++
				for n := 1; n <= restored; n++ {
					w.kill(slot(int64(n)), w.versions(slot(int64(n)))[0].ID)
				}
			}
			return nil
		}
		expect(t, auditOf(t, b, Options{Depth: DepthLog, Concurrency: 1}), wants...)
	}
}

// A row is one command, however long it is and whatever the folders' names.
func TestDeletionsHaveOneCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folders, commits int
		objects          bool
	}{{1, 30, false}, {1, 6, true}, {3, 2, false}, {20, 1, true}, {21, 1, false}, {21, 1, true}} {
		w := newWorld(t)
		var keys, names []string
		for i := range c.folders {
			name := fmt.Sprintf("-it's %02d", i)
			names = append(names, name)
			for n, id := range w.history(name, c.commits)[1:] {
				if c.objects {
					keys = append(keys, key(id))
				} else {
					keys = append(keys, commit.EntryKey(name, int64(n+1)))
				}
			}
		}
		w.pass(time.Hour)
		from := w.now.Add(time.Second)
		for _, k := range keys {
			w.del(k)
		}
		args := []string{"repair", "deletions"}
		if c.folders > 20 {
			args, names = append(args, "--all"), nil
		}
		if c.objects {
			args = append(args, "--objects")
		}
		args = append(args, w.b.URL())
		for _, f := range names {
			args = append(args, "--folder="+f)
		}
		args = append(args, "--from", from.Format(time.RFC3339), "--to", w.now.Format(time.RFC3339))
		id := map[bool]string{false: "log-entry-deleted", true: "commit-deleted"}[c.objects]
		r := w.audit(Options{})
		expect(t, r, want{id: id, repair: "remove-delete-marker", commits: c.folders * c.commits})
		calls, _ := shell(t, r.Findings[0].Repair.Command)
		if len(calls) != 1 || strings.Join(calls[0], "\x00") != strings.Join(args, "\x00") {
			t.Errorf("%q, want %q", calls, args)
		}
	}
}

// A finding of a row keeps its fingerprint while the row is mended.
func TestDeletionsKeepTheirFingerprint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.history("a", 5)
	w.history("b", 8)
	for n := range int64(8) {
		if n < 5 {
			w.del(commit.EntryKey("a", n+1))
		}
		w.del(commit.EntryKey("b", n+1))
	}
	prints := map[string]bool{}
	for mended := range 8 { // the sixth still is a row, of one folder
		r := w.audit(Options{})
		expect(t, r, want{id: "log-entry-deleted", commits: 13 - mended})
		prints[r.Findings[0].Fingerprint] = true
		k := commit.EntryKey("a", int64(5-mended))
		if mended >= 5 {
			k = commit.EntryKey("b", int64(8-(mended-5)))
		}
		w.kill(k, w.versions(k)[0].ID)
	}
	if len(prints) != 1 {
		t.Errorf("%d fingerprints", len(prints))
	}
}

// A rule that was due is named as the cause, to be changed first; one that was not
// due, or is not for these keys, is not.
func TestDeletionsByARule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule  bucket.Rule
		after time.Duration
		count int64 // of entries that are deleted
		named bool
	}{
		"due":             {bucket.Rule{ID: "tidy", Enabled: true, ExpireDays: 30}, 40 * 24 * time.Hour, 7, true},
		"due, one alone":  {bucket.Rule{ID: "tidy", Enabled: true, Prefix: ".prov", ExpireDays: 30}, 40 * 24 * time.Hour, 1, true},
		"by date":         {bucket.Rule{ID: "tidy", Enabled: true, ExpireDate: time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC)}, 40 * 24 * time.Hour, 7, true},
		"not due":         {bucket.Rule{ID: "tidy", Enabled: true, ExpireDays: 60}, 40 * 24 * time.Hour, 7, false},
		"disabled":        {bucket.Rule{ID: "tidy", ExpireDays: 30}, 40 * 24 * time.Hour, 7, false},
		"of other keys":   {bucket.Rule{ID: "tidy", Enabled: true, Prefix: "tmp/", ExpireDays: 30}, 40 * 24 * time.Hour, 7, false},
		"with a tag":      {bucket.Rule{ID: "tidy", Enabled: true, Tags: map[string]string{"a": "b"}, ExpireDays: 30}, 40 * 24 * time.Hour, 7, false},
		"for older ones":  {bucket.Rule{ID: "tidy", Enabled: true, NoncurrentDays: 3000}, 40 * 24 * time.Hour, 7, false},
		"for large files": {bucket.Rule{ID: "tidy", Enabled: true, LargerThan: 1 << 20, ExpireDays: 30}, 40 * 24 * time.Hour, 7, false},
	} {
		w := newWorld(t)
		w.history(sales, 9)
		w.must(w.b.SetLifecycle(bg, []bucket.Rule{c.rule}))
		w.pass(c.after)
		for n := range c.count {
			w.del(slot(n + 1))
		}
		found := 0
		for _, f := range w.audit(Options{}).Findings {
			if f.ID != "log-entry-deleted" {
				continue
			}
			found++
			named := strings.Contains(f.Detail, `The lifecycle rule "tidy" explains it`) && strings.HasPrefix(f.Repair.Text, `First keep the lifecycle rule "tidy" off .provcat/`)
			if named != c.named || strings.Contains(f.Detail+f.Repair.Text, "tidy") != c.named {
				t.Errorf("%s: %s\n%s", name, f.Detail, f.Repair.Text)
			}
		}
		if found != 1 {
			t.Errorf("%s: %d findings", name, found)
		}
	}
}
