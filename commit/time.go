package commit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// time finds the commit's time: the largest of the writer's clock and of one
// microsecond after each head of the logs of the folder, of those above and of
// those below it. It reads the versioning state again, for step 4 and for the
// bucket's clock, and refuses a time too far ahead of that.
func (w *writer) time(ctx context.Context, p Plan) (time.Time, error) {
	own := w.o.Now().UTC().Truncate(time.Microsecond)
	t, blame := own, "the clock of this machine"
	related := w.related(p)
	for l, err := range AllLogs(ctx, w.b, w.o.Concurrency, false) {
		if err != nil {
			return t, w.nothing(err)
		}
		if !related(l) {
			continue
		}
		if l.Err != nil {
			return t, w.nothing(l.Err)
		}
		at, id, err := headTime(ctx, w.b, l.Head)
		if err != nil {
			return t, w.nothing(err)
		}
		if at = at.UTC().Truncate(time.Microsecond).Add(time.Microsecond); at.After(t) {
			folder := "the log " + l.Hash
			if l.Known {
				folder = folderName(l.Folder)
			}
			t, blame = at, fmt.Sprintf("commit %s, number %d of %s", ShortID(id), l.Head.Number, folder)
		}
	}
	clock, err := w.versioning(ctx)
	if err != nil {
		return t, err
	}
	whose := "the bucket's clock"
	if clock.IsZero() {
		clock, whose = own, "this machine's clock (the bucket does not tell its own)"
	}
	if ahead := t.Sub(clock); ahead > w.o.MaxSkew {
		return t, &WriteError{Reason: ReasonClock,
			Detail: fmt.Sprintf("the commit would be dated %s, %s ahead of %s: %s is to blame; nothing was committed, since one bad clock must not date the whole bucket into the future; set the clock right, or wait, or allow it with a larger --max-skew",
				FormatTime(t), distance(clock, t), whose, blame)}
	}
	return t, nil
}

// distance is how far b lies after a, for people. A Duration ends after 292 years, and
// times from a bucket need not: it goes by seconds.
func distance(a, b time.Time) string {
	const day, year = 24 * 60 * 60, 31_556_952 // of 365.2425 days
	switch s := b.Unix() - a.Unix(); {
	case s < 2*day:
		return b.Sub(a).Round(time.Second).String()
	case s < 2*year:
		return fmt.Sprintf("%d days", s/day)
	default:
		return fmt.Sprintf("%d years", s/year)
	}
}

// related says of a log whether its folder is the writer's, above it or below it.
// A log whose folder is unknown is told by its hash, among the folders that the
// snapshot shows.
func (w *writer) related(p Plan) func(LogRef) bool {
	line := map[string]bool{FolderHash(w.folder): true}
	for _, f := range Ancestors(w.folder) {
		line[FolderHash(f)] = true
	}
	var below map[string]bool
	return func(l LogRef) bool {
		if line[l.Hash] {
			return true
		}
		if l.Known {
			return strings.HasPrefix(l.Folder, KeyPrefix(w.folder))
		}
		if below == nil {
			below = foldersBelow(w.folder, p.Snapshot.Files)
		}
		return below[l.Hash]
	}
}

// foldersBelow gives the hashes of all folders below folder that hold a file.
func foldersBelow(folder string, files []File) map[string]bool {
	out := map[string]bool{}
	last := ""
	for _, f := range files {
		same := 0
		for same < len(last) && same < len(f.Path) && last[same] == f.Path[same] {
			same++
		}
		for i := same; i < len(f.Path); i++ {
			if f.Path[i] == '/' {
				out[FolderHash(KeyPrefix(folder)+f.Path[:i])] = true
			}
		}
		last = f.Path
	}
	return out
}

// headTime is the time of the commit that a head names. Of a deleted head it is
// that of the newest version that can be read; zero where nothing tells it: a
// commit that its writer cannot see binds nobody. An error: it could not be read.
func headTime(ctx context.Context, b bucket.Bucket, head Slot) (time.Time, string, error) {
	if head.Err == nil {
		return entryTime(ctx, b, head.Entry)
	}
	if errUnread(head.Err) {
		return time.Time{}, "", head.Err
	}
	for _, v := range head.Versions {
		if v.DeleteMarker {
			continue
		}
		e, err := LoadEntry(ctx, b, head.Key, v.ID)
		if errUnread(err) {
			return time.Time{}, "", err
		}
		if err == nil {
			return entryTime(ctx, b, e)
		}
	}
	return time.Time{}, "", nil
}

func entryTime(ctx context.Context, b bucket.Bucket, e Entry) (time.Time, string, error) {
	if !e.Time.IsZero() {
		return e.Time, e.Commit, nil
	}
	h, err := LoadHeader(ctx, b, e.Commit)
	if errUnread(err) {
		return time.Time{}, "", fmt.Errorf("the time of commit %s is needed: %w", safe.Text(e.Commit), err)
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return time.Time{}, e.Commit, nil
	}
	return h.Time, e.Commit, nil
}
