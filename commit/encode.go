package commit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"provcat-tui/internal/safe"
)

// Encode writes a commit object, strictly by the format: no white space, members
// and files in the format's order, nothing escaped that JSON lets stand. The
// files must come in strictly ascending bytewise order of Path, each with a
// version and a size of 0 or more; folder, author, message and paths must be
// valid UTF-8. Anything else is an error, and what was written until then is no
// commit object. It gives the ID, the SHA-256 of the bytes in lowercase hex.
//
// It does not check that number and parent fit a log; Write does.
func Encode(w io.Writer, h Header, files iter.Seq2[File, error]) (id string, err error) {
	hash := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(hash, w), 64<<10)
	buf, err := appendHeader(nil, h)
	if err != nil {
		return "", err
	}
	last, n := "", 0
	for f, err := range files {
		if err != nil {
			return "", err
		}
		switch {
		case n > 0 && f.Path == last:
			return "", fmt.Errorf("encode commit: the path %q stands twice", safe.Text(f.Path))
		case n > 0 && f.Path < last:
			return "", fmt.Errorf("encode commit: the path %q comes after %q", safe.Text(f.Path), safe.Text(last))
		case f.Version == "":
			return "", fmt.Errorf("encode commit: the path %q has no version", safe.Text(f.Path))
		case f.Size < 0:
			return "", fmt.Errorf("encode commit: the size of the path %q is unknown", safe.Text(f.Path))
		}
		if n > 0 {
			buf = append(buf, ',')
		}
		if buf, err = appendFile(buf, f); err != nil {
			return "", fmt.Errorf("encode commit: the path %q, its version or its ETag is not UTF-8: %w", safe.Text(f.Path), err)
		}
		if _, err := out.Write(buf); err != nil {
			return "", fmt.Errorf("encode commit: %w", err)
		}
		buf, last, n = buf[:0], f.Path, n+1
	}
	buf = append(buf, "]}"...)
	if _, err := out.Write(buf); err != nil {
		return "", fmt.Errorf("encode commit: %w", err)
	}
	if err := out.Flush(); err != nil {
		return "", fmt.Errorf("encode commit: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// appendHeader gives a commit object up to and with the bracket that opens the
// files.
func appendHeader(dst []byte, h Header) ([]byte, error) {
	if h.Parent != "" && !ValidID(h.Parent) {
		return nil, fmt.Errorf("encode commit: the parent %q is not 64 lowercase hex digits", safe.Text(h.Parent))
	}
	if h.Number < 1 || h.Number > MaxNumber {
		return nil, fmt.Errorf("encode commit: the number %d is not between 1 and %d", h.Number, int64(MaxNumber))
	}
	if y := h.Time.UTC().Year(); h.Time.IsZero() || y < 0 || y > 9999 {
		return nil, errors.New("encode commit: the time is unset or its year has not four digits")
	}
	for what, s := range map[string]string{"folder": h.Folder, "author": h.Author, "message": h.Message} {
		if !utf8.ValidString(s) {
			return nil, fmt.Errorf("encode commit: the %s %q is not UTF-8", what, safe.Text(s))
		}
	}
	if len(h.Author)+len(h.Message) > maxText {
		return nil, fmt.Errorf("encode commit: author and message are %d bytes long, more than %d", len(h.Author)+len(h.Message), maxText)
	}
	dst = append(dst, `{"format":"`+Format+`","folder":`...)
	dst = appendString(dst, h.Folder)
	dst = append(dst, `,"number":`...)
	dst = strconv.AppendInt(dst, h.Number, 10)
	dst = append(dst, `,"parent":`...)
	if h.Parent == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, h.Parent)
	}
	dst = append(dst, `,"time":`...)
	dst = appendString(dst, FormatTime(h.Time))
	dst = append(dst, `,"author":`...)
	dst = appendString(dst, h.Author)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, h.Message)
	return append(dst, `,"files":[`...), nil
}

func appendFile(dst []byte, f File) ([]byte, error) {
	var err, e error
	dst = append(dst, `{"path":`...)
	dst, err = jsontext.AppendQuote(dst, f.Path)
	dst = append(dst, `,"version":`...)
	dst, e = jsontext.AppendQuote(dst, f.Version)
	err = errors.Join(err, e)
	dst = append(dst, `,"etag":`...)
	dst, e = jsontext.AppendQuote(dst, f.ETag)
	err = errors.Join(err, e)
	dst = append(dst, `,"size":`...)
	dst = strconv.AppendInt(dst, f.Size, 10)
	return append(dst, '}'), err
}

// appendString quotes what is known to be UTF-8; bytes that are not become
// U+FFFD. Only quote, backslash and control characters are escaped (RFC 8785,
// 3.2.2.2).
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // its only error is invalid UTF-8
	return dst
}

// maxText bounds author and message together, in bytes, so that every reader's
// bound on a header holds them.
const maxText = 256 << 10

const timeLayout = "2006-01-02T15:04:05.000000Z"

// FormatTime writes a time as the format does: UTC, to the microsecond (cut, not
// rounded). Years beyond 9999 come out longer; Encode refuses them.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// parseTime reads RFC 3339 with any offset and any precision; what is finer than
// a nanosecond is cut. The result is in UTC. One that an offset takes out of the years 0
// to 9999 is none: RFC 3339 could not write it in UTC.
func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not an RFC 3339 time", safe.Text(s))
	}
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, fmt.Errorf("%q is outside of the years 0 to 9999 in UTC", safe.Text(s))
	}
	return t, nil
}
