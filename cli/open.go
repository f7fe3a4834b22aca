package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// A place is an opened bucket and what the URL names in it.
type place struct {
	bucket.Bucket
	path string // as in the URL: a key, a prefix or a folder
	loc  bucket.Location
}

// Unwrap gives the bucket itself, so that what only its driver can do is found: see
// bucket.Again.
func (p *place) Unwrap() bucket.Bucket { return p.Bucket }

// open opens the bucket of a URL. Whatever goes wrong is exit 2: the bucket
// cannot be opened.
func (a *app) open(ctx context.Context, url string) (*place, error) {
	l, err := bucket.Parse(url)
	if err != nil {
		return nil, err
	}
	return a.openWith(ctx, l, a.options(l))
}

func (a *app) openWith(ctx context.Context, l bucket.Location, o bucket.Options) (*place, error) {
	b, err := bucket.Open(bucket.WithWarn(ctx, a.warn), l, o)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return &place{b, l.Path, l}, nil
}

// openFolder is open for a URL that names a folder.
func (a *app) openFolder(ctx context.Context, url string) (*place, string, error) {
	p, err := a.open(ctx, url)
	if err != nil {
		return nil, "", err
	}
	return p.folder()
}

// openUnlisted is openFolder where even a listing may be forbidden.
func (a *app) openUnlisted(ctx context.Context, url string) (*place, string, error) {
	l, err := bucket.Parse(url)
	if err != nil {
		return nil, "", err
	}
	o := a.options(l)
	o.Unlisted = true
	p, err := a.openWith(ctx, l, o)
	if err != nil {
		return nil, "", err
	}
	return p.folder()
}

// folder is what the URL names; where that is no folder the place is closed.
func (p *place) folder() (*place, string, error) {
	folder, err := commit.FolderOf(p.path)
	if err != nil {
		p.close()
		return nil, "", err
	}
	return p, folder, nil
}

// close gives up the bucket. Commands have read or written all by then, so that
// an error has nothing to tell.
func (p *place) close() { _ = p.Close() }

// exists says whether a folder is there: it has any version or marker, or a log.
func exists(ctx context.Context, b bucket.Bucket, folder string) (bool, error) {
	if folder == "" {
		return true, nil
	}
	for _, prefix := range []string{commit.KeyPrefix(folder), commit.LogPrefix(commit.FolderHash(folder))} {
		for _, err := range b.Versions(ctx, bucket.Range{Prefix: prefix, PageSize: 1}) {
			return err == nil, err
		}
	}
	return false, nil
}

// needFolder is the error for a folder that isn't there; nil where it is.
func needFolder(ctx context.Context, b bucket.Bucket, folder string) error {
	there, err := exists(ctx, b, folder)
	if err != nil || there {
		return err
	}
	return noFolder(b, folder)
}

// noFolder is the one message for a folder that isn't there.
func noFolder(b bucket.Bucket, folder string) error { return notThere(b, "folder", folder) }

func notThere(b bucket.Bucket, what, name string) error {
	return &exitError{exitUsage, fmt.Errorf("%s has no %s %s: no version, delete marker or commit is under that name; \"provcat-tui ls %s\" shows what is there",
		safe.Text(b.URL()), what, safe.Text(name), safe.Shell(b.URL()))}
}

// resolve reads a REF in a folder. Of a folder that isn't there it says so,
// rather than that it lacks the commit.
func resolve(ctx context.Context, b bucket.Bucket, folder, ref string) (commit.Ref, error) {
	r, err := commit.Resolve(ctx, b, folder, ref)
	if errors.Is(err, commit.ErrUnknownRef) {
		if ferr := needFolder(ctx, b, folder); ferr != nil {
			return r, ferr
		}
	}
	return r, damagedRef(ctx, b, folder, ref, err)
}

// resolveUp finds the nearest of the folders whose log has the REF.
func resolveUp(ctx context.Context, b bucket.Bucket, folders []string, ref string) (string, commit.Ref, error) {
	var first error
	orphanIn, orphan := "", commit.Ref{}
	for _, f := range folders {
		r, err := commit.Resolve(ctx, b, f, ref)
		switch {
		case errors.Is(err, commit.ErrUnknownRef):
			if first == nil {
				first = err
			}
		case err != nil:
			// A damaged log or a failed read: a commit further up would be a
			// guess at what was meant.
			return f, r, damagedRef(ctx, b, f, ref, err)
		case r.Live || r.Number > 0:
			return f, r, nil
		case orphan.ID == "":
			orphanIn, orphan = f, r // an ID that this log doesn't name; one above may
		}
	}
	if orphan.ID != "" {
		return orphanIn, orphan, nil
	}
	return "", commit.Ref{}, first
}

// enclosing gives the folders of which a key or folder can be a part: itself
// first if it may be a folder, then all above it.
func enclosing(path string, self bool) []string {
	var out []string
	if f, err := commit.FolderOf(path); self && err == nil {
		out = append(out, f)
	}
	for _, f := range commit.Ancestors(strings.TrimSuffix(path, "/")) {
		if _, err := commit.FolderOf(f); err == nil && (len(out) == 0 || out[len(out)-1] != f) {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		out = append(out, "")
	}
	return out
}

// within gives path less the folder's prefix; ok is false where it lies outside.
func within(folder, path string) (rest string, ok bool) {
	return strings.CutPrefix(path, commit.KeyPrefix(folder))
}

// refText names a resolved REF for people.
func refText(r commit.Ref) string {
	switch {
	case r.Live:
		return "live"
	case r.Number == 0:
		return "commit " + commit.ShortID(r.ID)
	}
	return fmt.Sprintf("commit %d (%s)", r.Number, commit.ShortID(r.ID))
}

// refJSON names a resolved REF in JSON: a commit, or null for live.
func refJSON(folder string, r commit.Ref) *commitJSON {
	if r.Live {
		return nil
	}
	return &commitJSON{Folder: folder, Number: numberOrNull(r.Number, r.Number > 0), ID: r.ID}
}

// refWord is a REF that names it.
func refWord(r commit.Ref) string {
	if r.Number > 0 {
		return fmt.Sprint(r.Number)
	}
	return "id:" + r.ID
}
