package audit

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

const sales = "sales/2026"

func slot(n int64) string { return commit.EntryKey(sales, n) }

// Each case plants one damage in a history of six sound commits; ids are theirs.
func TestLogEntries(t *testing.T) {
	for name, plant := range map[string]func(w *world, ids []string) []want{
		"log-entry-deleted in the middle": func(w *world, ids []string) []want {
			m := w.del(slot(3))
			return []want{{id: "log-entry-deleted", severity: Damage, folder: sales, number: 3, commit: ids[3], key: slot(3),
				repair: "remove-delete-marker", commits: 1, shows: m.ID + "  true"}}
		},
		"log-entry-deleted at the head": func(w *world, ids []string) []want {
			w.del(slot(6))
			return []want{{id: "log-entry-deleted", severity: Damage, number: 6, commit: ids[6], says: "newest entry", repair: "remove-delete-marker"}}
		},
		"deleted twice": func(w *world, ids []string) []want {
			w.del(slot(3))
			w.del(slot(3))
			return []want{{id: "log-entry-deleted", number: 3, says: "2 delete markers"}}
		},
		"deleted, and what was under the marker removed": func(w *world, ids []string) []want {
			v := w.versions(slot(6))[0]
			w.del(slot(6))
			w.kill(slot(6), v.ID)
			return []want{{id: "log-entry-deleted", number: 6, commit: ids[6], repair: "rebuild-entry"}}
		},
		"deleted over bytes that are no entry": func(w *world, ids []string) []want {
			w.put(slot(4), "garbage")
			w.del(slot(4))
			return []want{{id: "log-entry-deleted", number: 4, commit: ids[4], repair: "copy-version"}}
		},
		"log-entry-remade": func(w *world, ids []string) []want {
			w.del(slot(6))
			h, files := w.load(ids[6])
			h.Author, h.Time = "another tool", w.tick()
			other := w.object(h, files...)
			w.entry(sales, 6, other, h.Time)
			return []want{{id: "log-entry-remade", severity: Damage, folder: sales, number: 6, commit: other, key: slot(6), repair: "-", commits: 2, shows: ids[6], says: "refuses to commit to this folder from now on"}}
		},
		"log-entry-overwritten": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			h.Author, h.Time = "another tool", w.tick()
			other := w.object(h, files...)
			w.entry(sales, 6, other, h.Time)
			return []want{{id: "log-entry-overwritten", severity: Damage, number: 6, commit: other, key: slot(6), repair: "-", commits: 2, sure: Certain}}
		},
		"log-entry-overwritten, or made anew, where a rule takes markers away": func(w *world, ids []string) []want {
			w.must(w.b.SetLifecycle(bg, []bucket.Rule{{ID: "tidy", Enabled: true, ExpireDeleteMarkers: true}}))
			h, files := w.load(ids[6])
			h.Author, h.Time = "another tool", w.tick()
			w.entry(sales, 6, w.object(h, files...), h.Time)
			return []want{{id: "log-entry-overwritten", number: 6, sure: Possible}, {id: "evidence-erased"}}
		},
		"several entries in a row are missing": func(w *world, ids []string) []want {
			w.erase(slot(3))
			w.erase(slot(4))
			return []want{{id: "log-entry-missing", number: 4, commit: ids[4], commits: 2, says: "No version of them is left, though later entries exist: they were removed for good. Readers no longer find these commits"}}
		},
		"a number that was skipped: no wrong commit is offered for it": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			h.Parent, h.Number, h.Time = ids[6], 8, w.tick()
			h.Message = "skips 7"
			w.entry(sales, 8, w.object(h, files...), h.Time)
			return []want{{id: "log-entry-missing", number: 7, repair: "-"}}
		},
		"damage on damage: a deleted entry next to a missing one hides both commits": func(w *world, ids []string) []want {
			w.erase(slot(3))
			w.put(slot(4), "garbage")
			w.del(slot(4))
			w.kill(slot(4), w.versions(slot(4))[2].ID)
			return []want{{id: "log-entry-deleted", number: 4, repair: "-"}, {id: "log-entry-missing", number: 3}}
		},
		"a missing commit hides whose child it is": func(w *world, ids []string) []want {
			w.erase(key(ids[4]))
			w.erase(slot(3))
			return []want{{id: "commit-missing", number: 4}, {id: "log-entry-missing", number: 3, commit: ""}}
		},
		"log-entry-restored": func(w *world, ids []string) []want {
			w.del(slot(2))
			w.entry(sales, 2, ids[2], time.Time{})
			return []want{{id: "log-entry-restored", severity: Info, number: 2, commit: ids[2]}}
		},
		"log-entry-missing": func(w *world, ids []string) []want {
			w.erase(slot(4))
			return []want{{id: "log-entry-missing", severity: Damage, folder: sales, number: 4, commit: ids[4], key: slot(4), repair: "rebuild-entry", commits: 1, shows: slot(5)}}
		},
		"log-entry-missing, three in a row": func(w *world, ids []string) []want {
			for n := range int64(3) {
				w.erase(slot(2 + n))
			}
			return []want{{id: "log-entry-missing", number: 4, commit: ids[4], commits: 3, says: "entries 2 to 4"}}
		},
		"log-entry-missing: made anew, and its first form removed for good": func(w *world, ids []string) []want {
			h, files := w.load(ids[4])
			h.Author = "another tool"
			other := w.object(h, files...)
			w.erase(slot(4))
			w.entry(sales, 4, other, h.Time)
			return []want{{id: "log-entry-missing", number: 4, commit: ids[4], shows: other}}
		},
		"one cause where an entry was overwritten and its first form removed": func(w *world, ids []string) []want {
			h, files := w.load(ids[4])
			w.erase(slot(4))
			for _, who := range []string{"x", "y"} {
				h.Author = who
				w.entry(sales, 4, w.object(h, files...), h.Time)
			}
			return []want{{id: "log-entry-overwritten", number: 4}}
		},
		"log-tail-missing": func(w *world, ids []string) []want {
			w.erase(slot(1))
			w.erase(slot(2))
			return []want{{id: "log-tail-missing", severity: Damage, number: 2, commit: ids[2], commits: 2, repair: "rebuild-entry", says: "No lifecycle rule"}}
		},
		"log-tail-missing by a rule": func(w *world, ids []string) []want {
			w.must(w.b.SetLifecycle(bg, []bucket.Rule{{ID: "tidy", Enabled: true, Prefix: ".provcat/", ExpireDays: 1, NoncurrentDays: 1}}))
			w.erase(slot(1))
			w.pass(5 * day)
			return []want{{id: "log-tail-missing", number: 1, says: `"tidy" explains it`}, {id: "lifecycle-covers-log"}, {id: "evidence-erased"}}
		},
		"log-head-lost": func(w *world, ids []string) []want {
			w.erase(slot(6))
			w.erase(slot(5))
			return []want{{id: "log-head-lost", severity: Damage, folder: sales, number: 6, commit: ids[6], key: slot(5), repair: "rebuild-entry", commits: 2, shows: slot(4)}}
		},
		"log-head-lost: every entry": func(w *world, ids []string) []want {
			for n := range int64(6) {
				w.erase(slot(n + 1))
			}
			return []want{{id: "log-head-lost", folder: sales, number: 6, commit: ids[6], commits: 6}}
		},
		"log-entry-unreadable": func(w *world, ids []string) []want {
			v := w.versions(slot(3))[0]
			w.put(slot(3), "<html>sign in</html>")
			return []want{{id: "log-entry-unreadable", severity: Damage, folder: sales, number: 3, key: slot(3), repair: "copy-version", shows: v.ID}}
		},
		"log-entry-unreadable with no earlier version": func(w *world, ids []string) []want {
			w.erase(slot(6))
			w.put(slot(6), `{"commit":"me"}`)
			return []want{{id: "log-entry-unreadable", number: 6, repair: "-"}}
		},
		"log-entry-misfiled": func(w *world, ids []string) []want {
			other := w.history("other", 1)[1]
			w.entry(sales, 7, other, time.Time{})
			return []want{{id: "log-entry-misfiled", severity: Damage, folder: sales, number: 7, commit: other, key: slot(7)}}
		},
		"log-parent-mismatch": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			h.Parent, h.Number, h.Time = ids[4], 7, w.tick()
			id := w.object(h, files...)
			w.entry(sales, 7, id, h.Time)
			return []want{{id: "log-parent-mismatch", severity: Damage, folder: sales, number: 7, commit: id, key: slot(7), shows: slot(6)}}
		},
		"log-parent-mismatch: no parent in the middle": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			h.Parent, h.Number, h.Time = "", 7, w.tick()
			id := w.object(h, files...)
			w.entry(sales, 7, id, h.Time)
			return []want{{id: "log-parent-mismatch", number: 7, says: "Its parent is none"}}
		},
		"log-parent-mismatch at the first entry": func(w *world, ids []string) []want {
			h, files := w.load(ids[2])
			h.Folder, h.Number = "cut", 1
			id := w.object(h, files[:0]...)
			w.entry("cut", 1, id, h.Time)
			return []want{{id: "log-parent-mismatch", folder: "cut", number: 1, commit: id, says: "first entry"}}
		},
		"log-commit-repeated": func(w *world, ids []string) []want {
			w.put(slot(7), ids[6])
			return []want{{id: "log-commit-repeated", severity: Anomaly, folder: sales, number: 7, commit: ids[6], key: slot(7), shows: slot(6)}}
		},
		"log-commit-repeated far from its place": func(w *world, ids []string) []want {
			w.put(slot(7), ids[3])
			return []want{{id: "log-commit-repeated", number: 7, commit: ids[3], shows: slot(3)}, {id: "log-parent-mismatch", number: 7}}
		},
		"log-number-mismatch in the entry": func(w *world, ids []string) []want {
			h, _ := w.load(ids[3])
			w.erase(slot(3))
			w.put(slot(3), string(commit.EncodeEntry(commit.Entry{Commit: ids[3], Folder: sales, HasFolder: true, Number: 9, Time: h.Time.Add(time.Hour)})))
			return []want{{id: "log-number-mismatch", severity: Anomaly, folder: sales, number: 3, commit: ids[3], key: slot(3), says: "the entry says number 9"}}
		},
		"log-number-mismatch in the commit": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			h.Parent, h.Number, h.Time = ids[6], 70, w.tick()
			id := w.object(h, files...)
			w.entry(sales, 7, id, h.Time)
			return []want{{id: "log-number-mismatch", number: 7, says: "the commit says number 70"}}
		},
		"log-key-foreign": func(w *world, ids []string) []want {
			w.put(".provcat/notes.txt", "x")
			w.put(".provcat/commits/notes.json", "x")
			w.put(commit.LogPrefix(commit.FolderHash(sales))+"12", "x")
			w.put(commit.LogPrefix(commit.FolderHash(sales))+"deleted", "x")
			w.del(commit.LogPrefix(commit.FolderHash(sales)) + "deleted")
			return []want{
				{id: "log-key-foreign", severity: Anomaly, folder: "-", versions: 2, shows: ".provcat/notes.txt"},
				{id: "log-key-foreign", severity: Anomaly, folder: sales, versions: 1, key: commit.LogPrefix(commit.FolderHash(sales)) + "12"},
			}
		},
		"commit-twins": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			h.Parent, h.Number, h.Time = ids[6], 7, h.Time.Add(5*time.Second)
			id := w.object(h, files...)
			w.entry(sales, 7, id, h.Time)
			return []want{{id: "commit-twins", severity: Info, folder: sales, number: 7, commit: id, commits: 2}}
		},
		"log-folder-unknown": func(w *world, ids []string) []want {
			hash := strings.Repeat("ab", 32)
			w.put(commit.SlotKey(hash, 1), strings.Repeat("cd", 32))
			return []want{
				{id: "log-folder-unknown", severity: Anomaly, folder: "-", key: commit.LogPrefix(hash), shows: commit.SlotKey(hash, 1)},
				{id: "commit-missing", severity: Damage, folder: "-", commit: strings.Repeat("cd", 32)},
			}
		},
		"a log that only an existing folder names": func(w *world, ids []string) []want {
			w.put("plain/deep/file", "x")
			w.put(commit.EntryKey("plain/deep", 1), strings.Repeat("cd", 32))
			return []want{{id: "commit-missing", folder: "plain/deep", number: 1}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ids := w.history(sales, 6)
			wants := plant(w, ids)
			w.pass(time.Hour)
			r := w.audit(Options{})
			expect(t, r, wants...)
			// The same again: nothing in a finding depends on the run.
			again := w.audit(Options{Concurrency: 1})
			if len(again.Findings) != len(r.Findings) {
				t.Fatalf("%d findings, then %d", len(r.Findings), len(again.Findings))
			}
			for i, f := range r.Findings {
				if f.Fingerprint != again.Findings[i].Fingerprint {
					t.Errorf("%s has another fingerprint in the next run, or another place", f.ID)
				}
			}
			fail := false
			for _, x := range wants {
				fail = fail || x.severity == Damage || strings.HasPrefix(x.id, "log-entry-d")
			}
			if fail && r.Verdict != Fail {
				t.Errorf("the verdict is %s", r.Verdict)
			}
		})
	}
}
