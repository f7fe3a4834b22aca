package commit

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"provcat-tui/bucket"
)

// A LogRef is one log of a bucket.
type LogRef struct {
	Hash   string
	Folder string // only if Known
	Known  bool
	Head   Slot
	Err    error // the head could not be read, so that nothing more is known
}

// AllLogs lists the logs of a bucket that have any slot. A log's folder is known
// from an entry of it, else from a commit object that an entry names; only a name
// whose hash is the log's counts. Logs that are still nameless come last, after
// all others: with hashFolders, commit objects that no entry names are tried for
// them and then every folder that exists is hashed, which walks the whole bucket.
// Heads are read side by side, at most concurrency (0: 16) at a time. An error
// ends the stream: then there may be more logs.
func AllLogs(ctx context.Context, b bucket.Bucket, concurrency int, hashFolders bool) iter.Seq2[LogRef, error] {
	return func(yield func(LogRef, error) bool) {
		list := func(ctx context.Context) iter.Seq2[string, error] { return logHashes(ctx, b) }
		read := func(ctx context.Context, hash string) LogRef { return readLog(ctx, b, hash) }
		var nameless []LogRef
		for l, err := range inOrder(ctx, parallel(concurrency), list, read) {
			switch {
			case err != nil:
				yield(LogRef{}, err)
				return
			case l.Err == nil && l.Head.Number == 0:
				// Only keys that are no slots.
			case !l.Known:
				nameless = append(nameless, l)
			case !yield(l, nil):
				return
			}
		}
		var walkErr error
		if hashFolders && len(nameless) > 0 {
			names := map[string]string{}
			for _, l := range nameless {
				names[l.Hash] = ""
			}
			walkErr = nameByOrphans(ctx, b, parallel(concurrency), names)
			if walkErr == nil {
				walkErr = nameByHashing(ctx, b, parallel(concurrency), names)
			}
			for i := range nameless {
				l := &nameless[i]
				if l.Folder = names[l.Hash]; l.Folder != "" || l.Hash == FolderHash("") {
					l.Known = true
				}
			}
		}
		for _, l := range nameless {
			if !yield(l, nil) {
				return
			}
		}
		if walkErr != nil {
			yield(LogRef{}, walkErr)
		}
	}
}

// logHashes lists the folder hashes under which anything lies.
func logHashes(ctx context.Context, b bucket.Bucket) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for item, err := range b.Level(ctx, Logs) {
			if err != nil {
				yield("", err)
				return
			}
			hash := strings.TrimSuffix(strings.TrimPrefix(item.Folder, Logs), "/")
			if ValidID(hash) && !yield(hash, nil) {
				return
			}
		}
	}
}

func readLog(ctx context.Context, b bucket.Bucket, hash string) LogRef {
	l := LogRef{Hash: hash}
	if l.Head, l.Err = head(ctx, b, hash); l.Err != nil || l.Head.Number == 0 {
		return l
	}
	if e := l.Head.Entry; l.Head.Err == nil && e.HasFolder && FolderHash(e.Folder) == hash {
		l.Folder, l.Known = e.Folder, true
		return l
	}
	l.Folder, l.Known = nameLog(ctx, b, hash)
	return l
}

// nameLog reads the log's entries, newest first, deleted ones too, and the commit
// objects that they name, until one tells the folder. What cannot be read tells
// nothing.
func nameLog(ctx context.Context, b bucket.Bucket, hash string) (string, bool) {
	var ids []string
	seen := map[string]bool{}
	for s, err := range slots(ctx, b, logRange(hash, 0)) {
		if err != nil {
			break
		}
		for _, v := range s.Versions {
			if v.DeleteMarker {
				continue
			}
			e, err := LoadEntry(ctx, b, s.Key, v.ID)
			if err != nil {
				continue
			}
			if e.HasFolder && FolderHash(e.Folder) == hash {
				return e.Folder, true
			}
			if !seen[e.Commit] {
				seen[e.Commit] = true
				ids = append(ids, e.Commit)
			}
		}
		// Foreign entries rarely tell a folder: don't read a long log of them when
		// the newest commit object does.
		if len(ids) == 1 {
			if h, err := LoadHeader(ctx, b, ids[0]); err == nil && FolderHash(h.Folder) == hash {
				return h.Folder, true
			}
		}
	}
	for _, id := range ids {
		if h, err := LoadHeader(ctx, b, id); err == nil && FolderHash(h.Folder) == hash {
			return h.Folder, true
		}
	}
	return "", false
}

// nameByOrphans fills in the names of logs (by hash) from all commit objects.
func nameByOrphans(ctx context.Context, b bucket.Bucket, concurrency int, names map[string]string) error {
	list := func(ctx context.Context) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for v, err := range b.Versions(ctx, bucket.Range{Prefix: Commits, Ahead: true}) {
				if err != nil {
					yield("", err)
					return
				}
				if id, ok := ParseCommitKey(v.Key); ok && v.Live() && !yield(id, nil) {
					return
				}
			}
		}
	}
	read := func(ctx context.Context, id string) Header {
		h, err := LoadHeader(ctx, b, id)
		if err != nil {
			return Header{}
		}
		return h
	}
	left := missingNames(names)
	for h, err := range inOrder(ctx, concurrency, list, read) {
		if err != nil {
			return err
		}
		if h.Time.IsZero() {
			continue // not read
		}
		hash := FolderHash(h.Folder)
		if name, wanted := names[hash]; wanted && name == "" {
			names[hash] = h.Folder
			if left--; left == 0 {
				return nil
			}
		}
	}
	return nil
}

func missingNames(names map[string]string) int {
	n := 0
	for _, name := range names {
		if name == "" {
			n++
		}
	}
	return n
}

// nameByHashing fills in the names of logs (by hash) by hashing each folder of the
// bucket, ranges of its keys side by side. In each of them keys come in order, so a
// folder is hashed once, when its first key comes.
func nameByHashing(ctx context.Context, b bucket.Bucket, concurrency int, names map[string]string) error {
	var mu sync.Mutex // guards names
	var left atomic.Int64
	left.Store(int64(missingNames(names)))
	if _, wanted := names[FolderHash("")]; wanted {
		left.Add(-1) // its name is the empty one
	}
	try := func(folder string) {
		hash := FolderHash(folder)
		mu.Lock()
		defer mu.Unlock()
		if name, wanted := names[hash]; wanted && name == "" {
			names[hash] = folder
			left.Add(-1)
		}
	}
	return bucket.Walk(ctx, b, bucket.Range{}, bucket.WalkOptions{Concurrency: concurrency}, func(_ context.Context, p *bucket.Part) error {
		if left.Load() <= 0 {
			return nil
		}
		last := ""
		for v, err := range p.Versions() {
			if left.Load() <= 0 {
				return nil
			}
			if err != nil {
				return err
			}
			if v.Key == last || strings.HasPrefix(v.Key, Root) {
				continue
			}
			common := 0
			for common < len(last) && common < len(v.Key) && last[common] == v.Key[common] {
				common++
			}
			for i := common; i < len(v.Key); i++ {
				// The prefix "/" has no name.
				if v.Key[i] == '/' && i > 0 {
					try(v.Key[:i])
				}
			}
			last = v.Key
		}
		return nil
	})
}

// errUnread says whether an error of reading a commit object or an entry means
// that it could not be read, rather than that it is gone or no such thing.
func errUnread(err error) bool {
	return err != nil && !errors.Is(err, bucket.ErrNotFound) && !errors.Is(err, ErrEntry) &&
		!errors.Is(err, ErrFormat) && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrDeleted)
}
