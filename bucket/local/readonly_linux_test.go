package local_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
)

// unprivileged runs f so that permissions count, also where the tests run as
// root: on a thread of its own, which has another user's rights to files.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with f
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0); errno != 0 {
			t.Errorf("setfsuid: %v", errno)
			return
		}
		f()
	}()
	<-done
}

// readable makes a bucket in a directory that everybody can reach.
func readable(t *testing.T) (dir, file string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "provcat-local-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = os.Chmod(dir, 0o700) // so that it can be removed
		_ = os.RemoveAll(dir)    // best effort
	})
	file = filepath.Join(dir, "x.bucket")
	b, err := local.Create(file, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, b, "k", "body")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyFilesAndDirectories(t *testing.T) {
	for name, modes := range map[string]struct{ dir, file os.FileMode }{
		"file":      {0o777, 0o444},
		"directory": {0o555, 0o666},
		"both":      {0o555, 0o444},
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := readable(t)
			chmod(t, file, modes.file)
			chmod(t, dir, modes.dir)
			unprivileged(t, func() {
				b, err := local.Open(file, local.Options{})
				if err != nil {
					t.Errorf("Open: %v", err)
					return
				}
				defer func() { _ = b.Close() }() // only read
				for v, err := range b.Versions(ctx, bucket.Range{}) {
					if err != nil || v.Key != "k" {
						t.Errorf("listed %+v, %v", v, err)
					}
				}
				rc, _, err := b.Open(ctx, "k", "", 0)
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				if got, err := io.ReadAll(rc); string(got) != "body" || err != nil {
					t.Errorf("read %q, %v", got, err)
				}
				_, err = b.Put(ctx, "k", strings.NewReader("x"))
				if !errors.Is(err, bucket.ErrDenied) || !strings.Contains(err.Error(), "writable") {
					t.Errorf("a write: %v; want %v", err, bucket.ErrDenied)
				}
			})
			alone(t, file)
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	_, file := readable(t)
	chmod(t, file, 0)
	chmod(t, filepath.Dir(file), 0o755)
	unprivileged(t, func() {
		if _, err := local.Open(file, local.Options{}); !errors.Is(err, bucket.ErrDenied) {
			t.Errorf("Open: %v; want %v", err, bucket.ErrDenied)
		}
	})
}
