package views

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/ui"
)

func (s *auditScreen) view(w, h int, th *ui.Theme) []string {
	switch {
	case s.err != nil && errors.Is(s.err, context.Canceled):
		return indent(th.Paragraph(ui.Dim, s.keys("The audit was cancelled: nothing is known yet. Press {reload} to run it."), w-4), w, h)
	case s.err != nil:
		return indent(s.failure("The audit", s.err, w-4, th), w, h)
	case s.report == nil:
		return s.runningView(w, h, th)
	}
	out := []string{ui.Pad(" "+s.verdict(th), w)}
	if n := s.notice(); n != "" {
		out = append(out, th.Paint(ui.Warn, " "+ui.Fit(n, w-1, ui.Left)))
	}
	h -= len(out)
	if w >= 130 {
		lw := w / 2
		rw := w - lw - 1
		left := s.list.view(lw, h, !s.detail, th)
		right := append([]string{ui.Rule(s.paneTitle(), rw, s.detail, th)}, s.detailView(rw, h-1, th)...)
		return append(out, ui.Beside(ui.Block(left, lw, h), ui.Divider(h, th), ui.Block(right, rw, h))...)
	}
	dh := (h - 1) / 2
	if s.detail {
		dh = max(h-1-6, dh) // who reads needs room
	}
	out = append(out, s.list.view(w, h-1-dh, !s.detail, th)...)
	out = append(out, ui.Rule(s.paneTitle(), w, s.detail, th))
	return append(out, s.detailView(w, dh, th)...)
}

// paneTitle says what tab does, and how much more there is to read.
func (s *auditScreen) paneTitle() string {
	if !s.detail {
		return s.keys("selected ({pane}: read and follow →)")
	}
	if more := s.pane.lines - s.pane.top - s.pane.page; more > 0 {
		return fmt.Sprintf("selected (↓ %s more)", plural(int64(more), "line"))
	}
	return "selected"
}

var stageTitles = map[string]string{
	"logs": "Finding the logs", "entries": "Reading log entries", "commits": "Reading and hashing commit objects",
	"versions": "Listing versions and joining them with the commits", "reading": "Reading a byte of each version",
	"confirming": "Reading again what looks damaged",
}

func (s *auditScreen) runningView(w, h int, th *ui.Theme) []string {
	p := s.progress
	stage := stageTitles[p.Stage]
	if stage == "" {
		stage = "Starting"
	}
	lines := []string{th.Paint(ui.Strong, stage)}
	if bar := ui.Bar(p.Done, p.Total, min(w-10, 50)); bar != "" {
		lines = append(lines, bar)
	}
	if text := s.progressText(); text != "" {
		lines = append(lines, text)
	}
	lines = append(lines, "", fmt.Sprintf("%s so far, %s", plural(int64(p.Findings), "finding"), plural(p.Requests, "request")),
		th.Paint(ui.Dim, s.keys("It only reads. {back} cancels.")))
	return ui.Centre(lines, w, h)
}

// progressText is how much of the stage is done, how fast, and how long the rest takes.
func (s *auditScreen) progressText() string {
	p := s.progress
	var parts []string
	switch {
	case p.Total > 0:
		parts = append(parts, fmt.Sprintf("%s of %s", count(p.Done), count(p.Total)))
	case p.Done > 0:
		parts = append(parts, count(p.Done)+" so far")
	}
	if r := s.pace.Rate(); r >= 1 {
		parts = append(parts, count(int64(r))+" a second")
	}
	if left := s.pace.Left(p); left > 0 {
		parts = append(parts, left.String()+" left")
	}
	return strings.Join(parts, ", ")
}

// verdict in words and counts, one line.
func (s *auditScreen) verdict(th *ui.Theme) string {
	r := s.report
	var counts string
	for _, sev := range audit.Severities {
		if n := r.Counts[sev]; n > 0 {
			counts += "  " + th.Paint(toneOf(sev), fmt.Sprintf("%s %d %s", sev.Mark(), n, sev))
		}
	}
	if n := len(r.Acknowledged); n > 0 {
		counts += "  " + th.Paint(ui.Dim, fmt.Sprintf("%d acknowledged", n))
	}
	none := r.Coverage.Logs.Total == 0
	if none && r.Verdict != audit.Fail {
		mark := "· "
		if r.Verdict == audit.Incomplete {
			mark = "? "
		}
		return th.Paint(ui.Unsure, mark+strings.ToUpper(string(r.Verdict))+": 0 of 0 logs: nothing to check in this scope") + counts
	}
	switch r.Verdict {
	case audit.Pass:
		return th.Paint(ui.Good, "● "+passed(r)) + counts
	case audit.Fail:
		if none {
			counts += "  0 of 0 logs: nothing to check in this scope"
		} else if !r.Complete {
			counts += th.Paint(ui.Unsure, "  not all was checked")
		}
		return th.Paint(ui.Bad, "✗ FAIL") + counts
	case audit.Incomplete:
		return th.Paint(ui.Unsure, "? INCOMPLETE: some could not be checked") + counts
	}
	return th.Say(ui.Unsure, "? "+string(r.Verdict)) + counts
}

// passed says what a pass means: never more than was found.
func passed(r *audit.Report) string {
	switch {
	case !r.Complete:
		return "PASS for what was checked; some was left out by choice."
	case r.Counts[audit.Damage]+r.Counts[audit.Risk]+r.Counts[audit.Anomaly] > 0:
		return "PASS: all was checked, no damage."
	case len(r.Acknowledged) > 0:
		return "PASS: all is sound but what was acknowledged."
	}
	return "PASS: everything in scope was checked and is sound."
}

func (s *auditScreen) detailView(w, h int, th *ui.Theme) []string {
	r := s.list.selected()
	if r == nil {
		return ui.Block(nil, w, h)
	}
	d := s.sheetOf(r, max(w-3, 1), th)
	p := &s.pane
	p.page, p.lines, p.targets = h, len(d.lines), d.targets
	p.clamp()
	if s.detail {
		p.follow()
	}
	at := p.selected()
	var out []string
	for i := p.top; i < min(len(d.lines), p.top+h); i++ {
		if s.detail && at != nil && at.line == i {
			out = append(out, th.Selected(ui.Pad("› "+ui.Plainly(d.lines[i]), w)))
		} else {
			out = append(out, "  "+d.lines[i])
		}
	}
	return marked(ui.Block(out, w, h), p, w, s.detail, th)
}
