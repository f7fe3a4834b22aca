package audit

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A rowObject is a commit object that an entry names.
type rowObject struct {
	id       string
	slot     *rowSlot
	versions []bucket.Version // newest first
	err      error            // they could not be listed
}

// objects takes the commit objects that the entries name, hidden entries too. What
// no entry names may have been deleted on purpose: it is left alone.
func (s *rowScan) objects(ctx context.Context, slots []rowSlot) error {
	list, err := s.named(ctx, slots)
	if err != nil {
		return err
	}
	if len(s.p.Row.Folders) == 0 {
		err = s.listAll(ctx, list)
	} else {
		err = side(ctx, len(list), func(ctx context.Context, i int) {
			x, key := list[i], commit.CommitKey(list[i].id)
			for v, err := range s.b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
				if err != nil {
					x.err = err
					return
				}
				x.versions = append(x.versions, v)
			}
		})
	}
	if err != nil {
		return err
	}
	for _, x := range list {
		if x.err != nil {
			s.failed(x.slot, commit.CommitKey(x.id), fmt.Errorf("it could not be listed: %w", x.err))
			continue
		}
		s.take(x.slot.folder, x.slot.number, x.versions)
	}
	return nil
}

// listAll lists all commit objects at once.
func (s *rowScan) listAll(ctx context.Context, list []*rowObject) error {
	by := map[string]*rowObject{}
	for _, x := range list {
		by[x.id] = x
	}
	for v, err := range s.b.Versions(ctx, bucket.Range{Prefix: commit.Commits, Ahead: true}) {
		if err != nil {
			return fmt.Errorf("list %s, so nothing was written: %w", commit.Commits, err)
		}
		if id, ok := commit.ParseCommitKey(v.Key); ok && by[id] != nil {
			by[id].versions = append(by[id].versions, v)
		}
	}
	return nil
}

// named reads what every version of every entry names. An entry that cannot be read
// is told as such: what it names is not known.
func (s *rowScan) named(ctx context.Context, slots []rowSlot) ([]*rowObject, error) {
	ids, errs := make([][]string, len(slots)), make([]error, len(slots))
	err := side(ctx, len(slots), func(ctx context.Context, i int) {
		for _, v := range slots[i].versions {
			if v.DeleteMarker {
				continue
			}
			e, err := commit.LoadEntry(ctx, s.b, v.Key, v.ID)
			switch {
			case err == nil:
				ids[i] = append(ids[i], e.Commit)
			case !errors.Is(err, commit.ErrEntry) && !errors.Is(err, bucket.ErrNotFound):
				errs[i] = err
			}
		}
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var out []*rowObject
	for i := range slots {
		if errs[i] != nil {
			s.failed(&slots[i], slots[i].versions[0].Key, fmt.Errorf("which commit object it names could not be read: %w", errs[i]))
		}
		for _, id := range ids[i] {
			if !seen[id] {
				seen[id] = true
				out = append(out, &rowObject{id: id, slot: &slots[i]})
			}
		}
	}
	return out, nil
}

// failed adds a key that could not be looked at.
func (s *rowScan) failed(slot *rowSlot, key string, err error) {
	s.p.Items = append(s.p.Items, RowItem{Folder: slot.folder, Number: slot.number, Key: key, Markers: []string{}, State: RowFailed, Detail: err.Error()})
}
