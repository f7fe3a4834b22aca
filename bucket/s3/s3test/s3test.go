// Package s3test makes buckets on S3 servers for tests: the test server of
// internal/fakes3, or a real one.
package s3test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3"
)

// RealEndpoint is the endpoint of the real server that PROVCAT_TEST_S3 names,
// such as "http://127.0.0.1:8333". Without it the test is skipped. The
// credentials are AWS_ACCESS_KEY_ID's and AWS_SECRET_ACCESS_KEY's.
func RealEndpoint(t testing.TB) string {
	t.Helper()
	endpoint := os.Getenv("PROVCAT_TEST_S3")
	if endpoint == "" {
		t.Skip("no real server: PROVCAT_TEST_S3 is not set")
	}
	return endpoint
}

// A Bucket is a bucket.Bucket with what tests need beyond it. It fits
// buckettest.Bucket.
type Bucket struct {
	bucket.Bucket
	// Name is the bucket's name; Endpoint where it is.
	Name, Endpoint string
	// Client is the SDK's own, with the same credentials.
	Client *awss3.Client

	locked *bool // object lock was switched on
}

// Unwrap gives the driver's own.
func (b *Bucket) Unwrap() bucket.Bucket { return b.Bucket }

// New makes a fresh bucket with versioning enabled at endpoint and opens it. On
// a real server it is removed at the end of the test.
func New(t testing.TB, endpoint string) *Bucket {
	t.Helper()
	b := &Bucket{Name: name(t), Endpoint: endpoint, Client: client(endpoint)}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := b.Client.CreateBucket(ctx, &awss3.CreateBucketInput{Bucket: &b.Name}); err != nil {
		t.Fatalf("create the bucket %s at %s: %v", b.Name, endpoint, err)
	}
	if err := b.SetVersioning(ctx, bucket.VersioningEnabled); err != nil {
		t.Fatalf("switch versioning on in %s at %s: %v", b.Name, endpoint, err)
	}
	b.Bucket = Open(t, endpoint, b.Name)
	if endpoint == os.Getenv("PROVCAT_TEST_S3") {
		t.Cleanup(func() { b.remove(t) })
	}
	return b
}

// Open opens a bucket that is there, as another process would. It is closed at
// the end of the test.
func Open(t testing.TB, endpoint, name string) bucket.Bucket {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := s3.OpenWith(ctx, bucket.Location{Scheme: "s3", Bucket: name},
		bucket.Options{Endpoint: endpoint, Region: region, PathStyle: true}, Tune)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // it gives up idle connections only
	return b
}

const region = "us-east-1"

// Tune gives the SDK the test's credentials and a retryer that does not wait
// long: the same three attempts, milliseconds apart.
func Tune(o *awss3.Options) {
	key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if os.Getenv("PROVCAT_TEST_S3") == "" || key == "" {
		key, secret = "test", "test"
	}
	o.Credentials = credentials.NewStaticCredentialsProvider(key, secret, "")
	o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
		r.MaxBackoff = 10 * time.Millisecond
		r.RateLimiter = unlimited{}
	})
}

// unlimited lets a test have as many faults as it wants.
type unlimited struct{}

func (unlimited) GetToken(context.Context, uint) (func() error, error) {
	return func() error { return nil }, nil
}
func (unlimited) AddTokens(uint) error { return nil }

func client(endpoint string) *awss3.Client {
	return awss3.New(awss3.Options{
		Region: region, BaseEndpoint: &endpoint, UsePathStyle: true,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}, Tune)
}

func name(t testing.TB) string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return "provcat-" + hex.EncodeToString(b[:])
}

// Put makes a new live version of key, whatever is there.
func (b *Bucket) Put(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	size, err := body.Seek(0, io.SeekEnd)
	if err != nil {
		return bucket.Version{}, err
	}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return bucket.Version{}, err
	}
	out, err := b.Client.PutObject(ctx, &awss3.PutObjectInput{Bucket: &b.Name, Key: &key, Body: body, ContentLength: &size})
	if err != nil {
		return bucket.Version{}, err
	}
	v := bucket.Version{Key: key, ID: aws.ToString(out.VersionId), Latest: true, Size: size}
	if v.ID == "" {
		v.ID = bucket.NullID // what S3 lists it as
	}
	if etag := aws.ToString(out.ETag); len(etag) > 2 {
		v.ETag = etag[1 : len(etag)-1]
	}
	return v, nil
}

// SetVersioning takes enabled or suspended.
func (b *Bucket) SetVersioning(ctx context.Context, v bucket.Versioning) error {
	status := types.BucketVersioningStatusEnabled
	if v == bucket.VersioningSuspended {
		status = types.BucketVersioningStatusSuspended
	}
	_, err := b.Client.PutBucketVersioning(ctx, &awss3.PutBucketVersioningInput{Bucket: &b.Name,
		VersioningConfiguration: &types.VersioningConfiguration{Status: status}})
	return err
}

// SetLifecycle replaces the rules; none removes them.
func (b *Bucket) SetLifecycle(ctx context.Context, rules []bucket.Rule) error {
	if len(rules) == 0 {
		_, err := b.Client.DeleteBucketLifecycle(ctx, &awss3.DeleteBucketLifecycleInput{Bucket: &b.Name})
		return err
	}
	in := make([]types.LifecycleRule, len(rules))
	for i := range rules {
		in[i] = rule(&rules[i])
	}
	_, err := b.Client.PutBucketLifecycleConfiguration(ctx, &awss3.PutBucketLifecycleConfigurationInput{Bucket: &b.Name,
		LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: in}})
	return err
}

// remove takes the bucket away with all that is in it.
func (b *Bucket) remove(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for u, err := range b.Uploads(ctx, "") {
		if err == nil {
			err = b.AbortUpload(ctx, u.Key, u.ID)
		}
		if err != nil {
			t.Logf("abort the uploads of %s: %v", b.Name, err)
			break
		}
	}
	for v, err := range b.Versions(ctx, bucket.Range{}) {
		if err == nil {
			_, err = b.Client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &b.Name, Key: &v.Key, VersionId: &v.ID, BypassGovernanceRetention: b.locked})
		}
		if err != nil {
			t.Logf("empty the bucket %s: %v", b.Name, err)
			break
		}
	}
	if _, err := b.Client.DeleteBucket(ctx, &awss3.DeleteBucketInput{Bucket: &b.Name}); err != nil {
		t.Logf("remove the bucket %s: %v", b.Name, err)
	}
}
