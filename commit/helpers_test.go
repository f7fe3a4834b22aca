package commit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

var bg = context.Background()

func newLocal(t testing.TB) *local.Bucket {
	t.Helper()
	b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

type putter interface {
	Put(context.Context, string, io.ReadSeeker) (bucket.Version, error)
}

func put(t testing.TB, b putter, key, body string) bucket.Version {
	t.Helper()
	v, err := b.Put(bg, key, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func remove(t testing.TB, b bucket.Bucket, key string) {
	t.Helper()
	if _, err := b.Delete(bg, key); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, b bucket.Bucket, folder string, o WriteOptions) Result {
	t.Helper()
	r, err := Write(bg, b, folder, quick(o))
	if err != nil {
		t.Fatalf("%v (%+v)", err, r)
	}
	return r
}

// quick shortens what a test would wait for.
func quick(o WriteOptions) WriteOptions {
	if o.Sleep == nil {
		o.Sleep = func(ctx context.Context, _ time.Duration) error {
			time.Sleep(time.Millisecond)
			return ctx.Err()
		}
	}
	if o.TimeLimit == 0 {
		o.TimeLimit = 300 * time.Millisecond
	}
	return o
}

// plant writes a commit object and its entry, whatever is there.
func plant(t testing.TB, b *local.Bucket, h Header, files ...File) string {
	t.Helper()
	var out strings.Builder
	id, err := Encode(&out, h, seq(files...))
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, CommitKey(id), out.String())
	put(t, b, EntryKey(h.Folder, h.Number), string(EncodeEntry(Entry{Commit: id, Folder: h.Folder, Number: h.Number, Time: h.Time})))
	return id
}

func at(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }

// shape tells a log in short: "3 2 x1 gap 7-5".
func shape(t testing.TB, log iter.Seq2[Slot, error]) string {
	t.Helper()
	var out []string
	for s, err := range log {
		switch {
		case err != nil:
			out = append(out, "error")
		case s.Gap > 0:
			out = append(out, fmt.Sprintf("gap%d-%d", s.Number, s.Number-s.Gap+1))
		case errors.Is(s.Err, ErrDeleted):
			out = append(out, fmt.Sprintf("deleted%d", s.Number))
		case errors.Is(s.Err, ErrEntry):
			out = append(out, fmt.Sprintf("bad%d", s.Number))
		case s.Err != nil:
			out = append(out, fmt.Sprintf("unread%d", s.Number))
		default:
			out = append(out, fmt.Sprintf("%d", s.Number))
		}
	}
	return strings.Join(out, " ")
}

// keys counts the versions and markers under a prefix.
func keys(t testing.TB, b bucket.Bucket, prefix string) int {
	t.Helper()
	n := 0
	for _, err := range b.Versions(bg, bucket.Range{Prefix: prefix}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// A hooked bucket runs hooks in front of a real one. A hook that gives ok has
// answered.
type hooked struct {
	bucket.Bucket
	put      func(key string, body io.ReadSeeker) (v bucket.Version, err error, ok bool)
	open     func(key, version string) error
	versions func(r bucket.Range) error
	state    func() (bucket.Versioning, time.Time, error)
}

func (h *hooked) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	if h.put != nil {
		if v, err, ok := h.put(key, body); ok {
			return v, err
		}
	}
	return h.Bucket.PutIfAbsent(ctx, key, body)
}

func (h *hooked) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	if h.open != nil {
		if err := h.open(key, version); err != nil {
			return nil, bucket.Version{}, err
		}
	}
	return h.Bucket.Open(ctx, key, version, first)
}

func (h *hooked) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		if h.versions != nil {
			if err := h.versions(r); err != nil {
				yield(bucket.Version{}, err)
				return
			}
		}
		h.Bucket.Versions(ctx, r)(yield)
	}
}

func (h *hooked) Versioning(ctx context.Context) (bucket.Versioning, time.Time, error) {
	if h.state != nil {
		return h.state()
	}
	return h.Bucket.Versioning(ctx)
}

var errDenied = &bucket.Error{Op: "read", Kind: bucket.ErrDenied, Permission: "s3:GetObject"}
