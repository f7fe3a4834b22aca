package buckettest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"provcat-tui/bucket"
)

var levelChecks = []check{
	{"empty-bucket", func(r *recorder) { r.level("", nil); r.level("a/", nil) }},
	{"folders-and-keys", func(r *recorder) {
		r.put("a", "1")
		r.put("a", "2")
		r.put("a-b", "before a/")
		r.put("a/x", "")
		r.put("a/y/z", "")
		r.put("a/y/zz", "")
		r.put("b", "1")
		r.del("b")
		r.put("c/d/e/f", "")
		r.put("d", "1")
		r.level("", []string{"a", "a", "a-b", "a/", "b", "b", "c/", "d"})
		r.level("a/", []string{"a/x", "a/y/"})
		r.level("a/y/", []string{"a/y/z", "a/y/zz"})
		r.level("c/", []string{"c/d/"})
		r.level("none/", nil)
	}},
	{"folders-with-deleted-keys-only", func(r *recorder) {
		r.put("gone/x", "1")
		r.del("gone/x")
		r.del("never/was")
		r.put("there", "1")
		r.level("", []string{"gone/", "never/", "there"})
		r.level("gone/", []string{"gone/x", "gone/x"})
		r.level("never/", []string{"never/was"})
	}},
	{"key-that-is-the-prefix", func(r *recorder) {
		r.put("a/", "placeholder")
		r.put("a/", "placeholder, again")
		r.put("a/b", "1")
		r.level("", []string{"a/"})
		r.level("a/", []string{"a/", "a/", "a/b"})
	}},
	{"double-slash", func(r *recorder) {
		r.put("a//b", "1")
		r.put("a/c", "1")
		r.level("", []string{"a/"})
		r.level("a/", []string{"a//", "a/c"})
		r.level("a//", []string{"a//b"})
	}},
	{"many", func(r *recorder) {
		var want []string
		for i := range 20 {
			folder := fmt.Sprintf("f%02d/", i)
			r.put(folder+"x", "")
			r.put(folder+"y", "")
			key := fmt.Sprintf("f%02d0", i) // "0" sorts right after "/"
			r.put(key, "")
			want = append(want, folder, key)
		}
		r.level("", want)
	}},
	{"stops-when-told", func(r *recorder) {
		r.put("a", "1")
		r.put("b/c", "1")
		n := 0
		for _, err := range r.b.Level(r.ctx, "") {
			r.must("Level", err)
			n++
			break
		}
		if n != 1 {
			r.errorf("Level gave %d items; want one", n)
		}
	}},
	{"cancelled", func(r *recorder) {
		r.put("a", "1")
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		n := 0
		for _, err := range r.b.Level(ctx, "") {
			n++
			if !errors.Is(err, context.Canceled) {
				r.errorf("a cancelled Level says %v", err)
			}
		}
		if n != 1 {
			r.errorf("a cancelled Level gave %d items; want one error", n)
		}
	}},
}

// level checks a level against the names it must hold, in order: keys once for
// each version, and folders. The versions are checked against the model.
func (r *recorder) level(prefix string, want []string) {
	var names []string
	var versions []bucket.Version
	var wish []entry
	for item, err := range r.b.Level(r.ctx, prefix) {
		r.must(fmt.Sprintf("Level %q", prefix), err)
		names = append(names, item.Name())
		if item.Folder == "" {
			versions = append(versions, item.Version)
		} else if item.Version != (bucket.Version{}) {
			r.errorf("Level %q: the folder %q has a version", prefix, item.Folder)
		}
	}
	if !slices.Equal(names, want) {
		r.errorf("Level %q gives %q; want %q", prefix, names, want)
	}
	for _, k := range r.model.keys() {
		if rest, ok := strings.CutPrefix(k, prefix); ok && !strings.Contains(rest, "/") {
			wish = append(wish, r.model[k]...)
		}
	}
	r.same(fmt.Sprintf("the versions of Level %q", prefix), versions, wish)
}
