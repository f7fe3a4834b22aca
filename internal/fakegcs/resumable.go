package fakegcs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Resumable uploads: the pages "Resumable uploads" and "Perform resumable
// uploads".

// chunkUnit is what every chunk's size but the last one's must be a multiple of.
const chunkUnit = 256 << 10

// An upload is a session.
type upload struct {
	id, bucket, key string
	query           url.Values // with the conditions
	meta            metadata
	body            []byte
	done            *answer // the object's resource, once it is made; nil: not yet
}

func (x *exchange) startUpload(b *bucket) *answer {
	var m metadata
	if len(x.Body) > 0 {
		if err := json.Unmarshal(x.Body, &m); err != nil {
			return x.fail(400, "parseError", "Parse Error")
		}
	}
	if kind := x.R.Header.Get("X-Upload-Content-Type"); kind != "" && m.ContentType == nil {
		m.ContentType = &kind
	}
	key, a := x.nameOf(&m)
	if a != nil {
		return a
	}
	// The conditions are looked at now, and again when the object is made; that it
	// is so at both times no page tells.
	if a := x.mayWrite(b, key); a != nil {
		return a
	}
	x.s.mu.Lock()
	x.s.seq++
	u := &upload{id: "upload-" + strconv.Itoa(x.s.seq), bucket: b.name, key: key, query: x.query, meta: m}
	x.s.uploads[u.id] = u
	x.s.mu.Unlock()
	location := x.s.URL() + uploadPath + "b/" + url.PathEscape(b.name) + "/o?uploadType=resumable&name=" + url.QueryEscape(key) + "&upload_id=" + u.id
	return &answer{Status: 200, Header: http.Header{"Location": {location}, "X-Guploader-Uploadid": {u.id}}}
}

// session is the upload that a request names, and nil where there is none.
func (x *exchange) session(b *bucket) *upload {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	if u := x.s.uploads[x.query.Get("upload_id")]; u != nil && u.bucket == b.name {
		x.Req.Key = u.key
		return u
	}
	return nil
}

func (x *exchange) cancelUpload(b *bucket) *answer {
	u := x.session(b)
	if u == nil {
		return x.fail(404, "notFound", "The upload session is not there.")
	}
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	delete(x.s.uploads, u.id)
	return &answer{Status: 499, Header: http.Header{}} // as the page says
}

// uploadChunk takes a chunk, or with "bytes */…" tells how far the upload is.
func (x *exchange) uploadChunk(b *bucket) *answer {
	u := x.session(b)
	if u == nil {
		return x.fail(404, "notFound", "The upload session is not there.")
	}
	if u.done != nil { // the client asks again: its answer was lost
		return u.done
	}
	first, total, status, ok := contentRange(x.R.Header.Get("Content-Range"), int64(len(x.Body)))
	have := int64(len(u.body))
	switch {
	case !ok:
		return x.fail(400, "badRequest", "Failed to parse Content-Range header.")
	case status && total != have:
		return x.incomplete(u)
	case first > have:
		return x.fail(503, "backendError", fmt.Sprintf("Invalid request.  According to the Content-Range header, the upload offset is %d byte(s), which exceeds already uploaded size of %d byte(s).", first, have))
	case !status:
		if fresh := x.Body[min(have-first, int64(len(x.Body))):]; len(fresh) > 0 {
			u.body = append(u.body[:have:have], fresh...)
		}
	}
	if total < 0 && len(x.Body)%chunkUnit != 0 {
		u.body = u.body[:have]
		return x.fail(400, "badRequest", fmt.Sprintf("Invalid request.  The number of bytes uploaded is required to be equal or greater than 262144, except for the final request (it's recommended to be the exact multiple of 262144).  The received request contained %d bytes, which does not meet this requirement.", len(x.Body)))
	}
	if total < 0 || int64(len(u.body)) < total {
		return x.incomplete(u)
	}
	for _, spec := range strings.Split(x.R.Header.Get("X-Goog-Hash"), ",") {
		if sum, ok := strings.CutPrefix(strings.TrimSpace(spec), "crc32c="); ok && u.meta.CRC32C == "" {
			u.meta.CRC32C = sum
		}
	}
	x.query = u.query
	if a := x.mayWrite(b, u.key); a != nil {
		return a
	}
	a := x.write(b, u.key, &u.meta, u.body)
	if a.Status == 200 {
		u.done = a
	}
	return a
}

// incomplete is "308 Resume Incomplete", for the Go client in the form that it
// asks for: 200 with a header that says so.
func (x *exchange) incomplete(u *upload) *answer {
	a := &answer{Status: 308, Header: http.Header{"X-Guploader-Uploadid": {u.id}}}
	if n := len(u.body); n > 0 {
		a.Header.Set("Range", "bytes=0-"+strconv.Itoa(n-1))
	}
	if x.R.Header.Get("X-Guploader-No-308") == "yes" {
		a.Status = 200
		a.Header.Set("X-Http-Status-Code-Override", "308")
	}
	return a
}

// contentRange reads "bytes 0-9/10", "bytes 0-9/*", "bytes */10", "bytes */*", and
// no header at all, which is the whole object. total is -1 for "*"; status says
// that there are no bytes in the request.
func contentRange(header string, size int64) (first, total int64, status, ok bool) {
	if header == "" {
		return 0, size, false, true
	}
	spec, found := strings.CutPrefix(header, "bytes ")
	span, all, slash := strings.Cut(spec, "/")
	if !found || !slash {
		return 0, 0, false, false
	}
	total = -1
	if all != "*" {
		var err error
		if total, err = strconv.ParseInt(all, 10, 64); err != nil || total < 0 {
			return 0, 0, false, false
		}
	}
	if span == "*" {
		return 0, total, true, size == 0
	}
	from, to, dash := strings.Cut(span, "-")
	first, err1 := strconv.ParseInt(from, 10, 64)
	last, err2 := strconv.ParseInt(to, 10, 64)
	good := dash && err1 == nil && err2 == nil && first >= 0 && last-first+1 == size && (total < 0 || last < total)
	return first, total, false, good
}
