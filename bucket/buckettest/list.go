package buckettest

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/bucket"
)

var listChecks = []check{
	{"empty-bucket", func(r *recorder) { r.listsAll() }},
	{"pages-of-every-size", func(r *recorder) {
		r.mixed()
		n := len(r.model.want(bucket.Range{}))
		for size := 1; size <= n+1; size++ {
			r.lists(bucket.Range{PageSize: size})
		}
		r.listsAll()
	}},
	{"many-versions-of-one-key", func(r *recorder) {
		r.put("a", "before")
		for i := range 12 {
			r.put("k", fmt.Sprint("version ", i))
			if i%4 == 3 {
				r.del("k")
			}
		}
		r.put("k/below", "after")
		for size := 1; size <= 18; size++ {
			r.lists(bucket.Range{PageSize: size})
		}
		r.lists(bucket.Range{Prefix: "k", PageSize: 4})
	}},
	{"ranges", func(r *recorder) {
		r.mixed()
		bounds := []string{"", "a", "a/", "a/b", "a/bb", "a0", "b", "c", "zz"}
		for _, prefix := range []string{"", "a", "a/", "a/b", "b", "nothing"} {
			for _, after := range bounds {
				for _, through := range []string{"", "a/b", "a/c", "b", "0"} {
					r.lists(bucket.Range{Prefix: prefix, After: after, Through: through, PageSize: 3})
				}
			}
		}
	}},
	{"adjoining-ranges-cover-all-once", func(r *recorder) {
		r.mixed()
		for _, cuts := range [][]string{{"a"}, {"a/b"}, {"a", "a/b", "b"}, {"0", "a/", "a/bb", "zz"}} {
			var got []bucket.Version
			after := ""
			for _, cut := range append(cuts, "") {
				got = append(got, r.all(bucket.Range{After: after, Through: cut, PageSize: 2})...)
				after = cut
			}
			r.same(fmt.Sprintf("ranges cut at %q", cuts), got, r.model.want(bucket.Range{}))
		}
	}},
	{"stops-when-told", func(r *recorder) {
		r.mixed()
		before := r.b.Requests().List
		for v, err := range r.b.Versions(r.ctx, bucket.Range{PageSize: 1}) {
			r.must("Versions", err)
			if v.Key != "a" {
				r.errorf("the first key is %q; want a", v.Key)
			}
			break
		}
		if n := r.b.Requests().List - before; n != 1 {
			r.errorf("one version of a page of one took %d requests; want 1", n)
		}
		before = r.b.Requests().List
		for _, err := range r.b.Versions(r.ctx, bucket.Range{PageSize: 1, Ahead: true}) {
			r.must("Versions", err)
			break
		}
		if n := r.b.Requests().List - before; n > 2 {
			r.errorf("one version of a page of one, with the next one ahead, took %d requests; want 2 at most", n)
		}
		r.listsAll()
	}},
	{"grows-meanwhile", func(r *recorder) {
		r.mixed()
		for _, ahead := range []bool{false, true} {
			want := r.model.want(bucket.Range{})
			var got []bucket.Version
			for v, err := range r.b.Versions(r.ctx, bucket.Range{PageSize: 1, Ahead: ahead}) {
				r.must("Versions", err)
				got = append(got, v)
				if len(got) == 1 {
					r.put(v.Key, "newer than the page that was read")
				}
			}
			r.same(fmt.Sprintf("a listing (ahead: %t) during which a newer version came", ahead), got, want)
		}
	}},
	{"cancelled", func(r *recorder) {
		r.mixed()
		for _, ahead := range []bool{false, true} {
			ctx, cancel := context.WithCancel(r.ctx)
			defer cancel()
			good, failed := 0, 0
			for _, err := range r.b.Versions(ctx, bucket.Range{PageSize: 1, Ahead: ahead}) {
				if failed > 0 {
					r.fatalf("a listing (ahead: %t) went on after its error", ahead)
				}
				if err == nil {
					good++
					cancel()
					continue
				}
				failed++
				if !errors.Is(err, context.Canceled) {
					r.errorf("a cancelled listing (ahead: %t) says %v", ahead, err)
				}
			}
			if good != 1 || failed != 1 {
				r.errorf("a listing (ahead: %t) cancelled at its first version gave %d versions and %d errors; want 1 and 1", ahead, good, failed)
			}
		}
	}},
}

// mixed writes a history of a few keys, their writes interleaved.
func (r *recorder) mixed() {
	r.put("b", "b one")
	r.put("a", "a one")
	gone := r.put("a", "a two")
	r.put("a/b", "a/b one")
	r.del("a")
	r.put("b", "b two")
	r.del("a/c") // never was
	r.put("a", "a three")
	r.del("b")
	stray := r.del("b")
	r.put("b", "")
	r.put("a/b/c", "deep")
	r.put("a0", "sorts after a/")
	r.del("a0")
	r.put("z", "z one")
	r.put("z", "z one")
	r.destroy(gone)
	r.destroy(stray)
}
