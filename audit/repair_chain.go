package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// fits tells whether a commit may stand in a slot, by its neighbours: the entry
// below must name its parent, and the commit of the entry above must name it.
// Notes are what could not be told since something is gone. An error that is no
// *RefusedRepair: a read failed.
func (t target) fits(ctx context.Context, id string, h *commit.Header) (anchored bool, notes []string, err error) {
	if h != nil && t.number == 1 && h.Parent != "" {
		return false, nil, refused("commit %s names a parent, %s, so its entry is not number 1", commit.ShortID(id), commit.ShortID(h.Parent))
	}
	if h != nil && t.number > 1 && h.Parent == "" {
		return false, nil, refused("commit %s names no parent, so its entry is number 1, not %d", commit.ShortID(id), t.number)
	}
	anchored = t.number == 1 && h != nil
	if t.number > 1 && h != nil {
		below, err := t.neighbour(ctx, t.number-1)
		if err != nil {
			return false, nil, err
		}
		switch list := names(below); {
		case len(list) == 0:
			notes = append(notes, fmt.Sprintf("entry %d tells nothing: whether it names the parent could not be compared", t.number-1))
		case !slices.Contains(list, h.Parent):
			return false, nil, refused("the parent of commit %s is %s, but entry %d names %s: it does not belong here", commit.ShortID(id), commit.ShortID(h.Parent), t.number-1, commit.ShortID(list[0]))
		default:
			anchored = true
		}
	}
	above, err := t.above(ctx)
	if err != nil {
		return false, nil, err
	}
	switch {
	case above.note != "":
		notes = append(notes, above.note)
	case above.there && !slices.Contains(above.parents, id):
		return false, nil, refused("the commit of entry %d names %s as its parent, not %s: it does not belong here", t.number+1, orNone(above.parents[0]), commit.ShortID(id))
	case above.there:
		anchored = true
	}
	return anchored, notes, nil
}

// neighbour looks at another slot of the same log.
func (t target) neighbour(ctx context.Context, n int64) ([]seenVersion, error) {
	x := target{b: t.b, key: commit.SlotKey(t.hash, n), hash: t.hash, number: n}
	vs, err := x.look(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range vs {
		if v.err != nil {
			return nil, fmt.Errorf("entry %d, which must fit, could not be read, so nothing was written: %w", n, v.err)
		}
	}
	return vs, nil
}

type parentAbove struct {
	there   bool
	parents []string // what its commits name, newest first
	note    string   // why nothing is known of it although there is an entry
}

// above reads what the entry above says of the slot.
func (t target) above(ctx context.Context) (parentAbove, error) {
	if t.number >= commit.MaxNumber {
		return parentAbove{}, nil
	}
	vs, err := t.neighbour(ctx, t.number+1)
	if err != nil {
		return parentAbove{}, err
	}
	var out parentAbove
	for _, id := range slices.Compact(names(vs)) {
		out.there = true
		o, err := commit.Load(ctx, t.b, id, nil)
		switch {
		case err == nil:
			out.parents = append(out.parents, o.Header.Parent)
		case !goneOrBad(err):
			return out, fmt.Errorf("the commit of entry %d, which must fit, could not be read, so nothing was written: %w", t.number+1, err)
		}
	}
	if out.there && len(out.parents) == 0 {
		out.note = fmt.Sprintf("the commit of entry %d cannot be read: whether it names this one as its parent could not be compared", t.number+1)
	}
	return out, nil
}

// goneOrBad says that a commit object is gone, corrupt or of a format that cannot be
// read; any other error says nothing of it.
func goneOrBad(err error) bool {
	return errors.Is(err, bucket.ErrNotFound) || errors.Is(err, commit.ErrCorrupt) || errors.Is(err, commit.ErrFormat)
}

// header reads a commit for a slot; nil: its object is gone, corrupt or of a format
// that cannot be read.
func (t target) header(ctx context.Context, id string) (*commit.Header, error) {
	o, err := commit.Load(ctx, t.b, id, nil)
	switch {
	case err == nil:
		if commit.FolderHash(o.Header.Folder) != t.hash {
			return nil, refused("commit %s is of the folder %q, not of this log's", commit.ShortID(id), safe.Text(o.Header.Folder))
		}
		return &o.Header, nil
	case goneOrBad(err):
		return nil, nil
	}
	return nil, fmt.Errorf("commit %s could not be read, so nothing was written: %w", commit.ShortID(id), err)
}

// mayShow tells whether an entry's version may be live again in its slot, and adds
// to the plan what could not be told.
func (p *RepairPlan) mayShow(ctx context.Context, v *seenVersion) error {
	if err := p.t.right(v); err != nil || p.t.id != "" {
		return err
	}
	h, err := p.t.header(ctx, v.named)
	if err != nil {
		return err
	}
	if h == nil {
		p.Notes = append(p.Notes, fmt.Sprintf("the object of commit %s, which it names, cannot be read: its parent could not be compared", commit.ShortID(v.named)))
	}
	_, notes, err := p.t.fits(ctx, v.named, h)
	p.Notes = append(p.Notes, notes...)
	return err
}

// unclaimed tells whether a marker with nothing under it lies above the head, where
// nothing shows that an entry was there.
func (t target) unclaimed(ctx context.Context) error {
	if t.id != "" {
		return refused("nothing is under the marker: removing it brings nothing back; put the object back with repair commit-object, which succeeds over the marker")
	}
	head, strays, err := t.highest(ctx)
	if err != nil {
		return err
	}
	if t.number <= head {
		return refused("nothing is under the marker, and the log goes on to number %d: entry %d was lost; write it again with repair entry, which succeeds over the marker", head, t.number)
	}
	if inARow(strays) {
		return refused("nothing is under the marker, and others lie in a row with it: entries were there, and the markers are the last trace of them; nothing was removed")
	}
	orphans, err := t.unnamed(ctx)
	if err != nil {
		return err
	}
	return t.claimed(ctx, orphans)
}

// claimReads is how many entries or commit objects are read side by side.
const claimReads = 32

// unnamed gives the versions of the commit objects that no entry names, by ID. All
// entries of the bucket are read for that, older versions too.
func (t target) unnamed(ctx context.Context) (map[string][]bucket.Version, error) {
	out := map[string][]bucket.Version{}
	var entries []bucket.Version
	for v, err := range t.b.Versions(ctx, bucket.Range{Prefix: commit.Root, Ahead: true}) {
		if err != nil {
			return nil, err
		}
		if id, ok := commit.ParseCommitKey(v.Key); ok {
			out[id] = append(out[id], v)
		} else if _, _, ok := commit.ParseSlotKey(v.Key); ok && !v.DeleteMarker {
			entries = append(entries, v)
		}
	}
	named := make([]string, len(entries))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(claimReads)
	for i, v := range entries {
		g.Go(func() error {
			e, err := commit.LoadEntry(ctx, t.b, v.Key, v.ID)
			if err != nil && !errors.Is(err, commit.ErrEntry) && !errors.Is(err, bucket.ErrNotFound) {
				return fmt.Errorf("an entry, which may name what claims this number, could not be read, so nothing was written: %w", err)
			}
			named[i] = e.Commit
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, id := range named {
		delete(out, id)
	}
	return out, nil
}

// claimed refuses where a commit object that no entry names says that it has the
// slot's number or a higher one, or tells nothing any more: it may be what was there.
func (t target) claimed(ctx context.Context, orphans map[string][]bucket.Version) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(claimReads)
	for id, vs := range orphans {
		g.Go(func() error {
			for _, v := range vs {
				if v.DeleteMarker {
					continue
				}
				o, err := commit.LoadVersion(ctx, t.b, id, v.ID, nil)
				h := o.Header
				switch {
				case err != nil && !goneOrBad(err):
					return fmt.Errorf("a commit object, which may claim this number, could not be read, so nothing was written: %w", err)
				case err != nil:
					continue
				case h.Number < t.number || commit.FolderHash(h.Folder) != t.hash:
					return nil
				case h.Number == t.number:
					return refused("nothing is under the marker, but commit %s claims the number %d: it may be a lost entry; write it again with repair entry", commit.ShortID(id), t.number)
				}
				return refused("nothing is under the marker, but commit %s, which no entry names, claims the number %d: entries were lost; the marker is a trace of them, and nothing was removed", commit.ShortID(id), h.Number)
			}
			return refused("nothing is under the marker, and of commit %s, which no entry names, no version can be read any more: it may be the commit of this entry, and the marker the last trace of it; nothing was removed", commit.ShortID(id))
		})
	}
	return g.Wait()
}

// child gives the whole ID of a commit object of the log that names a commit as its
// parent; empty: none was found, as far as the objects could be read.
func (t target) child(ctx context.Context, parent string) string {
	var found atomic.Pointer[string]
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(claimReads)
	for v, err := range t.b.Versions(ctx, bucket.Range{Prefix: commit.Commits, Ahead: true}) {
		id, ok := commit.ParseCommitKey(v.Key)
		if err != nil || found.Load() != nil {
			break
		}
		if !ok || !v.Live() {
			continue
		}
		g.Go(func() error {
			if h, err := commit.LoadHeader(ctx, t.b, id); err == nil && h.Parent == parent && commit.FolderHash(h.Folder) == t.hash {
				found.Store(&id)
			}
			return nil
		})
	}
	_ = g.Wait() // no error is given to it
	if id := found.Load(); id != nil {
		return *id
	}
	return ""
}

// highest is the number of the highest slot that has a version; 0: none. Strays are
// the numbers of those above it, in descending order, of which only markers are left.
func (t target) highest(ctx context.Context) (head int64, strays []int64, err error) {
	for v, err := range t.b.Versions(ctx, bucket.Range{Prefix: commit.LogPrefix(t.hash)}) {
		if err != nil {
			return 0, nil, err
		}
		_, n, ok := commit.ParseSlotKey(v.Key)
		switch {
		case !ok:
		case !v.DeleteMarker:
			if k := len(strays) - 1; k >= 0 && strays[k] == n {
				strays = strays[:k] // it lies under a marker
			}
			return n, strays, nil
		case len(strays) == 0 || strays[len(strays)-1] != n:
			strays = append(strays, n)
		}
	}
	return 0, strays, nil
}
