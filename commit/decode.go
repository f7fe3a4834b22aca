package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"provcat-tui/internal/safe"
)

// An Object is what reading a whole commit object gave.
type Object struct {
	Header
	ID    string // SHA-256 of the bytes that were read, lowercase hex
	Bytes int64  // length of the object
	Files int64  // number of files
	Total int64  // sum of the known sizes in bytes; MaxInt64 where it overflows
}

// ErrFormat marks bytes that are no commit that this program can read.
var ErrFormat = errors.New("not a commit object that this program can read")

// Bounds on what a reader buffers: the commit object of a hostile writer may be
// of any size and shape.
const (
	maxHeader  = 2 << 20   // bytes of all members but the files, white space included
	maxFile    = 256 << 10 // bytes of one file's record; S3 keys have at most 1,024
	maxMembers = 1000      // members of the outermost object
)

// Decode reads a commit object as a stream. Members may come in any order and
// with any white space; those it doesn't know are skipped, those that are absent
// are unknown. visit gets each file in the order of the bytes, may be nil, and
// must not keep r. An error of visit ends the reading at once and is returned as
// it is, with an Object that has no ID.
//
// Otherwise r is read to its end. Bytes that are no commit of this format give
// ErrFormat, and the Object's ID and Bytes are right even so. Errors of r itself
// are returned as they are and never ErrFormat. Memory stays below some 32 MB,
// whatever the input.
func Decode(r io.Reader, visit func(File) error) (Object, error) {
	return newDecoder(r, asFiles(visit)).whole()
}

// whole is Decode on a decoder that is made.
func (d *decoder) whole() (Object, error) {
	err := d.object()
	if d.visitErr != nil {
		return Object{}, d.visitErr
	}
	if d.src.err == nil {
		// What is left of r belongs to the hash too.
		buf := make([]byte, 64<<10)
		for d.src.err == nil && !d.src.eof {
			_, _ = d.src.Read(buf)
		}
	}
	if d.src.err != nil {
		return Object{}, d.src.err
	}
	d.obj.ID = hex.EncodeToString(d.src.hash.Sum(nil))
	d.obj.Bytes = d.src.n
	return d.obj, err
}

// decoder is the state of one Decode.
type decoder struct {
	src   *source
	limit *limiter
	tok   *jsontext.Decoder
	visit func(*Record) error
	obj   Object
	// headerOnly makes it stop at the files, once all that is needed was seen.
	headerOnly bool
	stopped    bool // it did
	visitErr   error
	base       int64 // where tok began to read

	seen  map[string]bool
	order []string // known members in the order in which they came
	names []string // all members in that order
	slow  bool     // the parser reads all records, for tests
}

func newDecoder(r io.Reader, visit func(*Record) error) *decoder {
	src := &source{r: r, hash: sha256.New()}
	limit := &limiter{r: src, left: maxHeader}
	return &decoder{src: src, limit: limit, tok: jsontext.NewDecoder(limit), visit: visit, seen: map[string]bool{}}
}

func formatError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrFormat, fmt.Errorf(format, args...))
}

// syntax makes an error of the token stream one of ours. Its text may quote the
// input, so it is escaped.
func (d *decoder) syntax(err error) error {
	if d.limit.hit {
		return formatError("a value is too long to be one of a commit")
	}
	where, text := fmt.Sprintf("at byte %d", d.offset()), err.Error()
	if d.obj.Files > 0 {
		where += fmt.Sprintf(", after file %d", d.obj.Files)
	}
	// Its own place is that of what this parser has read.
	if s := (*jsontext.SyntacticError)(nil); errors.As(err, &s) && s.Err != nil {
		text = s.Err.Error()
	}
	return formatError("%s: %s", where, safe.Text(text))
}

// object reads the outermost object.
func (d *decoder) object() error {
	t, err := d.tok.ReadToken()
	if err != nil {
		return d.syntax(err)
	}
	if t.Kind() != '{' {
		return formatError("it is not a JSON object")
	}
	for members := 0; d.tok.PeekKind() != '}'; members++ {
		if members == maxMembers {
			return formatError("it has more than %d members", maxMembers)
		}
		t, err := d.tok.ReadToken()
		if err != nil {
			return d.syntax(err)
		}
		d.names = append(d.names, t.String())
		if err := d.member(t.String()); err != nil || d.stopped {
			return err
		}
	}
	if _, err := d.tok.ReadToken(); err != nil {
		return d.syntax(err)
	}
	if _, err := d.tok.ReadToken(); !errors.Is(err, io.EOF) {
		if err != nil {
			return d.syntax(err)
		}
		return formatError("something follows the JSON object")
	}
	return d.complete("folder", "parent", "time", "files")
}

// complete says which of the needed members is lacking.
func (d *decoder) complete(needed ...string) error {
	for _, m := range needed {
		if !d.seen[m] {
			return formatError("it has no member %q", m)
		}
	}
	return nil
}

func (d *decoder) member(name string) error {
	if name == "files" {
		d.seen[name] = true
		d.order = append(d.order, name)
		if d.headerOnly && d.complete("folder", "parent", "time") == nil {
			d.stopped = true
			return nil
		}
		return d.files()
	}
	v, err := d.tok.ReadValue()
	if err != nil {
		return d.syntax(err)
	}
	s, isString := unquote(v)
	switch name {
	case "format":
		if !isString || s != Format {
			return formatError("its format is %s, not %q", safe.Text(clip(string(v))), Format)
		}
	case "folder":
		if !isString {
			return formatError("its folder is not a string")
		}
		d.obj.Folder = s
	case "parent":
		switch {
		case v.Kind() == 'n':
		case isString && ValidID(s):
			d.obj.Parent = s
		default:
			return formatError("its parent is neither null nor 64 lowercase hex digits")
		}
	case "time":
		if !isString {
			return formatError("its time is not a string")
		}
		if d.obj.Time, err = parseTime(s); err != nil {
			return formatError("its time %w", err)
		}
	// What is not needed is unknown where it is not what it should be.
	case "number":
		if n, ok := integer(v); ok {
			d.obj.Number = n
		}
	case "author":
		d.obj.Author = s
	case "message":
		d.obj.Message = s
	default:
		return nil
	}
	d.seen[name] = true
	d.order = append(d.order, name)
	return nil
}

// files reads the array of files.
func (d *decoder) files() error {
	header := d.limit.left
	d.limit.left = maxFile
	t, err := d.tok.ReadToken()
	if err != nil {
		return d.syntax(err)
	}
	if t.Kind() != '[' {
		return formatError("its files are not an array")
	}
	if !d.slow {
		if err := d.plainRecords(); err != nil {
			return err
		}
	}
	for d.tok.PeekKind() != ']' {
		v, err := d.tok.ReadValue()
		if err != nil {
			return d.syntax(err)
		}
		d.limit.left = maxFile
		f, err := d.file(v)
		if err != nil {
			return err
		}
		if err := d.give(&f); err != nil {
			return err
		}
	}
	if _, err := d.tok.ReadToken(); err != nil {
		return d.syntax(err)
	}
	d.limit.left = header
	return nil
}

// ours says whether the members before the files came in our writer's order.
func (d *decoder) ours() bool {
	want := []string{"format", "folder", "number", "parent", "time", "author", "message", "files"}
	if len(d.order) != len(want) {
		return false
	}
	for i, m := range want {
		if d.order[i] != m {
			return false
		}
	}
	return true
}

// unquote gives the text of a JSON string.
func unquote(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, v)
	return string(b), err == nil
}

// integer gives a JSON number that is an integer, also as 1.0 or 1e6.
func integer(v []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// clip shortens what goes into an error text.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// source hashes and counts what is read, and keeps the reader's own error apart
// from those of the syntax.
type source struct {
	r    io.Reader
	hash hash.Hash
	n    int64
	eof  bool
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.eof {
		return 0, io.EOF
	}
	n, err := s.r.Read(p)
	s.hash.Write(p[:n])
	s.n += int64(n)
	if err == io.EOF {
		s.eof = true
	} else if err != nil {
		s.err = err
	}
	return n, err
}

// limiter refuses to read on once the value at hand has taken too much.
type limiter struct {
	r    io.Reader
	left int64
	hit  bool
}

var errTooLong = errors.New("too long")

func (l *limiter) Read(p []byte) (int, error) {
	if l.left <= 0 {
		l.hit = true
		return 0, errTooLong
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}
