// Package whole writes files as a whole or not at all.
package whole

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes path as a whole or not at all: into a new file beside it, which
// then takes its name. perm is subject to the umask. The file is not closed by
// write. A program that is killed meanwhile leaves path as it was, and beside it
// a file .NAME.*.tmp that nobody reads.
func Write(path string, perm os.FileMode, write func(*os.File) error) error {
	return put(path, perm, write, os.Rename)
}

// Create is Write for a file that must not be there yet: an error that is
// fs.ErrExist says that it was, and is as it was.
func Create(path string, perm os.FileMode, write func(*os.File) error) error {
	return put(path, perm, write, func(tmp, path string) error {
		switch err := os.Link(tmp, path); {
		case err == nil:
			_ = os.Remove(tmp) // its other name is what counts
			return nil
		case errors.Is(err, fs.ErrExist):
			return fs.ErrExist
		}
		// A file system without links.
		if _, err := os.Lstat(path); err == nil {
			return fs.ErrExist
		}
		return os.Rename(tmp, path)
	})
}

func put(path string, perm os.FileMode, write func(*os.File) error, name func(tmp, path string) error) (err error) {
	tmp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%s.tmp", filepath.Base(path), rand.Text()[:8]))
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err // the new file's own name tells nobody anything
		}
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()      // the first error counts; closing twice does no harm
			_ = os.Remove(tmp) // best effort
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return name(tmp, path)
}

// Output is Write for a path that a person gave for a result: what a link leads to
// is written, not the link, and a device or a pipe is written into as it is.
func Output(path string, perm os.FileMode, write func(*os.File) error) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return Write(path, perm, write)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Replace is Write for a file that people keep: a link stays, and what it leads to
// is replaced; the mode stays as it is, and is perm, whatever the umask, for a new
// file.
func Replace(path string, perm os.FileMode, write func(*os.File) error) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	return Write(path, perm, func(f *os.File) error {
		if err := f.Chmod(perm); err != nil {
			return err
		}
		return write(f)
	})
}
