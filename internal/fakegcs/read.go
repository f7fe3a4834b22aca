package fakegcs

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// getMedia reads bytes: objects.get with alt=media, and GET and HEAD of the XML API.
func (x *exchange) getMedia(b *bucket) *answer {
	if x.query.Get("softDeleted") == "true" {
		return x.invalid("Soft-deleted objects cannot be read.") // "Soft delete"; the status is not told
	}
	_, g, a := x.target(b)
	if a != nil {
		return a
	}
	if g.size != int64(len(g.body)) && x.R.Method == "GET" {
		return x.fail(500, "internalError", "This generation was planted with a size that is not its body's.")
	}
	return x.content(g)
}

// content is a generation's bytes, or the part that Range asks for.
func (x *exchange) content(g *generation) *answer {
	a := &answer{Status: 200, Header: http.Header{}}
	x.describe(a.Header, g)
	body := g.body
	if g.encoding == "gzip" {
		// "Transcoding of gzip-compressed files": decompressed on its way unless the
		// request takes gzip or Cache-Control says no-transform; no Content-Encoding
		// and no Content-Length then, and a Range is ignored. What is not gzip although
		// it is said to be: the page doesn't tell; here it goes out as it is.
		if takesGzip(x.R.Header) || strings.Contains(g.cacheControl, "no-transform") {
			a.Header.Set("Content-Encoding", "gzip")
		} else if plain, err := gunzip(body); err == nil {
			a.Header.Set("Warning", "214 UploadServer gunzipped")
			a.Header.Set("Content-Length", "-")
			a.Body = plain
			return a
		}
	} else if g.encoding != "" {
		a.Header.Set("Content-Encoding", g.encoding)
	}
	a.Header.Set("Accept-Ranges", "bytes")
	first, last, ok := byteRange(x.R.Header.Get("Range"), g.size)
	switch {
	case !ok:
		first, last = 0, g.size-1
	case first >= g.size || first > last:
		a := x.failXML(416, "requestedRangeNotSatisfiable", "InvalidRange", "Request range not satisfiable")
		a.Header.Set("Content-Range", "bytes */"+strconv.FormatInt(g.size, 10))
		return a
	default:
		a.Status = 206
		a.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, g.size))
	}
	a.Header.Set("Content-Length", strconv.FormatInt(last+1-first, 10))
	if x.R.Method == "GET" {
		a.Body = body[first : last+1]
	}
	return a
}

// describe sets the headers of a read ("Extension headers" of the XML API). The
// ETag of the XML API is the MD5 in hex, that of the JSON API the resource's.
func (x *exchange) describe(h http.Header, g *generation) {
	h.Set("Content-Type", "application/octet-stream")
	for name, value := range map[string]string{"Content-Type": g.contentType, "Cache-Control": g.cacheControl, "Content-Disposition": g.disposition, "Content-Language": g.language} {
		if value != "" {
			h.Set(name, value)
		}
	}
	h.Set("Last-Modified", g.updated.Format(http.TimeFormat))
	h.Set("X-Goog-Generation", strconv.FormatInt(g.number, 10))
	h.Set("X-Goog-Metageneration", strconv.FormatInt(g.metagen, 10))
	h.Set("X-Goog-Storage-Class", g.class)
	h.Set("X-Goog-Stored-Content-Encoding", "identity")
	if g.encoding != "" {
		h.Set("X-Goog-Stored-Content-Encoding", g.encoding)
	}
	h.Set("X-Goog-Stored-Content-Length", strconv.FormatInt(g.size, 10))
	h.Set("Etag", g.tag())
	hashes := []string{"crc32c=" + g.crc32c}
	if g.md5 != "" {
		hashes = append(hashes, "md5="+g.md5)
	}
	if x.xml {
		h["X-Goog-Hash"] = hashes
		if raw, err := base64.StdEncoding.DecodeString(g.md5); err == nil && len(raw) > 0 {
			h.Set("Etag", `"`+hex.EncodeToString(raw)+`"`)
		}
	} else {
		h.Set("X-Goog-Hash", strings.Join(hashes, ","))
	}
	for name, value := range g.metadata {
		h.Set("X-Goog-Meta-"+name, value)
	}
}

func takesGzip(h http.Header) bool {
	for _, value := range h.Values("Accept-Encoding") {
		for _, one := range strings.Split(value, ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(one), ";")
			if name == "gzip" {
				return true
			}
		}
	}
	return false
}

func gunzip(body []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// byteRange reads a Range of one part (RFC 9110, 14.1.2), cut to the size. What
// it doesn't understand is no range, and the whole object is the answer. The Go
// client asks for the last n bytes with "bytes=-n".
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
