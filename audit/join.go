package audit

import (
	"context"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A lost is a named version that the listing of its key lacks, or that differs
// from what the commits say.
type lost struct {
	ref   int32            // index into refs.all
	now   []bucket.Version // the key's versions, newest first
	same  *bucket.Version  // version-changed: what is there now
	equal *bucket.Version  // version-missing: the same bytes elsewhere, by ETag and size
	err   error            // version-unreadable
}

// joined is what the walk over the versions gave.
type joined struct {
	missing []lost
	kept    removed // of the missing
	changed []lost
	null    []lost
	marked  []lost  // named versions that are delete markers
	found   []int32 // refs that are there, for the one-byte reads
	search  search  // for the bytes of what is missing
	cold    []int32 // those of found whose class cannot be read at once, ascending
	// watch looks at each key's history in a first look; nil: a second look.
	watch   *watchers
	checked int64 // versions, not refs
	skipped []Skip
}

// skip takes n versions that were judged back: they could not be confirmed.
func (o *joined) skip(reason string, n int64) {
	if n > 0 {
		o.checked -= n
		o.skipped = append(o.skipped, Skip{Reason: reason, Count: n})
	}
}

// walks gives the key prefixes that cover every committed folder, none inside
// another, in ascending order.
func (r *refs) walks() []string {
	set := map[string]bool{}
	for _, c := range r.commits {
		if c.ok {
			set[commit.KeyPrefix(c.Folder)] = true
		}
	}
	var all []string
	for p := range set {
		all = append(all, p)
	}
	sort.Strings(all)
	var out []string
	for _, p := range all {
		if n := len(out); n > 0 && strings.HasPrefix(p, out[n-1]) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// join walks every version under the committed folders once, folders side by side,
// each in key order beside the refs in the same order.
func (a *auditor) join(ctx context.Context, r *refs, watch bool) (*joined, error) {
	walks := r.walks()
	parts := make([]joined, len(walks))
	if watch {
		for i := range parts {
			parts[i].watch = a.newWatchers(r)
		}
	}
	var seen atomic.Int64
	err := a.each(ctx, len(walks), func(i int) { a.walk(ctx, r, walks[i], &parts[i], &seen) })
	if err != nil {
		return nil, err
	}
	out := &joined{}
	if watch {
		out.watch = a.newWatchers(r)
	}
	for _, p := range parts {
		out.watch.merge(p.watch)
		out.missing = append(out.missing, p.missing...)
		out.changed = append(out.changed, p.changed...)
		out.null = append(out.null, p.null...)
		out.marked = append(out.marked, p.marked...)
		out.found = append(out.found, p.found...)
		out.cold = append(out.cold, p.cold...)
		out.skipped = append(out.skipped, p.skipped...)
		out.checked += p.checked
	}
	return out, nil
}

// walk joins one committed folder. A ref is judged only once the listing has passed
// its key; what a broken listing did not reach is skipped, never missing.
func (a *auditor) walk(ctx context.Context, r *refs, prefix string, out *joined, seen *atomic.Int64) {
	at := sort.Search(len(r.all), func(i int) bool { return r.all[i].key >= prefix })
	end := at + sort.Search(len(r.all)-at, func(i int) bool { return !strings.HasPrefix(r.all[at+i].key, prefix) })
	if at == end && out.watch == nil {
		return
	}
	h := history{}
	// settle judges the refs at keys below next; all where next is empty.
	settle := func(next string) {
		for at < end && (next == "" || r.all[at].key < next) {
			out.judge(r, int32(at), nil)
			at++
		}
	}
	// done judges the refs of the key whose versions have all been listed.
	done := func() {
		if h.key == "" {
			return // nothing was listed yet: no key is empty
		}
		h.first = int32(at)
		for at < end && r.all[at].key == h.key {
			out.judge(r, int32(at), h.versions)
			at++
		}
		h.end = int32(at)
		out.watch.look(h)
	}
	for v, err := range a.b.Versions(ctx, bucket.Range{Prefix: prefix}) {
		if err != nil {
			folder := strings.TrimSuffix(prefix, "/")
			a.t.add("committed folders (a listing of their versions)", prefix, &folder, err)
			out.skipped = append(out.skipped, skipOf(err, "the listing of "+folderTitle(folder)+" failed", r.count(at, end)))
			out.watch.broken(prefix, h.key)
			return
		}
		if n := seen.Add(1); n%1024 == 0 {
			a.step("versions", n, 0)
		}
		if v.Key != h.key {
			done()
			settle(v.Key)
			h.key, h.versions = v.Key, h.versions[:0]
			if at == end && out.watch == nil {
				return // nothing that a commit names comes later
			}
		}
		if out.watch != nil || r.all[at].key == v.Key {
			h.versions = append(h.versions, v)
		}
	}
	done()
	settle("")
}

func folderTitle(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return folder
}

// judge compares one ref with the versions of its key.
func (o *joined) judge(r *refs, i int32, vs []bucket.Version) {
	x := &r.all[i]
	if i == 0 || !x.same(&r.all[i-1]) {
		o.checked++
	}
	n := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == x.version })
	if n < 0 || nullMarker(vs[n]) {
		l := lost{ref: i}
		if k := len(o.missing) - 1; k >= 0 && r.all[o.missing[k].ref].key == x.key {
			l.now = o.missing[k].now // one copy for each key: all its versions may be lost
		} else {
			l.now = slices.Clone(vs)
		}
		o.missing = append(o.missing, l)
		return
	}
	v := vs[n]
	if v.DeleteMarker && v.ID == bucket.NullID {
		// A deletion under suspended versioning: the marker took the version's place.
		o.missing = append(o.missing, lost{ref: i, now: slices.Clone(vs)})
		return
	}
	if v.DeleteMarker {
		o.marked = append(o.marked, lost{ref: i, now: slices.Clone(vs), same: &v})
		return
	}
	if x.etag != "" && v.ETag != "" && v.ETag != x.etag || x.size >= 0 && v.Size != x.size {
		o.changed = append(o.changed, lost{ref: i, now: slices.Clone(vs), same: &v})
		return
	}
	if v.ID == bucket.NullID {
		l := lost{ref: i, same: &v}
		if len(o.null) < maxExamples { // there may be as many as files
			l.now = slices.Clone(vs)
		}
		o.null = append(o.null, l)
	}
	o.found = append(o.found, i)
	if archives(v.StorageClass) {
		o.cold = append(o.cold, i)
	}
}

// nullMarker says that a marker lies where a version with the ID null was: a deletion
// under suspended versioning destroys that version and takes its ID.
//
// S3 user guide, "Deleting objects from versioning-suspended buckets".
func nullMarker(v bucket.Version) bool { return v.DeleteMarker && v.ID == bucket.NullID }

// checkVersions joins what the commits name with what the bucket holds.
func (a *auditor) checkVersions(ctx context.Context, r *refs, cov *CoverageSet) ([]Finding, error) {
	r.finish()
	j, err := a.join(ctx, r, true)
	if err != nil {
		return nil, err
	}
	if n := len(j.missing) + len(j.changed) + len(j.marked); n > 0 {
		a.step("confirming", 0, int64(n))
	}
	if j.missing, err = a.confirmLost(ctx, r, j, j.missing, func(j *joined) []lost { return j.missing }); err != nil {
		return nil, err
	}
	if j.changed, err = a.confirmLost(ctx, r, j, j.changed, func(j *joined) []lost { return j.changed }); err != nil {
		return nil, err
	}
	if j.marked, err = a.confirmLost(ctx, r, j, j.marked, func(j *joined) []lost { return j.marked }); err != nil {
		return nil, err
	}
	if j.search, err = a.survivors(ctx, r, j.missing); err != nil {
		return nil, err
	}
	var unreadable []lost
	if a.o.Depth == DepthReadable {
		if unreadable, err = a.readable(ctx, r, j); err != nil {
			return nil, err
		}
	}
	cov.Versions = Coverage{Checked: j.checked, Total: r.count(0, len(r.all)), Skipped: j.skipped}
	more, err := j.watch.findings(ctx, j)
	if err != nil {
		return nil, err
	}
	uploads, err := a.uploads(ctx, r)
	if err != nil {
		return nil, err
	}
	j.kept = a.keptRemoved(ctx, r, j.missing)
	return slices.Concat(a.versionFindings(r, j, unreadable), more, uploads), nil
}
