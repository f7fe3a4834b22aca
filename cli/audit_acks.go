package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

func addAckFlags(f *pflag.FlagSet, o *auditOptions) {
	f.StringVar(&o.ignore, "ignore", "", "acknowledge the findings that the rules of this YAML `file` name")
	f.StringVar(&o.baseline, "baseline", "", "acknowledge the findings of an earlier report, this JSON `file`: only what is new counts")
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

// tellAcks notes which rules need a look, and how the baseline's findings stand.
func (a *app) tellAcks(r *audit.Report, o *auditOptions) {
	if r.Rules != nil {
		a.tellRules(r.Rules, safe.Text(o.ignore))
	}
	b := r.Baseline
	if b == nil {
		return
	}
	note := fmt.Sprintf("baseline of %s: %s known", second(b.Finished), count(int64(b.Known), "finding"))
	if b.Worse > 0 {
		note += fmt.Sprintf(", %s worse than then", number(int64(b.Worse)))
	}
	note += fmt.Sprintf(", %s resolved", number(int64(len(b.Resolved))))
	if n := len(b.NotSeen); n > 0 {
		note += fmt.Sprintf(", %s neither found nor looked for in full", number(int64(n)))
	}
	a.note("%s", note)
}

// maxRuleNotes bounds the lines about rules of one sort; the JSON report has all.
const maxRuleNotes = 10

func (a *app) tellRules(u *audit.RuleUse, file string) {
	some := func(list []audit.RuleRef, line func(audit.RuleRef)) {
		for _, x := range list[:min(len(list), maxRuleNotes)] {
			line(x)
		}
		if n := len(list) - maxRuleNotes; n > 0 {
			a.note("%s: and %s like this", file, count(int64(n), "more rule"))
		}
	}
	some(u.Expired, func(x audit.RuleRef) {
		what := "nothing that was found"
		if n := len(x.Findings); n > 0 {
			what = count(int64(n), "finding") + ", which counts again"
			if n > 1 {
				what = count(int64(n), "finding") + ", which count again"
			}
		}
		a.note("%s line %d: the rule (%s) expired after %s; it covered %s", file, x.Line, ruleText(x), x.Expires, what)
	})
	some(u.Refused, func(x audit.RuleRef) {
		if x.Fingerprint != "" {
			a.note("%s line %d: the rule (%s) covers no damage of several versions without a bound: add \"versions: %d\", as many as it affects now", file, x.Line, ruleText(x), x.Affected.Versions)
			return
		}
		a.note("%s line %d: the rule (%s) covers no damage: acknowledge that one by one, by fingerprint %s", file, x.Line, ruleText(x), x.Findings[0])
	})
	some(u.Outgrown, func(x audit.RuleRef) {
		a.note("%s line %d: the rule (%s) covers less than its finding affects by now, %s of %s", file, x.Line, ruleText(x),
			count(x.Affected.Versions, "version"), count(x.Affected.Commits, "commit"))
	})
	some(u.Unused, func(x audit.RuleRef) {
		a.note("%s line %d: the rule (%s) covers nothing that was found; it may be removed", file, x.Line, ruleText(x))
	})
}

// ruleText names a rule for people.
func ruleText(x audit.RuleRef) string {
	if x.Fingerprint != "" {
		return "fingerprint " + x.Fingerprint
	}
	s := x.ID
	if x.Folder != nil {
		s += " in " + folderText(*x.Folder)
	}
	if x.Key != nil {
		s += " at " + safe.Text(*x.Key)
	}
	return s
}
