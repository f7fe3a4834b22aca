package synthetic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Cloud Storage's dialect: objects.list with versions and without, and of the rest as
// much as clients ask for before they list (JSON API reference, these methods).
//
// There are no delete markers. A row that is one in S3's dialect is a generation here,
// like the others; a key that a marker hides there has no live generation here, and its
// newest one became noncurrent half an hour after it was made.

// gcsPath is where the JSON API begins.
const gcsPath = "/storage/v1/b"

func (s *Server) serveGCS(w http.ResponseWriter, r *http.Request, busy int64) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), gcsPath)
	bucket, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	name, err := url.PathUnescape(bucket)
	resource := func() string {
		return fmt.Sprintf(`{"kind":"storage#bucket","id":%q,"name":%q,"projectNumber":"1","location":"US","locationType":"multi-region","storageClass":"STANDARD","timeCreated":"2026-10-01T08:00:00.000Z","updated":"2026-10-01T08:00:00.000Z","metageneration":"1","versioning":{"enabled":true}}`, name, name)
	}
	switch {
	case r.Method != "GET":
		failGCS(w, 501, "notImplemented", "the synthetic endpoint only lists")
	case err != nil:
		failGCS(w, 400, "invalid", "Malformed path.")
	case name == "":
		name = "synthetic"
		documentGCS(w, 200, `{"kind":"storage#buckets","items":[`+resource()+`]}`)
	case rest == "":
		documentGCS(w, 200, resource())
	case rest != "o":
		failGCS(w, 404, "notFound", "No such object")
	default:
		if limit := s.limit.Load(); limit > 0 && busy > limit {
			s.refused.Add(1)
			failGCS(w, 429, "rateLimitExceeded", "Please reduce your request rate.")
			return
		}
		s.listGCS(w, name, r.URL.Query())
	}
}

func documentGCS(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) // a client that has gone reads nothing
}

func failGCS(w http.ResponseWriter, status int, reason, message string) {
	documentGCS(w, status, fmt.Sprintf(`{"error":{"code":%d,"message":%q,"errors":[{"domain":"global","reason":%q,"message":%q}]}}`, status, message, reason, message))
}

// A gcsQuery asks for a page.
type gcsQuery struct {
	prefix, delimiter string
	start, end        string // names at or after, and before; empty: no bound
	after             *gcsToken
	most              int
	live              bool
	epoch             int64
}

// A gcsToken is where a page ended: at generation J of a name, or at a folder.
type gcsToken struct {
	Name   string `json:"n"`
	Folder bool   `json:"f,omitempty"`
	J      int    `json:"j,omitempty"`
}

// listGCS answers one page.
func (s *Server) listGCS(w http.ResponseWriter, name string, v url.Values) {
	q := gcsQuery{prefix: v.Get("prefix"), delimiter: v.Get("delimiter"), start: v.Get("startOffset"), end: v.Get("endOffset"), most: 1000, live: v.Get("versions") != "true", epoch: s.listings.Add(1)}
	if q.delimiter != "" {
		s.folders.Add(1)
	}
	if m := v.Get("maxResults"); m != "" {
		n, err := strconv.Atoi(m)
		if err != nil || n < 1 {
			failGCS(w, 400, "invalid", "Invalid value for maxResults")
			return
		}
		q.most = min(n, 1000)
	}
	if t := v.Get("pageToken"); t != "" {
		raw, err := base64.URLEncoding.DecodeString(t)
		if err != nil || json.Unmarshal(raw, &q.after) != nil {
			failGCS(w, 400, "invalid", "Invalid value for pageToken")
			return
		}
	}
	buf := bodies.Get().(*[]byte)
	defer bodies.Put(buf)
	p := &gcsPage{s: s, bucket: name, want: gcsFields(v.Get("fields")), b: append((*buf)[:0], `{"kind":"storage#objects"`...)}
	more := s.shape.generations(q, p.add)
	p.finish(more)
	*buf = p.b
	s.bytes.Add(int64(len(p.b)))
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(p.b)))
	_, _ = w.Write(p.b) // a client that has gone reads nothing
}

// gcsFields are the members of an object that the parameter fields asks for; nil: all
// of them. Only items(…), items/name and * are understood; members of the page itself
// are always sent.
func gcsFields(mask string) map[string]bool {
	_, list, ok := strings.Cut(mask, "items(")
	if ok {
		list, _, ok = strings.Cut(list, ")")
	} else if _, list, ok = strings.Cut(mask, "items/"); ok {
		list, _, _ = strings.Cut(list, ",")
	}
	if !ok {
		return nil
	}
	want := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		want[strings.TrimSpace(name)] = true
	}
	return want
}

// generations calls f for each row of a page, and says whether more follow. The
// generations of a name come oldest first, as the service is seen to send them.
func (s *Shape) generations(q gcsQuery, f func(row)) (more bool) {
	from := max(q.prefix, q.start)
	if q.after != nil {
		from = max(from, q.after.Name)
	}
	folders := query{prefix: q.prefix, delimiter: q.delimiter}
	var b []byte
	rows := 0
	add := func(r row) bool {
		if rows == q.most {
			return false
		}
		rows++
		f(r)
		return true
	}
	for i := s.find(from); i < s.Keys; i++ {
		b = s.Key(b[:0], i)
		key := string(b)
		if !strings.HasPrefix(key, q.prefix) || q.end != "" && key >= q.end {
			return false
		}
		newest, there := s.at(i, q.epoch)
		deleted := s.Deleted > 0 && i%s.Deleted == s.Deleted-1
		if !there || q.live && deleted && newest == 0 {
			continue
		}
		if folder := folders.common(b); folder != "" {
			shown := q.after != nil && (q.after.Folder && q.after.Name == folder || !q.after.Folder && folders.common([]byte(q.after.Name)) == folder)
			if !shown && !add(row{key: []byte(folder), folder: true}) {
				return true
			}
			i = s.past(folder) - 1
			continue
		}
		j := s.versions() - 1
		if q.after != nil && !q.after.Folder && q.after.Name == key {
			j = q.after.J - 1
		}
		if q.live {
			j = min(j, -newest)
		}
		for ; j >= -newest; j-- {
			if !add(row{key: b, n: i, j: j, latest: j == -newest && !(deleted && j == 0), marker: j == 0 && deleted}) {
				return true
			}
		}
	}
	return false
}

// A gcsPage is a page while it is made.
type gcsPage struct {
	s       *Server
	bucket  string
	want    map[string]bool // nil: every member
	b       []byte
	items   int
	folders []string
	last    gcsToken
	name    []byte // escaped for a URL
}

// finish closes the items and adds what follows them.
func (p *gcsPage) finish(more bool) {
	if p.items > 0 {
		p.b = append(p.b, ']')
	}
	if len(p.folders) > 0 {
		p.b = append(p.b, `,"prefixes":[`...)
		for i, folder := range p.folders {
			if i > 0 {
				p.b = append(p.b, ',')
			}
			p.b = quoted(p.b, folder)
		}
		p.b = append(p.b, ']')
	}
	if more {
		raw, err := json.Marshal(p.last)
		if err != nil {
			panic(err) // a string and numbers
		}
		p.b = append(append(append(p.b, `,"nextPageToken":"`...), base64.URLEncoding.EncodeToString(raw)...), '"')
	}
	p.b = append(p.b, '}')
}

func (p *gcsPage) add(r row) {
	if r.folder {
		p.folders = append(p.folders, string(r.key))
		p.last = gcsToken{Name: string(r.key), Folder: true}
		return
	}
	name := string(r.key)
	p.last = gcsToken{Name: name, J: r.j}
	if p.items++; p.items == 1 {
		p.b = append(p.b, `,"items":[{`...)
	} else {
		p.b = append(p.b, `,{`...)
	}
	made := p.s.made(r)
	number := made.UnixMicro()
	sum := mix(uint64(r.n)*31 + uint64(r.j))
	text := func(member, value string) {
		if p.has(member) {
			p.b = append(append(p.b, value...), '"')
		}
	}
	integer := func(member string, value int64) {
		if p.has(member) {
			p.b = append(strconv.AppendInt(p.b, value, 10), '"')
		}
	}
	stamp := func(member string, t time.Time) {
		if p.has(member) {
			p.b = append(t.AppendFormat(p.b, "2006-01-02T15:04:05.000Z"), '"')
		}
	}
	text("kind", "storage#object")
	if p.want == nil { // what nobody asks for
		p.name = append(p.name[:0], url.PathEscape(name)...)
		p.comma()
		p.b = append(p.b, `"id":`...)
		p.b = quoted(p.b, p.bucket+"/"+name+"/"+strconv.FormatInt(number, 10))
		p.b = fmt.Appendf(p.b, `,"selfLink":"https://www.googleapis.com/storage/v1/b/%s/o/%s","mediaLink":"https://storage.googleapis.com/download/storage/v1/b/%s/o/%s?generation=%d&alt=media"`, p.bucket, p.name, p.bucket, p.name, number)
	}
	if p.want == nil || p.want["name"] {
		p.comma()
		p.b = quoted(append(p.b, `"name":`...), name)
	}
	text("bucket", p.bucket)
	integer("generation", number)
	text("metageneration", "1")
	text("contentType", "application/octet-stream")
	text("storageClass", "STANDARD")
	integer("size", int64(mix(uint64(r.n)+uint64(r.j))%(64<<20)))
	if p.has("md5Hash") {
		p.b = append(hex(hex(p.b, sum, 16), sum, 6), `==`...)
		p.b = append(p.b, '"')
	}
	if p.has("crc32c") {
		p.b = append(hex(p.b, sum, 6), `=="`...)
	}
	if p.has("etag") {
		p.b = append(hex(p.b, sum, 15), `="`...)
	}
	stamp("timeCreated", made)
	stamp("updated", made)
	switch {
	case r.latest:
	case r.marker:
		stamp("timeDeleted", made.Add(30*time.Minute))
	default:
		r.j--
		stamp("timeDeleted", p.s.made(r)) // its successor's
	}
	stamp("timeStorageClassUpdated", made)
	stamp("timeFinalized", made)
	p.b = append(p.b, '}')
}

// has begins a member whose value is text, if it is asked for.
func (p *gcsPage) has(member string) bool {
	if p.want != nil && !p.want[member] {
		return false
	}
	p.comma()
	p.b = append(append(append(p.b, '"'), member...), `":"`...)
	return true
}

func (p *gcsPage) comma() {
	if p.b[len(p.b)-1] != '{' {
		p.b = append(p.b, ',')
	}
}

// quoted appends a JSON string.
func quoted(b []byte, text string) []byte {
	b = append(b, '"')
	for k := 0; k < len(text); k++ {
		switch c := text[k]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// made is when a version was made.
func (s *Server) made(r row) time.Time {
	return s.began.Add(time.Duration(r.n%86400)*time.Second - time.Duration(r.j)*time.Hour)
}
