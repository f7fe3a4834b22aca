package report

import (
	"fmt"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// maxRules bounds what is said about rules of one sort; the JSON has all.
const maxRules = 10

// AckNotes tells which rules of the list of ignored findings need somebody's look,
// and how the findings of the baseline stand: a line for each, escaped. file is the
// list's, for people; it may be empty. Without either there are none.
func AckNotes(r *audit.Report, file string) []string {
	var out []string
	if r.Rules != nil {
		out = ruleNotes(r.Rules, file)
	}
	if r.Baseline != nil {
		out = append(out, baselineNote(r))
	}
	return out
}

func ruleNotes(u *audit.RuleUse, file string) (out []string) {
	if file = safe.Text(file); file != "" {
		file += " "
	}
	say := func(list []audit.RuleRef, what func(audit.RuleRef) string) {
		for _, x := range list[:min(len(list), maxRules)] {
			out = append(out, fmt.Sprintf("%sline %d: the rule (%s) %s", file, x.Line, ruleName(x), what(x)))
		}
		if n := len(list) - maxRules; n > 0 {
			out = append(out, fmt.Sprintf("%sand %s like this", file, count(int64(n), "more rule")))
		}
	}
	say(u.Expired, func(x audit.RuleRef) string {
		s := "expired after " + safe.Text(x.Expires) + "; it covered "
		switch n := len(x.Findings); n {
		case 0:
			return s + "nothing that was found"
		case 1:
			return s + "1 finding, which counts again"
		default:
			return s + fmt.Sprintf("%d findings, which count again", n)
		}
	})
	say(u.Refused, func(x audit.RuleRef) string {
		switch {
		case x.Fingerprint != "" && x.Affected != nil:
			return fmt.Sprintf("covers no damage of several versions without a bound: add \"versions: %d\", as many as it affects now", x.Affected.Versions)
		case len(x.Findings) > 0:
			return "covers no damage: acknowledge that one by one, by fingerprint " + safe.Text(x.Findings[0])
		}
		return "covers no damage"
	})
	say(u.Outgrown, func(x audit.RuleRef) string {
		s := "covers less than its finding affects by now, or something else"
		if x.Affected != nil {
			s += fmt.Sprintf(", %s of %s", count(x.Affected.Versions, "version"), count(x.Affected.Commits, "commit"))
		}
		return s
	})
	say(u.Unused, func(audit.RuleRef) string { return "covers nothing that was found; it may be removed" })
	return out
}

// ruleName names a rule for people.
func ruleName(x audit.RuleRef) string {
	if x.Fingerprint != "" {
		return "fingerprint " + safe.Text(x.Fingerprint)
	}
	s := safe.Text(x.ID)
	if x.Folder != nil {
		s += " in " + folderName(*x.Folder)
	}
	if x.Key != nil {
		s += " at " + safe.Text(*x.Key)
	}
	return s
}

func baselineNote(r *audit.Report) string {
	b := r.Baseline
	s := fmt.Sprintf("baseline of %s: %s known", b.Finished.UTC().Format(time.RFC3339), count(int64(b.Known), "finding"))
	if b.Worse > 0 {
		s += fmt.Sprintf(", %d worse than then", b.Worse)
	}
	s += fmt.Sprintf(", %d resolved", len(b.Resolved))
	if n := len(b.NotSeen); n > 0 {
		s += fmt.Sprintf(", %d neither found nor looked for in full", n)
	}
	var less []string
	if b.Scope.Folder != r.Scope.Folder && !strings.HasPrefix(r.Scope.Folder, commit.KeyPrefix(b.Scope.Folder)) {
		less = append(less, "at "+scopeText(b.Scope.Folder)+" only")
	}
	if b.Scope.Depth != "" && !b.Scope.Depth.Covers(r.Scope.Depth) {
		less = append(less, "to the depth "+safe.Text(string(b.Scope.Depth))+" only")
	}
	if len(less) > 0 {
		s += ". It looked " + strings.Join(less, " and ") + ": all that was found beyond that counts as new"
	}
	return s
}

// A knownOf tells of findings, by fingerprint, that a rule is about without
// covering them, why not: a line for each rule, escaped.
type knownOf map[string][]string

func rulesByFinding(r *audit.Report) knownOf {
	k := knownOf{}
	if r.Rules == nil {
		return k
	}
	add := func(list []audit.RuleRef, why func(audit.RuleRef) string) {
		for _, x := range list {
			for _, print := range x.Findings {
				k[print] = append(k[print], fmt.Sprintf("A rule is about it (%s, line %d), but %s.", strings.TrimSuffix(safe.Text(x.Reason), "."), x.Line, why(x)))
			}
		}
	}
	add(r.Rules.Expired, func(x audit.RuleRef) string { return "it expired after " + safe.Text(x.Expires) })
	add(r.Rules.Refused, func(x audit.RuleRef) string {
		if x.Fingerprint != "" {
			return "it has no bound, and this damage affects several versions"
		}
		return "damage is acknowledged only by its fingerprint"
	})
	add(r.Rules.Outgrown, func(audit.RuleRef) string { return "more is affected by now than it allows, or something else" })
	return k
}
