package fakes3

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

func (x *exchange) putObject(b *bucket) *answer {
	body, a := x.payload()
	if a != nil {
		return a
	}
	if a := x.mayWrite(b); a != nil {
		return a
	}
	v := x.s.newVersion(body)
	if x.sum.name != "" {
		v.sum = x.sum
	}
	if a := x.describe(b, v); a != nil {
		return a
	}
	b.add(x.Req.Key, v)
	a = &answer{Status: 200, Header: http.Header{"Etag": {`"` + v.etag + `"`}}}
	a.Header.Set("X-Amz-Checksum-"+v.sum.name, v.sum.value)
	a.Header.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
	b.nameVersion(a, v)
	return a
}

// describe sets what a write's headers say of the version that it makes.
func (x *exchange) describe(b *bucket, v *version) (a *answer) {
	if v.tags, a = x.headerTags(); a != nil {
		return a
	}
	if v.lock, a = x.headerLock(b); a != nil {
		return a
	}
	v.class = "STANDARD"
	if c := x.R.Header.Get("X-Amz-Storage-Class"); c != "" {
		v.class = c
	}
	for name, values := range x.R.Header {
		if name == "Content-Type" || strings.HasPrefix(name, "X-Amz-Meta-") {
			if v.header == nil {
				v.header = http.Header{}
			}
			v.header[name] = values
		}
	}
	return nil
}

// newVersion is an object version with everything but its ID. S3 computes a
// CRC64NVME where the writer gave no checksum.
func (s *Server) newVersion(body []byte) *version {
	sum := md5.Sum(body)
	return &version{seq: s.seq.Add(1), modified: s.now(), etag: hex.EncodeToString(sum[:]), size: int64(len(body)), body: body,
		class: "STANDARD", sum: checksum{"crc64nvme", sumOf("crc64nvme", body)}}
}

// nameVersion adds x-amz-version-id, which a bucket that never had versioning
// doesn't send.
func (b *bucket) nameVersion(a *answer, v *version) {
	if b.versioning != "" {
		a.Header.Set("X-Amz-Version-Id", v.id)
	}
}

// mayWrite checks If-None-Match and If-Match (user guide, "Conditional writes").
// They look at the live version only: a delete marker is as good as nothing.
func (x *exchange) mayWrite(b *bucket) *answer {
	none, match := x.R.Header.Get("If-None-Match"), x.R.Header.Get("If-Match")
	if x.unconditional || b.ignoreConditions {
		return nil
	}
	live := b.live(x.Req.Key)
	if none != "" {
		if none != "*" {
			return x.fail(501, "NotImplemented", "A header you provided implies functionality that is not implemented", "Header", "If-None-Match")
		}
		if live != nil {
			return x.precondition("If-None-Match")
		}
	}
	if match != "" {
		if live == nil {
			return x.noSuchKey()
		}
		if strings.Trim(match, `"`) != live.etag {
			return x.precondition("If-Match")
		}
	}
	return nil
}

func (x *exchange) precondition(condition string) *answer {
	return x.fail(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold", "Condition", condition)
}

func (x *exchange) noSuchKey() *answer {
	return x.fail(404, "NoSuchKey", "The specified key does not exist.", "Key", x.Req.Key)
}

func (x *exchange) noSuchVersion(key, id string) *answer {
	return x.fail(404, "NoSuchVersion", "The specified version does not exist.", "Key", key, "VersionId", id)
}

// badID refuses what cannot be a version's ID: 400, where one that could be
// gives 404. v is what was found under it.
func (x *exchange) badID(id string, v *version) *answer {
	switch {
	case id == "":
		return x.argument("Version id cannot be the empty string", "versionId", id)
	case v == nil && !wellFormed(id):
		return x.argument("Invalid version id specified", "versionId", id)
	}
	return nil
}

// getObject is GetObject and HeadObject.
func (x *exchange) getObject(b *bucket) *answer {
	id := x.query.Get("versionId")
	v := b.get(x.Req.Key, id)
	if x.query.Has("versionId") {
		if a := x.badID(id, v); a != nil {
			return a
		}
	}
	switch {
	case v == nil && id != "":
		return x.noSuchVersion(x.Req.Key, id)
	case v == nil:
		return x.noSuchKey()
	case v.marker:
		a := x.noSuchKey()
		if id != "" {
			a = x.fail(405, "MethodNotAllowed", "The specified method is not allowed against this resource.", "Method", x.R.Method, "ResourceType", "DeleteMarker")
			a.Header.Set("Allow", "DELETE")
			a.Header.Set("Last-Modified", v.modified.Format(http.TimeFormat))
		}
		a.Header.Set("X-Amz-Delete-Marker", "true")
		b.nameVersion(a, v)
		return a
	}
	h := x.R.Header
	if m := h.Get("If-Match"); m != "" && m != "*" && strings.Trim(m, `"`) != v.etag {
		return x.precondition("If-Match")
	}
	if m := h.Get("If-None-Match"); m != "" && (m == "*" || strings.Trim(m, `"`) == v.etag) {
		return &answer{Status: 304, Header: http.Header{"Etag": {`"` + v.etag + `"`}}}
	}
	if !v.restored && (v.class == "GLACIER" || v.class == "DEEP_ARCHIVE") {
		if x.R.Method == "GET" {
			return x.fail(403, "InvalidObjectState", "The operation is not valid for the object's storage class", "StorageClass", v.class)
		}
	}
	if x.R.Method == "GET" && v.size != int64(len(v.body)) {
		return x.fail(500, "InternalError", "This version was planted with a size that is not its body's.")
	}
	return x.content(b, v)
}

// content is a version's bytes, or the part that Range asks for.
func (x *exchange) content(b *bucket, v *version) *answer {
	a := &answer{Status: 200, Header: http.Header{"Content-Type": {"binary/octet-stream"}}}
	for name, values := range v.header {
		a.Header[name] = values
	}
	a.Header.Set("Etag", `"`+v.etag+`"`)
	a.Header.Set("Last-Modified", v.modified.Format(http.TimeFormat))
	a.Header.Set("Accept-Ranges", "bytes")
	if v.class != "STANDARD" { // not sent for STANDARD (API reference, GetObject)
		a.Header.Set("X-Amz-Storage-Class", v.class)
	}
	b.nameVersion(a, v)
	first, last, ok := byteRange(x.R.Header.Get("Range"), v.size)
	switch {
	case !ok:
		first, last = 0, v.size-1
		if x.R.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" && v.sum.name != "" {
			a.Header.Set("X-Amz-Checksum-"+v.sum.name, v.sum.value)
			a.Header.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
		}
	case first >= v.size || first > last:
		return x.fail(416, "InvalidRange", "The requested range is not satisfiable",
			"RangeRequested", x.R.Header.Get("Range"), "ActualObjectSize", strconv.FormatInt(v.size, 10))
	default:
		a.Status = 206
		a.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, v.size))
	}
	a.Header.Set("Content-Length", strconv.FormatInt(last+1-first, 10))
	if x.R.Method == "GET" {
		a.Body = v.body[first : last+1]
	}
	return a
}

// byteRange reads a Range of one part (RFC 9110, 14.1.2), cut to the size. What
// it doesn't understand is no range, and the whole object is the answer.
func byteRange(header string, size int64) (first, last int64, ok bool) {
	spec, found := strings.CutPrefix(header, "bytes=")
	from, to, dash := strings.Cut(spec, "-")
	if !found || !dash || strings.Contains(spec, ",") {
		return 0, 0, false
	}
	if from == "" { // the last n bytes
		n, err := strconv.ParseInt(to, 10, 64)
		return max(0, size-n), size - 1, err == nil
	}
	first, err := strconv.ParseInt(from, 10, 64)
	if err != nil || first < 0 {
		return 0, 0, false
	}
	last = size - 1
	if to != "" {
		n, err := strconv.ParseInt(to, 10, 64)
		if err != nil || n < first {
			return 0, 0, false
		}
		last = min(n, last)
	}
	return first, last, true
}

// copySource finds what x-amz-copy-source names: /bucket/key[?versionId=ID],
// URL-encoded, where "+" is a space.
func (x *exchange) copySource() (*version, *answer) {
	raw := strings.TrimPrefix(x.R.Header.Get("X-Amz-Copy-Source"), "/")
	raw, id, hasID := strings.Cut(raw, "?versionId=")
	path, err := url.QueryUnescape(raw)
	name, key, ok := strings.Cut(path, "/")
	if err != nil || !ok || key == "" {
		return nil, x.argument("Invalid copy source object key", "x-amz-copy-source", raw)
	}
	b := x.s.bucket(name)
	if b == nil {
		return nil, x.fail(404, "NoSuchBucket", "The specified bucket does not exist", "BucketName", name)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	v := b.get(key, id)
	switch {
	case hasID && x.badID(id, v) != nil:
		return nil, x.badID(id, v)
	case v == nil && hasID:
		return nil, x.noSuchVersion(key, id)
	case v == nil || v.marker && !hasID:
		return nil, x.fail(404, "NoSuchKey", "The specified key does not exist.", "Key", key)
	case v.marker:
		return nil, x.fail(400, "InvalidRequest", "The source of a copy request may not specifically refer to a delete marker by version id.")
	case !hasID && name == x.Req.Bucket && key == x.Req.Key && x.R.Header.Get("X-Amz-Metadata-Directive") != "REPLACE":
		return nil, x.fail(400, "InvalidRequest", "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.")
	}
	return v, nil
}

// copyObject makes a new version of x.source's bytes.
func (x *exchange) copyObject(b *bucket) *answer {
	if a := x.mayWrite(b); a != nil {
		return a
	}
	v := *x.source
	l, a := x.headerLock(b) // the source's is not copied
	if a != nil {
		return a
	}
	if x.R.Header.Get("X-Amz-Tagging-Directive") == "REPLACE" {
		if v.tags, a = x.headerTags(); a != nil {
			return a
		}
	}
	v.seq, v.id, v.modified, v.class, v.lock = x.s.seq.Add(1), "", x.s.now(), "STANDARD", l
	v.restored = false
	if c := x.R.Header.Get("X-Amz-Storage-Class"); c != "" {
		v.class = c
	}
	b.add(x.Req.Key, &v)
	out := append([]byte(xmlHead), "<CopyObjectResult"+xmlns+">"...)
	out = element(out, "LastModified", xmlTime(v.modified))
	out = element(out, "ETag", `"`+v.etag+`"`)
	a = xmlAnswer(append(out, "</CopyObjectResult>"...))
	b.nameVersion(a, &v)
	a.Header.Set("X-Amz-Copy-Source-Version-Id", x.source.id)
	return a
}

// deleteObject hides a key, or with a version ID removes one version for good
// (user guide, "Deleting object versions").
func (x *exchange) deleteObject(b *bucket) *answer {
	a := &answer{Status: 204, Header: http.Header{}}
	if x.query.Has("versionId") {
		id := x.query.Get("versionId")
		v := b.get(x.Req.Key, id)
		if a := x.badID(id, v); a != nil {
			return a
		}
		if a := x.mayDelete(v); a != nil {
			return a
		}
		if b.remove(x.Req.Key, id); v != nil && v.marker {
			a.Header.Set("X-Amz-Delete-Marker", "true")
		}
		a.Header.Set("X-Amz-Version-Id", id) // also where there was nothing
		return a
	}
	if b.versioning == "" {
		b.remove(x.Req.Key, nullID)
		return a
	}
	v := &version{seq: x.s.seq.Add(1), marker: true, modified: x.s.now()}
	b.add(x.Req.Key, v)
	a.Header.Set("X-Amz-Delete-Marker", "true")
	a.Header.Set("X-Amz-Version-Id", v.id)
	return a
}
