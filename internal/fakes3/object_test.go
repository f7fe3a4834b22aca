package fakes3

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// states is the key's versions as they lie in the bucket, newest first: bodies, or
// "marker", with * at a null version.
func states(s *Server, bucket, key string) string {
	var out []string
	for _, e := range s.Entries(bucket, key) {
		if e.Key != key {
			continue
		}
		state := string(e.Body)
		if e.Marker {
			state = "marker"
		}
		if e.ID == "null" {
			state += "*"
		}
		out = append(out, state)
	}
	return strings.Join(out, " ")
}

func TestPutGetDelete(t *testing.T) {
	s := start(t, Options{})
	put := must(t, s, 200, "PUT", "/b/k", "hello", "Content-Type", "text/x", "X-Amz-Meta-Who", "ana")
	wantHeader(t, put, "ETag", `"5d41402abc4b2a76b9719d911017c592"`)
	v1 := put.header.Get("X-Amz-Version-Id")
	if len(v1) != 32 {
		t.Errorf("version ID %q", v1)
	}

	get := must(t, s, 200, "GET", "/b/k", "")
	equal(t, "body", get.body, "hello")
	for name, want := range map[string]string{
		"ETag": `"5d41402abc4b2a76b9719d911017c592"`, "X-Amz-Version-Id": v1, "Content-Length": "5", "Content-Type": "text/x",
		"X-Amz-Meta-Who": "ana", "Last-Modified": "Wed, 04 Mar 2026 12:00:00 GMT", "Date": "Wed, 04 Mar 2026 12:00:00 GMT", "X-Amz-Storage-Class": "",
	} {
		wantHeader(t, get, name, want)
	}
	head := must(t, s, 200, "HEAD", "/b/k", "")
	wantHeader(t, head, "Content-Length", "5")
	equal(t, "body of a HEAD", head.body, "")

	// A marker hides the key.
	del := must(t, s, 204, "DELETE", "/b/k", "")
	wantHeader(t, del, "X-Amz-Delete-Marker", "true")
	marker := del.header.Get("X-Amz-Version-Id")
	get = call(t, s, "GET", "/b/k", "")
	wantError(t, get, 404, "NoSuchKey", "<Key>k</Key>")
	wantHeader(t, get, "X-Amz-Delete-Marker", "true")
	wantHeader(t, get, "X-Amz-Version-Id", marker)
	head = must(t, s, 404, "HEAD", "/b/k", "")
	wantHeader(t, head, "X-Amz-Delete-Marker", "true")

	// Its version cannot be read, the one below can.
	get = call(t, s, "GET", "/b/k?versionId="+marker, "")
	wantError(t, get, 405, "MethodNotAllowed")
	wantHeader(t, get, "X-Amz-Delete-Marker", "true")
	wantHeader(t, get, "X-Amz-Version-Id", marker)
	must(t, s, 405, "HEAD", "/b/k?versionId="+marker, "")
	equal(t, "old version", must(t, s, 200, "GET", "/b/k?versionId="+v1, "").body, "hello")

	// Removing the marker brings the key back.
	del = must(t, s, 204, "DELETE", "/b/k?versionId="+marker, "")
	wantHeader(t, del, "X-Amz-Delete-Marker", "true")
	wantHeader(t, del, "X-Amz-Version-Id", marker)
	equal(t, "live again", must(t, s, 200, "GET", "/b/k", "").body, "hello")

	// Removing a version, and once more what is gone.
	for range 2 {
		del = must(t, s, 204, "DELETE", "/b/k?versionId="+v1, "")
		wantHeader(t, del, "X-Amz-Delete-Marker", "")
		wantHeader(t, del, "X-Amz-Version-Id", v1)
	}
	wantError(t, call(t, s, "GET", "/b/k", ""), 404, "NoSuchKey")
	wantError(t, call(t, s, "GET", "/b/k?versionId="+v1, ""), 404, "NoSuchVersion", "<VersionId>"+v1+"</VersionId>")
	wantError(t, call(t, s, "GET", "/b/k?versionId=null", ""), 404, "NoSuchVersion")
	wantError(t, call(t, s, "GET", "/b/k?versionId=short", ""), 400, "InvalidArgument", "Invalid version id specified")
	wantError(t, call(t, s, "GET", "/b/k?versionId=", ""), 400, "InvalidArgument", "Version id cannot be the empty string")
	wantError(t, call(t, s, "DELETE", "/b/k?versionId=short", ""), 400, "InvalidArgument")

	// A DELETE makes a marker also for a key that never was.
	must(t, s, 204, "DELETE", "/b/never", "")
	equal(t, "never", states(s, "b", "never"), "marker")
	wantError(t, call(t, s, "PUT", "/none/k", ""), 404, "NoSuchBucket")
	wantError(t, call(t, s, "GET", "/b/"+strings.Repeat("x", 1025), ""), 400, "KeyTooLongError")
	wantError(t, call(t, s, "PUT", "/b/%ff", ""), 400, "InvalidURI")
	wantError(t, call(t, s, "POST", "/b/k", ""), 501, "NotImplemented")
}

// The states of one key, step by step, under each versioning state (user guide,
// "How S3 Versioning works").
func TestNullVersions(t *testing.T) {
	s := start(t, Options{})
	put := func(body, id string) {
		t.Helper()
		r := must(t, s, 200, "PUT", "/u/k", body)
		if got := r.header.Get("X-Amz-Version-Id"); got != id && (id != "own" || len(got) != 32) {
			t.Errorf("PUT %s: version ID %q, want %q", body, got, id)
		}
	}
	del := func(id string) {
		t.Helper()
		r := must(t, s, 204, "DELETE", "/u/k", "")
		if got := r.header.Get("X-Amz-Version-Id"); got != id && (id != "own" || len(got) != 32) {
			t.Errorf("DELETE: version ID %q, want %q", got, id)
		}
	}
	want := func(states_ string) {
		t.Helper()
		equal(t, "states", states(s, "u", "k"), states_)
	}
	// Never enabled: one null version, no ID in the answers.
	put("a", "")
	put("b", "")
	want("b*")
	wantHeader(t, must(t, s, 200, "GET", "/u/k", ""), "X-Amz-Version-Id", "")
	equal(t, "by its ID", must(t, s, 200, "GET", "/u/k?versionId=null", "").body, "b")
	del("")
	want("")
	wantHeader(t, call(t, s, "GET", "/u/k", ""), "X-Amz-Delete-Marker", "")
	put("c", "")
	// Enabled: what was there keeps its null ID.
	must(t, s, 200, "PUT", "/u?versioning", `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>`)
	put("d", "own")
	want("d c*")
	// Suspended: a new null version takes the old one's place, on top.
	must(t, s, 200, "PUT", "/u?versioning", `<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>`)
	put("e", "null")
	want("e* d")
	put("f", "null")
	want("f* d")
	del("null")
	want("marker* d")
	del("null")
	want("marker* d")
	wantHeader(t, call(t, s, "GET", "/u/k", ""), "X-Amz-Version-Id", "null")
	wantError(t, call(t, s, "GET", "/u/k?versionId=null", ""), 405, "MethodNotAllowed")
	must(t, s, 204, "DELETE", "/u/k?versionId=null", "")
	want("d")
	del("null")
	must(t, s, 200, "PUT", "/u?versioning", `<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>`)
	put("g", "own")
	want("g marker* d")
	del("own")
	want("marker g marker* d")
}

func TestConditionalWrites(t *testing.T) {
	s := start(t, Options{})
	none := []string{"If-None-Match", "*"}
	must(t, s, 200, "PUT", "/b/k", "one", none...)
	r := call(t, s, "PUT", "/b/k", "two", none...)
	wantError(t, r, 412, "PreconditionFailed", "<Condition>If-None-Match</Condition>")
	equal(t, "refused", states(s, "b", "k"), "one")
	must(t, s, 204, "DELETE", "/b/k", "")
	must(t, s, 200, "PUT", "/b/k", "three", none...) // over a marker
	equal(t, "over a marker", states(s, "b", "k"), "three marker one")
	must(t, s, 200, "PUT", "/u/k", "one", none...)
	wantError(t, call(t, s, "PUT", "/u/k", "two", none...), 412, "PreconditionFailed")
	wantError(t, call(t, s, "PUT", "/b/k", "", "If-None-Match", `"abc"`), 501, "NotImplemented")

	wantError(t, call(t, s, "PUT", "/b/absent", "", "If-Match", `"x"`), 404, "NoSuchKey")
	wantError(t, call(t, s, "PUT", "/u/k", "", "If-Match", `"x"`), 412, "PreconditionFailed")
	must(t, s, 200, "PUT", "/u/k", "two", "If-Match", `"f97c5d29941bfb1b2fdab0874906ab82"`) // md5 of "one"

	s.IgnoreConditions("b", true)
	must(t, s, 200, "PUT", "/b/k", "four", none...)
	equal(t, "ignored", states(s, "b", "k"), "four three marker one")
}

// Of racing writers exactly one wins.
func TestRace(t *testing.T) {
	s := start(t, Options{})
	for round := range 5 {
		var wg sync.WaitGroup
		statuses := make([]int, 16)
		for i := range statuses {
			wg.Go(func() {
				statuses[i] = call(t, s, "PUT", fmt.Sprintf("/b/k%d", round), fmt.Sprint(i), "If-None-Match", "*").status
			})
		}
		wg.Wait()
		won := -1
		for i, status := range statuses {
			if status == 200 && won < 0 {
				won = i
			} else if status != 412 {
				t.Errorf("writer %d: %d", i, status)
			}
		}
		equal(t, "the winner's", states(s, "b", fmt.Sprintf("k%d", round)), fmt.Sprint(won))
	}
}

func TestRange(t *testing.T) {
	s := start(t, Options{})
	s.Put("b", "k", []byte("0123456789"))
	s.Put("b", "empty", nil)
	for _, c := range []struct {
		ask          string
		status       int
		body, answer string
	}{
		{"bytes=0-3", 206, "0123", "bytes 0-3/10"},
		{"bytes=4-", 206, "456789", "bytes 4-9/10"},
		{"bytes=8-100", 206, "89", "bytes 8-9/10"},
		{"bytes=-3", 206, "789", "bytes 7-9/10"},
		{"bytes=-30", 206, "0123456789", "bytes 0-9/10"},
		{"bytes=9-9", 206, "9", "bytes 9-9/10"},
		{"bytes=0-1,4-5", 200, "0123456789", ""},
		{"bytes=5-4", 200, "0123456789", ""},
		{"lines=1-2", 200, "0123456789", ""},
	} {
		r := must(t, s, c.status, "GET", "/b/k", "", "Range", c.ask)
		equal(t, c.ask, r.body, c.body)
		wantHeader(t, r, "Content-Range", c.answer)
		wantHeader(t, r, "Content-Length", fmt.Sprint(len(c.body)))
	}
	wantError(t, call(t, s, "GET", "/b/k", "", "Range", "bytes=10-"), 416, "InvalidRange", "<ActualObjectSize>10</ActualObjectSize>")
	wantError(t, call(t, s, "GET", "/b/empty", "", "Range", "bytes=0-0"), 416, "InvalidRange")
	wantHeader(t, must(t, s, 206, "HEAD", "/b/k", "", "Range", "bytes=2-4"), "Content-Length", "3")

	must(t, s, 304, "GET", "/b/k", "", "If-None-Match", `"781e5e245d69b566979b86e28d23f2c7"`) // md5 of 0123456789
	must(t, s, 200, "GET", "/b/k", "", "If-Match", `"781e5e245d69b566979b86e28d23f2c7"`)
	wantError(t, call(t, s, "GET", "/b/k", "", "If-Match", `"x"`), 412, "PreconditionFailed")
}

func TestCopy(t *testing.T) {
	s := start(t, Options{})
	v1 := s.Put("b", "a+b c/ü", []byte("one"))
	s.Put("b", "a+b c/ü", []byte("two"))
	marker := s.Delete("b", "gone")
	source := "/b/" + url.QueryEscape("a+b c/ü")
	cp := func(to, source string) reply { return call(t, s, "PUT", to, "", "X-Amz-Copy-Source", source) }

	r := cp("/b/to", source+"?versionId="+v1)
	equal(t, "answer", r.body, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<CopyObjectResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LastModified>2026-03-04T12:00:00.000Z</LastModified><ETag>&quot;f97c5d29941bfb1b2fdab0874906ab82&quot;</ETag></CopyObjectResult>`)
	wantHeader(t, r, "X-Amz-Copy-Source-Version-Id", v1)
	wantHeader(t, r, "X-Amz-Version-Id", s.Entries("b", "to")[0].ID)
	cp("/b/to", strings.TrimPrefix(source, "/")) // without a slash, of the live version
	equal(t, "both copies", states(s, "b", "to"), "two one")
	cp("/u/to", "/b/a%2Bb%20c%2F%C3%BC") // another bucket, all escaped
	equal(t, "other bucket", states(s, "u", "to"), "two*")
	cp("/b/a%2Bb%20c/%C3%BC", source+"?versionId="+v1) // onto itself
	equal(t, "old version on top", states(s, "b", "a+b c/ü"), "one two one")

	wantError(t, cp("/b/x", "/b/a+b+c/%C3%BC"), 404, "NoSuchKey") // "+" is a space here
	wantError(t, cp("/b/x", "/b/gone"), 404, "NoSuchKey")
	wantError(t, cp("/b/x", "/b/gone?versionId="+marker), 400, "InvalidRequest")
	wantError(t, cp("/b/x", "/b/gone?versionId="+v1), 404, "NoSuchVersion")
	wantError(t, cp("/b/x", "/b/gone?versionId=short"), 400, "InvalidArgument")
	wantError(t, cp("/b/x", "/none/a"), 404, "NoSuchBucket")
	wantError(t, cp("/b/x", "b"), 400, "InvalidArgument")
	wantError(t, cp("/b/to", "/b/to"), 400, "InvalidRequest")
	equal(t, "nothing written", states(s, "b", "x"), "")
}

func TestPlanted(t *testing.T) {
	s := start(t, Options{})
	s.Plant("b", Planted{Key: "k", ID: "odd", Body: []byte("x"), ETag: "abc-2", Class: "GLACIER", Size: 1 << 40, Modified: noon.AddDate(-1, 0, 0)})
	r := must(t, s, 200, "GET", "/b?versions", "")
	equal(t, "listing", r.body[strings.Index(r.body, "<Version>"):], `<Version><Key>k</Key><VersionId>odd</VersionId><IsLatest>true</IsLatest><LastModified>2025-03-04T12:00:00.000Z</LastModified><ETag>&quot;abc-2&quot;</ETag>`+
		`<ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>1099511627776</Size>`+owner+`<StorageClass>GLACIER</StorageClass></Version></ListVersionsResult>`)
	wantError(t, call(t, s, "GET", "/b/k?versionId=odd", ""), 403, "InvalidObjectState")
	h := must(t, s, 200, "HEAD", "/b/k?versionId=odd", "")
	wantHeader(t, h, "Content-Length", "1099511627776")
	wantHeader(t, h, "X-Amz-Storage-Class", "GLACIER")
	s.Plant("b", Planted{Key: "back", Body: []byte("x"), Class: "GLACIER", Restored: true})
	must(t, s, 200, "GET", "/b/back", "")
	s.Plant("b", Planted{Key: "big", Body: []byte("x"), Size: 100})
	wantError(t, call(t, s, "GET", "/b/big", ""), 500, "InternalError")
}
