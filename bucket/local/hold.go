package local

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/bucket"
)

// heldSchema is the schema's version of files in which a version is or was held. Programs
// that know nothing of holds, and would remove what is held, refuse such a file.
const heldSchema = 2

const holdsTable = `CREATE TABLE IF NOT EXISTS holds (
	key BLOB NOT NULL,
	id  TEXT NOT NULL,
	PRIMARY KEY (key, id)
) WITHOUT ROWID`

const hasHolds = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'holds')"

// Hold puts a version under a hold, or takes it away. As on S3 a delete marker can still
// be laid over it.
func (b *Bucket) Hold(ctx context.Context, key, version string, on bool) (err error) {
	trace := b.asked(ctx, bucket.KindPut, "PutObjectLegalHold", key, version)
	defer func() { trace.Failed(0, err) }()
	c := call{"change the hold of", key, version}
	if err := b.checkKey(c, key); err != nil {
		return err
	}
	if version == "" {
		return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key, Err: errors.New("no version was named")}
	}
	return b.write(ctx, c, func(t *tx) error {
		var f found
		q, args := pick(key, version)
		err := t.one("SELECT "+foundColumns+" FROM versions "+q, args, f.into()...)
		if err := b.readable(c, f, err); err != nil {
			return err
		}
		if !on {
			there, err := t.hasHolds()
			if err != nil || !there {
				return err
			}
			return t.exec("DELETE FROM holds WHERE key = ? AND id = ?", []byte(key), version)
		}
		if err := t.exec(holdsTable); err != nil {
			return err
		}
		if err := t.exec(fmt.Sprintf("PRAGMA user_version = %d", heldSchema)); err != nil {
			return err
		}
		return t.exec("INSERT OR IGNORE INTO holds VALUES (?, ?)", []byte(key), version)
	})
}

func (t *tx) hasHolds() (there bool, err error) {
	return there, t.one(hasHolds, nil, &there)
}

// free refuses to remove a version that is held.
func (t *tx) free(key, id string) error {
	there, err := t.hasHolds()
	if err != nil || !there {
		return err
	}
	var held bool
	if err := t.one("SELECT EXISTS (SELECT 1 FROM holds WHERE key = ? AND id = ?)", []any{[]byte(key), id}, &held); err != nil || !held {
		return err
	}
	return &bucket.Error{Op: "remove a version of", Bucket: t.b.URL(), Key: key, Version: id, Kind: bucket.ErrDenied,
		Err: errors.New("it is under a hold"), Hint: "take the hold away first: \"provcat-tui protect --off\""}
}

// holds says whether any version of the file is or was held.
func (b *Bucket) holds(ctx context.Context) (there bool, err error) {
	err = b.patient(ctx, func() error { return b.db.QueryRowContext(ctx, hasHolds).Scan(&there) })
	return there, b.fail("read the holds of", "", "", err)
}

// Protection of a version: whether it is held. Where nothing ever was, nothing is asked
// of the version.
func (b *Bucket) Protection(ctx context.Context, key, version string) (p bucket.Protection, err error) {
	if there, err := b.holds(ctx); err != nil || !there {
		return p, err
	}
	trace := b.asked(ctx, bucket.KindGet, "GetObjectLegalHold", key, version)
	defer func() { trace.Failed(0, err) }()
	c := call{"read the protection of", key, version}
	if version == "" {
		return p, &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key, Err: errors.New("no version was named")}
	}
	var f found
	q, args := pick(key, version)
	err = b.patient(ctx, func() error {
		f = found{}
		return b.db.QueryRowContext(ctx, "SELECT "+foundColumns+", EXISTS (SELECT 1 FROM holds WHERE holds.key = versions.key AND holds.id = versions.id) FROM versions "+q, args...).
			Scan(append(f.into(), &p.LegalHold)...)
	})
	if err := b.readable(c, f, err); err != nil {
		return bucket.Protection{}, err
	}
	return p, nil
}
