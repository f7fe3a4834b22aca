package s3

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
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
		return nil, bucket.Version{}, b.fail(c, &badAnswer{Text: fmt.Sprintf(format, args...)})
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
	v.MD5 = isMD5(v.ETag, out)
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
		if v.Size, err = remote.Total(*out.ContentRange, length); err != nil {
			return bad("%s", err)
		}
	}
	return remote.Whole(out.Body, length, first, func(err error) error { return b.fail(c, err) }), v, nil
}

func unquote(etag *string) string {
	return strings.TrimSuffix(strings.TrimPrefix(aws.ToString(etag), `"`), `"`)
}

// isMD5 says whether an object's ETag is the MD5 of its bytes: it was put in one piece,
// and is not encrypted with a key of KMS or of the customer.
//
// S3 API reference, "Object".
func isMD5(etag string, out *awss3.GetObjectOutput) bool {
	if _, err := hex.DecodeString(etag); err != nil || len(etag) != 32 {
		return false
	}
	switch out.ServerSideEncryption {
	case "", types.ServerSideEncryptionAes256:
		return out.SSECustomerAlgorithm == nil
	}
	return false
}
