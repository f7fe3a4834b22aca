package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
	"provcat-tui/internal/faults"
)

// swap puts new in place of the n-th old (from 0) in an answer's body; n below 0: of all.
func swap(old, new string, n int) faults.Action {
	return faults.Edit(func(a *faults.Answer) {
		if n < 0 {
			a.Body = bytes.ReplaceAll(a.Body, []byte(old), []byte(new))
			return
		}
		parts := strings.SplitN(string(a.Body), old, n+2)
		if len(parts) == n+2 {
			a.Body = []byte(strings.Join(parts[:n+1], old) + new + parts[n+1])
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
func again(n int, old, new string) faults.Action {
	seen := 0
	var kept []byte
	return faults.Edit(func(a *faults.Answer) {
		if seen++; seen == n {
			kept = bytes.Clone(a.Body)
		} else if seen > n {
			a.Body = bytes.ReplaceAll(kept, []byte(old), []byte(new))
		}
	})
}

// What a listing says that cannot be so ends it in an error. Pages hold two versions: a and the latest k, two of k, and z.
func TestListingsThatLie(t *testing.T) {
	const end, more = "<IsTruncated>false<", "<IsTruncated>true<"
	for name, c := range map[string]struct {
		do   faults.Action
		skip int // requests that are answered truly before
		kind error
		says string
	}{
		"of another prefix":                {swap("<Prefix>d/<", "<Prefix>e/<", 0), 1, bucket.ErrBadAnswer, "another prefix"},
		"of no prefix":                     {swap("<Prefix>d/<", "<Prefix><", 0), 1, bucket.ErrBadAnswer, "another prefix"},
		"a key outside of the prefix":      {swap("<Key>d/k<", "<Key>e/k<", 0), 1, bucket.ErrBadAnswer, "outside the prefix"},
		"a key that was there before":      {swap("<Key>d/z<", "<Key>d/a<", 0), 2, bucket.ErrBadAnswer, "out of order"},
		"the page before, and no more":     {again(1, more, end), 0, bucket.ErrBadAnswer, "out of order"},
		"the versions before, and no more": {again(2, more, end), 0, bucket.ErrBadAnswer, "goes back"},
		"the versions before, for ever":    {again(2, "", ""), 0, bucket.ErrBadAnswer, "goes back"},
		"the latest after an older one":    {swap("<IsLatest>false<", "<IsLatest>true<", 1), 1, bucket.ErrBadAnswer, "after an older one"},
		"an error with status 200":         {faults.Reply(200, "application/xml", "<?xml version=\"1.0\"?><Error><Code>InternalError</Code></Error>"), 1, nil, "a fault of its own"},
		"an error after white space":       {faults.Reply(200, "application/xml", "  \n<Error><Code>SlowDown</Code></Error>"), 1, bucket.ErrSlowDown, "fewer requests"},
		"another kind of listing":          {swap("ListVersionsResult", "ListBucketResult", -1), 1, bucket.ErrBadAnswer, "not a version listing"},
		"JSON":                             {faults.Reply(200, "application/json", `{"kind":"storage#objects"}`), 1, bucket.ErrBadAnswer, "no XML"},
		"folders that nobody asked for":    {swap("</ListVersionsResult>", "<CommonPrefixes><Prefix>d/x/</Prefix></CommonPrefixes></ListVersionsResult>", 0), 1, bucket.ErrBadAnswer, "folders"},
		"an entry within another element":  {swap("<Version>", "<Wrapper><Version>", 0), 1, bucket.ErrBadAnswer, ""},
		"a size that is none":              {swap("<Size>1<", "<Size>-1<", 0), 1, bucket.ErrBadAnswer, "not a size"},
		"a time that is none":              {swap("<LastModified>2", "<LastModified>x", 0), 1, bucket.ErrBadAnswer, "not a time"},
		"a length shorter than the body":   {length(-40), 1, bucket.ErrBadAnswer, ""},
		"a length longer than the body":    {length(40), 1, bucket.ErrBadAnswer, "broke off"},
		"nothing, and something behind it": {nothing(), 1, bucket.ErrBadAnswer, "hold nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{})
			b := s3test.New(t, s.URL())
			for _, k := range []string{"d/a", "d/k", "d/k", "d/k", "d/z"} {
				s.Put(b.Name, k, []byte("x"))
			}
			s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Skip: c.skip, Times: -1, Do: c.do})
			got, err := keys(b, bucket.Range{Prefix: "d/", PageSize: 2})
			if err == nil || !strings.Contains(err.Error(), c.says) || c.kind != nil && !errors.Is(err, c.kind) {
				t.Errorf("%q, %v; want %v and %q", got, err, c.kind, c.says)
			}
		})
	}
}

// nothing gives empty pages, each of which says that more follows, and further on.
func nothing() faults.Action {
	n := 0
	return faults.Edit(func(a *faults.Answer) {
		n++
		a.Body = fmt.Appendf(nil, "<ListVersionsResult><Prefix>d/</Prefix><EncodingType>url</EncodingType><NextKeyMarker>d/k%06d</NextKeyMarker><IsTruncated>true</IsTruncated></ListVersionsResult>", n)
	})
}

// The versions of one key, again and again or in another order: a level is refused as a
// listing of all is.
func TestLevelsThatLie(t *testing.T) {
	for name, c := range map[string]struct {
		do   faults.Action
		skip int
		says string
	}{
		"the versions before, and no more": {again(2, "<IsTruncated>true<", "<IsTruncated>false<"), 0, "goes back"},
		"the latest after an older one":    {swap("<IsLatest>false<", "<IsLatest>true<", 1), 1, "after an older one"},
		"a folder of another level":        {swap("<Prefix>d/x/<", "<Prefix>d/x/y/<", 0), 0, "no folder of this level"},
		"a key of another level":           {swap("<Key>d/k<", "<Key>d/k/l<", 0), 1, "not on this level"},
		"nothing, and something behind it": {nothing(), 1, "hold nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{PageCap: 2})
			b := s3test.New(t, s.URL())
			for _, k := range []string{"d/a", "d/k", "d/k", "d/k", "d/k", "d/x/1", "d/z"} {
				s.Put(b.Name, k, []byte("x"))
			}
			s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Skip: c.skip, Times: -1, Do: c.do})
			got, err := items(b, "d/")
			if !errors.Is(err, bucket.ErrBadAnswer) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q, %v; want an answer that is refused and %q", got, err, c.says)
			}
		})
	}
}

// A read that is not of what was asked for is refused before its bytes are given out, or
// with their end.
func TestReadsThatLie(t *testing.T) {
	set := func(name, value string) faults.Action {
		return faults.Edit(func(a *faults.Answer) {
			if a.Header.Set(name, value); value == "" {
				a.Header.Del(name)
			}
		})
	}
	for name, c := range map[string]struct {
		do    faults.Action
		first int64
		says  string
	}{
		"another version's ID":           {set("X-Amz-Version-Id", "another"), 0, "another was asked for"},
		"no ETag":                        {set("Etag", ""), 0, "no ETag"},
		"a proxy's 404":                  {faults.Proxy(404), 0, "HTTP 404"},
		"a proxy's 403":                  {faults.Proxy(403), 0, "HTTP 403"},
		"a proxy's redirect to nowhere":  {faults.Proxy(302), 0, "HTTP 302"},
		"an error with status 200":       {faults.Reply(200, "application/xml", "<Error><Code>InternalError</Code></Error>"), 0, "no ETag"},
		"a length longer than the body":  {length(3), 0, "broke off"},
		"a part where all was asked for": {set("Content-Range", "bytes 0-9/20"), 0, "a part of the object"},
		"another part":                   {set("Content-Range", "bytes 3-7/10"), 5, "not what was asked for"},
		"a part of less than itself":     {set("Content-Range", "bytes 0-4/3"), 5, "not what was asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{})
			b := s3test.New(t, s.URL())
			id := s.Put(b.Name, "k", []byte("0123456789"))
			s.Fail(fakes3.Fault{Kind: "GetObject", Times: -1, Do: c.do})
			got, _, err := reads(b, "k", id, c.first)
			if !errors.Is(err, bucket.ErrBadAnswer) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q, %v; want an answer that is refused and %q", got, err, c.says)
			}
		})
	}
}
