package fakes3

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
	`<ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`
const owner = `<Owner><ID>75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a</ID></Owner>`

// helloXML is how a version of "hello" looks behind its IsLatest.
const helloXML = `<LastModified>2026-03-04T12:00:00.000Z</LastModified><ETag>&quot;5d41402abc4b2a76b9719d911017c592&quot;</ETag>` +
	`<ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>5</Size>` + owner + `<StorageClass>STANDARD</StorageClass></Version>`
const markerXML = `<LastModified>2026-03-04T12:00:00.000Z</LastModified>` + owner + `</DeleteMarker>`

// The whole document, by hand: markers in their place, newest first.
func TestListingDocument(t *testing.T) {
	s := start(t, Options{})
	v1 := s.Put("b", "a", []byte("hello"))
	m := s.Delete("b", "a")
	v2 := s.Put("b", "a", []byte("hello"))
	v3 := s.Put("b", "b & c", []byte("hello"))
	r := must(t, s, 200, "GET", "/b?versions", "")
	equal(t, "listing", r.body, head+`<Name>b</Name><Prefix></Prefix><KeyMarker></KeyMarker><VersionIdMarker></VersionIdMarker><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>`+
		`<Version><Key>a</Key><VersionId>`+v2+`</VersionId><IsLatest>true</IsLatest>`+helloXML+
		`<DeleteMarker><Key>a</Key><VersionId>`+m+`</VersionId><IsLatest>false</IsLatest>`+markerXML+
		`<Version><Key>a</Key><VersionId>`+v1+`</VersionId><IsLatest>false</IsLatest>`+helloXML+
		`<Version><Key>b &amp; c</Key><VersionId>`+v3+`</VersionId><IsLatest>true</IsLatest>`+helloXML+
		`</ListVersionsResult>`)
	wantHeader(t, r, "Date", "Wed, 04 Mar 2026 12:00:00 GMT")
	wantHeader(t, r, "Content-Type", "application/xml")

	r = must(t, s, 200, "GET", "/b?versions&max-keys=2&prefix=a&encoding-type=url", "")
	equal(t, "first page", r.body, head+`<Name>b</Name><Prefix>a</Prefix><KeyMarker></KeyMarker><VersionIdMarker></VersionIdMarker><NextKeyMarker>a</NextKeyMarker><NextVersionIdMarker>`+m+`</NextVersionIdMarker><MaxKeys>2</MaxKeys><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>`+
		`<Version><Key>a</Key><VersionId>`+v2+`</VersionId><IsLatest>true</IsLatest>`+helloXML+
		`<DeleteMarker><Key>a</Key><VersionId>`+m+`</VersionId><IsLatest>false</IsLatest>`+markerXML+
		`</ListVersionsResult>`)
}

// page is a listing as encoding/xml reads it: an independent way.
type page struct {
	Name, NextKeyMarker, NextVersionIdMarker string
	IsTruncated                              bool
	Rows                                     []struct {
		XMLName        xml.Name
		Key, VersionId string
		IsLatest       bool
		Prefix         string
	} `xml:",any"`
}

func list(t *testing.T, s *Server, query string) (p page, lines []string) {
	t.Helper()
	r := must(t, s, 200, "GET", "/b?versions"+query, "")
	if err := xml.Unmarshal([]byte(r.body), &p); err != nil {
		t.Fatal(err)
	}
	for _, row := range p.Rows {
		switch row.XMLName.Local {
		case "Version", "DeleteMarker":
			lines = append(lines, fmt.Sprint(row.XMLName.Local, " ", row.Key, " ", row.VersionId, " ", row.IsLatest))
		case "CommonPrefixes":
			lines = append(lines, "prefix "+row.Prefix)
		}
	}
	return p, lines
}

// plantMany is 40 keys with 1 to 4 versions, every third on top a marker.
func plantMany(s *Server) (want []string) {
	for k := range 40 {
		key := fmt.Sprintf("k%02d", k)
		var lines []string
		for v := range 1 + k%4 {
			id, kind := "", "Version"
			if v == k%4 && k%3 == 0 {
				id, kind = s.Delete("b", key), "DeleteMarker"
			} else {
				id = s.Put("b", key, nil)
			}
			lines = append(lines, fmt.Sprint(kind, " ", key, " ", id, " ", v == k%4))
		}
		slices.Reverse(lines)
		want = append(want, lines...)
	}
	return want
}

func TestPagesOfEverySize(t *testing.T) {
	s := start(t, Options{})
	want := plantMany(s)
	for size := 1; size <= len(want)+1; size++ {
		var got []string
		query, pages := "", 0
		for {
			p, lines := list(t, s, fmt.Sprintf("&max-keys=%d%s", size, query))
			got = append(got, lines...)
			if pages++; !p.IsTruncated {
				break
			}
			if len(lines) != size {
				t.Fatalf("size %d: %d rows on a truncated page", size, len(lines))
			}
			query = "&key-marker=" + p.NextKeyMarker + "&version-id-marker=" + p.NextVersionIdMarker
		}
		if !slices.Equal(got, want) {
			t.Fatalf("size %d: got %q, want %q", size, got, want)
		}
		if wantPages := (len(want) + size - 1) / size; pages != wantPages {
			t.Errorf("size %d: %d pages, want %d", size, pages, wantPages)
		}
	}
	// A key marker alone starts behind all versions of that key.
	_, lines := list(t, s, "&key-marker=k37")
	if !slices.Equal(lines, want[len(want)-(1+38%4)-(1+39%4):]) {
		t.Errorf("after k37: %q", lines)
	}
	if p, lines := list(t, s, "&max-keys=0"); p.IsTruncated || len(lines) != 0 {
		t.Errorf("max-keys=0: truncated %v, %q", p.IsTruncated, lines)
	}
}

// What vanishes between two pages doesn't move the place of the next one.
func TestMarkerThatIsGone(t *testing.T) {
	for _, versioning := range []string{"Enabled", "Suspended"} {
		s := start(t, Options{})
		s.Put("b", "a", nil)
		s.SetVersioning("b", versioning)
		s.Put("b", "a", nil)
		s.SetVersioning("b", "Enabled")
		s.Put("b", "a", nil)
		_, want := list(t, s, "")
		p, first := list(t, s, "&max-keys=2")
		if !s.DeleteVersion("b", "a", p.NextVersionIdMarker) {
			t.Fatal("not there")
		}
		_, rest := list(t, s, "&key-marker=a&version-id-marker="+p.NextVersionIdMarker)
		if got := append(first, rest...); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", versioning, got, want)
		}
	}
}

func TestDelimiter(t *testing.T) {
	s := start(t, Options{})
	for _, key := range []string{"a", "b/1", "b/2", "b!", "c/x/1", "c/x/2", "c/y", "d", "/e", "//f"} {
		s.Put("b", key, nil)
	}
	s.Delete("b", "b/1")
	name := func(lines []string) (out []string) {
		for _, l := range lines {
			out = append(out, strings.Fields(l)[1])
		}
		slices.Sort(out) // common prefixes come last in the document
		return out
	}
	for _, c := range []struct {
		query string
		want  string
	}{
		{"&delimiter=/", "/ a b! b/ c/ d"},
		{"&delimiter=/&prefix=/", "// /e"},
		{"&delimiter=/&prefix=c/", "c/x/ c/y"},
		{"&delimiter=/&prefix=c", "c/"},
		{"&delimiter=x", "/e //f a b! b/1 b/1 b/2 c/x c/y d"},
		{"&delimiter=/&key-marker=b/", "c/ d"},     // a common prefix as marker: behind all of it
		{"&delimiter=/&key-marker=b/1", "b/ c/ d"}, // a key in it: the rest of it rolls up
		{"&delimiter=/&prefix=z/", ""},
	} {
		_, lines := list(t, s, c.query)
		want := strings.Fields(c.want)
		slices.Sort(want)
		if got := name(lines); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.query, got, want)
		}
	}
	// A common prefix counts as one, and pages continue behind it.
	var got []string
	query := ""
	for range 20 {
		p, lines := list(t, s, "&delimiter=/&max-keys=1"+query)
		got = append(got, lines...)
		if !p.IsTruncated {
			break
		}
		query = "&key-marker=" + url.QueryEscape(p.NextKeyMarker)
		if p.NextVersionIdMarker != "" {
			query += "&version-id-marker=" + p.NextVersionIdMarker
		} else if !strings.HasSuffix(p.NextKeyMarker, "/") {
			t.Errorf("no version marker after %q", p.NextKeyMarker)
		}
	}
	equal(t, "one by one", strings.Join(name(got), " "), "/ a b! b/ c/ d")
}

func TestListingArguments(t *testing.T) {
	s := start(t, Options{PageCap: 2})
	s.Put("b", "a", nil)
	for _, c := range []struct{ query, message string }{
		{"max-keys=x", "Provided max-keys not an integer or within integer range"},
		{"max-keys=-1", "Argument maxKeys must be an integer between 0 and 2147483647"},
		{"encoding-type=base64", "Invalid Encoding Method specified in Request"},
		{"version-id-marker=null", "A version-id marker cannot be specified without a key marker."},
		{"key-marker=a&version-id-marker=", "A version-id marker cannot be empty."},
		{"key-marker=a&version-id-marker=short", "Invalid version id specified"},
	} {
		wantError(t, call(t, s, "GET", "/b?versions&"+c.query, ""), 400, "InvalidArgument", "<Message>"+c.message+"</Message>")
	}
	wantError(t, call(t, s, "GET", "/none?versions", ""), 404, "NoSuchBucket", "<BucketName>none</BucketName>")
	if r := must(t, s, 200, "GET", "/b?versions&max-keys=5000", ""); !strings.Contains(r.body, "<MaxKeys>1000</MaxKeys>") {
		t.Errorf("max-keys above 1,000: %s", r.body)
	}
	s.Put("b", "b", nil)
	s.Put("b", "c", nil)
	if p, lines := list(t, s, ""); !p.IsTruncated || len(lines) != 2 {
		t.Errorf("page cap 2: %q", lines)
	}
}

// Keys on the wire, with and without encoding-type=url.
func TestEncoding(t *testing.T) {
	for _, c := range []struct{ key, url, raw string }{
		{"test_file(3).png", "test_file%283%29.png", "test_file(3).png"}, // the API reference's own
		{"a b/c+d", "a+b/c%2Bd", "a b/c+d"},
		{"\x01\t\r\n\x7f", "%01%09%0D%0A%7F", "&#x1;&#x9;&#xd;&#xa;&#x7f;"},
		{`%&<>"'\~`, "%25%26%3C%3E%22%27%5C%7E", `%&amp;&lt;&gt;&quot;'\~`},
		{"ü😀", "%C3%BC%F0%9F%98%80", "ü😀"},
		{"//a/", "//a/", "//a/"},
	} {
		s := start(t, Options{})
		s.Put("b", c.key, nil)
		s.Put("b", c.key, nil)
		q := "?versions&max-keys=1&prefix=" + url.QueryEscape(c.key)
		for enc, want := range map[string]string{"": c.raw, "&encoding-type=url": c.url} {
			r := must(t, s, 200, "GET", "/b"+q+enc, "")
			for _, name := range []string{"Key", "Prefix", "NextKeyMarker"} {
				if e := "<" + name + ">" + want + "</" + name + ">"; !strings.Contains(r.body, e) {
					t.Errorf("%q%s: no %s in %s", c.key, enc, e, r.body)
				}
			}
		}
	}
}

func TestListObjectsV2(t *testing.T) {
	s := start(t, Options{})
	for _, key := range []string{"a", "b/1", "b/2", "c", "d"} {
		s.Put("b", key, []byte("hello"))
	}
	s.Delete("b", "a")
	s.Delete("b", "b/1")
	content := func(key string) string {
		return `<Contents><Key>` + key + `</Key><LastModified>2026-03-04T12:00:00.000Z</LastModified><ETag>&quot;5d41402abc4b2a76b9719d911017c592&quot;</ETag>` +
			`<ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>5</Size><StorageClass>STANDARD</StorageClass></Contents>`
	}
	const head = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`
	r := must(t, s, 200, "GET", "/b?list-type=2&delimiter=/&max-keys=2", "")
	equal(t, "first page", r.body, head+`<Name>b</Name><Prefix></Prefix><NextContinuationToken>63</NextContinuationToken><KeyCount>2</KeyCount><MaxKeys>2</MaxKeys><Delimiter>/</Delimiter><IsTruncated>true</IsTruncated>`+
		content("c")+`<CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes></ListBucketResult>`)
	r = must(t, s, 200, "GET", "/b?list-type=2&delimiter=/&max-keys=2&continuation-token=63", "")
	equal(t, "last page", r.body, head+`<Name>b</Name><Prefix></Prefix><ContinuationToken>63</ContinuationToken><KeyCount>1</KeyCount><MaxKeys>2</MaxKeys><Delimiter>/</Delimiter><IsTruncated>false</IsTruncated>`+
		content("d")+`</ListBucketResult>`)
	wantError(t, call(t, s, "GET", "/b?list-type=2&continuation-token=x", ""), 400, "InvalidArgument")
}

// 100,000 keys: planted at once, listed whole, and a page from the middle as
// quick as one from the start.
func TestManyKeys(t *testing.T) {
	s := start(t, Options{})
	const n = 100_000
	began := time.Now()
	body := []byte("hello")
	s.Fill("b", n, func(i int) Planted { // in no order of keys
		return Planted{Key: fmt.Sprintf("f/%06d", i*7919%n), Body: body}
	})
	s.Fill("b", 1000, func(i int) Planted { return Planted{Key: fmt.Sprintf("f/%06d/x", i*100), Marker: true} })
	seen, pages, marker, last := 0, 0, "", ""
	for {
		r := must(t, s, 200, "GET", "/b?versions"+marker, "")
		seen += strings.Count(r.body, "<VersionId>")
		pages++
		_, key, more := strings.Cut(r.body, "<NextKeyMarker>")
		if !more {
			break
		}
		key, _, _ = strings.Cut(key, "<")
		_, id, _ := strings.Cut(r.body, "<NextVersionIdMarker>")
		id, _, _ = strings.Cut(id, "<")
		if key <= last {
			t.Fatalf("%s comes after %s", key, last)
		}
		last, marker = key, "&key-marker="+key+"&version-id-marker="+id
	}
	if seen != n+1000 || pages != 101 {
		t.Errorf("%d entries on %d pages, want 101000 on 101", seen, pages)
	}
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}
