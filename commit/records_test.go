package commit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// bothWays decodes an object with the scanner of plain records before the parser and by
// the parser alone: they must give the same files, the same object, and the same error.
func bothWays(t *testing.T, in []byte, reader func(io.Reader) io.Reader) {
	t.Helper()
	run := func(slow bool) (files []File, o Object, err error) {
		d := newDecoder(reader(bytes.NewReader(in)), asFiles(func(f File) error { files = append(files, f); return nil }))
		d.slow = slow
		o, err = d.whole()
		return files, o, err
	}
	files, o, err := run(false)
	want, wantO, wantErr := run(true)
	// The parser quotes more or less of a wrong escape, as far as it has read ahead.
	said, _, _ := strings.Cut(fmt.Sprint(err), "`")
	wantSaid, _, _ := strings.Cut(fmt.Sprint(wantErr), "`")
	if said != wantSaid || o != wantO || !slices.Equal(files, want) || errors.Is(err, ErrFormat) != errors.Is(wantErr, ErrFormat) {
		t.Fatalf("%.300q\nscanned %d files, %+v, %v\nparsed  %d files, %+v, %v", in, len(files), o, err, len(want), wantO, wantErr)
	}
}

func atOnce(r io.Reader) io.Reader { return r }

// seams are objects whose parts are and are not plain.
var seams = []string{
	`{"folder":"f","x":[1],"parent":null,"time":"2026-10-30T12:34:56Z","files":[{"path":"a","version":"1","etag":"e","size":1},{"path":"b","version":"2","etag":"","size":0}],"z":1}`,
	`{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[{"path":"ü","version":"1","etag":"e","size":123456789012345678},{"path":"b\n","version":"2","etag":"e","size":7},{"path":"c","version":"3","etag":"e","size":7}]}`,
	`{"files":[{"path":"a","version":"1","etag":"e","size":1}],"folder":"f","files":[],"parent":null,"time":"2026-10-30T12:34:56Z"}`,
	`{"files":[{"path":"a","version":"1","etag":"e","size":1},],"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z"}`,
	`{"files":[{"path":"a","version":"1","etag":"e","size":1}"",{"path":"b","version":"1","etag":"e","size":1}],"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z"}`,
	`{"files":[{"path":"a","version":"1","etag":"e","size":1} , {"path":"b","version":"1","etag":"e","size":1234567890123456789}],"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z"}`,
	`{"fi\u006ces":[{"path":"a","version":"1","etag":"e","size":1}],"folder":"f","files":[],"parent":null,"time":"2026-10-30T12:34:56Z"}`,
	`{"files":[{"path":"a","version":"1","etag":"e","size":1}],"fold\u0065r":"f","parent":null,"time":"2026-10-30T12:34:56Z","folder":"g"}`,
	`{"é\"":1,"files":[{"path":"a","version":"1","etag":"e","size":1}],"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z"}`,
	`{"é\"":1,"files":[{"path":"a","version":"1","etag":"e","size":1}],"é\"":2,"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z"}`,
}

// Every byte of an object is left out, doubled, and made another, and it is cut off at
// every place.
func TestPlainRecordsAndTheParserAgree(t *testing.T) {
	for _, o := range seams {
		in := []byte(o)
		bothWays(t, in, atOnce)
		bothWays(t, in, iotest.OneByteReader)
		bothWays(t, in, iotest.DataErrReader)
		for i := range in {
			bothWays(t, in[:i], atOnce)
			bothWays(t, slices.Delete(slices.Clone(in), i, i+1), atOnce)
			for _, c := range []byte("\"\\,0}]\x1f\xff") {
				bothWays(t, slices.Insert(slices.Clone(in), i, c), atOnce)
				changed := slices.Clone(in)
				changed[i] = c
				bothWays(t, changed, atOnce)
			}
		}
	}
}

// Records of all lengths, at all places of the buffer's end.
func TestPlainRecordsAcrossBuffers(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[`)
	for i := range 3000 {
		if i > 0 {
			b.WriteByte(',')
		}
		long := strings.Repeat("x", i%611)
		if i == 2000 {
			long = strings.Repeat("x", plainBuffer+10) // more than the buffer holds
		}
		fmt.Fprintf(&b, `{"path":"%05d%s","version":"v%d","etag":"%x","size":%d}`, i, long, i, i, i)
	}
	b.WriteString(`]}`)
	in := []byte(b.String())
	bothWays(t, in, atOnce)
	bothWays(t, in, iotest.HalfReader)
	bothWays(t, in, func(r io.Reader) io.Reader { return &stutter{r: r} })
	if o, err := Decode(bytes.NewReader(in), nil); err != nil || o.Files != 3000 || o.Total != 2999*3000/2 {
		t.Errorf("%+v %v", o, err)
	}
	broken := errors.New("connection reset")
	for _, n := range []int{100, 70_000, len(in) - 1} {
		r := io.MultiReader(bytes.NewReader(in[:n]), iotest.ErrReader(broken))
		if o, err := Decode(r, nil); !errors.Is(err, broken) || errors.Is(err, ErrFormat) || o.ID != "" {
			t.Errorf("broken after %d: %v %+v", n, err, o)
		}
	}
}

// A stutter gives nothing every other time, and then little.
type stutter struct {
	r io.Reader
	n int
}

func (s *stutter) Read(p []byte) (int, error) {
	if s.n++; s.n%2 == 0 {
		return 0, nil
	}
	return s.r.Read(p[:min(len(p), 1000+s.n%97)])
}

// What is plain is what JSON says it is.
func FuzzPlainRecords(f *testing.F) {
	for _, s := range seams {
		f.Add([]byte(s))
	}
	for _, g := range golden {
		f.Add([]byte(g.bytes))
	}
	f.Fuzz(func(t *testing.T, in []byte) { bothWays(t, in, atOnce) })
}
