package synthetic

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// S3's dialect: ListObjectVersions, ListObjects and ListObjectsV2, and of the rest as
// much as clients ask for before they list (S3 API reference, these operations).

const (
	head  = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	xmlns = ` xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`
	owner = "<Owner><ID>75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a</ID></Owner>"
)

var bodies = sync.Pool{New: func() any { return new([]byte) }}

func (s *Server) serveS3(w http.ResponseWriter, r *http.Request, busy int64) {
	name, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	w.Header().Set("x-amz-request-id", "synthetic")
	switch {
	case r.Method != "GET" && r.Method != "HEAD":
		fail(w, 501, "NotImplemented", "the synthetic endpoint only lists")
	case name == "":
		document(w, 200, "<ListAllMyBucketsResult"+xmlns+">"+owner+"<Buckets><Bucket><Name>synthetic</Name><CreationDate>2026-10-01T08:00:00.000Z</CreationDate></Bucket></Buckets></ListAllMyBucketsResult>")
	case key != "":
		fail(w, 404, "NoSuchKey", "The specified key does not exist.")
	case r.Method == "HEAD":
	case q.Has("versioning"):
		document(w, 200, "<VersioningConfiguration"+xmlns+"><Status>Enabled</Status></VersioningConfiguration>")
	case q.Has("location"):
		document(w, 200, "<LocationConstraint"+xmlns+"/>")
	case q.Has("lifecycle"):
		fail(w, 404, "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist")
	case q.Has("object-lock"):
		fail(w, 404, "ObjectLockConfigurationNotFoundError", "Object Lock configuration does not exist for this bucket")
	case q.Has("uploads"):
		document(w, 200, "<ListMultipartUploadsResult"+xmlns+"><Bucket>"+name+"</Bucket><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>")
	default:
		if limit := s.limit.Load(); limit > 0 && busy > limit {
			s.refused.Add(1)
			fail(w, 503, "SlowDown", "Please reduce your request rate.")
			return
		}
		s.list(w, name, q)
	}
}

func document(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(head + body)) // a client that has gone reads nothing
}

func fail(w http.ResponseWriter, status int, code, message string) {
	document(w, status, "<Error><Code>"+code+"</Code><Message>"+message+"</Message><RequestId>synthetic</RequestId></Error>")
}

// list answers one page.
func (s *Server) list(w http.ResponseWriter, name string, v url.Values) {
	versions, two := v.Has("versions"), v.Get("list-type") == "2"
	q := query{prefix: v.Get("prefix"), delimiter: v.Get("delimiter"), most: 1000, live: !versions, epoch: s.listings.Add(1)}
	if q.delimiter != "" {
		s.folders.Add(1)
	}
	if m := v.Get("max-keys"); m != "" {
		n, err := strconv.Atoi(m)
		if err != nil || n < 0 {
			fail(w, 400, "InvalidArgument", "max-keys is not a number")
			return
		}
		q.most = min(n, 1000)
	}
	most := q.most
	switch {
	case versions:
		q.after, q.version = v.Get("key-marker"), v.Get("version-id-marker")
	case two:
		q.after = v.Get("start-after")
		if t := v.Get("continuation-token"); t != "" {
			q.after = strings.TrimPrefix(t, "after:")
		}
	default:
		q.after = v.Get("marker")
	}
	if q.version != "" {
		if _, _, ok := parseID(q.version); !ok || q.after == "" {
			fail(w, 400, "InvalidArgument", "Invalid version id specified")
			return
		}
	}
	p := &s3Page{s: s, encode: v.Get("encoding-type") == "url", versions: versions}
	buf := bodies.Get().(*[]byte)
	defer bodies.Put(buf)
	p.b, p.rows = (*buf)[:0], nil
	rows := 0
	more := s.shape.page(q, func(r row) {
		rows++
		p.add(r)
	})
	*buf = p.b
	root := "ListBucketResult"
	if versions {
		root = "ListVersionsResult"
	}
	h := fmt.Appendf(nil, "%s<%s%s><Name>%s</Name>", head, root, xmlns, name)
	h = p.text(h, "Prefix", []byte(q.prefix))
	switch {
	case versions:
		h = p.text(h, "KeyMarker", []byte(q.after))
		h = fmt.Appendf(h, "<VersionIdMarker>%s</VersionIdMarker>", q.version)
		if more {
			h = p.text(h, "NextKeyMarker", p.lastKey)
			if len(p.lastID) > 0 {
				h = fmt.Appendf(h, "<NextVersionIdMarker>%s</NextVersionIdMarker>", p.lastID)
			}
		}
	case two:
		h = fmt.Appendf(h, "<KeyCount>%d</KeyCount>", rows)
		if more {
			h = p.text(h, "NextContinuationToken", append([]byte("after:"), p.lastKey...))
		}
	case more:
		h = p.text(h, "NextMarker", p.lastKey)
	}
	h = fmt.Appendf(h, "<MaxKeys>%d</MaxKeys>", most)
	if q.delimiter != "" {
		h = p.text(h, "Delimiter", []byte(q.delimiter))
	}
	if p.encode {
		h = append(h, "<EncodingType>url</EncodingType>"...)
	}
	h = fmt.Appendf(h, "<IsTruncated>%t</IsTruncated>", more)
	tail := append(p.rows, "</"+root+">"...)
	n := len(h) + len(p.b) + len(tail)
	s.bytes.Add(int64(n))
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(n))
	for _, part := range [][]byte{h, p.b, tail} {
		_, _ = w.Write(part) // a client that has gone reads nothing
	}
}

// An s3Page is a page while it is made.
type s3Page struct {
	s                *Server
	encode, versions bool
	b                []byte // entries
	rows             []byte // folders
	lastKey, lastID  []byte
}

func (p *s3Page) add(r row) {
	p.lastKey, p.lastID = append(p.lastKey[:0], r.key...), p.lastID[:0]
	if r.folder {
		p.rows = append(p.text(append(p.rows, "<CommonPrefixes>"...), "Prefix", r.key), "</CommonPrefixes>"...)
		return
	}
	kind := "Contents"
	if p.versions {
		kind = "Version"
		p.lastID = appendID(p.lastID, r.n, r.j)
	}
	if r.marker {
		kind = "DeleteMarker"
	}
	b := p.b
	if cap(b)-len(b) < 1<<12 {
		b = slices.Grow(b, 600<<10) // a page
	}
	b = append(append(append(b, '<'), kind...), '>')
	b = p.text(b, "Key", r.key)
	if p.versions {
		b = append(append(append(b, "<VersionId>"...), p.lastID...), "</VersionId>"...)
		b = strconv.AppendBool(append(b, "<IsLatest>"...), r.latest)
		b = append(b, "</IsLatest>"...)
	}
	b = append(p.s.time(append(b, "<LastModified>"...), r), "</LastModified>"...)
	if !r.marker {
		b = append(b, `<ETag>&quot;`...)
		b = hex(hex(b, mix(uint64(r.n)*31+uint64(r.j)), 16), mix(uint64(r.n)*37+uint64(r.j)), 16)
		b = append(b, "&quot;</ETag><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>"...)
		b = strconv.AppendInt(b, int64(mix(uint64(r.n)+uint64(r.j))%(64<<20)), 10)
		b = append(b, "</Size><StorageClass>STANDARD</StorageClass>"...)
	}
	b = append(b, owner...)
	p.b = append(append(append(b, "</"...), kind...), '>')
}

// time appends when a version was made.
func (s *Server) time(b []byte, r row) []byte {
	t := s.began.Add(time.Duration(r.n%86400)*time.Second - time.Duration(r.j)*time.Hour)
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	b = append(padded(b, int64(year), 4), '-')
	b = append(padded(b, int64(month), 2), '-')
	b = append(padded(b, int64(day), 2), 'T')
	b = append(padded(b, int64(hour), 2), ':')
	b = append(padded(b, int64(minute), 2), ':')
	return append(padded(b, int64(second), 2), ".000Z"...)
}

// plain are the bytes that stand for themselves in any encoding.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || strings.IndexByte("/-._*", byte(c)) >= 0
	}
	return t
}()

// text appends an element whose text encoding-type=url applies to.
func (p *s3Page) text(b []byte, name string, text []byte) []byte {
	const digits = "0123456789ABCDEF"
	b = append(append(append(b, '<'), name...), '>')
	k := 0
	for k < len(text) && plain[text[k]] {
		k++
	}
	b = append(b, text[:k]...)
	for _, c := range text[k:] {
		switch {
		case plain[c]:
			b = append(b, c)
		case p.encode && c == ' ':
			b = append(b, '+')
		case p.encode:
			b = append(b, '%', digits[c>>4], digits[c&15])
		case c == '&':
			b = append(b, "&amp;"...)
		case c == '<':
			b = append(b, "&lt;"...)
		case c == '>':
			b = append(b, "&gt;"...)
		default:
			b = append(b, c)
		}
	}
	return append(append(append(b, "</"...), name...), '>')
}
