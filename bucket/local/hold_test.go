package local

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"provcat-tui/bucket"
)

// A file in which nothing was ever held stays as older programs know it; from the first
// hold on they refuse it, since they would remove what is held.
func TestHoldMarksTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bucket")
	b, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.PutIfAbsent(t.Context(), "k", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	version := func() (n int) {
		if err := b.db.QueryRow("PRAGMA user_version").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := b.Hold(t.Context(), "k", v.ID, false); err != nil || version() != 1 || b.Settings(t.Context()).ObjectLock.Holds {
		t.Errorf("a release without a hold: %v, schema %d", err, version())
	}
	if err := b.Hold(t.Context(), "k", v.ID, true); err != nil || version() != 2 || !b.Settings(t.Context()).ObjectLock.Holds {
		t.Errorf("a hold: %v, schema %d", err, version())
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	if p, err := b.Protection(t.Context(), "k", v.ID); err != nil || !p.LegalHold {
		t.Errorf("after it was opened again: %+v, %v", p, err)
	}
}

// Under suspended versioning a write takes the place of the null version: not of one that
// is held.
func TestHoldKeepsTheNullVersion(t *testing.T) {
	b, err := Create(filepath.Join(t.TempDir(), "x.bucket"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	if err := b.SetVersioning(t.Context(), bucket.VersioningSuspended); err != nil {
		t.Fatal(err)
	}
	v, err := b.PutIfAbsent(t.Context(), "k", strings.NewReader("x"))
	if err == nil {
		err = b.Hold(t.Context(), "k", v.ID, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Delete(t.Context(), "k"); !errors.Is(err, bucket.ErrDenied) {
		t.Errorf("a null marker in its place: %v", err)
	}
	if _, err := b.CopyVersion(t.Context(), "k", v.ID, "k"); !errors.Is(err, bucket.ErrDenied) {
		t.Errorf("a copy in its place: %v", err)
	}
	if r, _, err := b.Open(t.Context(), "k", "", 0); err != nil || r.Close() != nil {
		t.Errorf("it is gone: %v", err)
	}
}
