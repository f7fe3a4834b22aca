package s3_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
)

func reads(b bucket.Bucket, key, version string, first int64) (string, bucket.Version, error) {
	r, v, err := b.Open(context.Background(), key, version, first)
	if err != nil {
		return "", v, err
	}
	body, err := io.ReadAll(r)
	return string(body), v, errors.Join(err, r.Close())
}

func TestReadFaults(t *testing.T) {
	for name, c := range map[string]struct {
		do      fakes3.Action
		version bool
		kind    error
		says    string
	}{
		"denied live":       {fakes3.AccessDenied, false, bucket.ErrDenied, "needs s3:GetObject: "},
		"denied version":    {fakes3.AccessDenied, true, bucket.ErrDenied, "needs s3:GetObjectVersion: "},
		"denied hint":       {fakes3.AccessDenied, false, bucket.ErrDenied, "absent key"},
		"no such version":   {fakes3.Error(404, "NoSuchVersion", "The specified version does not exist."), true, bucket.ErrNotFound, "NoSuchVersion"},
		"no version at all": {fakes3.Error(400, "InvalidArgument", "Invalid version id specified"), true, bucket.ErrNotFound, "such an ID"},
		"archived":          {fakes3.Error(403, "InvalidObjectState", "The operation is not valid for the object's storage class"), false, bucket.ErrUnsupported, "restore it first"},
		"broken off":        {fakes3.Cut(3), false, bucket.ErrBadAnswer, "broke off"},
		"a web page":        {fakes3.HTML, false, bucket.ErrBadAnswer, "no ETag"},
		"clock":             {fakes3.Error(403, "RequestTimeTooSkewed", "The difference is too large."), false, bucket.ErrDenied, "clock"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{})
			b := s3test.New(t, s.URL())
			id := s.Put(b.Name, "k", []byte("0123456789"))
			if !c.version {
				id = ""
			}
			s.Fail(fakes3.Fault{Kind: "GetObject", Times: -1, Do: c.do})
			got, _, err := reads(b, "k", id, 0)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q, %v; want %v that says %q", got, err, c.kind, c.says)
			}
		})
	}
}

func TestReadMarkersAndParts(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.Put(b.Name, "k", []byte("0123456789"))
	s.Put(b.Name, "empty", nil)
	for _, c := range []struct {
		key   string
		first int64
		want  string
		size  int64
	}{{"k", 4, "0123", 10}, {"k", 10, "0123456789", 10}, {"k", 11, "0123456789", 10}, {"k", 0, "0123456789", 10}, {"empty", 1, "", 0}, {"empty", 0, "", 0}} {
		got, v, err := reads(b, c.key, "", c.first)
		if got != c.want || v.Size != c.size || err != nil || !v.Latest || v.Modified.IsZero() {
			t.Errorf("the first %d of %s: %q, %+v, %v", c.first, c.key, got, v, err)
		}
	}
	marker := s.Delete(b.Name, "k")
	if _, _, err := reads(b, "k", "", 0); !errors.Is(err, bucket.ErrNotFound) || !strings.Contains(err.Error(), "newest version is a delete marker") {
		t.Errorf("under a marker: %v", err)
	}
	if _, _, err := reads(b, "k", marker, 0); !errors.Is(err, bucket.ErrNotFound) || !strings.Contains(err.Error(), "is a delete marker") {
		t.Errorf("the marker: %v", err)
	}
}

// TestPutFaults: what each fault means for who wrote, and whether the object
// is there.
func TestPutFaults(t *testing.T) {
	for name, c := range map[string]struct {
		do     fakes3.Action
		times  int
		kind   error // nil with no says: success
		says   string
		landed bool
	}{
		"retried":                     {fakes3.SlowDown, 1, nil, "", true},
		"lost, then refused for ours": {fakes3.DropAnswer, 1, bucket.ErrExists, "already exists", true},
		"always lost":                 {fakes3.DropAnswer, -1, bucket.ErrUnclear, "look before", true},
		"always reset":                {fakes3.Reset, -1, bucket.ErrUnclear, "look before trying again", false},
		"always 500":                  {fakes3.InternalError, -1, bucket.ErrUnclear, "InternalError", false},
		"always 503":                  {fakes3.SlowDown, -1, bucket.ErrUnclear, "SlowDown", false},
		"written, then 500":           {fakes3.Applied(fakes3.InternalError), -1, bucket.ErrUnclear, "", true},
		"409":                         {fakes3.Conflict, -1, bucket.ErrUnclear, "ConditionalRequestConflict", false},
		"412":                         {fakes3.PreconditionFailed, -1, bucket.ErrExists, "", false},
		"304":                         {fakes3.NotModified, -1, bucket.ErrExists, "", false},
		"501":                         {fakes3.NotImplemented, -1, bucket.ErrUnsupported, "no conditional writes", false},
		"403":                         {fakes3.AccessDenied, -1, bucket.ErrDenied, "needs s3:PutObject", false},
		"a web page":                  {fakes3.HTML, -1, bucket.ErrUnclear, "not an S3 store's", false},
		"a proxy's 403":               {faults.Proxy(403), -1, bucket.ErrUnclear, "HTTP 403", false},
		"a proxy's 403, written":      {faults.Applied(faults.Proxy(403)), -1, bucket.ErrUnclear, "HTTP 403", true},
		"a proxy's 404":               {faults.Proxy(404), -1, bucket.ErrUnclear, "HTTP 404", false},
		"a proxy's 412":               {faults.Proxy(412), -1, bucket.ErrUnclear, "HTTP 412", false},
		"a proxy's 501":               {faults.Proxy(501), -1, bucket.ErrUnclear, "HTTP 501", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{})
			b := s3test.New(t, s.URL())
			s.Fail(fakes3.Fault{Kind: "PutObject", Times: c.times, Do: c.do})
			v, err := b.PutIfAbsent(context.Background(), "k", strings.NewReader("body"))
			if c.kind == nil {
				if err != nil || v.Size != 4 || v.ETag != "841a2d689ad86bd1611447453c22c6fc" { // echo -n body | md5sum
					t.Errorf("%+v, %v; want success", v, err)
				}
			} else if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %v that says %q", err, c.kind, c.says)
			}
			for _, other := range []error{bucket.ErrUnclear, bucket.ErrExists, bucket.ErrUnsupported, bucket.ErrDenied} {
				if errors.Is(err, other) && other != c.kind {
					t.Errorf("%v is %v too", err, other)
				}
			}
			if landed := len(s.Entries(b.Name, "k")) > 0; landed != c.landed {
				t.Errorf("landed: %v; want %v", landed, c.landed)
			}
		})
	}
}

// TestPutAfterALostAnswerIsUnclear: a later clear refusal says nothing of the
// attempt before it.
func TestPutAfterALostAnswerIsUnclear(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.Fail(fakes3.Fault{Kind: "PutObject", Do: fakes3.DropAnswer})
	s.Fail(fakes3.Fault{Kind: "PutObject", Skip: 1, Times: -1, Do: fakes3.AccessDenied})
	_, err := b.PutIfAbsent(context.Background(), "k", strings.NewReader("body"))
	if !errors.Is(err, bucket.ErrUnclear) || errors.Is(err, bucket.ErrDenied) {
		t.Errorf("got %v", err)
	}
}

// TestPutInterrupted: cancelled on the way is unclear, before it is not, and
// nor is a store that was never reached.
func TestPutInterrupted(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.Fail(fakes3.Fault{Kind: "PutObject", Times: -1, Do: fakes3.Wait(time.Minute)})
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := b.PutIfAbsent(ctx, "k", strings.NewReader("body"))
	if !errors.Is(err, bucket.ErrUnclear) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timed out on the way: %v", err)
	}
	s.Close()
	_, err = b.PutIfAbsent(context.Background(), "k", strings.NewReader("body"))
	if err == nil || errors.Is(err, bucket.ErrUnclear) || !strings.Contains(err.Error(), "refused the connection") {
		t.Errorf("never reached: %v", err)
	}
}

func TestOtherWritesTellWhenTheyAreUnclear(t *testing.T) {
	ctx := context.Background()
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	id := s.Put(b.Name, "k", []byte("body"))
	do := map[string]func() error{
		"CopyObject": func() error { _, err := b.CopyVersion(ctx, "k", id, "to"); return err },
		"DeleteObject": func() error {
			_, err := b.Delete(ctx, "k")
			return errors.Join(err, b.DeleteVersion(ctx, "k", id))
		},
	}
	for kind, f := range do {
		for _, c := range []struct {
			do   fakes3.Action
			kind error
		}{{fakes3.InternalError, bucket.ErrUnclear}, {fakes3.Reset, bucket.ErrUnclear}, {fakes3.HTML, bucket.ErrUnclear}, {fakes3.AccessDenied, bucket.ErrDenied}} {
			s.Fail(fakes3.Fault{Kind: kind, Times: -1, Do: c.do})
			if err := f(); !errors.Is(err, c.kind) {
				t.Errorf("%s: %v; want %v", kind, err, c.kind)
			}
			s.Heal()
		}
	}
	if _, err := b.CopyVersion(ctx, "k", "", "to"); err == nil {
		t.Error("copied no version")
	}
	if err := b.DeleteVersion(ctx, "k", ""); err == nil {
		t.Error("deleted no version")
	}
	if n := len(s.Entries(b.Name, "")); n != 1 {
		t.Errorf("%d entries; want the one", n)
	}
}

func TestDeleteWithoutVersioningIsNoMarker(t *testing.T) {
	s := server(t, fakes3.Options{})
	s.CreateBucket("plain", false)
	s.Put("plain", "k", nil)
	b := s3test.Open(t, s.URL(), "plain")
	if _, err := b.Delete(context.Background(), "k"); err == nil || !strings.Contains(err.Error(), "no delete marker") {
		t.Errorf("got %v", err)
	}
}

func TestContentTypeAndChecksum(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	for key, want := range map[string]string{".provcat/log/x/1": "application/json", "a.json": "application/json", "a": "application/octet-stream"} {
		s.Forget()
		if _, err := b.PutIfAbsent(context.Background(), key, strings.NewReader("body")); err != nil {
			t.Fatal(err)
		}
		h := s.Requests()[0].Header
		if h.Get("Content-Type") != want || h.Get("Content-MD5") != "hBotaJrYa9FhFEdFPCLG/A==" || h.Get("If-None-Match") != "*" || h.Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", key, h)
		}
	}
}
