package gcs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
	"provcat-tui/bucket/gcs/gcstest"
	"provcat-tui/internal/fakegcs"
	"provcat-tui/internal/synthetic"
)

// BenchmarkDecode is what a generation of a listing costs the client: the page is read
// from memory.
func BenchmarkDecode(b *testing.B) {
	body := gcs.SamplePage(1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if n, err := gcs.DecodePage(body); n != 1000 || err != nil {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/generation")
}

// BenchmarkListing is a listing of the test server, which runs in this process.
func BenchmarkListing(b *testing.B) {
	s := fakegcs.New(fakegcs.Options{})
	b.Cleanup(s.Close)
	store := gcstest.New(b, s.URL())
	const n = 20_000
	s.Fill(store.Name, n, func(i int) fakegcs.Planted {
		return fakegcs.Planted{Key: fmt.Sprintf("big/year=2026/part-%08d.parquet", i/2), Created: time.Unix(1_790_000_000+int64(i%2)*1000, 0)}
	})
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		for _, err := range store.Versions(context.Background(), bucket.Range{}) {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != n {
			b.Fatal(got)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/generation")
}

// BenchmarkMillion is one stream of a million generations from the synthetic endpoint,
// which runs in this process: its work is in the figure, about half a microsecond each.
func BenchmarkMillion(b *testing.B) {
	const n = 1_000_000
	s := synthetic.New(synthetic.Flat(n))
	b.Cleanup(s.Close)
	store := gcstest.Open(b, s.URL(), "big")
	for b.Loop() {
		got := 0
		for _, err := range store.Versions(context.Background(), bucket.Range{}) {
			if err != nil {
				b.Fatal(err)
			}
			got++
		}
		if got != n {
			b.Fatal(got)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/generation")
}
