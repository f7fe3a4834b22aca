package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

type repairOptions struct {
	yes, dryRun bool
}

func (a *app) repairCommand() *cobra.Command {
	o := &repairOptions{}
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Mend what the audit found, after checking it",
		Long: `Mends a log entry or a commit object: what lies under .provcat/, and nothing else. The
audit's findings have the command. Each checks first that it fits, shows what is
there, what it will do and what will be there, and asks; without a terminal it needs
--yes. After the write it looks again and says what is so now.

Exit 0: mended, or shown with --dry-run. Exit 1: refused; nothing was written (deletions:
some were refused). Exit 3:
a check failed (nothing was written), or it is unclear whether it was written.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("repair needs one of marker, deletions, entry, version, commit-object, discard")
			}
			return usagef("repair %s: one of marker, deletions, entry, version, commit-object, discard", safe.Shell(args[0]))
		},
	}
	cmd.PersistentFlags().BoolVar(&o.yes, "yes", false, "don't ask; needed where there is no terminal")
	cmd.PersistentFlags().BoolVar(&o.dryRun, "dry-run", false, "check and show; write nothing")
	cmd.AddCommand(a.repairMarker(o), a.repairDeletions(o), a.repairEntry(o), a.repairVersion(o), a.repairObject(o), a.repairDiscard(o))
	return cmd
}

// repairing is a subcommand that mends one key: plan makes its checks.
func (a *app) repairing(o *repairOptions, use, short string, plan func(context.Context, *place) (*audit.RepairPlan, error)) *cobra.Command {
	return a.repairsAt(o, use, short, func(ctx context.Context, p *place) error {
		return a.repair(ctx, o, func(ctx context.Context) (*audit.RepairPlan, error) { return plan(ctx, p) })
	})
}

// repairsAt is a subcommand: mend does it, with the bucket open.
func (a *app) repairsAt(o *repairOptions, use, short string, mend func(context.Context, *place) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: argNames(0, "the URL of the bucket"), ValidArgsFunction: a.completeURL,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.mayChange(args[0], "repaired", "repair", o.yes, o.dryRun); err != nil {
				return err
			}
			p, err := a.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer p.close()
			if p.path != "" {
				return usagef("repair takes the URL of the bucket alone, %s: keys and folders are named by flags", safe.Shell(p.URL()))
			}
			return mend(cmd.Context(), p)
		},
	}
}

// required marks flags without which a command is wrong usage.
func required(cmd *cobra.Command, names ...string) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, n := range names {
			if !cmd.Flags().Changed(n) {
				return usagef("%s needs --%s", cmd.CommandPath(), n)
			}
		}
		return run(cmd, args)
	}
	return cmd
}

func (a *app) repairMarker(o *repairOptions) *cobra.Command {
	var key string
	var versions []string
	cmd := a.repairing(o, "marker URL --key KEY --version ID [--version ID…]", "Remove the delete markers that hide an entry or commit object",
		func(ctx context.Context, p *place) (*audit.RepairPlan, error) {
			return audit.PlanMarkers(ctx, p, key, versions)
		})
	cmd.Flags().StringVar(&key, "key", "", "the key that is hidden")
	cmd.Flags().StringArrayVar(&versions, "version", nil, "the delete marker's version `ID`; once for each of those on top")
	return required(cmd, "key", "version")
}

func (a *app) repairEntry(o *repairOptions) *cobra.Command {
	var folder, id string
	var number int64
	cmd := a.repairing(o, "entry URL --folder F --number N --commit ID", "Write a lost log entry again, from its commit object",
		func(ctx context.Context, p *place) (*audit.RepairPlan, error) {
			return audit.PlanEntry(ctx, p, folder, number, id)
		})
	cmd.Flags().StringVar(&folder, "folder", "", "the folder, named from the bucket's root; empty: the whole bucket")
	cmd.Flags().Int64Var(&number, "number", 0, "the entry's number")
	cmd.Flags().StringVar(&id, "commit", "", "the whole `ID` of the commit that it names")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		switch folder, err = commit.FolderOf(folder); {
		case err != nil:
			return usagef("--folder: %v", err)
		case number < 1 || number > commit.MaxNumber:
			return usagef("--number %d: entries are numbered from 1 on", number)
		case !commit.ValidID(id):
			return usagef("--commit %s: a whole ID has 64 lowercase hex digits", safe.Shell(id))
		}
		return run(cmd, args)
	}
	return required(cmd, "folder", "number", "commit")
}

func (a *app) repairVersion(o *repairOptions) *cobra.Command {
	var key, version string
	cmd := a.repairing(o, "version URL --key KEY --version ID", "Make an earlier version of an entry or commit object live again",
		func(ctx context.Context, p *place) (*audit.RepairPlan, error) {
			return audit.PlanVersion(ctx, p, key, version)
		})
	cmd.Flags().StringVar(&key, "key", "", "the key")
	cmd.Flags().StringVar(&version, "version", "", "the `ID` of the version that is right")
	return required(cmd, "key", "version")
}

func (a *app) repairObject(o *repairOptions) *cobra.Command {
	var id, from string
	cmd := a.repairing(o, "commit-object URL --id ID --from FILE", "Put a commit object back from a copy of it",
		func(ctx context.Context, p *place) (*audit.RepairPlan, error) {
			f, err := os.Open(from) //nolint:gosec // the person named it
			if err != nil {
				return nil, usagef("--from: %s", safe.Text(err.Error()))
			}
			context.AfterFunc(ctx, func() { _ = f.Close() }) // the plan reads it until the end
			return audit.PlanObject(ctx, p, id, f)
		})
	cmd.Flags().StringVar(&id, "id", "", "the commit's whole `ID`")
	cmd.Flags().StringVar(&from, "from", "", "the `file` whose SHA-256 is the ID")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !commit.ValidID(id) {
			return usagef("--id %s: a whole ID has 64 lowercase hex digits", safe.Shell(id))
		}
		return run(cmd, args)
	}
	return required(cmd, "id", "from")
}

func (a *app) repairDiscard(o *repairOptions) *cobra.Command {
	var key, version, keep string
	cmd := a.repairing(o, "discard URL --key KEY --version ID --keep FILE", "Remove a garbage older version for good, after a copy was kept",
		func(ctx context.Context, p *place) (*audit.RepairPlan, error) {
			return audit.PlanDiscard(ctx, p, key, version, keep)
		})
	cmd.Flags().StringVar(&key, "key", "", "the key")
	cmd.Flags().StringVar(&version, "version", "", "the garbage version's `ID`")
	cmd.Flags().StringVar(&keep, "keep", "", "the new `file` that keeps its bytes")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := writable("--keep", keep); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return required(cmd, "key", "version", "keep")
}

// repair shows the plan, asks, and makes the repair.
func (a *app) repair(ctx context.Context, o *repairOptions, plan func(context.Context) (*audit.RepairPlan, error)) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	p, err := plan(ctx)
	if err != nil {
		return a.repaired(nil, nil, "", err)
	}
	if a.format != "json" {
		a.printPlan(p)
	}
	if p.Done {
		return a.repaired(p, nil, "done", nil)
	}
	if o.dryRun {
		return a.repaired(p, nil, "planned", nil)
	}
	if !o.yes {
		if a.format == "json" {
			a.note("%s", planLine(p))
		}
		if ferr := a.out.Flush(); ferr != nil {
			return ferr
		}
		yes, err := a.proceed(ctx)
		if err != nil {
			return err
		}
		if !yes {
			return a.repaired(p, nil, "", &audit.RefusedRepair{Reason: "not confirmed: nothing was written"})
		}
	}
	a.begun = true
	out, err := p.Apply(ctx)
	return a.repaired(p, &out, "repaired", err)
}

// proceed asks on standard error; only y or yes is yes. What was typed before the
// question counts as the answer, as with any other program.
func (a *app) proceed(ctx context.Context) (bool, error) {
	_, _ = fmt.Fprint(a.err, "Proceed? [y/N] ") // nowhere else to tell
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(a.in).ReadString('\n') // no answer is no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case s := <-answer:
		return s == "y" || s == "yes", nil
	case <-ctx.Done():
		return false, &interruptedError{"interrupted: nothing was written", ctx.Err()}
	}
}

func planLine(p *audit.RepairPlan) string {
	var will []string
	for _, w := range p.Will {
		will = append(will, safe.Text(w))
	}
	return fmt.Sprintf("%s: %s", safe.Text(p.Key), strings.Join(will, "; "))
}

func (a *app) printPlan(p *audit.RepairPlan) {
	a.printf("key      %s\n", safe.Text(p.Key))
	a.printf("in       %s\n", safe.Text(p.Bucket))
	a.printf("mends    %s\n", safe.Text(p.Mends))
	a.printEvidence("now", p.Now)
	for _, w := range p.Will {
		a.printf("will     %s\n", safe.Text(w))
	}
	a.printf("after    %s\n", safe.Text(p.After))
	for _, n := range p.Notes {
		a.printf("note     %s\n", safe.Text(n))
	}
}

func (a *app) printEvidence(word string, list []audit.Evidence) {
	if len(list) == 0 {
		a.printf("%-8s nothing is at the key\n", word)
	}
	for _, e := range list {
		what := "older"
		switch {
		case e.DeleteMarker:
			what = "delete marker"
		case e.Latest:
			what = "live"
		}
		at := ""
		if e.Modified != nil {
			at = e.Modified.Format(time.RFC3339)
		}
		a.printf("%-8s %-20s  %-13s  %s  %s\n", word, at, what, safe.Text(e.Version), safe.Text(e.Note))
		word = ""
	}
}

// repairJSON is the document of a repair.
type repairJSON struct {
	Schema string `json:"schema"`
	// State: planned, done (it was so already), repaired, refused, failed, unclear.
	State  string            `json:"state"`
	Detail string            `json:"detail"`
	Plan   *audit.RepairPlan `json:"plan"`
	Now    []audit.Evidence  `json:"now"`
}

// repaired tells how a repair ended.
func (a *app) repaired(p *audit.RepairPlan, out *audit.RepairOutcome, state string, err error) error {
	doc := repairJSON{Schema: "provcat-repair/1", State: state, Plan: p}
	if p != nil {
		doc.Now = p.Now
	}
	if out != nil {
		doc.Detail = out.Detail
		if out.Now != nil {
			doc.Now = out.Now
		}
	}
	if err != nil {
		doc.State, err = repairEnd(err)
		doc.Detail = err.Error()
	}
	switch {
	case a.format == "json":
		if perr := a.printJSON(doc); perr != nil {
			return errors.Join(err, perr)
		}
	case err == nil && out != nil:
		a.printf("\nrepaired: %s\n", safe.Text(out.Detail))
		a.printEvidence("now", out.Now)
	}
	return err
}

// repairEnd gives the word for an error and the error with its exit code.
func repairEnd(err error) (string, error) {
	var r *audit.RefusedRepair
	var u *audit.UnclearRepair
	switch {
	case errors.As(err, &u):
		return "unclear", &exitError{exitIncomplete, err}
	case errors.As(err, &r):
		return "refused", &exitError{exitNegative, err}
	case errors.Is(err, errUsage), errors.Is(err, context.Canceled):
		return "failed", err
	case errors.Is(err, bucket.ErrUnsupported):
		return "refused", &exitError{exitNegative, err}
	}
	return "failed", &exitError{exitIncomplete, err}
}
