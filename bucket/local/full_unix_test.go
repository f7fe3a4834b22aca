//go:build unix

package local

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"provcat-tui/bucket"
)

// A limit on the size of files is a disk that fails at the last moment, when the pages
// are written: SQLite then takes the transaction back by itself, and whatever the error
// says, a reader that opens the file afterwards is the judge.
func TestCommitThatFindsNoRoomIsNotUnclear(t *testing.T) {
	for _, noSync := range []bool{false, true} {
		t.Run(fmt.Sprintf("noSync %v", noSync), func(t *testing.T) {
			b := made(t, Options{NoSync: noSync})
			first, err := b.Put(bg, "k", strings.NewReader("first"))
			must(t, err)
			info, err := os.Stat(b.path)
			must(t, err)
			signal.Ignore(syscall.SIGXFSZ)
			var was syscall.Rlimit
			must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
			limit := was
			limit.Cur = uint64(info.Size())
			must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
			_, puterr := b.Put(bg, "k", strings.NewReader(strings.Repeat("x", 100_000)))
			_, again := b.Put(bg, "k", strings.NewReader(strings.Repeat("x", 100_000)))
			must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
			for _, err := range []error{puterr, again} {
				if !errors.Is(err, bucket.ErrUnwritable) || errors.Is(err, bucket.ErrUnclear) {
					t.Errorf("no room: %v", err)
				}
			}
			var ids []string
			for v, err := range b.Versions(bg, bucket.Range{}) {
				must(t, err)
				ids = append(ids, v.ID)
			}
			if len(ids) != 1 || ids[0] != first.ID {
				t.Errorf("there is %v, want %s alone", ids, first.ID)
			}
			if _, err := b.Put(bg, "k", strings.NewReader("second")); err != nil {
				t.Errorf("when there is room again: %v", err)
			}
		})
	}
}
