package audit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// What only looks like damage, on an S3 server, where listings, encodings and the
// order of versions are those of the wire. Each case has a folder "f" with three
// commits.
func TestLookAlikesOnS3(t *testing.T) {
	entry := func(n int64) string { return commit.EntryKey("f", n) }
	for name, plant := range map[string]func(w *s3world, ids []string) []want{
		"an entry restored by removing its marker": func(w *s3world, _ []string) []want {
			for n := range int64(3) {
				marker := w.s.Delete(w.b.Name, entry(n+1))
				w.must(w.b.DeleteVersion(bg, entry(n+1), marker))
			}
			return nil
		},
		"an entry restored by a copy over its marker": func(w *s3world, _ []string) []want {
			old := w.s.Entries(w.b.Name, entry(2))[0]
			w.s.Delete(w.b.Name, entry(2))
			_, err := w.b.CopyVersion(bg, entry(2), old.ID, entry(2))
			w.must(err)
			return []want{{id: "log-entry-restored", severity: Info, folder: "f", number: 2}}
		},
		"a commit object put again, with the same bytes": func(w *s3world, ids []string) []want {
			for _, id := range ids {
				w.put(key(id), string(w.s.Entries(w.b.Name, key(id))[0].Body))
			}
			return []want{{id: "commit-rewritten", severity: Info, commit: ids[0]}}
		},
		"a commit object deleted, and its marker removed": func(w *s3world, ids []string) []want {
			w.must(w.b.DeleteVersion(bg, key(ids[1]), w.s.Delete(w.b.Name, key(ids[1]))))
			return nil
		},
		"the loser of a race, left behind by the writer itself": func(w *s3world, _ []string) []want {
			w.put("f/a", "mine")
			r, err := w.write(&racing{Bucket: w.b, then: func() {
				w.put("f/a", "theirs")
				w.commit("f")
			}}, "f", "mine")
			w.must(err)
			if r.Committed || r.Attempts != 2 { // the other's commit has the same files
				w.Fatalf("%+v", r)
			}
			return []want{{id: "commit-lost-race", severity: Info, folder: "f"}}
		},
		"a writer in flight: the object is there, the entry is not yet": func(w *s3world, _ []string) []want {
			w.put("f/a", "more")
			_, err := w.write(&crashing{w.b}, "f", "")
			if !errors.Is(err, errCrash) {
				w.Fatal(err)
			}
			return []want{{id: "commit-unfinished", severity: Info, folder: "f", number: 4}}
		},
		"an upload that began before a commit and was completed after it": func(w *s3world, _ []string) []want {
			late, lone := w.s.StartUpload(w.b.Name, "f/a"), w.s.StartUpload(w.b.Name, "f/late")
			w.pass(time.Minute)
			w.put("f/b", "new")
			w.commit("f")
			w.pass(time.Minute)
			v, err := w.b.FinishUpload(bg, "f/a", late, "later")
			w.must(err)
			if !strings.HasSuffix(v.ETag, "-1") {
				w.Fatalf("%q is no ETag of an upload", v.ETag)
			}
			_, err = w.b.FinishUpload(bg, "f/late", lone, "later")
			w.must(err)
			w.commit("f") // names both, with their ETags
			return nil
		},
		"an upload that was overtaken by a put never was live": func(w *s3world, _ []string) []want {
			late := w.s.StartUpload(w.b.Name, "f/a")
			w.pass(time.Minute)
			w.put("f/a", "overtakes it")
			w.commit("f")
			_, err := w.b.FinishUpload(bg, "f/a", late, "later")
			w.must(err)
			w.put("f/b", "new")
			w.commit("f")
			return nil
		},
		"a folder deleted on purpose between two commits, and filled again": func(w *s3world, _ []string) []want {
			for _, k := range []string{"f/a", "f/b"} {
				w.s.Delete(w.b.Name, k)
			}
			w.commit("f")
			w.put("f/a", "again")
			w.commit("f")
			w.s.Delete(w.b.Name, "f/a")
			w.s.Delete(w.b.Name, "f/a") // a marker over a marker
			w.commit("f")
			return nil
		},
		"keys whose names need encoding": func(w *s3world, _ []string) []want {
			for _, folder := range []string{"f/odd %2F+é", "/lead", "f/../up", "dots/.", "dots/..", "a//b", "x\x01\x1b[2J", "line\nfeed\r", "q?a=1&b#c", "\u202efdp"} {
				for _, k := range []string{"a b", " ", "%", "%25", "+", "new\nline", "\r\n", "é", "e\u0301", "\x01", "\x7f", "/", "//", "a//b", ".", "..", "../x", "./x", "<&>\"'", "?versionId=x", "#", "\\", "日本", "\U0001f4a9", "\ufffe", strings.Repeat("k", 900)} {
					w.put(folder+"/"+k, k)
				}
				w.commit(folder)
			}
			w.commit("")
			return nil
		},
		"a legacy log of bare hex digits": func(w *s3world, ids []string) []want {
			for n, id := range ids {
				w.erase(entry(int64(n + 1)))
				w.put(entry(int64(n+1)), []string{id, id + "\n", "  " + strings.ToUpper(id) + "\r\n"}[n])
			}
			w.put("f/a", "and a commit of ours on top")
			w.commit("f")
			return nil
		},
		"commits of another program with fewer members": func(w *s3world, _ []string) []want {
			b, a := w.put("theirs/b", "22"), w.put("theirs/a", "1")
			parent := "null"
			for n, files := range []string{`{"path":"a","version":"` + a + `"}`, `{"version":"` + a + `","path":"a"},{"version":"` + b + `","path":"b","mode":420}`} {
				body := fmt.Sprintf(`{"files": [%s], "time": %q, "parent": %s, "by": {"tool": [1, null]}, "folder": "theirs"}`+"\n", files, commit.FormatTime(w.tick()), parent)
				o, _ := commit.Decode(strings.NewReader(body), nil) // only the hash is asked for
				w.put(key(o.ID), body)
				w.put(commit.EntryKey("theirs", int64(n+1)), o.ID)
				parent = `"` + o.ID + `"`
			}
			return nil
		},
		"a lifecycle rule on what no commit names": func(w *s3world, _ []string) []want {
			w.s.SetLifecycle(w.b.Name, `<LifecycleConfiguration><Rule><ID>scratch</ID><Status>Enabled</Status><Filter><Prefix>scratch/</Prefix></Filter><Expiration><Days>1</Days></Expiration><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`)
			w.put("scratch/x", "")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newS3World(t)
			var ids []string
			for _, body := range []string{"1", "22", "333"} {
				w.put("f/a", body)
				w.put("f/b", "b")
				ids = append(ids, w.commit("f").ID)
				w.pass(time.Second)
			}
			wants := plant(w, ids)
			for _, page := range []int{1000, 3} { // an order that holds over pages
				w.s.Heal()
				w.s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Times: -1, Do: fakes3.PageSize(page)})
				r := auditOf(t, w.b, Options{Depth: DepthReadable})
				expect(t, r, wants...)
				if r.Verdict != Pass || !r.Complete || r.Counts[Damage]+r.Counts[Risk]+r.Counts[Anomaly]+r.Counts[Unknown] > 0 {
					t.Errorf("pages of %d: verdict %s, complete %v, %v: %s", page, r.Verdict, r.Complete, r.Counts, titles(r))
				}
			}
		})
	}
}
