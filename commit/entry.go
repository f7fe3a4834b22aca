package commit

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"provcat-tui/bucket"
)

// An Entry is the content of a log entry.
type Entry struct {
	Commit    string    // the commit's ID
	Folder    string    // only if HasFolder
	HasFolder bool      // the entry tells its folder; the whole bucket's name is empty
	Number    int64     // 0: unknown
	Time      time.Time // UTC; zero: unknown
}

// ErrEntry marks bytes that are neither JSON with "commit" nor 64 hex digits.
var ErrEntry = errors.New("not a log entry")

// maxEntry is how much of a log entry is read, in bytes; a longer one is none.
const maxEntry = 64 << 10

// ParseEntry reads a log entry: a JSON object with the ID in its member "commit",
// or the bare 64 hex digits, both with any white space around them. Other members
// that are absent, or not what they should be, are unknown. Everything else is
// ErrEntry.
func ParseEntry(body []byte) (Entry, error) {
	if len(body) > maxEntry {
		return Entry{}, fmt.Errorf("%w: it has more than %d bytes", ErrEntry, maxEntry)
	}
	body = bytes.TrimSpace(body)
	if id := strings.ToLower(string(body)); ValidID(id) {
		return Entry{Commit: id}, nil
	}
	bad := fmt.Errorf("%w: it is neither a JSON object with the member \"commit\" nor 64 hex digits", ErrEntry)
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return Entry{}, bad
	}
	var e Entry
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return Entry{}, bad
		}
		name := t.String()
		v, err := d.ReadValue()
		if err != nil {
			return Entry{}, bad
		}
		s, isString := unquote(v)
		switch name {
		case "commit":
			if s = strings.ToLower(s); !ValidID(s) {
				return Entry{}, fmt.Errorf("%w: its \"commit\" is not 64 hex digits", ErrEntry)
			}
			e.Commit = s
		case "folder":
			e.Folder, e.HasFolder = s, isString
		case "number":
			e.Number, _ = integer(v)
		case "time":
			if isString {
				e.Time, _ = parseTime(s) // zero with an error: unknown
			}
		}
	}
	if _, err := d.ReadToken(); err != nil || e.Commit == "" {
		return Entry{}, bad
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return Entry{}, bad
	}
	return e, nil
}

// EncodeEntry gives the bytes of a log entry, as the format lays them out. All
// members must be known.
func EncodeEntry(e Entry) []byte {
	b := append([]byte(nil), `{"commit":`...)
	b = appendString(b, e.Commit)
	b = append(b, `,"folder":`...)
	b = appendString(b, e.Folder)
	b = append(b, `,"number":`...)
	b = strconv.AppendInt(b, e.Number, 10)
	b = append(b, `,"time":`...)
	b = appendString(b, FormatTime(e.Time))
	return append(b, '}')
}

// fits says whether what the entry tells of itself can stand at a key.
func (e Entry) fits(key string) bool {
	hash, n, ok := ParseSlotKey(key)
	return ok && (e.Number == 0 || e.Number == n) && (!e.HasFolder || FolderHash(e.Folder) == hash)
}

// intact says whether these are a version's bytes, as far as its ETag tells. It is asked
// only of bytes that are odd: not every store's ETag is what it looks like.
func intact(body []byte, v bucket.Version) bool {
	if !v.MD5 || int64(len(body)) != v.Size {
		return true
	}
	sum := md5.Sum(body)
	return hex.EncodeToString(sum[:]) == v.ETag
}

// LoadEntry reads one version of a slot; an empty version is the live one.
// ErrEntry: its bytes are no log entry. bucket.ErrNotFound: it is gone, or is a
// marker. bucket.ErrBadAnswer: they are not the bytes that the store keeps. Other
// errors: it could not be read.
func LoadEntry(ctx context.Context, b bucket.Bucket, key, version string) (Entry, error) {
	e, _, err := loadEntry(ctx, b, key, version)
	return e, err
}

func loadEntry(ctx context.Context, b bucket.Bucket, key, version string) (Entry, bucket.Version, error) {
	r, v, err := b.Open(ctx, key, version, maxEntry+1)
	if err != nil {
		return Entry{}, v, err
	}
	defer func() { _ = r.Close() }() // only read from
	body, err := io.ReadAll(io.LimitReader(r, maxEntry+1))
	var e Entry
	if err == nil {
		e, err = ParseEntry(body)
		if (err != nil || !e.fits(key)) && !intact(body, v) {
			return Entry{}, v, &bucket.Error{Op: "read log entry", Bucket: b.URL(), Key: key, Version: version, Kind: bucket.ErrBadAnswer,
				Err: fmt.Errorf("the bytes that came do not have the checksum %s that the store tells", v.ETag), Hint: "try again; if it stays, the store gives other bytes than it keeps"}
		}
	}
	if be := (*bucket.Error)(nil); err != nil && !errors.As(err, &be) {
		err = &bucket.Error{Op: "read log entry", Bucket: b.URL(), Key: key, Version: version, Err: err}
	}
	return e, v, err
}
