package audit

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A lost is a named version that the listing of its key lacks, or that differs
// from what the commits say.
type lost struct {
	ref  int32            // index into refs.all
	now  []bucket.Version // the key's versions, newest first
	same *bucket.Version  // version-changed: what is there now
}

// joined is what the walk over the versions gave.
type joined struct {
	missing []lost
	changed []lost
	null    []lost
	found   []int32 // refs that are there, for the one-byte reads
	checked int64
	skipped []Skip
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

// join walks every version under the committed folders once, in key order, beside
// the refs in the same order. A ref is judged only once the listing has passed
// its key; what a broken listing did not reach is skipped, never missing.
func (a *auditor) join(ctx context.Context, r *refs) (*joined, error) {
	out := &joined{}
	var seen int64
	for _, prefix := range r.walks() {
		lo := sort.Search(len(r.all), func(i int) bool { return r.all[i].key >= prefix })
		hi := lo
		for hi < len(r.all) && strings.HasPrefix(r.all[hi].key, prefix) {
			hi++
		}
		at := lo
		if lo == hi {
			continue
		}
		var key string
		var versions []bucket.Version
		// settle judges the refs at keys below next.
		settle := func(next string, end bool) {
			for at < hi && (end || r.all[at].key < next) {
				var vs []bucket.Version
				if r.all[at].key == key {
					vs = versions
				}
				out.judge(r, int32(at), vs)
				at++
			}
		}
		var broken error
		for v, err := range a.b.Versions(ctx, bucket.Range{Prefix: prefix}) {
			if err != nil {
				broken = err
				break
			}
			if seen++; seen%1024 == 0 {
				a.step("versions", seen, 0)
			}
			if v.Key != key {
				settle(v.Key, false)
				key, versions = v.Key, versions[:0]
				if at == hi {
					break // nothing that a commit names comes later
				}
			}
			if at < hi && r.all[at].key == v.Key {
				versions = append(versions, v)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if broken != nil {
			folder := strings.TrimSuffix(prefix, "/")
			a.t.add("versions that commits of "+folderTitle(folder)+" name", prefix, &folder, broken)
			out.skipped = append(out.skipped, Skip{Reason: "the listing of " + folderTitle(folder) + " failed", Count: int64(hi - at)})
			continue
		}
		settle("", true)
	}
	return out, nil
}

func folderTitle(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return folder
}

// judge compares one ref with the versions of its key.
func (o *joined) judge(r *refs, i int32, vs []bucket.Version) {
	o.checked++
	x := &r.all[i]
	n := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == x.version })
	if n < 0 {
		o.missing = append(o.missing, lost{ref: i, now: slices.Clone(vs)})
		return
	}
	v := vs[n]
	if v.DeleteMarker || x.etag != "" && v.ETag != "" && v.ETag != x.etag || x.size >= 0 && v.Size != x.size {
		o.changed = append(o.changed, lost{ref: i, now: slices.Clone(vs), same: &v})
		return
	}
	if v.ID == bucket.NullID {
		o.null = append(o.null, lost{ref: i, now: slices.Clone(vs), same: &v})
	}
	o.found = append(o.found, i)
}

// confirm looks at lost refs once more, each key freshly; a row of many by one
// more walk. What is no longer so is dropped: the bucket changed while the audit
// ran.
func (a *auditor) confirmLost(ctx context.Context, r *refs, list []lost, again func(*joined) []lost) ([]lost, error) {
	const single = 64
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > single {
		only := &refs{commits: r.commits}
		for _, l := range list {
			only.all = append(only.all, r.all[l.ref])
		}
		j, err := a.join(ctx, only)
		if err != nil {
			return nil, err
		}
		var out []lost
		for _, l := range again(j) {
			l.ref = list[l.ref].ref
			out = append(out, l)
		}
		return out, nil
	}
	var out []lost
	for _, l := range list {
		x := r.all[l.ref]
		vs, err := a.versionsOf(ctx, x.key)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			a.t.add("versions that commits name", x.key, nil, err)
			continue
		}
		j := &joined{}
		j.judge(r, l.ref, vs)
		out = append(out, again(j)...)
	}
	return out, nil
}

// readable reads one byte of each named version.
func (a *auditor) readable(ctx context.Context, r *refs, list []int32) (bad []lost, err error) {
	type result struct {
		i   int32
		err error
	}
	results := make([]result, len(list))
	var done counter
	err = a.each(ctx, len(list), func(k int) {
		x := r.all[list[k]]
		body, _, err := a.b.Open(ctx, x.key, x.version, 1)
		if err == nil {
			var b [1]byte
			if x.size != 0 {
				_, err = body.Read(b[:])
				if err != nil && errors.Is(err, errEOF) {
					err = nil
				}
			}
			_ = body.Close() // only read from
		}
		results[k] = result{list[k], err}
		a.step("reading", done.add(), int64(len(list)))
	})
	if err != nil {
		return nil, err
	}
	for _, x := range results {
		switch {
		case x.err == nil:
		case errors.Is(x.err, bucket.ErrDenied):
			a.t.add("named versions (a one-byte read)", r.all[x.i].key, nil, x.err)
		case errors.Is(x.err, bucket.ErrNotFound), errors.Is(x.err, bucket.ErrUnsupported):
			bad = append(bad, lost{ref: x.i})
		default:
			a.t.add("named versions (a one-byte read)", r.all[x.i].key, nil, x.err)
		}
	}
	return bad, nil
}

// expiry gives the rule that explains why a version of key is gone, and the date
// from which it may have deleted it: a version is removed NoncurrentDays after
// its successor was made, rounded up to the next midnight UTC.
//
// S3 user guide, "Lifecycle configuration elements", NoncurrentVersionExpiration.
func (a *auditor) expiry(x ref, since time.Time, now []bucket.Version) (bucket.Rule, time.Time, bool) {
	// The successor is the oldest version or marker that is newer than every
	// commit which names the lost one. Those after it are newer still.
	newer := 0
	for newer < len(now) && now[newer].Modified.After(since) {
		newer++
	}
	if newer == 0 {
		return bucket.Rule{}, time.Time{}, false
	}
	successor := now[newer-1].Modified
	for _, rule := range a.f.lock.Lifecycle {
		if !rule.Enabled || rule.NoncurrentDays <= 0 || !strings.HasPrefix(x.key, rule.Prefix) || len(rule.Tags) > 0 {
			continue
		}
		if rule.LargerThan > 0 && x.size >= 0 && x.size <= rule.LargerThan || rule.SmallerThan > 0 && x.size >= 0 && x.size >= rule.SmallerThan {
			continue
		}
		if rule.NewerNoncurrent > newer-1 {
			continue // fewer newer noncurrent versions than the rule keeps
		}
		due := successor.Add(time.Duration(rule.NoncurrentDays) * 24 * time.Hour).UTC()
		if midnight := due.Truncate(24 * time.Hour); !midnight.Equal(due) {
			due = midnight.Add(24 * time.Hour)
		}
		if !due.After(a.clock) {
			return rule, due, true
		}
	}
	return bucket.Rule{}, time.Time{}, false
}
