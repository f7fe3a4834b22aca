package fakegcs

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// rows walks all pages of a listing: "name" or "name=body" for items, "[prefix]"
// for prefixes; pages are separated by "|". Items come before prefixes, as in the
// answer.
func rows(t *testing.T, s *Server, query string) string {
	t.Helper()
	var pages []string
	bodies := map[string]string{}
	for _, e := range append(s.Entries("b", ""), s.SoftEntries("b", "")...) {
		bodies[fmt.Sprint(e.Key, "#", e.Generation)] = string(e.Body)
	}
	for token := ""; ; {
		page := must(t, s, 200, "GET", "b/b/o?"+query+"&pageToken="+url.QueryEscape(token), "")
		if page["kind"] != "storage#objects" {
			t.Fatalf("kind %v", page["kind"])
		}
		var row []string
		items, _ := page["items"].([]any)
		for _, i := range items {
			m := i.(map[string]any)
			row = append(row, fmt.Sprint(m["name"], "=", bodies[fmt.Sprint(m["name"], "#", m["generation"])]))
		}
		prefixes, _ := page["prefixes"].([]any)
		for _, p := range prefixes {
			row = append(row, fmt.Sprint("[", p, "]"))
		}
		pages = append(pages, strings.Join(row, " "))
		next, _ := page["nextPageToken"].(string)
		if next == "" {
			return strings.Join(pages, " | ")
		}
		token = next
	}
}

// fixture: "a" (deleted), "a/" live, "a/x" twice, "a/y/z" deleted, "b" three times.
func fixture(t *testing.T) *Server {
	s := start(t, Options{})
	s.SetSoftDelete("b", 0)
	s.Put("b", "a", []byte("1"))
	s.Delete("b", "a")
	s.Put("b", "a/", []byte("2"))
	s.Put("b", "a/x", []byte("3"))
	s.Put("b", "a/x", []byte("4"))
	s.Put("b", "a/y/z", []byte("5"))
	s.Delete("b", "a/y/z")
	for _, body := range []string{"6", "7", "8"} {
		s.Put("b", "b", []byte(body))
	}
	return s
}

// Each question by hand, and then the same in pages of every size: the same rows.
func TestListings(t *testing.T) {
	s := fixture(t)
	for _, c := range []struct{ query, want string }{
		{"", "a/=2 a/x=4 b=8"},
		{"versions=true", "a=1 a/=2 a/x=3 a/x=4 a/y/z=5 b=6 b=7 b=8"},
		{"versions=false&prefix=a", "a/=2 a/x=4"},
		{"versions=true&prefix=a/", "a/=2 a/x=3 a/x=4 a/y/z=5"},
		{"versions=true&prefix=c", ""},
		{"delimiter=/", "b=8 [a/]"},
		{"versions=true&delimiter=/", "a=1 b=6 b=7 b=8 [a/]"},
		{"versions=true&delimiter=/&includeTrailingDelimiter=true", "a=1 a/=2 b=6 b=7 b=8 [a/]"},
		{"delimiter=/&prefix=a/", "a/=2 a/x=4"}, // nothing live in a/y/
		{"versions=true&delimiter=/&prefix=a/", "a/=2 a/x=3 a/x=4 [a/y/]"},
		{"versions=true&delimiter=/&prefix=a", "a=1 [a/]"},
		{"versions=true&delimiter=y/", "a=1 a/=2 a/x=3 a/x=4 b=6 b=7 b=8 [a/y/]"},
		{"versions=true&startOffset=a/x", "a/x=3 a/x=4 a/y/z=5 b=6 b=7 b=8"},
		{"versions=true&startOffset=a/x&endOffset=b", "a/x=3 a/x=4 a/y/z=5"},
		{"versions=true&endOffset=a/x", "a=1 a/=2"},
		{"versions=true&startOffset=b&endOffset=a", ""},
		{"versions=true&prefix=a/&startOffset=a/y", "a/y/z=5"},
		{"versions=true&delimiter=/&startOffset=a/y", "b=6 b=7 b=8 [a/]"},
	} {
		equal(t, c.query, rows(t, s, c.query), c.want)
		for size := 1; size <= 4; size++ {
			paged := rows(t, s, fmt.Sprintf("%s&maxResults=%d", c.query, size))
			for _, page := range strings.Split(paged, " | ") {
				if n := len(strings.Fields(page)); n > size {
					t.Errorf("%s: a page of %d with maxResults=%d", c.query, n, size)
				}
			}
			equal(t, fmt.Sprint(c.query, " by ", size), sorted(paged), sorted(c.want))
		}
	}
	equal(t, "in pages of three", rows(t, s, "versions=true&maxResults=3"), "a=1 a/=2 a/x=3 | a/x=4 a/y/z=5 b=6 | b=7 b=8")
	equal(t, "a page that ends with a prefix", rows(t, s, "versions=true&delimiter=/&includeTrailingDelimiter=true&maxResults=2"), "a=1 [a/] | a/=2 b=6 | b=7 b=8")
}

// sorted puts a listing's rows in order, without its pages.
func sorted(text string) string {
	var items, prefixes []string
	for _, row := range strings.Fields(strings.ReplaceAll(text, "|", "")) {
		if row[0] == '[' {
			prefixes = append(prefixes, row)
		} else {
			items = append(items, row)
		}
	}
	return strings.Join(append(items, prefixes...), " ")
}

// No order of generations is documented: with each, pages follow each other.
func TestOrders(t *testing.T) {
	s := start(t, Options{})
	for i := range 9 {
		s.Put("b", "k", []byte{byte('1' + i)})
	}
	s.Put("b", "l", []byte("x"))
	s.SetOrder("b", Descending)
	want := "k=9 k=8 k=7 k=6 k=5 k=4 k=3 k=2 k=1 l=x"
	for size := 1; size < 11; size++ {
		equal(t, "newest first", sorted(rows(t, s, fmt.Sprintf("versions=true&maxResults=%d", size))), want)
	}
	s.SetOrder("b", Shuffled)
	want = rows(t, s, "versions=true")
	if !strings.HasSuffix(want, " l=x") || want == "k=1 k=2 k=3 k=4 k=5 k=6 k=7 k=8 k=9 l=x" || strings.HasPrefix(want, "k=9 k=8 k=7") {
		t.Errorf("shuffled: %s", want)
	}
	for size := 1; size < 11; size++ {
		equal(t, "shuffled", sorted(rows(t, s, fmt.Sprintf("versions=true&maxResults=%d", size))), want)
	}
}

// A page's place stays right when what it ended with is gone, and what comes
// meanwhile is seen if it lies ahead.
func TestBetweenPages(t *testing.T) {
	s := fixture(t)
	page := must(t, s, 200, "GET", "b/b/o?versions=true&maxResults=3", "")
	token := url.QueryEscape(page["nextPageToken"].(string))
	three := s.Entries("b", "a/x")[0].Generation
	if !s.DeleteGeneration("b", "a/x", three) {
		t.Fatal("a/x=3 is not there")
	}
	s.Put("b", "0", []byte("behind"))
	s.Put("b", "a/z", []byte("ahead"))
	var got []string
	for _, i := range must(t, s, 200, "GET", "b/b/o?versions=true&pageToken="+token, "")["items"].([]any) {
		got = append(got, i.(map[string]any)["name"].(string))
	}
	equal(t, "the rest", got, "[a/x a/y/z a/z b b b]")
	// Without versions=true the rest is that of another listing (versions has to be
	// repeated with each page token).
	got = nil
	for _, i := range must(t, s, 200, "GET", "b/b/o?pageToken="+token, "")["items"].([]any) {
		got = append(got, i.(map[string]any)["name"].(string))
	}
	equal(t, "the rest of live ones", got, "[a/x a/z b]")
}

func TestListingsThatAreRefused(t *testing.T) {
	s := fixture(t)
	for query, want := range map[string]int{
		"maxResults=x": 400, "maxResults=-1": 400, "pageToken=%21": 400, "softDeleted=true&versions=true": 400, "matchGlob=*": 501, "fields=items(": 400, "fields=": 200,
	} {
		if r := api(t, s, "GET", "b/b/o?"+query, ""); r.status != want {
			t.Errorf("%s: %d %s, want %d", query, r.status, r.body, want)
		}
	}
	wantError(t, api(t, s, "GET", "b/none/o", ""), 404, "notFound", "The specified bucket does not exist.")
}

func TestAPageHasAtMostAThousand(t *testing.T) {
	s := start(t, Options{})
	s.Fill("b", 1001, func(i int) Planted { return Planted{Key: fmt.Sprintf("k%04d", i)} })
	if n := len(must(t, s, 200, "GET", "b/b/o?maxResults=5000", "")["items"].([]any)); n != 1000 {
		t.Errorf("%d items", n)
	}
	capped := start(t, Options{PageCap: 2})
	for _, key := range []string{"1", "2", "3"} {
		capped.Put("b", key, nil)
	}
	equal(t, "capped", rows(t, capped, "maxResults=3"), "1= 2= | 3=")
}

// Only what fields asks for.
func TestFields(t *testing.T) {
	s := fixture(t)
	for _, c := range []struct{ fields, want string }{
		{"kind", `{"kind":"storage#objects"}`},
		{"items(name,size),prefixes", `{"items":[{"name":"a/","size":"1"},{"name":"a/x","size":"1"},{"name":"b","size":"1"}]}`},
		{"items/name", `{"items":[{"name":"a/"},{"name":"a/x"},{"name":"b"}]}`},
		{"kind,items/name,prefixes", `{"items":[{"name":"a/"},{"name":"a/x"},{"name":"b"}],"kind":"storage#objects"}`},
		{"none", `{}`},
	} {
		equal(t, c.fields, api(t, s, "GET", "b/b/o?fields="+url.QueryEscape(c.fields), "").body, c.want)
	}
	if all, some := api(t, s, "GET", "b/b/o?fields=*", ""), api(t, s, "GET", "b/b/o", ""); len(all.body) != len(some.body) {
		t.Errorf("* gives\n%s\nnot\n%s", all.body, some.body)
	}
	s.Set("b", "labels", `{"a":"1","b":"2"}`)
	equal(t, "of a bucket", api(t, s, "GET", "b/b?fields=labels(a),versioning/enabled,name", "").body, `{"labels":{"a":"1"},"name":"b","versioning":{"enabled":true}}`)
	for _, bad := range []string{"items(", "items)", "a,", ",", "a(b))", "()", "a/", "items(name"} {
		if r := api(t, s, "GET", "b/b/o?fields="+url.QueryEscape(bad), ""); r.status != 400 {
			t.Errorf("fields=%s: %d %s", bad, r.status, r.body)
		}
	}
}

// A planted history: numbers out of order, times in year 1 and 9999, a size that no
// body has.
func TestPlanted(t *testing.T) {
	s := start(t, Options{})
	late := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	numbers := s.Plant("b",
		Planted{Key: "k", Generation: 200, Body: []byte("first"), Created: noon},
		Planted{Key: "k", Generation: 100, Body: []byte("second"), Created: noon.Add(time.Hour)},
		Planted{Key: "k", Marker: true, Created: noon.Add(2 * time.Hour)},
		Planted{Key: "old", Generation: 7, Created: time.Time{}.Add(time.Hour), Size: 1 << 50, NoMD5: true},
		Planted{Key: "late", Created: late, Deleted: late, Metageneration: 3, Class: "ARCHIVE", Metadata: map[string]string{"a": "b"}},
		Planted{Key: "soft", Generation: 5, Body: []byte("x"), Created: noon, SoftDeleted: noon.Add(time.Minute)})
	equal(t, "numbers", numbers, fmt.Sprintf("[200 100 0 7 %d 5]", late.UnixMicro()))
	equal(t, "k", rows(t, s, "versions=true&prefix=k"), "k=second k=first")
	got := api(t, s, "GET", "b/b/o?versions=true&prefix=k&fields=items(generation,timeCreated,timeDeleted)", "").body
	equal(t, "times", got, `{"items":[{"generation":"100","timeCreated":"2026-03-04T13:00:00.000Z","timeDeleted":"2026-03-04T14:00:00.000Z"},`+
		`{"generation":"200","timeCreated":"2026-03-04T12:00:00.000Z","timeDeleted":"2026-03-04T13:00:00.000Z"}]}`)
	got = api(t, s, "GET", "b/b/o/old?fields=size,timeCreated,md5Hash,crc32c", "").body
	equal(t, "old", got, `{"crc32c":"AAAAAA==","size":"1125899906842624","timeCreated":"0001-01-01T01:00:00.000Z"}`)
	got = api(t, s, "GET", fmt.Sprintf("b/b/o/late?generation=%d&fields=timeDeleted,metageneration,storageClass,metadata", late.UnixMicro()), "").body
	equal(t, "late", got, `{"metadata":{"a":"b"},"metageneration":"3","storageClass":"ARCHIVE","timeDeleted":"9999-12-31T23:59:59.000Z"}`)
	got = api(t, s, "GET", "b/b/o?softDeleted=true&fields=items(name,generation,softDeleteTime,hardDeleteTime)", "").body
	equal(t, "soft", got, `{"items":[{"generation":"5","hardDeleteTime":"2026-03-11T12:01:00.000Z","name":"soft","softDeleteTime":"2026-03-04T12:01:00.000Z"}]}`)
	if n := s.Put("b", "k", []byte("third")); n <= 200 {
		t.Errorf("a new generation has the number %d", n)
	}
	equal(t, "states", states(s, "b", "k"), "(second) (first) third")
}
