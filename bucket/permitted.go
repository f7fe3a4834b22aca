package bucket

import "context"

// A permitter is a Bucket whose store tells which permissions the credentials have.
type permitter interface {
	Permitted(ctx context.Context, permissions []string) ([]string, error)
}

// Permitted gives the function that asks which of some permissions, named as the store
// names them, the credentials have on the whole bucket. It reads, and needs no permission
// itself. What it leaves out may be granted for a part of the keys.
//
// Nil: the store has no such question, as S3. See Again on how the driver is found.
func Permitted(b Bucket) func(ctx context.Context, permissions []string) ([]string, error) {
	for {
		if p, ok := b.(permitter); ok {
			return p.Permitted
		}
		w, ok := b.(interface{ Unwrap() Bucket })
		if !ok {
			return nil
		}
		b = w.Unwrap()
	}
}
