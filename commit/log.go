package commit

import (
	"context"
	"errors"
	"iter"
	"time"

	"provcat-tui/bucket"
)

// A Slot is one number of a log, or a gap in it.
type Slot struct {
	Number int64
	// Gap > 0: nothing at all is at the Gap numbers Number, Number-1, …; the
	// other members are then empty.
	Gap      int64
	Key      string
	Versions []bucket.Version // newest first, markers in their place
	// Entry is the live version's content; Err says why there is none:
	// ErrDeleted (no live version), ErrEntry, or what the read failed with.
	Entry Entry
	Err   error
}

// ErrDeleted says that a slot has versions or markers, but no live version.
var ErrDeleted = errors.New("deleted: the newest version is a delete marker, or none is live")

// Live gives the slot's live version; ok is false where there is none.
func (s Slot) Live() (v bucket.Version, ok bool) {
	for _, v := range s.Versions {
		if v.Live() {
			return v, true
		}
	}
	return bucket.Version{}, false
}

// slots lists the slots in the range, newest first, each with its versions. Keys
// that are no slots are skipped.
func slots(ctx context.Context, b bucket.Bucket, r bucket.Range) iter.Seq2[Slot, error] {
	return func(yield func(Slot, error) bool) {
		var s Slot
		for v, err := range b.Versions(ctx, r) {
			if err != nil {
				// The versions of the slot at hand may not be complete.
				yield(Slot{}, err)
				return
			}
			if v.Key == s.Key && s.Key != "" {
				s.Versions = append(s.Versions, v)
				continue
			}
			_, n, ok := ParseSlotKey(v.Key)
			if s.Key != "" && !yield(s, nil) {
				return
			}
			s = Slot{}
			if ok {
				s = Slot{Number: n, Key: v.Key, Versions: []bucket.Version{v}}
			}
		}
		if s.Key != "" {
			yield(s, nil)
		}
	}
}

// Slots lists the slots of the log with that folder hash, newest first, each with
// its versions; numbers at which nothing is are left out. No entry is read: Entry and
// Err are empty. An error ends the stream.
func Slots(ctx context.Context, b bucket.Bucket, hash string) iter.Seq2[Slot, error] {
	return slots(ctx, b, logRange(hash, 0))
}

// read fills in the live entry of a slot, or why there is none. It reads the very
// version that the listing called live.
func (s Slot) read(ctx context.Context, b bucket.Bucket) Slot {
	v, ok := s.Live()
	if !ok {
		s.Err = ErrDeleted
		return s
	}
	s.Entry, s.Err = LoadEntry(ctx, b, s.Key, v.ID)
	return s
}

// moving says that a slot that was read was seen in the midst of a write: its newest
// version is no marker, and yet not the live one. SeaweedFS shows a version for some
// milliseconds before it makes it the live one.
func (s Slot) moving() bool {
	return errors.Is(s.Err, ErrDeleted) && !s.Versions[0].DeleteMarker
}

// rest looks again at a slot that moves, for as long as CheckHead would. What it gives
// may still move: then it is told as it is.
func (s Slot) rest(ctx context.Context, b bucket.Bucket, hash string) Slot {
	for try := 1; s.moving() && try < maxLooks; try++ {
		if sleep(ctx, time.Duration(try)*lookAgain) != nil {
			return s
		}
		if now, err := slot(ctx, b, hash, s.Number); err == nil && now.Key != "" {
			s = now
		}
	}
	return s
}

// logRange is the listing of a log. Keys of the log that sort before every digit,
// and so before every slot, are left out as far as a bound can do it.
func logRange(hash string, pageSize int) bucket.Range {
	return bucket.Range{Prefix: LogPrefix(hash), After: LogPrefix(hash) + "/", Through: LogPrefix(hash) + ":", PageSize: pageSize}
}

// Log streams the log with that folder hash, newest first. A row of absent
// numbers is one Slot with its Gap, in its place; so is what is missing between
// the lowest slot and 1. Entries are read side by side, at most concurrency (0:
// 16) at a time. Keys that are no slots are skipped. An error ends the stream: the
// listing failed, and nothing is known of what would have come; a single entry
// that cannot be read is in Slot.Err.
func Log(ctx context.Context, b bucket.Bucket, hash string, concurrency int) iter.Seq2[Slot, error] {
	return func(yield func(Slot, error) bool) {
		list := func(ctx context.Context) iter.Seq2[Slot, error] { return slots(ctx, b, logRange(hash, 0)) }
		read := func(ctx context.Context, s Slot) Slot { return s.read(ctx, b) }
		var last int64
		for s, err := range inOrder(ctx, parallel(concurrency), list, read) {
			if err != nil {
				yield(Slot{}, err)
				return
			}
			if gap := last - 1 - s.Number; last > 0 && gap > 0 && !yield(Slot{Number: last - 1, Gap: gap}, nil) {
				return
			}
			if last == 0 {
				s = s.rest(ctx, b, hash)
			}
			last = s.Number
			if !yield(s, nil) {
				return
			}
		}
		if last > 1 {
			yield(Slot{Number: last - 1, Gap: last - 1}, nil)
		}
	}
}

// parallel is the number of reads side by side where the caller names none.
func parallel(n int) int {
	if n > 0 {
		return n
	}
	return 16
}

// Head gives the highest slot of the folder's log that has any version or marker,
// with all its versions and, if it can be read, its live entry; Number 0 for a log
// without any. Versions come from one listing. It only reads; it does not judge
// (see CheckHead).
func Head(ctx context.Context, b bucket.Bucket, folder string) (Slot, error) {
	return head(ctx, b, FolderHash(folder))
}

func head(ctx context.Context, b bucket.Bucket, hash string) (Slot, error) {
	// A small page: the first slot is nearly always its first line.
	for s, err := range slots(ctx, b, logRange(hash, 20)) {
		if err != nil {
			return Slot{}, err
		}
		return s.read(ctx, b), nil
	}
	return Slot{}, ctx.Err()
}

// slot gives one slot of a log with its versions and live entry; Key is empty
// where nothing is.
func slot(ctx context.Context, b bucket.Bucket, hash string, n int64) (Slot, error) {
	key := SlotKey(hash, n)
	for s, err := range slots(ctx, b, bucket.Range{Prefix: key, Through: key, PageSize: 20}) {
		if err != nil {
			return Slot{}, err
		}
		if s.Key == key {
			return s.read(ctx, b), nil
		}
	}
	return Slot{}, ctx.Err()
}
