package synthetic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/race"
)

type gcsDoc struct {
	Kind, NextPageToken string
	Prefixes            []string
	Items               []struct {
		Kind, ID, Name, Bucket, Generation, Metageneration, StorageClass, Size, SelfLink, MediaLink, ETag, ContentType string
		MD5Hash                                                                                                        []byte
		CRC32C                                                                                                         []byte
		TimeCreated, TimeDeleted, Updated, TimeStorageClassUpdated, TimeFinalized                                      string
	}
}

// gcsAll lists page by page: a line for each object, folders as "[folder]", "|" after
// each page.
func gcsAll(t *testing.T, endpoint string, q url.Values) (out []string) {
	t.Helper()
	for {
		res, err := http.Get(endpoint + "/storage/v1/b/b/o?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close() // read to its end
		var d gcsDoc
		if err != nil || res.StatusCode != 200 || json.Unmarshal(body, &d) != nil || d.Kind != "storage#objects" {
			t.Fatalf("%v, HTTP %d: %.300s", err, res.StatusCode, body)
		}
		for _, i := range d.Items {
			out = append(out, fmt.Sprintf("%q %s %s %s", i.Name, i.Generation, i.TimeCreated, i.TimeDeleted))
		}
		for _, p := range d.Prefixes {
			out = append(out, fmt.Sprintf("[%q]", p))
		}
		out = append(out, "|")
		if d.NextPageToken == "" {
			return out
		}
		q.Set("pageToken", d.NextPageToken)
	}
}

// The same generations in the test server, which keeps them, give the same pages.
func TestGCSPagesAreThoseOfAStore(t *testing.T) {
	if race.On {
		t.Skip("much of the same: CI runs it without the race detector")
	}
	for _, shape := range Shapes(300) {
		t.Run(shape.Name, func(t *testing.T) {
			s := New(shape)
			defer s.Close()
			store := fakegcs.New(fakegcs.Options{})
			defer store.Close()
			store.CreateBucket("b", true)
			deleted := 0
			for i := range shape.Keys {
				key := string(shape.Key(nil, i))
				for j := shape.versions() - 1; j >= 0; j-- {
					// Made i seconds after 1 October 2026, 8:00, an hour apart.
					made := time.Date(2026, 10, 1, 8-j, 0, int(i), 0, time.UTC)
					store.Plant("b", fakegcs.Planted{Key: key, Generation: made.UnixMicro(), Created: made})
				}
				if i%50 == 49 {
					deleted++
					store.Plant("b", fakegcs.Planted{Key: key, Marker: true, Created: time.Date(2026, 10, 1, 8, 30, int(i), 0, time.UTC)})
				}
			}
			if deleted == 0 && shape.Keys > 3 {
				t.Fatal("nothing is deleted")
			}
			first, middle := string(shape.Key(nil, 0)), string(shape.Key(nil, shape.Keys/2))
			folder := first[:strings.LastIndexByte(first, '/')+1]
			for _, q := range []url.Values{
				{}, {"delimiter": {"/"}}, {"prefix": {folder}, "delimiter": {"/"}}, {"startOffset": {middle}}, {"startOffset": {middle + "~"}}, {"endOffset": {middle}},
				{"startOffset": {first + "0"}, "endOffset": {middle}}, {"prefix": {"nothing"}}, {"prefix": {folder}, "startOffset": {middle}}, {"delimiter": {"/"}, "startOffset": {middle}},
			} {
				for _, most := range []string{"1", "7", "1000"} {
					if most == "1" && q.Has("prefix") {
						continue // enough of these
					}
					for _, versions := range []string{"true", "false"} {
						ask := func(endpoint string) []string {
							v := url.Values{"maxResults": {most}, "versions": {versions}}
							for name, value := range q {
								v[name] = value
							}
							return gcsAll(t, endpoint, v)
						}
						if got, want := ask(s.URL()), ask(store.URL()); !slices.Equal(got, want) {
							t.Fatalf("%v, versions=%s, in pages of %s:\n got %.2000v\nwant %.2000v", q, versions, most, got, want)
						}
					}
				}
			}
		})
	}
}

// A resource is as long as the service's, and holds all of it; with fields only what
// was asked for.
func TestAGenerationIsAboutAsLongAsGooglesAre(t *testing.T) {
	s := New(Flat(10_000))
	defer s.Close()
	page := func(q string) (d gcsDoc, body string) {
		res, err := http.Get(s.URL() + "/storage/v1/b/b/o?versions=true&" + q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }() // read to its end
		raw, err := io.ReadAll(res.Body)
		if err != nil || json.Unmarshal(raw, &d) != nil {
			t.Fatalf("%v: %.300s", err, raw)
		}
		return d, string(raw)
	}
	d, body := page("")
	if per := len(body) / 1000; len(d.Items) != 1000 || per < 700 || per > 900 {
		t.Errorf("%d generations of %d bytes each; want 1,000 of about 800", len(d.Items), per)
	}
	i := d.Items[7]
	if i.Kind != "storage#object" || i.Name != "events/part-0000000007.parquet" || i.ID != "b/"+i.Name+"/"+i.Generation || i.Generation != "1790841607000000" || i.TimeCreated != "2026-10-01T08:00:07.000Z" ||
		i.TimeDeleted != "" || len(i.MD5Hash) != 16 || len(i.CRC32C) != 4 || i.Metageneration != "1" || i.StorageClass != "STANDARD" || i.Size == "" || i.ETag == "" || i.Updated != i.TimeCreated ||
		!strings.HasSuffix(i.SelfLink, "/b/b/o/events%2Fpart-0000000007.parquet") {
		t.Errorf("%+v", i)
	}
	_, body = page("maxResults=1&fields=kind,nextPageToken,items(name,generation,timeDeleted),prefixes")
	if !strings.HasPrefix(body, `{"kind":"storage#objects","items":[{"name":"events/part-0000000000.parquet","generation":"1790841600000000"}],"nextPageToken":"`) {
		t.Error(body)
	}
	if c := s.Counts(); c.Listings != 2 || c.Most != 1 {
		t.Errorf("%+v after two pages", c)
	}
	s.Limit(1)
	s.busy.Add(1)
	res, err := http.Get(s.URL() + "/storage/v1/b/b/o")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 429 || s.Counts().Refused != 1 {
		t.Errorf("HTTP %d, %+v", res.StatusCode, s.Counts())
	}
	for path, want := range map[string]int{"/storage/v1/b": 200, "/storage/v1/b/b": 200, "/storage/v1/b/b/o/x": 404} {
		res, err := http.Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

func BenchmarkGCSPage(b *testing.B) {
	for _, fields := range []string{"", "items(name,generation,size,md5Hash,crc32c,timeCreated,timeDeleted,storageClass)"} {
		b.Run(fmt.Sprint("fields=", fields), func(b *testing.B) {
			s := &Server{shape: Flat(1_000_000)}
			n := 0
			var buf []byte
			for b.Loop() {
				p := &gcsPage{s: s, bucket: "b", want: gcsFields(fields), b: append(buf[:0], '{')}
				s.shape.generations(gcsQuery{most: 1000}, func(r row) { p.add(r); n++ })
				buf = p.b
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/version")
		})
	}
}
