package audit

import (
	"errors"
	"fmt"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A folder "f" with one commit of a, b and an empty file; a's version is lost, and
// its bytes are put where each case says.
func TestTheSameBytesAreStillAt(t *testing.T) {
	t.Parallel()
	lose := func(w *world) {
		v := w.versions("f/a")
		w.kill("f/a", v[len(v)-1].ID)
	}
	const none = "within the bucket has its ETag and size"
	for name, x := range map[string]struct {
		plant func(w *world) (at bucket.Version) // where the bytes are; none: nowhere
		says  string
	}{
		"the live version of the same key, before all others": {plant: func(w *world) bucket.Version {
			w.put("a/copy", "of a")
			w.put("f/a", "of a")
			return w.put("f/a", "of a")
		}},
		"an older version of the same key, before live ones of others": {plant: func(w *world) bucket.Version {
			w.put("a/copy", "of a")
			v := w.put("f/a", "of a")
			w.put("f/a", "other")
			return v
		}},
		"under a delete marker of the same key": {plant: func(w *world) bucket.Version {
			v := w.put("f/a", "of a")
			w.del("f/a")
			return v
		}},
		"a live version of another key, before noncurrent ones": {plant: func(w *world) bucket.Version {
			w.put("a/copy", "of a")
			w.del("a/copy")
			return w.put("z/copy", "of a")
		}},
		"a noncurrent version of another key": {plant: func(w *world) bucket.Version {
			v := w.put("z/copy", "of a")
			w.put("z/copy", "other")
			return v
		}},
		"of the same size, but other bytes":                {plant: func(w *world) bucket.Version { w.put("z/copy", "OF A"); return bucket.Version{} }, says: none},
		"what lies under .provcat/ is nobody's file":       {plant: func(w *world) bucket.Version { w.put(commit.Root+"a", "of a"); return bucket.Version{} }, says: none},
		"nowhere: the other file of the folder is another": {plant: func(w *world) bucket.Version { return bucket.Version{} }, says: none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("f/a", "of a")
			w.put("f/b", "of b")
			w.commit("f", "")
			at := x.plant(w)
			lose(w)
			if at.ID != "" {
				x.says = fmt.Sprintf("The same bytes are still at %s, version %s.", at.Key, at.ID)
			}
			for _, f := range w.audit(Options{}).Findings {
				if f.ID != "version-missing" {
					continue
				}
				if why := (want{id: f.ID, key: "f/a", says: x.says}).differs(f); why != "" {
					t.Error(why)
				}
				return
			}
			t.Error("no finding")
		})
	}
}

// Empty files need no search, and what was recorded without an ETag allows none.
func TestBytesThatAreNotLookedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f/empty", "")
	w.put("f/full", "x")
	w.commit("f", "")
	w.erase("f/empty")
	v := w.put("g/x", "x")
	id := w.object(commit.Header{Folder: "g", Number: 1}, commit.File{Path: "x", Version: v.ID, Size: 1})
	h, _ := w.load(id)
	w.entry("g", 1, id, h.Time)
	w.put("g/x", "y")
	w.kill("g/x", v.ID)
	lists := 0
	r := auditOf(t, &tampered{Bucket: w.b, list: func(r bucket.Range, v bucket.Version) error {
		if r.Prefix == "" && v.Key == "" {
			lists++
		}
		return nil
	}}, Options{})
	expect(t, r,
		want{id: "version-missing", folder: "f", versions: 1, says: "It is empty: any empty file has the same bytes."},
		want{id: "version-missing", folder: "g", versions: 1, says: "the commits recorded no ETag or no size, so that equal bytes cannot be looked for"})
	if lists > 0 {
		t.Errorf("the bucket was listed %d times, for nothing", lists)
	}
}

// A search that was cut off says nothing of what it did not find; where the whole
// bucket may not be listed the scope is searched.
func TestSearchForBytesThatFails(t *testing.T) {
	t.Parallel()
	wide := func(err error) func(bucket.Range, bucket.Version) error {
		return func(r bucket.Range, v bucket.Version) error {
			if r.Prefix == "" {
				return err
			}
			return nil
		}
	}
	no := denied("list versions of", "s3:ListBucketVersions")
	for name, x := range map[string]struct {
		list func(bucket.Range, bucket.Version) error
		o    Options
		says string
	}{
		"denied":                {wide(no), Options{}, "no other version within the committed folders has"},
		"denied, in one folder": {wide(no), Options{Folder: "f"}, "no other version within f has"},
		"reset":                 {wide(errors.New("reset")), Options{}, "Whether other versions have the bytes of it is not known: the search failed: reset."},
		"reset after it was found": {func(r bucket.Range, v bucket.Version) error {
			if r.Prefix == "" && v.Key == "" {
				return errors.New("reset")
			}
			return nil
		}, Options{}, "Whether other versions have the bytes of it is not known"},
		"the budget ended": {wide(errRequests), Options{}, "is not known: the budget of requests ended."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("f/a", "of a")
			w.put("f/b", "of b")
			w.commit("f", "")
			w.erase("f/a")
			r := auditOf(t, &tampered{Bucket: w.b, list: x.list}, x.o)
			expect(t, r, want{id: "version-missing", key: "f/a", says: x.says})
			if r.Verdict != Fail || r.Counts[Unknown] > 0 {
				t.Errorf("verdict %s, %v", r.Verdict, r.Counts)
			}
		})
	}
	t.Run("what was found before it broke stands", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.put("f/a", "of a")
		w.put("f/b", "of b")
		w.commit("f", "")
		w.erase("f/a")
		old := w.put("e/copy", "of a") // noncurrent, so that a better one is looked for
		w.del("e/copy")
		r := auditOf(t, &tampered{Bucket: w.b, list: func(r bucket.Range, v bucket.Version) error {
			if r.Prefix == "" && v.Key > "f" {
				return errors.New("reset")
			}
			return nil
		}}, Options{})
		expect(t, r, want{id: "version-missing", key: "f/a", says: "The same bytes are still at e/copy, version " + old.ID})
	})
}

// Readers of a broken commit are told which one they can read instead.
func TestNewestWholeCommit(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		damage func(w *world, ids []string)
		says   string // %d: the number
		number int
	}{
		"the head, where an old version is lost":    {func(w *world, ids []string) { w.killOf(ids[2], "orders.csv") }, "is known to be whole is %d (", 5},
		"the one before, where the head is broken":  {func(w *world, ids []string) { w.killOf(ids[5], "orders.csv") }, "is known to be whole is %d (", 4},
		"none, where a file of all commits is lost": {func(w *world, ids []string) { w.killOf(ids[1], "readme") }, "No commit of the folder is known to be whole.", 0},
		"not one whose object is damaged": {func(w *world, ids []string) {
			w.killOf(ids[5], "orders.csv")
			w.put(key(ids[4]), "junk")
		}, "is known to be whole is %d (", 3},
		"not one whose entry is deleted": {func(w *world, ids []string) {
			w.killOf(ids[5], "orders.csv")
			w.del(slot(4))
		}, "is known to be whole is %d (", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ids := w.history(sales, 5)
			x.damage(w, ids)
			says := x.says
			if x.number > 0 {
				says = fmt.Sprintf(x.says, x.number) + commit.ShortID(ids[x.number])
			}
			for _, f := range w.audit(Options{}).Findings {
				if f.ID == "version-missing" {
					if why := (want{id: f.ID, folder: sales, says: says}).differs(f); why != "" {
						t.Error(why)
					}
					return
				}
			}
			t.Error("no finding")
		})
	}
	t.Run("nothing is said where a listing failed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		ids := w.history(sales, 2)
		w.history("logs", 2)
		w.killOf(ids[1], "orders.csv")
		r := auditOf(t, &tampered{Bucket: w.b, list: func(r bucket.Range, v bucket.Version) error {
			if r.Prefix == "logs/" {
				return errors.New("reset")
			}
			return nil
		}}, Options{})
		for _, f := range r.Findings {
			if f.ID == "version-missing" && (want{id: f.ID, says: "to be whole"}).differs(f) == "" {
				t.Errorf("%s", f.Detail)
			}
		}
	})
}

// killOf removes for good the version that a commit of sales names.
func (w *world) killOf(id, path string) {
	w.Helper()
	_, files := w.load(id)
	for _, f := range files {
		if f.Path == path {
			w.kill(sales+"/"+path, f.Version)
			return
		}
	}
	w.Fatalf("%s names no %s", id, path)
}
