package local

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"provcat-tui/bucket"
)

// found is a version as it is looked up by key and ID.
type found struct {
	bucket.Version
	modified int64
	body     sql.NullInt64
}

const foundColumns = idColumn + ", marker, modified, " + etagColumn + ", size, versions.body"

func (f *found) into() []any {
	return []any{(*short)(&f.ID), &f.DeleteMarker, &f.modified, (*short)(&f.ETag), &f.Size, &f.body}
}

// pick selects one version of key; an empty version means the latest.
func pick(key, version string) (string, []any) {
	if version == "" {
		return "WHERE key = ? ORDER BY place LIMIT 1", []any{[]byte(key)}
	}
	return "WHERE key = ? AND id = ?", []any{[]byte(key), version}
}

// readable explains why a version that was looked up can't be read; nil: it can.
func (b *Bucket) readable(c call, f found, err error) error {
	e := &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key, Version: c.version, Kind: bucket.ErrNotFound}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return e
	case err != nil:
		return b.fail(c.op, c.key, c.version, err)
	case f.DeleteMarker:
		e.Err = errors.New("it is a delete marker")
		return e
	case !f.body.Valid:
		e.Kind, e.Err = bucket.ErrBadAnswer, errors.New("the version has no body")
		return e
	}
	return nil
}

// Open reads a version; an empty version means the live one. The body comes out
// of the file chunk by chunk, so a version that is deleted for good while it is
// read ends in ErrNotFound, unless all of it fits the first chunk (256 KiB).
func (b *Bucket) Open(ctx context.Context, key, version string, first int64) (_ io.ReadCloser, _ bucket.Version, err error) {
	trace := b.asked(ctx, bucket.KindGet, "GetObject", key, version)
	defer func() {
		if err != nil {
			trace.Failed(0, err)
		}
	}()
	c := call{"read", key, version}
	if err := b.checkKey(c, key); err != nil {
		return nil, bucket.Version{}, err
	}
	var f found
	r := &reader{b: b, ctx: ctx, c: c, trace: trace}
	q, args := pick(key, version)
	err = b.patient(ctx, func() error {
		f, r.buf = found{}, nil
		return b.db.QueryRowContext(ctx, "SELECT "+foundColumns+", CASE WHEN length(bytes) <= ? THEN bytes END"+
			" FROM versions LEFT JOIN chunks ON chunks.body = versions.body AND n = 0 "+q,
			append([]any{chunkSize}, args...)...).Scan(append(f.into(), &r.buf)...)
	})
	if err := b.readable(c, f, err); err != nil {
		return nil, bucket.Version{}, err
	}
	f.Key = key
	f.Modified = when(f.modified)
	f.Latest = version == ""
	f.MD5 = true // see store
	r.body, r.size, r.id = f.body.Int64, f.Size, f.ID
	r.left = f.Size
	if first > 0 {
		r.left = min(r.left, first)
	}
	if err := r.took(); err != nil {
		return nil, bucket.Version{}, err
	}
	return r, f.Version, nil
}

// A reader reads a body, one chunk at a time.
type reader struct {
	b    *Bucket
	ctx  context.Context
	c    call
	id   string
	body int64
	size int64
	at   int64  // offset of the next chunk
	left int64  // bytes still to give
	buf  []byte // of the chunk at hand

	trace *bucket.Trace
	given int64 // bytes so far
}

func (r *reader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		r.trace.Failed(r.given, nil)
		return 0, io.EOF
	}
	if len(r.buf) == 0 {
		if err := r.load(); err != nil {
			r.trace.Failed(r.given, err)
			return 0, err
		}
	}
	n := copy(p[:min(int64(len(p)), r.left)], r.buf)
	r.buf = r.buf[n:]
	r.left -= int64(n)
	r.given += int64(n)
	return n, nil
}

func (r *reader) load() error {
	err := r.b.patient(r.ctx, func() error {
		return r.b.db.QueryRowContext(r.ctx, "SELECT bytes FROM chunks WHERE body = ? AND n = ? AND length(bytes) <= ?",
			r.body, r.at/chunkSize, chunkSize).Scan(&r.buf)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return r.gone()
	}
	if err != nil {
		return r.b.fail(r.c.op, r.c.key, r.c.version, err)
	}
	return r.took()
}

// took checks the size of the chunk that was read.
func (r *reader) took() error {
	if int64(len(r.buf)) != min(r.size-r.at, chunkSize) {
		return r.damaged()
	}
	r.at += int64(len(r.buf))
	return nil
}

// gone tells a version that was deleted meanwhile from a damaged file.
func (r *reader) gone() error {
	var there bool
	err := r.b.patient(r.ctx, func() error {
		return r.b.db.QueryRowContext(r.ctx, "SELECT EXISTS (SELECT 1 FROM versions WHERE key = ? AND id = ? AND body = ?)",
			[]byte(r.c.key), r.id, r.body).Scan(&there)
	})
	if err != nil {
		return r.b.fail(r.c.op, r.c.key, r.c.version, err)
	}
	if there {
		return r.damaged()
	}
	return &bucket.Error{Op: r.c.op, Bucket: r.b.URL(), Key: r.c.key, Version: r.c.version,
		Kind: bucket.ErrNotFound, Err: errors.New("it was deleted while it was read")}
}

func (r *reader) damaged() error {
	return &bucket.Error{Op: r.c.op, Bucket: r.b.URL(), Key: r.c.key, Version: r.c.version,
		Kind: bucket.ErrBadAnswer, Err: errors.New("a part of the body is missing"),
		Hint: "the bucket file is damaged; use a copy of it"}
}

func (r *reader) Close() error {
	r.trace.Failed(r.given, nil)
	r.left, r.buf = 0, nil
	return nil
}
