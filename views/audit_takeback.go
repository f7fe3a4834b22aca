package views

import (
	"fmt"
	"slices"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// canTakeBack: only a rule by fingerprint, since one for a kind is about other
// findings too.
func (s *auditScreen) canTakeBack(a *audit.Acknowledged) (bool, string) {
	rule := s.known.RuleOf(*a)
	switch {
	case s.IgnoreFile == "":
		return false, "no file for acknowledgements is known"
	case a.By != "ignore":
		return false, "no rule acknowledges this finding"
	case rule == nil:
		return false, s.keys("its rule is not known any more; {reload} audits again")
	case rule.Fingerprint == "":
		return false, fmt.Sprintf("the rule is for a kind of findings; edit line %d of %s", rule.Line, s.IgnoreFile)
	}
	return true, ""
}

// askTakeBack asks before the rule of the selected finding is removed.
func (s *auditScreen) askTakeBack() action {
	r := s.selectedFinding()
	if r == nil || r.ack == nil {
		return nil
	}
	a := *r.ack
	rule := s.known.RuleOf(a)
	if rule == nil {
		return nil
	}
	text := oneLine(a.Title) + "\n" + oneLine("Acknowledged: "+acknowledged(&a)) +
		fmt.Sprintf("\nIts rule (line %d of %s) is removed and the finding counts again. Comments in the file stay; nothing is written to the bucket.", rule.Line, s.IgnoreFile)
	return ask{
		form: ui.NewForm("Take the acknowledgement back?", text, "Remove the rule"),
		yes:  func(*ui.Form) action { return s.takeBack(a) },
	}
}

// oneLine is a text of a finding for a form, which escapes again.
func oneLine(text string) string {
	return strings.ReplaceAll(ui.Fit(text, min(ui.Width(ui.Clean(text)), 150), ui.Left), `\`, "/")
}

// takeBack removes the rule, with the cursor on the finding where it stands then.
func (s *auditScreen) takeBack(a audit.Acknowledged) action {
	return s.change(func() error { return audit.Unacknowledge(s.IgnoreFile, a) }, func(was *audit.Report, err error) action {
		if err != nil {
			return note{ui.Bad, err.Error()}
		}
		at := s.list.table.Cursor
		act := s.rebuild()
		s.list.table.Cursor = s.nearestFinding(at)
		for i := range s.list.Len() {
			if f := s.list.at(i).finding; f != nil && f.Fingerprint == a.Fingerprint {
				s.list.table.Cursor = i
			}
		}
		s.pane = detailPane{at: -1}
		if i := slices.IndexFunc(s.report.Acknowledged, func(x audit.Acknowledged) bool { return x.Fingerprint == a.Fingerprint }); i >= 0 {
			by := "something else"
			if rule := s.known.RuleOf(s.report.Acknowledged[i]); rule != nil {
				by = fmt.Sprintf("the rule in line %d", rule.Line)
			}
			return all{act, note{ui.Warn, "The rule was removed, but " + by + " acknowledges the finding still."}}
		}
		return all{act, note{ui.Good, "Taken back: the finding counts again. " + verdictNow(was, s.report)}}
	})
}

// ruleOf says in the detail of an acknowledged finding which rule it was, and how it
// is taken back; empty: that is not known.
func (s *auditScreen) ruleOf(a *audit.Acknowledged) string {
	rule := s.known.RuleOf(*a)
	switch {
	case rule == nil:
		return ""
	case rule.Fingerprint == "":
		return fmt.Sprintf("The rule in line %d of %s is for findings of its kind; to take it back edit that file.", rule.Line, s.IgnoreFile)
	}
	return fmt.Sprintf(s.keys("By the rule in line %d of %s; {takeback} takes it back."), rule.Line, s.IgnoreFile)
}

// sameVerdict is the command that comes to the verdict on the screen.
func (s *auditScreen) sameVerdict() string {
	return "provcat-tui audit " + safe.Shell(s.url(s.folder)) + " --ignore " + safe.Shell(s.IgnoreFile)
}
