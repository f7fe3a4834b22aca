package bucket

import (
	"context"
	"iter"
	"time"
)

// A Removed is a version that was removed for good, and that the store still keeps
// for a while. It can be restored, but only as a new version: a commit that names it
// stays broken.
type Removed struct {
	Version
	Removed time.Time // when, in UTC
	Until   time.Time // when the store will forget it; zero: not told
}

// A softDeleter is a Bucket whose store keeps what was removed.
type softDeleter interface {
	SoftDeleted(ctx context.Context, prefix string) iter.Seq2[Removed, error]
}

// SoftDeleted lists what was removed for good under a prefix and is still kept, keys
// ascending. A store that keeps nothing yields nothing, and nothing is asked. What wraps
// a bucket has a method Unwrap, so that the store is found.
func SoftDeleted(ctx context.Context, b Bucket, prefix string) iter.Seq2[Removed, error] {
	for {
		if s, ok := b.(softDeleter); ok {
			return s.SoftDeleted(ctx, prefix)
		}
		w, ok := b.(interface{ Unwrap() Bucket })
		if !ok {
			return func(func(Removed, error) bool) {}
		}
		b = w.Unwrap()
	}
}
