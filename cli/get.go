package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/internal/target"
)

type getOptions struct {
	at, folder string
	dir        string
	overwrite  bool
	dryRun     bool
}

func (a *app) getCommand() *cobra.Command {
	var o getOptions
	cmd := &cobra.Command{
		Use:   "get URL -o DIR [--at REF|TIME]",
		Short: "Download the files of a commit, version by version",
		Long: `Downloads a folder, a part of it or one file as a commit names them: the very versions,
whatever is live now. Without --at it is the newest commit. Names in DIR are those
that "ls URL" shows. DIR is made if it is not there.

The whole commit is read and its hash checked before the first file. Each file comes
under a temporary name and takes its own when size and checksum fit what the commit
says. A file that is there and equal is left, so that the same command goes on where
it was interrupted; one that differs is left too, unless --overwrite.

Nothing is written outside of DIR and no link is followed. What cannot be written
there under its name ("..", an empty part, a file that is a folder too, names that
differ only in case where they are one) is named, and the rest is fetched.

Exit 0: all files are there. Exit 1: versions that the commit names are gone or
damaged. Exit 3: some files were refused, differ or could not be fetched.`,
		Example: "  provcat-tui get s3://team-data/sales -o sales\n  provcat-tui get s3://team-data/sales/eu --at 42 -o eu\n  provcat-tui get s3://team-data/sales --at 2026-10-30 -o before --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && o.dir == "" {
				return usagef("get takes its directory with -o: get %s -o %s", safe.Shell(args[0]), safe.Shell(args[1]))
			}
			return argNames(0, "the URL of a folder or file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := cmd.Flags().Changed("folder")
			switch {
			case o.dir == "":
				return usagef("get needs a directory to write into: add -o DIR")
			case o.at == "":
				return usagef("--at needs a REF or a TIME; without --at it is the newest commit")
			}
			ctx := cmd.Context()
			p, err := a.open(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			folder, ref, err := a.commitAt(ctx, p, o.at, o.folder, chosen)
			if err != nil {
				return err
			}
			return a.get(ctx, p, folder, ref, o)
		},
		ValidArgsFunction: a.completeURL,
	}
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "head", "the commit: a `REF`, or the pin at a TIME")
	f.StringVar(&o.folder, "folder", "", "the folder whose log --at means")
	f.StringVarP(&o.dir, "output", "o", "", "the `DIR` to write into")
	f.BoolVar(&o.overwrite, "overwrite", false, "replace files that are there and differ")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be fetched; fetch and write nothing")
	_ = cmd.RegisterFlagCompletionFunc("at", a.completeRef) // fails only for a flag that isn't there
	return cmd
}

// A part is the files of a commit that a URL means: one file, or those whose paths
// start with a prefix.
type part struct {
	p      *place
	folder string
	ref    commit.Ref
	under  string // empty, or ends in "/"
	file   string // with one: its path
	one    bool
}

// partOf reads the URL's path in a folder. one is not known before the commit was read.
func partOf(p *place, folder string, ref commit.Ref) (*part, error) {
	rest, ok := within(folder, dirPrefix(p.path))
	if !ok && folder != strings.TrimSuffix(p.path, "/") {
		return nil, usagef("%s is not in the folder %s", safe.Text(p.path), safe.Text(folder))
	}
	pt := &part{p: p, folder: folder, ref: ref, under: rest}
	if !strings.HasSuffix(p.path, "/") {
		pt.file = strings.TrimSuffix(rest, "/")
	}
	return pt, nil
}

// name gives a file's name below the URL, as ls shows it.
func (pt *part) name(f commit.File) (string, bool) {
	if pt.one {
		return f.Path[strings.LastIndexByte(f.Path, '/')+1:], f.Path == pt.file
	}
	return strings.CutPrefix(f.Path, pt.under)
}

// files streams the files that are meant, in order of path.
func (pt *part) files(ctx context.Context) iter.Seq2[commit.File, error] {
	return func(yield func(commit.File, error) bool) {
		for f, err := range filesOf(ctx, pt.p, pt.folder, pt.ref) {
			if err == nil {
				if _, ok := pt.name(f); !ok {
					continue
				}
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// settle reads the commit to its end, so that its hash is known to hold, and finds out
// whether the URL names one file. see gets each name; a file's own comes before those
// under it.
func (pt *part) settle(ctx context.Context, see func(name string, f commit.File)) error {
	n := 0
	for f, err := range filesOf(ctx, pt.p, pt.folder, pt.ref) {
		if err != nil {
			return err
		}
		if pt.file != "" && f.Path == pt.file {
			pt.one = true
		}
		if name, ok := pt.name(f); ok {
			n++
			see(name, f)
		}
	}
	if n == 0 && pt.under != "" {
		return noFileAt(pt.folder, pt.ref, strings.TrimSuffix(pt.under, "/"))
	}
	return nil
}

// get fetches what the URL means.
func (a *app) get(ctx context.Context, p *place, folder string, ref commit.Ref, o getOptions) error {
	pt, err := partOf(p, folder, ref)
	if err != nil {
		return err
	}
	open := target.Open
	if o.dryRun {
		open = target.Look
	}
	dir, err := open(o.dir)
	if err != nil {
		return usagef("-o: %s", safe.Text(err.Error()))
	}
	defer func() { _ = dir.Close() }() // all files are closed by then
	if !o.dryRun {
		outliveReader()
	}
	g := &getter{a: a, part: pt, dir: dir, o: o, names: target.NewNames(dir.Rules()), meter: a.newMeter()}
	if err := pt.settle(ctx, g.see); err != nil {
		return err
	}
	return g.run(ctx)
}

// maxMisses is how many files in a row may fail before the rest is left: then it is no
// longer about the files.
const maxMisses = 50

// run fetches the files, several at a time, and tells of them in order.
func (g *getter) run(ctx context.Context) error {
	a := g.a
	g.begin()
	var stop error
	misses := 0
	for r, err := range ordered(ctx, g.part.files(ctx), a.parallel(g.part.p), g.one) {
		if err == nil {
			g.tell(r)
			switch {
			case ctx.Err() != nil:
				err = ctx.Err()
			case r.State != gotFailed:
				misses = 0
			case target.Full(r.err):
				err = fmt.Errorf("write %s: %w; make room, then the same command goes on with the rest", safe.Text(r.Name), r.err)
			default:
				if misses++; misses == maxMisses {
					err = fmt.Errorf("%d files in a row could not be fetched, so the rest was left: %w", maxMisses, r.err)
				}
			}
		}
		if err != nil {
			stop = err
			break
		}
	}
	g.meter.clear()
	if stop == nil {
		stop = ctx.Err()
	}
	return g.end(ctx, stop)
}

// end tells what was done and what wasn't.
func (g *getter) end(ctx context.Context, stop error) error {
	verdict := g.verdict()
	if stop != nil {
		text := fmt.Sprintf("%s: %s", safe.Text(g.o.dir), g.standing())
		if ctx.Err() != nil || errors.Is(stop, context.Canceled) {
			stop = &interruptedError{"interrupted; " + text + "; the same command goes on with the rest", stop}
		} else {
			stop = &exitError{exitIncomplete, fmt.Errorf("%w; %s", stop, text)}
		}
		verdict = stop
	}
	if g.doc == nil {
		g.totals()
		return verdict
	}
	g.doc.member("counts", g.counts())
	if stop == nil && verdict != nil {
		g.doc.member("error", verdict.Error())
	}
	if err := g.doc.finish(stop); err != nil {
		return err
	}
	return verdict
}
