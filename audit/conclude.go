package audit

import (
	"slices"
	"sort"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// tellUnread notes every entry and commit object in scope that could not be read.
func (a *auditor) tellUnread() {
	for _, l := range a.inScope() {
		var folder *string
		if l.known {
			folder = &l.folder
		}
		for _, s := range l.slots {
			for _, v := range s.versions {
				if !v.DeleteMarker && v.err != nil && !isEntryError(v.err) {
					a.t.add("log entries", s.key, folder, v.err)
					break
				}
			}
		}
	}
	for _, c := range a.f.commits {
		for _, v := range c.versions {
			if a.f.objects && !v.DeleteMarker && !v.read && v.err != nil && a.relevant(c) {
				a.t.add("commit objects", commit.CommitKey(c.id), nil, v.err)
				break
			}
		}
	}
}

// relevant says whether a commit is named by a log in scope, or by none at all.
func (a *auditor) relevant(c *commitFacts) bool {
	named := false
	for _, l := range a.f.logs {
		for _, s := range l.slots {
			if slices.Contains(s.distinct(), c.id) {
				if a.scoped(l) {
					return true
				}
				named = true
			}
		}
	}
	return !named
}

// cover counts what was checked of logs, entries and commit objects.
func (a *auditor) cover(cov *CoverageSet) {
	skipped := int64(0)
	ids := map[string]bool{}
	for _, l := range a.inScope() {
		cov.Logs.Total++
		whole := true
		for _, s := range l.slots {
			if len(s.bodies()) == 0 {
				continue
			}
			cov.Entries.Total++
			unread := false
			for _, v := range s.versions {
				unread = unread || !v.DeleteMarker && v.err != nil && !isEntryError(v.err)
			}
			if unread {
				skipped++
				whole = false
			} else {
				cov.Entries.Checked++
			}
			if v, ok := s.live(); ok && v.parsed() {
				ids[v.entry.Commit] = true
			}
		}
		if whole {
			cov.Logs.Checked++
		}
	}
	if skipped > 0 {
		cov.Entries.Skipped = []Skip{{Reason: "could not be read", Count: skipped}}
		cov.Logs.Skipped = []Skip{{Reason: "not all of its entries could be read", Count: cov.Logs.Total - cov.Logs.Checked}}
	}
	if !a.f.objects {
		return
	}
	for id, c := range a.f.commits {
		if c.header != nil && a.wanted(c.header.Folder) || c.header == nil && a.o.Folder == "" && len(c.versions) > 0 {
			ids[id] = true
		}
	}
	unread, unknown := int64(0), int64(0)
	for id := range ids {
		cov.Commits.Total++
		c := a.f.commits[id]
		switch {
		case c == nil || c.state() == unreadable:
			unread++
		case c.state() == unknownFormat:
			unknown++
		default:
			cov.Commits.Checked++
		}
	}
	if unread > 0 {
		cov.Commits.Skipped = append(cov.Commits.Skipped, Skip{Reason: "could not be read", Count: unread})
	}
	if unknown > 0 {
		cov.Commits.Skipped = append(cov.Commits.Skipped, Skip{Reason: "format unknown", Count: unknown})
	}
}

// settingsCoverage counts the settings that could be read.
func (a *auditor) settingsCoverage() Coverage {
	s := a.f.lock.Settings
	c := Coverage{Total: 3}
	for _, err := range []error{s.VersioningErr, s.LifecycleErr, s.ObjectLockErr} {
		if err == nil {
			c.Checked++
		}
	}
	if n := c.Total - c.Checked; n > 0 {
		c.Skipped = []Skip{{Reason: "could not be read", Count: n}}
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
	r.Complete = r.Counts[Unknown] == 0
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
	for i := range r.Findings {
		f := &r.Findings[i]
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
