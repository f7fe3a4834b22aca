package s3_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"provcat-tui/bucket"
	"provcat-tui/bucket/s3"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/internal/fakes3"
)

// uploads lists the unfinished uploads: keys and IDs, and the error at the end.
func uploads(b bucket.Bucket, prefix string) (out []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for u, err := range b.Uploads(ctx, prefix) {
		if err != nil {
			return out, err
		}
		out = append(out, u.Key+" "+u.ID)
	}
	return out, nil
}

func TestUploads(t *testing.T) {
	now := time.Date(2026, 10, 30, 12, 34, 56, 789, time.UTC)
	s := server(t, fakes3.Options{PageCap: 2, Now: func() time.Time { return now }})
	b := s3test.New(t, s.URL())
	var want []string
	for _, key := range []string{"a", "a", "a", "a", "a", "b +%2F&\x01", "sales/ü", "sales/ü"} {
		want = append(want, key+" "+s.StartUpload(b.Name, key))
	}
	got, err := uploads(b, "")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	if got, err := uploads(b, "sales/"); err != nil || !slices.Equal(got, want[6:]) {
		t.Errorf("got %q, %v\nwant %q", got, err, want[6:])
	}
	for u, err := range b.Uploads(context.Background(), "") {
		if err != nil || !u.Started.Equal(now.Truncate(time.Second)) || u.Started.Location() != time.UTC {
			t.Errorf("%+v, %v; want started %v", u, err, now)
		}
		break // the caller may stop
	}
}

// TestListingOfUploadsThatIsNoneEndsInAnError: a fault on the second of three
// pages of two.
func TestListingOfUploadsThatIsNoneEndsInAnError(t *testing.T) {
	next := func(key, id string) fakes3.Action {
		return fakes3.Reshape(func(p *fakes3.Page) {
			p.IsTruncated, p.NextKey, p.NextVersion = true, &key, &id
			if id == "" {
				p.NextVersion = nil
			}
		})
	}
	document := func(inner string) fakes3.Action {
		return fakes3.Answer(200, "application/xml", "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>"+inner+"</ListMultipartUploadsResult>")
	}
	for name, c := range map[string]struct {
		do   fakes3.Action
		kind error
		says string
	}{
		"truncated without markers": {fakes3.NoMarkers, bucket.ErrBadAnswer, "no NextKeyMarker"},
		"the same markers again":    {fakes3.SameMarkers, bucket.ErrBadAnswer, "goes back"},
		"markers that go back":      {next("a", "v"), bucket.ErrBadAnswer, "goes back"},
		"no upload marker":          {next("d", ""), bucket.ErrBadAnswer, "no NextUploadIdMarker"},
		"no IsTruncated":            {fakes3.NoTruncated, bucket.ErrBadAnswer, "no IsTruncated"},
		"out of order":              {fakes3.OutOfOrder, bucket.ErrBadAnswer, "out of order"},
		"of another bucket":         {fakes3.WrongName("other"), bucket.ErrBadAnswer, "another bucket"},
		"a web page":                {fakes3.HTML, bucket.ErrBadAnswer, "DOCTYPE html"},
		"an empty body":             {fakes3.Empty, bucket.ErrBadAnswer, "starts with"},
		"a listing of versions":     {fakes3.Answer(200, "application/xml", "<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>"), bucket.ErrBadAnswer, "ListVersionsResult"},
		"a body that breaks off":    {fakes3.Cut(10), bucket.ErrBadAnswer, "broke off"},
		"another prefix":            {document("<Prefix>x</Prefix>"), bucket.ErrBadAnswer, "another prefix"},
		"folders":                   {document("<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes>"), bucket.ErrBadAnswer, "folders"},
		"no ID":                     {document("<Upload><Key>c</Key><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>"), bucket.ErrBadAnswer, "without its key"},
		"no time":                   {document("<Upload><Key>c</Key><UploadId>1</UploadId></Upload>"), bucket.ErrBadAnswer, "without its key"},
		"a time that is none":       {document("<Upload><Key>c</Key><UploadId>1</UploadId><Initiated>soon</Initiated></Upload>"), bucket.ErrBadAnswer, "cannot be read"},
		"a key encoded wrongly":     {document("<EncodingType>url</EncodingType><Upload><Key>c%</Key><UploadId>1</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>"), bucket.ErrBadAnswer, "percent-encoded"},
		"denied":                    {fakes3.AccessDenied, bucket.ErrDenied, "needs s3:ListBucketMultipartUploads"},
		"501":                       {fakes3.NotImplemented, bucket.ErrUnsupported, "NotImplemented"},
		"405":                       {fakes3.Error(405, "MethodNotAllowed", "The specified method is not allowed against this resource."), bucket.ErrUnsupported, "MethodNotAllowed"},
		"slow down":                 {fakes3.SlowDown, nil, "fewer requests"},
		"reset":                     {fakes3.Reset, nil, "broke the connection off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, fakes3.Options{PageCap: 2})
			b := s3test.New(t, s.URL())
			var want []string
			for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
				want = append(want, key+" "+s.StartUpload(b.Name, key))
			}
			s.Fail(fakes3.Fault{Kind: "ListMultipartUploads", Skip: 1, Times: -1, Do: c.do})
			got, err := uploads(b, "")
			if !slices.Equal(got, want[:2]) {
				t.Errorf("before the error it gave %q", got)
			}
			if err == nil || c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %v that says %q", err, c.kind, c.says)
			}
			var e *bucket.Error
			if !errors.As(err, &e) || e.Bucket != b.URL() || e.Op == "" {
				t.Errorf("not a whole *bucket.Error: %#v", e)
			}
		})
	}
}

// TestUploadsInACircle: markers of one key that take turns.
func TestUploadsInACircle(t *testing.T) {
	s := server(t, fakes3.Options{PageCap: 1})
	b := s3test.New(t, s.URL())
	var ids []string
	for range 3 {
		ids = append(ids, s.StartUpload(b.Name, "k"))
	}
	n := 0
	s.Fail(fakes3.Fault{Kind: "ListMultipartUploads", Times: -1, Do: fakes3.Reshape(func(p *fakes3.Page) {
		key := "k"
		p.IsTruncated, p.NextKey, p.NextVersion = true, &key, &ids[n%2]
		n++
	})})
	if got, err := uploads(b, ""); !errors.Is(err, bucket.ErrBadAnswer) || n > 4 {
		t.Errorf("%q, %v after %d pages", got, err, n)
	}
}

// says answers every request with one body.
type says struct{ body string }

func (s says) Do(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/xml"}}, ContentLength: int64(len(s.body)), Body: io.NopCloser(strings.NewReader(s.body))}, nil
}

// FuzzUploads: whatever the store says on every page, the listing ends, and what
// it gives is in order and under the prefix.
func FuzzUploads(f *testing.F) {
	upload := "<Upload><Key>a%2Fb</Key><UploadId>1</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>"
	for _, seed := range []string{"", "<IsTruncated>false</IsTruncated>" + upload, "<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>" + upload + upload,
		"<IsTruncated>true</IsTruncated><NextKeyMarker>b</NextKeyMarker><NextUploadIdMarker>2</NextUploadIdMarker>" + upload, "<Prefix>a</Prefix><Bucket>b</Bucket><IsTruncated>true</IsTruncated>"} {
		f.Add("<ListMultipartUploadsResult>"+seed+"</ListMultipartUploadsResult>", "")
		f.Add("<ListMultipartUploadsResult><Prefix>a</Prefix>"+seed+"</ListMultipartUploadsResult>", "a")
	}
	f.Fuzz(func(t *testing.T, body, prefix string) {
		page := `<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>`
		client := &says{page}
		b, err := s3.OpenWith(context.Background(), bucket.Location{Scheme: "s3", Bucket: "b"},
			bucket.Options{Endpoint: "http://127.0.0.1:1", Region: "us-east-1", PathStyle: true}, s3test.Tune, func(o *awss3.Options) { o.HTTPClient = client })
		if err != nil {
			t.Fatal(err)
		}
		client.body = body
		last, pages := "", b.Requests().List
		for u, err := range b.Uploads(context.Background(), prefix) {
			if err != nil {
				break
			}
			if !strings.HasPrefix(u.Key, prefix) || u.Key < last || u.Key == "" || u.ID == "" || u.Started.IsZero() && !strings.Contains(body, "0001") {
				t.Fatalf("%+v after %q under %q", u, last, prefix)
			}
			last = u.Key
		}
		if n := b.Requests().List - pages; n > 6 { // three attempts for each of two pages
			t.Fatalf("%d pages of one body", n)
		}
	})
}
