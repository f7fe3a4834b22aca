package views

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// auditRow is a heading, a finding, or the coverage of one kind of thing.
type auditRow struct {
	heading  string
	tone     ui.Tone
	finding  *audit.Finding
	kind     string
	coverage *audit.Coverage
}

// auditScreen runs an audit and shows what it found.
type auditScreen struct {
	place
	folder   string
	list     list[auditRow]
	progress audit.Progress
	report   *audit.Report
	err      error
	detail   bool // the detail has the keys
	top      int  // first line of the detail that is shown
	lines    int
}

func newAudit(p place, folder string) *auditScreen {
	s := &auditScreen{place: p, folder: folder}
	s.list.text = func(r *auditRow) string {
		if r.finding == nil {
			return r.kind
		}
		f := r.finding
		return strings.Join([]string{f.ID, string(f.Severity), f.Title, f.Key, f.Commit}, " ")
	}
	s.list.row = drawAudit
	s.list.table.Columns = []ui.Column{
		{Title: "", Min: 1},
		{Title: "finding", Min: 20, Weight: 1, Max: 26},
		{Title: "what", Min: 20, Weight: 4},
	}
	return s
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

func drawAudit(r *auditRow, out *ui.Row) {
	switch {
	case r.finding != nil:
		out.Add(toneOf(r.finding.Severity), r.finding.Severity.Mark())
		out.Add(ui.Plain, r.finding.ID)
		out.Add(ui.Plain, r.finding.Title)
	case r.coverage != nil:
		mark, tone := "●", ui.Good
		if r.coverage.Total == 0 {
			mark, tone = "·", ui.Dim
		}
		if r.coverage.Checked < r.coverage.Total || len(r.coverage.Skipped) > 0 {
			mark, tone = "?", ui.Unsure
		}
		out.Add(tone, mark)
		out.Add(ui.Plain, r.kind)
		out.Add(ui.Plain, covered(r.coverage))
	default:
		out.Add(r.tone, "")
		out.Add(r.tone, r.heading)
	}
}

func covered(c *audit.Coverage) string {
	return fmt.Sprintf("%s of %s checked", count(c.Checked), count(c.Total))
}

func (s *auditScreen) kind() string  { return onAudit }
func (s *auditScreen) crumb() string { return "Audit of " + folderName(s.folder) }

func (s *auditScreen) start() action {
	s.list.reset()
	s.report, s.err, s.progress, s.top = nil, nil, audit.Progress{}, 0
	var report *audit.Report
	return begin{load("audit", "Auditing "+folderName(s.folder), func(ctx context.Context, add func(audit.Progress)) (err error) {
		report, err = audit.Run(ctx, s.b, audit.Options{
			Folder: s.folder, Concurrency: s.Concurrency, Now: s.Now, Version: s.Version, Progress: add,
		})
		return err
	}, func(p []audit.Progress) action {
		s.progress = p[len(p)-1]
		return nil
	}, func(err error) action {
		s.err = err
		if err != nil || report == nil {
			return nil
		}
		s.report = report
		act := s.list.add(auditRows(report))
		s.list.move("top")
		s.skipHeading(1)
		return act
	})}
}

// auditRows groups findings by severity, worst first; the coverage comes last.
func auditRows(r *audit.Report) []auditRow {
	var out []auditRow
	for _, sev := range audit.Severities {
		var group []auditRow
		for i := range r.Findings {
			if r.Findings[i].Severity == sev {
				group = append(group, auditRow{finding: &r.Findings[i]})
			}
		}
		if len(group) > 0 {
			out = append(out, auditRow{heading: fmt.Sprintf("%s (%d)", sev.Title(), len(group)), tone: ui.Strong})
			out = append(out, group...)
		}
	}
	out = append(out, auditRow{heading: "Coverage", tone: ui.Strong})
	c := &r.Coverage
	for _, x := range []struct {
		kind string
		c    *audit.Coverage
	}{{"logs", &c.Logs}, {"log entries", &c.Entries}, {"commit objects", &c.Commits}, {"versions", &c.Versions}, {"settings", &c.Settings}} {
		out = append(out, auditRow{kind: x.kind, coverage: x.c})
	}
	return out
}

// skipHeading moves the cursor off a heading, in a direction.
func (s *auditScreen) skipHeading(step int) {
	n := s.list.Len()
	for at := s.list.table.Cursor; at >= 0 && at < n; at += step {
		if s.list.at(at).heading == "" {
			s.list.table.Cursor = at
			return
		}
	}
	for at := range n {
		if s.list.at(at).heading == "" {
			s.list.table.Cursor = at
			return
		}
	}
}

// target is the screen of what a finding is about; nil: there is none.
func (s *auditScreen) target() screen {
	r := s.list.selected()
	if r == nil || r.finding == nil {
		return nil
	}
	f := r.finding
	folder := s.folder
	if f.Folder != nil {
		folder = *f.Folder
	}
	hash, number, isSlot := commit.ParseSlotKey(f.Key)
	switch {
	case strings.HasPrefix(f.ID, "log-") && (f.Folder != nil || isSlot):
		if f.Folder != nil {
			hash = commit.FolderHash(folder)
		}
		l := newLogByHash(s.place, folder, hash, f.Folder != nil)
		if l.goTo = f.Number; l.goTo == 0 {
			l.goTo = number
		}
		return l
	case f.Key != "" && slices.Contains([]string{"commit-deleted", "commit-missing", "commit-corrupt", "commit-rewritten"}, f.ID):
		return newObject(s.place, f.Key, f.Version)
	case strings.HasPrefix(f.ID, "commit-") && f.Commit != "":
		number := f.Number
		if f.ID == "commit-unfinished" || f.ID == "commit-lost-race" || f.ID == "commit-stray" {
			number = 0 // no entry has it; the commit's screen looks whether that is so
		}
		return newCommit(s.place, folder, f.Commit, number)
	case f.Key != "":
		return newObject(s.place, f.Key, f.Version)
	case len(f.Affected.Examples) > 0 && f.Affected.Examples[0].Key != "":
		return newObject(s.place, f.Affected.Examples[0].Key, f.Affected.Examples[0].Version)
	case len(f.Affected.Commits) > 0:
		c := f.Affected.Commits[0]
		return newCommit(s.place, c.Folder, c.ID, c.Number)
	}
	return nil
}

func (s *auditScreen) enabled(id string) (bool, string) {
	if id == "open" && s.target() == nil {
		return false, "this line is about nothing that can be opened"
	}
	return true, ""
}

func (s *auditScreen) key(id string) action {
	switch id {
	case "pane":
		s.detail = !s.detail
		return nil
	case "open":
		if t := s.target(); t != nil {
			return push{t}
		}
		return nil
	case "filter":
		s.detail = false
		s.list.filter.Begin()
		return nil
	}
	if s.detail {
		s.scroll(id)
		return nil
	}
	if s.list.move(id) {
		s.top = 0
		if id == "up" || id == "pageup" || id == "bottom" {
			s.skipHeading(-1)
		} else {
			s.skipHeading(1)
		}
	}
	return nil
}

func (s *auditScreen) scroll(id string) {
	switch id {
	case "up":
		s.top--
	case "down":
		s.top++
	case "pageup":
		s.top -= 8
	case "pagedown":
		s.top += 8
	case "top":
		s.top = 0
	case "bottom":
		s.top = s.lines
	}
	s.top = max(min(s.top, s.lines-1), 0)
}

func (s *auditScreen) typing() bool { return s.list.typing() }
func (s *auditScreen) input(m tea.Msg) action {
	s.top = 0
	return s.list.input(m)
}

func (s *auditScreen) escape() (bool, action) {
	if s.list.clear() {
		return true, nil
	}
	if s.detail {
		s.detail = false
		return true, nil
	}
	return false, nil
}

func (s *auditScreen) status() string {
	if s.report == nil {
		return ""
	}
	q := s.report.Requests
	return fmt.Sprintf("%s; %s, %s, about $%.4f", plural(int64(len(s.report.Findings)), "finding"),
		plural(q.List, "list request"), plural(q.Get+q.Head, "read request"), q.CostUSD)
}
