package views

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// resolveToRead is commit.Resolve for a reader of one commit: where the entry that a
// number means is deleted, the commit that it named last can still be read by its ID.
// Then hidden is the number of that entry, and the Ref has none.
func resolveToRead(ctx context.Context, b bucket.Bucket, folder, ref string) (r commit.Ref, hidden int64, err error) {
	r, err = commit.Resolve(ctx, b, folder, ref)
	if !errors.Is(err, commit.ErrDeleted) {
		return r, 0, err
	}
	number, perr := strconv.ParseInt(ref, 10, 64)
	if back, ok := strings.CutPrefix(ref, "head~"); ok {
		var head commit.Slot
		var steps int64
		if head, perr = commit.Head(ctx, b, folder); perr == nil {
			steps, perr = strconv.ParseInt(back, 10, 64)
			number = head.Number - steps
		}
	}
	if perr != nil {
		return r, 0, err // "head" means the newest that readers get: not one that is hidden
	}
	slot := commit.Slot{Number: number, Key: commit.EntryKey(folder, number), Err: err}
	for v, lerr := range b.Versions(ctx, bucket.Range{Prefix: slot.Key, Through: slot.Key}) {
		if lerr != nil {
			return r, 0, err
		}
		if v.Key == slot.Key {
			slot.Versions = append(slot.Versions, v)
		}
	}
	e, ok := lastNamed(ctx, b, slot)
	if !ok {
		return r, 0, err
	}
	return commit.Ref{ID: e.Commit}, number, nil
}
