package cli

import (
	"fmt"
	"time"

	"provcat-tui/audit"
)

// A pace makes lines of progress: what is read, how much of it, how fast, and how
// long it will take by the stage's own rate. Not for several goroutines at once.
type pace struct{ audit.Pace }

var stageWords = map[string]string{
	"logs": "listing the logs", "entries": "reading log entries", "commits": "reading commits",
	"inventory": "reading the inventory report", "versions": "listing versions", "reading": "reading a byte of each version", "confirming": "looking again at what seems wrong",
}

// line tells how far the audit is at a time.
func (p *pace) line(x audit.Progress, now time.Time) string {
	p.Add(x, now)
	s := stageWords[x.Stage]
	if s == "" {
		s = x.Stage
	}
	s += ": " + number(x.Done)
	if x.Total > 0 {
		s += " of " + number(x.Total)
	}
	if r := p.Rate(); r >= 1 {
		s += fmt.Sprintf(", %.0f/s", r)
	}
	if left := p.Left(x); left > 0 {
		s += ", " + left.String() + " left"
	}
	if x.Findings > 0 {
		s += ", " + count(int64(x.Findings), "finding")
	}
	if x.Requests > 0 {
		s += ", " + count(x.Requests, "request")
	}
	return s
}
