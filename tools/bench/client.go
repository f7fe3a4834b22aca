package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"

	"provcat-tui/bucket"
	_ "provcat-tui/bucket/gcs" // registers itself
	_ "provcat-tui/bucket/s3"  // registers itself
)

// clientWord begins the arguments of a process that lists: dialect, requests side by
// side, endpoint.
const clientWord = "list"

// client writes a line for each version of the bucket.
func client(ctx context.Context, args []string) (err error) {
	if len(args) != 3 {
		return fmt.Errorf("%d arguments for %s, not 3", len(args), clientWord)
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
