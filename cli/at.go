package cli

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// commitAt finds the commit that --at means where it takes a REF or a TIME, for a path:
// of a REF as resolveFor does, of a time the pin at that time. folder counts if chosen.
func (a *app) commitAt(ctx context.Context, p *place, at, folder string, chosen bool) (string, commit.Ref, error) {
	when, isTime := commit.ParseTime(at)
	switch {
	case at == "live":
		return "", commit.Ref{}, usagef("live is not a commit: it names no versions; give a REF (42, head) or a TIME")
	case !isTime:
		return a.resolveFor(ctx, p, at, folder, chosen, true)
	}
	if !chosen {
		folder = p.path
	}
	own, err := commit.FolderOf(folder)
	if err != nil {
		return "", commit.Ref{}, err
	}
	pin, err := commit.FindPin(ctx, p, own, when, a.parallel(p))
	switch {
	case err != nil:
		return "", commit.Ref{}, err
	case len(pin.Doubts) > 0:
		return "", commit.Ref{}, &exitError{exitIncomplete, fmt.Errorf("which commit is meant by %s: %s (%s); name the commit by its number or ID; more says: %s",
			safe.Text(at), inDoubt(pin), safe.Text(pin.Doubts[0]), folderCommand(p.Bucket, "pin", own, "--at", safe.Shell(at)))}
	case pin.Chosen == nil:
		if err := needFolder(ctx, p, own); err != nil {
			return "", commit.Ref{}, err
		}
		return "", commit.Ref{}, &exitError{exitNegative, errors.New(noPin(own, when))}
	}
	return pin.Chosen.Folder, commit.Ref{Number: pin.Chosen.Number, ID: pin.Chosen.ID}, nil
}

// noFileAt is the one message for a commit that names nothing at a path.
func noFileAt(folder string, ref commit.Ref, path string) error {
	return &exitError{exitUsage, fmt.Errorf("%s of %s has no file at or under %s", refText(ref), folderText(folder), safe.Text(path))}
}
