package audit

import (
	"sort"
	"strings"

	"provcat-tui/bucket"
)

// settingsCoverage counts the settings that could be read.
func (a *auditor) settingsCoverage() Coverage {
	var c Coverage
	for _, x := range a.settingErrors() {
		c.Total++
		if x.err == nil {
			c.Checked++
		}
	}
	c.skip("could not be read", c.Total-c.Checked)
	return c
}

// order sorts findings: worst first, by folder, newest commit first.
func order(fs []Finding) {
	folder := func(f Finding) string {
		if f.Folder == nil {
			return ""
		}
		return *f.Folder
	}
	sort.SliceStable(fs, func(i, j int) bool {
		a, b := fs[i], fs[j]
		if a.Severity != b.Severity {
			return a.Severity.rank() < b.Severity.rank()
		}
		if c := strings.Compare(folder(a), folder(b)); c != 0 {
			return c < 0
		}
		if a.Number != b.Number {
			return a.Number > b.Number
		}
		if a.ID != b.ID {
			return a.ID < b.ID
		}
		return a.Fingerprint < b.Fingerprint
	})
}

// conclude counts the findings and gives the verdict.
func (r *Report) conclude(failOn Severity) {
	r.Counts = map[Severity]int{}
	for _, s := range Severities {
		r.Counts[s] = 0
	}
	fail := false
	for _, f := range r.Findings {
		r.Counts[f.Severity]++
		fail = fail || f.Severity != Unknown && f.Severity.AtLeast(failOn)
	}
	c := &r.Coverage
	r.Complete = r.Counts[Unknown] == 0 && !r.knowsUnknown()
	for _, x := range []*Coverage{&c.Logs, &c.Entries, &c.Commits, &c.Versions, &c.Settings} {
		if x.Skipped == nil {
			x.Skipped = []Skip{}
		}
		r.Complete = r.Complete && len(x.Skipped) == 0
	}
	switch {
	case fail:
		r.Verdict = Fail
	case !r.Complete:
		r.Verdict = Incomplete
	default:
		r.Verdict = Pass
	}
	var all []*Finding
	for i := range r.Findings {
		all = append(all, &r.Findings[i])
	}
	for i := range r.Acknowledged {
		all = append(all, &r.Acknowledged[i].Finding)
	}
	for _, f := range all {
		if f.Affected.Commits == nil {
			f.Affected.Commits = []CommitRef{}
		}
		if f.Affected.Examples == nil {
			f.Affected.Examples = []Evidence{}
		}
		if f.Evidence == nil {
			f.Evidence = []Evidence{}
		}
	}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	if r.Acknowledged == nil {
		r.Acknowledged = []Acknowledged{}
	}
}

// Prices of requests in US dollars, for the estimate.
//
// Amazon S3 pricing, US East, S3 Standard: LIST and PUT $0.005 a thousand, GET
// and HEAD $0.0004 a thousand. Settings are read by GET requests.
const (
	priceList = 0.005 / 1000
	priceGet  = 0.0004 / 1000
)

func cost(before, after bucket.Requests) Requests {
	r := Requests{
		List: after.List - before.List,
		Get:  after.Get - before.Get + after.Settings - before.Settings,
		Head: after.Head - before.Head,
	}
	r.CostUSD = float64(r.List)*priceList + float64(r.Get+r.Head)*priceGet
	return r
}
