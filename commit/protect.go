package commit

import (
	"context"
	"fmt"
	"iter"

	"provcat-tui/bucket"
)

// What a Kept version is.
const (
	KeptEntry  = "log entry"
	KeptObject = "commit object"
	KeptFile   = "file"
)

// A Kept is a version that a commit cannot be read without.
type Kept struct {
	What    string // one of the constants
	Key     string
	Version string
	Size    int64 // bytes; -1: unknown
}

// Keeps streams the versions that commits of one folder cannot be read without: of each
// commit its log entry, where the log names it, its commit object, and the versions of
// its files. A file's version that a commit shares with the one before it in refs is
// given once. An error ends the stream, and may come last: then nothing before it counts,
// since the hash of a commit is known at its end.
func Keeps(ctx context.Context, b bucket.Bucket, folder string, refs []Ref) iter.Seq2[Kept, error] {
	return func(yield func(Kept, error) bool) {
		var before Ref // has no files
		for _, r := range refs {
			if r.Number > 0 {
				if !yieldLive(ctx, b, KeptEntry, EntryKey(folder, r.Number), yield) {
					return
				}
			}
			if !yieldLive(ctx, b, KeptObject, CommitKey(r.ID), yield) {
				return
			}
			for c, err := range Diff(FilesOf(ctx, b, folder, before), FilesOf(ctx, b, folder, r)) {
				if err == nil && c.Kind == Removed {
					continue
				}
				if !yield(Kept{KeptFile, KeyPrefix(folder) + c.To.Path, c.To.Version, c.To.Size}, err) || err != nil {
					return
				}
			}
			before = r
		}
	}
}

// yieldLive gives the live version of a key; false: the stream has ended.
func yieldLive(ctx context.Context, b bucket.Bucket, what, key string, yield func(Kept, error) bool) bool {
	v, err := liveVersion(ctx, b, key)
	if err != nil {
		yield(Kept{}, err)
		return false
	}
	return yield(Kept{what, key, v.ID, v.Size}, nil)
}

// liveVersion finds the live version of a key of the format's own; ErrNotFound: none is.
func liveVersion(ctx context.Context, b bucket.Bucket, key string) (bucket.Version, error) {
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil || v.Live() {
			return v, err
		}
	}
	return bucket.Version{}, &bucket.Error{Op: "read", Bucket: b.URL(), Key: key, Kind: bucket.ErrNotFound}
}

// Before gives r and the commits below it in its folder's log, the newest first, n in
// all or as many as there are. An entry that cannot be used is an error.
func Before(ctx context.Context, b bucket.Bucket, folder string, r Ref, n int) ([]Ref, error) {
	out := []Ref{r}
	for number := r.Number - 1; number >= 1 && len(out) < n; number-- {
		next, err := Resolve(ctx, b, folder, fmt.Sprint(number))
		if err != nil {
			return nil, err
		}
		out = append(out, next)
	}
	return out, nil
}

// HeldCommits streams the commits of all logs of the bucket whose commit object is under
// a hold, each with its folder, some of them more than once. An error ends the stream:
// then there may be more.
func HeldCommits(ctx context.Context, b bucket.Bucket, concurrency int) iter.Seq2[HeldCommit, error] {
	return func(yield func(HeldCommit, error) bool) {
		for l, err := range AllLogs(ctx, b, concurrency, false) {
			if err == nil {
				err = l.Err
			}
			if err != nil {
				yield(HeldCommit{}, err)
				return
			}
			list := func(ctx context.Context) iter.Seq2[Slot, error] { return Log(ctx, b, l.Hash, concurrency) }
			for h, err := range inOrder(ctx, parallel(concurrency), list, func(ctx context.Context, s Slot) HeldCommit { return heldCommit(ctx, b, s) }) {
				if err == nil {
					err = h.err
				}
				if (err != nil || h.Held) && !yield(h, err) || err != nil {
					return
				}
			}
		}
	}
}

// A HeldCommit is a commit whose object is under a hold.
type HeldCommit struct {
	Folder string
	ID     string
	Held   bool
	err    error
}

func heldCommit(ctx context.Context, b bucket.Bucket, s Slot) (h HeldCommit) {
	if s.Gap > 0 || s.Err != nil && !errUnread(s.Err) {
		return h // no commit is found by it
	}
	if h.err = s.Err; h.err != nil {
		return h
	}
	h.ID = s.Entry.Commit
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: CommitKey(h.ID), Through: CommitKey(h.ID)}) {
		if err != nil {
			h.err = err
			return h
		}
		if v.DeleteMarker {
			continue
		}
		p, err := b.Protection(ctx, v.Key, v.ID)
		if err != nil {
			h.err = err
			return h
		}
		h.Held = h.Held || p.LegalHold
	}
	if h.Held {
		var header Header
		header, h.err = LoadHeader(ctx, b, h.ID)
		h.Folder = header.Folder
	}
	return h
}
