package audit

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// gone says that a version which was listed is no longer there: somebody deleted
// it meanwhile.
func gone(err error) bool { return errors.Is(err, bucket.ErrNotFound) }

// readSlot reads every version of a slot that is no marker. If one has gone
// since the listing the slot is listed afresh, once.
func (a *auditor) readSlot(ctx context.Context, s *slotFacts) error {
	for try := 0; ; try++ {
		vanished := false
		for i := range s.versions {
			v := &s.versions[i]
			if v.DeleteMarker {
				continue
			}
			v.entry, v.err = commit.LoadEntry(ctx, a.b, s.key, v.ID)
			vanished = vanished || gone(v.err)
		}
		if !vanished || try > 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := a.relist(ctx, s); err != nil {
			return err
		}
	}
}

// relist takes a slot's versions from a fresh listing of its key.
func (a *auditor) relist(ctx context.Context, s *slotFacts) error {
	vs, err := a.versionsOf(ctx, s.key)
	if err != nil {
		return err
	}
	s.versions = s.versions[:0]
	for _, v := range vs {
		s.versions = append(s.versions, entryVersion{Version: v})
	}
	return nil
}

// versionsOf lists one key.
func (a *auditor) versionsOf(ctx context.Context, key string) ([]bucket.Version, error) {
	var out []bucket.Version
	for v, err := range a.b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			return nil, err
		}
		if v.Key == key {
			out = append(out, v)
		}
	}
	return out, nil
}

// readEntries reads all entries, side by side.
func (a *auditor) readEntries(ctx context.Context, slots []*slotFacts) error {
	var done counter
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(a.o.Concurrency)
	for _, s := range slots {
		g.Go(func() error {
			err := a.readSlot(ctx, s)
			a.step("entries", done.add(), int64(len(slots)))
			if err != nil && ctx.Err() == nil {
				for i := range s.versions {
					s.versions[i].err = err
				}
				return nil
			}
			return err
		})
	}
	return g.Wait()
}

// readCommits reads commit objects whole, side by side. keep says which of them
// have their files kept for the join with the versions.
func (a *auditor) readCommits(ctx context.Context, ids []string, keep map[string][]*collector) error {
	var done counter
	g, ctx := errgroup.WithContext(ctx)
	most := min(a.o.Concurrency, 16) // each holds a decoder
	g.SetLimit(most)
	gate := newGate(most)
	for _, id := range ids {
		c := a.f.commit(id)
		g.Go(func() error {
			gate.pass(func() { a.readCommit(ctx, c, keep[id], gate) })
			a.step("commits", done.add(), int64(len(ids)))
			return ctx.Err()
		})
	}
	return g.Wait()
}

// readCommit reads each version of a commit object. If one has gone since the
// listing, or if there was none, the object is listed afresh, once: its writer may
// have been at work.
func (a *auditor) readCommit(ctx context.Context, c *commitFacts, keep []*collector, gate *gate) {
	for try := 0; ; try++ {
		again := len(c.versions) == 0
		c.header = nil
		for i := range c.versions {
			v := &c.versions[i]
			if v.DeleteMarker {
				continue
			}
			var cols []*collector
			if i == 0 { // the live one
				cols = keep
			}
			a.readObject(ctx, c, v, cols, gate)
			again = again || gone(v.err)
		}
		if !again || try > 0 || ctx.Err() != nil {
			return
		}
		vs, err := a.versionsOf(ctx, commit.CommitKey(c.id))
		if err != nil {
			c.unread(err)
			return
		}
		c.listed(vs)
	}
}

// readObject reads one version: its hash, and of the newest with the right hash
// the header and what the rules need of the files.
func (a *auditor) readObject(ctx context.Context, c *commitFacts, v *objectVersion, cols []*collector, gate *gate) {
	v.read, v.err = false, nil
	asked := time.Now()
	r, err := commit.OpenObject(ctx, a.b, c.id, v.ID)
	if err != nil {
		v.err = err
		return
	}
	defer func() { _ = r.Close() }() // only read from
	gate.waited.Add(int64(time.Since(asked)))
	for _, col := range cols {
		col.begin()
	}
	look := &looker{cols: cols}
	look.digest.SetSeed(seed)
	v.obj, v.err = commit.DecodeRecords(waiting{r, &gate.waited}, look.file)
	if v.obj.ID == "" {
		return // not read to its end
	}
	v.read = true
	if v.obj.ID != c.id || v.err != nil || c.header != nil {
		return
	}
	h := v.obj.Header
	c.header, c.files = &h, v.obj.Files
	c.digest, c.invalid = look.digest.Sum64(), look.invalid
	for _, col := range cols {
		col.done(h)
	}
}

// seed makes the digests of one process comparable.
var seed = maphash.MakeSeed()

// A looker looks at the files of a commit object as they pass.
type looker struct {
	cols    []*collector
	digest  maphash.Hash
	last    []byte // path
	n       int64
	invalid string
}

func (l *looker) file(f *commit.Record) error {
	if l.invalid == "" {
		switch order := bytes.Compare(f.Path, l.last); {
		case len(f.Version) == 0:
			l.invalid = fmt.Sprintf("file %d, %q, has an empty version", l.n+1, f.Path)
		case l.n > 0 && order == 0:
			l.invalid = fmt.Sprintf("the path %q stands twice", f.Path)
		case l.n > 0 && order < 0:
			l.invalid = fmt.Sprintf("the path %q comes after %q, out of order", f.Path, l.last)
		}
	}
	l.last = append(l.last[:0], f.Path...)
	l.n++
	_, _ = l.digest.Write(f.Path) // a hash takes all
	_ = l.digest.WriteByte(0)
	_, _ = l.digest.Write(f.Version)
	_ = l.digest.WriteByte(0)
	_, _ = l.digest.Write(f.ETag) // a version null may have been overwritten between two commits
	_, _ = l.digest.Write(binary.LittleEndian.AppendUint64(nil, uint64(f.Size)))
	for _, c := range l.cols {
		c.file(f)
	}
	return nil
}

// A counter counts from several goroutines.
type counter struct {
	sync.Mutex
	n int64
}

func (c *counter) add() int64 {
	c.Lock()
	defer c.Unlock()
	c.n++
	return c.n
}
