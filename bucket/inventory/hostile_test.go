package inventory

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"provcat-tui/internal/race"
)

// all are the columns of the tests.
var all = []column{colBucket, colKey, colVersion, colLatest, colMarker, colSize, colModified, colETag, colClass}

const good = `"b","a%2Bb+c","v1","true","false","12","2026-12-01T00:00:00.000Z","e","STANDARD"` + "\n"

func linesOf(text string) (n int, err error) {
	err = readLines(strings.NewReader(text), all, func(*Row) error { n++; return nil })
	return n, err
}

func TestLinesThatAreNoRows(t *testing.T) {
	for text, says := range map[string]string{
		good + `"b","k"` + "\n":                             "row 2: it has 2 columns, and the manifest names 9",
		strings.TrimSuffix(good, "\n") + `,"more"`:          "row 1: it has 10 columns",
		strings.Replace(good, "12", "-1", 1):                "its size is -1, which no object has",
		strings.Replace(good, "12", "99999999999999999", 1): "which no object has",
		strings.Replace(good, "12", "1e3", 1):               `its size is "1e3", no number`,
		strings.Replace(good, "true", "yes", 1):             `it has "yes" where true or false should be`,
		strings.Replace(good, "a%2Bb+c", "%zz", 1):          "an escape that is none",
		strings.Replace(good, "a%2Bb+c", "%4", 1):           "an escape that is none",
		strings.Replace(good, "a%2Bb+c", "", 1):             "its key has 0 bytes",
		strings.Replace(good, `"v1"`, `"v1`, 1):             "a quote stands where none can",
		strings.Replace(good, `"v1"`, `v"1"`, 1):            "a quote stands where none can",
		good + `"` + strings.Repeat("x", maxLine+10):        "row 2: a line has more than 1048576 bytes",
	} {
		if n, err := linesOf(text); err == nil || !strings.Contains(err.Error(), says) || n > 1 {
			t.Errorf("%.80q: %d rows, %v; want %q", text, n, err, says)
		}
	}
	if n, err := linesOf(good + "\n" + strings.TrimSuffix(good, "\n")); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
}

// A line of any length, and a bomb, are read in the memory of one line.
func TestBombs(t *testing.T) {
	if race.On {
		t.Skip("much of the same: CI runs it without the race detector")
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	row := []byte(strings.Replace(good, "a%2Bb+c", strings.Repeat("a", 1000), 1))
	rows := bytes.Repeat(row, 1000)
	for range 500 { // 540 MB
		if _, err := z.Write(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := readCSV(bytes.NewReader(out.Bytes()), int64(out.Len()), all, func(*Row) error { n++; return nil })
	if !errors.Is(err, errBomb) || n*len(row) > unpackFree+out.Len()*maxRatio {
		t.Errorf("%d rows of a file with %d bytes, %v", n, out.Len(), err)
	}
	endless := io.MultiReader(strings.NewReader(`"b","`), zeros{})
	if err := readLines(endless, all, func(*Row) error { return nil }); !errors.Is(err, errTooLong) {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// A footer may promise anything.
func TestFootersThatPromiseTooMuch(t *testing.T) {
	file := func(footer []byte) []byte {
		out := append([]byte("PAR1"), footer...)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
		return append(out, "PAR1"...)
	}
	huge := binary.AppendUvarint(nil, math.MaxInt32)
	for name, data := range map[string][]byte{
		"empty":             nil,
		"only its name":     []byte("PAR1PAR1"),
		"a long footer":     append([]byte("PAR1\xff\xff\xff\xff"), "PAR1"...),
		"a list of 2^31":    file(append([]byte{0x29, 0xfc}, huge...)),                        // schema
		"2^31 groups":       file(append([]byte{0x49, 0xfc}, huge...)),                        // row groups
		"a map of 2^31":     file(append([]byte{0x1b}, append(huge, 0x88)...)),                // no field of it
		"depth without end": file(bytes.Repeat([]byte{0x1c}, 1<<20)),                          // structures in structures
		"lists in lists":    file(append([]byte{0x19}, bytes.Repeat([]byte{0x19}, 1<<20)...)), //
		"nothing":           file([]byte{0}),                                                  // no schema
		"cut off":           file([]byte{0x15}),                                               //
		"encrypted":         append([]byte("PAR1xxxxxxxx\x04\x00\x00\x00"), "PARE"...),        //
		"not Parquet":       []byte("this is a text that is no Parquet file at all"),          //
	} {
		err := readParquet(bytes.NewReader(data), int64(len(data)), func(*Row) error { t.Errorf("%s: a row", name); return nil })
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What encoding/csv reads from a line, ours does, or refuses it.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{good, `a,b`, `"a""b",c`, `"a`, `a"b`, `,,`, `"",""`, `"a"b,c`, ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") || line == "" {
			return
		}
		got, err := split([]byte(line), nil, 1000)
		r := csv.NewReader(strings.NewReader(line))
		r.FieldsPerRecord = -1
		want, wantErr := r.Read()
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, encoding/csv %v", line, err, wantErr)
		}
		if err != nil || len(want) > 1000 {
			return
		}
		var texts []string
		for _, g := range got {
			texts = append(texts, string(g))
		}
		if !slices.Equal(texts, want) {
			t.Fatalf("%q: %q, encoding/csv %q", line, texts, want)
		}
	})
}

// Any bytes as rows: an error, or rows within the limits.
func FuzzLines(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(good + good))
	f.Add([]byte(`"b","%00%ff","","true","true","","","",""`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = readLines(bytes.NewReader(data), all, func(r *Row) error {
			checkRow(t, r)
			return nil
		})
	})
}

func checkRow(t *testing.T, r *Row) {
	t.Helper()
	if len(r.Key) == 0 || len(r.Key) > maxKey || len(r.Version) == 0 || r.Size < 0 || r.Size > maxObject {
		t.Fatalf("%+v", r)
	}
	_ = r.Told()
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"sourceBucket":"b","version":"2016-11-30","creationTimestamp":"1514944800000","fileFormat":"CSV","fileSchema":"Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, ETag","files":[{"key":"data/x.csv.gz","size":1,"MD5checksum":"f11166069f1990abeb9c97ace9cdfabc"}]}`))
	f.Add([]byte(`{"sourceBucket":"b","version":"2016-11-30","creationTimestamp":"1","fileFormat":"Parquet","fileSchema":"message s3.inventory { required binary bucket (UTF8);"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseManifest(data)
		if err != nil {
			return
		}
		if r.Source == "" || r.Created.Year() < 2016 || len(r.Files) > maxFiles {
			t.Fatalf("%+v", r)
		}
		for _, x := range r.Files {
			if x.Size < 0 || x.Size > maxFileSize || len(x.MD5) != 32 || x.Key == "" {
				t.Fatalf("%+v", x)
			}
		}
	})
}
