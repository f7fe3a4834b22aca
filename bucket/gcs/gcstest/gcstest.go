// Package gcstest makes buckets on Cloud Storage servers for tests: the test server of
// internal/fakegcs, or another one.
package gcstest

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	raw "google.golang.org/api/storage/v1"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
)

// RealEndpoint is the endpoint of the server that PROVCAT_TEST_GCS names, such as
// "http://127.0.0.1:4443". Without it the test is skipped.
func RealEndpoint(t testing.TB) string {
	t.Helper()
	endpoint := os.Getenv("PROVCAT_TEST_GCS")
	if endpoint == "" {
		t.Skip("no other server: PROVCAT_TEST_GCS is not set")
	}
	return endpoint
}

// A Bucket is a bucket.Bucket with what tests need beyond it. It fits
// buckettest.Bucket.
type Bucket struct {
	bucket.Bucket
	// Name is the bucket's name; Endpoint where it is.
	Name, Endpoint string
	// API is the client's own.
	API *raw.Service
}

// Unwrap gives the driver's own.
func (b *Bucket) Unwrap() bucket.Bucket { return b.Bucket }

// New makes a fresh bucket with versioning enabled at endpoint and opens it.
func New(t testing.TB, endpoint string) *Bucket {
	t.Helper()
	b := &Bucket{Name: name(t), Endpoint: endpoint, API: API(t, endpoint)}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := b.API.Buckets.Insert("project", &raw.Bucket{Name: b.Name, Versioning: &raw.BucketVersioning{Enabled: true}}).Context(ctx).Do(); err != nil {
		t.Fatalf("create the bucket %s at %s: %v", b.Name, endpoint, err)
	}
	b.Bucket = Open(t, endpoint, b.Name)
	return b
}

// API is a client of the server without credentials.
func API(t testing.TB, endpoint string) *raw.Service {
	t.Helper()
	api, err := raw.NewService(context.Background(), option.WithEndpoint(endpoint+"/storage/v1/"), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// Open opens a bucket that is there, as another process would. It is closed at the end
// of the test.
func Open(t testing.TB, endpoint, name string) bucket.Bucket {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := gcs.OpenWith(ctx, bucket.Location{Scheme: "gs", Bucket: name}, bucket.Options{Endpoint: endpoint}, Tune)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // it gives up idle connections only
	return b
}

// Tune keeps the number of attempts and makes the waits between them short.
func Tune(o *gcs.Tuning) { o.Pause = time.Millisecond }

func name(t testing.TB) string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return "provcat-" + hex.EncodeToString(b[:])
}

// Put makes a new live version of key, whatever is there.
func (b *Bucket) Put(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	return b.PutObject(ctx, &raw.Object{Name: key}, body)
}

// PutObject is Put with a description of one's own.
func (b *Bucket) PutObject(ctx context.Context, o *raw.Object, body io.ReadSeeker) (bucket.Version, error) {
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return bucket.Version{}, err
	}
	all, err := io.ReadAll(body)
	if err != nil {
		return bucket.Version{}, err
	}
	sum := md5.Sum(all)
	o.Md5Hash = base64.StdEncoding.EncodeToString(sum[:])
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return bucket.Version{}, err
	}
	got, err := b.API.Objects.Insert(b.Name, o).Media(io.MultiReader(body), googleapi.ChunkSize(0), googleapi.ContentType("application/octet-stream")).Context(ctx).Do()
	if err != nil {
		return bucket.Version{}, err
	}
	made, err := time.Parse(time.RFC3339Nano, got.TimeCreated)
	return bucket.Version{Key: got.Name, ID: fmt.Sprint(got.Generation), Latest: true, Modified: made.UTC(), ETag: hex.EncodeToString(sum[:]), Size: int64(got.Size)}, err
}

// SetVersioning takes enabled or suspended.
func (b *Bucket) SetVersioning(ctx context.Context, v bucket.Versioning) error {
	return b.patch(ctx, &raw.Bucket{Versioning: &raw.BucketVersioning{Enabled: v == bucket.VersioningEnabled, ForceSendFields: []string{"Enabled"}}})
}

func (b *Bucket) patch(ctx context.Context, to *raw.Bucket) error {
	_, err := b.API.Buckets.Patch(b.Name, to).Context(ctx).Do()
	return err
}

// SetLifecycle replaces the rules; none removes them.
func (b *Bucket) SetLifecycle(ctx context.Context, rules []bucket.Rule) error {
	to := &raw.Bucket{Lifecycle: &raw.BucketLifecycle{ForceSendFields: []string{"Rule"}, Rule: []*raw.BucketLifecycleRule{}}}
	for i := range rules {
		to.Lifecycle.Rule = append(to.Lifecycle.Rule, Rules(&rules[i])...)
	}
	return b.patch(ctx, to)
}
