package inventory

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode"

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

// A damaged Parquet file, of each kind that a writer makes: an error, or rows within the
// limits. What is fuzzed is the damage, six bytes for each place (where, and what is laid
// over two bytes there), and how much is cut off the end: of whole files the fuzzer would
// spend its time on making each find smaller.
func FuzzParquet(f *testing.F) {
	var samples [][]byte
	for i, o := range [][]parquet.WriterOption{nil, {parquet.DataPageVersion(1)}, {parquet.Compression(&parquet.Snappy)}, {parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)}} {
		data := sample(f, o...)
		n := 0
		if err := readParquet(bytes.NewReader(data), int64(len(data)), func(*Row) error { n++; return nil }); err != nil || n != 2 {
			f.Fatalf("the sample has %d rows, %v", n, err)
		}
		samples = append(samples, data)
		f.Add(uint8(i), []byte{4, 0, 0, 0, 1, 0}, uint16(0))
		f.Add(uint8(i), []byte{0xf8, 0xff, 0xff, 0xff, 1, 0, 100, 0, 0, 0, 0, 0x80}, uint16(i))
	}
	f.Fuzz(func(t *testing.T, which uint8, damage []byte, less uint16) {
		data := bytes.Clone(samples[int(which)%len(samples)])
		for ; len(damage) >= 6; damage = damage[6:] {
			at := int(binary.LittleEndian.Uint32(damage)) % len(data)
			data[at] ^= damage[4]
			data[(at+1)%len(data)] ^= damage[5]
		}
		data = data[:len(data)-int(less)%len(data)]
		n := 0
		err := readParquet(bytes.NewReader(data), int64(len(data)), func(r *Row) error {
			checkRow(t, r)
			if n++; n > 10_000 {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) && len(data) < 10_000 {
			t.Fatalf("more rows than the %d bytes", len(data))
		}
		if err != nil && (err.Error() == "" || strings.ContainsFunc(err.Error(), unicode.IsControl)) {
			t.Fatalf("%q", err)
		}
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
