package commit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// CheckHead is step 1 of writing: Head, and an error unless the log may be grown.
// It may be if it is empty, or if its highest slot has a live version that can be
// read, all versions of that slot name one commit, and that commit's object is
// there.
//
// bucket.ErrDamaged: it may not; the text names folder, slot and key and points to
// the audit. Any other error: it could not be checked. The Slot is what Head gave,
// also with an error.
func CheckHead(ctx context.Context, b bucket.Bucket, folder string) (Slot, error) {
	for try := 1; ; try++ {
		s, err := Head(ctx, b, folder)
		if err == nil {
			err = check(ctx, b, folder, s)
		}
		if !errors.Is(err, errMoved) {
			return s, err
		}
		// A version of the slot went away between its listing and its read, or a
		// store that writes in steps was seen between two of them. Only a fresh look
		// tells what is so now.
		if try == maxLooks {
			return s, damaged(b, folder, s, fmt.Errorf("it is not at rest: %w", err))
		}
		if err := sleep(ctx, time.Duration(try)*lookAgain); err != nil {
			return s, err
		}
	}
}

// How often, and after what wait, a head that is being changed is looked at: 2.1
// seconds in all.
const (
	maxLooks  = 7
	lookAgain = 100 * time.Millisecond
)

var errMoved = errors.New("a version that was listed is gone, or none is called the live one")

func check(ctx context.Context, b bucket.Bucket, folder string, s Slot) error {
	if s.Number == 0 {
		return nil
	}
	switch {
	case s.moving():
		return errMoved
	case errors.Is(s.Err, ErrDeleted), errors.Is(s.Err, ErrEntry):
		return damaged(b, folder, s, s.Err)
	case errors.Is(s.Err, bucket.ErrNotFound):
		return errMoved
	case s.Err != nil:
		return s.Err
	}
	var older []bucket.Version
	for _, v := range s.Versions {
		if !v.DeleteMarker && !v.Live() {
			older = append(older, v)
		}
	}
	type named struct {
		version string
		entry   Entry
		err     error
	}
	read := func(ctx context.Context, v bucket.Version) named {
		e, err := LoadEntry(ctx, b, s.Key, v.ID)
		return named{v.ID, e, err}
	}
	for n, err := range each(ctx, parallel(0), older, read) {
		switch {
		case err != nil:
			return err
		case errors.Is(n.err, bucket.ErrNotFound):
			return errMoved
		case errors.Is(n.err, ErrEntry):
			return damaged(b, folder, s, fmt.Errorf("its version %s is no log entry", n.version))
		case n.err != nil:
			return n.err
		case n.entry.Commit != s.Entry.Commit:
			return damaged(b, folder, s, fmt.Errorf("its versions name different commits: the live one %s, version %s %s",
				s.Entry.Commit, n.version, n.entry.Commit))
		}
	}
	switch there, err := present(ctx, b, CommitKey(s.Entry.Commit)); {
	case err != nil:
		return err
	case !there:
		return damaged(b, folder, s, fmt.Errorf("the object of commit %s, which it names, is deleted or missing", s.Entry.Commit))
	}
	return nil
}

// present says whether a key has a live version.
func present(ctx context.Context, b bucket.Bucket, key string) (bool, error) {
	r, _, err := b.Open(ctx, key, "", 1)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_ = r.Close() // only asked whether it opens
	return true, nil
}

// damaged is the error for a log that must not be grown.
func damaged(b bucket.Bucket, folder string, s Slot, cause error) error {
	return &bucket.Error{
		Op:     fmt.Sprintf("the log of %s is damaged at its entry %d,", folderName(folder), s.Number),
		Bucket: b.URL(), Key: s.Key, Kind: bucket.ErrDamaged, Err: cause,
		Hint: "nothing can be added to this log before it is repaired; run: " + auditCommand(b, folder),
	}
}

// folderName is a folder's name for people.
func folderName(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return `folder "` + safe.Text(folder) + `"`
}

// auditCommand is the shell line that audits a folder.
func auditCommand(b bucket.Bucket, folder string) string {
	c := "provcat-tui audit " + safe.Shell(b.URL())
	if folder != "" {
		c += " --folder " + safe.Shell(folder)
	}
	return c
}

// folderURL is the folder's URL as one shell word.
func folderURL(b bucket.Bucket, folder string) string {
	if folder == "" {
		return safe.Shell(b.URL())
	}
	return safe.Shell(b.URL() + "/" + folder)
}
