package audit

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// byHand commits what change makes of the files of the commit before.
func (w *world) byHand(folder string, n int64, parent string, change func(files []commit.File) []commit.File) string {
	w.Helper()
	h, files := w.load(parent)
	h.Number, h.Parent, h.Time, h.Message = n, parent, w.tick(), fmt.Sprint("by hand ", n)
	id := w.object(h, change(files)...)
	w.entry(folder, n, id, h.Time)
	return id
}

func without(path string) func([]commit.File) []commit.File {
	return func(files []commit.File) []commit.File {
		return slices.DeleteFunc(files, func(f commit.File) bool { return f.Path == path })
	}
}

func same(files []commit.File) []commit.File { return files }

// fileOf is a version as a commit names it.
func fileOf(folder string, v bucket.Version) commit.File {
	return commit.File{Path: v.Key[len(commit.KeyPrefix(folder)):], Version: v.ID, ETag: v.ETag, Size: v.Size}
}

// Each case has a folder "f" with one sound commit of a, b and c, a minute old.
func TestCommitNotSnapshot(t *testing.T) {
	id := "commit-not-snapshot"
	for name, plant := range map[string]func(w *world, first string) []want{
		"two versions that were never live together": func(w *world, first string) []want {
			newer := w.put("f/a", "newer") // ends what commit 1 names of a
			w.pass(time.Minute)
			d := w.put("f/d", "only now")
			two := w.byHand("f", 2, first, func(files []commit.File) []commit.File { return append(files, fileOf("f", d)) })
			return []want{{id: id, severity: Anomaly, sure: Likely, folder: "f", number: 2, commit: two, key: key(two), repair: "recommit", commits: 1, shows: "f/d " + d.ID,
				says: fmt.Sprintf("of f/a was replaced or deleted at %s, and %q of f/d was only written at %s", newer.Modified.Format(time.RFC3339), d.ID, d.Modified.Format(time.RFC3339))}}
		},
		"one that was deleted, and one that came later": func(w *world, first string) []want {
			w.del("f/a")
			w.pass(time.Minute)
			d := w.put("f/d", "only now")
			two := w.byHand("f", 2, first, func(files []commit.File) []commit.File { return append(files, fileOf("f", d)) })
			return []want{{id: id, sure: Likely, number: 2, commit: two}}
		},
		"a version that is left out": func(w *world, first string) []want {
			two := w.byHand("f", 2, first, without("b"))
			return []want{{id: id, severity: Anomaly, sure: Possible, folder: "f", number: 2, commit: two, key: key(two), repair: "recommit", versions: 1, commits: 1,
				says: "of f/b", shows: "f/b " + w.versions("f/b")[0].ID + " left out"}}
		},
		"left out of the whole bucket": func(w *world, first string) []want {
			one := w.commit("", "all").ID
			w.pass(time.Minute)
			w.byHand("", 2, one, without("f/b"))
			return []want{{id: id, folder: "", number: 2, versions: 1}}
		},
		"left out of one commit of five": func(w *world, first string) []want {
			last := first
			for n := range int64(4) {
				w.pass(time.Minute)
				f := same
				if n == 1 {
					f = without("c")
				}
				if n == 2 { // the file is back
					h, files := w.load(first)
					h.Number, h.Parent, h.Time, h.Message = 4, last, w.tick(), "whole again"
					last = w.object(h, files...)
					w.entry("f", 4, last, h.Time)
					continue
				}
				last = w.byHand("f", n+2, last, f)
			}
			return []want{{id: id, number: 3, versions: 1}}
		},
		"an older version of a key than the one that was live": func(w *world, first string) []want {
			old := fileOf("f", w.versions("f/a")[0])
			w.put("f/a", "newer")
			w.pass(time.Minute)
			two := w.commit("f", "newer").ID
			w.pass(time.Minute)
			three := w.byHand("f", 3, two, func(files []commit.File) []commit.File { return append([]commit.File{old}, files[1:]...) })
			return []want{{id: id, sure: Likely, number: 3, commit: three, versions: 1, says: "It names an older version of the same key instead"}}
		},
		"many commits, one finding": func(w *world, first string) []want {
			last := w.byHand("f", 2, first, without("b"))
			for n := range int64(24) {
				w.pass(time.Minute)
				last = w.byHand("f", n+3, last, same)
			}
			return []want{{id: id, folder: "f", commits: 25, says: "25 commits like this"}}
		},
		"a delete marker, and a version left out": func(w *world, first string) []want {
			m := w.del("f/d")
			two := w.byHand("f", 2, first, func(files []commit.File) []commit.File {
				return append(without("b")(files), commit.File{Path: "d", Version: m.ID})
			})
			return []want{{id: id, sure: Certain, number: 2, commit: two, versions: 2, says: "It names 1 delete marker as if it were a file", shows: m.ID + " a delete marker that the commit names"}}
		},
		// It leaves no trace, so it can only be called possible.
		"a file that was brought back by removing its marker": func(w *world, first string) []want {
			m := w.del("f/b")
			w.commit("f", "without b")
			w.pass(time.Minute)
			w.kill("f/b", m.ID)
			return []want{{id: id, sure: Possible, number: 2, versions: 1, says: "There is a harmless cause"}}
		},
		"sound: deleted for a while, and put back": func(w *world, first string) []want {
			w.del("f/b")
			w.pass(time.Minute)
			w.commit("f", "without b")
			w.pass(time.Minute)
			w.put("f/b", "again")
			w.commit("f", "with b")
			return nil
		},
		"sound: a folder deleted on purpose between two commits": func(w *world, first string) []want {
			for _, k := range []string{"f/a", "f/b", "f/c"} {
				w.del(k)
			}
			w.pass(time.Minute)
			w.commit("f", "nothing is left")
			w.pass(time.Minute)
			w.put("f/a", "anew")
			w.commit("f", "anew")
			return nil
		},
		"no claim: it came while the commit was made": func(w *world, first string) []want {
			h, files := w.load(first)
			h.Number, h.Parent, h.Time, h.Message = 2, first, w.tick(), ""
			w.put("f/d", "too late to be seen")
			two := w.object(h, files...)
			w.entry("f", 2, two, h.Time)
			return nil
		},
		"no claim: another program with fewer members": func(w *world, first string) []want {
			_, files := w.load(first)
			two := w.raw(`{"folder":"f","parent":"` + first + `","time":"` + commit.FormatTime(w.tick()) + `","files":[{"path":"a","version":"` + files[0].Version + `"}]}`)
			w.put(commit.EntryKey("f", 2), two)
			return nil
		},
		"no claim: a rule takes noncurrent versions": func(w *world, first string) []want {
			w.must(w.b.SetLifecycle(bg, []bucket.Rule{{ID: "trim", Enabled: true, Prefix: "f/b", NoncurrentDays: 3}}))
			w.byHand("f", 2, first, without("b"))
			return nil
		},
		"no claim: a version that a commit names of the key is gone": func(w *world, first string) []want {
			v := w.put("f/b", "for a while")
			w.commit("f", "")
			w.pass(time.Minute)
			w.kill("f/b", v.ID)
			return []want{{id: "version-missing", key: "f/b"}}
		},
		"no claim: the entry before was restored": func(w *world, first string) []want {
			w.put("f/a", "2")
			two := w.commit("f", "").ID
			k := commit.EntryKey("f", 2)
			body := w.body(k, "")
			w.pass(time.Hour)
			w.del(k)
			w.put(k, body)
			w.byHand("f", 3, two, without("b"))
			return nil
		},
		"no claim: suspended versioning": func(w *world, first string) []want {
			w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
			w.put("f/b", "null")
			w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
			w.commit("f", "with a null version")
			w.pass(time.Minute)
			w.must(w.b.SetVersioning(bg, bucket.VersioningSuspended))
			w.put("f/a", "changed") // also null
			w.pass(time.Minute)
			w.put("f/b", "null") // the same bytes, a later time
			w.must(w.b.SetVersioning(bg, bucket.VersioningEnabled))
			w.commit("f", "later")
			return []want{{id: "version-null"}}
		},
		"no claim: a path twice": func(w *world, first string) []want {
			w.put("f/a", "newer")
			w.pass(time.Minute)
			v := w.put("f/a", "newest")
			body := strings.Replace(w.body(key(first), ""), `"files":[`, fmt.Sprintf(`"files":[{"path":"a","version":"%s"},`, v.ID), 1)
			body = strings.Replace(body, `"number":1,"parent":null`, `"number":2,"parent":"`+first+`"`, 1)
			h, _ := w.load(first)
			body = strings.Replace(body, commit.FormatTime(h.Time), commit.FormatTime(w.tick()), 1)
			w.put(commit.EntryKey("f", 2), w.raw(body))
			return []want{{id: "commit-files-invalid"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, k := range []string{"a", "b", "c"} {
				w.put("f/"+k, "of "+k)
			}
			first := w.commit("f", "first").ID
			w.pass(time.Minute)
			wants := plant(w, first)
			w.pass(time.Hour)
			expect(t, w.audit(Options{}), wants...)
		})
	}
}

// Rules that cannot be read may be rules that take away history.
func TestNoSnapshotClaimWhereTheRulesAreUnknown(t *testing.T) {
	w := newWorld(t)
	w.put("f/a", "")
	w.put("f/b", "")
	first := w.commit("f", "").ID
	w.pass(time.Minute)
	w.byHand("f", 2, first, without("b"))
	expect(t, w.audit(Options{}), want{id: "commit-not-snapshot"})
	denied := &bucket.Error{Op: "read", Kind: bucket.ErrDenied, Permission: "s3:GetLifecycleConfiguration"}
	b := &tampered{Bucket: w.b, settings: func(s *bucket.Settings) { s.LifecycleErr = denied }}
	expect(t, auditOf(t, b, Options{}), want{id: "access-denied"})
}

// What the first listing of a key showed and the second doesn't is not told.
func TestASnapshotIsLookedAtAgain(t *testing.T) {
	w := newWorld(t)
	w.put("f/a", "")
	v := w.put("f/b", "")
	first := w.commit("f", "").ID
	w.pass(time.Minute)
	w.byHand("f", 2, first, without("b"))
	seen := 0
	r := auditOf(t, &tampered{Bucket: w.b, list: func(_ bucket.Range, x bucket.Version) error {
		if x.ID == v.ID {
			if seen++; seen > 1 {
				return errHide
			}
		}
		return nil
	}}, Options{Concurrency: 1})
	expect(t, r)
	if seen < 2 {
		t.Error("it was listed once")
	}
}

// A clock that stands still, and one that goes in steps larger than the margin.
func TestSnapshotsOfACoarseClock(t *testing.T) {
	for _, step := range []time.Duration{0, time.Millisecond, time.Second, time.Minute} {
		w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
		b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{Now: func() time.Time { return w.pass(step) }, NewID: w.id, NoSync: true})
		w.must(err)
		t.Cleanup(func() { _ = b.Close() })
		w.b = b
		for n := range 5 {
			w.put("f/a", fmt.Sprint(n))
			w.put("f/b", fmt.Sprint(n))
			if n > 0 {
				w.del("f/b")
			}
			_, err := commit.Write(bg, b, "f", commit.WriteOptions{Now: func() time.Time { return w.pass(step) }})
			w.must(err)
		}
		expect(t, w.audit(Options{SkewTolerance: time.Hour}))
	}
}

// A commit that is made while others write is a snapshot, whenever they come.
func TestCommitsOfABusyFolder(t *testing.T) {
	for n := 1; ; n++ {
		w := newWorld(t)
		w.history("f", 2)
		w.put("f/other", "1")
		came := false
		b := &busy{Bucket: w.b, n: n, then: func() {
			came = true
			w.put("f/aaa", "new")
			w.del("f/readme")
			w.put("f/orders.csv", "changed")
			w.put("f/zzz", "new")
			w.del("f/zzz")
		}}
		_, err := w.write(b, "f", "busy")
		w.must(err)
		w.put("f/readme", "again")
		w.commit("f", "after")
		expect(t, w.audit(Options{}))
		if t.Failed() || !came {
			if n < 20 {
				t.Errorf("only %d events", n)
			}
			return
		}
	}
}

// A multipart upload has the time at which it started: what it replaced was live
// until it was completed.
func TestSnapshotsAndMultipartUploads(t *testing.T) {
	w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	server := fakes3.New(fakes3.Options{Now: w.tick})
	t.Cleanup(server.Close)
	b := s3test.New(t, server.URL())
	commitAll := func(says string) {
		t.Helper()
		r, err := w.write(b, "f", says)
		w.must(err)
		if !r.Committed {
			t.Fatal("nothing to commit")
		}
		w.pass(time.Minute)
	}
	part := []byte(strings.Repeat("x", 5<<20))
	server.Put(b.Name, "f/a", []byte("1"))
	server.Put(b.Name, "f/b", []byte("1"))
	commitAll("1")
	upload := server.StartUpload(b.Name, "f/a")
	fresh := server.StartUpload(b.Name, "f/fresh")
	w.pass(time.Minute)
	server.Put(b.Name, "f/b", []byte("2"))
	commitAll("2: the old a, and the new b; no fresh")
	server.Put(b.Name, "f/b", []byte("3"))
	commitAll("3")
	server.FinishUpload(b.Name, "f/a", upload, part, []byte("end"))
	server.FinishUpload(b.Name, "f/fresh", fresh, part, []byte("end"))
	commitAll("4: the new a, and fresh")
	// One that started before, and is completed after, the version that stays live.
	upload = server.StartUpload(b.Name, "f/b")
	w.pass(time.Minute)
	server.Put(b.Name, "f/b", []byte("4"))
	commitAll("5")
	server.FinishUpload(b.Name, "f/b", upload, part, []byte("end"))
	server.Put(b.Name, "f/a", []byte("5"))
	commitAll("6")
	expect(t, auditOf(t, b, Options{}))
}

// What a lane keeps for rows of commits is what each commit by itself would have. The
// same comes out whatever the order in which keys come, and when they come to two lanes.
func TestLanesAgainstEachCommit(t *testing.T) {
	found := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 1 + r.IntN(9)
		l := &track{}
		from := int64(100)
		for i := range n {
			l.index = append(l.index, int32(2*i+r.IntN(2))) // other folders' lie between
			from += int64(r.IntN(10))
			w := window{from, from + int64(r.IntN(10))}
			if r.IntN(4) == 0 {
				w = window{never, never}
			}
			l.windows = append(l.windows, w)
		}
		given := slices.Clone(l.windows)
		l.claim()
		for i, w := range l.windows { // what ascends stays
			if w != given[i] && (w.from != never || i == 0) {
				t.Fatalf("seed %d: window %d is %v, was %v", seed, i, w, given[i])
			}
		}
		type version struct {
			ref  *ref
			span span
		}
		var all []version
		for k := range 1 + r.IntN(4) {
			var runs []run
			at := int32(r.IntN(4))
			for range 1 + r.IntN(2) {
				to := at + int32(r.IntN(6))
				runs = append(runs, run{at, to})
				at = to + 1 + int32(r.IntN(4))
			}
			s := span{int64(90 + r.IntN(60)), 0}
			s.to = s.from + int64(r.IntN(80))
			if r.IntN(3) == 0 {
				s.to = still
			}
			v := version{&ref{key: fmt.Sprint(k), version: "v", runs: runs}, s}
			all = append(all, v)
		}
		lanes := [3]*lane{newLane(l), newLane(l), newLane(l)} // all of them; some, and the rest
		look := func(l *lane, k int) {
			v := all[k]
			for _, u := range v.ref.runs {
				l.named(int32(k), u, v.span)
			}
			l.omit(bucket.Version{Key: v.ref.key, ID: "v"}, v.span, v.ref.runs)
		}
		for k := range all {
			look(lanes[0], k)
		}
		for _, k := range r.Perm(len(all)) {
			look(lanes[1+r.IntN(2)], k)
		}
		if lanes[1].merge(lanes[2]); !reflect.DeepEqual(lanes[0], lanes[1]) {
			t.Fatalf("seed %d: %+v, in another order %+v", seed, lanes[0], lanes[1])
		}
		for p, i := range l.index {
			start, end, left := int64(never), int64(still), int64(0)
			for _, v := range all {
				names := slices.ContainsFunc(v.ref.runs, func(u run) bool { return u.first <= i && i <= u.last })
				if names {
					start, end = max(start, v.span.from), min(end, v.span.to)
				}
				w := l.windows[p]
				if !names && w.from != never && v.span.from+2 < w.from && (v.span.to == still || w.to < v.span.to-2) {
					left++
				}
			}
			a, b := lanes[0].bounds(p)
			if !a.ok {
				a.at = never
			}
			if !b.ok {
				b.at = still
			}
			o := lanes[0].omitted(p)
			if a.at != start || b.at != end || o.count != left || int64(len(o.some)) > left || left > 0 && len(o.some) == 0 {
				t.Fatalf("seed %d, commit %d: %d to %d, %d left out (%d shown); want %d to %d, %d", seed, p, a.at, b.at, o.count, len(o.some), start, end, left)
			}
			found += int(left)
		}
	}
	if found < 500 {
		t.Errorf("only %d versions were left out", found)
	}
}
