package audit

import (
	"strings"
	"testing"
	"time"

	"provcat-tui/commit"
)

func key(id string) string { return commit.CommitKey(id) }

// Each case does something to the commit objects of a history of six sound commits.
func TestCommitObjects(t *testing.T) {
	for name, plant := range map[string]func(w *world, ids []string) []want{
		"commit-missing": func(w *world, ids []string) []want {
			w.erase(key(ids[3]))
			return []want{{id: "commit-missing", severity: Damage, folder: sales, number: 3, commit: ids[3], key: key(ids[3]), repair: "restore-commit-object", commits: 1, shows: slot(3)}}
		},
		"commit-missing under a deleted entry": func(w *world, ids []string) []want {
			w.erase(key(ids[3]))
			w.del(slot(3))
			return []want{{id: "commit-missing", number: 3, commit: ids[3]}, {id: "log-entry-deleted", number: 3, commit: ids[3]}}
		},
		"commit-deleted": func(w *world, ids []string) []want {
			w.del(key(ids[3]))
			return []want{{id: "commit-deleted", severity: Damage, folder: sales, number: 3, commit: ids[3], key: key(ids[3]), repair: "remove-delete-marker", commits: 1, says: "checked and is right"}}
		},
		"commit-deleted with nothing under the marker": func(w *world, ids []string) []want {
			v := w.versions(key(ids[3]))[0]
			w.del(key(ids[3]))
			w.kill(v.Key, v.ID)
			return []want{{id: "commit-deleted", number: 3, repair: "restore-commit-object"}}
		},
		"commit-deleted over bytes with a wrong hash": func(w *world, ids []string) []want {
			v := w.versions(key(ids[3]))[0]
			w.put(key(ids[3]), "junk")
			w.del(key(ids[3]))
			return []want{{id: "commit-deleted", number: 3, repair: "copy-version", says: v.ID}}
		},
		"commit-corrupt": func(w *world, ids []string) []want {
			v := w.versions(key(ids[3]))[0]
			w.put(key(ids[3]), strings.Replace(w.body(key(ids[3]), ""), "orders", "0rders", 1))
			return []want{{id: "commit-corrupt", severity: Damage, folder: sales, number: 3, commit: ids[3], key: key(ids[3]), repair: "copy-version", shows: v.ID}}
		},
		"commit-corrupt: cut short": func(w *world, ids []string) []want {
			whole := w.body(key(ids[3]), "")
			w.erase(key(ids[3]))
			w.put(key(ids[3]), whole[:len(whole)/2])
			return []want{{id: "commit-corrupt", number: 3, repair: "restore-commit-object"}}
		},
		"commit-format-unknown": func(w *world, ids []string) []want {
			id := w.raw(`{"format":"provcat/2","folder":"new","parent":null,"time":"2026-10-01T08:00:00Z"}`)
			w.entry("new", 1, id, w.tick())
			return []want{{id: "commit-format-unknown", severity: Unknown, folder: "new", number: 1, commit: id, key: key(id), repair: "-"}}
		},
		"commit-rewritten": func(w *world, ids []string) []want {
			w.put(key(ids[3]), w.body(key(ids[3]), ""))
			return []want{{id: "commit-rewritten", severity: Info, folder: sales, number: 3, commit: ids[3], key: key(ids[3])}}
		},
		"commit-files-invalid": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			whole := w.body(key(ids[6]), "")
			i := strings.Index(whole, `"files":[`) + len(`"files":[`)
			one := whole[i : i+strings.Index(whole[i:], "}")+1]
			body := whole[:i] + one + "," + whole[i:]
			body = strings.Replace(body, `"number":6,"parent":"`+h.Parent, `"number":7,"parent":"`+ids[6], 1)
			later := w.tick()
			id := w.raw(strings.Replace(body, commit.FormatTime(h.Time), commit.FormatTime(later), 1))
			w.entry(sales, 7, id, later)
			return []want{{id: "commit-files-invalid", severity: Anomaly, folder: sales, number: 7, commit: id, key: key(id), says: files[0].Path + `" stands twice`}}
		},
		"commit-lost-race": func(w *world, ids []string) []want {
			h, files := w.load(ids[4])
			h.Author = "ben"
			id := w.object(h, files...)
			return []want{{id: "commit-lost-race", severity: Info, folder: sales, number: 4, commit: id, key: key(id), repair: "-"}}
		},
		"commit-lost-race for the first number": func(w *world, ids []string) []want {
			h, files := w.load(ids[1])
			h.Author = "ben"
			id := w.object(h, files...)
			return []want{{id: "commit-lost-race", severity: Info, number: 1, commit: id}}
		},
		"commit-unfinished": func(w *world, ids []string) []want {
			id := w.object(commit.Header{Folder: sales, Number: 7, Parent: ids[6], Author: "ben"})
			return []want{{id: "commit-unfinished", severity: Anomaly, folder: sales, number: 7, commit: id, key: key(id), repair: "rebuild-entry"}}
		},
		"commit-unfinished for the first number of a folder": func(w *world, ids []string) []want {
			id := w.object(commit.Header{Folder: "fresh", Number: 1})
			return []want{{id: "commit-unfinished", severity: Anomaly, folder: "fresh", number: 1, commit: id}}
		},
		"commit-stray": func(w *world, ids []string) []want {
			id := w.object(commit.Header{Folder: sales, Number: 4, Parent: strings.Repeat("ab", 32)})
			return []want{{id: "commit-stray", severity: Anomaly, folder: sales, number: 4, commit: id, key: key(id), repair: "-"}}
		},
		"corrupt bytes under a name that no entry has": func(w *world, ids []string) []want {
			id := strings.Repeat("ab", 32)
			w.put(key(id), "junk")
			return []want{{id: "commit-corrupt", severity: Damage, folder: "-", commit: id}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			wants := plant(w, w.history(sales, 6))
			w.pass(time.Hour)
			r := w.audit(Options{})
			expect(t, r, wants...)
			verdict := Pass
			switch {
			case r.Counts[Damage] > 0:
				verdict = Fail
			case wants[0].severity == Unknown:
				verdict = Incomplete
			}
			if r.Verdict != verdict || r.Complete != (wants[0].severity != Unknown) {
				t.Errorf("verdict %s, complete %v; want %s", r.Verdict, r.Complete, verdict)
			}
		})
	}
}

// What looks like damage and is none.
func TestLookAlikes(t *testing.T) {
	for name, plant := range map[string]func(w *world, ids []string) []want{
		"an entry restored by removing its marker": func(w *world, ids []string) []want {
			w.kill(slot(3), w.del(slot(3)).ID)
			return nil
		},
		"a marker over a slot that never was": func(w *world, ids []string) []want {
			w.del(slot(7))
			w.del(commit.EntryKey("nobody", 1))
			return []want{{id: "log-marker-stray", severity: Anomaly, folder: sales, number: 7},
				{id: "log-marker-stray", severity: Anomaly, folder: "-", number: 1}}
		},
		"a writer between its two writes": func(w *world, ids []string) []want {
			w.pass(2 * time.Hour)
			id := w.object(commit.Header{Folder: sales, Number: 7, Parent: ids[6]})
			return []want{{id: "commit-unfinished", severity: Info, commit: id}}
		},
		"fifteen minutes less some seconds": func(w *world, ids []string) []want {
			id := w.object(commit.Header{Folder: sales, Number: 7, Parent: ids[6]})
			w.pass(14*time.Minute + 50*time.Second)
			return []want{{id: "commit-unfinished", severity: Info, commit: id}}
		},
		"a loser of a race for the head": func(w *world, ids []string) []want {
			h, files := w.load(ids[6])
			h.Author = "ben"
			id := w.object(h, files...)
			return []want{{id: "commit-lost-race", severity: Info, commit: id}}
		},
		"a folder emptied on purpose": func(w *world, ids []string) []want {
			for _, k := range []string{"readme", "de/prices.csv", "orders.csv"} {
				w.del(sales + "/" + k)
			}
			w.commit(sales, "closed")
			return nil
		},
		"files deleted and written again": func(w *world, ids []string) []want {
			w.del(sales + "/readme")
			w.put(sales+"/readme", "new")
			w.del(sales + "/orders.csv")
			return nil
		},
		"folders inside each other": func(w *world, ids []string) []want {
			w.history(sales+"/de", 2)
			w.history("sales", 2)
			w.history("", 2)
			w.history("sales/2026x", 1)
			return nil
		},
		"awkward keys": func(w *world, ids []string) []want {
			for _, k := range []string{"a b", "ü", "+%&<\"'\\", "//", "/", "", "\x01\x1b[31m", "日本", strings.Repeat("k", 1000)} {
				w.put("odd ☃ \x07/"+k, "x")
			}
			w.commit("odd ☃ \x07", "odd")
			w.put("/lead/x", "x")
			w.commit("/lead", "lead")
			return nil
		},
		"a legacy log of bare IDs": func(w *world, ids []string) []want {
			for n, id := range ids[1:] {
				w.erase(slot(int64(n + 1)))
				w.put(slot(int64(n+1)), " "+strings.ToUpper(id)+"\n")
			}
			return nil
		},
		"another program's commit": func(w *world, ids []string) []want {
			v := w.put("theirs/data", "1")
			u := w.put("theirs/more", "22")
			id := w.raw(`{ "files" : [ {"version":"` + u.ID + `","path":"more"}, {"etag":"\"` + v.ETag + `\"","path":"data","version":"` + v.ID + `","x":[1]} ],` +
				`"time":"2026-10-01T08:00:00+00:00","tool":{"a":1},"parent":null,"folder":"theirs" }`)
			w.put(commit.EntryKey("theirs", 1), id)
			return []want{{id: "commit-files-invalid", severity: Anomaly, number: 1, commit: id, says: "out of order"}}
		},
		"two commits that recorded one version differently, one not at all": func(w *world, ids []string) []want {
			v := w.put("theirs/data", "1")
			first := w.raw(`{"folder":"theirs","parent":null,"time":"2026-10-01T08:00:00Z","files":[{"path":"data","version":"` + v.ID + `"}]}`)
			w.put(commit.EntryKey("theirs", 1), first)
			w.put(commit.EntryKey("theirs", 2), w.raw(`{"folder":"theirs","parent":"`+first+`","time":"2026-10-01T08:00:01Z","files":[{"path":"data","version":"`+v.ID+`","etag":"`+v.ETag+`","size":1}]}`))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			wants := plant(w, w.history(sales, 6))
			r := w.audit(Options{Depth: DepthReadable})
			expect(t, r, wants...)
			anomaly := len(wants) > 0 && wants[0].severity == Anomaly
			if r.Verdict != Pass || !r.Complete || r.Counts[Damage] != 0 || r.Counts[Anomaly] != 0 && !anomaly {
				t.Errorf("verdict %s, complete %v, counts %v", r.Verdict, r.Complete, r.Counts)
			}
		})
	}
}

// A repaired bucket is a sound one: every repair that the audit names for an entry
// makes its finding go.
func TestRepairsHelp(t *testing.T) {
	w := newWorld(t)
	ids := w.history(sales, 6)
	entry := w.body(slot(4), "")
	w.del(slot(2))
	w.erase(slot(4))
	w.del(key(ids[5]))
	expect(t, w.audit(Options{}), want{id: "log-entry-deleted", number: 2}, want{id: "log-entry-missing", number: 4}, want{id: "commit-deleted", number: 5})
	w.kill(slot(2), w.versions(slot(2))[0].ID)
	w.put(slot(4), entry)
	w.kill(key(ids[5]), w.versions(key(ids[5]))[0].ID)
	expect(t, w.audit(Options{}))
}
