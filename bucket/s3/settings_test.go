package s3_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

func TestSettings(t *testing.T) {
	now := time.Date(2026, 10, 30, 12, 34, 56, 789, time.UTC)
	s := server(t, fakes3.Options{Now: func() time.Time { return now }})
	s.CreateBucket("here", true)
	s.SetLifecycle("here", `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
<Rule><ID>old</ID><Prefix>old/</Prefix><Status>Enabled</Status><Expiration><Date>2027-01-01T00:00:00.000Z</Date></Expiration></Rule>
<Rule><ID>tag</ID><Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter><Status>Disabled</Status><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration></Rule>
<Rule><ID>and</ID><Filter><And><Prefix>p/</Prefix><Tag><Key>a</Key><Value>b</Value></Tag><Tag><Key>c</Key><Value>d</Value></Tag><ObjectSizeGreaterThan>10</ObjectSizeGreaterThan><ObjectSizeLessThan>20</ObjectSizeLessThan></And></Filter><Status>Enabled</Status>
<Expiration><Days>365</Days></Expiration><NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays><NewerNoncurrentVersions>5</NewerNoncurrentVersions></NoncurrentVersionExpiration>
<Transition><Days>90</Days><StorageClass>GLACIER</StorageClass></Transition><NoncurrentVersionTransition><NoncurrentDays>7</NoncurrentDays><NewerNoncurrentVersions>2</NewerNoncurrentVersions><StorageClass>DEEP_ARCHIVE</StorageClass></NoncurrentVersionTransition>
<AbortIncompleteMultipartUpload><DaysAfterInitiation>3</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>
<Rule><ID>all</ID><Filter/><Status>Enabled</Status><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`)
	s.SetObjectLock("here", `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>14</Days></DefaultRetention></Rule></ObjectLockConfiguration>`)
	b := s3test.Open(t, s.URL(), "here")
	want := bucket.Settings{
		Versioning: bucket.VersioningEnabled, Clock: now.Truncate(time.Second),
		Lifecycle: []bucket.Rule{
			{ID: "old", Enabled: true, Prefix: "old/", ExpireDate: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)},
			{ID: "tag", Tags: map[string]string{"a": "b"}, ExpireDeleteMarkers: true},
			{ID: "and", Enabled: true, Prefix: "p/", Tags: map[string]string{"a": "b", "c": "d"}, LargerThan: 10, SmallerThan: 20,
				ExpireDays: 365, NoncurrentDays: 30, NewerNoncurrent: 5, AbortUploadsDays: 3, Transitions: []bucket.Transition{
					{Days: 90, StorageClass: "GLACIER"}, {Noncurrent: true, Days: 7, NewerNoncurrent: 2, StorageClass: "DEEP_ARCHIVE"}}},
			{ID: "all", Enabled: true, NoncurrentDays: 1},
		},
		ObjectLock: bucket.ObjectLock{Enabled: true, CanHold: true, Mode: "COMPLIANCE", Days: 14},
	}
	if got := b.Settings(context.Background()); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if n := b.Requests(); n.Settings != 3 || n.List != 1 {
		t.Errorf("requests: %+v; want 3 for settings, 1 for opening", n)
	}
}

// TestSettingsThatCannotBeReadAreErrors: never "not set".
func TestSettingsThatCannotBeReadAreErrors(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		do   fakes3.Action
		kind error
	}{"denied": {fakes3.AccessDenied, bucket.ErrDenied}, "a web page": {fakes3.HTML, bucket.ErrBadAnswer}, "empty": {fakes3.Empty, bucket.ErrBadAnswer},
		"a listing":  {fakes3.Answer(200, "application/xml", "<ListBucketResult></ListBucketResult>"), bucket.ErrBadAnswer},
		"broken off": {fakes3.Cut(9), bucket.ErrBadAnswer}} {
		s := server(t, fakes3.Options{})
		b := s3test.New(t, s.URL())
		s.SetLifecycle(b.Name, `<LifecycleConfiguration><Rule><ID>a</ID><Filter/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>`)
		s.SetObjectLock(b.Name, `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`)
		s.Fail(fakes3.Fault{Times: -1, Do: c.do})
		got := b.Settings(ctx)
		for permission, err := range map[string]error{"s3:GetBucketVersioning": got.VersioningErr, "s3:GetLifecycleConfiguration": got.LifecycleErr, "s3:GetBucketObjectLockConfiguration": got.ObjectLockErr} {
			if !errors.Is(err, c.kind) || c.kind == bucket.ErrDenied && !strings.Contains(err.Error(), "needs "+permission) {
				t.Errorf("%s: %v; want %v", name, err, c.kind)
			}
		}
		if got.Versioning != bucket.VersioningUnknown {
			t.Errorf("%s: versioning %q", name, got.Versioning)
		}
	}
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.Fail(fakes3.Fault{Kind: "GetBucketVersioning", Do: fakes3.NotImplemented})
	if v, _, err := b.Versioning(ctx); v != bucket.VersioningUnsupported || err != nil {
		t.Errorf("501: %q, %v", v, err)
	}
	s.SetVersioning(b.Name, "")
	if v, _, err := b.Versioning(ctx); v != bucket.VersioningOff || err != nil {
		t.Errorf("never on: %q, %v", v, err)
	}
}
