package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

func (a *app) diffCommand() *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "diff URL REF [REF]",
		Short: "Show what differs between two commits, or a commit and what is live",
		Long: `Lists the files that were added (A), removed (D) and changed (M) from the first REF
to the second, which is live if left out. A file is changed when the two name
different versions of it; "same bytes" is said where ETag and size are equal. It is
changed too when they name the same version with another ETag or size: "same version,
other bytes", as where a version null was overwritten under suspended versioning.

What is live comes from one listing: files that change meanwhile may be shown as
they were before or after.

Exit 0, differences or not; with --exit-code 1 if there are any. Where a commit is
damaged or gone nothing can be compared: exit 3.`,
		Example: "  provcat-tui diff s3://team-data/sales 41 42\n  provcat-tui diff s3://team-data/sales head --exit-code",
		Args:    argNames(1, "the URL of a folder", "a REF (a number, six or more digits of an ID, head, head~2, live)", "a second REF"),
		RunE: func(cmd *cobra.Command, args []string) error {
			refs := diffRefs(args[1:])
			if refs[0] == "live" && refs[1] == "live" {
				return usagef("live is compared with itself; name a commit")
			}
			ctx := cmd.Context()
			p, folder, err := a.openFolder(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			var ends [2]commit.Ref
			for i, ref := range refs {
				if ends[i], err = resolve(ctx, p, folder, ref); err != nil {
					return notDifferent(err)
				}
			}
			return a.diff(ctx, p, folder, ends[0], ends[1], exitCode)
		},
		ValidArgsFunction: a.completeURLAndRefs(2),
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 1 if there are differences")
	return cmd
}

// diffRefs are the two ends: one REF is compared with what is live. 41..42 is both, as git
// and the explorer's --diff have it; no REF has two dots.
func diffRefs(args []string) []string {
	if from, to, both := strings.Cut(args[0], ".."); both && len(args) == 1 {
		args = []string{from, cmp.Or(to, "live")}
	}
	return append(args[:len(args):len(args)], "live")[:2]
}

// notDifferent keeps exit 1 for differences: a damaged commit leaves diff
// without an answer.
func notDifferent(err error) error {
	for _, k := range kindCodes {
		if k.code == exitNegative && errors.Is(err, k.kind) {
			return &exitError{exitIncomplete, err}
		}
	}
	return err
}

// diffTotal counts files and bytes of one kind of change. Bytes are those of the
// files as they were (removed) or are (added, changed).
type diffTotal struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

func (t *diffTotal) add(f commit.File) {
	t.Files++
	if f.Size > 0 {
		t.Bytes += f.Size
	}
}

type changeJSON struct {
	Kind        commit.ChangeKind `json:"kind"`
	Path        string            `json:"path"`
	From        *fileJSON         `json:"from"`
	To          *fileJSON         `json:"to"`
	SameBytes   bool              `json:"same_bytes"`
	SameVersion bool              `json:"same_version"` // with other bytes
}

func (a *app) diff(ctx context.Context, p *place, folder string, from, to commit.Ref, exitCode bool) error {
	totals := map[commit.ChangeKind]*diffTotal{commit.Added: {}, commit.Removed: {}, commit.Changed: {}}
	var doc *document
	start := func() {
		if a.format != "json" || doc != nil {
			return
		}
		doc = newDocument(a.out, "provcat-diff/1")
		doc.member("bucket", p.URL())
		doc.member("folder", folder)
		doc.member("from", refJSON(folder, from))
		doc.member("to", refJSON(folder, to))
		doc.array("changes")
	}
	var err error
	n := int64(0)
	for c, derr := range commit.Diff(filesOf(ctx, p, folder, from), filesOf(ctx, p, folder, to)) {
		if err = derr; err != nil {
			break
		}
		n++
		end := c.To
		if c.Kind == commit.Removed {
			end = c.From
		}
		totals[c.Kind].add(end)
		start()
		if doc != nil {
			err = doc.item(toChangeJSON(c))
		} else {
			err = a.printChange(c)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		err = notDifferent(err)
		if n == 0 {
			return err
		}
	}
	start()
	if doc != nil {
		for _, k := range []commit.ChangeKind{commit.Added, commit.Removed, commit.Changed} {
			doc.member(string(k), totals[k])
		}
		err = doc.finish(err)
	} else if err == nil {
		a.printTotals(from, to, n, totals)
	}
	if err == nil && n > 0 && exitCode {
		return &exitError{code: exitNegative}
	}
	return err
}

func toChangeJSON(c commit.Change) changeJSON {
	out := changeJSON{Kind: c.Kind, Path: c.Path, SameBytes: c.SameBytes, SameVersion: c.SameVersion}
	if c.Kind != commit.Added {
		f := toFileJSON(c.From)
		out.From = &f
	}
	if c.Kind != commit.Removed {
		f := toFileJSON(c.To)
		out.To = &f
	}
	return out
}

func (a *app) printChange(c commit.Change) error {
	path := safe.Text(c.Path)
	if path == "" {
		path = "./"
	}
	var letter, sizes string
	switch c.Kind {
	case commit.Added:
		letter, sizes = a.paint(green, "A"), size(c.To.Size)
	case commit.Removed:
		letter, sizes = a.paint(red, "D"), size(c.From.Size)
	case commit.Changed:
		letter, sizes = a.paint(yellow, "M"), size(c.From.Size)+" → "+size(c.To.Size)
	}
	if c.SameBytes {
		path += "  (same bytes)"
	}
	if c.SameVersion {
		path += "  (same version " + safe.Text(c.To.Version) + ", other bytes)"
	}
	_, err := fmt.Fprintf(a.out, "%s  %s  %s\n", letter, padLeft(sizes, 23), path)
	return err
}

func (a *app) printTotals(from, to commit.Ref, n int64, totals map[commit.ChangeKind]*diffTotal) {
	if n == 0 {
		a.note("no difference between %s and %s", refText(from), refText(to))
		return
	}
	add, del, mod := totals[commit.Added], totals[commit.Removed], totals[commit.Changed]
	a.printf("%s added (%s), %s removed (%s), %s changed (now %s)\n", number(add.Files), size(add.Bytes),
		number(del.Files), size(del.Bytes), number(mod.Files), size(mod.Bytes))
}
