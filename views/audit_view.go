package views

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

func (s *auditScreen) view(w, h int, th *ui.Theme) []string {
	switch {
	case s.err != nil && errors.Is(s.err, context.Canceled):
		return indent(th.Paragraph(ui.Dim, "The audit was cancelled: nothing is known yet. Press r to run it.", w-4), w, h)
	case s.err != nil:
		return indent(failure("The audit", s.err, w-4, th), w, h)
	case s.report == nil:
		return s.runningView(w, h, th)
	}
	out := []string{" " + s.verdict(th)}
	if w >= 130 {
		lw := w / 2
		rw := w - lw - 1
		left := s.list.view(lw, h-1, !s.detail, th)
		right := append([]string{ui.Rule("selected", rw, s.detail, th)}, s.detailView(rw, h-2, th)...)
		return append([]string{ui.Pad(out[0], w)}, ui.Beside(ui.Block(left, lw, h-1), ui.Divider(h-1, th), ui.Block(right, rw, h-1))...)
	}
	dh := (h - 2) / 2
	out = append(out, s.list.view(w, h-2-dh, !s.detail, th)...)
	out = append(out, ui.Rule("selected (tab scrolls)", w, s.detail, th))
	return append(out, s.detailView(w, dh, th)...)
}

func (s *auditScreen) runningView(w, h int, th *ui.Theme) []string {
	p := s.progress
	stage := map[string]string{
		"logs": "Finding the logs", "entries": "Reading log entries", "commits": "Reading and hashing commit objects",
		"versions": "Listing versions and joining them with the commits", "confirming": "Reading again what looks damaged",
	}[p.Stage]
	if stage == "" {
		stage = "Starting"
	}
	lines := []string{th.Paint(ui.Strong, stage)}
	bw := min(w-10, 50)
	if bar := ui.Bar(p.Done, p.Total, bw); bar != "" {
		lines = append(lines, bar, fmt.Sprintf("%s of %s", count(p.Done), count(p.Total)))
	} else if p.Done > 0 {
		lines = append(lines, count(p.Done))
	}
	lines = append(lines, "", fmt.Sprintf("%s so far", plural(int64(p.Findings), "finding")), th.Paint(ui.Dim, "It only reads. esc cancels."))
	return ui.Centre(lines, w, h)
}

// verdict in words and counts, one line.
func (s *auditScreen) verdict(th *ui.Theme) string {
	r := s.report
	var parts []string
	for _, sev := range audit.Severities {
		if n := r.Counts[sev]; n > 0 {
			parts = append(parts, th.Paint(toneOf(sev), fmt.Sprintf("%s %d %s", sev.Mark(), n, sev)))
		}
	}
	counts := strings.Join(parts, "  ")
	if counts != "" {
		counts = "  " + counts
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
		text := "PASS: everything in scope was checked and is sound."
		if !r.Complete {
			text = "PASS for what was checked; some was left out by choice."
		}
		return th.Paint(ui.Good, "● "+text) + counts
	case audit.Fail:
		if none {
			counts += "  0 of 0 logs: nothing to check in this scope"
		}
		return th.Paint(ui.Bad, "✗ FAIL") + counts
	case audit.Incomplete:
		return th.Paint(ui.Unsure, "? INCOMPLETE: some could not be checked") + counts
	}
	return th.Say(ui.Unsure, "? "+string(r.Verdict)) + counts
}

func (s *auditScreen) detailView(w, h int, th *ui.Theme) []string {
	r := s.list.selected()
	if r == nil {
		return ui.Block(nil, w, h)
	}
	var lines []string
	switch {
	case r.finding != nil:
		lines = findingLines(r.finding, w-2, th)
	case r.coverage != nil:
		lines = append(lines, th.Paint(ui.Strong, r.kind+": "+covered(r.coverage)))
		if r.coverage.Total == 0 {
			lines = append(lines, th.Paragraph(ui.Dim, "There was nothing of this kind in scope.", w-2)...)
		}
		for _, k := range r.coverage.Skipped {
			lines = append(lines, th.Paragraph(ui.Unsure, fmt.Sprintf("? %s not checked: %s", count(k.Count), k.Reason), w-2)...)
		}
	}
	s.lines = len(lines)
	s.top = max(min(s.top, len(lines)-1), 0)
	var out []string
	for _, l := range lines[min(s.top, len(lines)):] {
		out = append(out, " "+l)
	}
	return ui.Block(out, w, h)
}

// most is how many pieces of evidence and commits the screen lists; the JSON
// report has all.
const most = 50

// findingLines tell all about a finding: what it means, the repair, the evidence.
func findingLines(f *audit.Finding, w int, th *ui.Theme) []string {
	tone := toneOf(f.Severity)
	out := th.Paragraph(tone, fmt.Sprintf("%s %s: %s (%s)", f.Severity.Mark(), f.Severity.Title(), f.ID, f.Confidence), w)
	out = append(out, th.Paragraph(ui.Strong, f.Title, w)...)
	var about []string
	if f.Folder != nil {
		about = append(about, "folder "+folderName(*f.Folder))
	}
	if f.Number > 0 {
		about = append(about, fmt.Sprintf("#%d", f.Number))
	}
	if f.Commit != "" {
		about = append(about, "commit "+commit.ShortID(f.Commit))
	}
	if len(about) > 0 {
		out = append(out, th.Paragraph(ui.Dim, strings.Join(about, ", "), w)...)
	}
	out = append(out, "")
	if f.Detail != "" {
		out = append(out, ui.Wrap(f.Detail, w)...)
	}
	if f.Due != nil {
		out = append(out, th.Paragraph(ui.Warn, "Due: "+exact(*f.Due), w)...)
	}
	if f.Repair != nil {
		out = append(out, "", th.Paint(ui.Strong, "Repair"))
		if f.Repair.Text != "" {
			out = append(out, ui.Wrap(f.Repair.Text, w)...)
		}
		if f.Repair.Command != "" {
			out = append(out, th.Paragraph(ui.Accent, f.Repair.Command, w)...)
		}
	}
	if f.Affected.Versions > 0 || len(f.Affected.Commits) > 0 {
		out = append(out, "")
		text := "Affects " + plural(int64(len(f.Affected.Commits)), "commit") + "."
		if f.Affected.Versions > 0 {
			text = fmt.Sprintf("Affects %s of %s.", plural(f.Affected.Versions, "version"), plural(int64(len(f.Affected.Commits)), "commit"))
		}
		out = append(out, th.Paragraph(ui.Plain, text, w)...)
		var names []string
		for _, c := range f.Affected.Commits[:min(len(f.Affected.Commits), most)] {
			names = append(names, fmt.Sprintf("#%d of %s", c.Number, folderName(c.Folder)))
		}
		if len(names) > 0 {
			out = append(out, th.Paragraph(ui.Dim, strings.Join(names, ", "), w)...)
		}
	}
	out = append(out, evidenceLines("Evidence", f.Evidence, w, th)...)
	out = append(out, evidenceLines("Examples", f.Affected.Examples, w, th)...)
	return out
}

func evidenceLines(title string, es []audit.Evidence, w int, th *ui.Theme) []string {
	if len(es) == 0 {
		return nil
	}
	out := []string{"", th.Paint(ui.Strong, title)}
	for _, e := range es[:min(len(es), most)] {
		text := ""
		if e.Version != "" {
			text += ", version " + e.Version
		}
		switch {
		case e.DeleteMarker:
			text += ", delete marker"
		case e.ETag != "":
			text += fmt.Sprintf(", %s, ETag %s", size(e.Size), e.ETag)
		}
		if e.Latest {
			text += ", the newest of its key"
		}
		if e.Modified != nil {
			text += ", " + exact(*e.Modified)
		}
		if e.Note != "" {
			text += " (" + e.Note + ")"
		}
		mark := "- "
		for _, l := range ui.WrapPath(e.Key, w-2) {
			out, mark = append(out, mark+l), "  "
		}
		if text = strings.TrimPrefix(text, ", "); text != "" {
			for _, l := range ui.Wrap(text, w-2) {
				out = append(out, "  "+l)
			}
		}
	}
	if len(es) > most {
		out = append(out, fmt.Sprintf("and %s more; the JSON report has all", count(int64(len(es)-most))))
	}
	return out
}
