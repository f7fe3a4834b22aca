package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

func (a *app) pinCommand() *cobra.Command {
	var at string
	cmd := &cobra.Command{
		Use:   "pin URL [--at TIME]",
		Short: "Tell which commit a pin of a folder gives, and why",
		Long: `The pin of a folder is the newest commit among those of the folder and of every
folder above it; with --at among those at or before TIME. At equal times the folder
above counts as newer.

What the logs name now counts. Where entries were made again, deleted or put back since
TIME, and readers got another answer then, that is a doubt.

TIME: 2026-10-30T12:34:56.5Z, 2026-10-30T12:00Z, 2026-10-30T12:00+02:00, or a date
alone, which means its first moment in UTC.

Exit 1: there is no such commit, or it is damaged or gone. Exit 3: something could
not be read that might change the answer, or readers got another one at TIME.`,
		Example: "  provcat-tui pin s3://team-data/sales/eu\n  provcat-tui pin s3://team-data/sales --at 2026-10-30T12:00Z",
		Args:    argNames(0, "the URL of a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var bound time.Time
			if cmd.Flags().Changed("at") {
				var err error
				if bound, err = parseTime(at); err != nil {
					return err
				}
				if bound.IsZero() {
					bound = bound.Add(1) // zero would mean "no bound"
				}
			}
			ctx := cmd.Context()
			p, folder, err := a.openFolder(ctx, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			return a.pin(ctx, p, folder, bound)
		},
		ValidArgsFunction: a.completeURL,
	}
	cmd.Flags().StringVar(&at, "at", "", "only commits at or before this `TIME`")
	return cmd
}

func parseTime(s string) (time.Time, error) {
	if t, ok := commit.ParseTime(s); ok {
		return t, nil
	}
	return time.Time{}, usagef("%s is no time; write 2026-10-30T12:34:56Z, 2026-10-30T12:00+02:00 or 2026-10-30, with the zone unless it is a date", safe.Shell(s))
}

func (a *app) pin(ctx context.Context, p *place, folder string, at time.Time) error {
	pin, err := commit.FindPin(ctx, p, folder, at, a.parallel(p))
	if err != nil {
		return err
	}
	if err := needFolder(ctx, p, folder); err != nil {
		return err
	}
	verdict := error(nil)
	switch {
	case pin.Chosen != nil:
		// A pin to a commit that cannot be read serves nobody.
		if _, lerr := commit.Load(ctx, p, pin.Chosen.ID, nil); lerr != nil {
			if ctx.Err() != nil {
				return lerr
			}
			verdict = fmt.Errorf("the pin gives commit %d of %s, but that cannot be read: %w", pin.Chosen.Number, folderText(pin.Chosen.Folder), lerr)
		}
	case len(pin.Doubts) == 0:
		verdict = &exitError{exitNegative, errors.New(noPin(folder, at))}
	}
	if verdict == nil && len(pin.Doubts) > 0 {
		verdict = errors.New(inDoubt(pin))
	}
	if a.format == "json" {
		return a.pinJSON(p, pin, verdict)
	}
	a.printPin(pin)
	return verdict
}

// inDoubt says why a pin is no clear answer; its doubts are told apart.
func inDoubt(pin commit.Pin) string {
	if pin.Other {
		return "the answer is in doubt: it is what the logs name now, and readers got another one at that time"
	}
	return "the answer is unclear: what could not be read might change it"
}

func noPin(folder string, at time.Time) string {
	s := "no commit of " + folderText(folder) + " or of a folder above it"
	if !at.IsZero() {
		s += " is at or before " + at.Format(time.RFC3339Nano)
	}
	return s
}

func (a *app) printPin(pin commit.Pin) {
	if c := pin.Chosen; c != nil {
		a.printf("commit   %s\n", safe.Text(c.ID))
		a.printf("number   %d of %s\n", c.Number, folderText(c.Folder))
		a.printf("time     %s\n", commit.FormatTime(c.Time))
		a.printf("why      %s\n", pinReason(pin))
	}
	if len(pin.Candidates) > 0 {
		a.printf("\ncandidates, the newest of each log:\n")
	}
	for i, c := range pin.Candidates {
		mark := " "
		if pin.Chosen != nil && i == 0 {
			mark = "*"
		}
		when := "?"
		if !c.Time.IsZero() {
			when = commit.FormatTime(c.Time)
		}
		line := fmt.Sprintf("%s %s  #%d  %s  %s", mark, pad(when, 27), c.Number, commit.ShortID(safe.Text(c.ID)), folderText(c.Folder))
		if c.Err != nil {
			line += "  (" + c.Err.Error() + ")"
		}
		a.printf("%s\n", line)
	}
	for _, d := range pin.Doubts {
		a.printf("doubt: %s\n", d)
	}
}

// pinReason says why the first candidate won.
func pinReason(pin commit.Pin) string {
	bound := ""
	if !pin.At.IsZero() {
		bound = " at or before " + pin.At.UTC().Format(time.RFC3339Nano)
	}
	switch {
	case pinTied(pin):
		return fmt.Sprintf("it has the same time as commit %d of %s; the folder above counts as newer", pin.Candidates[1].Number, folderText(pin.Candidates[1].Folder))
	case len(pin.Candidates) > 1:
		return fmt.Sprintf("it is the newest%s of the %d logs that have one", bound, len(pin.Candidates))
	}
	return "it is the newest" + bound + " of the only log that has one"
}

func pinTied(pin commit.Pin) bool {
	return pin.Chosen != nil && len(pin.Candidates) > 1 && !pin.Chosen.Time.IsZero() && pin.Candidates[1].Time.Equal(pin.Chosen.Time)
}

type pinCandidateJSON struct {
	commitJSON
	Error string `json:"error,omitempty"`
}

func (a *app) pinJSON(p *place, pin commit.Pin, verdict error) error {
	doc := newDocument(a.out, "provcat-pin/1")
	doc.member("bucket", p.URL())
	doc.member("folder", pin.Folder)
	doc.member("at", jsonTime(pin.At))
	var chosen *commitJSON
	if c := pin.Chosen; c != nil {
		chosen = &commitJSON{c.Folder, numberOrNull(c.Number, c.Number > 0), c.ID, jsonCommitTime(c.Time)}
	}
	doc.member("commit", chosen)
	doc.member("tied", pinTied(pin))
	doc.array("candidates")
	for _, c := range pin.Candidates {
		j := pinCandidateJSON{commitJSON: commitJSON{c.Folder, numberOrNull(c.Number, c.Number > 0), c.ID, jsonCommitTime(c.Time)}}
		if c.Err != nil {
			j.Error = c.Err.Error()
		}
		_ = doc.item(j) // the document keeps its first error
	}
	doc.member("doubts", append([]string{}, pin.Doubts...))
	if verdict != nil {
		doc.member("error", verdict.Error())
	}
	if err := doc.close(); err != nil {
		return err
	}
	return verdict
}
