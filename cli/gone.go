package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// command is a command line for a folder of the bucket, to be copied.
func (p *place) command(name, folder string, args ...string) string {
	return folderCommand(p.Bucket, name, folder, args...)
}

func folderCommand(b bucket.Bucket, name, folder string, args ...string) string {
	url := b.URL()
	if folder != "" {
		url += "/" + folder
	}
	words := append([]string{"provcat-tui", name, safe.Shell(url)}, args...)
	return strings.Join(words, " ")
}

// unreadable is the one message for a commit that cannot be read: gone, damaged or
// of an unknown form. Other errors stay as they are.
func unreadable(p *place, folder string, r commit.Ref, err error) error {
	what := refText(r) + " of " + folderText(folder)
	switch {
	case r.Live:
		return err
	case errors.Is(err, bucket.ErrNotFound):
		what += " is gone (its commit object is missing or deleted); what can bring it back says: " + p.command("audit", folder)
	case errors.Is(err, commit.ErrCorrupt):
		what += " is damaged (" + safe.Text(err.Error()) + "); whether an earlier version has the right hash says: " + p.command("audit", folder)
	case errors.Is(err, commit.ErrFormat):
		if e := (*bucket.Error)(nil); errors.As(err, &e) && e.Err != nil {
			err = e.Err // which commit is told before
		}
		what += " could not be checked: its hash is right, but it is " + safe.Text(err.Error())
	default:
		return err
	}
	return &commit.RefError{Text: what, Err: err}
}

// filesOf is commit.FilesOf with the messages of unreadable.
func filesOf(ctx context.Context, p *place, folder string, r commit.Ref) iter.Seq2[commit.File, error] {
	return func(yield func(commit.File, error) bool) {
		for f, err := range commit.FilesOf(ctx, p, folder, r) {
			if err != nil {
				err = unreadable(p, folder, r, err)
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// damagedRef says to a reader what a damaged entry means: which it is, since when
// it is deleted, and what can still be read. cause is what Resolve said.
func damagedRef(ctx context.Context, b bucket.Bucket, folder, ref string, cause error) error {
	if !errors.Is(cause, bucket.ErrDamaged) {
		return cause
	}
	n, head := refNumber(ctx, b, folder, ref)
	if n < 1 {
		return cause
	}
	var text strings.Builder
	if head {
		fmt.Fprintf(&text, "the newest entry of the log of %s, %d, is ", folderText(folder), n)
	} else {
		fmt.Fprintf(&text, "commit %d of %s: its log entry is ", n, folderText(folder))
	}
	if errors.Is(cause, commit.ErrDeleted) {
		text.WriteString("deleted" + deletedEntry(ctx, b, folder, n))
	} else {
		text.WriteString("damaged: " + safe.Text(reason(cause)))
	}
	if head {
		text.WriteString(newestSound(ctx, b, folder, n))
	}
	text.WriteString("; what it breaks and what repairs it says: " + folderCommand(b, "audit", folder))
	return &commit.RefError{Text: text.String(), Err: cause}
}

// reason is the innermost cause that the bucket's error has.
func reason(err error) string {
	var e *bucket.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// refNumber gives the number that a REF means, and whether it was meant as the
// head; 0: it is none.
func refNumber(ctx context.Context, b bucket.Bucket, folder, ref string) (n int64, head bool) {
	if n, err := strconv.ParseInt(ref, 10, 64); err == nil {
		return n, false
	}
	back, ok := strings.CutPrefix(ref, "head")
	if !ok {
		return 0, false
	}
	h, err := commit.Head(ctx, b, folder)
	if err != nil {
		return 0, false
	}
	steps, _ := strconv.ParseInt(strings.TrimPrefix(back, "~"), 10, 64) // "head" has none: 0
	return h.Number - steps, steps == 0
}

// deletedEntry tells when an entry was deleted, and how what it named can be read.
func deletedEntry(ctx context.Context, b bucket.Bucket, folder string, n int64) string {
	key := commit.EntryKey(folder, n)
	when, id := "", ""
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			return ""
		}
		if v.DeleteMarker {
			if id == "" && !v.Modified.IsZero() {
				when = " since " + second(v.Modified) // the oldest marker above what it named
			}
			continue
		}
		if e, err := commit.LoadEntry(ctx, b, key, v.ID); err == nil {
			id = e.Commit
			break
		}
	}
	if id == "" {
		return when + ", and no version of it that can be read is left"
	}
	named := when + "; it named " + commit.ShortID(id)
	switch _, err := commit.LoadHeader(ctx, b, id); {
	case err == nil:
		return named + ", which can still be read by its ID: " + folderCommand(b, "show", folder, "id:"+commit.ShortID(id))
	case errors.Is(err, bucket.ErrNotFound):
		return named + ", whose commit object is gone too"
	}
	return named
}

// newestSound names the newest commit below a damaged head that can be used.
func newestSound(ctx context.Context, b bucket.Bucket, folder string, head int64) string {
	for s, err := range commit.Log(ctx, b, commit.FolderHash(folder), 1) {
		if err != nil {
			return ""
		}
		if s.Number >= head || s.Gap > 0 || s.Err != nil {
			continue
		}
		if _, err := commit.LoadHeader(ctx, b, s.Entry.Commit); err == nil {
			return fmt.Sprintf("; the newest sound commit is %d (%s): %s", s.Number, commit.ShortID(s.Entry.Commit),
				folderCommand(b, "show", folder, fmt.Sprint(s.Number)))
		}
	}
	return "; no commit below it was found that can be read"
}

// A presence is what a listing of a key says of the version that a commit names.
type presence struct {
	there  bool           // it is there, whatever its bytes are
	other  string         // there, and how it differs from what the commit recorded
	left   int64          // the versions with a body that the key has now
	newest bucket.Version // of them
}

// present looks for the version of a file of a commit, by a listing of its key.
func present(ctx context.Context, b bucket.Bucket, key string, f commit.File) (presence, error) {
	var p presence
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			return p, err
		}
		if v.DeleteMarker {
			continue
		}
		if p.left++; p.left == 1 {
			p.newest = v
		}
		if v.ID == f.Version {
			p.there, p.other = true, f.OtherText(v.ETag, v.Size)
		}
	}
	return p, nil
}

// versionGone is the one message for a version that a commit names and that is
// gone: what the key has now, and what tells more.
func versionGone(p *place, folder, key, version string, is presence) error {
	now := "the key has no other version"
	if is.left > 0 {
		now = fmt.Sprintf("the key has %s, the newest of %s: %s", count(is.left, "other version"), second(is.newest.Modified),
			folderCommand(p.Bucket, "ls", key, "--all-versions"))
	}
	return &exitError{exitNegative, fmt.Errorf("%s is gone: version %s, which the commit names, does not exist any more; %s; since when at the latest, and which lifecycle rule explains it, says: %s",
		safe.Text(key), safe.Text(version), now, p.command("audit", folder))}
}

// versionOther is the one message for a version that is there with other bytes than the
// commit recorded.
func versionOther(key, other string) error {
	return &exitError{exitNegative, fmt.Errorf("%s is damaged: %s", safe.Text(key), other)}
}
