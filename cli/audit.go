package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// auditOptions are the flags of audit. A group of them that belongs together has a
// file of its own, audit_<group>.go: addXFlags, checkX (wrong usage, said before
// the bucket is opened), and what it does to audit.Options and to the report.
type auditOptions struct {
	folder        string
	depth         string
	failOn        string
	output        string
	explain       string
	skewTolerance time.Duration
	budget        budgetOptions
	inventory     inventoryOptions

	witness         string
	witnessReadonly bool

	ignore   string
	baseline string
}

func (a *app) auditCommand() *cobra.Command {
	var o auditOptions
	cmd := &cobra.Command{
		Use:   "audit URL [--folder F] [--depth D] [--fail-on SEVERITY] [--output FILE]",
		Short: "Check everything that the commits of a bucket promise",
		Long: `Checks the logs, the commit objects and the versions that they name, and only
reads. The scope is the folder of URL, and what lies below it; --folder narrows it to
one of these; it is named from the bucket's root.

Depth: log, commits, versions (default), readable; each includes those before.

Exit 0: pass. Exit 1: a finding at or above --fail-on. Exit 3: no such finding, but
something could not be checked.`,
		Example: "  provcat-tui audit s3://team-data\n  provcat-tui audit s3://team-data --folder sales --depth commits --format json --output report.json",
		Args:    auditArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("explain") {
				return a.explain(o.explain)
			}
			if err := o.check(); err != nil {
				return err
			}
			ctx := cmd.Context()
			p, folder, err := a.openUnlisted(ctx, args[0])
			if err != nil {
				return concluding(ctx, err)
			}
			defer p.close()
			if cmd.Flags().Changed("folder") {
				if folder, err = narrowed(p, folder, o.folder); err != nil {
					return err
				}
			}
			return a.audit(ctx, p, folder, &o)
		},
		ValidArgsFunction: a.completeURL,
	}
	addAuditFlags(cmd.Flags(), &o)
	complete(cmd, "depth", depths...)
	complete(cmd, "fail-on", failOns...)
	_ = cmd.RegisterFlagCompletionFunc("explain", completeExplain) // fails only for a flag that isn't there
	return cmd
}

var (
	depths  = []string{string(audit.DepthLog), string(audit.DepthCommits), string(audit.DepthVersions), string(audit.DepthReadable)}
	failOns = []string{string(audit.Damage), string(audit.Risk), string(audit.Anomaly)}
)

func addAuditFlags(f *pflag.FlagSet, o *auditOptions) {
	f.StringVar(&o.folder, "folder", "", "audit only this folder, at or below that of URL, and those below it")
	f.StringVar(&o.depth, "depth", string(audit.DepthVersions), "how deep to look: log, commits, versions, readable")
	f.StringVar(&o.failOn, "fail-on", string(audit.Damage), "exit 1 from this severity on: damage, risk, anomaly")
	durationVar(f, &o.skewTolerance, "skew-tolerance", time.Minute, "how far a commit's time may be from the bucket's own time of its entry")
	f.StringVar(&o.output, "output", "", "write the report to this `file`, not to standard output")
	addExplainFlags(f, o)
	addWitnessFlags(f, o)
	addAckFlags(f, o)
	addBudgetFlags(f, &o.budget)
	addInventoryFlags(f, &o.inventory)
}

// check tells what is wrong with the flags, before the bucket is opened.
func (o *auditOptions) check() error {
	if err := oneOf("--depth", o.depth, depths...); err != nil {
		return err
	}
	if err := oneOf("--fail-on", o.failOn, failOns...); err != nil {
		return err
	}
	if o.skewTolerance <= 0 {
		return usagef("--skew-tolerance %v: more than zero, 60s by default", o.skewTolerance)
	}
	if o.output != "" {
		if err := writable("--output", o.output); err != nil {
			return err
		}
	}
	if err := o.budget.apply(&audit.Options{}); err != nil {
		return err
	}
	if err := o.checkAcks(); err != nil {
		return err
	}
	if err := o.checkInventory(); err != nil {
		return err
	}
	return o.checkWitness()
}

// narrowed gives the folder that --folder names, which must not lie outside of the
// URL's.
func narrowed(p *place, above, name string) (string, error) {
	folder, err := commit.FolderOf(name)
	if err != nil {
		return "", err
	}
	if _, ok := within(above, commit.KeyPrefix(folder)); !ok {
		return "", usagef("--folder %s is not at or below %s, which the URL names; give the URL of the bucket, %s, or of the folder",
			safe.Text(folder), safe.Text(above), safe.Shell(p.URL()))
	}
	return folder, nil
}

func (a *app) audit(ctx context.Context, p *place, folder string, o *auditOptions) error {
	w, err := openWitness(o, p.URL())
	if err != nil {
		return err
	}
	// Whether the folder is there may itself be forbidden to look at: then the
	// audit goes on and tells what it could not check. So it does where only the
	// witness knows that it was there.
	if there, err := exists(ctx, p, folder); err == nil && !there && !w.sees(folder) {
		return noFolder(p, folder)
	}
	opts := audit.Options{
		Folder: folder, Depth: audit.Depth(o.depth), FailOn: audit.Severity(o.failOn), SkewTolerance: o.skewTolerance,
		Concurrency: a.concurrency(p.loc), Now: a.now, Version: Version(), Prices: a.prices(),
		Since: &bucket.Requests{}, // the bucket was opened for this
	}
	if w != nil {
		opts.Witness = w.witness
	}
	if err := o.budget.apply(&opts); err != nil {
		return err
	}
	if err := o.readAcks(&opts, p.URL()); err != nil {
		return err
	}
	done, err := a.openInventory(ctx, p, o, &opts)
	if err != nil {
		return concluding(ctx, err)
	}
	defer done()
	if o.budget.estimate {
		return a.estimate(ctx, p, opts)
	}
	r, err := a.reported(o, func(status func(audit.Progress)) (*audit.Report, error) {
		m, rate := a.newMeter(), &pace{}
		defer m.clear()
		opts.Progress = func(pr audit.Progress) {
			status(pr)
			m.show(rate.line(pr, time.Now()))
		}
		return audit.Run(ctx, bucket.ReadOnly(p.Bucket), opts)
	})
	if r == nil {
		return concluding(ctx, err)
	}
	a.tellAcks(r, o)
	// What was seen is kept whether or not there is a reader for the report.
	werr := a.keepWitness(w, r, o)
	switch {
	case err != nil && werr == nil:
		return err
	case err != nil && !silent(err):
		return errors.Join(err, werr)
	case werr != nil && r.Verdict == audit.Fail:
		return &exitError{exitNegative, werr}
	case werr != nil:
		return &exitError{exitIncomplete, werr} // the report stands, but what it saw will be forgotten
	}
	return exitOf(r)
}

// concluding is the error of an audit that came to no conclusion.
func concluding(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return &interruptedError{"interrupted: nothing was concluded, and no report or witness was written", err}
}

// exitOf turns a verdict into the exit code.
func exitOf(r *audit.Report) error {
	switch r.Verdict {
	case audit.Pass:
		return nil
	case audit.Fail:
		return &exitError{code: exitNegative}
	}
	return &exitError{code: exitIncomplete}
}
