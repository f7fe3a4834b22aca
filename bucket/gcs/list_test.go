package gcs_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
)

var start = time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

func serve(t *testing.T, o fakegcs.Options) (*fakegcs.Server, *gcstest.Bucket) {
	t.Helper()
	s := fakegcs.New(o)
	t.Cleanup(s.Close)
	return s, gcstest.New(t, s.URL())
}

// lines is a listing in short: key, ID without what the test makes plain, marks.
func lines(t *testing.T, b bucket.Bucket, r bucket.Range) string {
	t.Helper()
	var out []string
	for v, err := range b.Versions(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		s := v.Key + " " + v.ID
		if v.DeleteMarker {
			s += fmt.Sprintf(" at %d", v.Modified.Sub(start).Milliseconds())
		}
		if v.Latest {
			s += " latest"
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// A table of what lies in a bucket and what a listing must say of it, worked out by
// hand. Numbers tell nothing about the order, times do.
func TestGenerationsAndTheirGaps(t *testing.T) {
	for name, c := range map[string]struct {
		plant []fakegcs.Planted
		want  string
	}{
		"written over": {[]fakegcs.Planted{{Key: "k", Generation: 10, Created: at(0)}, {Key: "k", Generation: 20, Created: at(5)}},
			"k 20 latest\nk 10"},
		"deleted": {[]fakegcs.Planted{{Key: "k", Generation: 10, Created: at(0)}, {Key: "k", Marker: true, Created: at(5)}},
			"k deleted-10 at 5 latest\nk 10"},
		"deleted and made again": {[]fakegcs.Planted{{Key: "k", Generation: 10, Created: at(0)}, {Key: "k", Marker: true, Created: at(5)}, {Key: "k", Generation: 20, Created: at(6)}},
			"k 20 latest\nk deleted-10 at 5\nk 10"},
		"deleted and made again in one millisecond": {[]fakegcs.Planted{{Key: "k", Generation: 10, Created: at(0)}, {Key: "k", Marker: true, Created: at(5)}, {Key: "k", Generation: 20, Created: at(5)}},
			"k 20 latest\nk 10"},
		"numbers that go down": {[]fakegcs.Planted{{Key: "k", Generation: 30, Created: at(0)}, {Key: "k", Generation: 10, Created: at(5)}, {Key: "k", Generation: 20, Created: at(9)}},
			"k 20 latest\nk 10\nk 30"},
		"three in one millisecond": {[]fakegcs.Planted{{Key: "k", Generation: 30, Created: at(0), Deleted: at(0)}, {Key: "k", Generation: 10, Created: at(0), Deleted: at(7)}, {Key: "k", Generation: 20, Created: at(7)}},
			"k 20 latest\nk 10\nk 30"},
		"one between was removed for good": {[]fakegcs.Planted{{Key: "k", Generation: 10, Created: at(0), Deleted: at(5)}, {Key: "k", Generation: 30, Created: at(8)}},
			"k 30 latest\nk deleted-10 at 5\nk 10"},
		"deleted twice": {[]fakegcs.Planted{{Key: "k", Generation: 10, Created: at(0)}, {Key: "k", Marker: true, Created: at(5)}, {Key: "k", Generation: 20, Created: at(7)}, {Key: "k", Marker: true, Created: at(9)}},
			"k deleted-20 at 9 latest\nk 20\nk deleted-10 at 5\nk 10"},
		"soft-deleted ones are no versions": {[]fakegcs.Planted{{Key: "k", Generation: 10, Created: at(0), SoftDeleted: at(5)}, {Key: "k", Generation: 20, Created: at(8)}},
			"k 20 latest"},
	} {
		t.Run(name, func(t *testing.T) {
			s, b := serve(t, fakegcs.Options{})
			s.Plant(b.Name, fakegcs.Planted{Key: "a", Generation: 1, Created: at(0)})
			s.Plant(b.Name, c.plant...)
			s.Plant(b.Name, fakegcs.Planted{Key: "l", Generation: 2, Created: at(0)})
			want := "a 1 latest\n" + c.want + "\nl 2 latest"
			for _, order := range []fakegcs.Order{fakegcs.Ascending, fakegcs.Descending, fakegcs.Shuffled} {
				s.SetOrder(b.Name, order)
				for size := range 5 {
					if got := lines(t, b, bucket.Range{PageSize: size}); got != want {
						t.Errorf("order %v, pages of %d:\n%s\nwant\n%s", order, size, got, want)
					}
				}
			}
		})
	}
}

// A bound may be longer than a name can be, end in the middle of a character, or be a
// key with many generations.
func TestBounds(t *testing.T) {
	s, b := serve(t, fakegcs.Options{PageCap: 2})
	long := strings.Repeat("k", 1024)
	for i, k := range []string{"a", "ü", "ü", "üa", "y", long, "z"} {
		s.Plant(b.Name, fakegcs.Planted{Key: k, Generation: int64(i + 1), Created: at(i)})
	}
	for _, c := range []struct {
		r    bucket.Range
		want string
	}{
		{bucket.Range{After: "ü"}, "üa 4 latest"},
		{bucket.Range{After: "\xc3"}, "ü 3 latest\nü 2\nüa 4 latest"},
		{bucket.Range{Through: "ü", After: "y"}, "z 7 latest\nü 3 latest\nü 2"},
		{bucket.Range{Through: "\xc3\xbd", After: "y"}, "z 7 latest\nü 3 latest\nü 2\nüa 4 latest"},
		{bucket.Range{Through: long, After: "b"}, long + " 6 latest"},
		{bucket.Range{After: long, Through: long + "k"}, ""},
		{bucket.Range{Prefix: "ü", Through: "ü"}, "ü 3 latest\nü 2"},
	} {
		if got := lines(t, b, c.r); got != c.want {
			t.Errorf("%.40q: %s\nwant\n%s", fmt.Sprint(c.r), got, c.want)
		}
	}
}

// Only the fields that are used are asked for, and versions with every page.
func TestListingAsks(t *testing.T) {
	s, b := serve(t, fakegcs.Options{PageCap: 1})
	for i, k := range []string{"a", "b", "c"} {
		s.Plant(b.Name, fakegcs.Planted{Key: k, Created: at(i)})
	}
	s.Forget()
	lines(t, b, bucket.Range{Prefix: "", After: "a", Through: "c"})
	log := s.Requests()
	if len(log) != 3 {
		t.Fatalf("%d requests: %+v", len(log), log)
	}
	for i, r := range log {
		q, err := url.ParseQuery(r.Query)
		if err != nil {
			t.Fatal(err)
		}
		if q.Get("versions") != "true" || q.Get("startOffset") != "a" || q.Get("endOffset") != "c\x01" || q.Get("projection") != "noAcl" ||
			q.Get("fields") != "kind,nextPageToken,prefixes,items(name,generation,size,md5Hash,crc32c,timeCreated,timeDeleted,storageClass)" || (q.Get("pageToken") != "") != (i > 0) {
			t.Errorf("request %d asks %v", i, q)
		}
	}
}

// What is no listing, or could end one early, is an error: never an empty answer.
func TestBadListings(t *testing.T) {
	for name, c := range map[string]struct {
		do    fakegcs.Action
		skip  int
		times int
		kind  error
		says  string
		works bool
	}{
		"a portal's page":           {do: fakegcs.HTML, times: -1, kind: bucket.ErrBadAnswer, says: "not JSON"},
		"nothing":                   {do: fakegcs.Empty, times: -1, kind: bucket.ErrBadAnswer, says: "broke off"},
		"an empty object":           {do: fakegcs.EmptyObject, times: -1, kind: bucket.ErrBadAnswer, says: "storage#objects"},
		"no kind":                   {do: fakegcs.NoKind, times: -1, kind: bucket.ErrBadAnswer, says: "storage#objects"},
		"the same token again":      {do: fakegcs.SameToken, skip: 1, times: -1, kind: bucket.ErrBadAnswer, says: "circle"},
		"names out of order":        {do: fakegcs.OutOfOrder, times: -1, kind: bucket.ErrBadAnswer, says: "out of order"},
		"a body that breaks off":    {do: fakegcs.Cut(20), times: -1, kind: bucket.ErrBadAnswer, says: "broke off"},
		"one that breaks off once":  {do: fakegcs.Cut(20), times: 1, works: true},
		"a page with no items":      {do: fakegcs.NoItems, skip: 5, times: 1, works: true},
		"503, then all is well":     {do: fakegcs.BackendError, times: 3, works: true},
		"429, then all is well":     {do: fakegcs.RateLimitExceeded, times: 1, works: true},
		"reset, then all is well":   {do: fakegcs.Reset, times: 2, works: true},
		"dropped, then all is well": {do: fakegcs.Drop, times: 2, works: true},
		"503 for good":              {do: fakegcs.BackendError, times: -1, kind: bucket.ErrSlowDown, says: "fewer requests"},
		"429 for good":              {do: fakegcs.RateLimitExceeded, times: -1, kind: bucket.ErrSlowDown, says: "fewer requests"},
		"403 for the rate":          {do: fakegcs.Error(403, "userRateLimitExceeded", "User Rate Limit Exceeded"), times: -1, kind: bucket.ErrSlowDown, says: "fewer requests"},
		"500 for good":              {do: fakegcs.Error(500, "backendError", "We encountered an internal error. Please try again."), times: -1, says: "a fault of its own"},
		"forbidden":                 {do: fakegcs.Forbidden, times: -1, kind: bucket.ErrDenied, says: "storage.objects.list"},
	} {
		t.Run(name, func(t *testing.T) {
			s, b := serve(t, fakegcs.Options{PageCap: 2})
			for i, k := range []string{"a", "b", "c", "d", "e"} {
				s.Plant(b.Name, fakegcs.Planted{Key: k, Created: at(i)})
			}
			armed := s.Fail(fakegcs.Fault{Kind: "objects.list", Skip: c.skip, Times: c.times, Do: c.do})
			var failed error
			n := 0
			for _, err := range b.Versions(t.Context(), bucket.Range{}) {
				if failed = err; err == nil {
					n++
				}
			}
			switch {
			case c.works && (failed != nil || n != 5 && name != "a page with no items"):
				t.Errorf("%d versions, %v", n, failed)
			case !c.works && (failed == nil || c.kind != nil && !errors.Is(failed, c.kind) || !strings.Contains(failed.Error(), c.says)):
				t.Errorf("%d versions, %v; want %v that says %q", n, failed, c.kind, c.says)
			case armed.Fired() == 0 && name != "a page with no items":
				t.Error("the fault met nothing")
			}
		})
	}
}

// A page that is refused for good, as far as the driver tries, is asked for again where
// the caller wants it, in the middle of a key too, and though all that came before is
// gone.
func TestARefusedPageIsAskedForAgain(t *testing.T) {
	s, b := serve(t, fakegcs.Options{PageCap: 2})
	for i, k := range []string{"a", "k", "k", "k", "k", "k", "z"} {
		s.Plant(b.Name, fakegcs.Planted{Key: k, Generation: int64(i + 1), Created: at(i)})
	}
	want := "a 1 latest\nk 6 latest\nk 5\nk 4\nk 3\nk 2\nz 7 latest"
	refuse := func() { s.Fail(fakegcs.Fault{Kind: "objects.list", Skip: 2, Times: 10, Do: fakegcs.BackendError}) } // five at a time are the driver's own
	refuse()
	own := errors.New("enough")
	n := 0
	var last error
	for _, err := range b.Versions(t.Context(), bucket.Range{OnSlowDown: func(error) error { return own }}) {
		if last = err; err == nil {
			n++
		}
	}
	if last != own || n != 1 {
		t.Errorf("%d versions, then %v", n, last)
	}
	s.Heal()

	told := 0
	r := bucket.Range{OnSlowDown: func(err error) error {
		if told++; !errors.Is(err, bucket.ErrSlowDown) {
			t.Errorf("told %v", err)
		}
		if told == 1 {
			for _, generation := range []string{"2", "3", "4"} {
				if err := b.DeleteVersion(t.Context(), "k", generation); err != nil {
					t.Error(err)
				}
			}
		}
		return nil
	}}
	refuse()
	if got := lines(t, b, r); got != want || told != 2 {
		t.Errorf("told %d times:\n%s\nwant\n%s", told, got, want)
	}
}

// A listing in pages of one holds the generations of one key and no more, and stops
// when it is told.
func TestCancelledInsideAKey(t *testing.T) {
	s, b := serve(t, fakegcs.Options{})
	for i := range 50 {
		s.Plant(b.Name, fakegcs.Planted{Key: "k", Created: at(i)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var last error
	for _, err := range b.Versions(ctx, bucket.Range{}) {
		if last = err; err == nil {
			n++
		}
		cancel()
	}
	if n != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d versions, then %v", n, last)
	}
}

// What was removed for good is another listing, also behind a view that only reads.
func TestSoftDeleted(t *testing.T) {
	s, b := serve(t, fakegcs.Options{PageCap: 1})
	s.Plant(b.Name, fakegcs.Planted{Key: "a/k", Generation: 10, Body: []byte("one"), Created: at(0), SoftDeleted: at(5), HardDelete: at(9000)},
		fakegcs.Planted{Key: "a/k", Generation: 11, Created: at(6)}, fakegcs.Planted{Key: "b", Generation: 12, Created: at(1), SoftDeleted: time.Now(), HardDelete: time.Now().Add(time.Hour)})
	var got []string
	for r, err := range bucket.SoftDeleted(t.Context(), bucket.ReadOnly(b), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(r.Key, " ", r.ID, " ", r.Size, " ", r.Until.After(r.Removed)))
	}
	// The service keeps nothing beyond its time.
	if want := []string{"b 12 0 true"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}
