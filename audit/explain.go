package audit

import "slices"

// An Explanation tells a person at night what a kind of finding means. Plain text,
// whole sentences; `audit --explain ID` shows it and docs/audit.md is made of it.
type Explanation struct {
	ID       string
	Subject  string     // where it stands in the docs: one of Subjects
	Severity []Severity // those that it can have, the usual one first
	From     Depth      // the shallowest depth that can find it; empty: by its subject
	Means    string     // one line for a table
	Happened string     // what happened, and what else could look so
	Works    string     // what still works, and what doesn't
	Do       string     // what to do now, the first step first
	Repairs  []string   // kinds of repair that it can come with
}

// Subjects of explanations, in the order of the docs.
var Subjects = []string{"log", "commit objects", "versions", "time", "bucket", "not checked"}

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

// Depth is the shallowest depth at which an audit looks for it.
func (e Explanation) Depth() Depth {
	switch {
	case e.From != "":
		return e.From
	case e.Subject == "commit objects" || e.Subject == "time":
		return DepthCommits
	case e.Subject == "versions":
		return DepthVersions
	}
	return DepthLog
}

// Needs gives the kinds of thing, as members of a report's coverage, that must all
// have been read before its absence means anything.
func (e Explanation) Needs() []string {
	switch {
	case e.ID == "version-will-expire":
		return []string{"logs", "entries", "commits", "versions", "settings"}
	case e.ID == "uploads-pending":
		return []string{"logs", "entries", "commits"}
	case e.ID == "witness-regressed":
		return []string{"logs", "entries"}
	case e.ID == "bucket-copied":
		return []string{"logs", "entries", "commits", "versions"}
	case e.Subject == "log" && e.Depth() == DepthCommits:
		return []string{"logs", "entries", "commits"}
	case e.Subject == "log":
		return []string{"logs", "entries"}
	case e.Subject == "commit objects":
		return []string{"logs", "entries", "commits"}
	case e.Subject == "versions":
		return []string{"logs", "entries", "commits", "versions"}
	case e.Subject == "time":
		return []string{"logs", "entries", "commits"}
	case e.Subject == "bucket":
		return []string{"settings"}
	}
	return nil
}

// Covers says whether an audit of this depth also does what the other does.
func (d Depth) Covers(other Depth) bool {
	return slices.Index(depths, d) >= slices.Index(depths, other)
}

var depths = []Depth{DepthLog, DepthCommits, DepthVersions, DepthReadable}
