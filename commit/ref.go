package commit

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// A Ref is what a person's REF means in a folder.
type Ref struct {
	Live   bool   // the word "live"
	Number int64  // 0: no live entry names it (an orphan), or Live
	ID     string // the commit's ID
}

// The errors of a REF that names nothing, or more than one commit.
var (
	ErrUnknownRef   = errors.New("no such commit")
	ErrAmbiguousRef = errors.New("ambiguous commit")
)

// Resolve reads a REF of a folder:
//
//   - digits alone: the number of a commit;
//   - six or more hex digits, or id: and six or more hex digits: the start of a
//     commit's ID, of the folder's log or of an orphan of this folder;
//   - head: the highest slot of the log, which must be sound;
//   - head~n: the commit n numbers below the highest slot (numbers have no
//     branches, so this is its n-th parent);
//   - live: what is live now.
//
// ErrUnknownRef, ErrAmbiguousRef (the text lists the candidates).
// bucket.ErrDamaged: the slot that the REF means is deleted, missing or unreadable.
// Any other error: it could not be read.
func Resolve(ctx context.Context, b bucket.Bucket, folder, ref string) (Ref, error) {
	switch {
	case ref == "live":
		return Ref{Live: true}, nil
	case ref == "head":
		return resolveHead(ctx, b, folder)
	case strings.HasPrefix(ref, "head~"):
		back, err := strconv.ParseInt(ref[len("head~"):], 10, 64)
		if err != nil || back < 0 || ref[len("head~")] == '+' {
			return Ref{}, unknown(ref, "after head~ comes a number")
		}
		if back == 0 {
			return resolveHead(ctx, b, folder)
		}
		h, err := Head(ctx, b, folder)
		if err != nil {
			return Ref{}, err
		}
		if h.Number-back < 1 {
			return Ref{}, unknown(ref, fmt.Sprintf("the log of %s has %s", folderName(folder), upTo(h.Number)))
		}
		return resolveNumber(ctx, b, folder, ref, h.Number-back)
	case ref != "" && strings.Trim(ref, "0123456789") == "":
		n, err := strconv.ParseInt(ref, 10, 64)
		if err != nil || n < 1 || n > MaxNumber {
			return Ref{}, unknown(ref, "no log has a commit of that number; digits alone are a number, an ID of digits is written id:"+ref)
		}
		return resolveNumber(ctx, b, folder, ref, n)
	}
	if _, isTime := ParseTime(ref); isTime {
		return Ref{}, unknown(ref, fmt.Sprintf("a time is no name of a commit here; which one is read at it says: provcat-tui pin %s --at %s",
			folderURL(b, folder), safe.Shell(ref)))
	}
	hex := strings.ToLower(strings.TrimPrefix(ref, "id:"))
	switch {
	case strings.Trim(hex, "0123456789abcdef") != "" || len(hex) > 64 || hex == "":
		return Ref{}, unknown(ref, "a commit is named by its number, at least six digits of its ID, head, head~1 or live")
	case len(hex) < 6:
		return Ref{}, unknown(ref, "of an ID give at least six hex digits")
	}
	return resolveID(ctx, b, folder, ref, hex)
}

func unknown(ref, hint string) error {
	return fmt.Errorf("%w: %q; %s", ErrUnknownRef, safe.Text(ref), hint)
}

func upTo(n int64) string {
	switch n {
	case 0:
		return "no commits yet"
	case 1:
		return "one commit"
	}
	return fmt.Sprintf("commits up to number %d", n)
}

func resolveHead(ctx context.Context, b bucket.Bucket, folder string) (Ref, error) {
	h, err := CheckHead(ctx, b, folder)
	if err == nil && h.Number == 0 {
		return Ref{}, unknown("head", fmt.Sprintf("%s has no commits yet", folderName(folder)))
	}
	if err == nil {
		return Ref{Number: h.Number, ID: h.Entry.Commit}, nil
	}
	if !errors.Is(err, bucket.ErrDamaged) {
		return Ref{}, err
	}
	return Ref{}, &RefError{Text: err.Error() + newestSound(ctx, b, folder, h.Number), Err: err}
}

// A RefError is an error of a REF whose text says more than its cause.
type RefError struct {
	Text string
	Err  error
}

func (e *RefError) Error() string { return e.Text }
func (e *RefError) Unwrap() error { return e.Err }

// newestSound says which commit below a damaged head can be used.
func newestSound(ctx context.Context, b bucket.Bucket, folder string, head int64) string {
	for s, err := range Log(ctx, b, FolderHash(folder), 0) {
		if err != nil {
			break
		}
		if s.Number >= head || s.Gap > 0 || s.Err != nil {
			continue
		}
		if there, err := present(ctx, b, CommitKey(s.Entry.Commit)); err == nil && there {
			return fmt.Sprintf("; the newest commit below it that can be read is %d (%s)", s.Number, ShortID(s.Entry.Commit))
		}
	}
	return "; no commit below it was found that can be read"
}

func resolveNumber(ctx context.Context, b bucket.Bucket, folder, ref string, n int64) (Ref, error) {
	s, err := slot(ctx, b, FolderHash(folder), n)
	switch {
	case err != nil:
		return Ref{}, err
	case s.Key == "":
		h, err := Head(ctx, b, folder)
		if err != nil {
			return Ref{}, err
		}
		if n > h.Number {
			return Ref{}, unknown(ref, fmt.Sprintf("the log of %s has %s", folderName(folder), upTo(h.Number)))
		}
		s = Slot{Number: n, Key: EntryKey(folder, n), Err: errors.New("the entry is missing, though later ones exist")}
		return Ref{}, refDamaged(b, folder, s)
	case errors.Is(s.Err, ErrDeleted), errors.Is(s.Err, ErrEntry):
		return Ref{}, refDamaged(b, folder, s)
	case s.Err != nil:
		return Ref{}, s.Err
	}
	return Ref{Number: n, ID: s.Entry.Commit}, nil
}

func refDamaged(b bucket.Bucket, folder string, s Slot) error {
	return &bucket.Error{
		Op:     fmt.Sprintf("read commit %d of %s:", s.Number, folderName(folder)),
		Bucket: b.URL(), Key: s.Key, Kind: bucket.ErrDamaged, Err: s.Err,
		Hint: "to see what is left run: " + auditCommand(b, folder),
	}
}

// resolveID finds the commits of a folder whose ID starts with hex: those that
// any version of an entry names, and the commit objects that say that they are of
// this folder.
func resolveID(ctx context.Context, b bucket.Bucket, folder, ref, hex string) (Ref, error) {
	found := map[string]int64{} // ID to number; 0: no live entry names it
	if err := scanLog(ctx, b, folder, hex, found); err != nil {
		return Ref{}, err
	}
	newest := map[string]string{} // ID to its newest version with a body
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: Commits + hex}) {
		if err != nil {
			return Ref{}, err
		}
		if id, ok := ParseCommitKey(v.Key); ok && !v.DeleteMarker && newest[id] == "" {
			newest[id] = v.ID
		}
	}
	var others []string
	for id := range newest {
		if _, known := found[id]; !known {
			others = append(others, id)
		}
	}
	sort.Strings(others)
	type read struct {
		id  string
		h   Header
		err error
	}
	header := func(ctx context.Context, id string) read {
		h, err := loadHeader(ctx, b, id, newest[id])
		return read{id, h, err}
	}
	for r, err := range each(ctx, parallel(0), others, header) {
		switch {
		case err != nil:
			return Ref{}, err
		case r.err == nil && r.h.Folder == folder, r.err != nil && len(hex) == 64 && !errUnread(r.err):
			// A whole ID is meant as it stands, also where its object cannot
			// say of which folder it is.
			found[r.id] = 0
		case errUnread(r.err):
			return Ref{}, r.err
		}
	}
	var ids []string
	for id := range found {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	switch len(ids) {
	case 0:
		return Ref{}, unknown(ref, "no commit of "+folderName(folder)+" has an ID that starts so")
	case 1:
		return Ref{Number: found[ids[0]], ID: ids[0]}, nil
	}
	var list []string
	for i, id := range ids {
		if i == 10 {
			list = append(list, fmt.Sprintf("and %d more", len(ids)-i))
			break
		}
		if n := found[id]; n > 0 {
			list = append(list, fmt.Sprintf("%s (commit %d)", id[:min(64, len(hex)+10)], n))
		} else {
			list = append(list, fmt.Sprintf("%s (not in the log)", id[:min(64, len(hex)+10)]))
		}
	}
	return Ref{}, fmt.Errorf("%w: %q is the start of %d commits: %s; give more digits", ErrAmbiguousRef, safe.Text(ref), len(ids), strings.Join(list, ", "))
}

// scanLog notes the commits of a log whose ID starts with hex.
func scanLog(ctx context.Context, b bucket.Bucket, folder, hex string, found map[string]int64) error {
	note := func(e Entry, n int64) {
		if strings.HasPrefix(e.Commit, hex) {
			found[e.Commit] = max(found[e.Commit], n)
		}
	}
	for s, err := range Log(ctx, b, FolderHash(folder), 32) {
		switch {
		case err != nil:
			return err
		case s.Gap > 0:
			continue
		case errUnread(s.Err):
			return s.Err
		case s.Err == nil:
			note(s.Entry, s.Number)
		}
		for _, v := range s.Versions {
			if v.DeleteMarker || v.Live() {
				continue
			}
			e, err := LoadEntry(ctx, b, s.Key, v.ID)
			if errUnread(err) {
				return err
			}
			if err == nil {
				note(e, 0)
			}
		}
	}
	return nil
}
