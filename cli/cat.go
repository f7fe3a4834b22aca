package cli

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

func (a *app) catCommand() *cobra.Command {
	var at, folder string
	var raw bool
	cmd := &cobra.Command{
		Use:   "cat URL [--at REF]",
		Short: "Print a file's bytes, live or at a commit",
		Long: `Prints the bytes of the file whose key URL ends with: the live version, or with
--at the very version that a commit names. --format changes nothing: the output
is the bytes.

With --at the commit is looked for in the log of the nearest folder above the
file that has the REF; --folder chooses another. The whole commit is read and its
hash checked before the first byte is printed.

On a terminal, control characters are shown as \x1b and the like, so that a file
cannot take the terminal over; --raw prints them as they are.`,
		Example: "  provcat-tui cat s3://team-data/sales/eu.csv\n  provcat-tui cat s3://team-data/sales/eu.csv --at 42 > eu.csv",
		Args:    argNames(0, "the URL of a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := cmd.Flags().Changed("folder")
			if chosen && at == "" {
				return usagef("--folder chooses the log of --at; add --at REF")
			}
			ctx := cmd.Context()
			p, err := a.open(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			if p.path == "" {
				return usagef("%s is a bucket, not a file; \"provcat-tui ls\" lists it", safe.Text(args[0]))
			}
			file, log := commit.File{Size: -1}, ""
			if at != "" && at != "live" {
				f, ref, err := a.resolveFor(ctx, p, at, folder, chosen, false)
				if err != nil {
					return err
				}
				if file, err = fileAt(ctx, p, f, ref); err != nil {
					return err
				}
				log = f
			}
			return a.cat(ctx, p, log, file, raw)
		},
		ValidArgsFunction: a.completeURL,
	}
	f := cmd.Flags()
	f.StringVar(&at, "at", "", "the version that this commit (`REF`) names")
	f.StringVar(&folder, "folder", "", "the folder whose log --at means")
	f.BoolVar(&raw, "raw", false, "print control characters as they are, also on a terminal")
	_ = cmd.RegisterFlagCompletionFunc("at", a.completeRef) // fails only for a flag that isn't there
	return cmd
}

// fileAt finds the file of the URL in a commit, whose hash has then been checked.
func fileAt(ctx context.Context, p *place, folder string, ref commit.Ref) (commit.File, error) {
	rest, ok := within(folder, p.path)
	if !ok {
		return commit.File{}, usagef("%s is not in the folder %s", safe.Text(p.path), safe.Text(folder))
	}
	var found commit.File
	have := false
	for f, err := range filesOf(ctx, p, folder, ref) {
		if err != nil {
			return commit.File{}, err
		}
		if f.Path == rest {
			found, have = f, true
		}
	}
	if !have {
		return commit.File{}, &exitError{exitNegative, fmt.Errorf("%s of %s has no file %s; \"provcat-tui ls %s --at …\" lists its files",
			refText(ref), folderText(folder), safe.Text(rest), safe.Shell(p.URL()+"/"+folder))}
	}
	return found, nil
}

// cat copies a version's bytes to stdout: the live one, or that of file. What
// differs from what the commit says of it is damage. folder is that of the commit.
func (a *app) cat(ctx context.Context, p *place, folder string, file commit.File, raw bool) (err error) {
	r, v, err := p.Open(ctx, p.path, file.Version, 0)
	if errors.Is(err, bucket.ErrNotFound) && file.Version != "" {
		is, lerr := present(ctx, p, p.path, file)
		if lerr != nil {
			return lerr
		}
		return versionGone(p, folder, p.path, file.Version, is)
	}
	if errors.Is(err, bucket.ErrNotFound) {
		// Not there, deleted, or a folder: ls says which.
		return missingFile(ctx, p)
	}
	if err != nil {
		return err
	}
	defer func() {
		if cerr := r.Close(); err == nil {
			err = cerr
		}
	}()
	if file.Version != "" {
		if other := file.OtherText(v.ETag, v.Size); other != "" {
			return versionOther(p.path, other)
		}
	}
	var w io.Writer = a.out
	if !raw && isTerminal(a.rawOut) {
		w = &visible{w: a.out}
	}
	sum, want := checksum(v)
	n, err := io.Copy(io.MultiWriter(w, sum), r)
	if err == nil && n != v.Size {
		return fmt.Errorf("read %s: the answer ended after %s of %s; try again", safe.Text(p.path), number(n), count(v.Size, "byte"))
	}
	if has := hex.EncodeToString(sum.Sum(nil)); err == nil && want != "" && has != want {
		err = fmt.Errorf("read %s: the bytes that came have the checksum %s, the store says %s: what was written out is not to be trusted; try again", safe.Text(p.path), has, safe.Text(want))
	}
	if err == nil {
		if vis, ok := w.(*visible); ok {
			err = vis.flush()
		}
	}
	return err
}
