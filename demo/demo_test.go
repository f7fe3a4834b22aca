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
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/commit"
)

// make1 makes a demo bucket and opens it.
func make1(t *testing.T) *local.Bucket {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.bucket")
	if err := Make(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
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
	began := time.Now()
	one, n := sum(t, make1(t))
	t.Logf("made and read in %s", time.Since(began))
	two, m := sum(t, make1(t))
	if one != two || n != m {
		t.Errorf("two runs differ: %d and %d versions, %s and %s", n, m, one, two)
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
	b := make1(t)
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
