package audit

import "slices"

// An Explanation tells a person at night what a kind of finding means. Plain text,
// whole sentences; `audit --explain ID` shows it and docs/audit.md is made of it.
type Explanation struct {
	ID       string
	Subject  string     // where it stands in the docs: "log", "commit objects", "versions", "time", "bucket", "not checked"
	Severity []Severity // those that it can have, the usual one first
	Means    string     // one line for a table
	Happened string     // what happened, and what else could look so
	Works    string     // what still works, and what doesn't
	Do       string     // what to do now, the first step first
	Repairs  []string   // kinds of repair that it can come with
}

// Explanations of every kind of finding, in the order of the docs.
var Explanations = slices.Concat(explainLog, explainObjects, explainVersions, explainLifecycle, explainTime, explainBucket, explainUnchecked)

// Explain finds the explanation of a kind of finding.
func Explain(id string) (Explanation, bool) {
	i := slices.IndexFunc(Explanations, func(e Explanation) bool { return e.ID == id })
	if i < 0 {
		return Explanation{}, false
	}
	return Explanations[i], true
}
