package local_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

var ctx = context.Background()

func fresh(t *testing.T, o local.Options) *local.Bucket {
	t.Helper()
	b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func put(t *testing.T, b *local.Bucket, key, body string) bucket.Version {
	t.Helper()
	v, err := b.Put(ctx, key, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func all(t *testing.T, b bucket.Bucket) (got []bucket.Version) {
	t.Helper()
	for v, err := range b.Versions(ctx, bucket.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	return got
}

func TestOpenRefusesWhatIsNoBucket(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	database := func(name string, statements ...string) string {
		p := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct{ path, says string }{
		{write("text", strings.Repeat("not a database, but long enough to look at\n", 50)), "something else"},
		{write("short", "x"), "is not a provcat bucket file"},
		{write("empty", ""), "it is empty"},
		{write("esc\x1b[2J", "x"), `esc\x1b[2J`},
		{database("plain.db", "CREATE TABLE t (x)"), "another program's"},
		{database("other.db", "CREATE TABLE t (x)", "PRAGMA application_id = 12345"), "another program's"},
		{database("newer.db", "CREATE TABLE t (x)", "PRAGMA application_id = 0x70766374", "PRAGMA user_version = 99"), "use a newer provcat-tui"},
		{dir, "no regular file"},
	} {
		_, err := local.Open(c.path, local.Options{})
		if !errors.Is(err, bucket.ErrUsage) || !strings.Contains(fmt.Sprint(err), "is not a provcat bucket file") || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("Open %q: %v; want wrong usage that says %q", c.path, err, c.says)
		}
		if strings.Contains(fmt.Sprint(err), "\x1b") {
			t.Errorf("raw escape in %q", err)
		}
	}
	_, err := local.Open(filepath.Join(dir, "none"), local.Options{})
	if !errors.Is(err, bucket.ErrNotFound) {
		t.Errorf("Open of no file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open made a file: %v", err)
	}
}

func TestCreateOverwritesNothing(t *testing.T) {
	p := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(p, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := local.Create(p, local.Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a file: %v", err)
	}
	if got, err := os.ReadFile(p); err != nil || string(got) != "precious" {
		t.Errorf("the file holds %q, %v", got, err)
	}
}

func TestFileURLOpensTheBucket(t *testing.T) {
	// Characters that mean something in the URI that SQLite gets.
	file := filepath.Join(t.TempDir(), "a ?mode=memory#%41&b.bucket")
	b, err := local.Create(file, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, "sales/x", "1")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	alone(t, file)
	l, err := bucket.Parse(file + "/sales")
	if err != nil || l.Path != "sales" {
		t.Fatalf("Parse: %+v, %v", l, err)
	}
	var log bytes.Buffer
	opened, err := bucket.Open(ctx, l, bucket.Options{ReadOnly: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if opened.URL() != "file://"+file {
		t.Errorf("URL is %s", opened.URL())
	}
	if got := all(t, opened); len(got) != 1 || got[0].Key != "sales/x" {
		t.Errorf("listed %+v", got)
	}
	if _, err := opened.Delete(ctx, "sales/x"); !errors.Is(err, bucket.ErrUnsupported) {
		t.Errorf("a delete through a read-only bucket: %v", err)
	}
	if !strings.Contains(log.String(), "ListObjectVersions") {
		t.Errorf("the log says %q", log.String())
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}

func TestOptionsGiveTimesAndIDs(t *testing.T) {
	now := time.Date(2026, 10, 30, 12, 34, 56, 789e6, time.FixedZone("", 3600))
	n := 0
	b := fresh(t, local.Options{NoSync: true, Now: func() time.Time { return now }, NewID: func() string { n++; return fmt.Sprint("id", n) }})
	put(t, b, "k", "one")
	now = now.Add(-time.Hour) // order never comes from time
	put(t, b, "k", "two")
	got := all(t, b)
	if len(got) != 2 || got[0].ID != "id2" || got[1].ID != "id1" ||
		got[0].Modified != time.Date(2026, 10, 30, 10, 34, 56, 0, time.UTC) || got[1].Modified != time.Date(2026, 10, 30, 11, 34, 56, 0, time.UTC) {
		t.Errorf("listed %+v", got)
	}
	if _, clock, err := b.Versioning(ctx); err != nil || !clock.Equal(now) {
		t.Errorf("the clock says %v, %v; want %v", clock, err, now)
	}
}

func TestVersioningOff(t *testing.T) {
	b := fresh(t, local.Options{NoSync: true})
	if err := b.SetVersioning(ctx, bucket.VersioningOff); err != nil {
		t.Fatal(err)
	}
	put(t, b, "k", "one")
	put(t, b, "k", "two")
	if got := all(t, b); len(got) != 1 || got[0].ID != bucket.NullID || got[0].Size != 3 {
		t.Errorf("listed %+v; want the null version alone", got)
	}
	if err := b.SetVersioning(ctx, bucket.VersioningOff); !errors.Is(err, bucket.ErrUnsupported) {
		t.Errorf("switched off with versions in it: %v", err)
	}
	if v, err := b.Delete(ctx, "k"); v != (bucket.Version{}) || err != nil {
		t.Errorf("Delete: %+v, %v; want no marker", v, err)
	}
	if got := all(t, b); len(got) != 0 {
		t.Errorf("listed %+v; want nothing", got)
	}
	if err := b.SetVersioning(ctx, "sideways"); err == nil {
		t.Error("took an unknown state")
	}
}

func TestNoSyncFileIsAnOrdinaryOneOnceClosed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.bucket")
	b, err := local.Create(file, local.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("x", 3<<20)
	put(t, b, "k", body)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	alone(t, file)
	again := reopen(t, file)
	rc, _, err := again.Open(ctx, "k", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(rc); err != nil || string(got) != body {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	put(t, again, "k", "two")
}

// A level with more than a page of everything, in each mixture.
func TestLevelPages(t *testing.T) {
	b := fresh(t, local.Options{NoSync: true})
	var want []string
	for i := range 1500 {
		key := fmt.Sprintf("p/%05d", i)
		want = append(want, key)
		put(t, b, key, "")
		if i%100 == 0 {
			for j := range 30 {
				put(t, b, fmt.Sprintf("%s/%03d", key, j), "")
			}
			want = append(want, key+"/")
		}
	}
	put(t, b, "q", "")
	var got []string
	for item, err := range b.Level(ctx, "p/") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, item.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d items; want %d", len(got), len(want))
	}
	// 10 pages would hold all rows in order; folders cost one more each, and the
	// pages grow again after each.
	if n := b.Requests().List; n > 100 {
		t.Errorf("%d pages", n)
	}
}

// A bucket whose file is taken away says so, and never that an object is gone.
func TestFileTakenAwayWhileOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b")
	b, err := local.Create(file, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // it may fail: the file is gone
	if _, err := b.PutIfAbsent(t.Context(), "k", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Skip("an open file cannot be removed here: ", err)
	}
	_, err = b.PutIfAbsent(t.Context(), "l", strings.NewReader("x"))
	if err == nil || errors.Is(err, bucket.ErrNotFound) || errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "was moved or deleted while it was open") {
		t.Errorf("a write: %v", err)
	}
	for v, err := range b.Versions(t.Context(), bucket.Range{}) {
		if err == nil && v.Key != "k" || err != nil && !strings.Contains(err.Error(), "was moved or deleted") {
			t.Errorf("a listing: %+v, %v", v, err)
		}
	}
}
