package audit

import (
	"iter"
	stdbits "math/bits"
	"sync/atomic"
)

// A bits is a set of indexes below a bound, a bit for each. Several goroutines may add
// to it at once. A nil one stays empty.
type bits struct{ words []uint64 }

func newBits(n int) *bits { return &bits{make([]uint64, (n+63)/64)} }

func (b *bits) set(i int32) {
	if b != nil {
		atomic.OrUint64(&b.words[i/64], 1<<(i%64))
	}
}

// add is set that says whether the index was not there yet. b is not nil.
func (b *bits) add(i int32) bool {
	bit := uint64(1) << (i % 64)
	return atomic.OrUint64(&b.words[i/64], bit)&bit == 0
}

func (b *bits) has(i int) bool { return atomic.LoadUint64(&b.words[i/64])>>(i%64)&1 == 1 }

// all gives the indexes, ascending. Nobody may add meanwhile.
func (b *bits) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if b == nil {
			return
		}
		for k, w := range b.words {
			for ; w != 0; w &= w - 1 {
				if !yield(int32(k*64 + stdbits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
