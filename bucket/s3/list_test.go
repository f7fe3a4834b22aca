package s3_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// keys lists a range: the keys that came, and the error that ended it.
func keys(b bucket.Bucket, r bucket.Range) (out []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for v, err := range b.Versions(ctx, r) {
		if err != nil {
			return out, err
		}
		out = append(out, v.Key)
	}
	return out, nil
}

func items(b bucket.Bucket, prefix string) (out []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for i, err := range b.Level(ctx, prefix) {
		if err != nil {
			return out, err
		}
		out = append(out, i.Name())
	}
	return out, nil
}

// TestListingThatIsNoneEndsInAnError: a fault on the second of three pages.
func TestListingThatIsNoneEndsInAnError(t *testing.T) {
	next := func(key, version string) fakes3.Action {
		return fakes3.Reshape(func(p *fakes3.Page) {
			p.IsTruncated, p.NextKey, p.NextVersion = true, &key, &version
			if version == "" {
				p.NextVersion = nil
			}
		})
	}
	for name, c := range map[string]struct {
		do   fakes3.Action
		kind error
		says string
	}{
		"truncated without markers": {fakes3.NoMarkers, bucket.ErrBadAnswer, "no NextKeyMarker"},
		"the same markers again":    {fakes3.SameMarkers, bucket.ErrBadAnswer, "goes back"},
		"markers that go back":      {next("a", "v"), bucket.ErrBadAnswer, "goes back"},
		"no version marker":         {next("d", ""), bucket.ErrBadAnswer, "no NextVersionIdMarker"},
		"no IsTruncated":            {fakes3.NoTruncated, bucket.ErrBadAnswer, "no IsTruncated"},
		"out of order":              {fakes3.OutOfOrder, bucket.ErrBadAnswer, "out of order"},
		"of another bucket":         {fakes3.WrongName("other"), bucket.ErrBadAnswer, "another bucket"},
		"a web page":                {fakes3.HTML, bucket.ErrBadAnswer, "DOCTYPE html"},
		"an empty body":             {fakes3.Empty, bucket.ErrBadAnswer, "empty"},
		"another document":          {fakes3.Answer(200, "application/xml", "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"), bucket.ErrBadAnswer, "ListBucketResult"},
		"a body that breaks off":    {fakes3.Cut(10), bucket.ErrBadAnswer, "broke off"},
		"denied":                    {fakes3.AccessDenied, bucket.ErrDenied, "needs s3:ListBucketVersions"},
		"denied by name":            {fakes3.Error(403, "AccessDenied", "User: arn:aws:iam::1:user/a is not authorized to perform: kms:Decrypt on x with an explicit deny in a policy"), bucket.ErrDenied, "needs kms:Decrypt"},
		"slow down":                 {fakes3.SlowDown, bucket.ErrSlowDown, "fewer requests"},
		"internal error":            {fakes3.InternalError, nil, "try again"},
		"reset":                     {fakes3.Reset, nil, "broke the connection off"},
		"bucket removed":            {fakes3.Error(404, "NoSuchBucket", "The specified bucket does not exist"), bucket.ErrNotFound, "no such bucket"},
		"token expired":             {fakes3.Error(400, "ExpiredToken", "The provided token has expired."), bucket.ErrDenied, "have expired"},
		"a proxy's 404":             {fakes3.Answer(404, "text/html", "<html><body>nothing here</body></html>"), bucket.ErrBadAnswer, "no proxy"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{})
			b := s3test.New(t, s.URL())
			for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
				s.Put(b.Name, k, []byte(k))
			}
			s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Skip: 1, Times: -1, Do: c.do})
			got, err := keys(b, bucket.Range{PageSize: 2})
			if err == nil {
				t.Fatalf("no error; the listing gave %q", got)
			}
			s.Heal()
			s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Skip: 1, Times: -1, Do: c.do})
			if ahead, e := keys(b, bucket.Range{PageSize: 2, Ahead: true}); !slices.Equal(ahead, got) || fmt.Sprint(e) != fmt.Sprint(err) {
				t.Errorf("with pages asked for ahead: %q, %v; else %q, %v", ahead, e, got, err)
			}
			if len(got) < 2 || !slices.Equal(got[:2], []string{"a", "b"}) || slices.Contains(got, "e") {
				t.Errorf("before the error it gave %q", got)
			}
			if c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %v that says %q", err, c.kind, c.says)
			}
			var e *bucket.Error
			if !errors.As(err, &e) || e.Bucket != b.URL() || e.Op == "" || e.Hint == "" {
				t.Errorf("not a whole *bucket.Error: %#v", e)
			}
		})
	}
}

// TestListingInACircleOfVersionMarkers: a key that never ends.
func TestListingInACircleOfVersionMarkers(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	for i := range 3 {
		s.Put(b.Name, "k", []byte{byte(i)})
	}
	n, entries := 0, s.Entries(b.Name, "k")
	s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Times: -1, Do: fakes3.Reshape(func(p *fakes3.Page) {
		id := entries[n%2].ID
		n++
		key := "k"
		p.IsTruncated, p.NextKey, p.NextVersion = true, &key, &id
	})})
	_, err := keys(b, bucket.Range{Prefix: "k", PageSize: 3})
	if !errors.Is(err, bucket.ErrBadAnswer) || !strings.Contains(err.Error(), "circle") {
		t.Errorf("got %v", err)
	}
	if n > 5 {
		t.Errorf("it took %d pages to notice", n)
	}
}

// TestShortFaultsAreRetried: what the SDK retries does not show, and counts.
func TestShortFaultsAreRetried(t *testing.T) {
	for name, do := range map[string]fakes3.Action{"slow down": fakes3.SlowDown, "reset": fakes3.Reset, "dropped": fakes3.Drop, "cut": fakes3.Cut(7), "cut at once": fakes3.Cut(1 << 20), "internal": fakes3.InternalError} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{})
			b := s3test.New(t, s.URL())
			s.Put(b.Name, "k", nil)
			before := b.Requests().List
			f := s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Do: do})
			got, err := keys(b, bucket.Range{})
			if err != nil || len(got) != 1 || f.Fired() != 1 {
				t.Errorf("got %q, %v after %d faults", got, err, f.Fired())
			}
			if n := b.Requests().List - before; n != 2 && name != "dropped" && name != "reset" || n < 1 {
				// (net/http itself repeats a GET on a kept connection that broke.)
				t.Errorf("%d requests were counted; want 2", n)
			}
		})
	}
}

// A page that is refused for good, as far as the SDK tries, is asked for again where the
// caller wants it, in the middle of a key too, and though all that came before is gone.
func TestARefusedPageIsAskedForAgain(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		t.Run(fmt.Sprintf("ahead %t", ahead), func(t *testing.T) { refusedPage(t, ahead) })
	}
}

func refusedPage(t *testing.T, ahead bool) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	s.Put(b.Name, "a", nil)
	for i := range 5 {
		s.Put(b.Name, "k", []byte{byte(i)})
	}
	s.Put(b.Name, "z", nil)
	ids := func(r bucket.Range) (out []string, last error) {
		for v, err := range b.Versions(t.Context(), r) {
			if last = err; err == nil {
				out = append(out, v.Key+" "+v.ID)
			}
		}
		return out, last
	}
	want, err := ids(bucket.Range{})
	if err != nil || len(want) != 7 {
		t.Fatalf("%q, %v", want, err)
	}
	refuse := func(times int) {
		s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Skip: 2, Times: times, Do: fakes3.SlowDown})
	}

	refuse(-1)
	own := errors.New("enough")
	told := 0
	got, err := ids(bucket.Range{PageSize: 2, Ahead: ahead, OnSlowDown: func(err error) error {
		if told++; told == 2 {
			return own
		}
		return nil
	}})
	if !slices.Equal(got, want[:4]) || err != own || told != 2 {
		t.Errorf("%q, %v; told %d times", got, err, told)
	}
	s.Heal()

	refuse(6) // three at a time are the SDK's own tries
	told = 0
	got, err = ids(bucket.Range{PageSize: 2, Ahead: ahead, OnSlowDown: func(err error) error {
		if told++; !errors.Is(err, bucket.ErrSlowDown) {
			t.Errorf("told %v", err)
		}
		if told == 1 {
			for _, id := range want[1:4] {
				s.DeleteVersion(b.Name, "k", strings.TrimPrefix(id, "k "))
			}
			s.Put(b.Name, "k", []byte("newer"))
		}
		return nil
	}})
	if !slices.Equal(got, want) || err != nil || told != 2 {
		t.Errorf("%q, %v; told %d times; want %q", got, err, told, want)
	}
}

func TestRangesSendNoMoreThanTheyNeed(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	for i := range 10 {
		s.Put(b.Name, fmt.Sprintf("k%d", i), nil)
	}
	for _, c := range []struct {
		r        bucket.Range
		want     string
		requests int64
	}{
		{bucket.Range{}, "k0 k1 k2 k3 k4 k5 k6 k7 k8 k9", 1},
		{bucket.Range{PageSize: 4}, "k0 k1 k2 k3 k4 k5 k6 k7 k8 k9", 3},
		{bucket.Range{After: "k3", Through: "k5"}, "k4 k5", 1},
		{bucket.Range{After: "k3", Through: "k5", PageSize: 3}, "k4 k5", 1},
		{bucket.Range{After: "k5", Through: "k5"}, "", 0},
		{bucket.Range{Prefix: "k", Through: "a"}, "", 0},
		{bucket.Range{Prefix: "k7"}, "k7", 1},
		{bucket.Range{Prefix: "z"}, "", 1},
	} {
		for _, c.r.Ahead = range []bool{false, true} {
			before := b.Requests().List
			got, err := keys(b, c.r)
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%+v: %q, %v; want %q", c.r, got, err, c.want)
			}
			if n := b.Requests().List - before; n != c.requests {
				t.Errorf("%+v: %d requests; want %d", c.r, n, c.requests)
			}
		}
	}
	before := b.Requests().List
	for _, err := range b.Versions(context.Background(), bucket.Range{PageSize: 2}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if n := b.Requests().List - before; n != 1 {
		t.Errorf("the first of many keys took %d requests", n)
	}
}

// TestLevelAcrossPages: folders that span pages come once, whatever the pages.
func TestLevelAcrossPages(t *testing.T) {
	for size := 1; size <= 9; size++ {
		s := server(t, fakes3.Options{PageCap: size})
		b := s3test.New(t, s.URL())
		for _, k := range []string{"a", "a", "b/1", "b/2", "b/2", "b/c/3", "b0", "c/x", "d"} {
			s.Put(b.Name, k, nil)
		}
		s.Delete(b.Name, "c/x")
		got, err := items(b, "")
		if want := "a a b/ b0 c/ d"; err != nil || strings.Join(got, " ") != want {
			t.Errorf("%d a page: %q, %v; want %q", size, got, err, want)
		}
		got, err = items(b, "b/")
		if want := "b/1 b/2 b/2 b/c/"; err != nil || strings.Join(got, " ") != want {
			t.Errorf("%d a page: %q, %v; want %q", size, got, err, want)
		}
	}
}

// TestBucketChangesBetweenPages: deleting the latest version of the key at
// which a page ends makes an older one the latest. That is no fault.
func TestBucketChangesBetweenPages(t *testing.T) {
	s := server(t, fakes3.Options{})
	b := s3test.New(t, s.URL())
	for i := range 3 {
		s.Put(b.Name, "k", []byte{byte(i)})
	}
	latest := s.Entries(b.Name, "k")[0].ID
	n := 0
	s.Before(func(r fakes3.Request) {
		if r.Kind == "ListObjectVersions" {
			if n++; n == 2 {
				s.DeleteVersion(b.Name, "k", latest)
			}
		}
	})
	got, err := keys(b, bucket.Range{PageSize: 1})
	if err != nil || len(got) != 3 {
		t.Errorf("got %q, %v; want k three times", got, err)
	}
}
