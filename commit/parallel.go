package commit

import (
	"context"
	"iter"
	"sync"
)

// inOrder runs work on what in gives, at most limit side by side, and yields the
// results in the order of in. It holds at most some 2·limit results. An error of
// in comes in its place and is the last. When the consumer stops, work is
// cancelled; when the iteration ends, no goroutine is left.
func inOrder[T, R any](ctx context.Context, limit int, in func(context.Context) iter.Seq2[T, error], work func(context.Context, T) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		type job struct {
			done chan struct{}
			out  R
			err  error
		}
		queue := make(chan *job, limit)
		slots := make(chan struct{}, limit)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		wg.Go(func() {
			defer close(queue)
			for item, err := range in(ctx) {
				j := &job{done: make(chan struct{}), err: err}
				if err != nil {
					close(j.done)
				} else {
					select {
					case slots <- struct{}{}:
					case <-ctx.Done():
						j.err = ctx.Err()
						close(j.done)
					}
					if j.err == nil {
						wg.Go(func() {
							defer close(j.done)
							defer func() { <-slots }()
							j.out = work(ctx, item)
						})
					}
				}
				select {
				case queue <- j:
				case <-ctx.Done():
					// The consumer has gone, or looks at ctx itself below.
					return
				}
				if j.err != nil {
					return
				}
			}
		})
		for {
			select {
			case j, ok := <-queue:
				if !ok {
					if err := ctx.Err(); err != nil {
						var zero R
						yield(zero, err)
					}
					return
				}
				<-j.done
				if !yield(j.out, j.err) || j.err != nil {
					return
				}
			case <-ctx.Done():
				var zero R
				yield(zero, ctx.Err())
				return
			}
		}
	}
}

// each is inOrder over a slice.
func each[T, R any](ctx context.Context, limit int, items []T, work func(context.Context, T) R) iter.Seq2[R, error] {
	return inOrder(ctx, limit, func(context.Context) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			for _, it := range items {
				if !yield(it, nil) {
					return
				}
			}
		}
	}, work)
}
