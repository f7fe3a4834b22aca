package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/fakes3"
)

// A storeTest is a bucket of one kind, as a person reaches it.
type storeTest struct {
	t     *testing.T
	url   string
	flags []string
	b     bucket.Bucket
	lock  func() // has the bucket allow holds, where it has to be told
}

// onEachStore runs a test on an embedded bucket, on S3 and on Cloud Storage.
func onEachStore(t *testing.T, f func(*testing.T, *storeTest)) {
	open := func(t *testing.T, s *storeTest, o bucket.Options) *storeTest {
		l, err := bucket.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		if s.b, err = bucket.Open(t.Context(), l, o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.b.Close() })
		return s
	}
	t.Run("local", func(t *testing.T) {
		isolate(t)
		tb := newBucket(t)
		f(t, &storeTest{t: t, url: "file://" + tb.path, b: tb.b, lock: func() {}})
	})
	t.Run("s3", func(t *testing.T) {
		s := newS3(t, fakes3.Options{})
		f(t, open(t, &storeTest{t: t, url: "s3://team-data", flags: []string{"--endpoint", s.URL(), "--region", "us-east-1", "--path-style"},
			lock: func() {
				s.SetObjectLock("team-data", `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`)
			}},
			bucket.Options{Endpoint: s.URL(), Region: "us-east-1", PathStyle: true}))
	})
	t.Run("gcs", func(t *testing.T) {
		newGCS(t, fakegcs.Options{})
		f(t, open(t, &storeTest{t: t, url: "gs://team-data", lock: func() {}}, bucket.Options{}))
	})
}

func (s *storeTest) cli(args ...string) result {
	return cliAt(time.Now().Add(time.Second), append(args, s.flags...)...)
}

func (s *storeTest) at(path string) string { return s.url + "/" + path }

// put writes a new live version.
func (s *storeTest) put(key, body string) bucket.Version {
	s.t.Helper()
	v, err := s.b.PutIfAbsent(s.t.Context(), key, strings.NewReader(body))
	if err != nil {
		s.delete(key)
		v, err = s.b.PutIfAbsent(s.t.Context(), key, strings.NewReader(body))
	}
	s.must(err)
	return v
}

func (s *storeTest) delete(key string) {
	s.t.Helper()
	_, err := s.b.Delete(s.t.Context(), key)
	s.must(err)
}

// destroy removes a version for good.
func (s *storeTest) destroy(v bucket.Version) {
	s.t.Helper()
	s.must(s.b.DeleteVersion(s.t.Context(), v.Key, v.ID))
}

func (s *storeTest) commit(folder string) {
	s.t.Helper()
	s.cli("commit", s.at(folder), "-m", "x").wants(s.t, 0)
}

// live reads what is live at a key; false: nothing.
func (s *storeTest) live(key string) (string, bool) {
	s.t.Helper()
	r, v, err := s.b.Open(context.Background(), key, "", 0)
	if err != nil {
		return "", false
	}
	defer func() { _ = r.Close() }()
	body := make([]byte, v.Size)
	if _, err := r.Read(body); err != nil && v.Size > 0 && err.Error() != "EOF" {
		s.t.Fatal(err)
	}
	return string(body), true
}

func (s *storeTest) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}
