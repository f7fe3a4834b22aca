package local

import (
	"context"
	"errors"
	"fmt"
)

// A file may come from anybody, and one field of it may hold a gigabyte (SQLite, "Limits
// In SQLite"): no more of a name is read than its writer may write. octet_length looks at
// no byte of a field.
const (
	keyColumn  = "CASE WHEN octet_length(key) <= 1024 THEN key END"
	idColumn   = "CASE WHEN octet_length(id) <= 1024 THEN id END"
	etagColumn = "CASE WHEN octet_length(etag) <= 1024 THEN etag END"
)

// foreignKeys says whether any key is no BLOB. Such rows come before all others, where no
// listing finds them (SQLite, "Datatypes In SQLite", 4.1).
const foreignKeys = "SELECT EXISTS (SELECT 1 FROM versions WHERE key < x'')"

// otherThings says whether the file holds more than tables and indexes: a view in a
// table's place may have rows without an end, a trigger does what nobody asked for.
const otherThings = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%')"

// checkContent refuses a file whose reading could go on for ever, or in which keys would
// pass for absent.
func (b *Bucket) checkContent(ctx context.Context) error {
	var other, foreign bool
	err := b.patient(ctx, func() error {
		if err := b.db.QueryRowContext(ctx, otherThings).Scan(&other); err != nil || other {
			return err
		}
		return b.db.QueryRowContext(ctx, foreignKeys).Scan(&foreign)
	})
	switch {
	case err == nil && other:
		return notABucket(b.path, "it has views, triggers or virtual tables, which no bucket has", "use a copy of the file that nothing was added to")
	case err == nil && foreign:
		err = errNotShort
	}
	return b.fail("open", "", "", err)
}

var errNotShort = errors.New("a key, a version's ID or ETag, or a setting is longer than any may be, or is of another type")

// A short is a string of one of the columns above: what was too long is none.
type short string

func (s *short) Scan(v any) error {
	switch v := v.(type) {
	case string:
		*s = short(v)
	case []byte:
		*s = short(v)
	case nil:
		return errNotShort
	default:
		return fmt.Errorf("%w: %T", errNotShort, v)
	}
	return nil
}
