package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	static "github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"provcat-tui/bucket"
)

// pagesServer answers ListObjectVersions with the same 1,000 versions again and
// again, under rising keys, and nothing else: the cost of the client is what is
// measured, not that of a store.
func pagesServer(pages int) *httptest.Server {
	var bodies [][]byte
	for p := range pages {
		body := bytes.ReplaceAll(pageOf(1000), []byte("sales/2026/"), fmt.Appendf(nil, "sales/%04d/", p))
		if p+1 < pages {
			body = bytes.Replace(body, []byte("<IsTruncated>false</IsTruncated>"),
				fmt.Appendf(nil, "<IsTruncated>true</IsTruncated><NextKeyMarker>sales/%04d/~</NextKeyMarker><NextVersionIdMarker>page%d</NextVersionIdMarker>", p, p+1), 1)
		}
		bodies = append(bodies, body)
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := 0
		if m := r.URL.Query().Get("version-id-marker"); m != "" {
			p, _ = strconv.Atoi(m[len("page"):])
		}
		w.Header().Set("Content-Type", "application/xml")
		_, _ = w.Write(bodies[p])
	}))
}

// BenchmarkList: 100,000 versions in 100 pages, from a server on loopback in this
// process; our decoder in the SDK's pipeline, and the SDK with its own.
func BenchmarkList(b *testing.B) {
	const pages = 100
	s := pagesServer(pages)
	defer s.Close()
	key := static.NewStaticCredentialsProvider("test", "test", "")
	options := func(o *awss3.Options) { o.Credentials = key }
	per := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(pages*1000), "ns/version")
	}
	b.Run("ours", func(b *testing.B) {
		bk, err := OpenWith(context.Background(), bucket.Location{Scheme: "s3", Bucket: "team-data"},
			bucket.Options{Endpoint: s.URL, Region: "us-east-1", PathStyle: true}, options)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, err := range bk.Versions(context.Background(), bucket.Range{}) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != pages*1000 {
				b.Fatal(n)
			}
		}
		per(b)
	})
	b.Run("sdk", func(b *testing.B) {
		c := awss3.New(awss3.Options{BaseEndpoint: aws.String(s.URL), Region: "us-east-1", UsePathStyle: true, Credentials: key})
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			p := awss3.NewListObjectVersionsPaginator(c, &awss3.ListObjectVersionsInput{Bucket: aws.String("team-data")})
			for p.HasMorePages() {
				out, err := p.NextPage(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				n += len(out.Versions)
			}
			if n != pages*1000 {
				b.Fatal(n)
			}
		}
		per(b)
	})
}

// BenchmarkUnmarshal is BenchmarkScan's peer: encoding/xml on the same page.
func BenchmarkUnmarshal(b *testing.B) {
	body := pageOf(1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var out struct {
			Version []struct {
				Key, VersionId, LastModified, ETag, StorageClass string //nolint:revive // the element's name
				IsLatest                                         bool
				Size                                             int64
			}
		}
		if err := xml.Unmarshal(body, &out); err != nil || len(out.Version) != 1000 {
			b.Fatal(err, len(out.Version))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/version")
}
