package commit

import (
	"context"
	"iter"

	"provcat-tui/bucket"
)

// ChangeKind is what happened to a path between two commits.
type ChangeKind string

// The kinds of change.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed" // another version, or one that has other bytes now
)

// A Change is one difference between two states of a folder.
type Change struct {
	Path string
	Kind ChangeKind
	From File // zero for Added
	To   File // zero for Removed
	// SameBytes: the version is another but ETag and size are known and equal:
	// the file was written again as it was.
	SameBytes bool
	// SameVersion: the version's ID is the same, and its ETag or size is not: it was
	// overwritten in its place. See File.OtherBytes.
	SameVersion bool
}

// Diff streams the differences of two streams of files, both in bytewise order
// of path, in that order. It ends with the first error of either. Where a path
// stands twice in a damaged commit its files are compared pair by pair.
// The streams are drawn side by side, each in a goroutine of its own and a few
// thousand files ahead; none is left when the iteration ends.
func Diff(from, to iter.Seq2[File, error]) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		nextFrom, stopFrom := ahead(from)
		defer stopFrom()
		nextTo, stopTo := ahead(to)
		defer stopTo()
		a, errA, okA := nextFrom()
		b, errB, okB := nextTo()
		for okA || okB {
			var c Change
			switch {
			case okA && errA != nil:
				yield(Change{}, errA)
				return
			case okB && errB != nil:
				yield(Change{}, errB)
				return
			case okA && okB && a.Path == b.Path:
				c = Change{Path: a.Path, Kind: Changed, From: a, To: b,
					SameBytes: a.SameBytes(b.ETag, b.Size), SameVersion: a.Version == b.Version}
				same := c.SameVersion && !a.OtherBytes(b.ETag, b.Size)
				a, errA, okA = nextFrom()
				b, errB, okB = nextTo()
				if same {
					continue
				}
			case !okB || okA && a.Path < b.Path:
				c = Change{Path: a.Path, Kind: Removed, From: a}
				a, errA, okA = nextFrom()
			default:
				c = Change{Path: b.Path, Kind: Added, To: b}
				b, errB, okB = nextTo()
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// FilesOf streams what a Ref means in a folder: a commit's files, or the live
// ones. The zero Ref, what was before the first commit, has none.
func FilesOf(ctx context.Context, b bucket.Bucket, folder string, r Ref) iter.Seq2[File, error] {
	switch {
	case r.Live:
		return Live(ctx, b, folder)
	case r.ID == "":
		return func(func(File, error) bool) {}
	}
	return Files(ctx, b, r.ID)
}
