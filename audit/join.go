package audit

import (
	"context"
	"slices"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A lost is a named version that the listing of its key lacks, or that differs
// from what the commits say.
type lost struct {
	ref   int32            // its place among the refs
	now   []bucket.Version // the key's versions, newest first
	same  *bucket.Version  // version-changed: what is there now
	equal *bucket.Version  // version-missing: the same bytes elsewhere, by ETag and size
	err   error            // version-unreadable
}

// joined is what the walk over the versions gave, each list in ascending order of refs.
type joined struct {
	missing []lost
	kept    removed // of the missing
	since   []lost  // what an inventory report has, and neither a read nor a listing
	changed []lost
	null    []lost
	marked  []lost  // named versions that are delete markers
	found   *bits   // refs that are there, for the one-byte reads; nil: not wanted
	search  search  // for the bytes of what is missing
	cold    []int32 // those of found whose class cannot be read at once, ascending
	nulls   int     // of null, before the part that is joined now
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

func folderTitle(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return folder
}

// judge compares one ref with the versions of its key.
func (o *joined) judge(r *refs, i int32, vs []bucket.Version) {
	x := r.at(i)
	if i == 0 || !r.same(i, i-1) {
		o.checked++
	}
	n := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == x.version })
	if n < 0 || nullMarker(vs[n]) {
		l := lost{ref: i}
		if k := len(o.missing) - 1; k >= 0 && r.key(int(o.missing[k].ref)) == x.key {
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
	if (commit.File{ETag: x.etag, Size: x.size}).OtherBytes(v.ETag, v.Size) {
		o.changed = append(o.changed, lost{ref: i, now: slices.Clone(vs), same: &v})
		return
	}
	if v.ID == bucket.NullID {
		l := lost{ref: i, same: &v}
		if len(o.null)-o.nulls < maxExamples { // there may be as many as files
			l.now = slices.Clone(vs)
		}
		o.null = append(o.null, l)
	}
	o.found.set(i)
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
		if err = a.goneSince(ctx, r, j); err != nil {
			return nil, err
		}
	}
	cov.Versions = Coverage{Checked: j.checked, Total: r.count(0, r.len()), Skipped: j.skipped}
	a.coverInventory(&cov.Versions)
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
