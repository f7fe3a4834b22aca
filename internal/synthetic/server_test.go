package synthetic

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strings"
	"testing"
)

type doc struct {
	IsTruncated                        bool
	NextKeyMarker, NextVersionIdMarker string //nolint:revive // S3's names
	Version, DeleteMarker              []struct {
		Key, VersionId string //nolint:revive // S3's name
		IsLatest       bool
	}
	CommonPrefixes []struct{ Prefix string }
}

func get(t *testing.T, s *Server, q url.Values) (doc, int) {
	t.Helper()
	q.Set("versions", "")
	q.Set("encoding-type", "url")
	res, err := http.Get(s.URL() + "/b?" + q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%v, HTTP %d: %s", err, res.StatusCode, body)
	}
	var d doc
	if err := xml.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	return d, len(body)
}

func decoded(t *testing.T, s string) string {
	t.Helper()
	out, err := url.QueryUnescape(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// all lists page by page: "key id" of every entry, and the folders.
func all(t *testing.T, s *Server, q url.Values) (out, folders []string) {
	for {
		d, _ := get(t, s, q)
		for _, v := range d.Version {
			out = append(out, decoded(t, v.Key)+" "+v.VersionId)
		}
		for _, v := range d.DeleteMarker {
			out = append(out, decoded(t, v.Key)+" "+v.VersionId)
		}
		for _, p := range d.CommonPrefixes {
			folders = append(folders, decoded(t, p.Prefix))
		}
		if !d.IsTruncated {
			return out, folders
		}
		q = url.Values{"prefix": q["prefix"], "delimiter": q["delimiter"], "max-keys": q["max-keys"], "key-marker": {decoded(t, d.NextKeyMarker)}}
		if d.NextVersionIdMarker != "" {
			q.Set("version-id-marker", d.NextVersionIdMarker)
		}
	}
}

// want is the same, made without pages.
func want(s Shape, prefix, delimiter, after string) (out, folders []string) {
	for i := range s.Keys {
		key := string(s.Key(nil, i))
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok || key <= after && after != "" {
			continue
		}
		if at := strings.Index(rest, "/"); delimiter != "" && at >= 0 {
			if f := prefix + rest[:at+1]; len(folders) == 0 || folders[len(folders)-1] != f {
				folders = append(folders, f)
			}
			continue
		}
		for j := range s.versions() {
			out = append(out, key+" "+string(appendID(nil, i, j)))
		}
	}
	sort.Strings(out)
	return out, folders
}

func TestPagesGiveAllThereIs(t *testing.T) {
	for _, shape := range Shapes(600) {
		t.Run(shape.Name, func(t *testing.T) {
			last := ""
			for i := range shape.Keys {
				key := string(shape.Key(nil, i))
				if i > 0 && key <= last {
					t.Fatalf("key %d is %q, after %q", i, key, last)
				}
				last = key
			}
			s := New(shape)
			defer s.Close()
			first, middle := string(shape.Key(nil, 0)), string(shape.Key(nil, shape.Keys/2))
			folder := first[:strings.LastIndexByte(first, '/')+1]
			for _, q := range []struct{ prefix, delimiter, after string }{
				{}, {delimiter: "/"}, {prefix: folder, delimiter: "/"}, {after: middle}, {after: middle + "~"}, {prefix: folder, after: first}, {prefix: "nothing"},
			} {
				for _, most := range []string{"7", "1000"} {
					if q.delimiter != "" && q.after != "" {
						continue
					}
					v := url.Values{"prefix": {q.prefix}, "delimiter": {q.delimiter}, "key-marker": {q.after}, "max-keys": {most}}
					got, folders := all(t, s, v)
					sort.Strings(got)
					wish, wishFolders := want(shape, q.prefix, q.delimiter, q.after)
					if !slices.Equal(got, wish) || !slices.Equal(folders, wishFolders) {
						t.Errorf("%+v in pages of %s: %d versions and %d folders, want %d and %d", q, most, len(got), len(folders), len(wish), len(wishFolders))
					}
				}
			}
		})
	}
}

func TestAVersionIsAboutAsLongAsAmazons(t *testing.T) {
	s := New(Flat(10_000))
	defer s.Close()
	d, n := get(t, s, url.Values{})
	if per := n / 1000; len(d.Version) != 1000 || per < 470 || per > 550 {
		t.Errorf("%d versions of %d bytes each; want 1,000 of about 510", len(d.Version), per)
	}
	if c := s.Counts(); c.Listings != 1 || c.Bytes != int64(n) || c.Most != 1 {
		t.Errorf("%+v after one page of %d bytes", c, n)
	}
}

// With writers at work what is steady comes once in every listing, and other things
// come and go.
func TestChurn(t *testing.T) {
	shape := Flat(2000)
	shape.Versions, shape.Churn = 2, true
	s := New(shape)
	defer s.Close()
	steady := map[string]bool{}
	for i := range shape.Keys {
		for j := range 2 {
			if id := string(appendID(nil, i, j)); Steady(id) {
				steady[id] = true
			}
		}
	}
	if len(steady) < 3000 || len(steady) > 3900 {
		t.Fatalf("%d of 4,000 are steady", len(steady))
	}
	sizes := map[int]bool{}
	for range 3 {
		rows, _ := all(t, s, url.Values{"max-keys": {"100"}})
		n := 0
		for _, r := range rows {
			if steady[r[strings.LastIndexByte(r, ' ')+1:]] {
				n++
			}
		}
		if n != len(steady) {
			t.Errorf("%d of %d steady versions came", n, len(steady))
		}
		sizes[len(rows)] = true
	}
	if len(sizes) < 2 {
		t.Errorf("nothing changed between listings: %v", sizes)
	}
}

func TestLimit(t *testing.T) {
	s := New(Flat(10))
	defer s.Close()
	s.Limit(1)
	s.busy.Add(1)
	res, err := http.Get(s.URL() + "/b?versions")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if c := s.Counts(); res.StatusCode != 503 || c.Refused != 1 || c.Listings != 0 {
		t.Errorf("HTTP %d, %+v", res.StatusCode, c)
	}
}

func BenchmarkPage(b *testing.B) {
	for _, shape := range Shapes(1_000_000) {
		b.Run(shape.Name, func(b *testing.B) {
			s := &Server{shape: shape}
			n := 0
			var buf []byte
			for b.Loop() {
				p := &s3Page{s: s, encode: true, versions: true, b: buf[:0]}
				s.shape.page(query{most: 1000}, func(r row) { p.add(r); n++ })
				buf = p.b
			}
			if n == 0 {
				b.Fatal(fmt.Sprint(shape.Name, " gave nothing"))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/version")
		})
	}
}
