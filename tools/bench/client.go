package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"provcat-tui/bucket"
	_ "provcat-tui/bucket/gcs" // registers itself
	_ "provcat-tui/bucket/s3"  // registers itself
	"provcat-tui/commit"
)

// The words that begin the arguments of a process that lists: dialect, requests side by
// side, endpoint follow.
const (
	listWord     = "list"     // one walk
	snapshotWord = "snapshot" // what a commit does: two listings
)

// client writes a line for each version of the bucket, or each live file.
func client(ctx context.Context, word string, args []string) (err error) {
	if len(args) != 3 {
		return fmt.Errorf("%d arguments for %s, not 3", len(args), word)
	}
	side, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	l, err := bucket.Parse(args[0] + "://synthetic")
	if err != nil {
		return err
	}
	b, err := bucket.Open(ctx, l, bucket.Options{Endpoint: args[2], PathStyle: true})
	if err != nil {
		return err
	}
	defer func() {
		if e := b.Close(); err == nil {
			err = e
		}
	}()
	if word == snapshotWord {
		began, first := spent(), time.Duration(0)
		got, err := commit.Collect(ctx, b, "", side, func(p commit.Progress) {
			if p.Listing == 1 {
				first = spent() - began
			}
		})
		if err != nil {
			return err
		}
		// The last report of the first listing comes at its end.
		n := float64(max(1, got.Versions))
		fmt.Fprintf(os.Stderr, "first listing %.2f, second %.2f", first.Seconds()*1e6/n, (spent()-began-first).Seconds()*1e6/n)
		out := bufio.NewWriterSize(os.Stdout, 64<<10)
		for i := range got.Files {
			if _, err := fmt.Fprintf(out, "%s\t%s\n", got.Files[i].Path, got.Files[i].Version); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	var mu sync.Mutex
	return bucket.Walk(ctx, b, bucket.Range{}, bucket.WalkOptions{Concurrency: side}, func(_ context.Context, p *bucket.Part) error {
		out := bufio.NewWriterSize(locked{&mu}, 64<<10)
		line := make([]byte, 0, 256)
		for v, err := range p.Versions() {
			if err != nil {
				return err
			}
			line = append(append(append(append(line[:0], v.Key...), '\t'), v.ID...), '\n')
			if len(line) > out.Available() { // whole lines, since others write too
				if err := out.Flush(); err != nil {
					return err
				}
			}
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}

// locked writes to standard output, one at a time.
type locked struct{ mu *sync.Mutex }

func (w locked) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return os.Stdout.Write(b)
}
