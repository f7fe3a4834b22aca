package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket"
)

func (b *store) Tags(ctx context.Context, key, version string) (map[string]string, error) {
	c := call{op: "read the tags of", key: key, version: version, permission: "s3:GetObjectVersionTagging"}
	if version == "" {
		return nil, b.fail(c, errNoVersion)
	}
	out, err := b.client.GetObjectTagging(c.in(ctx), &awss3.GetObjectTaggingInput{Bucket: &b.name, Key: &key, VersionId: &version, RequestPayer: b.requestPayer()}, requireRoot("Tagging"))
	if err != nil {
		if apiCode(err) == "NoSuchTagSet" { // the answer of some stores, as S3 gives it for a bucket's own tags
			return map[string]string{}, nil
		}
		return nil, b.failVersion(c, err)
	}
	if got := aws.ToString(out.VersionId); got != "" && got != version {
		return nil, b.fail(c, &badAnswer{Text: fmt.Sprintf("the tags are of version %.80q, another was asked for", got)})
	}
	tags := make(map[string]string, len(out.TagSet))
	for _, t := range out.TagSet {
		name := aws.ToString(t.Key)
		if _, twice := tags[name]; twice {
			return nil, b.fail(c, &badAnswer{Text: fmt.Sprintf("the tag %.80q twice", name)})
		}
		tags[name] = aws.ToString(t.Value)
	}
	return tags, nil
}

var errNoVersion = errors.New("no version was named")

// failVersion is fail for what is asked of one version besides its content. 405
// without the header of a delete marker then says that the store has no such
// operation, not that the version is a marker.
func (b *store) failVersion(c call, err error) error {
	if unsupported(err) && header(err, "x-amz-delete-marker") != "true" {
		return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key, Version: c.version, Kind: bucket.ErrUnsupported, Err: &said{Text: b.secrets.Hide(describe(err)), Err: err}}
	}
	return b.fail(c, err)
}

// lockState is what is known of the bucket's object lock, which cannot be
// switched off once it is on (S3 user guide, "Object Lock considerations").
type lockState struct {
	mu     sync.Mutex
	known  bool
	exists bool
	err    error // of a store that will never say
}

// learn keeps the answer to a request for the bucket's configuration. What may
// be otherwise the next time (a time-out) is not kept.
func (l *lockState) learn(lock bucket.ObjectLock, err error) {
	if err != nil && !errors.Is(err, bucket.ErrDenied) && !errors.Is(err, bucket.ErrUnsupported) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known, l.exists, l.err = true, lock.Enabled, err
}

func (l *lockState) get() (known, exists bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known, l.exists, l.err
}

// locked says whether versions of the bucket may be protected. Where the
// configuration may not be read each version has to be asked.
func (b *store) locked(ctx context.Context) (bool, error) {
	known, exists, err := b.lock.get()
	if !known {
		select { // one asks, the others wait for its answer
		case b.learning <- struct{}{}:
			defer func() { <-b.learning }()
		case <-ctx.Done():
			return false, ctx.Err()
		}
		if known, exists, err = b.lock.get(); !known {
			var lock bucket.ObjectLock
			lock, err = b.objectLock(ctx)
			exists = lock.Enabled
		}
	}
	if errors.Is(err, bucket.ErrDenied) {
		return true, nil
	}
	return exists, err
}

// Protection asks for retention and legal hold side by side.
func (b *store) Protection(ctx context.Context, key, version string) (bucket.Protection, error) {
	c := call{op: "read the protection of", key: key, version: version}
	if version == "" {
		return bucket.Protection{}, b.fail(c, errNoVersion)
	}
	if some, err := b.locked(ctx); err != nil || !some {
		if err != nil {
			err = b.fail(c, err)
		}
		return bucket.Protection{}, err
	}
	var p bucket.Protection
	var retentionErr, holdErr error
	var both sync.WaitGroup
	both.Go(func() { retentionErr = b.retention(ctx, c, &p) })
	both.Go(func() { holdErr = b.legalHold(ctx, c, &p) })
	both.Wait()
	for _, err := range []error{retentionErr, holdErr} {
		if err != nil {
			return bucket.Protection{}, err
		}
	}
	return p, nil
}

func (b *store) retention(ctx context.Context, c call, p *bucket.Protection) error {
	c.permission = "s3:GetObjectRetention"
	out, err := b.client.GetObjectRetention(c.in(ctx), &awss3.GetObjectRetentionInput{Bucket: &b.name, Key: &c.key, VersionId: &c.version, RequestPayer: b.requestPayer()}, requireRoot("Retention"))
	if err != nil || out.Retention == nil {
		return b.failLock(c, err)
	}
	switch r := out.Retention; {
	case r.RetainUntilDate != nil:
		p.RetainUntil = r.RetainUntilDate.UTC()
	case r.Mode != "":
		return b.fail(c, &badAnswer{Text: "a retention without its date"})
	}
	return nil
}

func (b *store) legalHold(ctx context.Context, c call, p *bucket.Protection) error {
	c.permission = "s3:GetObjectLegalHold"
	out, err := b.client.GetObjectLegalHold(c.in(ctx), &awss3.GetObjectLegalHoldInput{Bucket: &b.name, Key: &c.key, VersionId: &c.version, RequestPayer: b.requestPayer()}, requireRoot("LegalHold"))
	if err != nil || out.LegalHold == nil {
		return b.failLock(c, err)
	}
	switch s := out.LegalHold.Status; s {
	case types.ObjectLockLegalHoldStatusOn:
		p.LegalHold = true
	case types.ObjectLockLegalHoldStatusOff, "":
	default:
		return b.fail(c, &badAnswer{Text: fmt.Sprintf("unknown state of a legal hold: %.40q", s)})
	}
	return nil
}

// Hold puts a legal hold on a version, or takes it away.
func (b *store) Hold(ctx context.Context, key, version string, on bool) error {
	c := call{op: "change the legal hold of", key: key, version: version, permission: "s3:PutObjectLegalHold"}
	if version == "" {
		return b.fail(c, errNoVersion)
	}
	status := types.ObjectLockLegalHoldStatusOff
	if on {
		status = types.ObjectLockLegalHoldStatusOn
	}
	_, err := b.client.PutObjectLegalHold(c.in(ctx), &awss3.PutObjectLegalHoldInput{Bucket: &b.name, Key: &key, VersionId: &version,
		LegalHold: &types.ObjectLockLegalHold{Status: status}, RequestPayer: b.requestPayer()})
	switch {
	case err == nil:
		b.lock.learn(bucket.ObjectLock{Enabled: true}, nil)
		return nil
	case noLock(err):
		b.lock.learn(bucket.ObjectLock{}, nil)
		return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key, Version: version, Kind: bucket.ErrUnsupported,
			Err:  errors.New("the bucket has no object lock"),
			Hint: "switch it on, which cannot be undone: \"aws s3api put-object-lock-configuration --object-lock-configuration ObjectLockEnabled=Enabled --bucket " + b.name + "\""}
	case header(err, "x-amz-delete-marker") == "true":
		return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: key, Version: version, Kind: bucket.ErrNotFound, Err: errors.New("it is a delete marker, and only versions are held")}
	}
	return b.failVersion(c, err)
}

// noLock is the answer of a bucket without object lock (S3 API reference,
// "PutObjectLegalHold").
func noLock(err error) bool {
	return apiCode(err) == "ObjectLockConfigurationNotFoundError" ||
		apiCode(err) == "InvalidRequest" && strings.Contains(strings.ToLower(apiMessage(err)), "missing object lock configuration")
}

// failLock is failVersion, but for the answers that say "none": of a version
// without a lock of this kind (S3 API reference, "GetObjectRetention"; SeaweedFS
// has a code of its own for legal holds), and of a bucket without object lock.
func (b *store) failLock(c call, err error) error {
	switch code := apiCode(err); {
	case err == nil, code == "NoSuchObjectLockConfiguration", code == "NoSuchObjectLegalHold", code == "ObjectLockConfigurationNotFoundError":
		return nil
	case noLock(err):
		b.lock.learn(bucket.ObjectLock{}, nil)
		return nil
	}
	return b.failVersion(c, err)
}
