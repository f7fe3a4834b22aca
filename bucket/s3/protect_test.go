package s3_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

const lockOn = `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`

// asked are the kinds of the server's requests so far, with how often.
func asked(s *fakes3.Server) string {
	n := map[string]int{}
	for _, r := range s.Requests() {
		n[r.Kind]++
	}
	var out []string
	for _, k := range slices.Sorted(maps.Keys(n)) {
		out = append(out, fmt.Sprintf("%s %d", k, n[k]))
	}
	return strings.Join(out, ", ")
}

// TestObjectLockIsLearntOnce: by the first who needs it, or by Settings.
func TestObjectLockIsLearntOnce(t *testing.T) {
	ctx := context.Background()
	until := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	both := bucket.Protection{RetainUntil: until, LegalHold: true}
	for name, c := range map[string]struct {
		lock     string
		denied   bool // the bucket's configuration may not be read
		settings bool // Settings are read first
		want     bucket.Protection
		asked    string
	}{
		"no lock":                   {asked: "GetObjectLockConfiguration 1"},
		"no lock, by Settings":      {settings: true, asked: "GetBucketLifecycleConfiguration 1, GetBucketVersioning 1, GetObjectLockConfiguration 1"},
		"lock":                      {lock: lockOn, want: both, asked: "GetObjectLegalHold 20, GetObjectLockConfiguration 1, GetObjectRetention 20"},
		"lock, by Settings":         {lock: lockOn, settings: true, want: both, asked: "GetBucketLifecycleConfiguration 1, GetBucketVersioning 1, GetObjectLegalHold 20, GetObjectLockConfiguration 1, GetObjectRetention 20"},
		"lock that may not be read": {lock: lockOn, denied: true, want: both, asked: "GetObjectLegalHold 20, GetObjectLockConfiguration 1, GetObjectRetention 20"},
		// Each version that is under way is asked for; the first answer tells.
		"no lock that may not be read": {denied: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{})
			b := s3test.New(t, s.URL())
			s.SetObjectLock(b.Name, c.lock)
			id := s.Plant(b.Name, fakes3.Planted{Key: "k", Body: []byte("x"), RetainUntil: until, Hold: true})[0]
			if c.denied {
				s.Fail(fakes3.Fault{Kind: "GetObjectLockConfiguration", Times: -1, Do: fakes3.AccessDenied})
			}
			s.Forget()
			if c.settings {
				b.Settings(ctx)
			}
			ask := func() {
				if got, err := b.Protection(ctx, "k", id); err != nil || got != c.want {
					t.Errorf("%+v, %v; want %+v", got, err, c.want)
				}
			}
			var all sync.WaitGroup
			for range 20 {
				all.Go(ask)
			}
			all.Wait()
			if c.asked == "" {
				s.Forget()
				ask()
			}
			if asked(s) != c.asked {
				t.Errorf("asked %q; want %q", asked(s), c.asked)
			}
		})
	}
}

// TestProtectionIsAnErrorWhereTheLockIsUnknown: a fault that passes is asked
// about again, a store without object lock is not.
func TestProtectionIsAnErrorWhereTheLockIsUnknown(t *testing.T) {
	ctx := context.Background()
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.SetObjectLock(b.Name, lockOn)
	id := s.Plant(b.Name, fakes3.Planted{Key: "k", Hold: true})[0]
	s.Fail(fakes3.Fault{Kind: "GetObjectLockConfiguration", Times: -1, Do: fakes3.InternalError})
	if p, err := b.Protection(ctx, "k", id); err == nil {
		t.Errorf("with a store at fault: %+v", p)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if p, err := b.Protection(stopped, "k", id); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", p, err)
	}
	s.Heal()
	if p, err := b.Protection(ctx, "k", id); err != nil || !p.LegalHold {
		t.Errorf("healed: %+v, %v", p, err)
	}
	other := s3test.Open(t, s.URL(), b.Name)
	s.Fail(fakes3.Fault{Kind: "GetObjectLockConfiguration", Times: -1, Do: fakes3.NotImplemented})
	s.Forget()
	for range 2 {
		if p, err := other.Protection(ctx, "k", id); !errors.Is(err, bucket.ErrUnsupported) {
			t.Errorf("of a store that has none: %+v, %v", p, err)
		}
	}
	if n := s.Count(""); n != 1 {
		t.Errorf("%d requests; want 1", n)
	}
}

// TestWhatCannotBeReadOfAVersionIsAnError: never "no tags", never "free".
func TestWhatCannotBeReadOfAVersionIsAnError(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		do   fakes3.Action
		kind error
	}{
		"denied":          {fakes3.AccessDenied, bucket.ErrDenied},
		"a web page":      {fakes3.HTML, bucket.ErrBadAnswer},
		"empty":           {fakes3.Empty, bucket.ErrBadAnswer},
		"a listing":       {fakes3.Answer(200, "application/xml", "<ListBucketResult></ListBucketResult>"), bucket.ErrBadAnswer},
		"broken off":      {fakes3.Cut(9), bucket.ErrBadAnswer},
		"501":             {fakes3.NotImplemented, bucket.ErrUnsupported},
		"405":             {fakes3.Error(405, "MethodNotAllowed", "The specified method is not allowed against this resource."), bucket.ErrUnsupported},
		"no such version": {fakes3.Error(404, "NoSuchVersion", "The specified version does not exist."), bucket.ErrNotFound},
		"internal error":  {fakes3.InternalError, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []string{"GetObjectTagging", "GetObjectRetention", "GetObjectLegalHold"} {
				s := server(t, fakes3.Options{})
				b := s3test.New(t, s.URL())
				s.SetObjectLock(b.Name, lockOn)
				id := s.Plant(b.Name, fakes3.Planted{Key: "k", Tags: map[string]string{"a": "b"}, Hold: true, RetainUntil: time.Now().Add(time.Hour)})[0]
				s.Fail(fakes3.Fault{Kind: kind, Times: -1, Do: c.do})
				permission := "s3:" + kind
				var got any
				var err error
				if kind == "GetObjectTagging" {
					permission = "s3:GetObjectVersionTagging"
					got, err = b.Tags(ctx, "k", id)
				} else {
					got, err = b.Protection(ctx, "k", id)
				}
				var e *bucket.Error
				if err == nil || c.kind != nil && !errors.Is(err, c.kind) || !errors.As(err, &e) || e.Version != id || e.Key != "k" {
					t.Errorf("%s: %v, %v; want %v", kind, got, err, c.kind)
				} else if (c.kind == bucket.ErrDenied) != (e.Permission == permission) {
					t.Errorf("%s: needs %q; want %s", kind, e.Permission, permission)
				}
			}
		})
	}
}

func TestMarkersHaveNoTagsAndNoProtection(t *testing.T) {
	ctx := context.Background()
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.SetObjectLock(b.Name, lockOn)
	s.Put(b.Name, "k", nil)
	id := s.Delete(b.Name, "k")
	for _, version := range []string{id, ""} {
		tags, err1 := b.Tags(ctx, "k", version)
		p, err2 := b.Protection(ctx, "k", version)
		if notFound := version != ""; errors.Is(err1, bucket.ErrNotFound) != notFound || errors.Is(err2, bucket.ErrNotFound) != notFound || err1 == nil || err2 == nil {
			t.Errorf("version %q: %v %v, %v %v", version, tags, err1, p, err2)
		}
	}
}

func TestTagsAreNotGuessed(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	id := s.Put(b.Name, "k", nil)
	for body, kind := range map[string]error{
		"<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag><Tag><Key>a</Key><Value>2</Value></Tag></TagSet></Tagging>": bucket.ErrBadAnswer,
		"<Tagging/>": nil,
	} {
		s.Fail(fakes3.Fault{Kind: "GetObjectTagging", Do: fakes3.Answer(200, "application/xml", body)})
		if tags, err := b.Tags(context.Background(), "k", id); !errors.Is(err, kind) || len(tags) > 0 {
			t.Errorf("%s: %v, %v; want %v", body, tags, err, kind)
		}
	}
	s.Fail(fakes3.Fault{Kind: "GetObjectTagging", Do: fakes3.Error(404, "NoSuchTagSet", "The TagSet does not exist")})
	if tags, err := b.Tags(context.Background(), "k", id); err != nil || tags == nil || len(tags) > 0 {
		t.Errorf("no tag set: %#v, %v", tags, err)
	}
}

func TestRequestsOfTagsLocksAndUploadsAreCounted(t *testing.T) {
	ctx := context.Background()
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.SetObjectLock(b.Name, lockOn)
	id := s.Put(b.Name, "k", nil)
	before := b.Requests()
	_, err1 := b.Tags(ctx, "k", id)
	_, err2 := b.Protection(ctx, "k", id)
	for _, err3 := range b.Uploads(ctx, "") {
		t.Error(err3)
	}
	want := before
	want.Get, want.List, want.Settings = before.Get+3, before.List+1, before.Settings+1
	if got := b.Requests(); err1 != nil || err2 != nil || got != want {
		t.Errorf("%+v after %+v (%v, %v); want %+v", got, before, err1, err2, want)
	}
}

// A bucket without object lock cannot hold anything, and the error says what to do.
func TestHoldWithoutObjectLock(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	v, err := b.PutIfAbsent(t.Context(), "k", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	err = b.Hold(t.Context(), "k", v.ID, true)
	if !errors.Is(err, bucket.ErrUnsupported) || !strings.Contains(err.Error(), "no object lock") || !strings.Contains(err.Error(), "put-object-lock-configuration") {
		t.Errorf("%v", err)
	}
	if b.Settings(t.Context()).ObjectLock.CanHold {
		t.Error("the settings say that it can")
	}
	if err := bucket.ReadOnly(b).Hold(t.Context(), "k", v.ID, true); !errors.Is(err, bucket.ErrUnsupported) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("read-only: %v", err)
	}
}
