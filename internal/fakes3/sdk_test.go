package fakes3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// client is Amazon's own client, with its defaults except the address.
func client(s *Server, region string, change ...func(*s3.Options)) *s3.Client {
	return s3.New(s3.Options{
		Region: region, BaseEndpoint: aws.String(s.URL()), UsePathStyle: true, HTTPClient: s.Client(),
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported, ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
		Credentials: credentials.NewStaticCredentialsProvider("AKID", "secret", ""),
	}, change...)
}

func awkwardKeys() []string {
	keys := []string{
		"plain", "a b", "a+b", "100%", "50%25", "a&b=c", "<x>", `"q"`, "it's", `back\slash`, "a//b", "//a", "/a", "/", "a/", "a//",
		"./a", "a/./b", "../a", "a/../b", "..", ".", "a?b#c", "a;b:c@d", "~!$()*,[]{}|^`", "tab\tnew\nline\r", "\x01\x1b[31m\x7f",
		"ünïcödé", "e\u0301", "😀/🎉", "\u202eright", "\ufeffbom", strings.Repeat("k", 1024), strings.Repeat("é", 512), "versions", "a?versionId=1",
	}
	slices.Sort(keys)
	return keys
}

// Every call of ours for every awkward key, over http and https: with https the
// client sends bodies in chunks with a trailing checksum.
func TestAmazonsClient(t *testing.T) {
	for _, tls := range []bool{false, true} {
		t.Run(fmt.Sprintf("tls=%v", tls), func(t *testing.T) {
			ctx := context.Background()
			s := start(t, Options{TLS: tls, AccessKey: "AKID", Region: "us-west-2"})
			c := client(s, "us-west-2")
			bucket := aws.String("b")
			ids := map[string]string{}
			for _, key := range awkwardKeys() {
				text := "body of " + key
				put, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader(text), IfNoneMatch: aws.String("*")})
				if err != nil {
					t.Fatalf("put %q: %v", key, err)
				}
				ids[key] = aws.ToString(put.VersionId)
				if _, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader(text), IfNoneMatch: aws.String("*")}); code(err) != "PreconditionFailed" {
					t.Errorf("second put %q: %v", key, err)
				}
				get, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: &key, VersionId: put.VersionId})
				if err != nil {
					t.Fatalf("get %q: %v", key, err)
				}
				if body, err := io.ReadAll(get.Body); err != nil || string(body) != text {
					t.Errorf("get %q: %q %v", key, body, err)
				}
				cp, err := c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: aws.String("u"), Key: &key,
					CopySource: aws.String("b/" + url.QueryEscape(key) + "?versionId=" + *put.VersionId)})
				if err != nil || aws.ToString(cp.CopySourceVersionId) != *put.VersionId {
					t.Errorf("copy %q: %v", key, err)
				}
				if head, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("u"), Key: &key}); err != nil || *head.ContentLength != int64(len(text)) {
					t.Errorf("head %q: %v", key, err)
				}
				del, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: &key})
				if err != nil || !aws.ToBool(del.DeleteMarker) {
					t.Fatalf("delete %q: %v", key, err)
				}
				if _, err := c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: &key}); !errors.As(err, new(*types.NotFound)) {
					t.Errorf("head of a deleted %q: %v", key, err)
				}
				if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: &key, VersionId: del.VersionId}); err != nil {
					t.Errorf("delete the marker of %q: %v", key, err)
				}
			}
			checkListing(t, c, ids)
			for _, r := range s.Requests() {
				if r.Kind == "Unknown" {
					t.Errorf("unknown: %s %s %s", r.Method, r.Key, r.Query)
				}
			}
		})
	}
}

// checkListing pages through the bucket in twos, keys in bytewise order.
func checkListing(t *testing.T, c *s3.Client, ids map[string]string) {
	t.Helper()
	var got []string
	in := &s3.ListObjectVersionsInput{Bucket: aws.String("b"), MaxKeys: aws.Int32(2), EncodingType: types.EncodingTypeUrl}
	for more := true; more; {
		out, err := c.ListObjectVersions(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		// The client's own paginator would send the key marker back encoded.
		next, err := url.QueryUnescape(aws.ToString(out.NextKeyMarker))
		if more = *out.IsTruncated; err != nil || more && next <= aws.ToString(in.KeyMarker) {
			t.Fatalf("after %q comes %q (%v)", aws.ToString(in.KeyMarker), next, err)
		}
		in.KeyMarker, in.VersionIdMarker = &next, out.NextVersionIdMarker
		for _, v := range out.Versions {
			key, err := url.QueryUnescape(*v.Key)
			if err != nil || *v.VersionId != ids[key] || !*v.IsLatest || *v.Size != int64(len("body of "+key)) {
				t.Errorf("%q: %v %s", key, err, *v.VersionId)
			}
			got = append(got, key)
		}
		if len(out.DeleteMarkers) > 0 {
			t.Errorf("a marker is left: %q", *out.DeleteMarkers[0].Key)
		}
	}
	if want := awkwardKeys(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

func TestAmazonsClientSettings(t *testing.T) {
	ctx := context.Background()
	s := start(t, Options{Region: "us-west-2"})
	c := client(s, "us-west-2")
	name := aws.String("made")
	if _, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: name}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: name, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}}); err != nil {
		t.Fatal(err)
	}
	if v, err := c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: name}); err != nil || v.Status != "Enabled" {
		t.Errorf("versioning: %v %v", v, err)
	}
	if _, err := c.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: name}); code(err) != "NoSuchLifecycleConfiguration" {
		t.Errorf("lifecycle: %v", err)
	}
	if _, err := c.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{Bucket: name, LifecycleConfiguration: &types.BucketLifecycleConfiguration{
		Rules: []types.LifecycleRule{{ID: aws.String("r"), Status: "Enabled", Filter: &types.LifecycleRuleFilter{Prefix: aws.String("a&b/")}, Expiration: &types.LifecycleExpiration{Days: aws.Int32(30)}}}}}); err != nil {
		t.Fatal(err)
	}
	if l, err := c.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: name}); err != nil || *l.Rules[0].Filter.Prefix != "a&b/" || *l.Rules[0].Expiration.Days != 30 {
		t.Errorf("lifecycle: %v %v", l, err)
	}
	if _, err := c.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: name}); code(err) != "ObjectLockConfigurationNotFoundError" {
		t.Errorf("lock: %v", err)
	}
	s.SetObjectLock("made", `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>7</Days></DefaultRetention></Rule></ObjectLockConfiguration>`)
	if l, err := c.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: name}); err != nil || *l.ObjectLockConfiguration.Rule.DefaultRetention.Days != 7 {
		t.Errorf("lock: %v %v", l, err)
	}
	if h, err := c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: name}); err != nil || *h.BucketRegion != "us-west-2" {
		t.Errorf("head: %v %v", h, err)
	}
	if l, err := c.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: name}); err != nil || l.LocationConstraint != "us-west-2" {
		t.Errorf("location: %v %v", l, err)
	}
	if l, err := c.ListBuckets(ctx, &s3.ListBucketsInput{}); err != nil || len(l.Buckets) != 3 || *l.Buckets[1].Name != "made" {
		t.Errorf("buckets: %v %v", l, err)
	}
	if l, err := c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: name}); err != nil || *l.KeyCount != 0 {
		t.Errorf("objects: %v %v", l, err)
	}
	if _, err := client(s, "eu-west-1").ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: name}); code(err) != "PermanentRedirect" {
		t.Errorf("another region: %v", err)
	}
}

// Bodies as the client sends them: each checksum, in a header and as a trailer
// behind chunks; and a body that was changed on its way back.
func TestAmazonsClientBodies(t *testing.T) {
	ctx := context.Background()
	big := bytes.Repeat([]byte("0123456789abcdef"), 200_000) // 3.2 MB: many chunks, and Expect: 100-continue
	for _, tls := range []bool{false, true} {
		s := start(t, Options{TLS: tls})
		c := client(s, "us-east-1")
		for _, algorithm := range []types.ChecksumAlgorithm{"", "CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"} {
			key := "k" + string(algorithm)
			in := &s3.PutObjectInput{Bucket: aws.String("b"), Key: &key, Body: bytes.NewReader(big), ChecksumAlgorithm: algorithm}
			if tls {
				in.Body = io.NopCloser(bytes.NewReader(big)) // cannot be read twice
				in.ContentLength = aws.Int64(int64(len(big)))
			}
			if _, err := c.PutObject(ctx, in); err != nil {
				t.Fatalf("tls %v, %s: %v", tls, algorithm, err)
			}
			r := s.Requests()[s.Count("")-1]
			if chunked := r.Header.Get("X-Amz-Trailer") != ""; chunked != tls {
				t.Errorf("tls %v, %s: trailer %q", tls, algorithm, r.Header.Get("X-Amz-Trailer"))
			}
			get, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("b"), Key: &key})
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(get.Body); err != nil || !bytes.Equal(body, big) {
				t.Errorf("tls %v, %s: %d bytes, %v", tls, algorithm, len(body), err)
			}
		}
	}
}

// What the client does by itself, as facts of the service: a lost answer to a
// conditional write comes back as 412, a 409 is not tried again, 503 is.
func TestAmazonsClientRetries(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		do       Action
		code     string
		requests int
	}{{DropAnswer, "PreconditionFailed", 2}, {Applied(InternalError), "PreconditionFailed", 2}, {Conflict, "ConditionalRequestConflict", 1}, {SlowDown, "", 2}, {Reset, "", 2}} {
		s := start(t, Options{})
		s.Fail(Fault{Kind: "PutObject", Do: c.do})
		_, err := client(s, "us-east-1").PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("b"), Key: aws.String("k"), Body: strings.NewReader("x"), IfNoneMatch: aws.String("*")})
		if code(err) != c.code || (c.code == "") != (err == nil) || s.Count("PutObject") != c.requests {
			t.Errorf("want %q after %d requests: %v after %d", c.code, c.requests, err, s.Count("PutObject"))
		}
	}
}
