package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// ErrCorrupt marks a commit object whose bytes do not have the hash that its key
// says.
var ErrCorrupt = errors.New("hash mismatch")

// Load reads and checks the live version of a commit object. visit (may be nil)
// gets each file as it comes, before the hash is known: what it saw counts only
// if Load gives no error.
//
// ErrCorrupt: the bytes don't have the hash id; the Object then holds what could
// be read of them. ErrFormat: right hash, but not a commit that can be read.
// bucket.ErrNotFound: it has no live version. ErrTooLarge: see WithMaxObject. Other
// errors: it could not be read.
func Load(ctx context.Context, b bucket.Bucket, id string, visit func(File) error) (Object, error) {
	return LoadVersion(ctx, b, id, "", visit)
}

// LoadVersion is Load for one version of the commit object; empty: the live one.
func LoadVersion(ctx context.Context, b bucket.Bucket, id, version string, visit func(File) error) (Object, error) {
	r, err := OpenObject(ctx, b, id, version)
	if err != nil {
		return Object{}, err
	}
	defer func() { _ = r.Close() }() // only read from
	o, err := Decode(r, visit)
	return o, judge(b, id, version, o, err)
}

// judge gives the error of a commit object that was read to its end, or that
// could not be.
func judge(b bucket.Bucket, id, version string, o Object, err error) error {
	e := &bucket.Error{Op: "read commit", Bucket: b.URL(), Key: CommitKey(id), Version: version, Err: err}
	switch {
	case o.ID == "" && err != nil:
		// Not read to its end: the bucket's own error, or the visitor's.
		if be := (*bucket.Error)(nil); errors.As(err, &be) || errors.Is(err, errStop) {
			return err
		}
		return e
	case o.ID != id:
		e.Err = fmt.Errorf("%w: its %d bytes have the SHA-256 %s", ErrCorrupt, o.Bytes, o.ID)
		return e
	case err != nil:
		return e
	}
	return nil
}

// headerBytes is how much of a commit object the first read of LoadHeader asks for.
const headerBytes = 64 << 10

// LoadHeader reads a commit object's header alone, by a read of its first 64 KiB
// where the writer put the files last, else of the whole. The hash is not
// checked. Members that a foreign writer put after the files of an object of more
// than 64 KiB may be unknown here though Load sees them. Errors as Load, but
// ErrCorrupt.
func LoadHeader(ctx context.Context, b bucket.Bucket, id string) (Header, error) {
	return loadHeader(ctx, b, id, "")
}

func loadHeader(ctx context.Context, b bucket.Bucket, id, version string) (Header, error) {
	wrap := func(err error) error {
		if be := (*bucket.Error)(nil); err == nil || errors.As(err, &be) {
			return err
		}
		return &bucket.Error{Op: "read commit", Bucket: b.URL(), Key: CommitKey(id), Version: version, Err: err}
	}
	r, v, err := b.Open(ctx, CommitKey(id), version, headerBytes)
	if err != nil {
		return Header{}, err
	}
	part, err := io.ReadAll(io.LimitReader(r, headerBytes))
	_ = r.Close() // only read from
	if err != nil {
		return Header{}, wrap(err)
	}
	if v.Size <= int64(len(part)) {
		o, err := Decode(bytes.NewReader(part), nil)
		return o.Header, wrap(err)
	}
	d := newDecoder(bytes.NewReader(part), nil)
	d.headerOnly = true
	if err := d.object(); err == nil && d.stopped {
		return d.obj.Header, nil
	}
	// The files come first, or the header is long, or it is no commit: the whole
	// object tells.
	r, err = OpenObject(ctx, b, id, version)
	if err != nil {
		return Header{}, err
	}
	defer func() { _ = r.Close() }() // only read from
	d = newDecoder(r, nil)
	d.headerOnly = true
	if err := d.object(); err != nil {
		if d.src.err != nil {
			err = d.src.err
		}
		return Header{}, wrap(err)
	}
	return d.obj.Header, nil
}

// quickBytes is how much of a commit object the read of quickHeader asks for.
const quickBytes = 4 << 10

// quickHeader is LoadHeader by a shorter read, for many commits at a time, where the
// object is laid out as our writer does it.
func quickHeader(ctx context.Context, b bucket.Bucket, id string) (Header, error) {
	r, _, err := b.Open(ctx, CommitKey(id), "", quickBytes)
	if err != nil {
		return Header{}, err
	}
	d := newDecoder(io.LimitReader(r, quickBytes), nil)
	d.headerOnly = true
	err = d.object()
	_ = r.Close() // only read from
	if err == nil && d.stopped && d.ours() {
		return d.obj.Header, nil
	}
	return LoadHeader(ctx, b, id)
}

// Bounds on what Files keeps.
const (
	sortAhead = 20_000    // files kept before the first is given, to see whether they are in order
	maxSorted = 5_000_000 // files of a foreign object that are sorted in memory
)

// errStop ends a Decode whose consumer has enough.
var errStop = errors.New("stop")

// Files streams a commit's files in bytewise order of path. A path that stands
// twice is given twice. An object of some other program, with the files in
// another order, is sorted in memory if it has at most 5,000,000 files. The hash
// is checked at the end: the last thing given may be an error, and then nothing
// before it counts. Errors as Load.
func Files(ctx context.Context, b bucket.Bucket, id string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		r, err := OpenObject(ctx, b, id, "")
		if err != nil {
			yield(File{}, err)
			return
		}
		defer func() { _ = r.Close() }() // only read from

		s := &sorter{yield: yield}
		d := newDecoder(r, nil)
		d.visit = asFiles(func(f File) error { return s.add(f, d.ours()) })
		o, err := d.whole()
		if errors.Is(err, errStop) {
			return
		}
		if err := judge(b, id, "", o, err); err != nil {
			yield(File{}, err)
			return
		}
		s.flush()
	}
}

// A sorter keeps files back until their order is known to be right.
type sorter struct {
	yield     func(File, error) bool
	kept      []File
	unsorted  bool
	streaming bool
	last      string
}

// add takes the next file. ours: the object's header is laid out as our writer
// does it, so that its files are taken to be in order without seeing them all.
func (s *sorter) add(f File, ours bool) error {
	if s.streaming {
		if f.Path < s.last {
			return formatError("the path %q comes after %q, in an object of more than %d files that seemed to be in order",
				safe.Text(f.Path), safe.Text(s.last), sortAhead)
		}
		s.last = f.Path
		return s.give(f)
	}
	if n := len(s.kept); n > 0 && f.Path < s.kept[n-1].Path {
		s.unsorted = true
	}
	s.kept = append(s.kept, f)
	if ours && !s.unsorted && len(s.kept) >= sortAhead {
		for _, f := range s.kept {
			if err := s.give(f); err != nil {
				return err
			}
		}
		s.streaming, s.last, s.kept = true, f.Path, nil
	}
	if len(s.kept) > maxSorted {
		return formatError("it has more than %d files that may be out of order, too many to sort", maxSorted)
	}
	return nil
}

func (s *sorter) give(f File) error {
	if !s.yield(f, nil) {
		return errStop
	}
	return nil
}

// flush gives what was kept to the end.
func (s *sorter) flush() {
	if s.unsorted {
		slices.SortStableFunc(s.kept, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	}
	for _, f := range s.kept {
		if s.give(f) != nil {
			return
		}
	}
}
