package audit

import (
	"context"
	"fmt"
	"slices"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// PlanMarkers plans to remove for good the delete markers that lie on a key, all of
// them, so that the version under them is live again. A marker with nothing under
// it is removed only above the head of its log, and where no commit claims its
// number.
func PlanMarkers(ctx context.Context, b bucket.Bucket, key string, markers []string) (*RepairPlan, error) {
	t, err := targetOf(b, key)
	if err != nil {
		return nil, err
	}
	p, err := t.plan(ctx, "marker")
	if err != nil {
		return nil, err
	}
	p.again = func(ctx context.Context) (*RepairPlan, error) { return PlanMarkers(ctx, b, key, markers) }
	for i, id := range markers {
		if slices.Contains(markers[:i], id) {
			return nil, refused("version %s is given twice", safe.Text(id))
		}
	}
	if l := live(p.seen); l != nil && l.right && !slices.ContainsFunc(markers, func(id string) bool { _, v := find(p.seen, id); return v != nil && !v.Derived }) {
		// A line of several repairs may be run again after one of them failed.
		p.alreadySo(fmt.Sprintf("No such marker hides the key, and version %s is live; it %s.", l.ID, l.note))
		return p, nil
	}
	for _, id := range markers {
		i, v := find(p.seen, id)
		switch {
		case v == nil:
			return nil, refused("%s has no version %s", safe.Text(key), safe.Text(id))
		case !v.DeleteMarker:
			return nil, refused("version %s of %s is no delete marker: it holds the object", safe.Text(id), safe.Text(key))
		case i >= len(markers):
			return nil, refused("marker %s is not on top of %s: something newer lies on it", safe.Text(id), safe.Text(key))
		}
	}
	n := len(markers) // and each is one of the first n
	if slices.Contains(markers, bucket.NullID) {
		// Where versioning is not on, the next write to the key has this ID too.
		if err := writable(ctx, b); err != nil {
			return nil, err
		}
	}
	for _, id := range markers {
		p.Will = append(p.Will, "remove the delete marker "+id)
	}
	if n == len(p.seen) {
		if err := t.unclaimed(ctx); err != nil {
			return nil, err
		}
		p.After = "Nothing is at the key, now or in its history."
		p.Mends = "log-marker-stray: nothing can be added to the log while the marker lies there"
		p.holds = func(now []seenVersion) bool { return len(now) == 0 }
	} else {
		under := &p.seen[n]
		if under.DeleteMarker {
			return nil, refused("under the given lies another delete marker, %s: give it too, for else the object stays hidden", safe.Text(under.ID))
		}
		if err := p.mayShow(ctx, under); err != nil {
			return nil, err
		}
		p.After = fmt.Sprintf("Version %s is live again; it %s.", under.ID, under.note)
		p.Mends = fmt.Sprintf("a delete marker hides %s", p.name(ctx))
		if p.seen[0].Derived {
			p.Mends = fmt.Sprintf("a deletion left %s without a live version", p.name(ctx))
			p.Will = []string{fmt.Sprintf("write a copy of version %s, with put-if-absent", under.ID)}
			p.After = fmt.Sprintf("A copy of version %s is live; it %s. The deletion stays in the key's history.", under.ID, under.note)
		}
		p.holds = func(now []seenVersion) bool {
			l := live(now)
			return l != nil && l.right && (l.ID == under.ID || p.seen[0].Derived && l.ETag == under.ETag && l.Size == under.Size)
		}
	}
	tops := p.seen[:n]
	p.write = func(ctx context.Context) error {
		// From the top down: broken off half-way the object is still hidden, as before.
		for _, m := range tops {
			if err := b.DeleteVersion(ctx, key, m.ID); err != nil {
				return err
			}
		}
		return nil
	}
	return p, nil
}
