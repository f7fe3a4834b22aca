package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

type protectOptions struct {
	at, folder  string
	last        int
	off         bool
	yes, dryRun bool
}

func (a *app) protectCommand() *cobra.Command {
	var o protectOptions
	cmd := &cobra.Command{
		Use:   "protect URL [--at REF|TIME] [--last N] [--off]",
		Short: "Hold all that a commit needs, so that nobody can delete it",
		Long: `Puts a legal hold on the log entry, the commit object and every version that a commit
names, or the last N commits up to it: neither people nor lifecycle rules can then
remove them. On S3 it is an Object Lock legal hold, which the bucket must allow; on
Google Cloud a temporary hold.

A delete marker can still be laid over a held version; that loses nothing. On Google
Cloud a held object that is live can be neither overwritten nor deleted either.

--off takes the holds away. What another commit needs whose commit object is held, in
any log of the bucket, stays held.

It first shows what it will do and asks. The same command goes on where it was
interrupted.

Exit 0: all is held, or released. Exit 1: refused, or versions are gone. Exit 3: some
could not be held.`,
		Example: "  provcat-tui protect s3://team-data/sales --dry-run\n  provcat-tui protect s3://team-data/sales --at 42 --yes\n  provcat-tui protect s3://team-data/sales --at 42 --last 3 --off",
		Args:    argNames(0, "the URL of a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.at == "":
				return usagef("--at needs a REF or a TIME; without --at it is the newest commit")
			case o.last < 1:
				return usagef("--last %d: at least 1", o.last)
			}
			if err := a.mayChange(args[0], "held or released", "protect", o.yes, o.dryRun); err != nil {
				return err
			}
			ctx := cmd.Context()
			p, err := a.open(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			folder, ref, err := a.commitAt(ctx, p, o.at, o.folder, cmd.Flags().Changed("folder"))
			if err != nil {
				return err
			}
			if ref.Number == 0 && o.last > 1 {
				return usagef("%s is not in the log, so no commits are before it: leave --last out", refText(ref))
			}
			refs, err := commit.Before(ctx, p, folder, ref, o.last)
			if err != nil {
				return err
			}
			return (&protecting{a: a, p: p, folder: folder, refs: refs, o: o}).run(ctx)
		},
		ValidArgsFunction: a.completeURL,
	}
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "head", "the commit: a `REF`, or the pin at a TIME")
	f.StringVar(&o.folder, "folder", "", "the folder whose log --at means")
	f.IntVar(&o.last, "last", 1, "this commit and those before it, `N` in all")
	f.BoolVar(&o.off, "off", false, "take the holds away")
	f.BoolVar(&o.yes, "yes", false, "don't ask; needed where there is no terminal")
	f.BoolVar(&o.dryRun, "dry-run", false, "look and show; write nothing")
	_ = cmd.RegisterFlagCompletionFunc("at", a.completeRef) // fails only for a flag that isn't there
	return cmd
}

// A protecting is one run of protect.
type protecting struct {
	a      *app
	p      *place
	folder string
	refs   []commit.Ref
	o      protectOptions

	plan  map[string]getTotal // by what is kept
	stays map[[2]string]bool  // with --off: what other held commits need
	lock  bucket.ObjectLock
	doc   *document
}

func (r *protecting) run(ctx context.Context) error {
	s := r.p.Settings(ctx)
	if r.lock = s.ObjectLock; s.ObjectLockErr == nil && !r.lock.CanHold {
		return &exitError{exitNegative, fmt.Errorf("nothing can be held in %s: the bucket has no object lock; switch it on, which cannot be undone (\"aws s3api put-object-lock-configuration\"), or forbid deletions by a bucket policy, as docs/permissions.md has it",
			safe.Text(r.p.URL()))}
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	r.begin()
	if r.o.dryRun {
		return r.end(ctx, "planned", nil, nil)
	}
	if !r.o.yes {
		if r.doc != nil {
			r.a.note("%s: %s", r.commitsText(), r.planText())
		}
		if err := r.a.out.Flush(); err != nil {
			return err
		}
		yes, err := r.a.proceed(ctx)
		if err != nil {
			return err
		}
		if !yes {
			return r.end(ctx, "refused", nil, &exitError{exitNegative, errors.New("not confirmed: nothing was written")})
		}
	}
	outliveReader()
	done, err := r.apply(ctx)
	state := "held"
	if r.o.off {
		state = "released"
	}
	return r.end(ctx, state, done, err)
}

// look reads the commits to their ends, and counts.
func (r *protecting) look(ctx context.Context) error {
	r.plan, r.stays = map[string]getTotal{}, map[[2]string]bool{}
	ours := map[[2]string]bool{}
	m := r.a.newMeter()
	defer m.clear()
	n := int64(0)
	for k, err := range commit.Keeps(ctx, r.p, r.folder, r.refs) {
		if err != nil {
			return unreadable(r.p, r.folder, r.refs[0], err)
		}
		n++
		m.show("looking: " + count(n, "version"))
		t := r.plan[k.What]
		t.add(k.Size)
		r.plan[k.What] = t
		if r.o.off {
			ours[[2]string{k.Key, k.Version}] = true
		}
	}
	if !r.o.off {
		return nil
	}
	seen := map[string]bool{}
	for h, err := range commit.HeldCommits(ctx, r.p, r.a.parallel(r.p)) {
		if err != nil {
			return fmt.Errorf("which other commits are held could not be found out, so nothing was released: %w", err)
		}
		if seen[h.ID] || slices.ContainsFunc(r.refs, func(x commit.Ref) bool { return x.ID == h.ID }) {
			continue
		}
		seen[h.ID] = true
		for f, err := range commit.Files(ctx, r.p, h.ID) {
			if err != nil {
				return fmt.Errorf("what commit %s of %s needs, which is held, could not be read, so nothing was released: %w", commit.ShortID(h.ID), folderText(h.Folder), err)
			}
			if at := [2]string{commit.KeyPrefix(h.Folder) + f.Path, f.Version}; ours[at] {
				r.stays[at] = true
			}
		}
	}
	return nil
}

// What became of a version.
const (
	holdDone   = "done"
	holdStays  = "stays" // another held commit needs it
	holdGone   = "gone"
	holdFailed = "failed"
)

type heldOne struct {
	commit.Kept
	state string
	err   error
}

// apply changes the holds, several at a time, and tells what could not be.
func (r *protecting) apply(ctx context.Context) (map[string]int64, error) {
	done := map[string]int64{}
	m := r.a.newMeter()
	defer m.clear()
	all := int64(0)
	for _, t := range r.plan {
		all += t.Files
	}
	misses, tried := 0, int64(0)
	var last error
	for h, err := range ordered(ctx, r.keeps(ctx), r.a.parallel(r.p), r.one) {
		if err == nil && h.err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			last = err
			break
		}
		tried++
		done[h.state]++
		m.show(fmt.Sprintf("%s of %s", number(tried), count(all, "version")))
		if h.err == nil || h.state == holdGone {
			misses = 0
		} else if misses++; misses == maxMisses || errors.Is(h.err, bucket.ErrUnsupported) {
			last = fmt.Errorf("the rest was left: %w", h.err)
		}
		r.tell(h)
		if last != nil {
			break
		}
	}
	if left := all - tried; left > 0 {
		done["not tried"] = left
	}
	switch {
	case last != nil:
	case done[holdFailed] > 0:
		last = &exitError{exitIncomplete, fmt.Errorf("the hold of %s could not be changed; the same command tries again", count(done[holdFailed], "version"))}
	case done[holdGone] > 0:
		last = &exitError{exitNegative, fmt.Errorf("%s that the commits name %s gone: %s", count(done[holdGone], "version"), isAre(done[holdGone]), r.p.command("audit", r.folder))}
	}
	return done, last
}

func (r *protecting) keeps(ctx context.Context) iter.Seq2[commit.Kept, error] {
	return commit.Keeps(ctx, r.p, r.folder, r.refs)
}

func (r *protecting) one(ctx context.Context, k commit.Kept) heldOne {
	if r.stays[[2]string{k.Key, k.Version}] {
		return heldOne{k, holdStays, nil}
	}
	err := r.p.Hold(ctx, k.Key, k.Version, !r.o.off)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return heldOne{k, holdGone, errors.New("it does not exist any more")}
	case err != nil:
		return heldOne{k, holdFailed, err}
	}
	return heldOne{k, holdDone, nil}
}
