package s3

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"provcat-tui/bucket"
)

func (b *store) Versioning(ctx context.Context) (bucket.Versioning, time.Time, error) {
	c := call{op: "read the versioning state of", permission: "s3:GetBucketVersioning"}
	out, err := b.client.GetBucketVersioning(c.in(ctx), &awss3.GetBucketVersioningInput{Bucket: &b.name}, requireRoot("VersioningConfiguration"))
	if err != nil {
		if unsupported(err) {
			return bucket.VersioningUnsupported, time.Time{}, nil
		}
		return bucket.VersioningUnknown, time.Time{}, b.fail(c, err)
	}
	clock := clockOf(out.ResultMetadata)
	switch out.Status {
	case types.BucketVersioningStatusEnabled:
		return bucket.VersioningEnabled, clock, nil
	case types.BucketVersioningStatusSuspended:
		return bucket.VersioningSuspended, clock, nil
	case "":
		return bucket.VersioningOff, clock, nil
	}
	return bucket.VersioningUnknown, clock, b.fail(c, &badAnswer{Text: "unknown versioning state " + string(out.Status)})
}

// clockOf is the Date header of the answer: the store's clock, whole seconds.
func clockOf(m middleware.Metadata) time.Time {
	res, ok := awsmiddleware.GetRawResponse(m).(*smithyhttp.Response)
	if !ok {
		return time.Time{}
	}
	t, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return time.Time{} // not told
	}
	return t.UTC()
}

// Settings asks for the three parts side by side.
func (b *store) Settings(ctx context.Context) bucket.Settings {
	var s bucket.Settings
	var all sync.WaitGroup
	all.Go(func() { s.Versioning, s.Clock, s.VersioningErr = b.Versioning(ctx) })
	all.Go(func() { s.Lifecycle, s.LifecycleErr = b.lifecycle(ctx) })
	all.Go(func() { s.ObjectLock, s.ObjectLockErr = b.objectLock(ctx) })
	all.Wait()
	return s
}

// objectLock also keeps for Protection whether there is one.
func (b *store) objectLock(ctx context.Context) (lock bucket.ObjectLock, err error) {
	defer func() { b.lock.learn(lock, err) }()
	c := call{op: "read the object lock of", permission: "s3:GetBucketObjectLockConfiguration"}
	out, err := b.client.GetObjectLockConfiguration(c.in(ctx), &awss3.GetObjectLockConfigurationInput{Bucket: &b.name}, requireRoot("ObjectLockConfiguration"))
	if err != nil {
		if apiCode(err) == "ObjectLockConfigurationNotFoundError" {
			return bucket.ObjectLock{}, nil
		}
		return bucket.ObjectLock{}, b.fail(c, err)
	}
	if conf := out.ObjectLockConfiguration; conf != nil {
		lock.Enabled = conf.ObjectLockEnabled == types.ObjectLockEnabledEnabled
		lock.CanHold = lock.Enabled
		if conf.Rule != nil && conf.Rule.DefaultRetention != nil {
			r := conf.Rule.DefaultRetention
			lock.Mode, lock.Days, lock.Years = string(r.Mode), int(aws.ToInt32(r.Days)), int(aws.ToInt32(r.Years))
			if lock.Days < 0 || lock.Years < 0 {
				return bucket.ObjectLock{}, b.fail(c, &badAnswer{Text: "a retention of less than no days"})
			}
		}
	}
	return lock, nil
}
