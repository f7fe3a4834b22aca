package audit

import (
	"slices"
	"time"
)

// RuleUse tells of the rules of an IgnoreList that need somebody's look.
type RuleUse struct {
	// Expired rules no longer hold: what they covered counts again.
	Expired []RuleRef `json:"expired"`
	// Refused rules name by kind what is damage, or damage of many versions without
	// a bound: it can be acknowledged only as it is.
	Refused []RuleRef `json:"refused"`
	// Outgrown rules name damage that affects more by now than they allow, or as much
	// of something else.
	Outgrown []RuleRef `json:"outgrown"`
	// Unused rules hold and cover nothing that was found, though all was looked at.
	Unused []RuleRef `json:"unused"`
}

// A RuleRef names a rule.
type RuleRef struct {
	Line        int     `json:"line"`
	Fingerprint string  `json:"fingerprint,omitempty"`
	ID          string  `json:"id,omitempty"`
	Folder      *string `json:"folder,omitempty"`
	Key         *string `json:"key,omitempty"`
	Reason      string  `json:"reason"`
	Expires     string  `json:"expires"` // the last day on which it holds: 2006-01-02
	// Versions and Commits bound what it covers.
	Versions *int64 `json:"versions,omitempty"`
	Commits  *int64 `json:"commits,omitempty"`
	// Digest says what of: Affected.Digest.
	Digest string `json:"digest,omitempty"`
	// Findings are the fingerprints that it would cover; not of unused rules.
	Findings []string `json:"findings,omitempty"`
	// Affected is what the last of them affects; only of refused and outgrown rules.
	Affected *Extent `json:"affected,omitempty"`
}

func (r *IgnoreRule) ref() RuleRef {
	x := RuleRef{Line: r.Line, Fingerprint: r.Fingerprint, ID: r.ID, Reason: r.Reason, Expires: r.Through.Format(time.DateOnly),
		Versions: r.versions, Commits: r.commits, Digest: r.digest}
	if r.folder != nil {
		x.Folder = &r.folder.text
	}
	if r.key != nil {
		x.Key = &r.key.text
	}
	return x
}

// BaselineUse tells how the findings of a baseline stand now.
type BaselineUse struct {
	Finished time.Time `json:"finished"` // when the baseline was made
	// Scope is what it looked at. What lies outside of it counts as new.
	Scope Scope `json:"scope"`
	// Known counts the findings that were acknowledged since they are in it.
	Known int `json:"known"`
	// Worse counts those that are in it with a milder severity, or as damage that
	// affected less or something else, so that they count.
	Worse int `json:"worse"`
	// Resolved are no longer found by an audit that looked at all that the
	// baseline's did.
	Resolved []KnownFinding `json:"resolved"`
	// NotSeen were not found either, but this audit looked at less.
	NotSeen []KnownFinding `json:"not_seen"`
}

// A KnownFinding is a finding of a baseline.
type KnownFinding struct {
	ID          string   `json:"id"`
	Severity    Severity `json:"severity"`
	Folder      *string  `json:"folder"`
	Title       string   `json:"title"`
	Fingerprint string   `json:"fingerprint"`
}

// An acknowledger applies what somebody knows of to one report.
type acknowledger struct {
	o    Options
	book *ruleBook
	here map[string]bool // fingerprints of all that was found
	// known are the findings, by fingerprint, that a baseline acknowledged already.
	known map[string]Acknowledged
}

// apply takes what somebody knows of out of the findings. It makes no audit
// complete: what could not be checked stays unchecked.
func (a *acknowledger) apply(r *Report) {
	a.book = newRuleBook(a.o.Ignore, r.Started)
	a.here = map[string]bool{}
	var left []Finding
	for _, f := range r.Findings {
		a.here[f.Fingerprint] = true
		x := Acknowledged{Finding: f}
		if rule := a.book.cover(f); rule != nil {
			until := rule.Through.AddDate(0, 0, 1)
			x.By, x.Reason, x.Expires = "ignore", rule.Reason, &until
		} else if a.o.Baseline.knows(f) {
			x.By, x.Reason = "baseline", "known since the report of "+a.o.Baseline.Finished.UTC().Format(time.RFC3339)
		} else if was, ok := a.known[f.Fingerprint]; ok {
			x = was
		} else {
			left = append(left, f)
			continue
		}
		r.Acknowledged = append(r.Acknowledged, x)
	}
	r.Findings = left
}

// tell adds to a concluded report which rules, and which findings of the baseline,
// need a look.
func (a *acknowledger) tell(r *Report) {
	if a.o.Ignore != nil {
		r.Rules = a.book.use(r.Complete && r.Scope.Folder == "" && r.Scope.Depth.Covers(DepthVersions))
	}
	if a.o.Baseline != nil {
		r.Baseline = a.o.Baseline.use(r, a.here, a.o.Witness != nil)
	}
}

// knowsUnknown says that something which could not be checked is acknowledged.
func (r *Report) knowsUnknown() bool {
	return slices.ContainsFunc(r.Acknowledged, func(x Acknowledged) bool { return x.Severity == Unknown })
}
