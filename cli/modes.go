package cli

import (
	"io/fs"
	"os"
	"runtime"
)

const (
	reading = "read"
	writing = "written"
)

// openTo says what others than its owner may do with a file of this mode; empty:
// nothing, or the system keeps no such modes.
func openTo(m fs.FileMode) string {
	switch {
	case runtime.GOOS == "windows" || !m.IsRegular():
		return ""
	case m.Perm()&0o022 != 0:
		return writing
	case m.Perm()&0o044 != 0:
		return reading
	}
	return ""
}

// othersMay is openTo of an open file.
func othersMay(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	return openTo(info.Mode())
}
