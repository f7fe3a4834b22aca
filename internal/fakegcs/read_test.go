package fakegcs

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/option"
)

// quick is a backoff that tests can wait for.
var quick = gax.Backoff{Initial: time.Millisecond, Max: 2 * time.Millisecond}

// The headers of both APIs' reads, by hand.
func TestReads(t *testing.T) {
	s := start(t, Options{})
	put(t, s, 200, "b", "a/k", "123456789", "")
	put(t, s, 200, "b", "a/k", "second", "")
	for _, path := range []string{"/b/a%2Fk?generation=1772625600000000", "/b/a/k?generation=1772625600000000"} {
		r := call(t, s, "GET", path, "")
		equal(t, "body", r.body, "123456789")
		for name, want := range map[string]string{"Content-Type": "text/plain", "Content-Length": "9", "Etag": `"25f9e794323b453885f5181f1b624d0b"`, "Last-Modified": "Wed, 04 Mar 2026 12:00:00 GMT",
			"X-Goog-Generation": "1772625600000000", "X-Goog-Metageneration": "1", "X-Goog-Storage-Class": "STANDARD", "X-Goog-Stored-Content-Encoding": "identity", "X-Goog-Stored-Content-Length": "9",
			"Accept-Ranges": "bytes", "Date": "Wed, 04 Mar 2026 12:00:00 GMT"} {
			wantHeader(t, r, name, want)
		}
		equal(t, "hashes", r.header["X-Goog-Hash"], "[crc32c=4waSgw== md5=JfnnlDI7RTiF9RgfG2JNCw==]")
	}
	head := call(t, s, "HEAD", "/b/a%2Fk", "")
	wantHeader(t, head, "Content-Length", "6")
	equal(t, "head", head.body, "")
	for _, base := range []string{"/storage/v1/", "/download/storage/v1/"} {
		r := call(t, s, "GET", base+"b/b/o/a%2Fk?alt=media&generation=1772625600000000", "")
		equal(t, "body", r.body, "123456789")
		wantHeader(t, r, "Etag", "CIDg1PmYhpMDEAE=")
		wantHeader(t, r, "X-Goog-Hash", "crc32c=4waSgw==,md5=JfnnlDI7RTiF9RgfG2JNCw==")
	}
	for _, c := range []struct {
		spec, body, answer string
		status             int
	}{
		{"bytes=0-2", "123", "bytes 0-2/9", 206}, {"bytes=3-", "456789", "bytes 3-8/9", 206}, {"bytes=-2", "89", "bytes 7-8/9", 206}, {"bytes=0-99", "123456789", "bytes 0-8/9", 206},
		{"bytes=-99", "123456789", "bytes 0-8/9", 206}, {"bytes=9-", "", "bytes */9", 416}, {"bytes=1-2,4-5", "123456789", "", 200}, {"lines=1-2", "123456789", "", 200},
	} {
		r := call(t, s, "GET", "/b/a%2Fk?generation=1772625600000000", "", "Range", c.spec)
		if r.status != c.status || r.status != 416 && r.body != c.body || r.header.Get("Content-Range") != c.answer {
			t.Errorf("%s: %d %q %q", c.spec, r.status, r.body, r.header.Get("Content-Range"))
		}
	}
	// Errors in each API's form.
	for path, want := range map[string]string{
		"/b/none":                                `<Error><Code>NoSuchKey</Code><Message>No such object: b/none</Message></Error>`,
		"/none/k":                                `<Error><Code>NoSuchBucket</Code>`,
		"/b/a%2Fk?generation=5":                  `<Error><Code>NoSuchKey</Code>`,
		"/storage/v1/b/b/o/%3Cnone%3E?alt=media": `No such object: b/<none>`,
		"/b/%3Cnone%3E":                          `<Message>No such object: b/&lt;none&gt;</Message>`,
	} {
		if r := call(t, s, "GET", path, ""); r.status != 404 || !bytes.Contains([]byte(r.body), []byte(want)) {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	// Conditions, in the headers and in parameters.
	for _, c := range []struct {
		name, value, parameter string
		status                 int
	}{
		{"X-Goog-If-Generation-Match", "1772625600000001", "ifGenerationMatch", 200}, {"X-Goog-If-Generation-Match", "1", "ifGenerationMatch", 412},
		{"X-Goog-If-Generation-Not-Match", "1772625600000001", "ifGenerationNotMatch", 304}, {"X-Goog-If-Metageneration-Match", "2", "ifMetagenerationMatch", 412},
		{"X-Goog-If-Metageneration-Not-Match", "1", "ifMetagenerationNotMatch", 304}, {"X-Goog-If-Metageneration-Match", "1", "ifMetagenerationMatch", 200},
	} {
		live := s.Entries("b", "")[1].Generation
		value := c.value
		if value == "1772625600000001" {
			value = fmt.Sprint(live)
		}
		if r := call(t, s, "GET", "/b/a%2Fk", "", c.name, value); r.status != c.status {
			t.Errorf("%s: %s: %d %s", c.name, value, r.status, r.body)
		}
		for _, alt := range []string{"", "&alt=media"} {
			if r := api(t, s, "GET", "b/b/o/a%2Fk?"+c.parameter+"="+value+alt, ""); r.status != c.status || c.status == 304 && r.body != "" {
				t.Errorf("%s=%s%s: %d %s", c.parameter, value, alt, r.status, r.body)
			}
		}
	}
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Objects with Content-Encoding: gzip ("Transcoding of gzip-compressed files").
func TestTranscoding(t *testing.T) {
	s := start(t, Options{})
	raw := zipped(t, "plain text")
	s.Plant("b", Planted{Key: "k", Body: raw, ContentEncoding: "gzip", ContentType: "text/plain"},
		Planted{Key: "kept", Body: raw, ContentEncoding: "gzip", CacheControl: "private, no-transform"},
		Planted{Key: "lie", Body: []byte("no gzip"), ContentEncoding: "gzip"},
		Planted{Key: "br", Body: []byte("x"), ContentEncoding: "br"})
	for _, c := range []struct {
		key, accept, spec string
		status            int
		body, encoding    string
		length            bool
	}{
		{"k", "", "", 200, "plain text", "", false},
		{"k", "identity", "", 200, "plain text", "", false},
		{"k", "", "bytes=0-3", 200, "plain text", "", false}, // the range is ignored
		{"k", "gzip", "", 200, string(raw), "gzip", true},
		{"k", "deflate, gzip;q=0.5", "", 200, string(raw), "gzip", true},
		{"k", "gzip", "bytes=0-3", 206, string(raw[:4]), "gzip", true},
		{"kept", "", "", 200, string(raw), "gzip", true},
		{"lie", "", "", 200, "no gzip", "", true},
		{"br", "", "", 200, "x", "br", true},
	} {
		for _, path := range []string{"/b/" + c.key, "/storage/v1/b/b/o/" + c.key + "?alt=media"} {
			var headers []string
			if c.accept != "" {
				headers = append(headers, "Accept-Encoding", c.accept)
			}
			if c.spec != "" {
				headers = append(headers, "Range", c.spec)
			}
			r := call(t, s, "GET", path, "", headers...)
			if r.status != c.status || r.body != c.body || r.header.Get("Content-Encoding") != c.encoding || (r.header.Get("Content-Length") != "") != c.length {
				t.Errorf("%s %q %q: %d %q %v", path, c.accept, c.spec, r.status, r.body, r.header)
			}
			if stored := r.header.Get("X-Goog-Stored-Content-Encoding"); stored == "identity" {
				t.Errorf("%s: stored as %s", path, stored)
			}
		}
	}
	// Google's client: its checksum test of what it reads raw, which it can in the XML
	// API alone, and what it reads plain.
	ctx := context.Background()
	if body, err := read(ctx, client(t, s).Bucket("b").Object("k").ReadCompressed(true)); err != nil || body != string(raw) {
		t.Errorf("raw: %q %v", body, err)
	}
	for name, more := range map[string][]option.ClientOption{"XML": nil, "JSON": {storage.WithJSONReads()}} {
		if body, err := read(ctx, client(t, s, more...).Bucket("b").Object("k")); err != nil || body != "plain text" {
			t.Errorf("%s, plain: %q %v", name, body, err)
		}
	}
}

// Google's client reads on behind what it has after a broken body, refuses bytes
// that don't fit their checksum, and asks for ranges as the server takes them.
func TestGooglesClientReads(t *testing.T) {
	ctx := context.Background()
	for name, more := range map[string][]option.ClientOption{"XML": nil, "JSON": {storage.WithJSONReads()}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Options{})
			body := unit(1)
			number := s.Put("b", "k", []byte(body))
			o := client(t, s, more...).Bucket("b").Object("k").Retryer(storage.WithBackoff(quick))
			s.Fail(Fault{Kind: "objects.media", Do: Cut(1000)})
			s.Fail(Fault{Kind: "objects.media", Do: BackendError, Skip: 1})
			if got, err := read(ctx, o); err != nil || got != body {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			var ranges []string
			for _, r := range s.Requests() {
				ranges = append(ranges, r.Header.Get("Range"))
			}
			equal(t, "ranges", ranges, "[ bytes=261145- bytes=261145-]")
			if s.Requests()[1].Query != fmt.Sprint("generation=", number) && name == "XML" {
				t.Errorf("reads on with %s", s.Requests()[1].Query)
			}
			for _, c := range []struct {
				offset, length int64
				want           string
			}{{0, 3, "xxx"}, {262143, 5, "xy"}, {-2, -1, "xy"}, {262144, -1, "y"}, {0, 0, ""}} {
				r, err := o.NewRangeReader(ctx, c.offset, c.length)
				if err != nil {
					t.Errorf("%d+%d: %v", c.offset, c.length, err)
					continue
				}
				got, err := io.ReadAll(r)
				if string(got) != c.want || err != nil || r.Attrs.Size != 262145 || r.Attrs.Generation != number {
					t.Errorf("%d+%d: %q %v %+v", c.offset, c.length, got, err, r.Attrs)
				}
				_ = r.Close() // it has been read
			}
			if _, err := o.NewRangeReader(ctx, 262145, -1); status(err) != 416 {
				t.Errorf("behind the end: %v", err)
			}
			s.Plant("b", Planted{Key: "k", Body: []byte("x"), Size: 5})
			if _, err := read(ctx, o.Retryer(storage.WithPolicy(storage.RetryNever))); status(err) != 500 {
				t.Errorf("a size that is no body's: %v", err)
			}
			s.Delete("b", "k")
			if _, err := read(ctx, o); !errors.Is(err, storage.ErrObjectNotExist) {
				t.Errorf("deleted: %v", err)
			}
		})
	}
}
