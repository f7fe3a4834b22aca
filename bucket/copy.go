package bucket

// MaxCopy is the largest version that CopyVersion of b takes, in bytes; 0: there is no
// bound. A driver that has one says so by a method of this name.
func MaxCopy(b Bucket) int64 {
	for {
		if m, ok := b.(interface{ MaxCopy() int64 }); ok {
			return m.MaxCopy()
		}
		u, ok := b.(interface{ Unwrap() Bucket })
		if !ok {
			return 0
		}
		b = u.Unwrap()
	}
}
