package commit

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Record is a File as it stands in a commit object. Its texts may only be looked at
// while the function that got it runs, and must not be changed.
type Record struct {
	Path, Version, ETag []byte
	Size                int64 // bytes; -1: unknown
}

// DecodeRecords is Decode for whoever keeps no File: nothing is allocated for each.
func DecodeRecords(r io.Reader, visit func(*Record) error) (Object, error) {
	return newDecoder(r, visit).whole()
}

// Our writer leaves no white space, gives a file its members in one order, and escapes
// only what JSON wants escaped: so most records are these texts with plain strings
// between them, and can be told apart without a parser. Whatever differs is left to the
// parser from there on.
var (
	recordStart   = []byte(`{"path":"`)
	recordVersion = []byte(`","version":"`)
	recordETag    = []byte(`","etag":"`)
	recordSize    = []byte(`","size":`)
)

// A plainReader is the reading of plain records.
type plainReader struct {
	src  *source
	buf  []byte // what was read
	left []byte // of buf: not yet looked at

	taken int64 // bytes of records
}

const plainBuffer = 64 << 10

var plainBuffers = sync.Pool{New: func() any { return new([plainBuffer]byte) }}

// fill reads on, and says whether there is more than before.
func (q *plainReader) fill() bool {
	if q.src.err != nil || q.src.eof || len(q.left) == cap(q.buf) {
		return false
	}
	n := copy(q.buf[:cap(q.buf)], q.left)
	for range 100 { // a reader may give nothing now and then
		m, _ := q.src.Read(q.buf[n:cap(q.buf)])
		q.buf, q.left = q.buf[:n+m], q.buf[:n+m]
		if m > 0 || q.src.err != nil || q.src.eof {
			return m > 0
		}
	}
	return false
}

// record takes one record, and a comma before it where sep says so; false: what comes is
// no plain record with something after it, and nothing was taken.
func (q *plainReader) record(r *Record, sep bool) bool {
	for {
		n, whole := parseRecord(q.left, r, sep)
		if n > 0 {
			q.left = q.left[n:]
			q.taken += int64(n)
			return true
		}
		if whole || !q.fill() {
			return false
		}
	}
}

// parseRecord gives the length of a plain record at the start of b, 0 where there is
// none; whole says that more bytes could not change that.
func parseRecord(b []byte, r *Record, sep bool) (n int, whole bool) {
	i := 0
	if sep {
		if len(b) == 0 {
			return 0, false
		}
		if b[0] != ',' {
			return 0, true
		}
		i = 1
	}
	ok := false
	field := func(before []byte) (text []byte) {
		if len(b)-i < len(before) {
			whole = !bytes.HasPrefix(before, b[i:])
			return nil
		}
		if !bytes.Equal(b[i:i+len(before)], before) {
			whole = true
			return nil
		}
		i += len(before)
		end := bytes.IndexByte(b[i:], '"')
		if end < 0 {
			return nil
		}
		text = b[i : i+end]
		i += end
		ok = isPlain(text)
		whole = !ok
		return text
	}
	if r.Path = field(recordStart); !ok {
		return 0, whole
	}
	ok = false
	if r.Version = field(recordVersion); !ok {
		return 0, whole
	}
	ok = false
	if r.ETag = field(recordETag); !ok {
		return 0, whole
	}
	if len(b)-i < len(recordSize) {
		return 0, !bytes.HasPrefix(recordSize, b[i:])
	}
	if !bytes.Equal(b[i:i+len(recordSize)], recordSize) {
		return 0, true
	}
	i += len(recordSize)
	first := i
	r.Size = 0
	for ; i < len(b) && '0' <= b[i] && b[i] <= '9'; i++ {
		if i-first == 18 {
			return 0, true // it may be more than an int64 holds
		}
		r.Size = r.Size*10 + int64(b[i]-'0')
	}
	switch {
	case i == len(b):
		return 0, false
	case b[i] != '}' || i == first || b[first] == '0' && i > first+1:
		return 0, true
	}
	return i + 1, true
}

// isPlain says that a string's bytes are what it means, and valid.
func isPlain(b []byte) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	var high uint64
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		high |= w & highs
		slash := w ^ ones*'\\'
		if ((w-ones*' ')&^w|(slash-ones)&^slash)&highs != 0 {
			return false // a control character or a backslash
		}
	}
	for ; i < len(b); i++ {
		if b[i] < ' ' || b[i] == '\\' {
			return false
		}
		high |= uint64(b[i]) & 0x80
	}
	return high == 0 || utf8.Valid(b)
}

// plainRecords reads the records at the start of the array of files as long as they are
// plain, and has the parser go on behind them.
func (d *decoder) plainRecords() error {
	buf := plainBuffers.Get().(*[plainBuffer]byte)
	defer plainBuffers.Put(buf)
	q := &plainReader{src: d.src, buf: buf[:0]}
	ahead := d.tok.UnreadBuffer()
	if len(ahead) > plainBuffer {
		return nil // the header is of this length
	}
	q.buf = append(q.buf, ahead...)
	q.left = q.buf
	var r Record
	for q.record(&r, q.taken > 0) {
		if err := d.give(&r); err != nil {
			return err
		}
	}
	if len(q.buf) > len(ahead) || q.taken > 0 {
		d.resume(d.offset()+q.taken, q.left, q.taken > 0)
	}
	return nil
}

// resume has a new parser go on at byte at of the object, among the files: what was read
// ahead comes first. It is told of the members before, whose names must not come again,
// and of a file before, if there was one.
func (d *decoder) resume(at int64, ahead []byte, after bool) {
	b := []byte{'{'}
	for _, name := range d.names[:len(d.names)-1] {
		b, _ = jsontext.AppendQuote(b, name) // the parser gave it
		b = append(b, `:"",`...)
	}
	b = append(b, `"files":[`...)
	if after {
		b = append(b, `""`...)
	}
	told := int64(len(b))
	d.base = at - told
	in := io.MultiReader(bytes.NewReader(append(b, ahead...)), d.src)
	d.limit = &limiter{r: in, left: told + int64(len(ahead)) + maxFile}
	d.tok = jsontext.NewDecoder(d.limit)
	for d.tok.InputOffset() < told {
		if _, err := d.tok.ReadToken(); err != nil {
			return // the next token has it too
		}
	}
}

// offset is how far the parser is, in bytes of the object.
func (d *decoder) offset() int64 { return d.base + d.tok.InputOffset() }

// give counts a file and shows it to the visitor.
func (d *decoder) give(r *Record) error {
	d.obj.Files++
	if r.Size > 0 {
		if d.obj.Total > math.MaxInt64-r.Size {
			d.obj.Total = math.MaxInt64
		} else {
			d.obj.Total += r.Size
		}
	}
	if d.visit == nil {
		return nil
	}
	d.visitErr = d.visit(r)
	return d.visitErr
}

// asFiles makes a visitor of records of one of files.
func asFiles(visit func(File) error) func(*Record) error {
	if visit == nil {
		return nil
	}
	var buf []byte
	return func(r *Record) error {
		// One string for all three: one allocation for each file.
		buf = append(append(append(buf[:0], r.Path...), r.Version...), r.ETag...)
		s, v := string(buf), len(r.Path)+len(r.Version)
		return visit(File{Path: s[:len(r.Path)], Version: s[len(r.Path):v], ETag: s[v:], Size: r.Size})
	}
}
