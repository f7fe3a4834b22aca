package bucket

import (
	"context"
	"errors"
	"io"
)

// ReadOnly gives a view of b on which every write fails with ErrUnsupported
// before it reaches the store. The audit runs on one, whatever it was given.
func ReadOnly(b Bucket) Bucket {
	if _, ok := b.(readOnly); ok {
		return b
	}
	return readOnly{b}
}

type readOnly struct{ Bucket }

// Unwrap gives the bucket itself.
func (r readOnly) Unwrap() Bucket { return r.Bucket }

func (r readOnly) refuse(op, key string) error {
	return &Error{Op: op, Bucket: r.URL(), Key: key, Kind: ErrUnsupported,
		Err:  errors.New("opened read-only"),
		Hint: "run without --read-only to write"}
}

func (r readOnly) PutIfAbsent(_ context.Context, key string, _ io.ReadSeeker) (Version, error) {
	return Version{}, r.refuse("create", key)
}

func (r readOnly) CopyVersion(_ context.Context, _, _, to string) (Version, error) {
	return Version{}, r.refuse("copy to", to)
}

func (r readOnly) Delete(_ context.Context, key string) (Version, error) {
	return Version{}, r.refuse("delete", key)
}

func (r readOnly) Hold(_ context.Context, key, _ string, _ bool) error {
	return r.refuse("change the hold of", key)
}

func (r readOnly) DeleteVersion(_ context.Context, key, _ string) error {
	return r.refuse("delete a version of", key)
}
