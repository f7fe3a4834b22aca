package commit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

const someID = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

func seq(files ...File) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// The bytes are written down by hand, their hashes come from sha256sum.
var golden = []struct {
	header Header
	files  []File
	bytes  string
	id     string
}{
	{
		Header{Folder: "sales/2026", Number: 42, Parent: someID, Time: utc("2026-10-30T12:34:56.1234567Z"), Author: "ana <a&b>", Message: "Octo\"ber\\ \n\x01 \u2028 ü"},
		[]File{{"", "v0", "", 0}, {"eu/orders.parquet", "3sL4kqtJlcpXroDTDmJ", "9b2cf535f27731c974343645a3985328", 1048576}, {"ü", "null", "x-2", 7}},
		`{"format":"provcat/1","folder":"sales/2026","number":42,"parent":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","time":"2026-10-30T12:34:56.123456Z","author":"ana <a&b>","message":"Octo\"ber\\ \n\u0001 ` + "\u2028" + ` ü","files":[{"path":"","version":"v0","etag":"","size":0},{"path":"eu/orders.parquet","version":"3sL4kqtJlcpXroDTDmJ","etag":"9b2cf535f27731c974343645a3985328","size":1048576},{"path":"ü","version":"null","etag":"x-2","size":7}]}`,
		"421ed1ac45b608a4e69d06196bd6ba2c8f2290b7d07f631ddab9681e28e8b4d2",
	},
	{
		Header{Number: 1, Time: utc("2026-01-02T05:04:05+02:00")}, nil,
		`{"format":"provcat/1","folder":"","number":1,"parent":null,"time":"2026-01-02T03:04:05.000000Z","author":"","message":"","files":[]}`,
		"239c12775c0e2ebd858ea465e325e225341876b8ad6e4979c4759d0317fff31b",
	},
}

func TestEncodeGolden(t *testing.T) {
	for _, g := range golden {
		var out bytes.Buffer
		id, err := Encode(&out, g.header, seq(g.files...))
		if err != nil || id != g.id || out.String() != g.bytes {
			t.Errorf("got  %s\nwant %s\nid %s, want %s, %v", &out, g.bytes, id, g.id, err)
		}
		var files []File
		o, err := Decode(strings.NewReader(g.bytes), func(f File) error { files = append(files, f); return nil })
		h := g.header
		h.Time = h.Time.UTC().Truncate(time.Microsecond)
		if err != nil || o.Header != h || !slices.Equal(files, g.files) || o.ID != g.id || o.Bytes != int64(len(g.bytes)) || o.Files != int64(len(files)) {
			t.Errorf("decoded %+v %v, %v", o, files, err)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	ok := Header{Number: 1, Time: utc("2026-01-02T03:04:05Z")}
	with := func(f func(*Header)) Header { h := ok; f(&h); return h }
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		h     Header
		files iter.Seq2[File, error]
	}{
		"twice":        {ok, seq(File{"a", "1", "", 0}, File{"a", "2", "", 0})},
		"twice empty":  {ok, seq(File{"", "1", "", 0}, File{"", "2", "", 0})},
		"order":        {ok, seq(File{"b", "1", "", 0}, File{"a", "2", "", 0})},
		"no version":   {ok, seq(File{"a", "", "", 0})},
		"no size":      {ok, seq(File{"a", "1", "", -1})},
		"path":         {ok, seq(File{"\xff", "1", "", 0})},
		"version utf8": {ok, seq(File{"a", "\xff", "", 0})},
		"etag utf8":    {ok, seq(File{"a", "1", "\xff", 0})},
		"folder":       {with(func(h *Header) { h.Folder = "\xff" }), seq()},
		"author":       {with(func(h *Header) { h.Author = "\xff" }), seq()},
		"message":      {with(func(h *Header) { h.Message = "\xff" }), seq()},
		"long":         {with(func(h *Header) { h.Message = strings.Repeat("x", maxText+1) }), seq()},
		"number 0":     {with(func(h *Header) { h.Number = 0 }), seq()},
		"number":       {with(func(h *Header) { h.Number = MaxNumber + 1 }), seq()},
		"parent":       {with(func(h *Header) { h.Parent = "abc" }), seq()},
		"time":         {with(func(h *Header) { h.Time = time.Time{} }), seq()},
		"year":         {with(func(h *Header) { h.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }), seq()},
		"error":        {ok, func(yield func(File, error) bool) { yield(File{}, broken) }},
	} {
		if id, err := Encode(io.Discard, c.h, c.files); err == nil || id != "" {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDecodeTolerates(t *testing.T) {
	const folder, parent, when = `"folder":"f"`, `"parent":null`, `"time":"2026-10-30T12:34:56Z"`
	for name, c := range map[string]struct {
		in    string
		want  Header
		files []File
	}{
		"only what is needed": {`{` + folder + `,` + parent + `,` + when + `,"files":[{"path":"a","version":"1"}]}`,
			Header{Folder: "f", Time: utc("2026-10-30T12:34:56Z")}, []File{{"a", "1", "", -1}}},
		"files first, white space": {" {\n\"files\" : [ { \"version\" : \"1\" ,\t\"path\" : \"a\" } , {\"size\":2,\"path\":\"a\",\"version\":\"\",\"etag\":\"e\"}\r\n] , " + when + "," + parent + " ,\n" + folder + " }\n",
			Header{Folder: "f", Time: utc("2026-10-30T12:34:56Z")}, []File{{"a", "1", "", -1}, {"a", "", "e", 2}}},
		"unknown members": {`{"x":{"files":[1,{"path":"]"}]},` + folder + `,"y":[[]],` + parent + `,` + when + `,"files":[{"more":{"path":"no","a":["}\\\"",{}]},"path":"a\u002fb\"","n":null,"version":"\ud83d\ude00"}],"z":1e400}`,
			Header{Folder: "f", Time: utc("2026-10-30T12:34:56Z")}, []File{{`a/b"`, "😀", "", -1}}},
		"escaped names": {`{"\u0066older":"f",` + parent + `,` + when + `,"files":[{"p\u0061th":"a","version":"1"}]}`,
			Header{Folder: "f", Time: utc("2026-10-30T12:34:56Z")}, []File{{"a", "1", "", -1}}},
		"odd times and optional members": {`{"format":"provcat/1","number":7.0,"author":null,"message":["?"],` + folder + `,"parent":"` + someID + `","time":"0000-01-02T00:00:00.123456789123+23:59","files":[{"path":"a","version":"1","etag":null,"size":1e3},{"path":"b","version":"1","etag":5,"size":-3},{"path":"c","version":"1","size":"8"}]}`,
			Header{Folder: "f", Number: 7, Parent: someID, Time: utc("0000-01-02T00:00:00.123456789+23:59")}, []File{{"a", "1", "", 1000}, {"b", "1", "", -1}, {"c", "1", "", -1}}},
	} {
		var files []File
		o, err := Decode(iotest.OneByteReader(strings.NewReader(c.in)), func(f File) error { files = append(files, f); return nil })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !o.Time.Equal(c.want.Time) {
			t.Errorf("%s: time %v", name, o.Time)
		}
		_ = FormatTime(o.Time) // must not panic
		o.Time = c.want.Time
		sum := sha256.Sum256([]byte(c.in))
		if o.Header != c.want || !slices.Equal(files, c.files) || o.ID != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: got %+v %+v", name, o, files)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	const rest = `,"parent":null,"time":"2026-10-30T12:34:56Z","files":[]}`
	big := func(n int) string { return strings.Repeat("x", n) }
	for name, in := range map[string]string{
		"empty":             ``,
		"no object":         `[]`,
		"html":              `<html>`,
		"cut":               `{"folder":"f"`,
		"two":               `{"folder":"f"` + rest + `{}`,
		"trailing":          `{"folder":"f"` + rest + ` x`,
		"doubled":           `{"folder":"f","folder":"f"` + rest,
		"doubled, escaped":  `{"folder":"f","f\u006flder":"f"` + rest,
		"doubled file name": `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[{"path":"a","path":"b","version":"1"}]}`,
		"doubled unknown":   `{"folder":"f","x":{"a":1,"a":2}` + rest,
		"format":            `{"format":"provcat/2","folder":"f"` + rest,
		"format type":       `{"format":1,"folder":"f"` + rest,
		"no folder":         `{"a":1` + rest,
		"no parent":         `{"folder":"f","time":"2026-10-30T12:34:56Z","files":[]}`,
		"no time":           `{"folder":"f","parent":null,"files":[]}`,
		"no files":          `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z"}`,
		"folder type":       `{"folder":null` + rest,
		"parent short":      `{"folder":"f","parent":"ab","time":"2026-10-30T12:34:56Z","files":[]}`,
		"parent upper":      `{"folder":"f","parent":"` + strings.ToUpper(someID) + `","time":"2026-10-30T12:34:56Z","files":[]}`,
		"time":              `{"folder":"f","parent":null,"time":"yesterday","files":[]}`,
		"time type":         `{"folder":"f","parent":null,"time":5,"files":[]}`,
		"files type":        `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":{}}`,
		"file type":         `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":["a"]}`,
		"no path":           `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[{"version":"1"}]}`,
		"no version":        `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[{"path":"1"}]}`,
		"path type":         `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[{"path":1,"version":"1"}]}`,
		"version type":      `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[{"path":"1","version":null}]}`,
		"utf-8":             "{\"folder\":\"\xff\"" + rest,
		"lone surrogate":    `{"folder":"\ud800"` + rest,
		"long path":         `{"folder":"f","parent":null,"time":"2026-10-30T12:34:56Z","files":[{"path":"` + big(2*maxFile) + `","version":"1"}]}`,
		"long message":      `{"folder":"f","message":"` + big(maxHeader+1) + `"` + rest,
		"deep":              `{"folder":"f","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + rest,
		"many members":      `{` + manyMembers(maxMembers+1) + `"folder":"f"` + rest,
	} {
		o, err := Decode(strings.NewReader(in), nil)
		sum := sha256.Sum256([]byte(in))
		if !errors.Is(err, ErrFormat) || o.ID != hex.EncodeToString(sum[:]) || o.Bytes != int64(len(in)) {
			t.Errorf("%s: %v, %+v", name, err, o)
		}
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":0,`, i)
	}
	return b.String()
}

// What fails to be read is not a wrong format.
func TestDecodeReadError(t *testing.T) {
	broken := errors.New("connection reset")
	r := io.MultiReader(strings.NewReader(golden[0].bytes[:200]), iotest.ErrReader(broken))
	if o, err := Decode(r, nil); !errors.Is(err, broken) || errors.Is(err, ErrFormat) || o.ID != "" {
		t.Errorf("%v %+v", err, o)
	}
	stop := errors.New("enough")
	if o, err := Decode(strings.NewReader(golden[0].bytes), func(File) error { return stop }); !errors.Is(err, stop) || o.ID != "" {
		t.Errorf("%v %+v", err, o)
	}
}

// repeated yields text for n bytes.
type repeated struct {
	text string
	n    int64
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n <= 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.n)]
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	r.n -= int64(len(p))
	return len(p), nil
}

// 48 MB of each kind of hostile input must not be kept in memory.
func TestDecodeMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 250 MB")
	}
	const n = 48 << 20
	file := fmt.Sprintf(`{"path":"some/path","version":"%s","etag":"%s","size":12},`, someID[:32], someID[:32])
	for name, in := range map[string]io.Reader{
		"string":  io.MultiReader(strings.NewReader(`{"folder":"`), &repeated{text: "x", n: n}),
		"space":   &repeated{text: " ", n: n},
		"nesting": io.MultiReader(strings.NewReader(`{"folder":`), &repeated{text: "[", n: n}),
		"files":   io.MultiReader(strings.NewReader(`{"folder":"","files":[`), &repeated{text: file, n: n}),
		"numbers": io.MultiReader(strings.NewReader(`{"folder":[`), &repeated{text: "1,", n: n}),
		"names":   io.MultiReader(strings.NewReader(`{"folder":{`), strings.NewReader(manyMembers(500_000))),
	} {
		runtime.GC()
		var before, m runtime.MemStats
		runtime.ReadMemStats(&before)
		var peak uint64
		sample := sampler(func() {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		})
		_, err := Decode(io.TeeReader(in, sample), func(File) error { return nil })
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
		// Strings of the manyMembers reader itself count before.
		if used := int64(peak) - int64(before.HeapInuse); used > 32<<20 {
			t.Errorf("%s: %d MB of heap", name, used>>20)
		}
	}
}

// A sampler calls itself for each 4 MB written to it.
func sampler(f func()) io.Writer { return &samplerWriter{f: f} }

type samplerWriter struct {
	n int
	f func()
}

func (s *samplerWriter) Write(p []byte) (int, error) {
	if s.n += len(p); s.n > 4<<20 {
		s.n = 0
		s.f()
	}
	return len(p), nil
}

// An independent decoder is the judge of what our own accepts.
func FuzzDecode(f *testing.F) {
	for _, g := range golden {
		f.Add([]byte(g.bytes))
	}
	f.Add([]byte(`{"files":[{"x":[{"a":"\\\""}],"version":"1","path":"\u0061"} , {"path":"","version":"","size":1e2}],"folder":"f","parent":null,"time":"2026-10-30T12:34:56.5+01:00"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var files []File
		o, err := Decode(bytes.NewReader(in), func(f File) error { files = append(files, f); return nil })
		sum := sha256.Sum256(in)
		if o.ID != hex.EncodeToString(sum[:]) || o.Bytes != int64(len(in)) {
			t.Fatalf("ID %s of %d bytes", o.ID, o.Bytes)
		}
		o1, err1 := Decode(bytes.NewReader(in), nil)
		if (err == nil) != (err1 == nil) || o1 != o {
			t.Fatalf("with and without a visitor: %+v %v, %+v %v", o, err, o1, err1)
		}
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		_ = FormatTime(o.Time)
		var peer struct {
			Folder  *string
			Parent  *string
			Files   []map[string]any
			Author  any
			Message any
		}
		if err := json.Unmarshal(exact(in), &peer); err != nil {
			t.Skip() // the peer matches names without their case and knows fewer times
		}
		if peer.Folder == nil || *peer.Folder != o.Folder || len(peer.Files) != len(files) {
			t.Fatalf("folder %v, %q; %d files, %d", peer.Folder, o.Folder, len(peer.Files), len(files))
		}
		for i, p := range peer.Files {
			if p["path"] != files[i].Path || p["version"] != files[i].Version {
				t.Fatalf("file %d: %v, %+v", i, p, files[i])
			}
			if e, _ := p["etag"].(string); e != files[i].ETag {
				t.Fatalf("file %d: %v, %+v", i, p, files[i])
			}
			if n, ok := p["size"].(float64); files[i].Size >= 0 && files[i].Size < 1<<53 && (!ok || int64(n) != files[i].Size) {
				t.Fatalf("file %d: %v, %+v", i, p, files[i])
			}
		}
	})
}

// exact drops members whose names the peer would match though their case differs.
func exact(in []byte) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(in, &m) != nil {
		return nil
	}
	for k := range m {
		if l := strings.ToLower(k); k != l || !slices.Contains([]string{"folder", "parent", "files", "author", "message"}, l) {
			delete(m, k)
		}
	}
	out, _ := json.Marshal(m)
	return out
}

// bigObject is a commit object of n files.
func bigObject(n int) []byte {
	var out bytes.Buffer
	_, err := Encode(&out, Header{Folder: "f", Number: 1, Time: utc("2026-01-02T03:04:05Z")}, func(yield func(File, error) bool) {
		for i := range n {
			if !yield(File{fmt.Sprintf("year=2026/month=%02d/part-%08d.parquet", i*12/n, i), fmt.Sprintf("3sL4kqtJlcpXroDTDmJ%013d", i), fmt.Sprintf("%032x", i), int64(i)}, nil) {
				return
			}
		}
	})
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

func BenchmarkDecode(b *testing.B) {
	in := bigObject(100_000)
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			if _, err := Decode(bytes.NewReader(in), func(File) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			d := json.NewDecoder(io.TeeReader(bytes.NewReader(in), sha256.New()))
			for {
				tok, err := d.Token()
				if err != nil {
					b.Fatal(err)
				}
				if tok == json.Delim('[') {
					break
				}
			}
			for d.More() {
				var f struct {
					Path, Version, ETag string
					Size                int64
				}
				if err := d.Decode(&f); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
