package fakegcs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
)

// Each action on an insert of "k", once: what the client sees, what lies in the
// bucket then, and that the next request is met by nothing.
func TestFaultsOnWrites(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     Action
		status int // 0: no answer
		reason string
		lies   string
	}{
		{"Reset", Reset, 0, "", ""},
		{"Drop", Drop, 0, "", ""},
		{"DropAnswer", DropAnswer, 0, "", "new"},
		{"Applied(Reset)", Applied(Reset), 0, "", "new"},
		{"ConditionNotMet", ConditionNotMet, 412, "conditionNotMet", ""},
		{"NotModified", NotModified, 304, "", ""},
		{"Forbidden", Forbidden, 403, "forbidden", ""},
		{"NotFound", NotFound, 404, "notFound", ""},
		{"RequestTimeout", RequestTimeout, 408, "requestTimeout", ""},
		{"RateLimitExceeded", RateLimitExceeded, 429, "rateLimitExceeded", ""},
		{"InternalError", InternalError, 500, "internalError", ""},
		{"BackendError", BackendError, 503, "backendError", ""},
		{"Applied(BackendError)", Applied(BackendError), 503, "backendError", "new"},
		{"Error", Error(418, "teapot", "short & stout"), 418, "teapot", ""},
		{"Empty", Empty, 200, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{})
			armed := s.Fail(Fault{Kind: "objects.insert", Do: c.do})
			insert := func() reply {
				return call(t, s, "POST", "/upload/storage/v1/b/b/o?uploadType=media&name=k", "new")
			}
			r := insert()
			switch {
			case c.status == 0:
				if r.err == nil {
					t.Fatalf("an answer: %d", r.status)
				}
				if isReset := errors.Is(r.err, syscall.ECONNRESET); isReset != strings.Contains(c.name, "Reset") {
					t.Errorf("reset: %v: %v", isReset, r.err)
				}
			case c.reason != "":
				wantError(t, r, c.status, c.reason)
			case r.err != nil || r.status != c.status || r.body != "":
				t.Errorf("got %d %q %v", r.status, r.body, r.err)
			}
			equal(t, "lies there", states(s, "b", "k"), c.lies)
			if r := insert(); r.status != 200 || armed.Fired() != 1 {
				t.Errorf("the next: %d %s, fired %d", r.status, r.body, armed.Fired())
			}
		})
	}
}

func TestIgnoreCondition(t *testing.T) {
	s := start(t, Options{})
	put(t, s, 200, "b", "k", "one", "")
	s.Fail(Fault{Kind: "objects.insert", Do: IgnoreCondition})
	put(t, s, 200, "b", "k", "two", "&ifGenerationMatch=0")
	put(t, s, 412, "b", "k", "three", "&ifGenerationMatch=0")
	equal(t, "states", states(s, "b", ""), "(one) two")
}

// What faults make of a listing's second page, in the wire's words.
func TestFaultsOnListings(t *testing.T) {
	for _, c := range []struct {
		name string
		do   Action
		want string // of the fields kind, nextPageToken and names
	}{
		{"none", Call(func(Request) {}), "storage#objects TOKEN b b"},
		{"PageSize", PageSize(1), "storage#objects TOKEN b"},
		{"SameToken", SameToken, "storage#objects ASKED b b"},
		{"NoItems", NoItems, "storage#objects TOKEN"},
		{"NoKind", NoKind, " TOKEN b b"},
		{"EmptyObject", EmptyObject, " -"},
	} {
		s := fixture(t)
		s.Delete("b", "b")
		first := must(t, s, 200, "GET", "b/b/o?versions=true&maxResults=5", "")
		asked := first["nextPageToken"].(string)
		s.Fail(Fault{Kind: "objects.list", Bucket: "b", Do: c.do})
		page := must(t, s, 200, "GET", "b/b/o?versions=true&maxResults=2&pageToken="+asked, "")
		kind, _ := page["kind"].(string)
		next, _ := page["nextPageToken"].(string)
		switch next {
		case "":
			next = "-"
		case asked:
			next = "ASKED"
		default:
			next = "TOKEN"
		}
		got := kind + " " + next
		items, _ := page["items"].([]any)
		for _, i := range items {
			got += " " + i.(map[string]any)["name"].(string)
		}
		equal(t, c.name, got, c.want)
	}
	s := fixture(t)
	s.Fail(Fault{Do: OutOfOrder})
	equal(t, "OutOfOrder", rows(t, s, "versions=true&prefix=a/"), "a/x=3 a/x=4 a/y/z=5 a/=2")
	s.Fail(Fault{Do: HTML})
	if r := api(t, s, "GET", "b/b/o", ""); r.status != 200 || !strings.HasPrefix(r.body, "<!DOCTYPE html>") || r.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %s", r.status, r.body)
	}
	s.Fail(Fault{Do: Cut(10)})
	if r := api(t, s, "GET", "b/b/o", ""); r.err == nil || r.status != 200 {
		t.Errorf("a whole body: %d %v", r.status, r.err)
	}
}

// Google's client gets through a listing of which every page is refused once.
func TestGooglesClientAndFaultsOnListings(t *testing.T) {
	ctx := context.Background()
	s := fixture(t)
	for i, do := range []Action{Reset, RateLimitExceeded, InternalError, BackendError, Drop, RequestTimeout} {
		s.Fail(Fault{Kind: "objects.list", Skip: 2 * i, Do: do})
	}
	it := client(t, s).Bucket("b").Retryer(storage.WithBackoff(quick)).Objects(ctx, &storage.Query{Versions: true})
	it.PageInfo().MaxSize = 2
	n := 0
	for {
		_, err := it.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	equal(t, "listed", n, 8)
	var got []string
	for _, r := range s.Requests() {
		got = append(got, fmt.Sprint(r.Status))
	}
	equal(t, "statuses", strings.Join(got, " "), "0 200 429 200 500 200 503 200")
}
