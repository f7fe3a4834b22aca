package commit

import "testing"

// The bar is 1.5 s for two commits of a million files on a quiet machine.
func BenchmarkDiff(b *testing.B) {
	const n = 200_000
	l := newLocal(b)
	put(b, l, CommitKey(someID), string(bigObject(n)))
	o, err := Load(bg, l, someID, nil)
	if o.Files != n {
		b.Fatal(err)
	}
	put(b, l, CommitKey(o.ID), string(bigObject(n)))
	b.SetBytes(2 * o.Bytes)
	for b.Loop() {
		for c, err := range Diff(Files(bg, l, o.ID), Files(bg, l, o.ID)) {
			b.Fatal(c, err)
		}
	}
}
