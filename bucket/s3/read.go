package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"provcat-tui/bucket"
)

func (b *store) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	c := call{op: "read", key: key, version: version, permission: "s3:GetObject"}
	in := &awss3.GetObjectInput{Bucket: &b.name, Key: &key, RequestPayer: b.requestPayer()}
	if version != "" {
		c.permission = "s3:GetObjectVersion"
		in.VersionId = &version
	}
	if first > 0 {
		in.Range = aws.String("bytes=0-" + strconv.FormatInt(first-1, 10))
	}
	out, err := b.client.GetObject(c.in(ctx), in)
	if err != nil && first > 0 && httpStatus(err) == http.StatusRequestedRangeNotSatisfiable {
		// An empty object has no first byte. Read as a whole it tells the rest.
		in.Range = nil
		out, err = b.client.GetObject(c.in(ctx), in)
	}
	if err != nil {
		return nil, bucket.Version{}, b.fail(c, err)
	}
	bad := func(format string, args ...any) (io.ReadCloser, bucket.Version, error) {
		_ = out.Body.Close() // given up
		return nil, bucket.Version{}, b.fail(c, &badAnswer{text: fmt.Sprintf(format, args...)})
	}
	if out.ETag == nil {
		return bad("no ETag: this is not an object of an S3 store")
	}
	v := bucket.Version{Key: key, ID: aws.ToString(out.VersionId), Latest: version == "", ETag: unquote(out.ETag), StorageClass: string(out.StorageClass)}
	if v.ID == "" {
		v.ID = bucket.NullID
	}
	if version != "" && v.ID != version {
		if out.VersionId != nil {
			return bad("it is version %q, another was asked for", v.ID)
		}
		v.ID = version
	}
	if v.StorageClass == "" {
		v.StorageClass = "STANDARD" // S3 names it in listings, and leaves it out here
	}
	if out.LastModified != nil {
		v.Modified = out.LastModified.UTC()
	}
	if out.ContentLength == nil {
		return bad("the answer has no length")
	}
	length := *out.ContentLength
	v.Size = length
	if out.ContentRange != nil {
		if first <= 0 {
			return bad("a part of the object, where all of it was asked for")
		}
		if v.Size, err = total(*out.ContentRange, length); err != nil {
			return bad("%s", err)
		}
	}
	r := &reader{b: b, c: c, body: out.Body, left: length}
	if first > 0 && length > first { // the store does not do ranges
		r.left, r.cut = first, true
	}
	return r, v, nil
}

// total reads "bytes 0-9/1234", where length bytes from the start are due.
func total(contentRange string, length int64) (int64, error) {
	span, all, ok := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "/")
	size, err := strconv.ParseInt(all, 10, 64)
	if !ok || err != nil || span != "0-"+strconv.FormatInt(length-1, 10) || size < length {
		return 0, fmt.Errorf("the Content-Range %q is not what was asked for", contentRange)
	}
	return size, nil
}

func unquote(etag *string) string {
	return strings.TrimSuffix(strings.TrimPrefix(aws.ToString(etag), `"`), `"`)
}

// reader is an object's body. An end before the length that was announced is an
// error, never an end.
type reader struct {
	b    *store
	c    call
	body io.ReadCloser
	left int64
	cut  bool // more may follow, which nobody asked for
}

func (r *reader) Read(p []byte) (int, error) {
	if r.left == 0 && r.cut {
		return 0, io.EOF
	}
	if r.cut && int64(len(p)) > r.left {
		p = p[:r.left]
	}
	n, err := r.body.Read(p)
	r.left -= int64(n)
	switch {
	case err == io.EOF && r.left > 0:
		err = io.ErrUnexpectedEOF
	case err == io.EOF && r.left == 0 || err == nil:
		return n, err
	case r.left < 0:
		err = &badAnswer{text: "more bytes than announced"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &lostBody{err}
	}
	return n, r.b.fail(r.c, err)
}

func (r *reader) Close() error { return r.body.Close() }
