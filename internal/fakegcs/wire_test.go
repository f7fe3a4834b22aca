package fakegcs

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// noon is every test server's clock: changes are 1 ms apart from it, the first at
// noon itself.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func noonAlways() time.Time { return noon }

// start is a server with the versioned bucket "b" and the unversioned "u".
func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.Now == nil {
		o.Now = noonAlways
	}
	s := New(o)
	t.Cleanup(s.Close)
	s.CreateBucket("b", true)
	s.CreateBucket("u", false)
	return s
}

type reply struct {
	status int
	header http.Header
	body   string
	err    error // of the exchange, or of reading the body
}

// call sends one request on a connection of its own. path goes out as it is, below
// the server's URL; headers are name, value, name, value. Nothing is unpacked.
func call(t *testing.T, s *Server, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, s.URL(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	path, query, _ := strings.Cut(path, "?")
	req.URL = &url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Opaque: "//" + req.URL.Host + path, RawQuery: query}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Close = true
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = res.Body.Close() }() // read to its end, or broken
	out, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(out), err}
}

// api is a call of the JSON API.
func api(t *testing.T, s *Server, method, path, body string, headers ...string) reply {
	t.Helper()
	return call(t, s, method, "/storage/v1/"+path, body, headers...)
}

// must is a call of the JSON API whose status is known; it gives the JSON.
func must(t *testing.T, s *Server, status int, method, path, body string, headers ...string) map[string]any {
	t.Helper()
	r := api(t, s, method, path, body, headers...)
	if r.err != nil {
		t.Fatalf("%s %s: %v", method, path, r.err)
	}
	if r.status != status {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, r.status, status, r.body)
	}
	out := map[string]any{}
	if r.body != "" {
		if err := json.Unmarshal([]byte(r.body), &out); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, r.body)
		}
	}
	return out
}

// put inserts an object with uploadType=media.
func put(t *testing.T, s *Server, status int, bucket, key, body, more string) map[string]any {
	t.Helper()
	r := call(t, s, "POST", "/upload/storage/v1/b/"+bucket+"/o?uploadType=media&name="+url.QueryEscape(key)+more, body, "Content-Type", "text/plain")
	if r.err != nil || r.status != status {
		t.Fatalf("insert %q: status %d, want %d: %s %v", key, r.status, status, r.body, r.err)
	}
	out := map[string]any{}
	if err := json.Unmarshal([]byte(r.body), &out); err != nil && status != 304 {
		t.Fatalf("insert %q: %v in %s", key, err, r.body)
	}
	return out
}

// wantError checks an error document: its status, its reason and, where given, a
// fragment of its message.
func wantError(t *testing.T, r reply, status int, reason string, fragments ...string) {
	t.Helper()
	var doc struct {
		Error struct {
			Code    int
			Message string
			Errors  []struct{ Domain, Reason, Message string }
		}
	}
	if err := json.Unmarshal([]byte(r.body), &doc); err != nil || r.err != nil || r.status != status || doc.Error.Code != status {
		t.Fatalf("got %d %q (%v), want %d %s", r.status, r.body, r.err, status, reason)
	}
	if len(doc.Error.Errors) != 1 || doc.Error.Errors[0].Reason != reason || doc.Error.Errors[0].Message != doc.Error.Message {
		t.Fatalf("got %s, want the reason %s", r.body, reason)
	}
	for _, f := range fragments {
		if !strings.Contains(doc.Error.Message, f) {
			t.Errorf("%q lacks %q", doc.Error.Message, f)
		}
	}
}

func wantHeader(t *testing.T, r reply, name, value string) {
	t.Helper()
	if got := r.header.Get(name); got != value {
		t.Errorf("%s: %q, want %q", name, got, value)
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// states are the live and noncurrent generations of names with a prefix, the
// oldest first: "body" of a live one, "(body)" of a noncurrent one.
func states(s *Server, bucket, prefix string) string {
	var out []string
	for _, e := range s.Entries(bucket, prefix) {
		if e.Live {
			out = append(out, string(e.Body))
		} else {
			out = append(out, "("+string(e.Body)+")")
		}
	}
	return strings.Join(out, " ")
}

// softStates are the bodies of the soft-deleted ones.
func softStates(s *Server, bucket, prefix string) string {
	var out []string
	for _, e := range s.SoftEntries(bucket, prefix) {
		out = append(out, string(e.Body))
	}
	return strings.Join(out, " ")
}

// line is the values with spaces between them.
func line(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }
