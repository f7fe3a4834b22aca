package commit

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"provcat-tui/bucket"
)

// seqOf streams values, then err if there is one.
func seqOf[T any](err error, values ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
		if err != nil {
			var zero T
			yield(zero, err)
		}
	}
}

// What has to be done with each key, and the key's newest version as it was seen. In the
// tables a version is key:id:etag, "-" for a marker, the newest of a key first.
func TestPlanRestore(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    []File
		versions string
		want     string
	}{
		{"live", []File{{"a", "1", "x", 1}}, "s/a:1:x", "live s/a latest=1"},
		{"overwritten", []File{{"a", "1", "x", 1}}, "s/a:2:y s/a:1:x", "copy s/a latest=2 from=1"},
		{"deleted", []File{{"a", "1", "x", 1}}, "s/a:m:- s/a:1:x", "copy s/a latest=m from=1"},
		{"overwritten with equal bytes", []File{{"a", "1", "x", 1}}, "s/a:2:x s/a:1:x", "same s/a latest=2"},
		{"restored before", []File{{"a", "1", "x", 1}}, "s/a:4:x s/a:3:y s/a:2:x s/a:1:x", "same s/a latest=4"},
		{"the commit's own goes before equal ones", []File{{"a", "1", "x", 1}}, "s/a:4:y s/a:3:x s/a:1:x", "copy s/a latest=4 from=1"},
		{"gone, equal bytes left", []File{{"a", "1", "x", 1}}, "s/a:4:y s/a:3:x s/a:2:x", "copy s/a latest=4 from=3"},
		{"gone, an equal one live", []File{{"a", "1", "x", 1}}, "s/a:2:x", "same s/a latest=2"},
		{"gone", []File{{"a", "1", "x", 1}}, "s/a:2:y", "gone s/a latest=2"},
		{"gone with its key", []File{{"a", "1", "x", 1}}, "", "gone s/a latest="},
		{"unknown ETags are never equal", []File{{"a", "1", "", 1}}, "s/a:2:", "gone s/a latest=2"},
		{"unknown sizes are never equal", []File{{"a", "1", "x", -1}}, "s/a:2:x", "gone s/a latest=2"},
		{"the ID with other bytes, live", []File{{"a", "null", "x", 1}}, "s/a:null:y", "overwritten s/a latest=null"},
		{"the ID with other bytes, replaced", []File{{"a", "null", "x", 1}}, "s/a:3:z s/a:null:y", "overwritten s/a latest=3"},
		{"the ID with other bytes, deleted", []File{{"a", "1", "x", 1}}, "s/a:m:- s/a:1:y", "overwritten s/a latest=m"},
		{"the ID with another size", []File{{"a", "1", "x", 2}}, "s/a:1:x", "overwritten s/a latest=1"},
		{"the ID with other bytes, equal ones before", []File{{"a", "null", "x", 1}}, "s/a:3:z s/a:2:x s/a:null:y", "copy s/a latest=3 from=2"},
		{"the ID with other bytes, equal ones behind", []File{{"a", "null", "x", 1}}, "s/a:3:z s/a:null:y s/a:2:x", "copy s/a latest=3 from=2"},
		{"the ID with other bytes live, equal ones behind", []File{{"a", "null", "x", 1}}, "s/a:null:y s/a:2:x", "copy s/a latest=null from=2"},
		{"the ID with other bytes, equal ones live", []File{{"a", "null", "x", 1}}, "s/a:3:x s/a:null:y", "same s/a latest=3"},
		{"the ID, and the commit knows no ETag", []File{{"a", "null", "", 1}}, "s/a:3:z s/a:null:y", "copy s/a latest=3 from=null"},
		{"only a marker", []File{{"a", "1", "x", 1}}, "s/a:m:-", "gone s/a latest=m"},
		{"a marker's ID is no version", []File{{"a", "m", "x", 1}}, "s/a:m:-", "gone s/a latest=m"},
		{"what the commit doesn't name", nil, "s/a:1:x s/b:m:- s/b:1:x s/c:2:y s/c:1:x", "delete s/a latest=1; delete s/c latest=2"},
		{"between", []File{{"b", "1", "x", 1}, {"d", "1", "x", 1}}, "s/a:1:x s/b:1:x s/c:1:x s/d:2:y s/d:1:x s/e:1:x",
			"delete s/a latest=1; live s/b latest=1; delete s/c latest=1; copy s/d latest=2 from=1; delete s/e latest=1"},
		{"twice in the commit", []File{{"a", "1", "x", 1}, {"a", "2", "y", 1}, {"b", "1", "x", 1}}, "s/a:1:x s/b:1:x", "refused s/a latest=1; live s/b latest=1"},
		{"the folder's own object", []File{{"", "1", "x", 1}}, "s/:2:y s/:1:x", "copy s/ latest=2 from=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := planned(t, "s/", c.files, c.versions); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	// The program's own keys are no files of the whole bucket, and no commit gets to them.
	got := planned(t, "", []File{{".provcat/log/x", "1", "x", 1}, {"a", "1", "x", 1}}, ".provcat/commits/y:1:x .provcat/log/x:2:y .provcat/log/x:1:x a:1:x")
	if want := "refused .provcat/log/x latest=2 from=1; live a latest=1"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func planned(t *testing.T, prefix string, files []File, versions string) string {
	t.Helper()
	var list []bucket.Version
	for _, word := range strings.Fields(versions) {
		p := strings.Split(word, ":")
		v := bucket.Version{Key: p[0], ID: p[1], ETag: p[2], Size: 1, Latest: len(list) == 0 || list[len(list)-1].Key != p[0]}
		if p[2] == "-" {
			v.DeleteMarker, v.ETag, v.Size = true, "", 0
		}
		list = append(list, v)
	}
	var out []string
	for s, err := range PlanRestore(prefix, seqOf(nil, files...), seqOf(nil, list...)) {
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s %s latest=%s", s.Action, s.Key, s.Latest)
		if s.From != "" {
			text += " from=" + s.From
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// An error of either stream ends the plan, wherever it comes.
func TestPlanRestoreFails(t *testing.T) {
	boom := errors.New("boom")
	v := func(key string) bucket.Version { return bucket.Version{Key: key, ID: "1", Latest: true} }
	f := File{Path: "b", Version: "1", Size: 1}
	for _, c := range []struct {
		name     string
		files    iter.Seq2[File, error]
		versions iter.Seq2[bucket.Version, error]
	}{
		{"files at once", seqOf[File](boom), seqOf(nil, v("b"))},
		{"files after one", seqOf(boom, f), seqOf(nil, v("b"))},
		{"versions at once", seqOf(nil, f), seqOf[bucket.Version](boom)},
		{"versions in the midst of a key", seqOf(nil, f), seqOf(boom, v("b"))},
		{"versions in the midst of another key", seqOf(nil, f), seqOf(boom, v("a"))},
		{"versions after all files", seqOf(nil, f), seqOf(boom, v("b"), v("c"))},
	} {
		var errs []error
		for _, err := range PlanRestore("", c.files, c.versions) {
			errs = append(errs, err)
		}
		if len(errs) == 0 || !errors.Is(errs[len(errs)-1], boom) || slices.ContainsFunc(errs[:len(errs)-1], func(err error) bool { return err != nil }) {
			t.Errorf("%s: errors %v, want boom at the end", c.name, errs)
		}
	}
}
