package audit

import (
	"context"
	"io"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
)

// A gcsStore is a world's bucket on Cloud Storage. Its rules have no names there: the
// tables' are put back, so that they hold for both clouds.
type gcsStore struct {
	*gcstest.Bucket
	server *fakegcs.Server
	w      *world
	names  []string // of the rules, in order
}

func newGCSStore(t testing.TB, w *world) *gcsStore {
	t.Helper()
	// Only changes take time, as in a file.
	s := &gcsStore{w: w, server: fakegcs.New(fakegcs.Options{Now: func() time.Time { return w.pass(0) }})}
	t.Cleanup(s.server.Close)
	s.Bucket = gcstest.New(t, s.server.URL())
	return s
}

func (s *gcsStore) Put(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	s.w.tick()
	return s.Bucket.Put(ctx, key, body)
}

func (s *gcsStore) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	s.w.tick()
	return s.Bucket.PutIfAbsent(ctx, key, body)
}

func (s *gcsStore) CopyVersion(ctx context.Context, key, version, to string) (bucket.Version, error) {
	s.w.tick()
	return s.Bucket.CopyVersion(ctx, key, version, to)
}

func (s *gcsStore) Delete(ctx context.Context, key string) (bucket.Version, error) {
	s.w.tick()
	return s.Bucket.Delete(ctx, key)
}

func (s *gcsStore) DeleteVersion(ctx context.Context, key, version string) error {
	s.w.tick()
	return s.Bucket.DeleteVersion(ctx, key, version)
}

func (s *gcsStore) SetLifecycle(ctx context.Context, rules []bucket.Rule) error {
	s.names = nil
	for i := range rules {
		for range gcstest.Rules(&rules[i]) {
			s.names = append(s.names, rules[i].ID)
		}
	}
	return s.Bucket.SetLifecycle(ctx, rules)
}

func (s *gcsStore) Settings(ctx context.Context) bucket.Settings {
	out := s.Bucket.Settings(ctx)
	for i := range out.Lifecycle {
		if i < len(s.names) {
			out.Lifecycle[i].ID = s.names[i]
		}
	}
	return out
}
