package commit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"provcat-tui/bucket"
)

// ErrTooLarge marks a commit object that was not read for its size. Nothing is known of
// it then: neither that it is sound nor that it is damaged.
var ErrTooLarge = errors.New("too large to be read")

// MaxObject is the most bytes of a commit object that are read where nobody says
// otherwise: what one put can write on S3. It is room for some 20 million files.
const MaxObject = 5 << 30

type maxObjectKey struct{}

// WithMaxObject gives a context in which commit objects of more than most bytes are not
// read, but are ErrTooLarge; 0: of any size. How that is told names a flag of the
// program.
func WithMaxObject(ctx context.Context, most int64) context.Context {
	return context.WithValue(ctx, maxObjectKey{}, most)
}

// maxObject is the bound in ctx; 0: none.
func maxObject(ctx context.Context) int64 {
	if most, ok := ctx.Value(maxObjectKey{}).(int64); ok {
		return max(most, 0)
	}
	return MaxObject
}

// OpenObject opens a version of a commit object (empty: the live one) to be read whole.
// ErrTooLarge, at once or where a read comes upon it: it has more bytes than ctx allows,
// or those that the store says.
func OpenObject(ctx context.Context, b bucket.Bucket, id, version string) (io.ReadCloser, error) {
	r, v, err := b.Open(ctx, CommitKey(id), version, 0)
	if err != nil {
		return nil, err
	}
	most := maxObject(ctx)
	tooLarge := func(has string) error {
		return &bucket.Error{Op: "read commit", Bucket: b.URL(), Key: CommitKey(id), Version: version, Kind: ErrTooLarge,
			Err:  fmt.Errorf("it has %s, and more than %s are not read", has, bytesText(most)),
			Hint: "--max-commit-size reads larger ones; a commit of a million files has some 200 MB"}
	}
	switch {
	case most == 0:
		return r, nil
	case v.Size > most:
		_ = r.Close() // nothing was read
		return nil, tooLarge(bytesText(v.Size))
	}
	// What the store says of the size need not be so.
	return &bounded{r, most, tooLarge("more than it says")}, nil
}

// fits refuses to write a commit object that readers with the same bound would not read.
func fits(ctx context.Context, folder string, body io.Seeker) error {
	n, err := body.Seek(0, io.SeekEnd)
	most := maxObject(ctx)
	if err != nil || most == 0 || n <= most {
		return err
	}
	return fmt.Errorf("the commit object of %s is %w: it has %s, and more than %s are not read; commit folders below it one by one, or allow larger ones with --max-commit-size, for readers too",
		folderName(folder), ErrTooLarge, bytesText(n), bytesText(most))
}

// bounded gives an error in place of what comes after left bytes.
type bounded struct {
	io.ReadCloser
	left int64
	err  error
}

func (x *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > x.left {
		p = p[:x.left+1] // one more shows whether there is more
	}
	n, err := x.ReadCloser.Read(p)
	if int64(n) > x.left {
		n, x.left = int(x.left), 0
		return n, x.err
	}
	x.left -= int64(n)
	return n, err
}

// bytesText is a number of bytes, with its thousands apart.
func bytesText(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text + " bytes"
}
