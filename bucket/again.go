package bucket

import "context"

// A Page is one page of a listing as it came, so that it can be asked for again: see
// Range.OnPage and Again. Version and Sum are the driver's own.
type Page struct {
	// After is the key with which it was asked for: keys before it are not on the page,
	// and it itself only where Version is set. Empty: there was none.
	After string
	// Version is of After: the page begins after that version of it.
	Version string
	Size    int // as in Range.PageSize
	// Sum is a hash of the whole answer, under a key of the open bucket's own.
	Sum [16]byte
}

// A repeater is a Bucket that tells its pages, and can ask for one again.
type repeater interface {
	SamePage(ctx context.Context, prefix string, p Page) (bool, error)
}

// Again gives the function that asks for a page of a listing again, as it was asked for
// with Range{Prefix: prefix}, and says whether the answer is the same, byte for byte.
// That takes a third of the work of reading it. Pages may be asked for side by side.
//
// The same answer proves that nothing on the page has changed since. Another one proves
// nothing: a version that came or went moves the borders of pages. An error says that
// it could not be told.
//
// Nil: the store's driver has no such thing. What wraps a bucket has a method Unwrap, so
// that the driver is found.
func Again(b Bucket) func(ctx context.Context, prefix string, p Page) (bool, error) {
	for {
		if r, ok := b.(repeater); ok {
			return r.SamePage
		}
		w, ok := b.(interface{ Unwrap() Bucket })
		if !ok {
			return nil
		}
		b = w.Unwrap()
	}
}
