package audit

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/local"
	"provcat-tui/bucket/s3/s3test"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// Somebody writes to a bucket through all of many audits, on a bucket file and on an
// S3 server, by the real clock: nothing is ever told but that they are at work.
func TestSomebodyWritesAllTheTime(t *testing.T) {
	type put func(key, body string) error
	for name, open := range map[string]func(t *testing.T) (bucket.Bucket, put){
		"local": func(t *testing.T) (bucket.Bucket, put) {
			b, err := local.Create(filepath.Join(t.TempDir(), "x.bucket"), local.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() })
			return b, func(key, body string) error { _, err := b.Put(bg, key, strings.NewReader(body)); return err }
		},
		"s3": func(t *testing.T) (bucket.Bucket, put) {
			server := fakes3.New(fakes3.Options{PageCap: 7})
			t.Cleanup(server.Close)
			b := s3test.New(t, server.URL())
			return b, func(key, body string) error { server.Put(b.Name, key, []byte(body)); return nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, put := open(t)
			var commits atomic.Int64
			done := make(chan struct{})
			var writers sync.WaitGroup
			// The files of f are those of f/sub too: its commits may find no rest.
			for i, folder := range []string{"f", "f/sub", "g"} {
				writers.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-done:
							return
						default:
						}
						prefix := commit.KeyPrefix(folder)
						err := errors.Join(put(prefix+"a", fmt.Sprint(i, n)), put(fmt.Sprint(prefix, "new", n%5), "x"))
						_, gone := b.Delete(bg, fmt.Sprint(prefix, "new", (n+2)%5))
						r, refused := commit.Write(bg, b, folder, commit.WriteOptions{Author: "ana", Message: fmt.Sprint(n)})
						var restless *commit.WriteError
						if errors.As(refused, &restless) {
							refused = nil
						}
						if err = errors.Join(err, gone, refused); err != nil {
							t.Error(err)
							return
						}
						if r.Committed {
							commits.Add(1)
						}
					}
				})
			}
			defer func() { close(done); writers.Wait() }()
			for end := time.Now().Add(20 * time.Second); commits.Load() == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("nobody commits")
				}
			}
			before := commits.Load()
			for n := 0; n < 6 || commits.Load() < before+6; n++ {
				if n > 300 {
					t.Fatal("nobody commits")
				}
				r := auditOf(t, b, Options{Depth: DepthReadable})
				if r.Verdict != Pass || !r.Complete || r.Counts[Damage]+r.Counts[Risk]+r.Counts[Anomaly]+r.Counts[Unknown] > 0 {
					t.Fatalf("audit %d: verdict %s, complete %v, %v: %s", n, r.Verdict, r.Complete, r.Counts, titles(r))
				}
			}
		})
	}
}
