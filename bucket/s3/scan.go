package s3

import (
	"bytes"
	"fmt"
	"time"

	"provcat-tui/bucket"
)

// An entry is one <Version> or <DeleteMarker>, in the order of the document. Its
// byte slices point into the page's body.
type entry struct {
	key, id, etag, class []byte
	size                 int64
	modified             time.Time
	latest, marker       bool
}

// A page is one answer to ListObjectVersions.
//
// S3 API reference, "ListObjectVersions": the elements and their meaning.
type page struct {
	body    []byte
	entries []entry
	folders [][]byte // CommonPrefixes

	name      []byte
	prefix    []byte
	hasPrefix bool
	delimiter []byte
	nextKey   []byte
	nextID    []byte
	truncated bool
	encoded   bool // keys are percent-encoded

	key *hashKey // has sum made; nil: nobody needs it
	sum [16]byte // of the body as it came
	raw bool     // the body is not decoded
}

const rootName = "ListVersionsResult"

// parse decodes p.body, in which it writes. Errors are *badAnswer.
func (p *page) parse() error {
	p.entries, p.folders = p.entries[:0], p.folders[:0]
	p.name, p.prefix, p.delimiter, p.nextKey, p.nextID = nil, nil, nil, nil, nil
	p.hasPrefix, p.truncated, p.encoded = false, false, false

	if len(bytes.TrimSpace(p.body)) == 0 {
		return &badAnswer{Text: "the body is empty, or holds no XML"}
	}
	s := &xmlScanner{b: p.body}
	err := s.prolog()
	if err != nil {
		return &badAnswer{Text: err.Error()}
	}
	s.space()
	root, empty, err := s.tag()
	if err != nil || string(root) != rootName {
		return &badAnswer{Text: fmt.Sprintf("not a version listing: it starts with %.60q", bytes.TrimSpace(p.body))}
	}
	if empty {
		return &badAnswer{Text: "the listing says nothing, not even whether it is complete"}
	}
	if err := p.parseRoot(s); err != nil {
		return &badAnswer{Text: err.Error()}
	}
	if s.space(); s.i != len(s.b) {
		return &badAnswer{Text: s.errorf("something follows the listing").Error()}
	}
	if err := p.decode(); err != nil {
		return &badAnswer{Text: err.Error()}
	}
	return nil
}

// parseRoot reads the root's elements, in any order, through its end tag.
func (p *page) parseRoot(s *xmlScanner) error {
	var seen uint
	once := func(bit uint, name string) error {
		if seen&(1<<bit) != 0 {
			return s.errorf("<%s> twice", name)
		}
		seen |= 1 << bit
		return nil
	}
	for {
		s.space()
		name, empty, err := s.tag()
		if err != nil {
			return err
		}
		if name[0] == '/' {
			if string(name[1:]) != rootName {
				return s.errorf("<%.40s> inside <%s>", name, rootName)
			}
			break
		}
		var into *[]byte
		var bit uint
		switch string(name) {
		case "Version", "DeleteMarker":
			if empty {
				return s.errorf("an empty <%s>", name)
			}
			kind := "Version"
			if name[0] == 'D' {
				kind = "DeleteMarker"
			}
			p.entries = append(p.entries, entry{marker: name[0] == 'D'})
			if err := p.entries[len(p.entries)-1].parse(s, kind); err != nil {
				return err
			}
			continue
		case "CommonPrefixes":
			if empty {
				return s.errorf("an empty <%s>", name)
			}
			if err := p.parseFolder(s); err != nil {
				return err
			}
			continue
		case "Name":
			into, bit = &p.name, 0
		case "Prefix":
			into, bit = &p.prefix, 1
			p.hasPrefix = true
		case "Delimiter":
			into, bit = &p.delimiter, 2
		case "NextKeyMarker":
			into, bit = &p.nextKey, 3
		case "NextVersionIdMarker":
			into, bit = &p.nextID, 4
		case "IsTruncated":
			if err := once(5, "IsTruncated"); err != nil {
				return err
			}
			if p.truncated, err = s.boolean("IsTruncated", empty); err != nil {
				return err
			}
			continue
		case "EncodingType":
			if err := once(6, "EncodingType"); err != nil {
				return err
			}
			t, err := s.text("EncodingType", empty)
			if err != nil {
				return err
			}
			switch string(t) {
			case "url":
				p.encoded = true
			case "":
			default:
				return s.errorf("unknown encoding type %.40q", t)
			}
			continue
		default:
			// Other members are single values. An element with more in it could
			// be entries under a name that is not known here.
			if empty {
				continue
			}
			nested, err := s.skip(name, 1)
			if err != nil {
				return err
			}
			if nested {
				return s.errorf("unknown element <%.40s>", name)
			}
			continue
		}
		if err := once(bit, string(name)); err != nil {
			return err
		}
		if *into, err = s.text(string(name), empty); err != nil {
			return err
		}
	}
	if seen&(1<<5) == 0 {
		return fmt.Errorf("the listing does not say whether it is complete (no IsTruncated)")
	}
	return nil
}

// The fields of an entry, as bits.
const (
	hasKey = 1 << iota
	hasID
	hasLatest
	hasModified
	hasETag
	hasSize
	hasClass
)

// parse reads an entry's fields, in any order, through its end tag.
func (e *entry) parse(s *xmlScanner, kind string) error {
	var seen uint
	for {
		s.space()
		name, empty, err := s.tag()
		if err != nil {
			return err
		}
		if name[0] == '/' {
			if string(name[1:]) != kind {
				return s.errorf("<%.40s> inside <%s>", name, kind)
			}
			break
		}
		var bit uint
		switch string(name) {
		case "Key":
			bit = hasKey
			e.key, err = s.text("Key", empty)
		case "VersionId":
			bit = hasID
			e.id, err = s.text("VersionId", empty)
		case "IsLatest":
			bit = hasLatest
			e.latest, err = s.boolean("IsLatest", empty)
		case "LastModified":
			bit = hasModified
			var t []byte
			if t, err = s.text("LastModified", empty); err == nil {
				if e.modified, err = parseTime(t); err != nil {
					err = s.errorf("<LastModified> is not a time: %.40q", t)
				}
			}
		case "ETag":
			bit = hasETag
			if e.etag, err = s.text("ETag", empty); err == nil {
				if n := len(e.etag); n >= 2 && e.etag[0] == '"' && e.etag[n-1] == '"' {
					e.etag = e.etag[1 : n-1]
				}
			}
		case "Size":
			bit = hasSize
			e.size, err = s.size(empty)
		case "StorageClass":
			bit = hasClass
			e.class, err = s.text("StorageClass", empty)
		default:
			if !empty {
				_, err = s.skip(name, 1) // Owner, ChecksumAlgorithm, RestoreStatus, …
			}
		}
		if err != nil {
			return err
		}
		if bit != 0 && seen&bit != 0 {
			return s.errorf("<%s> twice in one entry", name)
		}
		seen |= bit
	}
	need := uint(hasKey | hasLatest | hasModified)
	if !e.marker {
		need |= hasSize
	}
	if seen&need != need || len(e.key) == 0 {
		return s.errorf("a <%s> without its key, time, size or IsLatest", kind)
	}
	if len(e.id) == 0 {
		// Some stores leave it out where versioning was never on. S3 says "null".
		e.id = nullID
	}
	return nil
}

var nullID = []byte(bucket.NullID)

// parseTime reads RFC 3339; S3's own layout, 2026-10-30T12:34:56.000Z, without
// an allocation.
func parseTime(t []byte) (time.Time, error) {
	if len(t) == 24 && string(t[19:]) == ".000Z" && t[4] == '-' && t[7] == '-' && t[10] == 'T' && t[13] == ':' && t[16] == ':' {
		year, month, day := digits(t[0:2])*100+digits(t[2:4]), digits(t[5:7]), digits(t[8:10])
		hour, minute, second := digits(t[11:13]), digits(t[14:16]), digits(t[17:19])
		// What does not exist in every month is left to the slow way.
		if year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 28 &&
			hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 {
			return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC), nil
		}
	}
	out, err := time.Parse(time.RFC3339, string(t))
	return out.UTC(), err
}

// digits is the value of two digits; far below zero where they are none.
func digits(t []byte) int {
	hi, lo := int(t[0])-'0', int(t[1])-'0'
	if hi < 0 || hi > 9 || lo < 0 || lo > 9 {
		return -1 << 20
	}
	return hi*10 + lo
}

// parseFolder reads <CommonPrefixes>, which holds one <Prefix>, sometimes more.
func (p *page) parseFolder(s *xmlScanner) error {
	before := len(p.folders)
	for {
		s.space()
		name, empty, err := s.tag()
		if err != nil {
			return err
		}
		switch string(name) {
		case "/CommonPrefixes":
			if len(p.folders) == before {
				return s.errorf("<CommonPrefixes> without a <Prefix>")
			}
			return nil
		case "Prefix":
			t, err := s.text("Prefix", empty)
			if err != nil {
				return err
			}
			p.folders = append(p.folders, t)
		default:
			return s.errorf("<%.40s> inside <CommonPrefixes>", name)
		}
	}
}

func (s *xmlScanner) boolean(name string, empty bool) (bool, error) {
	t, err := s.text(name, empty)
	if err != nil {
		return false, err
	}
	switch string(t) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, s.errorf("<%s> is neither true nor false: %.40q", name, t)
}

func (s *xmlScanner) size(empty bool) (int64, error) {
	t, err := s.text("Size", empty)
	if err != nil {
		return 0, err
	}
	if len(t) == 0 || len(t) > 18 {
		return 0, s.errorf("<Size> is not a size: %.40q", t)
	}
	var n int64
	for _, c := range t {
		if c < '0' || c > '9' {
			return 0, s.errorf("<Size> is not a size: %.40q", t)
		}
		n = n*10 + int64(c-'0')
	}
	return n, nil
}

// decode takes the percent-encoding off keys, prefixes and the key marker. The
// encoding's name may come after the entries, so this is done last. Version IDs
// are never encoded.
func (p *page) decode() error {
	if !p.encoded {
		return nil
	}
	for _, f := range []*[]byte{&p.prefix, &p.delimiter, &p.nextKey} {
		if err := decodeURL(f); err != nil {
			return err
		}
	}
	for i := range p.folders {
		if err := decodeURL(&p.folders[i]); err != nil {
			return err
		}
	}
	for i := range p.entries {
		if err := decodeURL(&p.entries[i].key); err != nil {
			return err
		}
	}
	return nil
}

// decodeURL decodes in place: %XX, and + for a space.
func decodeURL(f *[]byte) error {
	t := *f
	k := 0
	for k < len(t) && t[k] != '%' && t[k] != '+' {
		k++
	}
	if k == len(t) {
		return nil
	}
	out := t[:k]
	for i := k; i < len(t); i++ {
		switch t[i] {
		case '+':
			out = append(out, ' ')
		case '%':
			if i+2 >= len(t) || hexValue[t[i+1]] < 0 || hexValue[t[i+2]] < 0 {
				return fmt.Errorf("a key that is not percent-encoded as it should be: %.60q", t)
			}
			out = append(out, byte(hexValue[t[i+1]])<<4|byte(hexValue[t[i+2]]))
			i += 2
		default:
			out = append(out, t[i])
		}
	}
	*f = out
	return nil
}

// version makes a Version that holds on to nothing of the page. last is the key
// of the version before: where it is the same, its string is shared.
func (e *entry) version(last string, scratch *[]byte) bucket.Version {
	v := bucket.Version{Latest: e.latest, DeleteMarker: e.marker, Modified: e.modified, Size: e.size, StorageClass: class(e.class)}
	b := (*scratch)[:0]
	same := last == string(e.key)
	if !same {
		b = append(b, e.key...)
	}
	k := len(b)
	b = append(b, e.id...)
	d := len(b)
	b = append(b, e.etag...)
	*scratch = b
	all := string(b) // the one allocation for a version
	v.Key, v.ID, v.ETag = all[:k], all[k:d], all[d:]
	if same {
		v.Key = last
	}
	return v
}

// class gives the well-known storage classes without an allocation.
func class(b []byte) string {
	switch string(b) {
	case "":
		return ""
	case "STANDARD":
		return "STANDARD"
	case "STANDARD_IA":
		return "STANDARD_IA"
	case "INTELLIGENT_TIERING":
		return "INTELLIGENT_TIERING"
	case "GLACIER":
		return "GLACIER"
	case "GLACIER_IR":
		return "GLACIER_IR"
	case "DEEP_ARCHIVE":
		return "DEEP_ARCHIVE"
	case "ONEZONE_IA":
		return "ONEZONE_IA"
	}
	return string(b)
}
