package cli

import (
	"fmt"
	"time"

	"provcat-tui/audit"
)

// A pace makes lines of progress: what is read, how much of it, how fast, and how
// long it will take by the stage's own rate. Not for several goroutines at once.
type pace struct {
	stage string
	at    time.Time // of the last measure
	done  int64     // then
	rate  float64   // a second, smoothed; 0: not known yet
}

var stageWords = map[string]string{
	"logs": "listing the logs", "entries": "reading log entries", "commits": "reading commits",
	"versions": "listing versions", "reading": "reading a byte of each version", "confirming": "looking again at what seems wrong",
}

// line tells how far the audit is at a time.
func (p *pace) line(x audit.Progress, now time.Time) string {
	if x.Stage != p.stage || x.Done < p.done {
		*p = pace{stage: x.Stage, at: now, done: x.Done}
	} else if s := now.Sub(p.at).Seconds(); s >= 0.5 {
		rate := float64(x.Done-p.done) / s
		if p.rate > 0 {
			rate = 0.7*p.rate + 0.3*rate
		}
		p.at, p.done, p.rate = now, x.Done, rate
	}
	s := stageWords[x.Stage]
	if s == "" {
		s = x.Stage
	}
	s += ": " + number(x.Done)
	if x.Total > 0 {
		s += " of " + number(x.Total)
	}
	if p.rate >= 1 {
		s += fmt.Sprintf(", %.0f/s", p.rate)
	}
	if p.rate > 0 && x.Total > x.Done {
		left := float64(x.Total-x.Done) / p.rate
		if left < 100*3600 { // beyond that it is no estimate
			s += ", " + time.Duration(left*float64(time.Second)).Round(time.Second).String() + " left"
		}
	}
	if x.Findings > 0 {
		s += ", " + count(int64(x.Findings), "finding")
	}
	if x.Requests > 0 {
		s += ", " + count(x.Requests, "request")
	}
	return s
}
