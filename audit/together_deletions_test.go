package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
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
		"another log's stay with it": {func(w *world, _ []string) {
			slots(w, 2, 7, 0)
			w.del(commit.EntryKey("logs", 1))
		}, []want{{id: "log-entry-deleted", folder: sales, commits: 6}, {id: "log-entry-deleted", folder: "logs", number: 1}}},
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

// On S3 twenty are mended by one line, more by a list.
func TestDeletionsRepairedOnS3(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{20, 21} {
		w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
		server := fakes3.New(fakes3.Options{Now: w.tick})
		t.Cleanup(server.Close)
		b := s3test.New(t, server.URL())
		for i := range n {
			server.Put(b.Name, "f/n", fmt.Append(nil, i))
			if _, err := w.write(b, "f", ""); err != nil {
				t.Fatal(err)
			}
		}
		var markers []string
		for i := range n {
			if _, err := b.Delete(bg, commit.EntryKey("f", i+1)); err != nil {
				t.Fatal(err)
			}
			markers = append(markers, server.Entries(b.Name, commit.EntryKey("f", i+1))[0].ID)
		}
		r := auditOf(t, b, Options{})
		expect(t, r, want{id: "log-entry-deleted", folder: "f", commits: int(n), repair: "remove-delete-marker"})
		repair := r.Findings[0].Repair
		if n > maxCommands {
			if repair.Command != "" || !strings.Contains(repair.Text, "aws s3api list-object-versions --bucket "+b.Name+" --prefix "+commit.LogPrefix(commit.FolderHash("f"))+" --query ") {
				t.Errorf("%d: %+v", n, repair)
			}
			continue
		}
		calls, _ := shell(t, repair.Command)
		if len(calls) != int(n) {
			t.Fatalf("%d calls: %q", len(calls), calls)
		}
		for i, c := range calls { // the newest first
			want := []string{"repair", "marker", b.URL(), "--key", commit.EntryKey("f", n-int64(i)), "--version", markers[n-int64(i)-1]}
			if strings.Join(c, "\x00") != strings.Join(want, "\x00") {
				t.Errorf("%q, want %q", c, want)
			}
			server.DeleteVersion(b.Name, c[4], c[6])
		}
		if r := auditOf(t, b, Options{}); r.Verdict != Pass || r.Counts[Damage] > 0 {
			t.Errorf("after the repair: %s, %+v", r.Verdict, r.Findings)
		}
	}
}
