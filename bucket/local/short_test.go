package local_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// A file that somebody else wrote into: what no writer of ours writes is told as damage of
// the file, is read no further than its bound, and never passes for absent.
func TestFieldsThatNoWriterWrites(t *testing.T) {
	data := sound(t)
	const big = 20_000_000
	for name, change := range map[string]string{
		"long key":        "UPDATE versions SET key = CAST('a/3' || zeroblob(20000000) AS BLOB) WHERE key = CAST('a/3' AS BLOB)",
		"long ID":         "UPDATE versions SET id = id || hex(zeroblob(10000000)) WHERE key = CAST('a/3' AS BLOB)",
		"long ETag":       "UPDATE versions SET etag = hex(zeroblob(10000000)) WHERE key = CAST('a/3' AS BLOB)",
		"long rules":      "UPDATE bucket SET lifecycle = '[' || hex(zeroblob(10000000))",
		"long state":      "UPDATE bucket SET versioning = hex(zeroblob(10000000))",
		"key 1,025 long":  "UPDATE versions SET key = CAST(printf('%01025d', 3) AS BLOB) WHERE key = CAST('a/3' AS BLOB)",
		"keys of text":    "UPDATE versions SET key = CAST(key AS TEXT)",
		"one key of text": "UPDATE versions SET key = CAST(key AS TEXT) WHERE key = CAST('a/3' AS BLOB)",
		"a key, a number": "UPDATE versions SET key = 3 WHERE key = CAST('a/3' AS BLOB) AND marker = 0",
		"an ID of bytes":  "UPDATE versions SET id = zeroblob(20000000 + place) WHERE key = CAST('a/3' AS BLOB)",
	} {
		t.Run(name, func(t *testing.T) {
			path := changed(t, data, change)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			errs := readAll(path)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > big/4 {
				t.Errorf("%d bytes of memory", n)
			}
			if !errors.Is(errs, bucket.ErrBadAnswer) || !strings.Contains(errs.Error(), "the file is damaged") {
				t.Errorf("it was read: %v", errs)
			}
		})
	}
}

// readAll gives all errors of all that reads.
func readAll(path string) error {
	b, err := local.Open(path, local.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	ctx := context.Background()
	var errs []error
	for _, err := range b.Versions(ctx, bucket.Range{}) {
		errs = append(errs, err)
	}
	for _, err := range b.Level(ctx, "a/") {
		errs = append(errs, err)
	}
	if r, _, err := b.Open(ctx, "a/3", "", 0); err == nil {
		errs = append(errs, r.Close())
	} else if !errors.Is(err, bucket.ErrNotFound) { // its key is another now
		errs = append(errs, err)
	}
	s := b.Settings(ctx)
	return errors.Join(append(errs, s.VersioningErr, s.LifecycleErr, s.ObjectLockErr)...)
}

// changed is the file after somebody's SQL.
func changed(t *testing.T, data []byte, change string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.bucket")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(context.Background(), change); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Nothing but tables and indexes is in a bucket's file: what else could be there has rows
// without an end, or acts.
func TestFilesWithMoreThanTables(t *testing.T) {
	data := sound(t)
	for name, change := range map[string]string{
		"an endless view": "ALTER TABLE versions RENAME TO other; CREATE VIEW versions AS WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT other.* FROM c, other WHERE n < 0",
		"a trigger":       "CREATE TRIGGER t AFTER INSERT ON versions BEGIN DELETE FROM versions; END",
		"a virtual table": "CREATE VIRTUAL TABLE t USING fts5(x)",
	} {
		if _, err := local.Open(changed(t, data, change), local.Options{}); !errors.Is(err, bucket.ErrUsage) || !strings.Contains(err.Error(), "views, triggers or virtual tables") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
