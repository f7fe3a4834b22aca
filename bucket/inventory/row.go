package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// A Row is one version or delete marker of a report. Its bytes are valid until the
// next row is read. Nothing in it has been checked beyond its form.
type Row struct {
	Bucket, Key []byte
	Version     []byte // bucket.NullID where the report has none
	Latest      bool
	Marker      bool
	Size        int64 // bytes, 0 or more
	ETag        []byte
	Class       []byte // storage class; empty: not told
	Tier        []byte // access tier of INTELLIGENT_TIERING; empty: not told
	modified    []byte // CSV: as written
	modifiedMS  int64  // Parquet; 0: not told
}

// maxObject is the most bytes that a size may tell: a thousand times S3's largest.
const maxObject = 50 << 50

// maxKey is the longest key in bytes (S3 user guide, "Object key naming"), with room for
// other stores.
const maxKey = 4096

var nullID = []byte(bucket.NullID)

// Told gives the row as a listing would have it.
func (r *Row) Told() bucket.Version {
	v := bucket.Version{Key: string(r.Key), ID: string(r.Version), Latest: r.Latest, DeleteMarker: r.Marker, Size: r.Size,
		ETag: string(r.ETag), StorageClass: string(r.Class)}
	if r.modifiedMS > 0 {
		v.Modified = time.UnixMilli(r.modifiedMS).UTC()
	} else if t, err := time.Parse(time.RFC3339, string(r.modified)); err == nil {
		v.Modified = t.UTC()
	}
	return v
}

// set takes a column's text. The key is decoded already.
func (r *Row) set(c column, text []byte) error {
	switch c {
	case colBucket:
		r.Bucket = text
	case colKey:
		if len(text) == 0 || len(text) > maxKey {
			return fmt.Errorf("its key has %d bytes: 1 to %d are possible", len(text), maxKey)
		}
		r.Key = text
	case colVersion:
		// S3 user guide, "Converting empty version ID strings in Inventory reports to
		// null strings": empty is the null version.
		if r.Version = text; len(text) == 0 {
			r.Version = nullID
		}
	case colLatest, colMarker:
		yes := bytes.EqualFold(text, []byte("true"))
		if !yes && !bytes.EqualFold(text, []byte("false")) {
			return fmt.Errorf("it has %q where true or false should be", clip(text))
		}
		if c == colLatest {
			r.Latest = yes
		} else {
			r.Marker = yes
		}
	case colSize:
		if r.Size = 0; len(text) > 0 { // a delete marker has none
			n, err := strconv.ParseInt(string(text), 10, 64)
			if err != nil {
				return fmt.Errorf("its size is %q, no number", clip(text))
			}
			return r.setSize(n)
		}
	case colModified:
		r.modified = text
	case colETag:
		r.ETag = bytes.Trim(text, `"`)
	case colClass:
		r.Class = text
	case colTier:
		r.Tier = text
	}
	return nil
}

func (r *Row) setSize(n int64) error {
	if n < 0 || n > maxObject {
		return fmt.Errorf("its size is %d, which no object has", n)
	}
	r.Size = n
	return nil
}

// clip shortens what an error quotes.
func clip(text []byte) []byte { return text[:min(len(text), 64)] }

// Archived says that an access tier has to be restored from before a read.
//
// S3 user guide, "S3 Intelligent-Tiering access tiers".
func (r *Row) Archived() bool { return strings.HasSuffix(string(r.Tier), "ARCHIVE_ACCESS") }

var errEscape = errors.New("its key has an escape that is none: in CSV keys are URL-encoded, with % and two hex digits")

// unescape decodes a URL-encoded key in place: %XX, and + for a space, which S3 writes
// as its other lists do.
func unescape(t []byte) ([]byte, error) {
	if bytes.IndexByte(t, '%') < 0 && bytes.IndexByte(t, '+') < 0 {
		return t, nil
	}
	out := t[:0]
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '+':
			out = append(out, ' ')
		case '%':
			if i+2 >= len(t) {
				return nil, errEscape
			}
			hi, lo := unhex(t[i+1]), unhex(t[i+2])
			if hi < 0 || lo < 0 {
				return nil, errEscape
			}
			out = append(out, byte(hi<<4|lo))
			i += 2
		default:
			out = append(out, t[i])
		}
	}
	return out, nil
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
