package local

import (
	"context"
	"iter"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// maxPage is S3's largest page.
const maxPage = 1000

// A row is a version and its place among all.
type row struct {
	bucket.Version
	place int64
}

// A span is what is left of a listing: rows after (key, place), or from key on
// where place is below all, and before end.
type span struct {
	key   string
	place int64
	end   string // exclusive; empty: none
	last  string // inclusive; empty: none
}

// Places are negative: these come before and after all of a key's versions.
const (
	beforeAll = -1 << 63
	afterAll  = 0
)

// page reads the next rows of a listing in one short query: nothing is locked
// while the caller works on them.
func (b *Bucket) page(ctx context.Context, s span, limit int) (rows []row, err error) {
	q := "SELECT " + keyColumn + ", place, " + idColumn + ", marker, modified, " + etagColumn + ", size FROM versions WHERE (key, place) > (?, ?)"
	args := []any{[]byte(s.key), s.place}
	if s.end != "" {
		q += " AND key < ?"
		args = append(args, []byte(s.end))
	}
	if s.last != "" {
		q += " AND key <= ?"
		args = append(args, []byte(s.last))
	}
	q += " ORDER BY key, place LIMIT ?"
	args = append(args, limit)
	err = b.patient(ctx, func() error {
		rows = rows[:0]
		res, err := b.db.QueryContext(ctx, q, args...)
		if err != nil {
			return err
		}
		defer func() { _ = res.Close() }() // Err tells what Close would
		for res.Next() {
			var r row
			var modified int64
			if err := res.Scan((*short)(&r.Key), &r.place, (*short)(&r.ID), &r.DeleteMarker, &modified, (*short)(&r.ETag), &r.Size); err != nil {
				return err
			}
			r.Modified = when(modified)
			rows = append(rows, r)
		}
		return res.Err()
	})
	return rows, err
}

// when keeps times in the years that RFC 3339 can write: a file may come from
// anybody.
func when(unix int64) time.Time {
	return time.Unix(min(max(unix, 0), 253402300799), 0).UTC()
}

// pastPrefix is the first key after all that have the prefix; empty: none.
func pastPrefix(p string) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] < 0xff {
			return p[:i] + string([]byte{p[i] + 1})
		}
	}
	return ""
}

// Versions lists every version and marker in the range, page by page.
func (b *Bucket) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		limit := r.PageSize
		if limit <= 0 || limit > maxPage {
			limit = maxPage
		}
		s := span{key: r.Prefix, place: beforeAll, end: pastPrefix(r.Prefix), last: r.Through}
		if r.After != "" && r.After >= r.Prefix {
			s.key, s.place = r.After, afterAll
		}
		before := "" // the key of the row before: a key's first row is its latest
		for {
			trace := b.asked(ctx, bucket.KindList, "ListObjectVersions", r.Prefix, "")
			rows, err := b.page(ctx, s, limit)
			trace.Failed(0, err)
			if err != nil {
				yield(bucket.Version{}, b.fail("list versions of", r.Prefix, "", err))
				return
			}
			for _, row := range rows {
				row.Latest = row.Key != before
				before = row.Key
				if !yield(row.Version, nil) {
					return
				}
			}
			if len(rows) < limit {
				return
			}
			end := rows[len(rows)-1]
			s.key, s.place = end.Key, end.place
		}
	}
}

// Level lists one level. It reads little where there are folders, each of which
// is jumped over, and whole pages where there are only keys.
func (b *Bucket) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		s := span{key: prefix, place: beforeAll, end: pastPrefix(prefix)}
		before := ""
		const least = 16
		limit := least
		for {
			trace := b.asked(ctx, bucket.KindList, "ListObjectVersions", prefix, "")
			rows, err := b.page(ctx, s, limit)
			trace.Failed(0, err)
			if err != nil {
				yield(bucket.Item{}, b.fail("list versions of", prefix, "", err))
				return
			}
			folder := ""
			for _, row := range rows {
				if folder != "" && strings.HasPrefix(row.Key, folder) {
					continue
				}
				item := bucket.Item{}
				folder = folderOf(row.Key, prefix)
				if folder != "" {
					item.Folder = folder
				} else {
					row.Latest = row.Key != before
					before = row.Key
					item.Version = row.Version
				}
				if !yield(item, nil) {
					return
				}
			}
			if len(rows) < limit {
				return
			}
			if folder != "" {
				// "/" is never 0xff, so there is always a key past a folder.
				s.key, s.place = pastPrefix(folder), beforeAll
				limit = least
				continue
			}
			end := rows[len(rows)-1]
			s.key, s.place = end.Key, end.place
			limit = min(2*limit, maxPage)
		}
	}
}

// folderOf is the folder right under prefix that holds key; empty: key itself
// lies on this level.
func folderOf(key, prefix string) string {
	if i := strings.IndexByte(key[len(prefix):], '/'); i >= 0 {
		return key[:len(prefix)+i+1]
	}
	return ""
}
