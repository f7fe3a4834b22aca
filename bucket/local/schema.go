package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

const (
	// applicationID marks our files for SQLite, file(1) and check: "pvct".
	applicationID = 0x70766374
	schemaVersion = 1
)

// The schema. place is minus the number that the counter gave: so the plain
// order of the primary key is that of a listing, keys ascending and the newest
// version first. Bodies are immutable, so that versions may share one (copies).
// A body that is still being uploaded is named in uploads and by no version.
const schema = `
CREATE TABLE bucket (
	one        INTEGER PRIMARY KEY CHECK (one = 1),
	counter    INTEGER NOT NULL,
	versioning TEXT NOT NULL,
	lifecycle  TEXT NOT NULL
);
INSERT INTO bucket VALUES (1, 0, 'enabled', '[]');
CREATE TABLE versions (
	key      BLOB NOT NULL,
	place    INTEGER NOT NULL,
	id       TEXT NOT NULL,
	marker   INTEGER NOT NULL,
	modified INTEGER NOT NULL,
	etag     TEXT NOT NULL,
	size     INTEGER NOT NULL,
	body     INTEGER,
	PRIMARY KEY (key, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX version_ids ON versions (key, id);
CREATE INDEX version_bodies ON versions (body) WHERE body IS NOT NULL;
CREATE TABLE chunks (
	body  INTEGER NOT NULL,
	n     INTEGER NOT NULL,
	bytes BLOB NOT NULL,
	PRIMARY KEY (body, n)
);
CREATE TABLE uploads (
	body    INTEGER PRIMARY KEY,
	touched INTEGER NOT NULL
);`

func openDB(abs string, noSync bool) *sql.DB {
	// As a URI, so that no character of the path means anything to SQLite.
	// mode=rw never makes a file, and falls back to reading where the file may
	// not be written. The lock is waited for in Go (see patient), where a
	// context can end it. trusted_schema=0: the file may come from anybody.
	q := "mode=rw&_pragma=busy_timeout(100)&_pragma=trusted_schema(0)&_pragma=cache_size(-4096)"
	if noSync {
		q += "&_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)&_pragma=locking_mode(EXCLUSIVE)"
	} else {
		// A commit is the removal of the journal; only EXTRA also syncs the
		// directory, without which a power loss could bring the journal back and
		// undo what was acknowledged (SQLite, "PRAGMA synchronous").
		q += "&_pragma=synchronous(EXTRA)"
	}
	u := url.URL{Scheme: "file", Path: abs, RawQuery: q}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		panic(err) // only if the driver's name were unknown
	}
	n := 8
	if noSync {
		n = 1 // the lock is exclusive to one connection
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db
}

func (b *Bucket) create(ctx context.Context) error {
	return b.write(ctx, call{"create", "", ""}, func(t *tx) error {
		if err := t.exec(schema); err != nil {
			return err
		}
		return t.exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, schemaVersion))
	})
}

// check makes sure that the file is a bucket that this program can read.
func (b *Bucket) check(ctx context.Context) error {
	var app, version int64
	err := b.patient(ctx, func() error {
		if err := b.db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app); err != nil {
			return err
		}
		return b.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	})
	switch {
	case code(err) == sqlite3.SQLITE_NOTADB:
		return notABucket(b.path, "its content is something else", "check the path; a bucket file is made by \"provcat-tui demo\"")
	case err != nil:
		return b.fail("open", "", "", err)
	case app == 0 && version == 0:
		return notABucket(b.path, "it is empty, or another program's database", "check the path; an empty file is left where the making of a bucket was cut short and can be removed")
	case app != applicationID:
		return notABucket(b.path, "it is another program's database", "check the path")
	case version < 1 || version > heldSchema:
		return notABucket(b.path, fmt.Sprintf("its schema has version %d and this program reads versions up to %d", version, heldSchema), "use a newer provcat-tui")
	}
	return b.checkContent(ctx)
}

const damagedHint = "the file is damaged; look at it with the sqlite3 command .recover, or use a copy of it"

func notABucket(path, why, hint string) error {
	return fmt.Errorf("%w: %s is not a provcat bucket file: %s; %s", bucket.ErrUsage, safe.Text(path), why, hint)
}

// code is SQLite's primary result code, 0 for other errors and for nil.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// undone says of an error of COMMIT that SQLite took the transaction back: it is done by
// the removal of the journal, and these come before that. What it cannot take back in the
// file at once, the journal takes back when the file is read next. A failed removal, or one
// that may not be durable, proves nothing.
func undone(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE:
		return true
	}
	return false
}

// fail explains an error of SQLite or of a context. Errors that already tell
// all (of this package, of the caller's body) stay as they are.
func (b *Bucket) fail(op, key, version string, err error) error {
	var own *bucket.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	e := &bucket.Error{Op: op, Bucket: b.URL(), Key: key, Version: version, Err: err}
	if _, gone := os.Stat(b.path); code(err) != 0 && errors.Is(gone, fs.ErrNotExist) {
		// Not bucket.ErrNotFound: of the object nothing is known.
		e.Err = errors.New("the bucket's file was moved or deleted while it was open")
		e.Hint = "put it back, and open it again"
		return e
	}
	if errors.Is(err, errNotShort) {
		e.Kind, e.Err, e.Hint = bucket.ErrBadAnswer, errNotShort, damagedHint
		return e
	}
	switch code(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		e.Err = fmt.Errorf("another process held the file's lock for %v", b.wait.Round(time.Second))
		e.Hint = "try again when it has finished"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		e.Kind = bucket.ErrDenied
		e.Hint = "make the file and its directory writable for you"
	case sqlite3.SQLITE_CANTOPEN:
		e.Kind = bucket.ErrDenied
		e.Hint = "make the file readable, and to write its directory writable, for you"
	case sqlite3.SQLITE_FULL:
		e.Kind = bucket.ErrUnwritable
		e.Hint = "make room on the disk"
	case sqlite3.SQLITE_IOERR:
		if undone(err) {
			e.Kind = bucket.ErrUnwritable
			e.Hint = "look at the disk: it may be full or broken, or a limit may hold the file's size"
		}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		e.Kind = bucket.ErrBadAnswer
		e.Hint = damagedHint
	}
	return e
}
