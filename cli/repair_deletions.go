package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

func (a *app) repairDeletions(o *repairOptions) *cobra.Command {
	var folders []string
	var all, objects bool
	var from, to string
	row := audit.Row{}
	cmd := a.repairsAt(o, "deletions URL (--folder F… | --all) --from TIME --to TIME [--objects]", "Remove the delete markers that were made in a row",
		func(ctx context.Context, p *place) error { return a.repairRow(ctx, o, p, row) })
	cmd.Long = `Removes the delete markers that hide the log entries of folders, or with --objects the
commit objects that those entries name, where they were made from --from to --to: whole
seconds, both inclusive. Each key is checked as repair marker checks it, when the list
is made and again right before its markers are removed, the newest entries first. Keys
that fail a check are left as they are and told. Broken off, the same command goes on
with the rest; where nothing is left to do it exits 0.

Exit 1: some were refused; the others are mended. Exit 3: something could not be
checked, or it is unclear whether a marker was removed: the rest was then left alone.`
	cmd.Flags().StringArrayVar(&folders, "folder", nil, "a folder, named from the bucket's root; empty: the whole bucket's log; may be repeated")
	cmd.Flags().BoolVar(&all, "all", false, "every log of the bucket")
	cmd.Flags().BoolVar(&objects, "objects", false, "the commit objects that the entries name, hidden entries too, rather than the entries")
	cmd.Flags().StringVar(&from, "from", "", "the `time` of the first delete marker")
	cmd.Flags().StringVar(&to, "to", "", "the `time` of the last delete marker")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("folder") == all {
			return usagef("repair deletions needs --folder, once for each folder, or --all: one of the two")
		}
		row = audit.Row{Objects: objects, Folders: []string{}}
		for _, f := range folders {
			name, err := commit.FolderOf(f)
			if err != nil {
				return usagef("--folder: %v", err)
			}
			row.Folders = append(row.Folders, name)
		}
		var err error
		if row.From, err = parseTime(from); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
		if row.To, err = parseTime(to); err != nil {
			return fmt.Errorf("--to: %w", err)
		}
		if row.From.After(row.To) {
			return usagef("--from %s is after --to %s", safe.Shell(from), safe.Shell(to))
		}
		return run(cmd, args)
	}
	return required(cmd, "from", "to")
}

// repairRow shows the plan of a row, asks once, and mends one key after the other.
func (a *app) repairRow(ctx context.Context, o *repairOptions, b *place, row audit.Row) error {
	p, err := audit.PlanRow(ctx, b, row)
	if err != nil {
		return a.rowEnd(nil, "", err)
	}
	if a.format != "json" {
		a.printRow(p)
	}
	n := p.Count(audit.RowPlanned)
	if o.dryRun || n == 0 {
		return a.rowEnd(p, "planned", nil)
	}
	if !o.yes {
		if a.format == "json" {
			a.note("%s", rowLine(p))
		}
		if err := a.out.Flush(); err != nil {
			return err
		}
		yes, err := a.proceed(ctx)
		if err != nil {
			return err
		}
		if !yes {
			return a.rowEnd(p, "", &audit.RefusedRepair{Reason: "not confirmed: nothing was written"})
		}
	}
	m := a.newMeter()
	err = p.Apply(ctx, func(done int) { m.show(fmt.Sprintf("removing delete markers: %d of %d", done, len(p.Items))) })
	m.clear()
	return a.rowEnd(p, "repaired", err)
}

// maxTold bounds the keys with a trouble that are shown to a person.
const maxTold = 20

func (a *app) printRow(p *audit.RowPlan) {
	what := rowWord(p)
	a.printf("in       %s, %s\n", safe.Text(p.Bucket), rowScope(p.Row))
	a.printf("looked   at %s, for delete markers made from %s to %s\n", count(int64(p.Looked), what+" key"), p.Row.From.Format(time.RFC3339), p.Row.To.Format(time.RFC3339))
	n := int64(p.Count(audit.RowPlanned))
	if n > 0 {
		first, last := -1, 0
		for i := range p.Items {
			if p.Items[i].State == audit.RowPlanned {
				if last = i; first < 0 {
					first = i
				}
			}
		}
		a.printf("mends    %s hidden by delete markers\n", count(n, what+" key"))
		a.printf("first    %s\n", rowName(p.Items[first]))
		a.printf("last     %s\n", rowName(p.Items[last]))
	}
	told := 0
	for _, x := range p.Items {
		if x.State == audit.RowPlanned {
			continue
		}
		if told++; told <= maxTold {
			a.printf("%-8s %s: %s\n", x.State, rowName(x), safe.Text(x.Detail))
		}
	}
	if told > maxTold {
		a.printf("         and %d more; --format json has all\n", told-maxTold)
	}
	if n > 0 {
		a.printf("will     %s\n", rowLine(p))
		a.printf("after    the version under them is live again, key by key; each is checked again right before\n")
	}
	for _, x := range p.Notes {
		a.printf("note     %s\n", safe.Text(x))
	}
}

func rowLine(p *audit.RowPlan) string {
	keys, markers := int64(0), int64(0)
	for _, x := range p.Items {
		if x.State == audit.RowPlanned {
			keys++
			markers += int64(len(x.Markers))
		}
	}
	return fmt.Sprintf("remove %s from %s, those of the newest entries of each folder first", count(markers, "delete marker"), count(keys, rowWord(p)+" key"))
}

func rowWord(p *audit.RowPlan) string {
	if p.Row.Objects {
		return "commit object"
	}
	return "log entry"
}

func rowScope(r audit.Row) string {
	switch {
	case len(r.Folders) == 0:
		return "all logs"
	case len(r.Folders) == 1:
		return "the log of " + folderName(r.Folders[0])
	}
	return fmt.Sprintf("the logs of %d folders", len(r.Folders))
}

func folderName(folder string) string {
	if folder == "" {
		return "the whole bucket"
	}
	return safe.Text(folder)
}

func rowName(x audit.RowItem) string {
	if x.Folder == nil {
		return fmt.Sprintf("%d  %s", x.Number, safe.Text(x.Key))
	}
	return fmt.Sprintf("%d of %s  %s", x.Number, folderName(*x.Folder), safe.Text(x.Key))
}

// rowJSON is the document of repair deletions.
type rowJSON struct {
	Schema string `json:"schema"`
	// State: planned, done (there was nothing to do), repaired (all), refused (some),
	// failed, unclear.
	State  string                 `json:"state"`
	Detail string                 `json:"detail"`
	Counts map[audit.RowState]int `json:"counts"`
	Plan   *audit.RowPlan         `json:"plan"`
}

// rowEnd tells how the repair of a row ended. err is why it stopped early.
func (a *app) rowEnd(p *audit.RowPlan, state string, err error) error {
	doc := rowJSON{Schema: "provcat-repair-deletions/1", State: state, Plan: p, Counts: map[audit.RowState]int{}}
	if p != nil {
		for _, s := range []audit.RowState{audit.RowRepaired, audit.RowRefused, audit.RowFailed, audit.RowUnclear, audit.RowPlanned, audit.RowDone} {
			doc.Counts[s] = p.Count(s)
		}
		doc.Detail = rowSummary(doc.Counts)
	}
	refused, failed := doc.Counts[audit.RowRefused], doc.Counts[audit.RowFailed]
	var stop error
	switch {
	case p == nil:
		doc.State, stop = repairEnd(err)
		doc.Detail = stop.Error()
	case err != nil && errors.Is(err, context.Canceled) && doc.Counts[audit.RowUnclear] == 0:
		doc.State = "failed"
		doc.Detail = "interrupted: " + doc.Detail + "; the same command goes on with the rest"
		stop = &interruptedError{doc.Detail, err}
	case err != nil:
		doc.State, stop = repairEnd(fmt.Errorf("%s; stopped at %w", doc.Detail, err))
		doc.Detail = stop.Error()
	case failed > 0:
		doc.State, stop = "failed", &exitError{exitIncomplete, errors.New(doc.Detail)}
	case refused > 0:
		doc.State, stop = "refused", &exitError{exitNegative, errors.New(doc.Detail)}
	case doc.Counts[audit.RowPlanned]+doc.Counts[audit.RowRepaired] == 0:
		doc.State, doc.Detail = "done", "nothing to do: no key is hidden by delete markers of this span"
	}
	switch {
	case a.format == "json":
		if perr := a.printJSON(doc); perr != nil {
			return errors.Join(stop, perr)
		}
	case p == nil:
	default:
		if state == "repaired" {
			a.printf("\n")
			a.printTroubles(p)
		}
		if stop == nil {
			a.printf("%-8s %s\n", doc.State, safe.Text(doc.Detail))
		}
	}
	return stop
}

// printTroubles tells what came to light only when the markers were to be removed.
func (a *app) printTroubles(p *audit.RowPlan) {
	told := 0
	for _, x := range p.Items {
		if x.State != audit.RowRefused && x.State != audit.RowFailed && x.State != audit.RowUnclear {
			continue
		}
		if told++; told <= maxTold {
			a.printf("%-8s %s: %s\n", x.State, rowName(x), safe.Text(x.Detail))
		}
	}
}

func rowSummary(n map[audit.RowState]int) string {
	return fmt.Sprintf("%d mended, %d refused, %d not checked, %d unclear, %d left", n[audit.RowRepaired], n[audit.RowRefused], n[audit.RowFailed], n[audit.RowUnclear], n[audit.RowPlanned])
}
