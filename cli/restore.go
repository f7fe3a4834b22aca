package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

type restoreOptions struct {
	at, folder string
	remove     bool
	partial    bool
	yes        bool
	dryRun     bool
	commit     commitOptions
	committing bool
}

func (a *app) restoreCommand() *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore URL [PATH…] --at REF|TIME",
		Short: "Make a folder's files live again as a commit named them",
		Long: `Makes the files of a folder, or of the PATHs in it, live as a commit named them. What is
live already stays, also where another version with equal bytes is. Each other file's
version is copied to be the newest: nothing is overwritten or removed, and what was
live stays as a noncurrent version. Files that the commit does not name stay, unless
--delete hides them under delete markers.

It first shows what it will do and asks. Each key is looked at right before and after
its write; one that somebody wrote to meanwhile is left, and named. Where versions
are gone, or have other bytes than the commit recorded, nothing is done, unless
--partial restores the others.

It does not commit: the last line has the command, or -m commits when all is done. The
same command goes on where it was interrupted.

Exit 0: all is live as the commit says. Exit 1: refused, or versions are gone. Exit 3:
some files could not be restored, or it is unclear.`,
		Example: "  provcat-tui restore s3://team-data/sales --at 42 --dry-run\n  provcat-tui restore s3://team-data/sales eu/orders.csv --at 2026-10-30T12:00Z\n  provcat-tui restore s3://team-data/sales --at head~1 --delete -m \"Back to October\"",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s needs the URL of a folder", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.committing = cmd.Flags().Changed("message")
			if !cmd.Flags().Changed("at") || o.at == "" {
				return usagef("restore needs a commit: add --at REF (42, head) or --at TIME")
			}
			if err := a.mayChange(args[0], "restored", "restore", o.yes, o.dryRun); err != nil {
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
			if !cmd.Flags().Changed("author") {
				o.commit.author = a.authorAt(p.loc)
			}
			r := &restoring{a: a, p: p, folder: folder, ref: ref, o: o}
			if r.scopes, err = scopesOf(p, folder, args[1:]); err != nil {
				return err
			}
			return r.run(ctx)
		},
		ValidArgsFunction: a.completeURL,
	}
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "", "the commit: a `REF`, or the pin at a TIME")
	f.StringVar(&o.folder, "folder", "", "the folder whose log --at means")
	f.BoolVar(&o.remove, "delete", false, "hide live files that the commit does not name under delete markers")
	f.BoolVar(&o.partial, "partial", false, "restore what can be, though versions are gone")
	f.BoolVar(&o.yes, "yes", false, "don't ask; needed where there is no terminal")
	f.BoolVar(&o.dryRun, "dry-run", false, "look and show; write nothing")
	f.StringVarP(&o.commit.message, "message", "m", "", "then commit the folder with this message (`TEXT`)")
	f.StringVar(&o.commit.author, "author", "", "the commit's author, as in commit")
	_ = cmd.RegisterFlagCompletionFunc("at", a.completeRef) // fails only for a flag that isn't there
	return cmd
}

// mayChange is mayWrite for a command that asks before it writes.
func (a *app) mayChange(url, done, verb string, yes, dryRun bool) error {
	if dryRun {
		return nil
	}
	if err := a.mayWrite(url, done); err != nil {
		return err
	}
	if !yes && !isTerminal(a.in) {
		return usagef("there is no terminal to ask on: add --yes to %s, or --dry-run to look", verb)
	}
	return nil
}

// A scope is a part of a folder, by path: one file, or all whose path starts so.
type scope struct {
	path string
	one  bool
	arg  string // what the person named
}

func (s scope) has(path string) bool {
	return s.one && path == s.path || !s.one && strings.HasPrefix(path, s.path)
}

// scopesOf are what a URL and the paths below it mean in a folder, none in another.
func scopesOf(p *place, folder string, paths []string) ([]scope, error) {
	rest, ok := within(folder, dirPrefix(p.path))
	if !ok && folder != strings.TrimSuffix(p.path, "/") {
		return nil, usagef("%s is not in the folder %s", safe.Text(p.path), safe.Text(folder))
	}
	if len(paths) == 0 {
		paths = []string{""}
	}
	var out []scope
	add := func(s scope) {
		for _, have := range out {
			if s.one && have.has(s.path) || !s.one && !have.one && strings.HasPrefix(s.path, have.path) {
				return
			}
		}
		kept := out[:0]
		for _, have := range out {
			if s.one || !s.has(have.path) {
				kept = append(kept, have)
			}
		}
		out = append(kept, s)
	}
	for _, path := range paths {
		whole := rest + path
		named := strings.TrimSuffix(whole, "/")
		if whole != "" && (path == "" && !strings.HasSuffix(p.path, "/") || path != "" && named == whole) {
			add(scope{named, true, named})
		}
		add(scope{dirPrefix(whole), false, named})
	}
	return out, nil
}

// A restoring is one run of restore.
type restoring struct {
	a      *app
	p      *place
	folder string
	ref    commit.Ref
	scopes []scope
	o      restoreOptions

	counts map[commit.RestoreAction]getTotal
	steps  []commit.RestoreStep // what is to be told or done: all but what is live as it should be
	doc    *document
}

// run plans, shows, asks and restores.
func (r *restoring) run(ctx context.Context) error {
	if !r.o.dryRun {
		if err := commit.RestoreReady(ctx, r.p); err != nil {
			return err
		}
	}
	if err := r.plan(ctx); err != nil {
		return err
	}
	r.begin()
	gone, todo := r.gone(), r.todo()
	switch {
	case gone > 0 && !r.o.partial:
		return r.end(ctx, "refused", nil, &exitError{exitNegative, fmt.Errorf("nothing was written: %s that the commit names %s; --partial restores the others; what is known of what is gone says: %s",
			count(gone, "version"), r.isGone(gone), r.p.command("audit", r.folder))})
	case r.o.dryRun:
		return r.end(ctx, "planned", nil, nil)
	case len(todo) == 0:
		return r.end(ctx, "done", nil, r.left(nil))
	}
	if !r.o.yes {
		if r.doc != nil {
			r.a.note("%s", r.summary())
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
	done, err := r.apply(ctx, todo)
	return r.end(ctx, "restored", done, err)
}

// plan compares the commit with what is there.
func (r *restoring) plan(ctx context.Context) error {
	r.counts = map[commit.RestoreAction]getTotal{}
	prefix := commit.KeyPrefix(r.folder)
	m := r.a.newMeter()
	defer m.clear()
	var seen int64
	found := map[string]bool{}
	for _, s := range r.scopes {
		at := bucket.Range{Prefix: prefix + s.path, Ahead: true}
		if s.one {
			at.Through = at.Prefix
		}
		for step, err := range commit.PlanRestore(prefix, r.files(ctx, s), r.p.Versions(ctx, at)) {
			if err != nil {
				return err
			}
			r.fits(&step)
			seen++
			found[s.arg] = true
			m.show(fmt.Sprintf("looking: %s", count(seen, "file")))
			t := r.counts[step.Action]
			t.add(step.File.Size)
			r.counts[step.Action] = t
			if step.Action != commit.RestoreLive && step.Action != commit.RestoreSame {
				r.steps = append(r.steps, step)
			}
		}
	}
	for _, s := range r.scopes {
		if s.arg != "" && !found[s.arg] {
			return noFileAt(r.folder, r.ref, s.arg)
		}
	}
	return nil
}

// fits refuses a copy that is larger than the store takes.
func (r *restoring) fits(s *commit.RestoreStep) {
	if most := bucket.MaxCopy(r.p.Bucket); s.Action == commit.RestoreCopy && most > 0 && s.File.Size > most {
		s.Action = commit.RestoreRefused
		s.Why = fmt.Sprintf("it has %s, and this store copies at most %s in one request: copy version %s over it in parts, as \"aws s3api upload-part-copy\" does",
			size(s.File.Size), size(most), safe.Text(s.From))
	}
}

func (r *restoring) files(ctx context.Context, s scope) iter.Seq2[commit.File, error] {
	return func(yield func(commit.File, error) bool) {
		for f, err := range filesOf(ctx, r.p, r.folder, r.ref) {
			if (err != nil || s.has(f.Path)) && !yield(f, err) {
				return
			}
		}
	}
}

// todo are the steps that write.
func (r *restoring) todo() []commit.RestoreStep {
	var out []commit.RestoreStep
	for _, s := range r.steps {
		if s.Action == commit.RestoreCopy || s.Action == commit.RestoreHide && r.o.remove {
			out = append(out, s)
		}
	}
	return out
}

// What became of a step.
const (
	stepRestored = "restored"
	stepDeleted  = "deleted"
	stepMoved    = "changed" // somebody else wrote
	stepUnclear  = "unclear"
	stepFailed   = "failed"
)

type stepped struct {
	step  commit.RestoreStep
	state string
	err   error
}

// apply makes the steps, several at a time, and tells those that failed. The error is
// that of an end before all was tried.
func (r *restoring) apply(ctx context.Context, todo []commit.RestoreStep) (map[string]int64, error) {
	done := map[string]int64{}
	m := r.a.newMeter()
	defer m.clear()
	var stop atomic.Bool
	each := func(yield func(commit.RestoreStep, error) bool) {
		for _, s := range todo {
			if ctx.Err() != nil || stop.Load() || !yield(s, nil) {
				return // what was begun is settled
			}
		}
	}
	misses, tried := 0, int64(0)
	var last, full error
	// Interrupted, what runs comes to its end: it is told how each ended.
	for s, err := range ordered(context.WithoutCancel(ctx), each, r.a.parallel(r.p), func(_ context.Context, s commit.RestoreStep) stepped { return r.one(ctx, s) }) {
		if err != nil {
			last = err
			break
		}
		if s.err != nil && ctx.Err() != nil && s.state == stepFailed {
			continue // it was not begun
		}
		done[s.state]++
		tried++
		m.show(fmt.Sprintf("%s of %s", number(tried), count(int64(len(todo)), "file")))
		unwritable := errors.Is(s.err, bucket.ErrUnwritable)
		if !unwritable || r.doc != nil { // that is about no file: text tells it once, at the end
			r.tell(s)
		}
		if s.err == nil {
			misses = 0
		} else if unwritable {
			full = s.err
			stop.Store(true)
		} else if misses++; misses == maxMisses {
			last = fmt.Errorf("%d files in a row could not be restored, so the rest was left: %w", maxMisses, s.err)
			stop.Store(true) // those that run are told too
		}
	}
	if ctx.Err() != nil {
		last = ctx.Err()
	}
	if left := int64(len(todo)) - tried; left > 0 {
		done["not tried"] = left
	}
	if full != nil && last == nil {
		last = fmt.Errorf("stopped, %s: %w; then the same command goes on with the rest", writtenText(done), full)
	}
	if last == nil {
		last = r.left(done)
	}
	return done, last
}

func (r *restoring) one(ctx context.Context, s commit.RestoreStep) stepped {
	err := s.Do(ctx, r.p)
	out := stepped{s, stepRestored, err}
	switch {
	case errors.Is(err, commit.ErrMoved):
		out.state = stepMoved
	case errors.Is(err, bucket.ErrUnclear):
		out.state = stepUnclear
	case err != nil:
		out.state = stepFailed
	case s.Action == commit.RestoreHide:
		out.state = stepDeleted
	}
	return out
}

// left is what keeps the folder from being as the commit says, when all was tried.
func (r *restoring) left(done map[string]int64) error {
	again := done[stepMoved] + done[stepUnclear] + done[stepFailed]
	refused, gone := r.counts[commit.RestoreRefused].Files, r.gone()
	switch {
	case again > 0:
		return &exitError{exitIncomplete, fmt.Errorf("%s could not be restored, or it is unclear; the same command looks again and goes on with the rest", count(again, "file"))}
	case refused > 0:
		return &exitError{exitIncomplete, fmt.Errorf("%s could not be restored, as said above", count(refused, "file"))}
	case gone > 0:
		return &exitError{exitNegative, fmt.Errorf("%s that the commit names %s; the others are live", count(gone, "version"), r.isGone(gone))}
	}
	return nil
}

// gone is of how many files no version has the bytes that the commit named.
func (r *restoring) gone() int64 {
	return r.counts[commit.RestoreGone].Files + r.counts[commit.RestoreOverwritten].Files
}

func (r *restoring) isGone(n int64) string {
	if r.counts[commit.RestoreOverwritten].Files > 0 {
		return isAre(n) + " gone or overwritten"
	}
	return isAre(n) + " gone"
}

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
