package commit

import (
	"context"
	"errors"
	"sync/atomic"

	"provcat-tui/bucket"
)

// A repeat asks for a page again: see bucket.Again.
type repeat = func(ctx context.Context, prefix string, p bucket.Page) (bool, error)

// most of a folder that may have changed for again to be worth while: where pages of
// more than a quarter differ, all is listed anew.
const most = 4

// again makes the listing by asking for the pages of the one before, all side by side.
// What an equal answer proves unchanged is taken from before; a part one of whose pages
// differs is listed anew, since page borders move and prove nothing. Every part is thus
// read once more, from its first key to its last.
//
// false: it cannot be made so (the store cannot repeat, too much changed, or it asks
// for fewer requests, which a walk heeds), and nothing is in l.
func (l *listing) again(ctx context.Context, b bucket.Bucket, same repeat, before *listing) (bool, error) {
	if same == nil {
		return false, nil
	}
	before.inOrder()
	type item struct {
		part int
		page bucket.Page
	}
	var items []item
	for i := range before.parts {
		if len(before.parts[i].pages) == 0 {
			return false, nil
		}
		for _, page := range before.parts[i].pages {
			items = append(items, item{i, page})
		}
	}
	changed := make([]atomic.Bool, len(before.parts))
	differ, confirmed := 0, int64(0)
	ask := func(ctx context.Context, x item) error {
		if changed[x.part].Load() {
			return nil
		}
		equal, err := same(ctx, l.prefix, x.page)
		if err == nil && equal {
			return nil
		}
		changed[x.part].Store(true)
		return err
	}
	n := 0
	for err, failed := range each(ctx, l.side, items, ask) {
		if failed != nil {
			return false, failed
		}
		if errors.Is(err, bucket.ErrSlowDown) {
			return false, nil
		}
		x := items[n]
		if n++; n < len(items) && items[n].part == x.part {
			continue
		}
		if !changed[x.part].Load() {
			confirmed += before.parts[x.part].versions
			l.seen(confirmed)
		} else if differ++; differ > 1 && differ > len(before.parts)/most {
			return false, nil
		}
	}
	return true, l.mend(ctx, b, before, changed)
}

// mend takes over what is unchanged, and lists the rest.
func (l *listing) mend(ctx context.Context, b bucket.Bucket, before *listing, changed []atomic.Bool) error {
	var anew []bucket.Range
	for i := range before.parts {
		p := &before.parts[i]
		if !changed[i].Load() {
			l.listed.join(p.listed)
			l.digest.join(p.sum)
			l.parts = append(l.parts, *p)
			continue
		}
		if k := len(anew) - 1; k >= 0 && anew[k].Through == p.after {
			anew[k].Through = p.through
			continue
		}
		anew = append(anew, bucket.Range{Prefix: l.prefix, After: p.after, Through: p.through})
	}
	l.seen(l.versions)
	if len(anew) == 0 {
		return nil
	}
	o := bucket.WalkOptions{Concurrency: max(1, l.side/len(anew))}
	for err, failed := range each(ctx, l.side, anew, func(ctx context.Context, r bucket.Range) error { return l.walk(ctx, b, r, o) }) {
		if err := errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}
