package cli

import (
	"context"
	"iter"
	"sync"
)

// ordered runs f on what seq yields, n at a time, and yields the answers in
// seq's order. When the caller stops, and after an error of seq, it stops all and
// waits for it: nothing reads on when the bucket is closed.
func ordered[T, R any](ctx context.Context, seq iter.Seq2[T, error], n int, f func(context.Context, T) R) iter.Seq2[R, error] {
	type answer struct {
		r   R
		err error
	}
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		// The buffer bounds how many run ahead of the reader.
		queue := make(chan chan answer, max(n-1, 0))
		var running sync.WaitGroup
		defer func() {
			cancel()
			for range queue { // until the reader of seq has ended
			}
			running.Wait()
		}()
		go func() {
			defer close(queue)
			for v, err := range seq {
				if ctx.Err() != nil {
					return // select takes either of two that are ready
				}
				c := make(chan answer, 1)
				select {
				case queue <- c:
				case <-ctx.Done():
					return
				}
				if err != nil {
					c <- answer{err: err}
					return
				}
				running.Go(func() { c <- answer{r: f(ctx, v)} })
			}
		}()
		for c := range queue {
			a := <-c
			if !yield(a.r, a.err) || a.err != nil {
				return
			}
		}
	}
}
