package buckettest

import (
	"context"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

func fresh(t *testing.T) Bucket {
	t.Helper()
	b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// Wrong stores, each wrong in one way.
type (
	ignoresConditions struct{ Bucket }
	checksAllVersions struct{ Bucket }
	dropsMarkers      struct{ Bucket }
	versionsFirst     struct{ Bucket } // markers after the versions, as the SDK's lists have them
	cutsThrough       struct{ Bucket } // an exclusive upper bound
	decodesKeys       struct{ Bucket }
	tellsPartSize     struct{ Bucket }
	keepsReading      struct{ Bucket } // reads the whole body whatever first says
	copiesLive        struct{ Bucket }
	marksOnDelete     struct{ Bucket } // a marker instead of a permanent deletion
	forgetsRules      struct{ Bucket }
	deniesNotFound    struct{ Bucket }
)

func (w ignoresConditions) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	return w.Put(ctx, key, body)
}

func (w checksAllVersions) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	for v, err := range w.Versions(ctx, bucket.Range{Prefix: key}) {
		if err == nil && v.Key == key {
			return v, bucket.ErrExists
		}
	}
	return w.Bucket.PutIfAbsent(ctx, key, body)
}

func (w dropsMarkers) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		for v, err := range w.Bucket.Versions(ctx, r) {
			if !v.DeleteMarker && !yield(v, err) {
				return
			}
		}
	}
}

func (w versionsFirst) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		var all []bucket.Version
		for v, err := range w.Bucket.Versions(ctx, r) {
			if err != nil {
				yield(v, err)
				return
			}
			all = append(all, v)
		}
		slices.SortStableFunc(all, func(a, b bucket.Version) int {
			if a.Key == b.Key && a.DeleteMarker != b.DeleteMarker {
				if a.DeleteMarker {
					return 1
				}
				return -1
			}
			return strings.Compare(a.Key, b.Key)
		})
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (w cutsThrough) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		for v, err := range w.Bucket.Versions(ctx, r) {
			if (r.Through == "" || v.Key < r.Through) && !yield(v, err) {
				return
			}
		}
	}
}

func (w decodesKeys) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	return w.Bucket.PutIfAbsent(ctx, strings.ReplaceAll(key, "%2F", "/"), body)
}

func (w tellsPartSize) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	rc, v, err := w.Bucket.Open(ctx, key, version, first)
	if first > 0 {
		v.Size = min(v.Size, first)
	}
	return rc, v, err
}

func (w keepsReading) Open(ctx context.Context, key, version string, _ int64) (io.ReadCloser, bucket.Version, error) {
	return w.Bucket.Open(ctx, key, version, 0)
}

func (w copiesLive) CopyVersion(ctx context.Context, key, _, to string) (bucket.Version, error) {
	return w.Bucket.CopyVersion(ctx, key, "", to)
}

func (w marksOnDelete) DeleteVersion(ctx context.Context, key, _ string) error {
	_, err := w.Delete(ctx, key)
	return err
}

func (w forgetsRules) SetLifecycle(context.Context, []bucket.Rule) error { return nil }

func (w deniesNotFound) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	rc, v, err := w.Bucket.Open(ctx, key, version, first)
	if err != nil {
		err = &bucket.Error{Op: "read", Bucket: w.URL(), Key: key, Kind: bucket.ErrDenied}
	}
	return rc, v, err
}

// The suite must find each fault, in the check that is there for it.
func TestSuiteFindsFaults(t *testing.T) {
	for _, c := range []struct {
		fault func(Bucket) Bucket
		path  string
	}{
		{func(b Bucket) Bucket { return ignoresConditions{b} }, "create/present"},
		{func(b Bucket) Bucket { return ignoresConditions{b} }, "create/race"},
		{func(b Bucket) Bucket { return checksAllVersions{b} }, "create/over-a-marker"},
		{func(b Bucket) Bucket { return dropsMarkers{b} }, "delete/makes-a-marker"},
		{func(b Bucket) Bucket { return versionsFirst{b} }, "list/pages-of-every-size"},
		{func(b Bucket) Bucket { return cutsThrough{b} }, "list/adjoining-ranges-cover-all-once"},
		{func(b Bucket) Bucket { return decodesKeys{b} }, "keys/percent-encoded-slash"},
		{func(b Bucket) Bucket { return tellsPartSize{b} }, "read/first-bytes"},
		{func(b Bucket) Bucket { return keepsReading{b} }, "read/first-bytes"},
		{func(b Bucket) Bucket { return copiesLive{b} }, "copy/old-version-to-a-new-key"},
		{func(b Bucket) Bucket { return marksOnDelete{b} }, "delete/marker-brings-the-version-back"},
		{func(b Bucket) Bucket { return forgetsRules{b} }, "rules/lifecycle-expire-days"},
		{func(b Bucket) Bucket { return deniesNotFound{b} }, "read/absent"},
	} {
		all := checks()
		i := slices.IndexFunc(all, func(k check) bool { return k.path == c.path })
		if i < 0 {
			t.Fatalf("no check %s", c.path)
		}
		o := Options{Racers: 4, Timeout: 10 * time.Second}
		if failures := all[i].run(fresh(t), o); len(failures) > 0 {
			t.Errorf("%s fails on a right store: %q", c.path, failures)
		}
		wrong := c.fault(fresh(t))
		if failures := all[i].run(wrong, o); len(failures) == 0 {
			t.Errorf("%s passes on %T", c.path, wrong)
		}
	}
}

func TestKnownDifferencesAreInverted(t *testing.T) {
	for _, c := range []struct {
		failures []string
		known    bool
		want     int
	}{{nil, false, 0}, {[]string{"a", "b"}, false, 2}, {[]string{"a", "b"}, true, 0}, {nil, true, 1}} {
		if got := verdict(c.failures, c.known, "reason"); len(got) != c.want {
			t.Errorf("verdict(%q, %v) gives %q; want %d failures", c.failures, c.known, got, c.want)
		}
	}
}

func TestPathsAreUniqueAndPlain(t *testing.T) {
	paths := Paths()
	for i, p := range paths {
		if i > 0 && p == paths[i-1] {
			t.Errorf("%s is there twice", p)
		}
		if strings.Count(p, "/") != 1 || strings.ContainsAny(p, " _") {
			t.Errorf("%q is no group/name", p)
		}
	}
}
