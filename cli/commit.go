package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

type commitOptions struct {
	message   string
	author    string
	dryRun    bool
	maxSkew   time.Duration
	timeLimit time.Duration
}

func (a *app) commitCommand() *cobra.Command {
	var o commitOptions
	cmd := &cobra.Command{
		Use:   "commit URL -m TEXT [--author A] [--dry-run]",
		Short: "Commit a folder: name the exact version of every file in it",
		Long: `Commits what is live in a folder now. It lists the folder until two listings in a
row are equal, writes a commit object, and makes it visible by creating the next
entry of the folder's log, which only one of several writers can do.

Exit 0: committed, or nothing to commit. Exit 1: refused (the log is damaged,
versioning is not on, the store ignores conditions, a clock is wrong). Exit 3:
contended, the folder never came to rest, or unclear: then it is not known whether
the commit is visible, and the message has the command that tells later.`,
		Example: "  provcat-tui commit s3://team-data/sales -m \"October restatement\"\n  provcat-tui commit s3://team-data/sales --dry-run",
		Args:    argNames(0, "the URL of a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("message") && !o.dryRun {
				return usagef("a commit needs a message: add -m TEXT (-m \"\" for none)")
			}
			if err := a.mayWrite(args[0], "committed"); err != nil && !o.dryRun {
				return err
			}
			return a.commit(cmd, args[0], o)
		},
		ValidArgsFunction: a.completeURL,
	}
	f := cmd.Flags()
	f.StringVarP(&o.message, "message", "m", "", "the commit's message (`TEXT`)")
	f.StringVar(&o.author, "author", "", "the commit's author (default: author of the config file, else user@host)")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be committed; write nothing")
	durationVar(f, &o.maxSkew, "max-skew", 5*time.Minute, "refuse a commit whose time is further ahead of the bucket's clock")
	durationVar(f, &o.timeLimit, "time-limit", 2*time.Minute, "how long to try to settle an unclear answer")
	return cmd
}

// author is the config file's, else user@host.
func (a *app) author() string {
	if a.config.Author != "" {
		return a.config.Author
	}
	name := "unknown"
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil && host != "" {
		name += "@" + host
	}
	return name
}

func (a *app) commit(cmd *cobra.Command, url string, o commitOptions) error {
	ctx := cmd.Context()
	p, folder, err := a.openFolder(ctx, url)
	if err != nil {
		return err
	}
	defer p.close()
	if !cmd.Flags().Changed("author") {
		o.author = a.authorAt(p.loc)
	}
	return a.commitAtPlace(ctx, p, folder, o)
}

// commitAtPlace commits a folder of an open bucket, and tells how it ended.
func (a *app) commitAtPlace(ctx context.Context, p *place, folder string, o commitOptions) error {
	m := a.newMeter()
	res, err := commit.Write(ctx, p, folder, commit.WriteOptions{
		Author: o.author, Message: o.message, DryRun: o.dryRun,
		MaxSkew: o.maxSkew, TimeLimit: o.timeLimit, Concurrency: a.concurrency(p.loc),
		Now:      a.now,
		Progress: func(pr commit.Progress) { m.show(progressText(pr)) },
	})
	m.clear()
	if err != nil {
		return a.notCommitted(ctx, res, err)
	}
	if res.Warning != "" {
		a.note("%s", res.Warning)
	}
	if a.format == "json" {
		return a.printJSON(committedJSON(res, o.dryRun))
	}
	a.printResult(res, o.dryRun)
	return nil
}

func progressText(p commit.Progress) string {
	s := p.Stage
	if p.Listing > 0 {
		s += fmt.Sprintf(" %d: %s", p.Listing, count(p.Versions, "version"))
	}
	if p.Attempt > 1 {
		s += fmt.Sprintf(", attempt %d", p.Attempt)
	}
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	return s
}

// committed is the JSON of a commit, or of nothing to commit.
type committed struct {
	Committed   bool    `json:"committed"`
	Folder      string  `json:"folder"`
	Number      int64   `json:"number"`
	ID          *string `json:"id"`
	Parent      *string `json:"parent"`
	Files       int64   `json:"files"`
	Listings    int     `json:"listings"`
	Attempts    int     `json:"attempts"`
	Bytes       int64   `json:"bytes"`
	Time        *string `json:"time"`
	Warning     string  `json:"warning,omitempty"`
	DryRun      bool    `json:"dry_run,omitempty"`
	WouldCommit *bool   `json:"would_commit,omitempty"`
	Added       *int64  `json:"added,omitempty"`
	Removed     *int64  `json:"removed,omitempty"`
	Changed     *int64  `json:"changed,omitempty"`
}

func committedJSON(r commit.Result, dry bool) committed {
	c := committed{Committed: r.Committed, Folder: r.Folder, Number: r.Number, ID: orNull(r.ID), Parent: orNull(r.Parent),
		Files: r.Files, Listings: r.Listings, Attempts: r.Attempts, Bytes: r.Bytes, Time: jsonCommitTime(r.Time), Warning: r.Warning}
	if dry {
		would := wouldCommit(r)
		c.DryRun, c.WouldCommit = true, &would
		c.Added, c.Removed, c.Changed = &r.Added, &r.Removed, &r.ChangedFiles
	}
	return c
}

// wouldCommit says whether a dry run found something to commit: where there is
// nothing the result has the head's ID.
func wouldCommit(r commit.Result) bool { return r.ID == "" }

func (a *app) printResult(r commit.Result, dry bool) {
	what := fmt.Sprintf("%s, %s", count(r.Files, "file"), size(r.Bytes))
	switch {
	case dry && wouldCommit(r):
		a.printf("would commit %s as number %d: %s\n", folderText(r.Folder), r.Number, what)
		a.printf("against the commit before: %s added, %s removed, %s changed\n", number(r.Added), number(r.Removed), number(r.ChangedFiles))
	case r.Committed:
		a.printf("committed %s as number %d: %s\n", folderText(r.Folder), r.Number, what)
		a.printf("id       %s\n", safe.Text(r.ID))
		if r.Parent != "" {
			a.printf("parent   %s\n", safe.Text(r.Parent))
		}
		a.printf("time     %s\n", commit.FormatTime(r.Time))
	default:
		a.printf("nothing to commit: %s is as commit %d says (%s)\n", folderText(r.Folder), r.Number, what)
	}
}

// refusal is the JSON of a commit that was not made, or is unclear.
type refusal struct {
	Committed *bool  `json:"committed"` // null: not known
	Folder    string `json:"folder"`
	Reason    string `json:"reason"`
	Detail    string `json:"detail"`
	Number    *int64 `json:"number,omitempty"`
	ID        string `json:"id,omitempty"`
}

// notCommitted tells why, on stdout in JSON too.
func (a *app) notCommitted(ctx context.Context, res commit.Result, err error) error {
	no := false
	r := refusal{Committed: &no, Folder: res.Folder, Reason: "failed", Detail: err.Error()}
	var w *commit.WriteError
	switch {
	case errors.As(err, &w):
		r.Reason, r.ID, r.Number = w.Reason, w.ID, numberOrNull(w.Number, w.Number > 0)
		r.Committed = &res.Committed // damage seen afterwards may lie beside a commit that stands
		if w.Unclear {
			r.Committed = nil
		}
	case ctx.Err() != nil:
		r.Reason = "interrupted"
		err = interruptedCommit(res, err)
		r.Detail = err.Error()
	default:
		if errors.Is(err, bucket.ErrDenied) {
			r.Reason = "denied"
		}
		// Whatever failed is no answer about the folder.
		err = &exitError{exitIncomplete, err}
	}
	if a.format != "json" {
		return err
	}
	if perr := a.printJSON(r); perr != nil {
		return errors.Join(err, perr)
	}
	return err
}

// interruptedCommit says what was done until then: before the commit point there is at
// most a commit object, which nobody reads.
func interruptedCommit(res commit.Result, err error) error {
	text := "interrupted: nothing was committed"
	if res.ID != "" {
		text += fmt.Sprintf("; the commit object %s may be there without an entry: it is harmless, and the audit calls it one that was never finished", safe.Text(res.ID))
	}
	return &interruptedError{text, err}
}

// printJSON writes one document of one line.
func (a *app) printJSON(v any) error {
	line, err := safe.JSONLine(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(line)
	return err
}
