package views

import (
	"fmt"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/ui"
)

// auditRow is a heading, a finding, or the coverage of one kind of thing.
type auditRow struct {
	id      string // of the line, the same after the list is built anew
	depth   int    // of a heading: 0 severity, 1 folder, 2 cause
	title   string // of a heading
	n       int    // findings below it
	by      string // of the heading of acknowledged findings: the file of their rules
	folded  bool
	tone    ui.Tone
	means   string // of a heading: what it stands for
	finding *audit.Finding
	ack     *audit.Acknowledged // the finding is acknowledged
	label   string              // of a finding, beside its mark

	kind     string
	coverage *audit.Coverage
}

func (r *auditRow) heading() bool { return r.finding == nil && r.coverage == nil }

// searched is what the filter looks at. A heading is not found: the filter's list
// is flat.
func (r *auditRow) searched() string {
	if r.finding == nil {
		return r.kind
	}
	f := r.finding
	parts := []string{f.ID, string(f.Severity), f.Title, f.Key, f.Commit}
	if f.Folder != nil {
		parts = append(parts, *f.Folder)
	}
	if r.ack != nil {
		parts = append(parts, "acknowledged", r.ack.Reason)
	}
	return strings.Join(parts, " ")
}

func toneOf(s audit.Severity) ui.Tone {
	switch s {
	case audit.Damage:
		return ui.Bad
	case audit.Risk, audit.Anomaly:
		return ui.Warn
	case audit.Unknown:
		return ui.Unsure
	}
	return ui.Dim
}

var severityMeans = map[audit.Severity]string{
	audit.Damage:  "What a commit promises cannot be read now, or history was changed.",
	audit.Risk:    "Sound now, but a rule or a setting will break it.",
	audit.Anomaly: "A state that the writer never makes. A harmless cause is possible.",
	audit.Unknown: "Could not be checked: neither sound nor damaged.",
	audit.Info:    "Worth knowing, nothing to do.",
}

func drawAudit(r *auditRow, out *ui.Row) {
	indent := strings.Repeat("  ", max(r.depth-1, 0))
	switch {
	case r.finding != nil && r.ack != nil:
		out.Add(ui.Dim, r.finding.Severity.Mark())
		out.Add(ui.Dim, indent+r.label)
		out.Add(ui.Dim, ackShort(r.ack)+": "+r.finding.Title)
	case r.finding != nil:
		out.Add(toneOf(r.finding.Severity), r.finding.Severity.Mark())
		out.Add(ui.Plain, indent+r.label)
		out.Add(ui.Plain, r.finding.Title)
	case r.coverage != nil:
		mark, tone := "●", ui.Good
		if r.coverage.Total == 0 {
			mark, tone = "·", ui.Dim
		}
		if r.coverage.Checked < r.coverage.Total || len(r.coverage.Skipped) > 0 {
			mark, tone = "?", ui.Unsure
			if chosenOnly(r.coverage) {
				mark, tone = "·", ui.Dim
			}
		}
		out.Add(tone, mark)
		out.Add(ui.Plain, "  "+r.kind)
		out.Add(ui.Plain, covered(r.coverage))
	default:
		arrow := "▾"
		if r.folded {
			arrow = "▸"
		}
		title := r.title
		if r.n > 0 {
			title += fmt.Sprintf(" (%s)", count(int64(r.n)))
		}
		if r.by != "" {
			title += " by " + r.by
		}
		if r.depth == 0 {
			out.Add(r.tone, arrow)
			out.Add(r.tone, title)
		} else {
			out.Add(r.tone, "")
			out.Add(r.tone, indent+arrow+" "+title)
		}
		out.Wide = true
	}
}

// ackShort says why and until when in a few words.
func ackShort(a *audit.Acknowledged) string {
	reason := a.Reason
	if len([]rune(reason)) > 40 {
		reason = string([]rune(reason)[:39]) + "…"
	}
	if a.Expires == nil {
		return reason
	}
	return fmt.Sprintf("%s (until %s)", reason, lastDay(*a.Expires))
}

// lastDay is the last day, in UTC, before the time at which something ends.
func lastDay(end time.Time) string { return end.UTC().Add(-time.Second).Format(time.DateOnly) }

// chosenOnly says that all that was skipped was left out by choice.
func chosenOnly(c *audit.Coverage) bool {
	for _, s := range c.Skipped {
		if !s.Chosen {
			return false
		}
	}
	return len(c.Skipped) > 0
}

func covered(c *audit.Coverage) string {
	return fmt.Sprintf("%s of %s checked", count(c.Checked), count(c.Total))
}

// auditRows groups findings by severity, worst first, then by folder and, where it
// has several findings, by cause; acknowledged ones, by the rules of a file, and the
// coverage come last.
func auditRows(r *audit.Report, ignoreFile string) []auditRow {
	var out []auditRow
	for _, sev := range audit.Severities {
		var group []auditRow
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Severity == sev {
				group = append(group, auditRow{finding: f})
			}
		}
		if len(group) > 0 {
			id := string(sev)
			out = append(out, auditRow{id: id, title: sev.Mark() + " " + sev.Title(), n: len(group), tone: toneOf(sev), means: severityMeans[sev]})
			out = append(out, byFolder(id, group, ui.Plain)...)
		}
	}
	if n := len(r.Acknowledged); n > 0 {
		var group []auditRow
		for i := range r.Acknowledged {
			a := &r.Acknowledged[i]
			group = append(group, auditRow{finding: &a.Finding, ack: a})
		}
		out = append(out, auditRow{id: "acknowledged", title: "Acknowledged", n: n, by: ignoreFile, tone: ui.Dim,
			means: "Somebody knows of these: they don't count for the verdict until the day on which their rule ends. What could not be checked leaves the audit incomplete all the same."})
		out = append(out, byFolder("acknowledged", group, ui.Dim)...)
	}
	out = append(out, auditRow{id: "coverage", title: "Coverage", tone: ui.Strong, means: "What was checked of what is in scope. What could not be checked is never counted as sound."})
	c := &r.Coverage
	for _, x := range []struct {
		kind string
		c    *audit.Coverage
	}{{"logs", &c.Logs}, {"log entries", &c.Entries}, {"commit objects", &c.Commits}, {"versions", &c.Versions}, {"settings", &c.Settings}} {
		out = append(out, auditRow{id: "coverage\x00" + x.kind, depth: 3, kind: x.kind, coverage: x.c})
	}
	return out
}

// byFolder groups findings of one severity.
func byFolder(id string, rows []auditRow, tone ui.Tone) []auditRow {
	var out []auditRow
	for _, g := range grouped(rows, func(r *auditRow) string { return folderOf(r.finding) }) {
		fid := id + "\x00" + g.name
		out = append(out, auditRow{id: fid, depth: 1, title: g.name, n: len(g.rows), tone: tone, means: causes(g.rows)})
		for _, c := range grouped(g.rows, func(r *auditRow) string { return r.finding.ID }) {
			depth := 2
			if len(c.rows) > 1 {
				means := ""
				if e, ok := audit.Explain(c.name); ok {
					means = e.Means
				}
				out = append(out, auditRow{id: fid + "\x00" + c.name, depth: 2, title: c.name, n: len(c.rows), tone: tone, means: means})
				depth = 3
			}
			for i, r := range c.rows {
				r.depth, r.label = depth, c.name
				if depth == 3 {
					r.label = within(r.finding)
				}
				r.id = fmt.Sprintf("%s\x00%s\x00%s%d", fid, c.name, r.finding.Fingerprint, i)
				out = append(out, r)
			}
		}
	}
	return out
}

// folderOf names the folder of a finding as a heading does.
func folderOf(f *audit.Finding) string {
	if f.Folder == nil {
		return "(no folder)"
	}
	return folderName(*f.Folder)
}

// within tells one finding from others of the same folder and cause.
func within(f *audit.Finding) string {
	switch {
	case f.Number > 0:
		return fmt.Sprintf("#%d", f.Number)
	case f.Key != "":
		return f.Key[strings.LastIndexByte(strings.TrimSuffix(f.Key, "/"), '/')+1:]
	case f.Commit != "":
		return f.Commit
	}
	return f.ID
}

// causes counts findings by their id.
func causes(rows []auditRow) string {
	var parts []string
	for _, c := range grouped(rows, func(r *auditRow) string { return r.finding.ID }) {
		parts = append(parts, fmt.Sprintf("%d × %s", len(c.rows), c.name))
	}
	return strings.Join(parts, ", ")
}

type rowGroup struct {
	name string
	rows []auditRow
}

// grouped keeps the order in which names come first.
func grouped(rows []auditRow, name func(*auditRow) string) []*rowGroup {
	var out []*rowGroup
	at := map[string]*rowGroup{}
	for i := range rows {
		n := name(&rows[i])
		if at[n] == nil {
			at[n] = &rowGroup{name: n}
			out = append(out, at[n])
		}
		at[n].rows = append(at[n].rows, rows[i])
	}
	return out
}

// rebuild fills the list from the report: without what is folded away, but while a
// filter is on with everything. The cursor stays on its line.
func (s *auditScreen) rebuild() action { return s.rebuildAt(s.selectedID()) }

// selectedID names the line under the cursor; empty: there is none.
func (s *auditScreen) selectedID() string {
	if r := s.list.selected(); r != nil {
		return r.id
	}
	return ""
}

// rebuildAt is rebuild with the cursor on a line.
func (s *auditScreen) rebuildAt(was string) action {
	if s.report == nil {
		return nil
	}
	all := auditRows(s.report, s.IgnoreFile)
	rows := all[:0]
	hidden := 4 // headings below this depth, and what is under them, are hidden
	for _, r := range all {
		if r.heading() {
			if r.depth <= hidden {
				hidden = 4
			}
			r.folded = s.folded[r.id]
		}
		if r.depth > hidden && !s.list.filter.Active() {
			continue
		}
		if r.heading() && r.folded {
			hidden = min(hidden, r.depth)
		}
		rows = append(rows, r)
	}
	s.list.items = rows
	s.list.restart()
	act := s.list.search()
	for i := range s.list.Len() {
		if id := s.list.at(i).id; id == was {
			s.list.table.Cursor = i
		}
	}
	s.list.table.Clamp(s.list.Len())
	return act
}

// toggle folds or unfolds a heading.
func (s *auditScreen) toggle(id string) action {
	s.folded[id] = !s.folded[id]
	return s.rebuild()
}

// fold closes the heading under the cursor, or goes to the one above.
func (s *auditScreen) fold() action {
	r := s.list.selected()
	if r == nil {
		return nil
	}
	if r.heading() && !r.folded {
		return s.toggle(r.id)
	}
	for i := s.list.table.Cursor - 1; i >= 0; i-- {
		if x := s.list.at(i); x.heading() && x.depth < r.depth {
			s.list.table.Cursor, s.pane = i, detailPane{at: -1}
			break
		}
	}
	return nil
}

// unfold opens the heading under the cursor, or goes to its first line.
func (s *auditScreen) unfold() action {
	r := s.list.selected()
	switch {
	case r == nil || !r.heading():
		return nil
	case r.folded:
		return s.toggle(r.id)
	}
	s.list.move("down")
	s.pane = detailPane{at: -1}
	return nil
}
