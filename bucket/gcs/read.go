package gcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	raw "google.golang.org/api/storage/v1"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// Open reads the bytes as they are stored: what has Content-Encoding: gzip is not
// unpacked, so that sizes and hashes are right.
func (b *store) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	c := &call{op: "read", name: opMedia, key: key, version: version, permission: "storage.objects.get", media: true}
	in := b.get(key)
	if version != "" {
		number, ok := generationOf(version)
		if !ok {
			return nil, bucket.Version{}, b.noGeneration(c)
		}
		in.Generation(number)
	}
	var res *http.Response
	send := func(ctx context.Context) (err error) {
		res, err = in.Context(ctx).Download() //nolint:bodyclose // the caller closes it
		return err
	}
	if first > 0 {
		c.span = "bytes=0-" + strconv.FormatInt(first-1, 10)
	}
	err := b.do(ctx, c, send)
	if first > 0 && status(err) == http.StatusRequestedRangeNotSatisfiable {
		// An empty object has no first byte. Read as a whole it tells the rest.
		c.span = ""
		err = b.do(ctx, c, send)
	}
	if err != nil {
		return nil, bucket.Version{}, b.fail(c, err)
	}
	v, err := told(res, version, first)
	if err != nil {
		_ = res.Body.Close() // given up
		return nil, bucket.Version{}, b.fail(c, err)
	}
	v.Key, v.Latest = key, version == ""
	return remote.Whole(res.Body, res.ContentLength, first, func(err error) error { return b.fail(c, err) }), v, nil
}

func (b *store) get(key string) *raw.ObjectsGetCall {
	in := b.api.Objects.Get(b.name, key).Projection("noAcl")
	if b.billing != "" {
		in.UserProject(b.billing)
	}
	return in
}

// noGeneration is the answer for versions that Cloud Storage cannot have made: a
// deletion, which has no content, or another store's ID.
func (b *store) noGeneration(c *call) error {
	hint := "Cloud Storage's versions are generations, which are numbers"
	if _, ok := under(c.version); ok {
		hint = "that version is a deletion, which has no content"
	}
	return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key, Version: c.version, Kind: bucket.ErrNotFound,
		Err: errors.New("no generation has that name"), Hint: hint}
}

// told reads what an object's headers tell.
//
// Cloud Storage documentation, "HTTP headers and query string parameters".
func told(res *http.Response, version string, first int64) (bucket.Version, error) {
	h := res.Header
	v := bucket.Version{ID: h.Get("X-Goog-Generation"), StorageClass: h.Get("X-Goog-Storage-Class")}
	bad := func(format string, args ...any) (bucket.Version, error) {
		return bucket.Version{}, &remote.BadAnswer{Text: fmt.Sprintf(format, args...)}
	}
	if v.ID == "" {
		return bad("no generation: this is not an object of Cloud Storage")
	}
	if version != "" && v.ID != version {
		return bad("it is generation %.40q, another was asked for", v.ID)
	}
	if res.ContentLength < 0 {
		return bad("the answer has no length")
	}
	if stored, sent := h.Get("X-Goog-Stored-Content-Encoding"), h.Get("Content-Encoding"); (sent == "gzip") != (stored == "gzip") && stored != "" {
		return bad("its encoding was changed on the way, from %.40q to %.40q: these are not the bytes that are stored", stored, sent)
	}
	v.Size = res.ContentLength
	if span := h.Get("Content-Range"); span != "" {
		var err error
		if first <= 0 {
			return bad("a part of the object, where all of it was asked for")
		}
		if v.Size, err = remote.Total(span, res.ContentLength); err != nil {
			return bad("%s", err)
		}
	}
	if n := h.Get("X-Goog-Stored-Content-Length"); n != "" && n != strconv.FormatInt(v.Size, 10) {
		return bad("%d bytes, where %.40q are stored", v.Size, n)
	}
	var md5, crc string
	for _, line := range h.Values("X-Goog-Hash") {
		for part := range strings.SplitSeq(line, ",") {
			part = strings.TrimSpace(part)
			if s, ok := strings.CutPrefix(part, "md5="); ok {
				md5 = s
			} else if s, ok := strings.CutPrefix(part, "crc32c="); ok {
				crc = s
			}
		}
	}
	var err error
	v.MD5 = md5 != ""
	if v.ETag, err = etag(md5, crc); err != nil {
		return bucket.Version{}, err
	}
	if t, err := http.ParseTime(h.Get("Last-Modified")); err == nil {
		v.Modified = t.UTC()
	}
	return v, nil
}
