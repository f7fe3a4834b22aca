package audit

import (
	"context"
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// PlanVersion plans to make an earlier version of an entry or commit object live
// again: with put-if-absent where nothing is live, else by a copy over what is.
func PlanVersion(ctx context.Context, b bucket.Bucket, key, version string) (*RepairPlan, error) {
	t, err := targetOf(b, key)
	if err != nil {
		return nil, err
	}
	p, err := t.plan(ctx, "version")
	if err != nil {
		return nil, err
	}
	p.again = func(ctx context.Context) (*RepairPlan, error) { return PlanVersion(ctx, b, key, version) }
	if err := writable(ctx, b); err != nil {
		return nil, err
	}
	_, v := find(p.seen, version)
	switch {
	case v == nil:
		return nil, refused("%s has no version %s", safe.Text(key), safe.Text(version))
	case v.DeleteMarker:
		return nil, refused("version %s of %s is a delete marker", safe.Text(version), safe.Text(key))
	case v.Live():
		return nil, refused("version %s of %s is live", safe.Text(version), safe.Text(key))
	}
	if err := p.mayShow(ctx, v); err != nil {
		return nil, err
	}
	p.After = fmt.Sprintf("The live version has the bytes of version %s, which %s.", v.ID, v.note)
	p.Mends = fmt.Sprintf("readers of %s get wrong bytes, or none", p.name(ctx))
	p.holds = func(now []seenVersion) bool {
		l := live(now)
		return l != nil && l.right && l.named == v.named && len(now) == len(p.seen)+1 && sameSeen(now[1:], p.seen)
	}
	wrong := live(p.seen)
	if wrong == nil {
		p.Will = []string{fmt.Sprintf("write the bytes of version %s anew, if nothing is live there", version)}
		p.write = func(ctx context.Context) error {
			body, err := t.spool(ctx, version)
			if err != nil {
				return refused("nothing was written: %v", err)
			}
			defer body.close()
			return t.putAbsent(ctx, body)
		}
		return p, nil
	}
	switch {
	case wrong.err != nil:
		return nil, fmt.Errorf("the live version could not be read, so nothing was written: %w", wrong.err)
	case wrong.right:
		return nil, refused("the live version of %s, %s, is sound: it %s", safe.Text(key), safe.Text(wrong.ID), safe.Text(wrong.note))
	}
	p.Will = []string{fmt.Sprintf("copy version %s over the live version %s, which %s and stays in the history", version, wrong.ID, wrong.note)}
	p.write = func(ctx context.Context) error {
		_, err := b.CopyVersion(ctx, key, version, key)
		return err
	}
	return p, nil
}
