package views

import (
	"strings"
	"unicode"

	"provcat-tui/ui"
)

// canCopy: the command of the finding's repair, which must not hold a character that
// a shell would take for the end of a line.
func canCopy(r *auditRow) (bool, string) {
	switch {
	case r == nil || r.finding == nil:
		return false, "select a finding first"
	case r.finding.Repair == nil || r.finding.Repair.Command == "":
		return false, "this finding has no command"
	case strings.ContainsFunc(r.finding.Repair.Command, unicode.IsControl):
		return false, "the command holds control characters"
	}
	return true, ""
}

func copyCommand(r *auditRow) action {
	if ok, _ := canCopy(r); !ok {
		return nil
	}
	return clip{r.finding.Repair.Command, note{ui.Good, "Sent the command to the terminal's clipboard (OSC 52; where a terminal refuses that, select it by hand)."}}
}
