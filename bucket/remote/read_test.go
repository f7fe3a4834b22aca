package remote

import (
	"io"
	"strings"
	"testing"
)

// A body tells how much of it was read before it was closed.
type body struct {
	*strings.Reader
	closed bool
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

// A short rest is read, so that the connection is kept; a long one is given up, and so
// is what nobody asked for.
func TestCloseReadsAShortRest(t *testing.T) {
	for name, x := range map[string]struct {
		length      int
		first, read int64
		left        int
	}{
		"one byte, of which none was read": {1, 1, 0, 0},
		"4 KiB":                            {4096, 4096, 0, 0},
		"4 KiB are left of 10,000 bytes":   {10_000, 0, 10_000 - 4096, 0},
		"a byte more":                      {4097, 0, 0, 4097},
		"all was read":                     {5000, 0, 5000, 0},
		"the store does not do ranges":     {100, 10, 4, 96},
	} {
		b := &body{Reader: strings.NewReader(strings.Repeat("x", x.length))}
		r := Whole(b, int64(x.length), x.first, func(err error) error { return err })
		if _, err := io.CopyN(io.Discard, r, x.read); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil || !b.closed || b.Len() != x.left {
			t.Errorf("%s: %v, closed: %t; %d bytes were left, not %d", name, err, b.closed, b.Len(), x.left)
		}
	}
}
