package s3

import (
	"context"
	"encoding/binary"
	"hash/maphash"

	"provcat-tui/bucket"
)

// hashKey makes two 64-bit hashes of a page, whose keys nobody outside of this process
// can know: nobody can make two pages of one hash, and chance does so in one of 2^128.
// SHA-256 would take half as long as all else that a page costs.
type hashKey [2]maphash.Seed

func newHashKey() hashKey { return hashKey{maphash.MakeSeed(), maphash.MakeSeed()} }

func (k *hashKey) sum(b []byte) (out [16]byte) {
	binary.LittleEndian.PutUint64(out[:8], maphash.Bytes(k[0], b))
	binary.LittleEndian.PutUint64(out[8:], maphash.Bytes(k[1], b))
	return out
}

// SamePage asks for a page again and says whether the answer is the same: see
// bucket.Again. The answer is not decoded.
func (b *store) SamePage(ctx context.Context, prefix string, pg bucket.Page) (bool, error) {
	p := &pager{b: b, prefix: prefix, size: pg.Size, keyMarker: pg.After, idMarker: pg.Version, sum: true, raw: true}
	defer p.release()
	if err := p.fetch(ctx); err != nil {
		return false, b.fail(p.call(), err)
	}
	return p.page.sum == pg.Sum, nil
}
