package gcs

import (
	"context"
	"errors"
	"iter"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// Uploads: the JSON API cannot list unfinished uploads.
func (b *store) Uploads(_ context.Context, prefix string) iter.Seq2[bucket.Upload, error] {
	return func(yield func(bucket.Upload, error) bool) {
		yield(bucket.Upload{}, &bucket.Error{Op: "list the unfinished uploads of", Bucket: b.URL(), Key: prefix, Kind: bucket.ErrUnsupported,
			Err: errors.New("the JSON API of Cloud Storage lists none")})
	}
}

// SoftDeleted lists what was removed for good and is still kept: see
// bucket.SoftDeleted.
func (b *store) SoftDeleted(ctx context.Context, prefix string) iter.Seq2[bucket.Removed, error] {
	return func(yield func(bucket.Removed, error) bool) {
		p := &pager{b: b, prefix: prefix, soft: true}
		defer p.release()
		for more := true; more; {
			err := p.fetch(ctx)
			for i := 0; err == nil && i < len(p.page.items); i++ {
				g := &p.page.items[i]
				if err = p.follow(g.Key); err == nil && g.softDeleted.IsZero() {
					err = &remote.BadAnswer{Text: "a soft-deleted object without the time of its deletion"}
				}
				if err == nil && !yield(bucket.Removed{Version: g.Version, Removed: g.softDeleted, Until: g.hardDelete}, nil) {
					return
				}
			}
			if err == nil {
				more, err = p.advance()
			}
			if err != nil {
				yield(bucket.Removed{}, b.fail(p.call(), err))
				return
			}
		}
	}
}
