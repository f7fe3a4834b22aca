package cli

import (
	"bytes"
	"fmt"
	"io"

	"provcat-tui/internal/safe"
)

// A document is one JSON object written as its members come: items of a long
// array go out one by one and are never held. It starts with its schema and is
// closed also after an error, so that what is on stdout is always valid JSON.
type document struct {
	w       io.Writer
	schema  string
	started bool
	inArray bool
	items   bool // the open array has an item
	err     error
}

func newDocument(w io.Writer, schema string) *document { return &document{w: w, schema: schema} }

func (d *document) print(s string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, s)
	}
}

// value encodes v on one line. Values are small: only arrays are streamed.
func (d *document) value(v any) {
	if d.err != nil {
		return
	}
	line, err := safe.JSONLine(v)
	if err != nil {
		d.err = fmt.Errorf("encode JSON: %w", err)
		return
	}
	_, d.err = d.w.Write(bytes.TrimSuffix(line, []byte("\n")))
}

func (d *document) name(name string) {
	if !d.started {
		d.started = true
		d.print("{\n  \"schema\": ")
		d.value(d.schema)
	}
	d.print(",\n  ")
	d.value(name)
	d.print(": ")
}

// member writes one member.
func (d *document) member(name string, v any) {
	d.endArray()
	d.name(name)
	d.value(v)
}

// array starts an array; item adds to it; the next member ends it.
func (d *document) array(name string) {
	d.endArray()
	d.name(name)
	d.print("[")
	d.inArray, d.items = true, false
}

func (d *document) item(v any) error {
	if d.items {
		d.print(",")
	}
	d.items = true
	d.print("\n    ")
	d.value(v)
	return d.err
}

func (d *document) endArray() {
	if !d.inArray {
		return
	}
	d.inArray = false
	if d.items {
		d.print("\n  ")
	}
	d.print("]")
}

// finish ends a streamed document: complete says whether all that was asked for
// is in it. It gives cause, else the first error of writing.
func (d *document) finish(cause error) error {
	d.member("complete", cause == nil)
	if cause != nil {
		d.member("error", cause.Error())
	}
	d.print("\n}\n")
	if cause != nil {
		return cause
	}
	return d.err
}

// close ends a document that is not streamed.
func (d *document) close() error {
	d.endArray()
	d.print("\n}\n")
	return d.err
}
