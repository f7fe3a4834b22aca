package gcs_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/faults"
)

// swap puts new in place of every old in an answer's body.
func swap(old, new string) faults.Action {
	return faults.Edit(func(a *faults.Answer) { a.Body = bytes.ReplaceAll(a.Body, []byte(old), []byte(new)) })
}

func set(name, value string) faults.Action {
	return faults.Edit(func(a *faults.Answer) {
		if a.Header.Set(name, value); value == "" {
			a.Header.Del(name)
		}
	})
}

// length tells a Content-Length that is n off. What lies behind a shorter one never
// reaches the client.
func length(n int) faults.Action {
	return faults.Edit(func(a *faults.Answer) {
		a.Header.Set("Content-Length", strconv.Itoa(len(a.Body)+n))
		a.Body = a.Body[:len(a.Body)+min(n, 0)]
	})
}

// again gives the answer to the n-th request (from 1) to all that follow, changed.
func again(n int, change func(fakegcs.Page) fakegcs.Page) faults.Action {
	seen := 0
	var kept fakegcs.Page
	return fakegcs.Reshape(func(p *fakegcs.Page) {
		if seen++; seen == n {
			kept = *p
		} else if seen > n {
			*p = change(kept)
		}
	})
}

// What a listing says that cannot be so ends it in an error. Pages hold two generations:
// a and one of k, two of k, and z.
func TestListingsThatLie(t *testing.T) {
	same := func(p fakegcs.Page) fakegcs.Page { return p }
	last := func(p fakegcs.Page) fakegcs.Page { p.NextPageToken = ""; return p }
	for name, c := range map[string]struct {
		do   faults.Action
		skip int // requests that are answered truly before
		says string
	}{
		"a name outside of the prefix":        {swap(`"d/k"`, `"e/k"`), 1, "outside the prefix"},
		"a name that was there before":        {swap(`"d/z"`, `"d/a"`), 2, "out of order"},
		"the page before, and no more":        {again(1, last), 0, "out of order"},
		"the generations before, and no more": {again(2, last), 0, "twice"},
		"the generations before, for ever":    {again(2, same), 0, "circle"},
		"an error with status 200":            {faults.Reply(200, "application/json", `{"error":{"code":503,"message":"Backend Error"}}`), 1, "storage#objects"},
		"another kind of listing":             {swap("storage#objects", "storage#buckets"), 1, "storage#objects"},
		"XML":                                 {faults.Reply(200, "application/xml", "<ListBucketResult/>"), 1, ""},
		"folders that nobody asked for":       {fakegcs.Reshape(func(p *fakegcs.Page) { p.Prefixes = []string{"d/x/"} }), 1, "folders"},
		"a generation that is none":           {swap(`"generation":"`, `"generation":"-`), 1, "a number that is none"},
		"a size that is none":                 {swap(`"size":"`, `"size":"x`), 1, "a number that is none"},
		"a time that is none":                 {swap(`"timeCreated":"2`, `"timeCreated":"x`), 1, "a time that is none"},
		"a name twice in one object":          {swap(`"name":"d/k"`, `"name":"d/k","name":"d/k"`), 1, "cannot be read"},
		"an end before the beginning":         {swap(`"timeDeleted":"2026`, `"timeDeleted":"2016`), 1, "before it was made"},
		"a length shorter than the body":      {length(-40), 1, "broke off"},
		"a length longer than the body":       {length(40), 1, "broke off"},
		"nothing, and something behind it":    {nothing(), 1, "hold nothing"},
		"more behind the end of the document": {faults.Edit(func(a *faults.Answer) { a.Body = append(a.Body, a.Body...) }), 1, "more follows"},
	} {
		t.Run(name, func(t *testing.T) {
			s, b := serve(t, fakegcs.Options{PageCap: 2})
			for i, k := range []string{"d/a", "d/k", "d/k", "d/k", "d/z"} {
				s.Plant(b.Name, fakegcs.Planted{Key: k, Created: at(i)})
			}
			s.Fail(fakegcs.Fault{Kind: "objects.list", Skip: c.skip, Times: -1, Do: c.do})
			var failed error
			n := 0
			for _, err := range b.Versions(t.Context(), bucket.Range{Prefix: "d/"}) {
				if failed = err; err == nil {
					n++
				}
			}
			if !errors.Is(failed, bucket.ErrBadAnswer) || !strings.Contains(failed.Error(), c.says) {
				t.Errorf("%d versions, %v; want an answer that is refused and %q", n, failed, c.says)
			}
		})
	}
}

// nothing gives empty pages, each of which says that more follows, and further on.
func nothing() faults.Action {
	n := 0
	return faults.Edit(func(a *faults.Answer) {
		n++
		a.Status, a.Body = 200, fmt.Appendf(nil, `{"kind":"storage#objects","nextPageToken":"%d"}`, n)
	})
}

// A read that is not of what was asked for is refused before its bytes are given out, or
// with their end.
func TestReadsThatLie(t *testing.T) {
	for name, c := range map[string]struct {
		do    faults.Action
		first int64
		says  string
	}{
		"another generation":             {set("X-Goog-Generation", "12"), 0, "another was asked for"},
		"no generation":                  {set("X-Goog-Generation", ""), 0, "no generation"},
		"a proxy's 404":                  {faults.Proxy(404), 0, "HTTP 404"},
		"a proxy's 403":                  {faults.Proxy(403), 0, "HTTP 403"},
		"an error with status 200":       {faults.Reply(200, "application/json", `{"error":{"code":503}}`), 0, "no generation"},
		"another size":                   {set("X-Goog-Stored-Content-Length", "12"), 0, "are stored"},
		"unpacked on the way":            {set("X-Goog-Stored-Content-Encoding", "gzip"), 0, "changed on the way"},
		"a checksum that is none":        {set("X-Goog-Hash", "md5=x"), 0, ""},
		"a length shorter than the body": {length(-3), 0, ""},
		"a length longer than the body":  {length(3), 0, ""},
		"a part where all was asked for": {set("Content-Range", "bytes 0-9/20"), 0, "a part of the object"},
		"another part":                   {set("Content-Range", "bytes 3-7/10"), 5, "not what was asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			s, b := serve(t, fakegcs.Options{})
			number := s.Put(b.Name, "k", []byte("0123456789"))
			s.Fail(fakegcs.Fault{Kind: "objects.media", Times: -1, Do: c.do})
			got, _, err := read(t, b, "k", fmt.Sprint(number), c.first)
			if !errors.Is(err, bucket.ErrBadAnswer) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q, %v; want an answer that is refused and %q", got, err, c.says)
			}
		})
	}
}
