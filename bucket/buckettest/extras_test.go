package buckettest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
)

// withExtras is a store with tags, locks and uploads over one that has none. It
// is right, or wrong in one way. Its uploads cannot be completed: those checks
// are held to the S3 test server.
type withExtras struct {
	Bucket
	wrong   string
	mu      sync.Mutex
	tags    map[string]map[string]string // by key and version
	locks   map[string]bucket.Protection
	uploads []bucket.Upload
}

func rich(t *testing.T, wrong string) *withExtras {
	return &withExtras{Bucket: fresh(t), wrong: wrong, tags: map[string]map[string]string{}, locks: map[string]bucket.Protection{}}
}

func name(key, version string) string { return key + "\x00" + version }

func (w *withExtras) there(ctx context.Context, key, version string) error {
	for v, err := range w.Bucket.Versions(ctx, bucket.Range{Prefix: key}) {
		if err != nil || v.Key == key && v.ID == version {
			return err
		}
	}
	return bucket.ErrNotFound
}

func (w *withExtras) Tags(ctx context.Context, key, version string) (map[string]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.wrong {
	case "tags of the key":
		for n, tags := range w.tags {
			if strings.HasPrefix(n, key+"\x00") {
				return tags, nil
			}
		}
	case "tags of the dead":
		return map[string]string{}, nil
	case "no map":
		return w.tags[name(key, version)], nil
	}
	if err := w.there(ctx, key, version); err != nil {
		return nil, err
	}
	tags := maps.Clone(w.tags[name(key, version)])
	if tags == nil {
		tags = map[string]string{}
	}
	return tags, nil
}

func (w *withExtras) SetTags(_ context.Context, key, version string, tags map[string]string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrong == "adds tags" {
		old := maps.Clone(w.tags[name(key, version)])
		maps.Copy(tags, old)
	}
	w.tags[name(key, version)] = maps.Clone(tags)
	return nil
}

func (w *withExtras) Protection(ctx context.Context, key, version string) (bucket.Protection, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.locks[name(key, version)]
	switch w.wrong {
	case "no holds":
		p.LegalHold = false
	case "no dates":
		p.RetainUntil = time.Time{}
	case "locks of the dead":
		return p, nil
	}
	if len(w.locks) == 0 {
		return p, nil
	}
	return p, w.there(ctx, key, version)
}

func (w *withExtras) SetProtection(_ context.Context, key, version string, p bucket.Protection) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.locks[name(key, version)] = p
	return nil
}

func (w *withExtras) DeleteVersion(ctx context.Context, key, version string) error {
	w.mu.Lock()
	p := w.locks[name(key, version)]
	w.mu.Unlock()
	if p.At(time.Now()) && w.wrong != "locks that do not hold" {
		return bucket.ErrDenied
	}
	return w.Bucket.DeleteVersion(ctx, key, version)
}

func (w *withExtras) StartUpload(_ context.Context, key string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := bucket.Upload{Key: key, ID: fmt.Sprint("u", len(w.uploads)), Started: time.Now().UTC()}
	w.uploads = append(w.uploads, u)
	return u.ID, nil
}

func (w *withExtras) AbortUpload(_ context.Context, key, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrong != "aborts nothing" {
		w.uploads = slices.DeleteFunc(w.uploads, func(u bucket.Upload) bool { return u.Key == key && u.ID == id })
	}
	return nil
}

func (w *withExtras) Uploads(_ context.Context, prefix string) iter.Seq2[bucket.Upload, error] {
	return func(yield func(bucket.Upload, error) bool) {
		w.mu.Lock()
		list := slices.Clone(w.uploads)
		w.mu.Unlock()
		if w.wrong != "uploads out of order" {
			slices.SortStableFunc(list, func(a, b bucket.Upload) int { return cmp.Compare(a.Key, b.Key) })
		}
		for i, u := range list {
			if w.wrong == "one upload of a key" && i > 0 && list[i-1].Key == u.Key || !strings.HasPrefix(u.Key, prefix) && w.wrong != "all uploads" {
				continue
			}
			if w.wrong == "local times" {
				u.Started = u.Started.In(time.FixedZone("x", 3600))
			}
			if !yield(u, nil) {
				return
			}
		}
	}
}

func (w *withExtras) FinishUpload(context.Context, string, string, string) (bucket.Version, error) {
	return bucket.Version{}, errors.ErrUnsupported
}

// TestExtrasAreHeld: each check passes on a right store and fails on a wrong one.
func TestExtrasAreHeld(t *testing.T) {
	for wrong, path := range map[string]string{
		"no map":                 "plain/no-tags",
		"adds tags":              "extras/tags",
		"tags of the key":        "extras/tags-of-each-version",
		"tags of the dead":       "extras/tags-of-an-absent-version",
		"no dates":               "extras/retention",
		"locks that do not hold": "extras/retention",
		"no holds":               "extras/legal-hold",
		"locks of the dead":      "extras/protection-of-an-absent-version",
		"aborts nothing":         "extras/uploads",
		"uploads out of order":   "extras/uploads",
		"all uploads":            "extras/uploads",
		"local times":            "extras/uploads",
		"one upload of a key":    "extras/uploads-in-many-pages",
	} {
		all := checks()
		i := slices.IndexFunc(all, func(k check) bool { return k.path == path })
		if i < 0 {
			t.Fatalf("no check %s", path)
		}
		o := Options{Timeout: 10 * time.Second}
		if failures := all[i].run(rich(t, ""), o); len(failures) > 0 {
			t.Errorf("%s fails on a right store: %q", path, failures)
		}
		if failures := all[i].run(rich(t, wrong), o); len(failures) == 0 {
			t.Errorf("%s passes on a store with %s", path, wrong)
		}
	}
}
