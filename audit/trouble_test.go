package audit

import (
	"errors"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// Errors that hit everything alike are one finding; each permission that lacks is
// one of its own.
func TestOneCauseForAll(t *testing.T) {
	t.Parallel()
	any := func(do fakes3.Action, but ...string) fakes3.Fault {
		return fakes3.Fault{Times: -1, Do: do, Match: func(r fakes3.Request) bool {
			for _, k := range but {
				if r.Kind == k {
					return false
				}
			}
			return true
		}}
	}
	all := []string{"keys under .provcat/", "the versioning state", "the lifecycle rules", "the object lock"}
	for name, x := range map[string]struct {
		fault fakes3.Fault
		want  want
		kinds []string
		n     int // findings
	}{
		"expired credentials":   {any(fakes3.Error(400, "ExpiredToken", "The provided token has expired.")), want{id: "access-denied", repair: "-", says: "the credentials have expired"}, all, 1},
		"another region":        {any(fakes3.Error(400, "AuthorizationHeaderMalformed", "The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-west-1'")), want{id: "check-incomplete", repair: "-", says: "eu-west-1"}, all, 1},
		"a clock that is off":   {any(fakes3.Error(403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large.")), want{id: "access-denied", says: "clock"}, all, 1},
		"the requester pays":    {any(fakes3.AccessDenied), want{id: "access-denied", repair: "grant-permission", says: "--request-payer"}, all, 1},
		"expired while at work": {any(fakes3.Error(400, "ExpiredToken", "The provided token has expired."), "ListObjectVersions", "GetBucketVersioning"), want{id: "access-denied", says: "the credentials have expired"}, []string{"log entries", "the lifecycle rules", "the object lock"}, 1},
		// The settings are read with three permissions, the log with a fourth.
		"settings only, each with its permission": {any(fakes3.AccessDenied, "ListObjectVersions", "GetObject", "ListMultipartUploads"), want{id: "access-denied", says: "s3:GetBucketVersioning"}, nil, 3},
		"the listing only":                        {fakes3.Fault{Kind: "ListObjectVersions", Times: -1, Do: fakes3.AccessDenied}, want{id: "access-denied", says: "s3:ListBucketVersions"}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{TB: t, now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
			server := fakes3.New(fakes3.Options{Now: w.tick})
			t.Cleanup(server.Close)
			b := s3test.New(t, server.URL())
			server.Put(b.Name, "f/a", []byte("1"))
			for range 2 {
				server.Put(b.Name, "f/n", []byte("1"))
				if _, err := w.write(b, "f", ""); err != nil {
					t.Fatal(err)
				}
			}
			server.Fail(x.fault)
			r := auditOf(t, b, Options{})
			if len(r.Findings) != x.n || r.Verdict != Incomplete {
				t.Fatalf("%d findings, want %d; verdict %s: %+v", len(r.Findings), x.n, r.Verdict, r.Findings)
			}
			var near []string
			for _, f := range r.Findings {
				if why := x.want.differs(f); f.ID == x.want.id && why != "" {
					near = append(near, why)
				}
			}
			if len(near) == len(r.Findings) {
				t.Errorf("%v", near)
			}
			for _, kind := range x.kinds {
				if !strings.Contains(r.Findings[0].Detail, kind) {
					t.Errorf("%q is not in %q", kind, r.Findings[0].Detail)
				}
			}
		})
	}
}

// What is about single objects is no cause for all.
func TestNoCauseForAll(t *testing.T) {
	t.Parallel()
	archived := &bucket.Error{Op: "read", Kind: bucket.ErrUnsupported, Hint: "it is archived"}
	var x troubles
	x.add("log entries", "a", nil, archived)
	x.add("commit objects", "b", nil, archived)
	x.add("versions", "c", nil, errors.New("reset"))
	x.add("logs", "d", nil, errors.New("reset"))
	x.add("settings", "", nil, denied("read", "s3:A"))
	x.add("tags", "", nil, denied("read", "s3:B"))
	if got := x.findings(); len(got) != 6 {
		t.Errorf("%d findings: %+v", len(got), got)
	}
	same := &bucket.Error{Op: "read", Hint: "start the store"}
	x.add("entries", "z", nil, same)
	x.add("objects", "y", nil, same)
	x.add("objects", "x", nil, same)
	got := x.findings()
	if len(got) != 7 {
		t.Fatalf("%d findings", len(got))
	}
	for _, f := range got {
		if strings.Contains(f.Detail, "entries; 2 objects") && len(f.Evidence) == 3 {
			return
		}
	}
	t.Errorf("%+v", got)
}
