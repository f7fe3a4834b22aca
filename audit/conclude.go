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
			continue
		}
		c.add(skipOf(x.err, "could not be read", 1))
	}
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
	should := r.Counts[Unknown] == 0 && !r.knowsUnknown() // all that should have been checked was
	r.Complete = should
	for _, x := range []*Coverage{&c.Logs, &c.Entries, &c.Commits, &c.Versions, &c.Settings} {
		if x.Skipped == nil {
			x.Skipped = []Skip{}
		}
		r.Complete = r.Complete && len(x.Skipped) == 0
		for _, s := range x.Skipped {
			should = should && s.Chosen
		}
	}
	switch {
	case fail:
		r.Verdict = Fail
	case !should, !r.Complete && c.Entries.Checked+c.Commits.Checked+c.Versions.Checked == 0:
		r.Verdict = Incomplete // over nothing there is no pass
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

// Prices of requests in US dollars a thousand. LIST is a page of a listing; HEAD
// and reads of settings cost what GET costs.
type Prices struct {
	List float64 `json:"list"`
	Get  float64 `json:"get"`
}

// Of is what requests cost, in US dollars; only List, Get and Head of them count.
func (p Prices) Of(r Requests) float64 {
	return (float64(r.List)*p.List + float64(r.Get+r.Head)*p.Get) / 1000
}

// DefaultPrices: Amazon S3 pricing, US East, S3 Standard.
var DefaultPrices = Prices{List: 0.005, Get: 0.0004}

func cost(before, after bucket.Requests, p *Prices) Requests {
	r := Requests{
		Prices: p,
		List:   after.List - before.List,
		Get:    after.Get - before.Get + after.Settings - before.Settings,
		Head:   after.Head - before.Head,
	}
	if p == nil {
		p = &DefaultPrices
	}
	r.CostUSD = p.Of(r)
	return r
}
