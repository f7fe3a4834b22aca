package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"provcat-tui/internal/safe"
)

// writable says, before long work, whether a file can be made at the path that a
// flag gives.
func writable(flag, path string) error {
	dir := filepath.Dir(path)
	switch s, err := os.Stat(dir); {
	case err != nil:
		return usagef("%s: %s", flag, safe.Text(err.Error()))
	case !s.IsDir():
		return usagef("%s: %s is no directory", flag, safe.Text(dir))
	}
	if s, err := os.Stat(path); err == nil && s.IsDir() {
		return usagef("%s: %s is a directory, not a file", flag, safe.Text(path))
	}
	return nil
}

// writeFile writes path as a whole or not at all: into a new file beside it,
// which then takes its name. perm is subject to the umask.
func writeFile(path string, perm os.FileMode, write func(*os.File) error) (err error) {
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
	return os.Rename(tmp, path)
}
