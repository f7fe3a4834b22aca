package demo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/commit"
)

// one is the demo bucket that the tests read, made once.
var one struct {
	path string
	err  error
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "demo-test-")
	if err != nil {
		panic(err)
	}
	one.path = filepath.Join(dir, "demo.bucket")
	one.err = Make(context.Background(), one.path, nil)
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// open opens the bucket that was made once.
func open(t *testing.T) *local.Bucket {
	t.Helper()
	if one.err != nil {
		t.Fatal(one.err)
	}
	return openAt(t, one.path)
}

func openAt(t *testing.T, path string) *local.Bucket {
	t.Helper()
	b, err := local.Open(path, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// sum digests everything in a bucket: each version's key, ID, time and bytes.
func sum(t *testing.T, b bucket.Bucket) (digest string, versions int) {
	t.Helper()
	ctx := context.Background()
	h := sha256.New()
	for v, err := range b.Versions(ctx, bucket.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		versions++
		_, _ = fmt.Fprintf(h, "%q %q %v %v %v %q %d\n", v.Key, v.ID, v.Latest, v.DeleteMarker, v.Modified, v.ETag, v.Size)
		if v.DeleteMarker {
			continue
		}
		r, _, err := b.Open(ctx, v.Key, v.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(h, r); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), versions
}

func TestTwoRunsMakeTheSameBucket(t *testing.T) {
	first, n := sum(t, open(t))
	path := filepath.Join(t.TempDir(), "demo.bucket")
	if err := Make(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	second, m := sum(t, openAt(t, path))
	if first != second || n != m {
		t.Errorf("two runs differ: %d and %d versions, %s and %s", n, m, first, second)
	}
	if n < 2000 {
		t.Errorf("only %d versions", n)
	}
}

func TestWhatIsThereStays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "demo.bucket")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Make(context.Background(), path, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v, want fs.ErrExist", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
		t.Errorf("the file now holds %q, %v", got, err)
	}
}

func TestACancelledRunLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	err := Make(ctx, filepath.Join(dir, "demo.bucket"), func(done, total int) {
		if done == 30 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The logs as the deeds tell them, counted by hand.
func TestTheLogs(t *testing.T) {
	b := open(t)
	want := map[string]int64{sales: 8, orders: 15, churn: 10, events: 13}
	seen := 0
	for l, err := range commit.AllLogs(context.Background(), b, 4, false) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if !l.Known || want[l.Folder] != l.Head.Number {
			t.Errorf("log of %q (known: %v): head %d, want %d", l.Folder, l.Known, l.Head.Number, want[l.Folder])
		}
	}
	if seen != len(want) {
		t.Errorf("%d logs, want %d", seen, len(want))
	}
	// Who comes to the damaged heads and commits next.
	ctx := context.Background()
	if _, err := commit.CheckHead(ctx, b, churn); !errors.Is(err, bucket.ErrDamaged) {
		t.Errorf("the head of %s: %v, want damaged", churn, err)
	}
	for _, folder := range []string{sales, orders, events} {
		if _, err := commit.CheckHead(ctx, b, folder); err != nil {
			t.Errorf("the head of %s: %v, want it whole", folder, err)
		}
	}
}
