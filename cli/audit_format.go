package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
	"provcat-tui/internal/safe"
	"provcat-tui/internal/whole"
)

// formatsOf gives the words that --format takes for a command.
func formatsOf(cmd *cobra.Command) []string {
	if cmd.Name() == "audit" && reportless(cmd) == "" {
		return report.Names()
	}
	return []string{"text", "json"}
}

// reportless gives the flag with which an audit makes no report; empty: none.
func reportless(cmd *cobra.Command) string {
	if cmd.Flags().Changed("explain") {
		return " --explain"
	}
	if on, err := cmd.Flags().GetBool("estimate"); err == nil && on {
		return " --estimate"
	}
	return ""
}

// checkFormat tells a format that another command takes from one that none does.
func checkFormat(cmd *cobra.Command, format string) error {
	err := oneOf("--format", format, formatsOf(cmd)...)
	if _, ok := report.FormatNamed(format); err != nil && ok {
		return usagef("--format %s is for the report of an audit; %s writes text or json", format, cmd.CommandPath()+reportless(cmd))
	}
	return err
}

func completeFormat(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return formatsOf(cmd), cobra.ShellCompDirectiveNoFileComp
}

// reported runs an audit and writes its report: to standard output, or to --output,
// which is there whole or not at all. The lines of jsonl about its progress are
// written as it runs. run is given what to call with the progress. An error with a
// report is that of writing it; without one it is the audit's.
func (a *app) reported(o *auditOptions, run func(status func(audit.Progress)) (*audit.Report, error)) (*audit.Report, error) {
	if o.output == "" {
		return a.reportTo(flushing{a.out}, run)
	}
	var r *audit.Report
	var failed error // why there is no report: not the file's fault
	err := whole.Output(o.output, 0o666, func(f *os.File) (err error) {
		w := bufio.NewWriter(f)
		if r, failed = a.reportTo(w, run); failed != nil {
			return failed
		}
		return w.Flush()
	})
	switch {
	case r == nil && failed != nil:
		return nil, failed // the audit's
	case err != nil && r == nil: // not even begun
		return nil, fmt.Errorf("write the report to %s: %w", safe.Text(o.output), err)
	case err != nil:
		return r, fmt.Errorf("write the report to %s: %w", safe.Text(o.output), err)
	}
	a.note("verdict %s: %s; the report is in %s", r.Verdict, report.Tally(r), safe.Text(o.output))
	return r, nil
}

// reportTo does so to a writer.
func (a *app) reportTo(w io.Writer, run func(status func(audit.Progress)) (*audit.Report, error)) (*audit.Report, error) {
	lines := report.NewJSONL(w)
	status := func(audit.Progress) {}
	if a.format == "jsonl" {
		status = lines.Status
	}
	r, err := run(status)
	if err != nil {
		return nil, err
	}
	switch a.format {
	case "jsonl":
		return r, lines.Report(r)
	case "text":
		return r, report.Text(w, r, a.textOptions(w))
	}
	f, ok := report.FormatNamed(a.format)
	if !ok {
		return r, usagef("--format %s", safe.Shell(a.format))
	}
	return r, f.Write(w, r)
}

// textOptions: colours and the width of the terminal, if that is where it goes.
func (a *app) textOptions(w io.Writer) (o report.TextOptions) {
	if _, ok := w.(flushing); !ok {
		return o
	}
	o.Color = a.color()
	if f, ok := a.rawOut.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = width
		}
	}
	return o
}

// flushing is standard output, of which a reader sees each write at once.
type flushing struct{ w *bufio.Writer }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = f.w.Flush()
	}
	return n, err
}
