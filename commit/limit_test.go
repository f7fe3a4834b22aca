package commit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"provcat-tui/bucket"
)

// A commit object of more bytes than are allowed is read by nobody, and is no damage:
// it could not be read.
func TestTooLargeCommit(t *testing.T) {
	b := newLocal(t)
	put(t, b, "f/a", "one")
	r := write(t, b, "f", WriteOptions{Author: "ana", Message: "first"})
	var size int64
	if o, err := Load(bg, b, r.ID, nil); err != nil {
		t.Fatal(err)
	} else {
		size = o.Bytes
	}
	reads := map[string]func(context.Context) error{
		"Load":        func(ctx context.Context) error { _, err := Load(ctx, b, r.ID, nil); return err },
		"LoadVersion": func(ctx context.Context) error { _, err := LoadVersion(ctx, b, r.ID, "", nil); return err },
		"Files": func(ctx context.Context) error {
			for f, err := range Files(ctx, b, r.ID) {
				if err != nil {
					return err
				}
				if f.Path != "a" {
					t.Errorf("%+v", f)
				}
			}
			return nil
		},
		"OpenObject": func(ctx context.Context) error {
			in, err := OpenObject(ctx, b, r.ID, "")
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, in)
			return errors.Join(err, in.Close())
		},
		"a new commit": func(ctx context.Context) error { _, err := Write(ctx, b, "f", quick(WriteOptions{})); return err },
	}
	for name, read := range reads {
		for _, most := range []int64{0, size, size + 1, -1, 1 << 62} {
			if err := read(WithMaxObject(bg, most)); err != nil {
				t.Errorf("%s: at most %d of %d bytes: %v", name, most, size, err)
			}
		}
		if err := read(bg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, most := range []int64{1, size - 1} {
			err := read(WithMaxObject(bg, most))
			if !errors.Is(err, ErrTooLarge) || errors.Is(err, ErrFormat) || errors.Is(err, ErrCorrupt) || errors.Is(err, bucket.ErrDamaged) {
				t.Errorf("%s: at most %d of %d bytes: %v", name, most, size, err)
				continue
			}
			for _, word := range []string{fmt.Sprintf("%d bytes", size), fmt.Sprintf("more than %d bytes", most), "--max-commit-size", CommitKey(r.ID)} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%s: %q is not in: %v", name, word, err)
				}
			}
		}
	}
	// Who made it and when is in its first kilobytes: those can be shown.
	if h, err := LoadHeader(WithMaxObject(bg, 1), b, r.ID); err != nil || h.Author != "ana" {
		t.Errorf("%+v, %v", h, err)
	}
}

// Nobody is left with a commit that the programs of the same people don't read.
func TestTooLargeCommitIsNotWritten(t *testing.T) {
	b := newLocal(t)
	put(t, b, "f/a", "one")
	_, err := Write(WithMaxObject(bg, 100), b, "f", quick(WriteOptions{}))
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "nothing was committed") || !strings.Contains(err.Error(), "--max-commit-size") {
		t.Error(err)
	}
	for v, err := range b.Versions(bg, bucket.Range{Prefix: Root}) {
		t.Errorf("%s was written (%v)", v.Key, err)
	}
}

// endless is a bucket whose commit objects have ten gigabytes, and tell less.
type endless struct {
	bucket.Bucket
	says int64
	text string
	read *int64
}

func (b endless) Open(_ context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	n := int64(10 << 30)
	if first > 0 {
		n = min(n, first)
	}
	start := `{"format":"provcat/1","folder":"f","number":1,"parent":null,"time":"2026-10-30T12:34:56.000000Z",` + b.text
	rest := &repeated{text: `{"path":"a","version":"1","etag":"","size":1},`, n: n}
	in := io.LimitReader(io.MultiReader(strings.NewReader(start), rest), n)
	return io.NopCloser(counted{in, b.read}), bucket.Version{Key: key, ID: version, Size: b.says}, nil
}

type counted struct {
	io.Reader
	n *int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.n += int64(n)
	return n, err
}

// The bound holds whatever the store says of the size: no byte more is waited for, and
// little is kept.
func TestTooLargeCommitThatLies(t *testing.T) {
	const most = 6 << 20
	id := strings.Repeat("a", 64)
	for name, text := range map[string]string{
		"files":    `"author":"","message":"","files":[`,
		"unknown":  `"other":[`,
		"ours not": `"files":[`,
	} {
		var read int64
		b := endless{newLocal(t), 1000, text, &read}
		ctx := WithMaxObject(bg, most)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		seen := 0
		_, err := Load(ctx, b, id, func(File) error { seen++; return nil })
		runtime.ReadMemStats(&after)
		// The parser of what is no list of files stops earlier, and the rest is hashed.
		if !errors.Is(err, ErrTooLarge) || read > most+1 {
			t.Errorf("%s: %d bytes read: %v", name, read, err)
		}
		if kept := int64(after.HeapInuse) - int64(before.HeapInuse); kept > 32<<20 {
			t.Errorf("%s: %d MB", name, kept>>20)
		}
		if name == "files" && seen < most/64 {
			t.Errorf("only %d files came before", seen)
		}
		read = 0
		for _, err = range Files(ctx, b, id) {
			if err != nil {
				break
			}
		}
		if !errors.Is(err, ErrTooLarge) || read > most+1 {
			t.Errorf("%s: Files: %d bytes read: %v", name, read, err)
		}
		// What is said is enough.
		read = 0
		b.says = 10 << 30
		if _, err := Load(bg, b, id, nil); !errors.Is(err, ErrTooLarge) || read > 0 || !strings.Contains(err.Error(), "10,737,418,240 bytes, and more than 5,368,709,120 bytes") {
			t.Errorf("%s: %d bytes read: %v", name, read, err)
		}
	}
}

// docs/format.md tells the bounds that hold.
func TestBoundsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		fmt.Sprintf("| a commit object | %d GiB,", MaxObject>>30),
		fmt.Sprintf("white space included | %d MiB |", maxHeader>>20),
		fmt.Sprintf("| the record of one file | %d KiB |", maxFile>>10),
		fmt.Sprintf("| its members | %s |", strings.TrimSuffix(bytesText(maxMembers), " bytes")),
		fmt.Sprintf("sorts in memory | %s |", strings.TrimSuffix(bytesText(maxSorted), " bytes")),
		fmt.Sprintf("| author and message together, which the writer takes | %d KiB |", maxText>>10),
		fmt.Sprintf("| a log entry | %d KiB;", maxEntry>>10),
		fmt.Sprintf("| the number of an entry | 10^%d |", len(fmt.Sprint(MaxNumber))-1),
	} {
		if !strings.Contains(string(page), row) {
			t.Errorf("the page lacks %q", row)
		}
	}
	// The parser's own bound.
	for levels, ok := range map[int]bool{9_999: true, 10_000: false} { // and the object itself
		in := `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","x":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `,"files":[]}`
		if _, err := Decode(strings.NewReader(in), nil); (err == nil) != ok {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}
