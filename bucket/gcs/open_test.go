package gcs_test

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
)

// What keeps a bucket from being opened, each in words of its own.
func TestCannotBeOpened(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	for name, c := range map[string]struct {
		bucket, endpoint string
		env              map[string]string
		deny             bool
		kind             error
		says             string
	}{
		"no such bucket":    {bucket: "nosuch", kind: bucket.ErrNotFound, says: "there is no such bucket"},
		"refused":           {endpoint: "http://127.0.0.1:1", says: "127.0.0.1:1 refused the connection"},
		"no endpoint":       {endpoint: "nonsense", kind: bucket.ErrUsage, says: "not an http or https URL"},
		"with a path":       {endpoint: "http://x/y", kind: bucket.ErrUsage, says: "has a path"},
		"with a password":   {endpoint: "http://a:b@x", kind: bucket.ErrUsage, says: "not an http or https URL"},
		"no TLS":            {endpoint: strings.Replace(s.URL(), "http:", "https:", 1), env: map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": "/nowhere"}, kind: bucket.ErrDenied, says: "gcloud auth application-default login"},
		"a key file broken": {endpoint: "https://127.0.0.1:1", env: map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": broken(t)}, kind: bucket.ErrDenied, says: "no credentials could be had"},
		"forbidden":         {deny: true, kind: bucket.ErrDenied, says: "storage.objects.list"},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			if c.bucket == "" {
				c.bucket = b.Name
			}
			if c.endpoint == "" {
				c.endpoint = s.URL()
			}
			if c.deny {
				s.Deny(b.Name, "storage.objects.list")
				defer s.Allow(b.Name, "storage.objects.list")
			}
			l := bucket.Location{Scheme: "gs", Bucket: c.bucket}
			_, err := gcs.OpenWith(t.Context(), l, bucket.Options{Endpoint: c.endpoint}, gcstest.Tune)
			if err == nil || c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %v that says %q", err, c.kind, c.says)
			}
			if c.deny { // for the audit, which tells what could not be checked
				if _, err := gcs.OpenWith(t.Context(), l, bucket.Options{Endpoint: c.endpoint, Unlisted: true}, gcstest.Tune); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func broken(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// STORAGE_EMULATOR_HOST with and without its scheme; an endpoint goes before it.
func TestEmulatorHost(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	for _, host := range []string{s.URL(), strings.TrimPrefix(s.URL(), "http://"), s.URL() + "/storage/v1/"} {
		t.Setenv("STORAGE_EMULATOR_HOST", host)
		if _, err := bucket.Open(t.Context(), bucket.Location{Scheme: "gs", Bucket: b.Name}, bucket.Options{}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	t.Setenv("STORAGE_EMULATOR_HOST", "127.0.0.1:1")
	if _, err := bucket.Open(t.Context(), bucket.Location{Scheme: "gs", Bucket: b.Name}, bucket.Options{Endpoint: s.URL()}); err != nil {
		t.Error(err)
	}
}

func TestBuckets(t *testing.T) {
	s := fakegcs.New(fakegcs.Options{PageCap: 2})
	t.Cleanup(s.Close)
	for _, name := range []string{"bucket-c", "bucket-a", "bucket-b"} {
		s.CreateBucket(name, true)
	}
	var got []string
	for b, err := range gcs.Buckets(t.Context(), "project", bucket.Options{Endpoint: s.URL()}, gcstest.Tune) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b.Name)
	}
	if strings.Join(got, " ") != "bucket-a bucket-b bucket-c" {
		t.Errorf("%q", got)
	}
	s.DenyBuckets("project", true)
	for _, err := range gcs.Buckets(t.Context(), "project", bucket.Options{Endpoint: s.URL()}, gcstest.Tune) {
		if !errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "storage.buckets.list") {
			t.Errorf("%v", err)
		}
	}
}

// Each attempt is told, when it begins and when it ended.
func TestTrace(t *testing.T) {
	s, b := serve(t, fakegcs.Options{PageCap: 2})
	for _, k := range []string{"a/1", "a/2", "a/3"} {
		s.Put(b.Name, k, []byte("12345"))
	}
	var mu sync.Mutex
	var begun int
	var ended []bucket.Request
	ctx := bucket.WithTrace(t.Context(), func(r bucket.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Done {
			ended = append(ended, r)
		} else {
			begun++
		}
	})
	s.Fail(fakegcs.Fault{Kind: "objects.list", Do: fakegcs.BackendError})
	for _, err := range b.Versions(ctx, bucket.Range{Prefix: "a/"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.Open(ctx, "none", "", 0); !errors.Is(err, bucket.ErrNotFound) {
		t.Error(err)
	}
	if begun != 4 || len(ended) != 4 {
		t.Fatalf("%d began, %d ended", begun, len(ended))
	}
	for i, want := range []struct {
		op       string
		attempt  int
		status   int
		after    string
		expected bool
		failed   bool
	}{{"objects.list", 1, 503, "", false, true}, {"objects.list", 2, 200, "", false, false}, {"objects.list", 1, 200, "a/2", false, false}, {"objects.getMedia", 1, 404, "", true, true}} {
		r := ended[i]
		if r.Op != want.op || r.Attempt != want.attempt || r.Status != want.status || r.After != want.after || r.Expected != want.expected || (r.Err != "") != want.failed || r.Bucket != b.URL() {
			t.Errorf("request %d: %+v; want %+v", i, r, want)
		}
	}
	if ended[1].Bytes < 100 || ended[1].Key != "a/" {
		t.Errorf("%+v", ended[1])
	}
}

// Where nothing has ever listened it is given up soon; where a store has answered before,
// it is being started anew, and is waited for.
func TestRefusedConnections(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	w := &way{Transport: http.DefaultTransport.(*http.Transport).Clone(), down: true}
	defer w.CloseIdleConnections()
	tune := func(t *gcs.Tuning) { t.Transport, t.Pause = w, 20*time.Millisecond }
	l := bucket.Location{Scheme: "gs", Bucket: b.Name}
	_, err := gcs.OpenWith(t.Context(), l, bucket.Options{Endpoint: s.URL()}, tune)
	if err == nil || !strings.Contains(err.Error(), "refused the connection") || w.tries != 3 {
		t.Errorf("%v after %d tries", err, w.tries)
	}
	w.down = false
	open, err := gcs.OpenWith(t.Context(), l, bucket.Options{Endpoint: s.URL()}, tune)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func() error{
		"read":  func() error { _, _, err := open.Versioning(t.Context()); return err },
		"write": func() error { _, err := open.PutIfAbsent(t.Context(), "k", strings.NewReader("1")); return err },
	} {
		w.down, w.tries, w.back = true, 0, 4
		if err := write(); err != nil || w.tries != 5 {
			t.Errorf("%s while the store starts anew: %v after %d tries", name, err, w.tries)
		}
		w.down, w.tries, w.back = true, 0, 0
		if err := write(); err == nil || errors.Is(err, bucket.ErrUnclear) || w.tries != 5 {
			t.Errorf("%s where it stays away: %v after %d tries", name, err, w.tries)
		}
	}
}

// A way is a connection that is refused while it is down: until so many tries were made,
// if back is not 0.
type way struct {
	*http.Transport
	down        bool
	tries, back int
}

func (w *way) RoundTrip(r *http.Request) (*http.Response, error) {
	w.tries++
	if w.down && (w.back == 0 || w.tries <= w.back) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	return w.Transport.RoundTrip(r)
}
