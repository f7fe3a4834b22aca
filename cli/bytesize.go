package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// A byteSize is a flag's value: a number of bytes, with a unit or without one.
type byteSize int64

var byteUnits = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1}, {"", 1}}

// byteSizeVar adds a flag whose error tells how a size is written.
func byteSizeVar(f *pflag.FlagSet, to *int64, name string, value int64, usage string) {
	*to = value
	f.Var((*byteSize)(to), name, usage)
}

func (b *byteSize) Set(s string) error {
	bad := errors.New("a size is a whole number of bytes, or of kB, MB, GB, TB (of 1,000) or KiB, MiB, GiB, TiB (of 1,024), such as 20GiB")
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(digits, " "), 10, 63)
		if err != nil || n > 1<<62/uint64(u.bytes) {
			return bad
		}
		*b = byteSize(n) * byteSize(u.bytes)
		return nil
	}
	return bad
}

// String is the size in the largest unit that it is a whole number of.
func (b *byteSize) String() string {
	for _, u := range byteUnits {
		if n := int64(*b); n >= u.bytes && n%u.bytes == 0 && u.name != "B" {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return "0"
}

// Type is the word for it in the help.
func (b *byteSize) Type() string { return "size" }
