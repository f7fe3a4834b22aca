package inventory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
)

// A cursor goes through the values of one column in one group of rows, a page in memory
// at a time.
type cursor struct {
	leaf   leaf
	codec  int64
	size   int64         // of the chunk
	pages  *bufio.Reader // of what is left of the chunk
	packed []byte        // scratch
	page   []byte        // unpacked
	dict   [][]byte      // in words

	words   []byte // of the dictionary page
	left    int64  // values of the page, nulls too
	levels  *runs  // 1: there, 0: null; nil: none is null
	indexes *runs  // into dict; nil: values is plain
	values  []byte // plain values that are left
	bit     uint   // of values[0], for truth values
}

func newCursor(in io.ReaderAt, size int64, l leaf, c chunk) (*cursor, error) {
	start := c.data
	if c.dictionary > 0 && c.dictionary < start {
		start = c.dictionary
	}
	if !c.there || c.physical != l.physical || start < 4 || c.compressed < 0 || start > size-c.compressed {
		return nil, errors.New("its place or type in the file is not what the footer says")
	}
	if c.codec != pNone && c.codec != pSnappy && c.codec != pGzip {
		return nil, fmt.Errorf("it is compressed in way %d of Parquet; 0 (none), 1 (Snappy) and 2 (gzip) can be read", c.codec)
	}
	return &cursor{leaf: l, codec: c.codec, size: c.compressed, pages: bufio.NewReaderSize(io.NewSectionReader(in, start, c.compressed), 64<<10)}, nil
}

// next reads the next value into the row.
func (c *cursor) next(row *Row) error {
	for c.left == 0 {
		if err := c.turn(); err != nil {
			return err
		}
	}
	c.left--
	if c.levels != nil {
		there, err := c.levels.next()
		if err != nil {
			return err
		}
		if there == 0 {
			return c.null(row)
		}
	}
	switch c.leaf.physical {
	case pBoolean:
		v := uint64(0)
		if c.indexes != nil {
			var err error
			if v, err = c.indexes.next(); err != nil {
				return err
			}
		} else {
			if len(c.values) == 0 {
				return errFewValues
			}
			v = uint64(c.values[0]>>c.bit) & 1
			if c.bit++; c.bit == 8 {
				c.values, c.bit = c.values[1:], 0
			}
		}
		if c.leaf.what == colLatest {
			row.Latest = v == 1
		} else {
			row.Marker = v == 1
		}
		return nil
	case pInt64:
		text, err := c.fixed(8)
		if err != nil {
			return err
		}
		v := int64(binary.LittleEndian.Uint64(text))
		if c.leaf.what == colSize {
			return row.setSize(v)
		}
		row.modifiedMS = v / c.leaf.millis
		return nil
	}
	text, err := c.text()
	if err != nil {
		return err
	}
	return row.set(c.leaf.what, text)
}

// null sets what a row without the value has.
func (c *cursor) null(row *Row) error {
	switch c.leaf.what {
	case colModified:
		row.modifiedMS = 0
		return nil
	case colLatest, colMarker:
		return errors.New("it has no value where true or false should be")
	}
	return row.set(c.leaf.what, nil)
}

var errFewValues = errors.New("a page has fewer values than it says")

// fixed reads a value of n bytes.
func (c *cursor) fixed(n int) ([]byte, error) {
	if c.indexes != nil {
		return c.word()
	}
	if len(c.values) < n {
		return nil, errFewValues
	}
	out := c.values[:n]
	c.values = c.values[n:]
	return out, nil
}

// text reads a value with its length before it.
func (c *cursor) text() ([]byte, error) {
	if c.indexes != nil {
		return c.word()
	}
	out, rest, err := cut(c.values)
	c.values = rest
	return out, err
}

func (c *cursor) word() ([]byte, error) {
	i, err := c.indexes.next()
	if err != nil {
		return nil, err
	}
	if i >= uint64(len(c.dict)) {
		return nil, errors.New("a page names a word that its dictionary lacks")
	}
	return c.dict[i], nil
}

func cut(b []byte) (text, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errFewValues
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n > uint64(len(b)-4) {
		return nil, nil, errFewValues
	}
	return b[4 : 4+n], b[4+n:], nil
}

// A header is what is needed of a page's.
type header struct {
	kind, unpacked, packed  int64
	values, encoding        int64
	levelBytes, repetitions int64 // version 2
	plain                   bool  // version 2: its values are not compressed
}

// maxHeader is the longest header of a page: it may hold the smallest and the largest
// value of a column.
const maxHeader = 32 << 10

func (c *cursor) header() (h header, err error) {
	text, err := c.pages.Peek(maxHeader)
	if len(text) == 0 {
		if err == io.EOF {
			err = errors.New("it has fewer values than the group has rows")
		}
		return h, err
	}
	t := &thrift{b: text}
	page := func(id int64, kind byte) {
		switch {
		case id == 1:
			h.values = t.number(kind)
		case h.kind == pDataPageV2 && id == 4, h.kind != pDataPageV2 && id == 2:
			h.encoding = t.number(kind)
		case h.kind == pDataPageV2 && id == 5:
			h.levelBytes = t.number(kind)
		case h.kind == pDataPageV2 && id == 6:
			h.repetitions = t.number(kind)
		case h.kind == pDataPageV2 && id == 7:
			h.plain = kind == tFalse
		default:
			t.skip(kind)
		}
	}
	t.fields(func(id int64, kind byte) {
		switch {
		case id == 1:
			h.kind = t.number(kind)
		case id == 2:
			h.unpacked = t.number(kind)
		case id == 3:
			h.packed = t.number(kind)
		case id == 5 && h.kind == pDataPage, id == 7 && h.kind == pDictionaryPage, id == 8 && h.kind == pDataPageV2:
			t.inner(kind, page)
		default:
			t.skip(kind)
		}
	})
	if t.err != nil {
		return h, t.err
	}
	if h.packed < 0 || h.packed > maxPage || h.unpacked < 0 || h.unpacked > maxPage || h.values < 0 {
		return h, fmt.Errorf("a page has %d bytes, unpacked %d; more than %d cannot be read", h.packed, h.unpacked, maxPage)
	}
	_, err = c.pages.Discard(len(text) - len(t.b))
	return h, err
}

var errCut = errors.New("a page is cut off")

// turn goes to the next page that holds values.
func (c *cursor) turn() error {
	h, err := c.header()
	if err != nil {
		return err
	}
	if h.packed > c.size {
		return errCut // before room is made for it
	}
	if int64(cap(c.packed)) < h.packed {
		c.packed = make([]byte, h.packed)
	}
	c.packed = c.packed[:h.packed]
	if _, err := io.ReadFull(c.pages, c.packed); err != nil {
		return errCut
	}
	switch h.kind {
	case pDictionaryPage:
		return c.learn(h)
	case pDataPage:
		if c.page, err = c.unpack(c.page, c.packed, h.unpacked); err != nil {
			return err
		}
		c.levels, c.values = nil, c.page
		if c.leaf.optional {
			levels, rest, err := cut(c.page)
			if err != nil {
				return err
			}
			c.levels, c.values = &runs{b: levels, width: 1}, rest
		}
	case pDataPageV2:
		if h.repetitions != 0 || h.levelBytes < 0 || h.levelBytes > min(h.packed, h.unpacked) {
			return errors.New("a page's levels are longer than the page, or of a list")
		}
		// The levels come first and are never compressed.
		c.levels, c.values = nil, c.packed[h.levelBytes:]
		if !h.plain {
			if c.page, err = c.unpack(c.page, c.values, h.unpacked-h.levelBytes); err != nil {
				return err
			}
			c.values = c.page
		}
		if c.leaf.optional {
			c.levels = &runs{b: c.packed[:h.levelBytes], width: 1}
		}
	default:
		return nil // a page of an index, or of a kind to come
	}
	c.left, c.indexes, c.bit = h.values, nil, 0
	switch {
	case h.encoding == pPlain:
	case (h.encoding == pPlainDictionary || h.encoding == pRLEDict) && c.leaf.physical != pBoolean:
		if len(c.values) == 0 {
			c.values = []byte{0} // all are null
		}
		if c.values[0] > 32 {
			return errors.New("a page's indexes are wider than 32 bits")
		}
		c.indexes = &runs{b: c.values[1:], width: uint(c.values[0])}
	case h.encoding == pRLE && c.leaf.physical == pBoolean:
		bits, _, err := cut(c.values)
		if err != nil {
			return err
		}
		c.indexes = &runs{b: bits, width: 1}
	default:
		return fmt.Errorf("a page is encoded in way %d of Parquet; plain values and dictionaries can be read", h.encoding)
	}
	return nil
}

// learn takes the dictionary.
func (c *cursor) learn(h header) error {
	if c.dict != nil || h.encoding != pPlain && h.encoding != pPlainDictionary || c.leaf.physical == pBoolean {
		return errors.New("it has two dictionaries, or one that is not plain")
	}
	var err error
	if c.words, err = c.unpack(nil, c.packed, h.unpacked); err != nil {
		return err
	}
	if h.values > int64(len(c.words))/4 {
		return errFewValues
	}
	c.dict = make([][]byte, 0, h.values)
	rest := c.words
	for range h.values {
		var word []byte
		if c.leaf.physical == pInt64 {
			if len(rest) < 8 {
				return errFewValues
			}
			word, rest = rest[:8], rest[8:]
		} else if word, rest, err = cut(rest); err != nil {
			return err
		}
		c.dict = append(c.dict, word)
	}
	return nil
}

var errLength = errors.New("a page doesn't unpack to the length that it says")

// deflated is the most that a byte of gzip can stand for, and a little more.
const deflated = 1100

// unpack gives a page's n bytes, in dst if they fit. Room is made only where the
// packed bytes can come to so many.
func (c *cursor) unpack(dst, packed []byte, n int64) ([]byte, error) {
	can := int64(len(packed)) == n
	switch {
	case n == 0:
		return dst[:0], nil
	case c.codec == pSnappy:
		m, err := snappy.DecodedLen(packed)
		can = err == nil && int64(m) == n && n <= int64(len(packed))*deflated
	case c.codec == pGzip:
		can = n <= int64(len(packed))*deflated
	}
	if !can {
		return nil, errLength
	}
	if int64(cap(dst)) < n {
		dst = make([]byte, n)
	}
	dst = dst[:n]
	switch c.codec {
	case pSnappy:
		return snappy.Decode(dst, packed)
	case pGzip:
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(z, dst); err != nil {
			return nil, fmt.Errorf("%w: %w", errLength, err)
		}
		return dst, nil
	}
	return append(dst[:0], packed...), nil
}

// A runs reads numbers of a few bits in runs: the same many times, or packed.
//
// Apache Parquet, "Encodings", "Run Length Encoding / Bit-Packing Hybrid".
type runs struct {
	b     []byte
	width uint // bits, 0 to 32

	left   uint64
	same   uint64
	packed []byte // nil: left times same
	at     uint64 // bits of packed that were read
}

var errRuns = errors.New("a page has fewer levels or indexes than values")

func (r *runs) next() (uint64, error) {
	for r.left == 0 {
		head, n := binary.Uvarint(r.b)
		if n <= 0 {
			return 0, errRuns
		}
		r.b = r.b[n:]
		if r.packed, r.at, r.same = nil, 0, 0; head&1 == 0 {
			size := int(r.width+7) / 8
			if len(r.b) < size {
				return 0, errRuns
			}
			for i := range size {
				r.same |= uint64(r.b[i]) << (8 * i)
			}
			r.left, r.b = head>>1, r.b[size:]
			continue
		}
		groups := head >> 1
		if groups > uint64(len(r.b))+1 && r.width > 0 {
			return 0, errRuns
		}
		size := min(groups*uint64(r.width), uint64(len(r.b))) // the last may be cut short
		r.left, r.packed, r.b = groups*8, r.b[:size], r.b[size:]
	}
	r.left--
	if r.packed == nil || r.width == 0 {
		return r.same, nil
	}
	if r.at+uint64(r.width) > uint64(len(r.packed))*8 {
		return 0, errRuns
	}
	v := uint64(0)
	for i := uint(0); i < r.width; {
		bit := uint(r.at & 7)
		n := min(8-bit, r.width-i)
		v |= uint64(r.packed[r.at>>3]>>bit) & (1<<n - 1) << i
		r.at += uint64(n)
		i += n
	}
	return v, nil
}
