package gcs

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// fields are what is asked for in a listing: what a page holds.
const fields = "kind,nextPageToken,prefixes,items(name,generation,size,md5Hash,crc32c,timeCreated,timeDeleted,storageClass)"

// softFields are those of a listing of soft-deleted objects.
const softFields = "kind,nextPageToken,items(name,generation,size,md5Hash,crc32c,timeCreated,timeDeleted,storageClass,softDeleteTime,hardDeleteTime)"

// A generation is one state of an object as the listing has it.
type generation struct {
	bucket.Version
	number  int64
	deleted time.Time // when it became noncurrent; zero: it is live
	// Of soft-deleted ones: when it was deleted, and when it will be for good.
	softDeleted, hardDelete time.Time
}

// A page is one answer to a listing.
type page struct {
	items   []generation
	folders []string
	token   string
	dec     jsontext.Decoder
	classes []string // storage classes
	scratch []byte
}

// bounded reads at most maxBody bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLong()
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && err != io.EOF {
		err = &remote.LostBody{Err: err}
	}
	return n, err
}

// decode reads an answer of objects.list. Names that appear twice are refused by the
// decoder; members that were not asked for are skipped.
func (p *page) decode(body io.Reader) error {
	clear(p.items)
	p.items, p.folders, p.token = p.items[:0], nil, ""
	p.dec.Reset(&bounded{body, maxBody})
	kind := false
	err := p.object(func(name []byte) error {
		switch string(name) {
		case "kind":
			s, err := p.text()
			kind = string(s) == "storage#objects"
			return err
		case "nextPageToken":
			s, err := p.text()
			p.token = string(s)
			return err
		case "prefixes":
			return p.array(func() error {
				s, err := p.text()
				p.folders = append(p.folders, string(s))
				return err
			})
		case "items":
			return p.array(p.item)
		}
		return p.dec.SkipValue()
	})
	if err == nil {
		switch _, end := p.dec.ReadToken(); {
		case end == nil:
			err = errors.New("more follows after its end")
		case end != io.EOF:
			err = end
		}
	}
	var lost *remote.LostBody
	var bad *remote.BadAnswer
	switch {
	case err == nil && !kind:
		return &remote.BadAnswer{Text: "not a listing of objects: its kind is not storage#objects"}
	case err == nil:
		return nil
	case errors.As(err, &lost):
		return lost
	case errors.As(err, &bad):
		return bad
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return &remote.LostBody{Err: io.ErrUnexpectedEOF}
	}
	return &remote.BadAnswer{Text: "a listing that cannot be read: " + remote.Clip(err.Error())}
}

// clocks is how far apart the clocks may be that stamp a generation.
const clocks = time.Minute

// item reads one generation.
func (p *page) item() error {
	p.items = append(p.items, generation{})
	g := &p.items[len(p.items)-1]
	g.Size = -1
	crc := ""
	err := p.object(func(name []byte) (err error) {
		var s []byte
		switch string(name) {
		case "name":
			if s, err = p.text(); err == nil {
				g.Key = p.key(s)
			}
		case "generation":
			if s, err = p.text(); err == nil {
				g.ID = string(s)
				g.number, err = number(g.ID)
			}
		case "size":
			if s, err = p.text(); err == nil {
				g.Size, err = number(string(s))
			}
		case "md5Hash":
			if s, err = p.text(); err == nil {
				g.ETag, err = md5Hex(s)
			}
		case "crc32c":
			s, err = p.text()
			crc = string(s)
		case "storageClass":
			if s, err = p.text(); err == nil {
				g.StorageClass = p.storageClass(s)
			}
		case "timeCreated":
			g.Modified, err = p.time()
		case "timeDeleted":
			g.deleted, err = p.time()
		case "softDeleteTime":
			g.softDeleted, err = p.time()
		case "hardDeleteTime":
			g.hardDelete, err = p.time()
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case g.Key == "" || g.ID == "" || g.Modified.IsZero() || g.Size < 0:
		return &remote.BadAnswer{Text: fmt.Sprintf("an object without its name, generation, size or time of creation: %.80q", g.Key)}
	}
	if !g.deleted.IsZero() && g.deleted.Before(g.Modified.Add(-clocks)) {
		return &remote.BadAnswer{Text: fmt.Sprintf("generation %s of %.80q stopped being live before it was made", g.ID, g.Key)}
	}
	if g.ETag == "" && crc != "" {
		g.ETag = crcPrefix + crc
	}
	return nil
}

// key gives s as a string, that of the item before where it is the same.
func (p *page) key(s []byte) string {
	if n := len(p.items); n > 1 && p.items[n-2].Key == string(s) {
		return p.items[n-2].Key
	}
	return string(s)
}

// storageClass keeps each class once.
func (p *page) storageClass(s []byte) string {
	for _, kept := range p.classes {
		if kept == string(s) {
			return kept
		}
	}
	class := string(s)
	if len(p.classes) < 16 {
		p.classes = append(p.classes, class)
	}
	return class
}

// object reads an object, and calls f at the value of each member. The name lasts
// until the next read.
func (p *page) object(f func(name []byte) error) error {
	t, err := p.dec.ReadToken()
	if err != nil || t.Kind() != '{' {
		return misplaced(err)
	}
	for p.dec.PeekKind() != '}' {
		name, err := p.text()
		if err == nil {
			err = f(name)
		}
		if err != nil {
			return err
		}
	}
	_, err = p.dec.ReadToken()
	return err
}

func (p *page) array(f func() error) error {
	t, err := p.dec.ReadToken()
	if err != nil || t.Kind() != '[' {
		return misplaced(err)
	}
	for p.dec.PeekKind() != ']' {
		if err := f(); err != nil {
			return err
		}
	}
	_, err = p.dec.ReadToken()
	return err
}

// text reads a string, which lasts until the next read; the API writes its 64-bit
// numbers as strings too.
func (p *page) text() ([]byte, error) {
	v, err := p.dec.ReadValue()
	if err != nil || v.Kind() != '"' {
		return nil, misplaced(err)
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1], nil
	}
	p.scratch, err = jsontext.AppendUnquote(p.scratch[:0], v)
	return p.scratch, err
}

func (p *page) time() (time.Time, error) {
	s, err := p.text()
	if err != nil {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339Nano, string(s))
	if err != nil {
		return time.Time{}, &remote.BadAnswer{Text: fmt.Sprintf("a time that is none: %.40q", s)}
	}
	return t.UTC(), nil
}

func misplaced(err error) error {
	if err != nil {
		return err
	}
	return &remote.BadAnswer{Text: "a listing in which a value is of another kind than it should be"}
}

// number reads a 64-bit number that is not negative.
func number(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, &remote.BadAnswer{Text: fmt.Sprintf("a number that is none: %.40q", s)}
	}
	return n, nil
}

// crcPrefix goes before the checksum of what has no MD5.
const crcPrefix = "crc32c:"

// etag tells the bytes apart: the MD5 in hex; for composed objects, which have none,
// the CRC32C. The API's own ETag changes with the metadata. Empty: neither is told.
func etag(md5, crc string) (string, error) {
	if md5 != "" {
		return md5Hex([]byte(md5))
	}
	if crc != "" {
		return crcPrefix + crc, nil
	}
	return "", nil
}

// md5Hex writes an MD5 of the API, which is in base64, in hex.
func md5Hex(s []byte) (string, error) {
	var sum [18]byte
	if base64.StdEncoding.DecodedLen(len(s)) <= len(sum) {
		if n, err := base64.StdEncoding.Decode(sum[:], s); err == nil && n == 16 {
			return hex.EncodeToString(sum[:16]), nil
		}
	}
	return "", &remote.BadAnswer{Text: fmt.Sprintf("an MD5 that is none: %.40q", s)}
}

// wholeObject says that body is one JSON object and nothing else.
func wholeObject(body []byte) bool {
	v := jsontext.Value(body)
	return v.IsValid() && v.Kind() == '{'
}
