package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

func (a *app) showCommand() *cobra.Command {
	var limit int64
	cmd := &cobra.Command{
		Use:   "show URL REF",
		Short: "Show one commit, and whether its hash holds",
		Long: `Shows who made a commit, when, its parent and its files, and whether its hash
holds: the whole commit object is read. Whether the files' versions are still there
is the audit's question. Exit 1 if the commit is damaged or gone.`,
		Example: "  provcat-tui show s3://team-data/sales head\n  provcat-tui show s3://team-data/sales 42 --limit 0",
		Args:    argNames(0, "the URL of a folder", "a REF (a number, six or more digits of an ID, head, head~2)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return usagef("--limit %d: 1 or more, or 0 for all", limit)
			}
			if args[1] == "live" {
				return usagef("live is not a commit; \"provcat-tui ls\" lists what is live")
			}
			ctx := cmd.Context()
			p, folder, err := a.openFolder(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			r, err := resolve(ctx, p, folder, args[1])
			if err != nil {
				return err
			}
			return a.show(ctx, p, folder, r, limit)
		},
		ValidArgsFunction: a.completeURLAndRefs(1),
	}
	cmd.Flags().Int64VarP(&limit, "limit", "n", 20, "list at most `n` files; 0: all (with --format json always all)")
	return cmd
}

// maxHeld bounds how many files are held from the first reading; more are read again.
const maxHeld = 10_000

func (a *app) show(ctx context.Context, p *place, folder string, r commit.Ref, limit int64) error {
	var held []commit.File
	hold := limit
	if a.format == "json" || hold == 0 || hold > maxHeld {
		hold = 0
	}
	o, err := commit.Load(ctx, p, r.ID, func(f commit.File) error {
		if int64(len(held)) < hold {
			held = append(held, f)
		}
		return nil
	})
	hash := "ok"
	switch {
	case err == nil:
	case errors.Is(err, commit.ErrCorrupt):
		hash = "mismatch"
		err = unreadable(p, folder, r, err)
	default:
		return unreadable(p, folder, r, err)
	}
	past, perr := pastOf(ctx, p, folder, r)
	if perr != nil {
		return perr
	}
	if a.format == "json" {
		return a.showJSON(ctx, p, folder, r, past, o, hash, err)
	}
	a.showHeader(folder, r, past, o, hash)
	if err != nil {
		return err // of a damaged commit no file can be believed
	}
	return a.showFiles(ctx, p, r.ID, o.Files, held, limit)
}

func (a *app) showHeader(folder string, r commit.Ref, past entryPast, o commit.Object, hash string) {
	a.printf("commit   %s\n", safe.Text(r.ID))
	switch {
	case r.Number > 0:
		a.printf("number   %d of %s\n", r.Number, folderText(folder))
		if again := past.again(r.ID); again != "" {
			a.printf("entry    %s\n", a.paint(red, again))
		}
	case past.number > 0:
		a.printf("number   none now: entry %d of the log of %s named it %s\n", past.number, folderText(folder), a.paint(red, past.before(r.ID)))
	default:
		a.printf("number   none: no entry of the log of %s names it\n", folderText(folder))
	}
	if o.Folder != folder {
		a.printf("folder   %s %s\n", folderText(o.Folder), a.paint(red, "(not that of the log)"))
	}
	if o.Parent == "" {
		a.printf("parent   none: it is the first\n")
	} else {
		a.printf("parent   %s\n", safe.Text(o.Parent))
	}
	a.printf("author   %s\n", safe.Text(o.Author))
	if o.Time.IsZero() {
		a.printf("time     ?\n")
	} else {
		a.printf("time     %s\n", commit.FormatTime(o.Time))
	}
	a.printf("files    %s, %s\n", number(o.Files), size(o.Total))
	if hash == "ok" {
		a.printf("hash     %s\n", a.paint(green, "holds"))
	} else {
		a.printf("hash     %s: the bytes' SHA-256 is %s\n", a.paint(red, "does not hold"), safe.Text(o.ID))
	}
	if o.Message != "" {
		a.printf("\n")
		for line := range strings.SplitSeq(strings.TrimRight(o.Message, "\n"), "\n") {
			a.printf("    %s\n", safe.Text(line))
		}
	}
}

func (a *app) showFiles(ctx context.Context, p *place, id string, total int64, held []commit.File, limit int64) error {
	if total == 0 {
		return nil
	}
	a.printf("\n")
	line := func(f commit.File) error {
		path := safe.Text(f.Path)
		if path == "" {
			path = "./"
		}
		_, err := fmt.Fprintf(a.out, "%s  %s  %s\n", padLeft(size(f.Size), 10), pad(safe.Text(f.Version), 32), path)
		return err
	}
	shown := int64(0)
	for _, f := range held {
		shown++
		if err := line(f); err != nil {
			return err
		}
	}
	if len(held) == 0 {
		for f, err := range commit.Files(ctx, p, id) {
			if err != nil {
				return err
			}
			if limit > 0 && shown == limit {
				break
			}
			shown++
			if err := line(f); err != nil {
				return err
			}
		}
	}
	if shown < total {
		a.printf("… and %s more; --limit 0 lists all\n", count(total-shown, "file"))
	}
	return nil
}

func (a *app) showJSON(ctx context.Context, p *place, folder string, r commit.Ref, past entryPast, o commit.Object, hash string, cause error) error {
	doc := newDocument(a.out, "provcat-show/1")
	doc.member("bucket", p.URL())
	doc.member("folder", folder)
	doc.member("number", numberOrNull(r.Number, r.Number > 0))
	doc.member("id", r.ID)
	if past.number > 0 {
		doc.member("was_number", past.number)
	}
	if past.number > 0 || len(past.others(r.ID)) > 0 {
		doc.member("entry_named", past.json())
	}
	doc.member("hash", hash)
	if cause != nil {
		doc.member("hash_of_bytes", orNull(o.ID))
		return doc.finish(cause)
	}
	doc.member("commit_folder", o.Folder)
	doc.member("commit_number", numberOrNull(o.Number, o.Number > 0))
	doc.member("parent", orNull(o.Parent))
	doc.member("time", jsonCommitTime(o.Time))
	doc.member("author", o.Author)
	doc.member("message", o.Message)
	doc.member("object_bytes", o.Bytes)
	doc.member("files_count", o.Files)
	doc.member("files_bytes", o.Total)
	doc.array("files")
	var err error
	for f, ferr := range commit.Files(ctx, p, r.ID) {
		if err = ferr; err == nil {
			err = doc.item(toFileJSON(f))
		}
		if err != nil {
			break
		}
	}
	return doc.finish(err)
}
