package fakegcs

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A field selection never adds anything, and * takes nothing away.
func FuzzFields(f *testing.F) {
	for _, mask := range []string{"a", "a,b/c", "a(b(c),d),e/f(g)", "*", "a/*/b", "a(", ")", "a/b)", "a/b(c)/d", " a , b", "/", "a(b/c(d),e)"} {
		f.Add(mask)
	}
	const doc = `{"a":{"b":{"c":1,"d":"x"},"e":[{"f":1,"g":2}]},"e":[{"f":1}],"n":12345678901234567890}`
	var whole map[string]any
	if err := json.Unmarshal([]byte(doc), &whole); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, mask string) {
		out, err := partial([]byte(doc), mask)
		if err != nil {
			return
		}
		var got map[string]any
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%q gives %s: %v", mask, out, err)
		}
		if !within(got, whole) {
			t.Errorf("%q gives %s", mask, out)
		}
		if slices.Contains(strings.Split(mask, ","), "*") && len(got) != len(whole) && !strings.ContainsAny(mask, "()/") {
			t.Errorf("%q gives %s", mask, out)
		}
	})
}

func within(part, whole any) bool {
	switch p := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		for name, value := range p {
			ok = ok && within(value, w[name])
		}
		return ok
	case []any:
		w, ok := whole.([]any)
		ok = ok && len(w) == len(p)
		for i := range p {
			ok = ok && within(p[i], w[i])
		}
		return ok
	}
	return part == whole
}

// A range that is taken fits the body that came with it.
func FuzzContentRange(f *testing.F) {
	for _, header := range []string{"", "bytes 0-9/10", "bytes 0-9/*", "bytes */10", "bytes */*", "bytes 5-4/9", "bytes -1-0/2", "bytes 9223372036854775807-0/1", "0-1/2"} {
		f.Add(header, int64(10))
	}
	f.Fuzz(func(t *testing.T, header string, size int64) {
		size = max(size, -size)
		if size < 0 {
			return
		}
		first, total, status, ok := contentRange(header, size)
		switch {
		case !ok:
		case status && size != 0, first < 0, total < -1, !status && total >= 0 && first+size > total, !status && first+size < first:
			t.Errorf("%q with %d bytes: first %d of %d, status %v", header, size, first, total, status)
		}
	})
}

// A range of a read lies within the object.
func FuzzByteRange(f *testing.F) {
	for _, header := range []string{"bytes=0-2", "bytes=3-", "bytes=-2", "bytes=--2", "bytes=9223372036854775807-", "bytes=-9223372036854775807", "bytes=1-2,3-4"} {
		f.Add(header, int64(9))
	}
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 0 {
			return
		}
		first, last, ok := byteRange(header, size)
		if ok && first < size && first <= last && (first < 0 || last >= size) {
			t.Errorf("%q of %d bytes: %d to %d", header, size, first, last)
		}
	})
}

// No path or query ends the server.
func FuzzRequests(f *testing.F) {
	for _, r := range []string{"GET /storage/v1/b/b/o?pageToken=eyJuIjoiayJ9", "GET /storage/v1/b/b/o/k?alt=media", "GET /b/k?generation=1", "POST /storage/v1/b/b/o/k/rewriteTo/b/b/o/l",
		"POST /upload/storage/v1/b/b/o?uploadType=resumable", "DELETE /storage/v1/b/b/o/k?generation=x", "GET /storage/v1/b/b/o?prefix=k&delimiter=%00", "POST /storage/v1/b/b/o/k/restore?generation=1"} {
		f.Add(r, `{"name":"k"}`)
	}
	f.Fuzz(func(t *testing.T, line, body string) {
		method, target, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(target, "/") || strings.ContainsAny(target, " \r\n\t") || !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, method) {
			return
		}
		s := &Server{o: Options{Now: noonAlways, PageCap: maxPage, Project: "project"}, buckets: map[string]*bucket{}, uploads: map[string]*upload{}, moves: map[string]*move{}, deniedLists: map[string]bool{}}
		s.Start(s.Handler(), false)
		defer s.Close()
		s.CreateBucket("b", true)
		s.Put("b", "k", []byte("one"))
		s.Put("b", "k", []byte("two"))
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.RequestURI = target
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code < 200 || w.Code == 500 || w.Code > 503 {
			t.Errorf("%s: %d %s", line, w.Code, w.Body)
		}
		if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %s", line, w.Body)
		}
	})
}
