package inventory

import (
	"encoding/binary"
	"errors"
)

// A thrift reads structures in Thrift's compact protocol, as Parquet's footer and page
// headers are, and passes over what it isn't asked for. A library's decoder makes room
// for as many elements as a list says that it has: a footer of 20 bytes then asks for
// all memory there is.
//
// Apache Thrift, "Thrift Compact protocol encoding".
type thrift struct {
	b     []byte
	depth int
	err   error // of the first read that failed; after it all give zero
}

// The types of fields and elements.
const (
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tDouble = 7
	tBinary = 8
	tList   = 9
	tSet    = 10
	tMap    = 11
	tStruct = 12
	tUUID   = 13
)

var errThrift = errors.New("its metadata is no valid Thrift")

func (t *thrift) fail() {
	if t.err == nil {
		t.err = errThrift
	}
	t.b = nil
}

func (t *thrift) byte() byte {
	if len(t.b) == 0 {
		t.fail()
		return 0
	}
	c := t.b[0]
	t.b = t.b[1:]
	return c
}

func (t *thrift) uvarint() uint64 {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		t.fail()
		return 0
	}
	t.b = t.b[n:]
	return v
}

// int reads a zigzag number.
func (t *thrift) int() int64 {
	u := t.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// bytes reads a string. It lies in what is being read.
func (t *thrift) bytes() []byte {
	n := t.uvarint()
	if n > uint64(len(t.b)) {
		t.fail()
		return nil
	}
	out := t.b[:n]
	t.b = t.b[n:]
	return out
}

// fields reads a structure: f is called with each field and must read or skip it.
func (t *thrift) fields(f func(id int64, kind byte)) {
	if t.depth++; t.depth > 32 {
		t.fail()
	}
	defer func() { t.depth-- }()
	for id := int64(0); t.err == nil; {
		head := t.byte()
		kind := head & 15
		if kind == 0 {
			return
		}
		if delta := int64(head >> 4); delta > 0 {
			id += delta
		} else {
			id = t.int()
		}
		f(id, kind)
	}
}

// list calls f for each element of a list.
func (t *thrift) list(f func(kind byte)) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	if n > uint64(len(t.b)) { // each takes a byte at least
		t.fail()
		return
	}
	for range n {
		if f(head & 15); t.err != nil {
			return
		}
	}
}

// structs calls f for each structure of a list of them.
func (t *thrift) structs(kind byte, f func()) {
	if kind != tList {
		t.fail()
		return
	}
	t.list(func(kind byte) {
		if kind != tStruct {
			t.fail()
			return
		}
		f()
	})
}

// number reads an integer of a field of that type.
func (t *thrift) number(kind byte) int64 {
	switch kind {
	case tByte:
		return int64(int8(t.byte()))
	case tI16, tI32, tI64:
		return t.int()
	}
	t.fail()
	return 0
}

// text reads a string of a field of that type.
func (t *thrift) text(kind byte) string {
	if kind != tBinary {
		t.fail()
		return ""
	}
	return string(t.bytes())
}

// inner reads a structure that a field of that type holds.
func (t *thrift) inner(kind byte, f func(id int64, kind byte)) {
	if kind != tStruct {
		t.fail()
		return
	}
	t.fields(f)
}

// skip passes over a value.
func (t *thrift) skip(kind byte) {
	switch kind {
	case tTrue, tFalse: // the type is the value
	case tByte:
		t.byte()
	case tI16, tI32, tI64:
		t.uvarint()
	case tDouble:
		t.drop(8)
	case tUUID:
		t.drop(16)
	case tBinary:
		t.bytes()
	case tList, tSet:
		t.list(t.skipElement)
	case tMap:
		n := t.uvarint()
		if n == 0 {
			return
		}
		if n > uint64(len(t.b)) {
			t.fail()
			return
		}
		kinds := t.byte()
		for range n {
			t.skipElement(kinds >> 4)
			if t.skipElement(kinds & 15); t.err != nil {
				return
			}
		}
	case tStruct:
		t.fields(func(_ int64, kind byte) { t.skip(kind) })
	default:
		t.fail()
	}
}

// skipElement passes over an element of a list: a truth value has a byte there.
func (t *thrift) skipElement(kind byte) {
	if kind == tTrue || kind == tFalse {
		t.byte()
		return
	}
	if t.depth++; t.depth > 32 {
		t.fail()
		return
	}
	t.skip(kind)
	t.depth--
}

func (t *thrift) drop(n int) {
	if n > len(t.b) {
		t.fail()
		return
	}
	t.b = t.b[n:]
}
