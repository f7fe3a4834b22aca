package fakegcs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/storage"
)

const related = "multipart/related; boundary=xx"

func parts(meta, kind, body string) string {
	return "--xx\r\nContent-Type: application/json\r\n\r\n" + meta + "\r\n--xx\r\nContent-Type: " + kind + "\r\n\r\n" + body + "\r\n--xx--\r\n"
}

func TestMultipartUpload(t *testing.T) {
	s := start(t, Options{})
	send := func(query, body, kind string) reply {
		return call(t, s, "POST", "/upload/storage/v1/b/b/o?uploadType=multipart"+query, body, "Content-Type", kind)
	}
	r := send("", parts(`{"name":"k","metadata":{"a":"b"},"cacheControl":"no-store","crc32c":"4waSgw==","md5Hash":"JfnnlDI7RTiF9RgfG2JNCw==","customTime":"2026-01-02T03:04:05Z","storageClass":"COLDLINE","temporaryHold":true}`, "text/x", "123456789"), related)
	if r.status != 200 {
		t.Fatal(r)
	}
	equal(t, "resource", api(t, s, "GET", "b/b/o/k?fields=contentType,metadata,cacheControl,customTime,storageClass,temporaryHold,size", "").body,
		`{"cacheControl":"no-store","contentType":"text/x","customTime":"2026-01-02T03:04:05.000Z","metadata":{"a":"b"},"size":"9","storageClass":"COLDLINE","temporaryHold":true}`)
	// The name of the parameter comes first, the type of the resource.
	if r := send("&name=l", parts(`{"name":"other","contentType":"text/y"}`, "text/x", "\r\n--x\r\n"), related); r.status != 200 {
		t.Fatal(r)
	}
	equal(t, "by parameter", must(t, s, 200, "GET", "b/b/o/l", "")["contentType"], "text/y")
	equal(t, "bytes like a boundary", states(s, "b", "l"), "\r\n--x\r\n")
	for name, c := range map[string]struct{ query, body, kind, reason, fragment string }{
		"wrong crc32c":    {"", parts(`{"name":"k2","crc32c":"AAAAAA=="}`, "", "1"), related, "invalid", `Provided CRC32C "AAAAAA==" doesn't match calculated CRC32C "kPWZ4w==".`},
		"wrong MD5":       {"", parts(`{"name":"k2","md5Hash":"JfnnlDI7RTiF9RgfG2JNCw=="}`, "", "1"), related, "invalid", "MD5"},
		"no name":         {"", parts(`{}`, "", "1"), related, "required", ""},
		"no JSON":         {"&name=x", parts(`{`, "", "1"), related, "badRequest", ""},
		"no end":          {"&name=x", parts(`{}`, "", "1")[:60], related, "badRequest", ""},
		"one part":        {"&name=x", "--xx\r\n\r\n{}\r\n--xx--\r\n", related, "badRequest", ""},
		"no multipart":    {"&name=x", "x", "text/plain", "badRequest", ""},
		"a newline":       {"&name=a%0Ab", parts(`{}`, "", "1"), related, "invalid", ""},
		"two dots":        {"&name=..", parts(`{}`, "", "1"), related, "invalid", ""},
		"a name too long": {"&name=" + strings.Repeat("k", 1025), parts(`{}`, "", "1"), related, "invalid", "1024"},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, send(c.query, c.body, c.kind), 400, c.reason, c.fragment) })
	}
	wantError(t, call(t, s, "POST", "/upload/storage/v1/b/b/o?uploadType=none&name=k2", "x"), 400, "invalid", "none")
	wantError(t, call(t, s, "POST", "/upload/storage/v1/b/b/o?name=k2", "x"), 400, "invalid")
	if len(s.Entries("b", "")) != 2 {
		t.Errorf("also written: %v", states(s, "b", ""))
	}
}

// unit is a body of so many units of 256 KiB and one byte.
func unit(n int) string { return strings.Repeat("x", n*chunkUnit) + "y" }

// session starts a resumable upload and gives its path.
func session(t *testing.T, s *Server, query, meta string) string {
	t.Helper()
	r := call(t, s, "POST", "/upload/storage/v1/b/b/o?uploadType=resumable"+query, meta, "X-Upload-Content-Type", "text/x")
	if r.status != 200 || r.body != "" {
		t.Fatal(r.status, r.body, r.err)
	}
	path, ok := strings.CutPrefix(r.header.Get("Location"), s.URL())
	if !ok {
		t.Fatalf("Location %q", r.header.Get("Location"))
	}
	return path
}

func TestResumableUpload(t *testing.T) {
	s := start(t, Options{})
	path := session(t, s, "&name=a%2Fk", `{"metadata":{"a":"b"}}`)
	body := unit(2)
	status := func(want int, have string) {
		t.Helper()
		r := call(t, s, "PUT", path, "", "Content-Range", "bytes */*")
		if r.status != want || r.header.Get("Range") != have {
			t.Fatalf("status %d, Range %q, want %d %q: %s", r.status, r.header.Get("Range"), want, have, r.body)
		}
	}
	status(308, "")
	wantError(t, call(t, s, "PUT", path, "short", "Content-Range", "bytes 0-4/*"), 400, "badRequest", "262144")
	status(308, "")
	r := call(t, s, "PUT", path, body[:chunkUnit], "Content-Range", "bytes 0-262143/*")
	if r.status != 308 || r.header.Get("Range") != "bytes=0-262143" {
		t.Fatal(r.status, r.header)
	}
	wantError(t, call(t, s, "PUT", path, "y", "Content-Range", "bytes 524288-524288/524289"), 503, "backendError", "exceeds already uploaded size of 262144")
	// The same chunk again, and what goes on behind it, with a header in the place of 308.
	r = call(t, s, "POST", path, body[:2*chunkUnit], "Content-Range", "bytes 0-524287/*", "X-GUploader-No-308", "yes")
	if r.status != 200 || r.header.Get("X-Http-Status-Code-Override") != "308" || r.header.Get("Range") != "bytes=0-524287" {
		t.Fatal(r.status, r.header)
	}
	status(308, "bytes=0-524287")
	equal(t, "not there yet", states(s, "b", ""), "")
	for range 2 { // the second time asks for a lost answer
		r = call(t, s, "PUT", path, "y", "Content-Range", "bytes 524288-524288/524289")
		if r.status != 200 || !strings.Contains(r.body, `"name":"a/k"`) || !strings.Contains(r.body, `"size":"524289"`) || !strings.Contains(r.body, `"contentType":"text/x"`) {
			t.Fatal(r.status, r.body)
		}
	}
	status(200, "")
	if e := s.Entries("b", ""); len(e) != 1 || string(e[0].Body) != body {
		t.Errorf("%d generations", len(e))
	}
	for _, bad := range []string{"bytes 0-1/1", "bytes 5-4/9", "0-0/1", "bytes */*", "bytes x-y/z", "bytes 0-0/0"} {
		p := session(t, s, "&name=bad", "")
		wantError(t, call(t, s, "PUT", p, "1", "Content-Range", bad), 400, "badRequest")
	}
	p := session(t, s, "", `{"name":"cancelled"}`)
	if r := call(t, s, "DELETE", p, ""); r.status != 499 {
		t.Errorf("cancel: %d", r.status)
	}
	wantError(t, call(t, s, "PUT", p, "1"), 404, "notFound")
	p = session(t, s, "&name=sum", "")
	wantError(t, call(t, s, "PUT", p, "1", "Content-Range", "bytes 0-0/1", "X-Goog-Hash", "crc32c=AAAAAA=="), 400, "invalid", "CRC32C")
	p = session(t, s, "&name=whole", "")
	if r := call(t, s, "PUT", p, "123456789", "X-Goog-Hash", "crc32c=4waSgw==,md5=x"); r.status != 200 {
		t.Errorf("in one piece without a range: %d %s", r.status, r.body)
	}
	p = session(t, s, "&name=nothing", "")
	if r := call(t, s, "PUT", p, "", "Content-Range", "bytes */0"); r.status != 200 {
		t.Errorf("empty: %d %s", r.status, r.body)
	}
	equal(t, "empty", states(s, "b", "nothing"), "")
	equal(t, "kinds", fmt.Sprint(s.Count("resumable.cancel"), s.Count("resumable.start") > 0, s.Count("resumable.chunk") > 0), "1 true true")
}

// The condition of a resumable upload holds at its start and at its end.
func TestResumableUploadAndAnotherWriter(t *testing.T) {
	s := start(t, Options{})
	first, second := session(t, s, "&name=k&ifGenerationMatch=0", ""), session(t, s, "&name=k&ifGenerationMatch=0", "")
	if r := call(t, s, "PUT", second, "second"); r.status != 200 {
		t.Fatal(r)
	}
	wantError(t, call(t, s, "PUT", first, "first"), 412, "conditionNotMet")
	wantError(t, call(t, s, "POST", "/upload/storage/v1/b/b/o?uploadType=resumable&name=k&ifGenerationMatch=0", ""), 412, "conditionNotMet")
	equal(t, "states", states(s, "b", ""), "second")
}

// Google's client: small ones in one request, large ones in chunks, and what it does
// when an answer is lost. It doesn't try again after a connection that was closed in
// good order, only after a reset.
func TestGooglesClientUploads(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, body string
		fault      Fault
		fails      int // the status of the error in the end; 0: none
		kinds      string
	}{
		{"small", "small", Fault{Do: DropAnswer, Kind: "no such"}, 0, "objects.insert:200"},
		{"large", unit(2), Fault{Do: DropAnswer, Kind: "no such"}, 0, "resumable.start:200 resumable.chunk:200 resumable.chunk:200 resumable.chunk:200"},
		{"small, refused once", "small", Fault{Kind: "objects.insert", Do: BackendError}, 0, "objects.insert:503 objects.insert:200"},
		{"small, answer reset", "small", Fault{Kind: "objects.insert", Do: Applied(Reset)}, 412, "objects.insert:0 objects.insert:412"},
		{"small, written and 503", "small", Fault{Kind: "objects.insert", Do: Applied(BackendError)}, 412, "objects.insert:503 objects.insert:412"},
		{"large, start lost", unit(1), Fault{Kind: "resumable.start", Do: Applied(Reset)}, 0, "resumable.start:0 resumable.start:200 resumable.chunk:200 resumable.chunk:200"},
		{"large, chunk refused", unit(1), Fault{Kind: "resumable.chunk", Do: BackendError}, 0, "resumable.start:200 resumable.chunk:503 resumable.chunk:200 resumable.chunk:200"},
		{"large, chunk's answer lost", unit(1), Fault{Kind: "resumable.chunk", Do: Applied(Reset)}, 0, "resumable.start:200 resumable.chunk:0 resumable.chunk:200 resumable.chunk:200"},
		{"large, last answer lost", unit(1), Fault{Kind: "resumable.chunk", Skip: 1, Do: Applied(Reset)}, 0, "resumable.start:200 resumable.chunk:200 resumable.chunk:0 resumable.chunk:200"},
		{"forbidden", "small", Fault{Kind: "objects.insert", Do: Forbidden}, 403, "objects.insert:403"},
		{"429", "small", Fault{Kind: "objects.insert", Do: RateLimitExceeded}, 0, "objects.insert:429 objects.insert:200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{})
			s.Fail(c.fault)
			o := client(t, s).Bucket("b").Object("k").If(storage.Conditions{DoesNotExist: true}).Retryer(storage.WithBackoff(quick))
			attrs, err := write(ctx, o, c.body)
			if status(err) != c.fails || (err == nil) != (c.fails == 0) {
				t.Errorf("error %v, want status %d", err, c.fails)
			}
			if err == nil && attrs.Size != int64(len(c.body)) {
				t.Errorf("wrote %+v", attrs)
			}
			var kinds []string
			for _, r := range s.Requests() {
				kinds = append(kinds, fmt.Sprint(r.Kind, ":", r.Status))
			}
			equal(t, "requests", strings.Join(kinds, " "), c.kinds)
			if e := s.Entries("b", ""); c.fails != 403 && (len(e) != 1 || string(e[0].Body) != c.body) {
				t.Errorf("there are %d generations", len(e))
			}
		})
	}
}
