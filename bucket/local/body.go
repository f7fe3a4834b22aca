package local

import (
	"bytes"
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"provcat-tui/bucket"
)

const (
	// chunkSize is the size of a body's rows; the last one may be shorter.
	chunkSize = 256 << 10
	// batchSize is what an upload holds in memory and writes in one
	// transaction; it fits the page cache, so that no half-written transaction
	// spills into the file and shuts out readers.
	batchSize = 8 * chunkSize
	// staleUpload is how long an upload whose process has died keeps its room.
	staleUpload = 24 * time.Hour
)

// An upload is a body on its way in: read from its source without any lock,
// and, where it is larger than a batch, already in the file under a number that
// no version names yet.
type upload struct {
	body int64  // its number, once a batch is in the file
	n    int64  // chunks in the file
	rest []byte // what is not yet in the file
	size int64
	etag string
}

// upload reads body from its start to its end. check may refuse it early, in
// front of each batch.
func (b *Bucket) upload(ctx context.Context, c call, body io.ReadSeeker, check func(*tx) error) (*upload, error) {
	u := &upload{}
	sum := md5.New() // S3's ETag of a body that was put in one piece
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return nil, b.badBody(c, err)
	}
	var buf bytes.Buffer
	for {
		if err := ctx.Err(); err != nil {
			b.abandon(ctx, u)
			return nil, b.fail(c.op, c.key, "", err)
		}
		buf.Reset()
		got, err := io.CopyN(&buf, body, batchSize)
		if err != nil && err != io.EOF {
			b.abandon(ctx, u)
			return nil, b.badBody(c, err)
		}
		_, _ = sum.Write(buf.Bytes()) // a hash takes all
		u.size += got
		u.rest = buf.Bytes()
		if err == io.EOF {
			u.etag = hex.EncodeToString(sum.Sum(nil))
			return u, nil
		}
		err = b.write(ctx, c, func(t *tx) error {
			if err := check(t); err != nil {
				return err
			}
			return t.stage(c, u)
		})
		if err != nil {
			b.abandon(ctx, u)
			return nil, staged(err)
		}
		u.rest = nil
	}
}

func (b *Bucket) badBody(c call, err error) error {
	return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key, Err: fmt.Errorf("read the body: %w", err)}
}

// staged makes an unclear outcome clear: without its last transaction nothing
// of an upload can be seen.
func staged(err error) error {
	var e *bucket.Error
	if errors.As(err, &e) && e.Kind == bucket.ErrUnclear {
		e.Kind = nil
	}
	return err
}

// abandon removes what of an upload is in the file. If it can't, a later upload
// will.
func (b *Bucket) abandon(ctx context.Context, u *upload) {
	if u.body == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = b.write(ctx, call{"clean up", "", ""}, func(t *tx) error { return t.dropUpload(u.body) })
}

// stage puts the rest of an unfinished upload into the file.
func (t *tx) stage(c call, u *upload) error {
	if u.body == 0 {
		if err := t.sweep(); err != nil {
			return err
		}
		body, err := t.next()
		if err != nil {
			return err
		}
		if err := t.exec("INSERT INTO uploads VALUES (?, ?)", body, time.Now().Unix()); err != nil {
			return err
		}
		u.body = body
	} else if err := t.touch(c, u); err != nil {
		return err
	}
	return t.chunks(u)
}

// touch says that an upload is alive, and makes sure that nobody swept it.
func (t *tx) touch(c call, u *upload) error {
	var body int64
	err := t.one("UPDATE uploads SET touched = ? WHERE body = ? RETURNING body", []any{time.Now().Unix(), u.body}, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return &bucket.Error{Op: c.op, Bucket: t.b.URL(), Key: c.key,
			Err: fmt.Errorf("the upload stood still for more than %v and was removed", staleUpload), Hint: "try again"}
	}
	return err
}

func (t *tx) chunks(u *upload) error {
	n := u.n
	for rest := u.rest; len(rest) > 0; n++ {
		size := min(len(rest), chunkSize)
		if err := t.exec("INSERT INTO chunks VALUES (?, ?, ?)", u.body, n, rest[:size]); err != nil {
			return err
		}
		rest = rest[size:]
	}
	u.n = n
	return nil
}

// finish makes an upload a body that a version will name. It gives the body's
// number.
func (t *tx) finish(c call, u *upload) (int64, error) {
	if u.body == 0 {
		body, err := t.next()
		if err != nil {
			return 0, err
		}
		mem := *u // the caller's stays unstaged: this transaction may yet fail
		mem.body = body
		return body, t.chunks(&mem)
	}
	if err := t.touch(c, u); err != nil {
		return 0, err
	}
	if err := t.exec("DELETE FROM uploads WHERE body = ?", u.body); err != nil {
		return 0, err
	}
	return u.body, t.chunks(u)
}

// sweep removes the uploads of processes that died.
func (t *tx) sweep() error {
	const stale = "SELECT body FROM uploads WHERE touched < ?"
	before := time.Now().Add(-staleUpload).Unix()
	if err := t.exec("DELETE FROM chunks WHERE body IN ("+stale+")", before); err != nil {
		return err
	}
	return t.exec("DELETE FROM uploads WHERE touched < ?", before)
}

func (t *tx) dropUpload(body int64) error {
	// Only what is still an upload: after an unclear commit it may be a body.
	err := t.exec("DELETE FROM chunks WHERE body IN (SELECT body FROM uploads WHERE body = ?)", body)
	if err != nil {
		return err
	}
	return t.exec("DELETE FROM uploads WHERE body = ?", body)
}

// dropBody removes a body that no version names any more.
func (t *tx) dropBody(body sql.NullInt64) error {
	if !body.Valid {
		return nil
	}
	return t.exec("DELETE FROM chunks WHERE body = ?1 AND NOT EXISTS (SELECT 1 FROM versions WHERE body = ?1)", body.Int64)
}

// next counts up: places and bodies are numbered together, never twice.
func (t *tx) next() (n int64, err error) {
	err = t.one("UPDATE bucket SET counter = counter + 1 RETURNING counter", nil, &n)
	return n, err
}
