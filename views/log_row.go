package views

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// smallCommit is the most bytes of a commit object that the log reads whole, for
// its hash and its number of files.
const smallCommit = 256 << 10

// logRow is one place of a log.
type logRow struct {
	slot  commit.Slot
	asked bool
	// detail is read aside, nil before.
	detail atomic.Pointer[logDetail]
}

// logDetail is what was read about a log entry beyond its live version.
type logDetail struct {
	header commit.Header
	known  bool  // header was read
	err    error // why not
	// whole says that the object was read and hashed; files is then their number.
	whole bool
	files int64
	bytes int64
	// named are the commits that the slot's versions name, newest first, without
	// repeats. deleted: a marker lies between or over them.
	named   []string
	deleted bool
	unread  int // versions that could not be read
}

func newLogRow(s commit.Slot) *logRow { return &logRow{slot: s} }

// commit is the ID that the entry names; of a deleted one what it named last.
func (r *logRow) commit() string {
	if r.slot.Err == nil {
		return r.slot.Entry.Commit
	}
	if d := r.detail.Load(); d != nil && len(d.named) > 0 {
		return d.named[0]
	}
	return ""
}

func (r *logRow) ref() commit.Ref { return commit.Ref{Number: r.slot.Number, ID: r.commit()} }

// text is what the filter looks at.
func (r *logRow) text() string {
	if r.slot.Gap > 0 {
		return "missing"
	}
	t := fmt.Sprintf("#%d %s", r.slot.Number, r.commit())
	if d := r.detail.Load(); d != nil {
		t += " " + d.header.Author + " " + d.header.Message
	}
	return t
}

// sideBySide calls f for each row, at most n at a time, until ctx is done.
func sideBySide[T any](ctx context.Context, rows []T, n int, f func(T)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(n, 1))
	for _, r := range rows {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			f(r)
			return ctx.Err()
		})
	}
	return g.Wait()
}

// readDetail reads what a log entry's versions name, and the header of its commit.
func readDetail(ctx context.Context, b bucket.Bucket, s commit.Slot) *logDetail {
	d := &logDetail{}
	bodies := 0
	for _, v := range s.Versions {
		if v.DeleteMarker {
			d.deleted = true
		} else {
			bodies++
		}
	}
	id := s.Entry.Commit
	if s.Err == nil {
		d.named = append(d.named, id)
	}
	if s.Err != nil || bodies > 1 {
		id = d.readVersions(ctx, b, s)
	}
	if id == "" {
		return d
	}
	d.readCommit(ctx, b, id)
	return d
}

// maxVersions is how many versions of one entry are looked at.
const maxVersions = 8

func (d *logDetail) readVersions(ctx context.Context, b bucket.Bucket, s commit.Slot) string {
	read := 0
	for _, v := range s.Versions {
		if v.DeleteMarker || v.Live() && s.Err == nil {
			continue
		}
		if read++; read > maxVersions {
			d.unread++
			continue
		}
		e, err := commit.LoadEntry(ctx, b, s.Key, v.ID)
		if err != nil {
			d.unread++
			continue
		}
		known := false
		for _, n := range d.named {
			known = known || n == e.Commit
		}
		if !known {
			d.named = append(d.named, e.Commit)
		}
	}
	if len(d.named) == 0 {
		return ""
	}
	return d.named[0]
}

// readCommit reads a small commit object whole, of a large one the header.
func (d *logDetail) readCommit(ctx context.Context, b bucket.Bucket, id string) {
	body, v, err := b.Open(ctx, commit.CommitKey(id), "", smallCommit+1)
	if err != nil {
		d.err = err
		return
	}
	data, err := io.ReadAll(io.LimitReader(body, smallCommit+1))
	if cerr := body.Close(); err == nil {
		err = cerr
	}
	switch {
	case err != nil:
		d.err = err
	case len(data) > smallCommit || v.Size > int64(len(data)):
		d.header, d.err = commit.LoadHeader(ctx, b, id)
	default:
		var o commit.Object
		o, d.err = commit.Decode(bytes.NewReader(data), nil)
		if o.ID != "" && o.ID != id {
			d.err = commit.ErrCorrupt
		}
		d.header, d.files, d.bytes, d.whole = o.Header, o.Files, o.Total, d.err == nil
	}
	d.known = d.err == nil || errors.Is(d.err, commit.ErrCorrupt) && !d.header.Time.IsZero()
}
