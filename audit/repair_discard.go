package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
	"provcat-tui/internal/whole"
)

// PlanDiscard plans to remove for good an older version that is garbage, under a
// live one that is sound, after its bytes were kept in a new file.
func PlanDiscard(ctx context.Context, b bucket.Bucket, key, version, keep string) (*RepairPlan, error) {
	t, err := targetOf(b, key)
	if err != nil {
		return nil, err
	}
	p, err := t.plan(ctx, "discard")
	if err != nil {
		return nil, err
	}
	p.again = func(ctx context.Context) (*RepairPlan, error) { return PlanDiscard(ctx, b, key, version, keep) }
	_, v := find(p.seen, version)
	top := live(p.seen)
	switch {
	case v == nil:
		return nil, refused("%s has no version %s", safe.Text(key), safe.Text(version))
	case v.DeleteMarker:
		return nil, refused("version %s of %s is a delete marker", safe.Text(version), safe.Text(key))
	case top == nil:
		return nil, refused("%s has no live version: make the right one live first", safe.Text(key))
	case v.Latest:
		return nil, refused("version %s of %s is the live one: make an earlier one live first, with repair version", safe.Text(version), safe.Text(key))
	case v.right:
		return nil, refused("version %s of %s is no garbage: it %s", safe.Text(version), safe.Text(key), safe.Text(v.note))
	case v.err != nil:
		return nil, fmt.Errorf("version %s could not be read, so nothing was removed: %w", safe.Text(version), v.err)
	}
	if err := t.right(top); err != nil {
		return nil, err
	}
	kept, err := t.kept(ctx, version, keep)
	if err != nil {
		return nil, err
	}
	if version == bucket.NullID {
		// Where versioning is not on, the next write to the key has this ID too.
		if err := writable(ctx, b); err != nil {
			return nil, err
		}
	}
	copied := "keep a copy of version " + version + " in " + keep
	if kept {
		copied = "leave the copy of version " + version + " that is in " + keep + " already"
	}
	p.Will = []string{copied, fmt.Sprintf("remove version %s, which %s, for good", version, v.note)}
	p.After = fmt.Sprintf("Version %s is gone, its bytes are in %s; what readers get is as before.", version, keep)
	p.Mends = fmt.Sprintf("an older version of %s is garbage, so that nothing can be added while it is the head", p.name(ctx))
	p.holds = func(now []seenVersion) bool {
		_, still := find(now, version)
		l := live(now)
		return still == nil && l != nil && l.ID == top.ID && l.right
	}
	p.write = func(ctx context.Context) error {
		// Looked at again: between plan and write somebody may have made the file.
		if kept, err := t.kept(ctx, version, keep); err != nil {
			return err
		} else if kept {
			return b.DeleteVersion(ctx, key, version)
		}
		if err := t.keep(ctx, version, keep); err != nil {
			return refused("nothing was removed, since its copy could not be kept: %v", err)
		}
		return b.DeleteVersion(ctx, key, version)
	}
	return p, nil
}

// kept says whether the file holds the version's bytes already, as it does when the
// removal failed before. Any other file is refused.
func (t target) kept(ctx context.Context, version, path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, refused("%s cannot be looked at: %s", safe.Text(path), safe.Text(err.Error()))
	}
	other := refused("%s is there already, and is not a copy of the version: nothing is written over it", safe.Text(path))
	if !info.Mode().IsRegular() {
		return false, other
	}
	f, err := os.Open(path) //nolint:gosec // the person named it
	if err != nil {
		return false, refused("%s cannot be read: %s", safe.Text(path), safe.Text(err.Error()))
	}
	defer func() { _ = f.Close() }() // only read from
	mine, theirs := sha256.New(), sha256.New()
	if _, err := io.Copy(mine, f); err != nil {
		return false, refused("%s cannot be read: %s", safe.Text(path), safe.Text(err.Error()))
	}
	if err := t.copyTo(ctx, version, theirs); err != nil {
		return false, err
	}
	if !bytes.Equal(mine.Sum(nil), theirs.Sum(nil)) {
		return false, other
	}
	return true, nil
}

// keep copies a version to a new file, whole or not at all.
func (t target) keep(ctx context.Context, version, path string) error {
	return whole.Create(path, 0o600, func(f *os.File) error { return t.copyTo(ctx, version, f) })
}
