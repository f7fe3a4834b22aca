package whole

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

func say(f *os.File) error { _, err := io.WriteString(f, "said"); return err }

// A link stays a link, and what it leads to is replaced; a pipe and a device stay
// what they are.
func TestOutput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no links without privileges, no such devices")
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := Output(link, 0o600, say); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "file" {
		t.Errorf("the link leads to %q: %v", to, err)
	}
	if body, err := os.ReadFile(file); err != nil || string(body) != "said" {
		t.Errorf("%q, %v", body, err)
	}

	// /dev/fd/N of a pipe is neither a regular file nor a directory.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join("/dev/fd", strconv.Itoa(int(w.Fd())))
	if _, err := os.Stat(pipe); err != nil {
		t.Skip("no /dev/fd here")
	}
	if err := Output(pipe, 0o600, say); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if body, err := io.ReadAll(r); err != nil || string(body) != "said" {
		t.Errorf("through the pipe: %q, %v", body, err)
	}
	// Not as root on a device that others use: a link to it stands for it.
	null := filepath.Join(dir, "null")
	if err := os.Symlink(os.DevNull, null); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(os.DevNull)
	if err != nil || before.Mode().IsRegular() {
		t.Skip("no device")
	}
	if err := Output(null, 0o600, say); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%v, %v", after, err)
	}
}
