package gcs

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/api/googleapi"
	raw "google.golang.org/api/storage/v1"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// describe reads the bucket's own description, and the store's clock.
func (b *store) describe(ctx context.Context, c *call, fields string) (*raw.Bucket, time.Time, error) {
	in := b.api.Buckets.Get(b.name).Projection("noAcl").Fields(googleapi.Field("kind," + fields))
	if b.billing != "" {
		in.UserProject(b.billing)
	}
	var got *raw.Bucket
	err := b.do(ctx, c, func(ctx context.Context) (err error) {
		got, err = in.Context(ctx).Do()
		return err
	})
	if err == nil && got.Kind != "storage#bucket" {
		err = &remote.BadAnswer{Text: "not the description of a bucket of Cloud Storage"}
	}
	if err != nil {
		return nil, time.Time{}, b.fail(c, err)
	}
	clock, err := http.ParseTime(got.Header.Get("Date"))
	if err != nil {
		clock = time.Time{} // not told
	}
	return got, clock.UTC(), nil
}

func bucketCall(op string) *call {
	return &call{op: op, name: opBucket, permission: "storage.buckets.get"}
}

const versioningFields = "versioning,hierarchicalNamespace"

// Versioning reads the state: on or off. Where it was switched off the older generations
// stay, but what is live is gone for good when it is written over: that is S3's off, not
// its suspended, which keeps what has an ID. A hierarchical namespace has no versioning.
func (b *store) Versioning(ctx context.Context) (bucket.Versioning, time.Time, error) {
	got, clock, err := b.describe(ctx, bucketCall("read the versioning state of"), versioningFields)
	if err != nil {
		return bucket.VersioningUnknown, time.Time{}, err
	}
	return versioning(got), clock, nil
}

func versioning(o *raw.Bucket) bucket.Versioning {
	switch {
	case o.HierarchicalNamespace != nil && o.HierarchicalNamespace.Enabled:
		return bucket.VersioningUnsupported
	case o.Versioning != nil && o.Versioning.Enabled:
		return bucket.VersioningEnabled
	}
	return bucket.VersioningOff
}

// Settings come in one answer, so that what may not be read is unknown as a whole.
func (b *store) Settings(ctx context.Context) bucket.Settings {
	c := bucketCall("read the settings of")
	got, clock, err := b.describe(ctx, c,
		versioningFields+",lifecycle,retentionPolicy,objectRetention,defaultEventBasedHold,softDeletePolicy")
	if err != nil {
		return bucket.Settings{VersioningErr: err, LifecycleErr: err, ObjectLockErr: err}
	}
	s := bucket.Settings{Versioning: versioning(got), Clock: clock}
	s.Lifecycle, err = rules(c.answer)
	if err != nil {
		s.LifecycleErr = b.fail(bucketCall("read the lifecycle rules of"), err)
	}
	s.ObjectLock = objectLock(got)
	s.SoftDelete = softDelete(got)
	return s
}

// softDelete is how long the store keeps what is removed for good; 0: it doesn't.
func softDelete(o *raw.Bucket) time.Duration {
	if o.SoftDeletePolicy == nil {
		return 0
	}
	return time.Duration(min(max(o.SoftDeletePolicy.RetentionDurationSeconds, 0), maxSeconds)) * time.Second
}

// maxSeconds is what a time.Duration holds.
const maxSeconds = 1 << 33

// objectLock tells a retention policy, or that objects may have a retention of their
// own. Holds need neither: Protection asks for them in any case.
func objectLock(o *raw.Bucket) bucket.ObjectLock {
	lock := bucket.ObjectLock{Holds: true, CanHold: true, HoldsLive: true, Enabled: o.ObjectRetention != nil || o.DefaultEventBasedHold}
	if p := o.RetentionPolicy; p != nil && p.RetentionPeriod > 0 {
		lock.Enabled, lock.Mode = true, "UNLOCKED"
		if p.IsLocked {
			lock.Mode = "LOCKED"
		}
		const day = 24 * 60 * 60
		lock.Days = int((min(p.RetentionPeriod, maxSeconds) + day - 1) / day)
	}
	return lock
}

// Protection reads the holds and the retention of one generation. Any object may
// have them, so it is asked in any case.
func (b *store) Protection(ctx context.Context, key, version string) (bucket.Protection, error) {
	c := &call{op: "read the protection of", name: opGet, key: key, version: version, permission: "storage.objects.get"}
	got, err := b.statVersion(ctx, c, "kind,generation,temporaryHold,eventBasedHold,retentionExpirationTime,retention")
	if err != nil {
		return bucket.Protection{}, err
	}
	p := bucket.Protection{LegalHold: got.TemporaryHold || got.EventBasedHold}
	texts := []string{got.RetentionExpirationTime}
	if got.Retention != nil {
		texts = append(texts, got.Retention.RetainUntilTime)
	}
	for _, text := range texts {
		t, err := stamp(text)
		if err != nil {
			return bucket.Protection{}, b.fail(c, err)
		}
		if t.After(p.RetainUntil) {
			p.RetainUntil = t
		}
	}
	return p, nil
}

// Hold puts a temporary hold on a generation, or takes it away. An event-based hold is
// not touched.
//
// Cloud Storage documentation, "Object holds".
func (b *store) Hold(ctx context.Context, key, version string, on bool) error {
	c := &call{op: "change the hold of", name: opPatch, key: key, version: version, permission: "storage.objects.update"}
	if version == "" {
		return b.fail(c, errNoVersion)
	}
	number, ok := generationOf(version)
	if !ok {
		return b.noGeneration(c)
	}
	in := b.api.Objects.Patch(b.name, key, &raw.Object{TemporaryHold: on, ForceSendFields: []string{"TemporaryHold"}}).
		Generation(number).Projection("noAcl").Fields("kind,generation,temporaryHold")
	if b.billing != "" {
		in.UserProject(b.billing)
	}
	var got *raw.Object
	err := b.do(ctx, c, func(ctx context.Context) (err error) {
		got, err = in.Context(ctx).Do()
		return err
	})
	if err == nil && (got.Kind != "storage#object" || got.Generation != number || got.TemporaryHold != on) {
		err = &remote.BadAnswer{Text: "not the description of the object with its hold changed"}
	}
	return b.failOrNil(c, err)
}

// statVersion reads what a generation's description says.
func (b *store) statVersion(ctx context.Context, c *call, fields string) (*raw.Object, error) {
	if c.version == "" {
		return nil, b.fail(c, errNoVersion)
	}
	number, ok := generationOf(c.version)
	if !ok {
		return nil, b.noGeneration(c)
	}
	got, err := b.stat(ctx, c, number, fields)
	if err != nil {
		return nil, b.fail(c, err)
	}
	return got, nil
}

// Tags of a version: Cloud Storage has none, and no rule asks for any. A version that
// is absent is ErrNotFound all the same.
func (b *store) Tags(ctx context.Context, key, version string) (map[string]string, error) {
	c := &call{op: "read the tags of", name: opGet, key: key, version: version, permission: "storage.objects.get"}
	if _, err := b.statVersion(ctx, c, "kind,generation"); err != nil {
		return nil, err
	}
	return map[string]string{}, nil
}
