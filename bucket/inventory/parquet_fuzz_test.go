package inventory

import (
	"bytes"
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go"

	"provcat-tui/internal/race"
)

// A sample is a small Parquet file of an inventory's columns.
func sample(f testing.TB, options ...parquet.WriterOption) []byte {
	type row struct {
		Bucket  string  `parquet:"bucket,dict"`
		Key     string  `parquet:"key,plain"`
		Version *string `parquet:"version_id,optional,plain"`
		Latest  bool    `parquet:"is_latest"`
		Marker  bool    `parquet:"is_delete_marker"`
		Size    *int64  `parquet:"size,optional"`
		ETag    *string `parquet:"e_tag,optional,dict"`
	}
	var out bytes.Buffer
	id, size := "v", int64(7)
	if err := parquet.Write(&out, []row{{"b", "k", &id, true, false, &size, &id}, {"b", "l", nil, false, true, nil, nil}}, options...); err != nil {
		f.Fatal(err)
	}
	return out.Bytes()
}

var errEnough = errors.New("enough rows")

// Any bytes as a Parquet file: an error, or rows within the limits.
func FuzzParquet(f *testing.F) {
	for _, o := range [][]parquet.WriterOption{nil, {parquet.DataPageVersion(1)}, {parquet.Compression(&parquet.Snappy)}, {parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)}} {
		data := sample(f, o...)
		n := 0
		if err := readParquet(bytes.NewReader(data), int64(len(data)), func(*Row) error { n++; return nil }); err != nil || n != 2 {
			f.Fatalf("the sample has %d rows, %v", n, err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		_ = readParquet(bytes.NewReader(data), int64(len(data)), func(r *Row) error {
			checkRow(t, r)
			if n++; n > 10_000 {
				return errEnough
			}
			return nil
		})
	})
}

// Every byte of a file changed to some others: an error, or rows within the limits.
func TestParquetWithAnyByteChanged(t *testing.T) {
	if race.On {
		t.Skip("much of the same: CI runs it without the race detector")
	}
	for _, o := range [][]parquet.WriterOption{{parquet.DataPageVersion(1)}, {parquet.Compression(&parquet.Snappy)}} {
		data := sample(t, o...)
		for i := range data {
			for _, x := range []byte{1, 0x80, 0xff, 0x0f, 0x10} {
				was := data[i]
				data[i] ^= x
				_ = readParquet(bytes.NewReader(data), int64(len(data)), func(r *Row) error { checkRow(t, r); return nil })
				data[i] = was
			}
		}
	}
}
