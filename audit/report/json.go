package report

import (
	"io"
	"slices"
	"time"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// JSON writes a report as one document, by docs/audit-report.schema.json. It
// expects a report as audit.Run makes it: with no nil array, and in UTC.
func JSON(w io.Writer, r *audit.Report) error {
	out, err := safe.JSON(timely(r))
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// timely is r without the times from the bucket that RFC 3339 cannot say: its
// years have four digits, and 9999-12-31T23:59:59-01:00 is in year 10000 by UTC.
// One such time must not spoil the document.
func timely(r *audit.Report) *audit.Report {
	c := *r
	c.Findings = slices.Clone(r.Findings)
	for i := range c.Findings {
		c.Findings[i] = timelyFinding(c.Findings[i])
	}
	c.Acknowledged = slices.Clone(r.Acknowledged)
	for i := range c.Acknowledged {
		a := &c.Acknowledged[i]
		a.Finding = timelyFinding(a.Finding)
		a.Expires = sayable(a.Expires)
	}
	return &c
}

func timelyFinding(f audit.Finding) audit.Finding {
	f.Due = sayable(f.Due)
	f.Evidence = sayables(f.Evidence)
	f.Affected.Examples = sayables(f.Affected.Examples)
	// The one list that can be long is copied only where it must be.
	if slices.ContainsFunc(f.Affected.Commits, func(c audit.CommitRef) bool { return sayable(c.Due) != c.Due }) {
		f.Affected.Commits = slices.Clone(f.Affected.Commits)
		for i := range f.Affected.Commits {
			c := &f.Affected.Commits[i]
			c.Due = sayable(c.Due)
		}
	}
	return f
}

func sayables(list []audit.Evidence) []audit.Evidence {
	list = slices.Clone(list)
	for i := range list {
		list[i].Modified = sayable(list[i].Modified)
	}
	return list
}

func sayable(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	if _, err := t.MarshalJSON(); err != nil {
		return nil // unknown
	}
	return t
}
