package s3

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"provcat-tui/bucket"
)

// maxCopy is the largest object that one CopyObject takes, in bytes (S3 API
// reference, "CopyObject").
const maxCopy = 5 << 30

// MaxCopy is the bound of CopyVersion.
func (b *store) MaxCopy() int64 { return maxCopy }

// PutIfAbsent sends If-None-Match: *. The SDK retries a lost answer by itself
// and may then be refused for its own write. The time of the new version is not
// told by S3; Modified is zero.
func (b *store) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	c := call{op: "create", key: key, permission: "s3:PutObject", outcome: new(outcome), conditional: true}
	// The MD5 shows the store what was damaged on the way. Object Lock wants it
	// too, on buckets with a default retention.
	sum := md5.New()
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	size, err := io.Copy(sum, body)
	if err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	in := &awss3.PutObjectInput{
		Bucket:        &b.name,
		Key:           &key,
		Body:          body,
		ContentLength: &size,
		ContentMD5:    aws.String(base64.StdEncoding.EncodeToString(sum.Sum(nil))),
		ContentType:   aws.String(contentType(key)),
		IfNoneMatch:   aws.String("*"),
		RequestPayer:  b.requestPayer(),
	}
	out, err := b.client.PutObject(c.in(ctx), in)
	if err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	if out.ETag == nil {
		return bucket.Version{}, b.notTheStore(c)
	}
	return bucket.Version{Key: key, ID: idOrNull(out.VersionId), Latest: true, ETag: unquote(out.ETag), Size: size}, nil
}

// contentType is what a browser or another reader is told. All that the
// program writes under .provcat/ is JSON.
func contentType(key string) string {
	if strings.HasPrefix(key, ".provcat/") || strings.HasSuffix(key, ".json") {
		return "application/json"
	}
	return "application/octet-stream"
}

func idOrNull(id *string) string {
	if aws.ToString(id) == "" {
		return bucket.NullID
	}
	return *id
}

// notTheStore is for a write that something answered with 200 that is no S3
// store, so that nobody knows what the store did.
func (b *store) notTheStore(c call) error {
	c.outcome.lost.Store(true)
	return b.fail(c, &badAnswer{Text: "the answer to the write is not an S3 store's"})
}

// CopyVersion first asks for the version's size, which the answer to a copy
// doesn't tell, so that an absent version and one above 5 GiB show before
// anything is written.
func (b *store) CopyVersion(ctx context.Context, key, version, to string) (bucket.Version, error) {
	if version == "" {
		return bucket.Version{}, b.fail(call{op: "copy", key: key}, errNoVersion)
	}
	from := call{op: "copy", key: key, version: version, permission: "s3:GetObjectVersion"}
	head, err := b.client.HeadObject(from.in(ctx), &awss3.HeadObjectInput{Bucket: &b.name, Key: &key, VersionId: &version, RequestPayer: b.requestPayer()})
	if err != nil {
		return bucket.Version{}, b.fail(from, err)
	}
	if head.ContentLength == nil || head.ETag == nil {
		return bucket.Version{}, b.fail(from, &badAnswer{Text: "no length or ETag: this is not an object of an S3 store"})
	}
	if *head.ContentLength > maxCopy {
		return bucket.Version{}, &bucket.Error{Op: from.op, Bucket: b.URL(), Key: key, Version: version, Kind: bucket.ErrUnsupported,
			Err:  errors.New("S3 copies at most 5 GiB in one request"),
			Hint: "copy it in parts, as \"aws s3api upload-part-copy\" does"}
	}
	c := call{op: "copy to", key: to, permission: "s3:PutObject", outcome: new(outcome)}
	out, err := b.client.CopyObject(c.in(ctx), &awss3.CopyObjectInput{
		Bucket:       &b.name,
		Key:          &to,
		CopySource:   aws.String(copySource(b.name, key, version)),
		RequestPayer: b.requestPayer(),
	}, requireRoot("CopyObjectResult"))
	if err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	if out.CopyObjectResult == nil || out.CopyObjectResult.ETag == nil {
		return bucket.Version{}, b.notTheStore(c)
	}
	v := bucket.Version{Key: to, ID: idOrNull(out.VersionId), Latest: true, ETag: unquote(out.CopyObjectResult.ETag), Size: *head.ContentLength, StorageClass: "STANDARD"}
	if t := out.CopyObjectResult.LastModified; t != nil {
		v.Modified = t.UTC()
	}
	return v, nil
}

// copySource is the x-amz-copy-source header: percent-encoded but for slashes.
func copySource(name, key, version string) string {
	parts := strings.Split(name+"/"+key, "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(parts[i]), "+", "%20")
	}
	return strings.Join(parts, "/") + "?versionId=" + url.QueryEscape(version)
}

func (b *store) Delete(ctx context.Context, key string) (bucket.Version, error) {
	c := call{op: "delete", key: key, permission: "s3:DeleteObject", outcome: new(outcome)}
	out, err := b.client.DeleteObject(c.in(ctx), &awss3.DeleteObjectInput{Bucket: &b.name, Key: &key, RequestPayer: b.requestPayer()})
	if err != nil {
		return bucket.Version{}, b.fail(c, err)
	}
	if isPage(out.ResultMetadata) {
		return bucket.Version{}, b.notTheStore(c)
	}
	if !aws.ToBool(out.DeleteMarker) {
		return bucket.Version{}, &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key,
			Err:  errors.New("the store made no delete marker: versioning is off, and what was there is gone for good"),
			Hint: "switch versioning on before deleting"}
	}
	return bucket.Version{Key: key, ID: idOrNull(out.VersionId), Latest: true, DeleteMarker: true}, nil
}

func (b *store) DeleteVersion(ctx context.Context, key, version string) error {
	if version == "" { // S3 would make a delete marker
		return b.fail(call{op: "delete a version of", key: key}, errNoVersion)
	}
	c := call{op: "delete a version of", key: key, version: version, permission: "s3:DeleteObjectVersion", outcome: new(outcome)}
	out, err := b.client.DeleteObject(c.in(ctx), &awss3.DeleteObjectInput{Bucket: &b.name, Key: &key, VersionId: &version, RequestPayer: b.requestPayer()})
	if err != nil {
		return b.fail(c, err)
	}
	if isPage(out.ResultMetadata) {
		return b.notTheStore(c)
	}
	return nil
}

// isPage says that a web page came back where S3 answers without a body.
func isPage(m middleware.Metadata) bool {
	res, ok := awsmiddleware.GetRawResponse(m).(*smithyhttp.Response)
	return ok && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html")
}
