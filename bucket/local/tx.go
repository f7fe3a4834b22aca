package local

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"provcat-tui/bucket"
)

// A call says what is being done and on what, for error texts.
type call struct{ op, key, version string }

// patient runs f again while the file's lock is held by somebody else, for as
// long as the bucket waits and ctx allows.
func (b *Bucket) patient(ctx context.Context, f func() error) error {
	end := time.Now().Add(b.wait)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := f()
		if c := code(err); c != sqlite3.SQLITE_BUSY && c != sqlite3.SQLITE_LOCKED {
			if ctx.Err() != nil && err != nil {
				return ctx.Err() // SQLite only says "interrupted"
			}
			return err
		}
		if time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(1+rand.IntN(20)) * time.Millisecond):
		}
	}
}

// A tx is one write transaction.
type tx struct {
	b    *Bucket
	ctx  context.Context
	conn *sql.Conn
}

func (t *tx) exec(q string, args ...any) error {
	_, err := t.conn.ExecContext(t.ctx, q, args...)
	return err
}

// one scans the only row; sql.ErrNoRows where there is none.
func (t *tx) one(q string, args []any, into ...any) error {
	return t.conn.QueryRowContext(t.ctx, q, args...).Scan(into...)
}

// write runs f in one transaction that has the write lock from its start, and
// makes it durable. ctx ends the waits; once the last of them is over the write
// is done to its end. An error whose kind is ErrUnclear says that the commit's
// outcome is unknown; after any other error nothing was written.
func (b *Bucket) write(ctx context.Context, c call, f func(*tx) error) error {
	select {
	case b.writer <- struct{}{}:
	case <-ctx.Done():
		return b.fail(c.op, c.key, c.version, ctx.Err())
	}
	defer func() { <-b.writer }()

	var conn *sql.Conn
	err := b.patient(ctx, func() (err error) {
		conn, err = b.db.Conn(ctx)
		return err
	})
	if err != nil {
		return b.fail(c.op, c.key, c.version, err)
	}
	defer func() { _ = conn.Close() }() // only gives it back to the pool
	// Statements are short, and an interrupt in the midst of them would only
	// make the outcome harder to tell.
	t := &tx{b, context.WithoutCancel(ctx), conn}
	if err := b.patient(ctx, func() error { return t.exec("BEGIN IMMEDIATE") }); err != nil {
		return b.fail(c.op, c.key, c.version, err)
	}
	if err := f(t); err != nil {
		t.rollback()
		return b.fail(c.op, c.key, c.version, err)
	}
	// A commit that meets readers keeps new ones out and can be tried again.
	var last error // what SQLite said; patient may say that ctx is over
	if err := b.patient(ctx, func() error { last = t.exec("COMMIT"); return last }); err != nil {
		nothing := t.rollback() || undone(last)
		err = b.fail(c.op, c.key, c.version, err)
		var e *bucket.Error
		if !nothing && errors.As(err, &e) {
			e.Kind = bucket.ErrUnclear
		}
		return err
	}
	return nil
}

// rollback gives up the transaction. False: it was no longer open, or could not
// be given up, and so is the connection.
func (t *tx) rollback() bool {
	if err := t.exec("ROLLBACK"); err != nil {
		_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
		return false
	}
	return true
}
