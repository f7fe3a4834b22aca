package local

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"provcat-tui/bucket"
)

func BenchmarkPut(b *testing.B) {
	for _, noSync := range []bool{false, true} {
		b.Run(fmt.Sprint("nosync=", noSync), func(b *testing.B) {
			f, err := Create(b.TempDir()+"/x.bucket", Options{NoSync: noSync})
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if _, err := f.PutIfAbsent(bg, fmt.Sprintf("folder/%09d", i), strings.NewReader("body")); err != nil {
					b.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkReadAndList(b *testing.B) {
	f, err := Create(b.TempDir()+"/x.bucket", Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }() // of a file that is thrown away
	const n = 20_000
	for i := range n {
		if _, err := f.Put(bg, fmt.Sprintf("folder/%09d", i), strings.NewReader("body")); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			for _, err := range f.Versions(bg, bucket.Range{}) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/version")
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			r, _, err := f.Open(bg, "folder/000010000", "", 0)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
