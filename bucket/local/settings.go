package local

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"provcat-tui/bucket"
)

// Versioning reads the versioning state; the clock is Options.Now.
func (b *Bucket) Versioning(ctx context.Context) (bucket.Versioning, time.Time, error) {
	trace := b.asked(ctx, bucket.KindSettings, "GetBucketVersioning", "", "")
	v, err := b.setting(ctx, "read the versioning state of", "versioning")
	trace.Failed(0, err)
	if err != nil {
		return bucket.VersioningUnknown, time.Time{}, err
	}
	return bucket.Versioning(v), b.now().UTC(), nil
}

// Settings reads all settings. There is no retention in a file, only holds.
func (b *Bucket) Settings(ctx context.Context) bucket.Settings {
	var s bucket.Settings
	s.Versioning, s.Clock, s.VersioningErr = b.Versioning(ctx)
	trace := b.asked(ctx, bucket.KindSettings, "GetBucketLifecycleConfiguration", "", "")
	const op = "read the lifecycle rules of"
	raw, err := b.setting(ctx, op, "lifecycle")
	trace.Failed(0, err)
	if err != nil {
		s.LifecycleErr = err
	} else if err := json.Unmarshal([]byte(raw), &s.Lifecycle); err != nil {
		s.LifecycleErr = &bucket.Error{Op: op, Bucket: b.URL(), Kind: bucket.ErrBadAnswer, Err: err,
			Hint: "set the rules again"}
	}
	if len(s.Lifecycle) == 0 {
		s.Lifecycle = nil
	}
	s.ObjectLock.CanHold = true
	s.ObjectLock.Holds, s.ObjectLockErr = b.holds(ctx)
	return s
}

// Tags of a version: a file holds none.
func (b *Bucket) Tags(context.Context, string, string) (map[string]string, error) {
	return map[string]string{}, nil
}

// Uploads of a file: a body that is being written is no multipart upload.
func (b *Bucket) Uploads(context.Context, string) iter.Seq2[bucket.Upload, error] {
	return func(func(bucket.Upload, error) bool) {}
}

// maxSetting bounds what is read of a setting: a thousand lifecycle rules with their
// prefixes take less.
const maxSetting = 4 << 20

func settingOf(column string) string {
	return "SELECT CASE WHEN octet_length(" + column + ") <= ? THEN " + column + " END FROM bucket"
}

func (b *Bucket) setting(ctx context.Context, op, column string) (v string, err error) {
	err = b.patient(ctx, func() error {
		return b.db.QueryRowContext(ctx, settingOf(column), maxSetting).Scan((*short)(&v))
	})
	return v, b.fail(op, "", "", err)
}

// SetVersioning enables or suspends versioning. As on S3 it cannot be switched
// off again; off is only taken while the bucket has no version at all.
func (b *Bucket) SetVersioning(ctx context.Context, v bucket.Versioning) (err error) {
	trace := b.asked(ctx, bucket.KindSettings, "PutBucketVersioning", "", "")
	defer func() { trace.Failed(0, err) }()
	c := call{"set the versioning state of", "", ""}
	if v != bucket.VersioningEnabled && v != bucket.VersioningSuspended && v != bucket.VersioningOff {
		return &bucket.Error{Op: c.op, Bucket: b.URL(), Err: errors.New("there is no state " + string(v)),
			Hint: "use enabled or suspended"}
	}
	return b.write(ctx, c, func(t *tx) error {
		if v == bucket.VersioningOff {
			var some bool
			if err := t.one("SELECT EXISTS (SELECT 1 FROM versions)", nil, &some); err != nil {
				return err
			}
			if some {
				return &bucket.Error{Op: c.op, Bucket: b.URL(), Kind: bucket.ErrUnsupported,
					Err:  errors.New("a bucket that has versions cannot be switched off"),
					Hint: "suspend it"}
			}
		}
		return t.exec("UPDATE bucket SET versioning = ?", string(v))
	})
}

// SetLifecycle replaces the lifecycle rules; none removes them. The rules are
// kept and told, but nothing in a file acts on them.
func (b *Bucket) SetLifecycle(ctx context.Context, rules []bucket.Rule) (err error) {
	trace := b.asked(ctx, bucket.KindSettings, "PutBucketLifecycleConfiguration", "", "")
	defer func() { trace.Failed(0, err) }()
	c := call{"set the lifecycle rules of", "", ""}
	if rules == nil {
		rules = []bucket.Rule{}
	}
	raw, err := json.Marshal(rules)
	if err != nil {
		return b.fail(c.op, "", "", err)
	}
	return b.write(ctx, c, func(t *tx) error {
		return t.exec("UPDATE bucket SET lifecycle = ?", string(raw))
	})
}
