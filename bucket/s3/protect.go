package s3

import (
	"context"
	"errors"
	"iter"

	"provcat-tui/bucket"
)

var errLater = errors.New("not read yet")

func (b *store) Tags(_ context.Context, key, version string) (map[string]string, error) {
	return nil, &bucket.Error{Op: "read the tags of", Bucket: b.URL(), Key: key, Version: version, Err: errLater}
}

func (b *store) Protection(_ context.Context, key, version string) (bucket.Protection, error) {
	return bucket.Protection{}, &bucket.Error{Op: "read the protection of", Bucket: b.URL(), Key: key, Version: version, Err: errLater}
}

func (b *store) Uploads(_ context.Context, prefix string) iter.Seq2[bucket.Upload, error] {
	return func(yield func(bucket.Upload, error) bool) {
		yield(bucket.Upload{}, &bucket.Error{Op: "list unfinished uploads of", Bucket: b.URL(), Key: prefix, Kind: bucket.ErrUnsupported, Err: errLater})
	}
}
