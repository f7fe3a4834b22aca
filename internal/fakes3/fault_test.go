package fakes3

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each action on a PUT of "k", once: what the client sees, what lies in the
// bucket then, and that the next request is met by nothing.
func TestFaultsOnWrites(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     Action
		status int // 0: no answer
		code   string
		lies   string
	}{
		{"Reset", Reset, 0, "", ""},
		{"Drop", Drop, 0, "", ""},
		{"DropAnswer", DropAnswer, 0, "", "new"},
		{"Applied(Reset)", Applied(Reset), 0, "", "new"},
		{"Conflict", Conflict, 409, "ConditionalRequestConflict", ""},
		{"PreconditionFailed", PreconditionFailed, 412, "PreconditionFailed", ""},
		{"NotModified", NotModified, 304, "", ""},
		{"AccessDenied", AccessDenied, 403, "AccessDenied", ""},
		{"NoSuchKey", NoSuchKey, 404, "NoSuchKey", ""},
		{"InternalError", InternalError, 500, "InternalError", ""},
		{"NotImplemented", NotImplemented, 501, "NotImplemented", ""},
		{"SlowDown", SlowDown, 503, "SlowDown", ""},
		{"Applied(SlowDown)", Applied(SlowDown), 503, "SlowDown", "new"},
		{"Applied(InternalError)", Applied(InternalError), 500, "InternalError", "new"},
		{"Error", Error(418, "Teapot", "short & stout"), 418, "Teapot", ""},
		{"Empty", Empty, 200, "", ""},
		{"Redirect", Redirect("eu-west-1"), 301, "PermanentRedirect", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{})
			armed := s.Fail(Fault{Kind: "PutObject", Do: c.do})
			r := call(t, s, "PUT", "/b/k", "new")
			switch {
			case c.status == 0:
				if r.err == nil {
					t.Fatalf("an answer: %d", r.status)
				}
				if isReset := errors.Is(r.err, syscall.ECONNRESET); isReset != strings.Contains(c.name, "Reset") {
					t.Errorf("reset: %v: %v", isReset, r.err)
				}
			case c.code != "":
				wantError(t, r, c.status, c.code)
			case r.err != nil || r.status != c.status || r.body != "":
				t.Errorf("got %d %q %v", r.status, r.body, r.err)
			}
			if c.name == "Redirect" {
				wantHeader(t, r, "X-Amz-Bucket-Region", "eu-west-1")
			}
			equal(t, "lies there", states(s, "b", "k"), c.lies)
			if got := s.Requests()[0].Status; got != c.status {
				t.Errorf("logged status %d, want %d", got, c.status)
			}
			if armed.Fired() != 1 {
				t.Errorf("fired %d times", armed.Fired())
			}
			must(t, s, 200, "PUT", "/b/k2", "new")
		})
	}
}

// Each action on the second page of a listing.
func TestFaultsOnListings(t *testing.T) {
	for _, c := range []struct {
		name string
		do   Action
		has  string
		not  string
	}{
		{"none", Wait(0), "<NextKeyMarker>c</NextKeyMarker>", ""},
		{"NoMarkers", NoMarkers, "<IsTruncated>true</IsTruncated>", "<Next"},
		{"SameMarkers", SameMarkers, "<NextKeyMarker>a</NextKeyMarker><NextVersionIdMarker>MARKER</NextVersionIdMarker>", "<IsTruncated>false"},
		{"NoTruncated", NoTruncated, "<Name>b</Name>", "IsTruncated"},
		{"WrongName", WrongName("other"), "<Name>other</Name>", "<Name>b</Name>"},
		{"PageSize", PageSize(1), "<NextKeyMarker>b</NextKeyMarker>", "<Key>c</Key>"},
		{"OutOfOrder", OutOfOrder, "<NextKeyMarker>c</NextKeyMarker>", ""},
		{"Reshape", Reshape(func(p *Page) { p.IsTruncated, p.NextKey = false, nil }), "<IsTruncated>false</IsTruncated>", "<NextKey"},
		{"HTML", HTML, "<!DOCTYPE html>", "ListVersionsResult"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{})
			for _, key := range []string{"a", "b", "c", "d"} {
				s.Put("b", key, nil)
			}
			s.Fail(Fault{Kind: "ListObjectVersions", Prefix: "", Skip: 1, Do: c.do})
			must(t, s, 200, "GET", "/b?versions&max-keys=1", "")
			id := s.Entries("b", "a")[0].ID
			r := must(t, s, 200, "GET", "/b?versions&max-keys=2&key-marker=a&version-id-marker="+id, "")
			if has := strings.ReplaceAll(c.has, "MARKER", id); !strings.Contains(r.body, has) {
				t.Errorf("no %s in %s", has, r.body)
			}
			if c.not != "" && strings.Contains(r.body, c.not) {
				t.Errorf("%s in %s", c.not, r.body)
			}
			if swapped := strings.Index(r.body, "<Key>b<") > strings.Index(r.body, "<Key>c<"); c.name == "OutOfOrder" && !swapped {
				t.Errorf("in order: %s", r.body)
			}
		})
	}
}

func TestCut(t *testing.T) {
	s := start(t, Options{})
	s.Put("b", "k", []byte("0123456789"))
	s.Fail(Fault{Do: Cut(3)})
	r := call(t, s, "GET", "/b/k", "")
	if r.status != 200 || r.body != "0123456" || !errors.Is(r.err, io.ErrUnexpectedEOF) {
		t.Errorf("got %d %q %v", r.status, r.body, r.err)
	}
	wantHeader(t, r, "Content-Length", "10")
	s.Fail(Fault{Do: Cut(1 << 20)})
	if r = call(t, s, "GET", "/b/k", ""); r.status != 200 || r.body != "" || r.err == nil {
		t.Errorf("got %d %q %v", r.status, r.body, r.err)
	}
}

// A delayed request is applied late, a delayed answer early; Close ends both.
func TestWait(t *testing.T) {
	for _, c := range []struct {
		do   Action
		want string // in the bucket while the client waits
	}{{Wait(time.Hour), ""}, {Applied(Wait(time.Hour)), "x"}} {
		s := start(t, Options{})
		reached := make(chan bool)
		at := Call(func(Request) { close(reached) })
		if c.want != "" {
			at = Applied(at)
		}
		s.Fail(Fault{Do: at})
		s.Fail(Fault{Do: c.do})
		done := make(chan reply)
		go func() { done <- call(t, s, "PUT", "/b/k", "x") }()
		<-reached
		equal(t, "meanwhile", states(s, "b", "k"), c.want)
		s.Close()
		if r := <-done; r.err == nil {
			t.Errorf("an answer after Close: %d", r.status)
		}
	}
	s := start(t, Options{})
	s.Fail(Fault{Do: Wait(30 * time.Millisecond)})
	began := time.Now()
	must(t, s, 200, "PUT", "/b/k", "x")
	if d := time.Since(began); d < 30*time.Millisecond {
		t.Errorf("answered after %v", d)
	}
}

func TestIgnoreCondition(t *testing.T) {
	s := start(t, Options{})
	s.Put("b", "k", []byte("one"))
	s.Fail(Fault{Kind: "PutObject", Do: IgnoreCondition})
	must(t, s, 200, "PUT", "/b/k", "two", "If-None-Match", "*")
	must(t, s, 412, "PUT", "/b/k", "three", "If-None-Match", "*")
	equal(t, "versions", states(s, "b", "k"), "two one")
}

// Which requests a fault meets.
func TestMatching(t *testing.T) {
	paths := []string{"PUT /b/x/1", "PUT /b/x/2", "GET /b/x/1", "PUT /u/x/1", "PUT /b/y", "GET /b?versions&prefix=x%2F", "PUT /b/x/1", "PUT /b/x/1"}
	for _, c := range []struct {
		name  string
		f     Fault
		fails string // one letter for each path: "x" met
	}{
		{"any, once", Fault{}, "x......."},
		{"all", Fault{Times: -1}, "xxxxxxxx"},
		{"kind", Fault{Kind: "GetObject", Times: -1}, "..x....."},
		{"bucket", Fault{Bucket: "u", Times: -1}, "...x...."},
		{"key", Fault{Key: "x/1", Times: -1}, "x.xx..xx"},
		{"prefix, of a listing too", Fault{Prefix: "x/", Times: -1}, "xxxx.xxx"},
		{"skip and times", Fault{Key: "x/1", Skip: 1, Times: 2}, "..xx...."},
		{"match", Fault{Match: func(r Request) bool { return r.Method == "GET" }, Times: -1}, "..x..x.."},
		{"all of them", Fault{Kind: "PutObject", Bucket: "b", Key: "x/1", Prefix: "x", Skip: 1}, "......x."},
	} {
		s := start(t, Options{})
		c.f.Do = Error(418, "Teapot", "")
		s.Fail(c.f)
		var got strings.Builder
		for _, p := range paths {
			method, path, _ := strings.Cut(p, " ")
			if call(t, s, method, path, "").status == 418 {
				got.WriteString("x")
			} else {
				got.WriteString(".")
			}
		}
		equal(t, c.name, got.String(), c.fails)
		s.Heal()
		if r := call(t, s, "PUT", "/b/x/1", ""); r.status != 200 {
			t.Errorf("%s: not healed", c.name)
		}
	}
}

// Two faults on one request, and the order in which they count.
func TestTwoFaults(t *testing.T) {
	s := start(t, Options{})
	s.Fail(Fault{Do: SlowDown})
	s.Fail(Fault{Do: AccessDenied})
	wantError(t, call(t, s, "PUT", "/b/k", ""), 503, "SlowDown")
	s.Fail(Fault{Do: Call(func(Request) { s.Put("b", "other", []byte("o")) })})
	s.Fail(Fault{Do: DropAnswer})
	if r := call(t, s, "PUT", "/b/k", "x"); r.err == nil {
		t.Error("an answer")
	}
	equal(t, "both", states(s, "b", "other")+states(s, "b", "k"), "ox")
}

// Hooks change the bucket between two pages, and see the request's fate.
func TestHooks(t *testing.T) {
	s := start(t, Options{})
	s.Put("b", "a", nil)
	s.Put("b", "c", nil)
	var seen []int
	s.Before(func(r Request) {
		seen = append(seen, r.Status)
		if strings.Contains(r.Query, "key-marker=a") {
			s.Put("b", "b", nil)
		}
	})
	s.After(func(r Request) { seen = append(seen, r.Status) })
	must(t, s, 200, "GET", "/b?versions&max-keys=1", "")
	r := must(t, s, 200, "GET", "/b?versions&key-marker=a", "")
	if !strings.Contains(r.body, "<Key>b</Key>") {
		t.Errorf("b is not there: %s", r.body)
	}
	must(t, s, 404, "GET", "/b/none", "")
	want := []int{0, 200, 0, 200, 0, 404}
	for i := range want {
		if len(seen) != len(want) || seen[i] != want[i] {
			t.Fatalf("seen %v, want %v", seen, want)
		}
	}
}
