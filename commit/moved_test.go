package commit

import (
	"context"
	"errors"
	"iter"
	"testing"

	"provcat-tui/bucket"
)

// A stepwise store shows the newest version of a slot before it makes it the live
// one, for a number of listings that have it.
type stepwise struct {
	bucket.Bucket
	key  string
	left int // listings; negative: for ever
}

func (b *stepwise) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		early := b.left != 0
		seen := false
		for v, err := range b.Bucket.Versions(ctx, r) {
			if early && v.Key == b.key {
				v.Latest = false
				if !seen && b.left > 0 {
					b.left--
				}
				seen = true
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// A head that is seen in the midst of its writing is no damaged head; one that
// stays so is.
func TestAHeadInTheMidstOfItsWriting(t *testing.T) {
	l := newLocal(t)
	put(t, l, "f/a", "1")
	write(t, l, "f", WriteOptions{})
	if s, err := CheckHead(bg, &stepwise{l, EntryKey("f", 1), 2}, "f"); err != nil || s.Number != 1 || s.Err != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := CheckHead(bg, &stepwise{l, EntryKey("f", 1), -1}, "f"); !errors.Is(err, bucket.ErrDamaged) {
		t.Errorf("never at rest: %v", err)
	}
	head := func(left int) (first Slot) {
		for s, err := range Log(bg, &stepwise{l, EntryKey("f", 2), left}, FolderHash("f"), 0) {
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		return first
	}
	put(t, l, "f/a", "2")
	write(t, l, "f", WriteOptions{})
	if s := head(2); s.Number != 2 || s.Err != nil || s.Entry.Number != 2 {
		t.Errorf("the log shows a head that is being written as %+v", s)
	}
	if s := head(-1); s.Number != 2 || !errors.Is(s.Err, ErrDeleted) {
		t.Errorf("the log shows a head that is never at rest as %+v", s)
	}
	remove(t, l, EntryKey("f", 2))
	if s := head(0); s.Number != 2 || !errors.Is(s.Err, ErrDeleted) {
		t.Errorf("the log shows a deleted head as %+v", s)
	}
	remove(t, l, EntryKey("f", 1))
	if _, err := CheckHead(bg, l, "f"); !errors.Is(err, bucket.ErrDamaged) {
		t.Errorf("deleted: %v", err)
	}
}

// A commit looks at its own entry in the same way: one that comes to rest is no reason
// for a warning, and one that does not is no damage.
func TestANewEntryInTheMidstOfItsWriting(t *testing.T) {
	for left, warned := range map[int]bool{0: false, 2: false, -1: true} {
		l := newLocal(t)
		put(t, l, "f/a", "1")
		write(t, l, "f", WriteOptions{})
		put(t, l, "f/a", "2")
		b := &stepwise{l, EntryKey("f", 2), left}
		r, err := Write(bg, b, "f", quick(WriteOptions{}))
		if err != nil || !r.Committed || r.Number != 2 || (r.Warning != "") != warned || b.left > 0 {
			t.Errorf("for %d listings: %+v, %v", left, r, err)
		}
	}
}
