package fakes3

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// noon is every test server's clock.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 999e6, time.UTC)

// start is a server with the versioned bucket "b" and the unversioned "u".
func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
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

// call sends one request on a connection of its own. path goes out as it is;
// headers are name, value, name, value.
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
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = res.Body.Close() }() // read to its end, or broken
	out, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(out), err}
}

// must is a call whose status is known.
func must(t *testing.T, s *Server, status int, method, path, body string, headers ...string) reply {
	t.Helper()
	r := call(t, s, method, path, body, headers...)
	if r.err != nil {
		t.Fatalf("%s %s: %v", method, path, r.err)
	}
	if r.status != status {
		t.Fatalf("%s %s: status %d, want %d: %s", method, path, r.status, status, r.body)
	}
	return r
}

// wantError checks an error answer's code and, where given, a fragment of it.
func wantError(t *testing.T, r reply, status int, code string, fragments ...string) {
	t.Helper()
	if r.err != nil || r.status != status || !strings.Contains(r.body, "<Code>"+code+"</Code>") {
		t.Fatalf("got %d %q (%v), want %d %s", r.status, r.body, r.err, status, code)
	}
	for _, f := range fragments {
		if !strings.Contains(r.body, f) {
			t.Errorf("%s lacks %s", r.body, f)
		}
	}
}

func wantHeader(t *testing.T, r reply, name, value string) {
	t.Helper()
	if got := r.header.Get(name); got != value {
		t.Errorf("%s: %q, want %q", name, got, value)
	}
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
