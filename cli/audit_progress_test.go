package cli

import (
	"testing"
	"time"

	"provcat-tui/audit"
)

func TestAuditProgressLines(t *testing.T) {
	var p pace
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after time.Duration
		x     audit.Progress
		want  string
	}{
		{0, audit.Progress{Stage: "commits", Done: 0, Total: 1000}, "reading commits: 0 of 1,000"},
		{time.Second, audit.Progress{Stage: "commits", Done: 100, Total: 1000, Requests: 7}, "reading commits: 100 of 1,000, 100/s, 9s left, 7 requests"},
		// 0.7 × 100 + 0.3 × 200 = 130 a second; 700 are left.
		{time.Second, audit.Progress{Stage: "commits", Done: 300, Total: 1000, Findings: 1}, "reading commits: 300 of 1,000, 130/s, 5s left, 1 finding"},
		{time.Second, audit.Progress{Stage: "versions", Done: 5}, "listing versions: 5"},
	} {
		at = at.Add(c.after)
		if got := p.line(c.x, at); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
