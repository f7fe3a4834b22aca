package cli

import (
	"bufio"
	"errors"
	"os"

	"github.com/spf13/pflag"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
	"provcat-tui/internal/safe"
)

func addAckFlags(f *pflag.FlagSet, o *auditOptions) {
	f.StringVar(&o.ignore, "ignore", "", "acknowledge the findings that the rules of this YAML `file` name")
	f.StringVar(&o.baseline, "baseline", "", "acknowledge the findings of an earlier report, this JSON `file`: only what is new counts")
}

// checkAcks tells of a report that would be written over the rules.
func (o *auditOptions) checkAcks() error {
	if o.output != "" && o.ignore != "" && samePath(o.output, o.ignore) {
		return usagef("--output and --ignore name the same file, %s: the report would take the place of the rules", safe.Text(o.ignore))
	}
	return nil
}

// readAcks reads the files of --ignore and --baseline into the options of an audit.
// What is wrong with them is wrong usage: an audit without them would alarm somebody
// for nothing.
func (o *auditOptions) readAcks(to *audit.Options, bucketURL string) error {
	if o.ignore != "" {
		list, err := audit.LoadIgnore(o.ignore)
		if err != nil {
			return fileError("--ignore", o.ignore, err)
		}
		to.Ignore = list
	}
	if o.baseline == "" {
		return nil
	}
	b, err := readBaseline(o.baseline)
	switch {
	case err != nil:
		return fileError("--baseline", o.baseline, err)
	case b.Bucket != bucketURL:
		return usagef("--baseline %s is a report of %s, not of %s", safe.Text(o.baseline), safe.Text(b.Bucket), safe.Text(bucketURL))
	}
	to.Baseline = b
	return nil
}

func readBaseline(path string) (*audit.Baseline, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return audit.ReadBaseline(bufio.NewReader(f))
}

// fileError is wrong usage of a flag that names a file. Errors of the file system
// name it themselves.
func fileError(flag, path string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return usagef("%s %s: %s", flag, safe.Text(path), safe.Text(err.Error()))
}

// tellAcks notes which rules need a look, and how the baseline's findings stand,
// unless the report on standard output tells it to the same person.
func (a *app) tellAcks(r *audit.Report, o *auditOptions) {
	if o.output == "" && (a.format == "text" || a.format == "markdown") {
		return
	}
	for _, line := range report.AckNotes(r, o.ignore) {
		a.note("%s", line)
	}
}
