package remote

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// reader is an object's body. An end before the length that was announced is an
// error, never an end.
type reader struct {
	body io.ReadCloser
	left int64
	cut  bool // more may follow, which nobody asked for
	fail func(error) error
}

// Whole is a body that must have length bytes. With first > 0 no more than that many
// are read, also where the store doesn't do ranges. fail dresses an error.
func Whole(body io.ReadCloser, length, first int64, fail func(error) error) io.ReadCloser {
	r := &reader{body: body, left: length, fail: fail}
	if first > 0 && length > first { // the store does not do ranges
		r.left, r.cut = first, true
	}
	return r
}

func (r *reader) Read(p []byte) (int, error) {
	if r.left == 0 && r.cut {
		return 0, io.EOF
	}
	if r.cut && int64(len(p)) > r.left {
		p = p[:r.left]
	}
	n, err := r.body.Read(p)
	r.left -= int64(n)
	switch {
	case err == io.EOF && r.left > 0:
		err = io.ErrUnexpectedEOF
	case err == io.EOF && r.left == 0 || err == nil:
		return n, err
	case r.left < 0:
		err = &BadAnswer{Text: "more bytes than announced"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &LostBody{Err: err}
	}
	return n, r.fail(err)
}

// keepWorth is how much of an answer is read in vain, so that its connection is kept: it
// has come already, or nearly. HTTP/1 gives up a connection whose answer is closed before
// its end, and the next request pays for a new one.
const keepWorth = 4 << 10

func (r *reader) Close() error {
	if r.left > 0 && r.left <= keepWorth && !r.cut {
		_, _ = io.CopyN(io.Discard, r.body, r.left) // else the connection goes
	}
	return r.body.Close()
}

// Total reads "bytes 0-9/1234", where length bytes from the start are due.
func Total(contentRange string, length int64) (int64, error) {
	span, all, ok := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "/")
	size, err := strconv.ParseInt(all, 10, 64)
	if !ok || err != nil || span != "0-"+strconv.FormatInt(length-1, 10) || size < length {
		return 0, fmt.Errorf("the Content-Range %q is not what was asked for", contentRange)
	}
	return size, nil
}
