package buckettest

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// An entry is a version or marker that a check has written.
type entry struct {
	key, id, body string
	marker        bool
}

// A model is what must be in the bucket: of each key, newest first, what was
// written, by the rules of S3 or, where Options say so, of Cloud Storage.
type model map[string][]entry

func (m model) add(r *recorder, e entry) {
	for _, have := range m[e.key] {
		if have.id == e.id {
			r.errorf("%q got the version ID %s a second time", e.key, e.id)
		}
	}
	m[e.key] = append([]entry{e}, m[e.key]...)
}

func (m model) remove(key, id string) {
	m[key] = slices.DeleteFunc(m[key], func(e entry) bool { return e.id == id })
	if len(m[key]) == 0 {
		delete(m, key)
	}
}

// removeGeneration is remove by Cloud Storage's rules: a deletion is only the gap that
// its generation leaves before the next one, so that it goes with it; and what is
// removed between two leaves such a gap.
func (m model) removeGeneration(key, id string) {
	all := m[key]
	i := slices.IndexFunc(all, func(e entry) bool { return e.id == id && !e.marker })
	if i < 0 {
		return
	}
	start, below := i, all[i+1:]
	if i > 0 && all[i-1].marker {
		start--
	}
	left := slices.Clone(all[:start])
	if len(below) > 0 && !below[0].marker {
		left = append(left, entry{key: key, id: deletion(below[0].id), marker: true})
	}
	if m[key] = append(left, below...); len(m[key]) == 0 {
		delete(m, key)
	}
}

// deletion is the ID of the marker that stands for a generation's deletion.
func deletion(id string) string { return "deleted-" + id }

// keys are all keys in ascending bytewise order.
func (m model) keys() []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys) // Go compares strings by bytes
	return keys
}

// want is what a listing of the range must give.
func (m model) want(r bucket.Range) []entry {
	var want []entry
	for _, k := range m.keys() {
		if strings.HasPrefix(k, r.Prefix) && k > r.After && (r.Through == "" || k <= r.Through) {
			want = append(want, m[k]...)
		}
	}
	return want
}

// all collects a listing.
func (r *recorder) all(rg bucket.Range) []bucket.Version {
	var got []bucket.Version
	for v, err := range r.b.Versions(r.ctx, rg) {
		r.must(fmt.Sprintf("Versions %+v after %d", rg, len(got)), err)
		got = append(got, v)
		if len(got) > 100_000 {
			r.fatalf("Versions %+v: no end", rg)
		}
	}
	return got
}

// lists checks that a listing of the range gives what the model holds, ahead too.
func (r *recorder) lists(rg bucket.Range) {
	for _, rg.Ahead = range []bool{false, true} {
		r.same(fmt.Sprintf("Versions %+v", rg), r.all(rg), r.model.want(rg))
	}
}

// listsAll checks the whole bucket.
func (r *recorder) listsAll() { r.lists(bucket.Range{}) }

// same compares a listing with entries of the model, of which each key is there
// whole.
func (r *recorder) same(what string, got []bucket.Version, want []entry) {
	var have, wish []string
	for _, v := range got {
		have = append(have, line(v.Key, v.ID, v.ETag, v.Size, v.DeleteMarker, v.Latest))
		if age := time.Since(v.Modified); v.Modified.Location() != time.UTC || age > 10*time.Minute || age < -time.Minute {
			r.errorf("%s: %q was modified at %v; want a time of this check, in UTC", what, v.Key, v.Modified)
		}
	}
	for i, e := range want {
		etag := ""
		if !e.marker {
			etag = r.etag([]byte(e.body))
		}
		wish = append(wish, line(e.key, e.id, etag, int64(len(e.body)), e.marker, i == 0 || want[i-1].key != e.key))
	}
	if !slices.Equal(have, wish) {
		r.errorf("%s\ngives\n\t%s\nwant\n\t%s", what, strings.Join(have, "\n\t"), strings.Join(wish, "\n\t"))
	}
}

func line(key, id, etag string, size int64, marker, latest bool) string {
	s := fmt.Sprintf("%q %s", key, id)
	if marker {
		s += " marker"
	} else {
		s += fmt.Sprintf(" %s %d", etag, size)
	}
	if latest {
		s += " latest"
	}
	return s
}
