package audit

import "slices"

// folders are those in scope that have a log, in order of name. A log whose
// folder nothing names is not among them.
func (a *auditor) folders() []string {
	out := []string{}
	for _, l := range a.inScope() {
		if l.known && l.head > 0 {
			out = append(out, l.folder)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
