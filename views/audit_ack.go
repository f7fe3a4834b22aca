package views

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// ackDays is for how long a finding is acknowledged unless the person says otherwise.
const ackDays = 30

// canAcknowledge: it writes a local file only, so also when opened read-only.
func (s *auditScreen) canAcknowledge(r *auditRow) (bool, string) {
	switch {
	case r.finding == nil:
		return false, "select a finding first"
	case s.IgnoreFile == "":
		return false, "no file for acknowledgements is known"
	case s.ignoreErr != nil:
		return false, "the file of acknowledgements must be mended first"
	}
	return true, ""
}

// askAcknowledge opens the form for the selected finding.
func (s *auditScreen) askAcknowledge() action {
	r := s.selectedFinding()
	if r == nil {
		return nil
	}
	f := *r.finding
	text := ui.Fit(f.Title, min(ui.Width(ui.Clean(f.Title)), 150), ui.Left)
	text = strings.ReplaceAll(text, `\`, "/") // the form escapes again
	text += "\nThrough the day below (UTC) it doesn't count for the verdict."
	if f.Severity == audit.Unknown {
		text += " What could not be checked stays so: the audit is incomplete all the same."
	}
	text += " It adds a rule to the file " + s.IgnoreFile + " and writes nothing to the bucket."
	form := ui.NewForm("Acknowledge "+f.ID, text, "Acknowledge",
		ui.Field{Label: "Reason", Input: ui.NewInput("", 500)},
		ui.Field{Label: "Expires", Input: ui.NewInput(s.Now().UTC().AddDate(0, 0, ackDays).Format(time.DateOnly), 10)})
	return ask{form: form, yes: func(form *ui.Form) action { return s.acknowledge(form, f) }}
}

// acknowledge writes the rule, if the form is filled in right.
func (s *auditScreen) acknowledge(form *ui.Form, f audit.Finding) action {
	again := func(field int, text string) action {
		form.Error = text
		form.Focus(field)
		return ask{form: form, yes: func(form *ui.Form) action { return s.acknowledge(form, f) }}
	}
	reason := strings.TrimSpace(form.Fields[0].Input.Value())
	through, err := time.Parse(time.DateOnly, strings.TrimSpace(form.Fields[1].Input.Value()))
	today := s.Now().UTC().Truncate(24 * time.Hour)
	switch {
	case reason == "":
		return again(0, "A reason is needed: why may this wait?")
	case err != nil:
		return again(1, "Expires: a day such as "+today.AddDate(0, 0, ackDays).Format(time.DateOnly)+" is expected.")
	case through.Before(today):
		return again(1, "Expires: that day is over; today is "+today.Format(time.DateOnly)+" (UTC).")
	}
	return s.change(func() error {
		if err := os.MkdirAll(filepath.Dir(s.IgnoreFile), 0o700); err != nil {
			return fmt.Errorf("make the folder of %s: %w", safe.Text(s.IgnoreFile), err)
		}
		return audit.Acknowledge(s.IgnoreFile, f, reason, through)
	}, func(was *audit.Report, err error) action {
		if err != nil {
			return again(0, err.Error())
		}
		at := s.list.table.Cursor
		act := s.rebuild()
		s.list.table.Cursor = s.nearestFinding(at)
		s.pane = detailPane{at: -1}
		told := note{ui.Good, fmt.Sprintf("Acknowledged through %s. %s", through.Format(time.DateOnly), verdictNow(was, s.report))}
		if slices.ContainsFunc(s.report.Findings, func(x audit.Finding) bool { return x.Fingerprint == f.Fingerprint }) {
			told = note{ui.Warn, "The rule was added, but the finding counts still: another rule or its extent stands against it."}
		}
		return all{act, told}
	})
}

// change writes the file of acknowledgements, and has the report that is shown go by
// it. then gets the report as it was.
func (s *auditScreen) change(write func() error, then func(was *audit.Report, err error) action) action {
	was := s.report
	var now *audit.Report
	var known *audit.IgnoreList
	return begin{load("acknowledge", "Writing "+s.IgnoreFile, func(context.Context, func(struct{})) (err error) {
		if err = write(); err != nil {
			return err
		}
		if known, err = audit.LoadIgnore(s.IgnoreFile); err != nil {
			return err
		}
		now = was.Acknowledge(known)
		return nil
	}, nil, func(err error) action {
		if s.report != was {
			return nil // another audit ran meanwhile; the next one reads the file
		}
		if err == nil {
			s.report, s.known = now, known
			if kept := s.facts().audits[s.folder]; kept != nil && kept.report == was {
				kept.report = now
			}
		}
		return then(was, err)
	})}
}

// verdictNow says what a change of the acknowledgements made of the verdict.
func verdictNow(was, now *audit.Report) string {
	word := "now"
	if was.Verdict == now.Verdict {
		word = "still"
	}
	return fmt.Sprintf("The verdict is %s %s.", word, strings.ToUpper(string(now.Verdict)))
}

// nearestFinding is the first finding at or after a line, else the last before it.
func (s *auditScreen) nearestFinding(at int) int {
	for i := at; i < s.list.Len(); i++ {
		if s.list.at(i).finding != nil {
			return i
		}
	}
	for i := min(at, s.list.Len()) - 1; i >= 0; i-- {
		if s.list.at(i).finding != nil {
			return i
		}
	}
	return max(min(at, s.list.Len()-1), 0)
}

// acknowledged says who set a finding aside, why, and until when.
func acknowledged(a *audit.Acknowledged) string {
	text := strings.TrimSuffix(a.Reason, ".") + "."
	if a.Expires != nil {
		text += " It counts again after " + lastDay(*a.Expires) + " (UTC)."
	}
	return text
}

// notice is what a person must know of the acknowledgements; empty: nothing.
func (s *auditScreen) notice() string {
	if s.ignoreErr != nil {
		var pe *os.PathError
		err := s.ignoreErr
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return "! nothing is acknowledged: " + s.IgnoreFile + ": " + err.Error()
	}
	u := s.report.Rules
	if u == nil {
		return ""
	}
	n := 0
	for _, list := range [][]audit.RuleRef{u.Expired, u.Refused, u.Outgrown} {
		for _, x := range list {
			n += len(x.Findings)
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "! 1 finding counts again though a rule names it: the rule expired or covers too little"
	}
	return fmt.Sprintf("! %s findings count again though rules name them: they expired or cover too little", count(int64(n)))
}

// ruleNote says which rule was meant for a finding and does not hold; empty: none.
func (s *auditScreen) ruleNote(f *audit.Finding) string {
	u := s.report.Rules
	if u == nil {
		return ""
	}
	for _, x := range []struct {
		rules []audit.RuleRef
		why   string
	}{
		{u.Expired, "it expired after %s"},
		{u.Refused, "it covers no damage without a bound or by kind (it holds through %s)"},
		{u.Outgrown, "the finding affects more by now than it allows (it holds through %s)"},
	} {
		for _, r := range x.rules {
			if slices.Contains(r.Findings, f.Fingerprint) {
				return fmt.Sprintf("! It counts again. A rule is about it (%s, line %d), but "+x.why+".", r.Reason, r.Line, r.Expires)
			}
		}
	}
	return ""
}
