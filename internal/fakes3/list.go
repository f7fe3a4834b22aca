package fakes3

import (
	"sort"
	"strconv"
	"strings"
)

// A listing is one page before it is written out.
type listing struct {
	name                     string
	prefix, delimiter        string
	keyMarker, versionMarker string // as asked
	max                      int    // as asked
	encode                   bool

	rows                    []row
	truncated               bool
	noTruncated             bool // the element is left out (a fault)
	nextKey, nextVersion    string
	hasNextKey, hasNextVers bool
}

// A row is a version, a marker, an upload, or a common prefix.
type row struct {
	prefix string
	key    string
	v      *version
	u      *upload
	latest bool
}

func (x *exchange) listVersions(b *bucket) *answer {
	l, page, a := x.listQuery(b, "key-marker", "max-keys")
	if a != nil {
		return a
	}
	l.versionMarker = x.query.Get("version-id-marker")
	if x.query.Has("version-id-marker") {
		if l.versionMarker == "" {
			return x.argument("A version-id marker cannot be empty.", "version-id-marker", "")
		}
		if l.keyMarker == "" {
			return x.argument("A version-id marker cannot be specified without a key marker.", "version-id-marker", l.versionMarker)
		}
		if !wellFormed(l.versionMarker) && b.get(l.keyMarker, l.versionMarker) == nil {
			return x.argument("Invalid version id specified", "version-id-marker", l.versionMarker)
		}
	}
	b.fill(l, page, false)
	if l.truncated {
		last := l.rows[len(l.rows)-1]
		l.hasNextKey, l.nextKey = true, last.key
		if last.v == nil {
			l.nextKey = last.prefix
		} else {
			l.hasNextVers, l.nextVersion = true, last.v.id
		}
	}
	for _, f := range x.reshape {
		f(l)
	}
	return xmlAnswer(l.versionsXML())
}

// listQuery reads what all listings share; marker and most are the names of
// their parameters. page is the most rows to give.
func (x *exchange) listQuery(b *bucket, marker, most string) (l *listing, page int, a *answer) {
	q := x.query
	l = &listing{name: b.name, prefix: q.Get("prefix"), delimiter: q.Get("delimiter"), keyMarker: q.Get(marker), max: maxPage}
	switch e := q.Get("encoding-type"); e {
	case "url":
		l.encode = true
	case "":
	default:
		return nil, 0, x.argument("Invalid Encoding Method specified in Request", "encoding-type", e)
	}
	if m := q.Get(most); m != "" {
		n, err := strconv.Atoi(m)
		if err != nil {
			return nil, 0, x.argument("Provided "+most+" not an integer or within integer range", most, m)
		}
		if n < 0 {
			name := strings.ReplaceAll(strings.ReplaceAll(most, "-k", "K"), "-u", "U")
			return nil, 0, x.argument("Argument "+name+" must be an integer between 0 and 2147483647", name, m)
		}
		l.max = min(n, maxPage)
	}
	page = min(l.max, x.s.o.PageCap)
	if x.pageSize > 0 {
		page = min(page, x.pageSize)
	}
	return l, page, nil
}

func (x *exchange) argument(message, name, value string) *answer {
	return x.fail(400, "InvalidArgument", message, "ArgumentName", name, "ArgumentValue", value)
}

// fill walks from the markers until the page is full; one row more than fits
// tells that it is truncated. With live only live versions count.
func (b *bucket) fill(l *listing, page int, live bool) {
	if page == 0 {
		return
	}
	i, _ := b.search(max(l.prefix, l.keyMarker))
	newest := -1 // place of the version to start with in objects[i]; -1: all
	if l.keyMarker != "" && i < len(b.objects) && b.objects[i].key == l.keyMarker {
		newest = 0
		if l.versionMarker != "" {
			newest = b.objects[i].after(l.versionMarker)
		}
		if newest == 0 {
			i, newest = i+1, -1
		}
	}
	if p := l.common(l.keyMarker); p != "" && p == l.keyMarker {
		i, newest = b.past(p), -1 // the page before ended with this common prefix
	}
	for i < len(b.objects) {
		o := b.objects[i]
		if !strings.HasPrefix(o.key, l.prefix) {
			return
		}
		if live && o.latest().marker {
			i++
			continue
		}
		if p := l.common(o.key); p != "" {
			if len(l.rows) == page {
				l.truncated = true
				return
			}
			l.rows = append(l.rows, row{prefix: p})
			i, newest = b.past(p), -1
			continue
		}
		if newest < 0 {
			newest = len(o.versions)
		}
		for j := newest - 1; j >= 0; j-- {
			if len(l.rows) == page {
				l.truncated = true
				return
			}
			l.rows = append(l.rows, row{key: o.key, v: o.versions[j], latest: j == len(o.versions)-1})
			if live {
				break
			}
		}
		i, newest = i+1, -1
	}
}

// after is how many of o's versions are older than the one with the given ID,
// which may have been removed meanwhile.
func (o *object) after(id string) int {
	if j := o.find(id); j >= 0 {
		return j
	}
	seq, _ := decodeID(id)
	if id == nullID {
		seq = o.goneNull
	}
	return o.older(seq)
}

// common is the common prefix that key falls under: through the first
// delimiter behind the prefix. Empty: none.
func (l *listing) common(key string) string {
	if l.delimiter == "" || !strings.HasPrefix(key, l.prefix) {
		return ""
	}
	at := strings.Index(key[len(l.prefix):], l.delimiter)
	if at < 0 {
		return ""
	}
	return key[:len(l.prefix)+at+len(l.delimiter)]
}

// past is the place of the first key behind all that start with p.
func (b *bucket) past(p string) int {
	return sort.Search(len(b.objects), func(i int) bool {
		k := b.objects[i].key
		return k > p && !strings.HasPrefix(k, p)
	})
}

// text appends an element whose text encoding-type=url applies to.
func (l *listing) text(b []byte, name, text string) []byte {
	if l.encode {
		text = urlEncode(text)
	}
	return element(b, name, text)
}

func (l *listing) versionsXML() []byte {
	b := make([]byte, 0, 512+len(l.rows)*512)
	b = append(b, xmlHead+"<ListVersionsResult"+xmlns+">"...)
	b = element(b, "Name", l.name)
	b = l.text(b, "Prefix", l.prefix)
	b = l.text(b, "KeyMarker", l.keyMarker)
	b = element(b, "VersionIdMarker", l.versionMarker)
	if l.hasNextKey {
		b = l.text(b, "NextKeyMarker", l.nextKey)
	}
	if l.hasNextVers {
		b = element(b, "NextVersionIdMarker", l.nextVersion)
	}
	b = l.tail(b, "MaxKeys")
	for _, r := range l.rows {
		if r.v == nil {
			continue
		}
		kind := "Version"
		if r.v.marker {
			kind = "DeleteMarker"
		}
		b = append(b, "<"+kind+">"...)
		b = l.text(b, "Key", r.key)
		b = element(b, "VersionId", r.v.id)
		b = element(b, "IsLatest", strconv.FormatBool(r.latest))
		b = element(b, "LastModified", xmlTime(r.v.modified))
		if !r.v.marker {
			b = r.v.contentXML(b)
		}
		b = append(b, ownerXML...)
		if !r.v.marker {
			b = element(b, "StorageClass", r.v.class)
		}
		b = append(b, "</"+kind+">"...)
	}
	return append(l.prefixesXML(b), "</ListVersionsResult>"...)
}

// tail is what all listings have before their rows.
func (l *listing) tail(b []byte, most string) []byte {
	b = element(b, most, strconv.Itoa(l.max))
	if l.delimiter != "" {
		b = l.text(b, "Delimiter", l.delimiter)
	}
	if l.encode {
		b = element(b, "EncodingType", "url")
	}
	if !l.noTruncated {
		b = element(b, "IsTruncated", strconv.FormatBool(l.truncated))
	}
	return b
}

// contentXML is what only a version with a body has.
func (v *version) contentXML(b []byte) []byte {
	b = element(b, "ETag", `"`+v.etag+`"`)
	if v.sum.name != "" {
		b = element(b, "ChecksumAlgorithm", strings.ToUpper(v.sum.name))
		b = element(b, "ChecksumType", "FULL_OBJECT")
	}
	return element(b, "Size", strconv.FormatInt(v.size, 10))
}

func (l *listing) prefixesXML(b []byte) []byte {
	for _, r := range l.rows {
		if r.prefix != "" {
			b = append(b, "<CommonPrefixes>"...)
			b = l.text(b, "Prefix", r.prefix)
			b = append(b, "</CommonPrefixes>"...)
		}
	}
	return b
}

// listObjects is ListObjectsV2. The continuation token is the last key, in hex
// so that nobody takes it for one.
func (x *exchange) listObjects(b *bucket) *answer {
	l, page, a := x.listQuery(b, "start-after", "max-keys")
	if a != nil {
		return a
	}
	startAfter := l.keyMarker
	token := x.query.Get("continuation-token")
	if token != "" {
		key, err := fromToken(token)
		if err != nil {
			return x.argument("The continuation token provided is incorrect", "continuation-token", token)
		}
		l.keyMarker = key
	}
	b.fill(l, page, true)
	if l.truncated {
		last := l.rows[len(l.rows)-1]
		l.hasNextKey, l.nextKey = true, toToken(last.prefix+last.key)
	}
	for _, f := range x.reshape {
		f(l)
	}
	out := append([]byte(xmlHead), "<ListBucketResult"+xmlns+">"...)
	out = element(out, "Name", l.name)
	out = l.text(out, "Prefix", l.prefix)
	if startAfter != "" {
		out = l.text(out, "StartAfter", startAfter)
	}
	if token != "" {
		out = element(out, "ContinuationToken", token)
	}
	if l.hasNextKey {
		out = element(out, "NextContinuationToken", l.nextKey)
	}
	out = element(out, "KeyCount", strconv.Itoa(len(l.rows)))
	out = l.tail(out, "MaxKeys")
	for _, r := range l.rows {
		if r.v == nil {
			continue
		}
		out = append(out, "<Contents>"...)
		out = l.text(out, "Key", r.key)
		out = element(out, "LastModified", xmlTime(r.v.modified))
		out = r.v.contentXML(out)
		out = element(out, "StorageClass", r.v.class)
		out = append(out, "</Contents>"...)
	}
	return xmlAnswer(append(l.prefixesXML(out), "</ListBucketResult>"...))
}
