package commit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// spoolInMemory is the size up to which an encoded commit object stays in memory.
const spoolInMemory = 4 << 20

// Seq streams the snapshot's files in order of path.
func (s Snapshot) Seq() iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, f := range s.Files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// spool encodes a commit object: small ones in memory, larger ones in a temporary
// file that Close removes.
func spool(h Header, s Snapshot) (io.ReadSeekCloser, string, error) {
	size := len(h.Message) + 1024
	for _, f := range s.Files {
		size += len(f.Path) + len(f.Version) + len(f.ETag) + 64
	}
	if size <= spoolInMemory {
		var buf bytes.Buffer
		buf.Grow(size)
		id, err := Encode(&buf, h, s.Seq())
		return memory{bytes.NewReader(buf.Bytes())}, id, err
	}
	f, err := os.CreateTemp("", "provcat-commit-*.json")
	if err != nil {
		return nil, "", fmt.Errorf("make a temporary file for the commit object: %w; set TMPDIR to a directory with room", err)
	}
	// Where the system allows it the name goes at once: then nothing stays behind,
	// even if the process is killed.
	t := temporary{f, os.Remove(f.Name()) == nil}
	id, err := Encode(f, h, s.Seq())
	if err != nil {
		return nil, "", errors.Join(err, t.Close())
	}
	return t, id, nil
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

type temporary struct {
	*os.File
	nameless bool
}

func (t temporary) Close() error {
	err := t.File.Close()
	if !t.nameless {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}
