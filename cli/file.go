package cli

import (
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
