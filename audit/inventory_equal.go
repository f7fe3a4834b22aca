package audit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
	"provcat-tui/commit"
)

// survivorsInReport is survivors by the rows of the report, for the whole bucket is not
// to be listed. What it finds is looked up in the bucket: the report is old.
func (a *auditor) survivorsInReport(ctx context.Context, r *refs, missing []lost) (search, error) {
	type content struct {
		etag string
		size int64
	}
	index := map[content]int{} // into best
	for i := range missing {
		if x := r.at(missing[i].ref); missing[i].equal == nil && x.comparable() {
			index[content{x.etag, x.size}] = 0
		}
	}
	best := make([]*bucket.Version, len(index))
	n := 0
	for k := range index {
		index[k] = n
		n++
	}
	var mu sync.Mutex
	_, failed, left, err := a.inventoryRows(ctx, func() func(*inventory.Row) error {
		return func(row *inventory.Row) error {
			i, ok := index[content{string(row.ETag), row.Size}]
			if !ok || row.Marker || strings.HasPrefix(string(row.Key), commit.Root) {
				return nil
			}
			v := row.Told()
			mu.Lock()
			defer mu.Unlock()
			if best[i] == nil || better(v, *best[i]) {
				best[i] = &v
			}
			return nil
		}
	})
	if err != nil {
		return search{}, err
	}
	s := search{within: "the inventory report", err: left}
	if failed > 0 {
		s.err = errors.Join(s.err, errors.New("a file of the inventory report could not be read"))
	}
	there, err := a.stillThere(ctx, r, best)
	if err != nil {
		return search{}, err
	}
	for i := range missing {
		l := &missing[i]
		if x := r.at(l.ref); l.equal == nil && x.comparable() {
			l.equal = there[best[index[content{x.etag, x.size}]]]
		}
	}
	return s, nil
}

// goneSince counts what was removed since the report was made with what is missing.
func (a *auditor) goneSince(ctx context.Context, r *refs, j *joined) error {
	if len(j.since) == 0 {
		return nil
	}
	s, err := a.survivors(ctx, r, j.since)
	if err != nil {
		return err
	}
	if s.err != nil || j.search.within == "" {
		j.search = s
	}
	j.missing = append(j.missing, j.since...)
	slices.SortFunc(j.missing, func(p, q lost) int { return cmp.Compare(p.ref, q.ref) })
	a.inventory.Known -= r.lostCount(j.since)
	a.inventory.Live += r.lostCount(j.since)
	return nil
}

// lostCount counts the versions behind lost refs, in order.
func (r *refs) lostCount(list []lost) int64 {
	var refs []int32
	for _, l := range list {
		refs = append(refs, l.ref)
	}
	return r.countOf(refs)
}

// better says that v is to be shown rather than w: a live one, else that of the first
// key, so that every run shows the same.
func better(v, w bucket.Version) bool {
	if v.Live() != w.Live() {
		return v.Live()
	}
	return cmp.Or(strings.Compare(v.Key, w.Key), strings.Compare(v.ID, w.ID)) < 0
}

// stillThere looks versions of the report up in the bucket, and gives those that are
// there with the same bytes.
func (a *auditor) stillThere(ctx context.Context, r *refs, list []*bucket.Version) (map[*bucket.Version]*bucket.Version, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(v *bucket.Version) bool { return v == nil })
	slices.SortFunc(list, func(v, w *bucket.Version) int {
		return cmp.Or(strings.Compare(v.Key, w.Key), strings.Compare(v.ID, w.ID))
	})
	versions := make([]bucket.Version, len(list))
	for i, v := range list {
		versions[i] = *v
	}
	now, err := a.joinKeys(ctx, refsTo(versions))
	if err != nil {
		return nil, err
	}
	out := map[*bucket.Version]*bucket.Version{}
	for i := range now.found.all() {
		out[list[i]] = list[i]
	}
	return out, nil
}
