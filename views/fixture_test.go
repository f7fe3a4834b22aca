package views

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/commit"
)

// later is the time at which the tests look at their buckets.
var later = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A fixture is a bucket on a clock of its own, so that frames stay the same.
type fixture struct {
	t     testing.TB
	b     *local.Bucket
	mu    sync.Mutex
	clock time.Time
	ids   int
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	b, err := local.Create(filepath.Join(t.TempDir(), "demo.bucket"), local.Options{
		Now: f.now, NoSync: true,
		NewID: func() string {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.ids++
			return fmt.Sprintf("ver%07d", f.ids)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.b = b
	if err := b.SetVersioning(t.Context(), bucket.VersioningEnabled); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock = f.clock.Add(time.Second)
	return f.clock
}

// day lets time pass.
func (f *fixture) day() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock = f.clock.Truncate(24 * time.Hour).Add(32 * time.Hour)
}

func (f *fixture) put(key, body string) bucket.Version {
	f.t.Helper()
	v, err := f.b.Put(context.Background(), key, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	return v
}

func (f *fixture) delete(key string) {
	f.t.Helper()
	if _, err := f.b.Delete(context.Background(), key); err != nil {
		f.t.Fatal(err)
	}
}

// commit writes a commit with the package that people's commits are written with.
func (f *fixture) commit(folder, author, message string) commit.Result {
	f.t.Helper()
	r, err := commit.Write(context.Background(), f.b, folder, commit.WriteOptions{Author: author, Message: message, Now: f.now})
	if err != nil {
		f.t.Fatal(err)
	}
	if !r.Committed {
		f.t.Fatalf("nothing to commit in %q", folder)
	}
	return r
}

// start is a program on the bucket's path.
func (f *fixture) start(path string) Start {
	return f.startOn(f.b, path)
}

func (f *fixture) startOn(b bucket.Bucket, path string) Start {
	return Start{
		Location: &bucket.Location{Scheme: "file", Bucket: "/data/demo.bucket", Path: path},
		Open: func(context.Context, bucket.Location) (bucket.Bucket, error) {
			return unclosed{b}, nil
		},
		Author: "ana", Version: "test", Concurrency: 4,
		Now:        func() time.Time { return later },
		IgnoreFile: filepath.Join(f.t.TempDir(), "conf", "ignore.yaml"),
	}
}

// unclosed keeps the program from closing a bucket that the test still needs.
type unclosed struct{ bucket.Bucket }

func (unclosed) Close() error { return nil }

// small is a bucket with two folders, five commits of one of them and one of the
// other, and changes since.
func small(t testing.TB) (*fixture, []commit.Result) {
	f := newFixture(t)
	var rs []commit.Result
	f.put("README.md", "A bucket to look at.\nSecond line.\n")
	f.put("web/index.html", "<html></html>")
	f.put("sales/2026/eu/orders.csv", "id,eur\n1,10\n")
	f.put("sales/2026/us/orders.csv", "id,usd\n1,12\n")
	f.put("sales/2026/notes.txt", "first notes")
	rs = append(rs, f.commit("sales/2026", "ana", "The year begins"))
	for i := 2; i <= 4; i++ {
		f.day()
		f.put("sales/2026/eu/orders.csv", "id,eur\n"+strings.Repeat("1,10\n", i))
		rs = append(rs, f.commit("sales/2026", "ben", fmt.Sprintf("Week %d of orders", i)))
	}
	f.day()
	f.put("sales/2026/logo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	f.delete("sales/2026/notes.txt")
	rs = append(rs, f.commit("sales/2026", "dora", "The logo instead of notes\n\nThe notes moved to the wiki."))
	f.commit("web", "ben", "The site")
	f.day()
	f.put("sales/2026/eu/orders.csv", "id,eur\n")
	f.put("sales/2026/us/new.csv", "id\n")
	return f, rs
}

// damaged has on top a deleted entry 2, a gap at 3, a re-made entry 4 and no
// commit object behind 5.
func damaged(t testing.TB) (*fixture, []commit.Result) {
	f, rs := small(t)
	ctx := context.Background()
	f.delete(commit.EntryKey("sales/2026", 2))
	f.removeAll(commit.EntryKey("sales/2026", 3))
	key := commit.EntryKey("sales/2026", 4)
	f.delete(key)
	body, err := json.Marshal(map[string]any{"commit": rs[0].ID, "folder": "sales/2026", "number": 4, "time": "2026-10-20T00:00:00.000000Z"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.b.PutIfAbsent(ctx, key, strings.NewReader(string(body))); err != nil {
		t.Fatal(err)
	}
	f.removeAll(commit.CommitKey(rs[4].ID))
	return f, rs
}

// removeAll removes every version of a key for good.
func (f *fixture) removeAll(key string) {
	f.t.Helper()
	var ids []string
	for v, err := range f.b.Versions(context.Background(), bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			f.t.Fatal(err)
		}
		ids = append(ids, v.ID)
	}
	for _, id := range ids {
		if err := f.b.DeleteVersion(context.Background(), key, id); err != nil {
			f.t.Fatal(err)
		}
	}
}
