package audit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// PlanObject plans to put a commit object back from its bytes, whose SHA-256 must be
// the ID. body is read from its start, more than once.
func PlanObject(ctx context.Context, b bucket.Bucket, id string, body io.ReadSeeker) (*RepairPlan, error) {
	if !commit.ValidID(id) {
		return nil, refused("a commit's ID has 64 lowercase hex digits")
	}
	t := target{b: b, key: commit.CommitKey(id), id: id}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	switch o, err := commit.Decode(body, nil); {
	case o.ID == "":
		return nil, fmt.Errorf("read the file to put back: %w", err)
	case o.ID != id:
		return nil, refused("the file is not the commit object: its SHA-256 is %s", o.ID)
	}
	p, err := t.plan(ctx, "commit-object")
	if err != nil {
		return nil, err
	}
	p.again = func(ctx context.Context) (*RepairPlan, error) { return PlanObject(ctx, b, id, body) }
	if err := writable(ctx, b); err != nil {
		return nil, err
	}
	wrong := live(p.seen)
	switch {
	case wrong == nil:
		if len(p.seen) > 0 {
			p.Notes = append(p.Notes, "a delete marker lies on the key; put-if-absent succeeds over it, and the marker stays in the history")
		}
		p.Will = []string{"write the file's bytes, if nothing is live there"}
	case wrong.err != nil:
		return nil, fmt.Errorf("the live version could not be read, so nothing was written: %w", wrong.err)
	case wrong.right:
		return nil, refused("the commit object is there and sound: version %s", safe.Text(wrong.ID))
	default:
		p.Will = []string{
			fmt.Sprintf("hide the live version %s, which %s, under a delete marker; it stays in the history", wrong.ID, wrong.note),
			"write the file's bytes, if nothing is live there",
		}
	}
	p.After = "The commit object is live, with the right hash."
	p.Mends = fmt.Sprintf("the object of commit %s cannot be read", id)
	p.holds = func(now []seenVersion) bool { l := live(now); return l != nil && l.right }
	p.write = func(ctx context.Context) error {
		if wrong != nil {
			if _, err := b.Delete(ctx, t.key); err != nil {
				return err
			}
		}
		err := t.putAbsent(ctx, body)
		if r := (*RefusedRepair)(nil); wrong != nil && errors.As(err, &r) {
			return errors.New(r.Reason) // no refusal any more: the wrong bytes were hidden
		}
		return err
	}
	return p, nil
}
