package inventory

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Parquet is read here only as far as an inventory needs it: rows without lists or
// structures in them, the columns that matter, plain values and dictionaries. The
// libraries that there are read and write all of it; the leanest adds 4.9 MB to the
// program, and they trust what a file says of its own sizes.
//
// Apache Parquet, "File format" and "Encodings".

// Limits of a Parquet file.
const (
	maxFooter = 16 << 20 // bytes
	maxGroups = 100_000
	maxPage   = 32 << 20 // bytes, packed or unpacked; writers make some of 1 MiB
)

// Parquet's own numbers.
const (
	pBoolean, pInt32, pInt64, pInt96, pBytes = 0, 1, 2, 3, 6 // physical types
	pRequired, pOptional                     = 0, 1
	pNone, pSnappy, pGzip                    = 0, 1, 2 // compression
	pPlain, pPlainDictionary, pRLE, pRLEDict = 0, 2, 3, 8
	pDataPage, pDictionaryPage, pDataPageV2  = 0, 2, 3
)

// A leaf is one column of a file's schema.
type leaf struct {
	what     column
	name     string
	physical int64
	optional bool
	millis   int64 // of colModified in int64: how many of its units are a millisecond
}

// A chunk is the values of one leaf in one group of rows.
type chunk struct {
	physical, codec, values      int64
	data, dictionary, compressed int64
	there                        bool
}

type rowGroup struct {
	rows   int64
	chunks []chunk
}

type footer struct {
	leaves []leaf
	groups []rowGroup
}

// readParquet reads the rows of a file.
func readParquet(in io.ReaderAt, size int64, visit func(*Row) error) error {
	f, err := readFooter(in, size)
	if err != nil {
		return err
	}
	n := int64(0)
	for g := range f.groups {
		if err := f.read(in, size, &f.groups[g], &n, visit); err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
	}
	return nil
}

// Each row has a version ID of its own, which no writer packs into a byte.
var errManyRows = errors.New("it says to have more rows than bytes")

var errNoParquet = errors.New("it is no Parquet file, or is cut off")

func readFooter(in io.ReaderAt, size int64) (*footer, error) {
	var ends [8]byte
	if size < 12 {
		return nil, errNoParquet
	}
	if _, err := in.ReadAt(ends[:], size-8); err != nil {
		return nil, err
	}
	if string(ends[4:]) == "PARE" {
		return nil, errors.New("it is encrypted inside, which S3 Inventory doesn't do")
	}
	n := int64(binary.LittleEndian.Uint32(ends[:4]))
	if string(ends[4:]) != "PAR1" || n > size-12 {
		return nil, errNoParquet
	}
	if n > maxFooter {
		return nil, fmt.Errorf("its footer has %d bytes; more than %d cannot be read", n, maxFooter)
	}
	text := make([]byte, n)
	if _, err := in.ReadAt(text, size-8-n); err != nil {
		return nil, err
	}
	f := &footer{}
	t := &thrift{b: text}
	var schema []leaf
	var problem error
	t.fields(func(id int64, kind byte) {
		switch {
		case id == 2:
			schema, problem = readSchema(t, kind)
		case id == 4:
			t.structs(kind, func() {
				if f.groups = append(f.groups, readGroup(t)); len(f.groups) > maxGroups {
					t.fail()
				}
			})
		default:
			t.skip(kind)
		}
	})
	switch {
	case t.err != nil:
		return nil, t.err // what is a problem besides may only come of it
	case problem != nil:
		return nil, problem
	}
	f.leaves = schema
	return f, f.check(size)
}

// readSchema reads the columns; the first element is the row itself.
func readSchema(t *thrift, kind byte) (out []leaf, problem error) {
	root := true
	t.structs(kind, func() {
		l, repetition, children := leaf{physical: -1, millis: 1}, int64(-1), int64(0)
		t.fields(func(id int64, kind byte) {
			switch id {
			case 1:
				l.physical = t.number(kind)
			case 3:
				repetition = t.number(kind)
			case 4:
				l.name = t.text(kind)
			case 5:
				children = t.number(kind)
			case 6:
				if t.number(kind) == 10 { // TIMESTAMP_MICROS
					l.millis = 1000
				}
			case 10:
				t.inner(kind, func(id int64, kind byte) {
					if id != 8 { // TimestampType
						t.skip(kind)
						return
					}
					t.inner(kind, func(id int64, kind byte) {
						if id != 2 { // its unit
							t.skip(kind)
							return
						}
						t.inner(kind, func(id int64, kind byte) {
							l.millis = map[int64]int64{1: 1, 2: 1000, 3: 1_000_000}[id]
							t.skip(kind)
						})
					})
				})
			default:
				t.skip(kind)
			}
		})
		if root {
			root = false
			return
		}
		if children > 0 || repetition != pRequired && repetition != pOptional {
			problem = fmt.Errorf("its column %q holds a list or a structure, which no column of an inventory does", l.name)
		}
		l.what, l.optional = columnOf(l.name), repetition == pOptional
		out = append(out, l)
	})
	return out, problem
}

func readGroup(t *thrift) (g rowGroup) {
	t.fields(func(id int64, kind byte) {
		switch id {
		case 1:
			t.structs(kind, func() {
				var c chunk
				t.fields(func(id int64, kind byte) {
					if id != 3 {
						t.skip(kind)
						return
					}
					t.inner(kind, c.field(t))
				})
				g.chunks = append(g.chunks, c)
			})
		case 3:
			g.rows = t.number(kind)
		default:
			t.skip(kind)
		}
	})
	return g
}

// field reads ColumnMetaData.
func (c *chunk) field(t *thrift) func(id int64, kind byte) {
	c.there = true
	return func(id int64, kind byte) {
		into := map[int64]*int64{1: &c.physical, 4: &c.codec, 5: &c.values, 7: &c.compressed, 9: &c.data, 11: &c.dictionary}[id]
		if into == nil {
			t.skip(kind)
			return
		}
		*into = t.number(kind)
	}
}

// check says what is wrong with the schema. The manifest's is not asked: the file's own
// is what its rows have.
func (f *footer) check(size int64) error {
	has := map[column]bool{}
	for _, l := range f.leaves {
		if l.what == other {
			continue
		}
		if has[l.what] {
			return fmt.Errorf("it has the column %q twice", l.name)
		}
		has[l.what] = true
		want := int64(pBytes)
		switch l.what {
		case colLatest, colMarker:
			want = pBoolean
		case colSize, colModified:
			want = pInt64
		}
		if l.physical != want && (l.what != colModified || l.physical != pInt96) {
			return fmt.Errorf("its column %q has the type %d, and in an inventory it has %d", l.name, l.physical, want)
		}
		if l.millis <= 0 {
			return fmt.Errorf("its column %q has an unknown unit of time", l.name)
		}
	}
	for c, name := range map[column]string{colBucket: "bucket", colKey: "key", colVersion: "version_id", colLatest: "is_latest", colMarker: "is_delete_marker", colSize: "size", colETag: "e_tag"} {
		if !has[c] {
			return fmt.Errorf("it has no column %s, which the manifest names", name)
		}
	}
	rows := int64(0)
	for i, g := range f.groups {
		if rows += max(g.rows, 0); g.rows > size || rows > size {
			return errManyRows
		}
		if len(g.chunks) != len(f.leaves) || g.rows < 0 {
			return fmt.Errorf("its group %d has %d rows and %d columns, and the schema has %d", i+1, g.rows, len(g.chunks), len(f.leaves))
		}
	}
	return nil
}

// read goes through the rows of one group, its columns side by side.
func (f *footer) read(in io.ReaderAt, size int64, g *rowGroup, n *int64, visit func(*Row) error) error {
	var cursors []*cursor
	for i, l := range f.leaves {
		if l.what == other || l.physical == pInt96 {
			continue
		}
		c, err := newCursor(in, size, l, g.chunks[i])
		if err != nil {
			return fmt.Errorf("column %q: %w", l.name, err)
		}
		cursors = append(cursors, c)
	}
	row := &Row{}
	for range g.rows {
		for _, c := range cursors {
			if err := c.next(row); err != nil {
				return fmt.Errorf("column %q: %w", c.leaf.name, err)
			}
		}
		if err := visit(row); err != nil {
			return err
		}
		*n++
	}
	return nil
}
