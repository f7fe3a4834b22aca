package whole

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func text(s string) func(*os.File) error {
	return func(f *os.File) error { _, err := f.WriteString(s); return err }
}

func TestReplaceKeepsLinksAndModes(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	for _, step := range []func() error{
		func() error { return Replace(path, 0o600, text("one")) },
		func() error { return os.Chmod(path, 0o640) },
		func() error { return os.Symlink("f", link) },
		func() error { return Replace(link, 0o600, text("two")) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v; want mode 0640", info, err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "two" {
		t.Errorf("%q, %v", data, err)
	}
	if err := Replace(path, 0o600, func(f *os.File) error { return errors.Join(text("thr")(f), os.ErrInvalid) }); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "two" {
		t.Errorf("after a failure: %q, %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock := Lock(dir)
	got := make(chan bool)
	go func() { Lock(dir)(); close(got) }()
	select {
	case <-got:
		t.Error("two have the lock")
	case <-time.After(150 * time.Millisecond):
	}
	unlock()
	<-got
	Lock(filepath.Join(dir, "absent"))() // no lock, no failure
}

func TestCreateNeverReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Create(path, 0o600, text("one")); err != nil {
		t.Fatal(err)
	}
	if err := Create(path, 0o600, text("two")); !errors.Is(err, os.ErrExist) {
		t.Errorf("error %v, want that it exists", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "one" {
		t.Errorf("%q, %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: nothing else is left behind", entries, err)
	}
}
