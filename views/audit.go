package views

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/audit"
	"provcat-tui/ui"
)

// auditScreen runs an audit and shows what it found. Its files: audit_rows.go the
// list, audit_detail.go what stands beside it, audit_target.go where that leads,
// audit_ack.go and audit_export.go the forms.
type auditScreen struct {
	place
	folder   string
	list     list[auditRow]
	folded   map[string]bool // headings by their id
	progress audit.Progress
	pace     audit.Pace
	report   *audit.Report
	err      error
	// ignoreErr is why the file of acknowledgements could not be used.
	ignoreErr error
	// known are the rules of that file, as they were read last; nil: none.
	known *audit.IgnoreList

	// kept is a report of earlier in this session, to be shown instead of a new audit.
	kept *keptAudit

	detail bool // the detail has the keys
	pane   detailPane
}

func newAudit(p place, folder string) *auditScreen {
	s := &auditScreen{place: p, folder: folder, folded: map[string]bool{}}
	s.list.text = func(r *auditRow) string { return r.searched() }
	s.list.row = drawAudit
	s.list.table.Show = p.Columns[onAudit]
	s.list.table.Columns = []ui.Column{
		{Title: "", Min: 1},
		{Title: "finding", Min: 22, Weight: 1, Max: 30},
		{Title: "what", Min: 20, Weight: 4},
	}
	return s
}

// newAuditAgain shows a report of earlier in this session; r audits anew.
func newAuditAgain(p place, folder string, kept *keptAudit) *auditScreen {
	s := newAudit(p, folder)
	s.kept = kept
	return s
}

func (s *auditScreen) kind() string  { return onAudit }
func (s *auditScreen) crumb() string { return "Audit of " + folderName(s.folder) }

func (s *auditScreen) start() action {
	s.list.reset()
	s.report, s.err, s.ignoreErr, s.known, s.progress, s.pace, s.pane = nil, nil, nil, nil, audit.Progress{}, audit.Pace{}, detailPane{at: -1}
	s.detail = false
	if kept := s.kept; kept != nil {
		s.kept = nil
		return s.showAgain(kept)
	}
	var report *audit.Report
	var known *audit.IgnoreList
	var ignoreErr error
	return begin{load("audit", "Auditing "+folderName(s.folder), func(ctx context.Context, add func(audit.Progress)) (err error) {
		known, ignoreErr = s.acknowledgements()
		report, err = audit.Run(ctx, s.b, audit.Options{
			Folder: s.folder, Concurrency: s.parallel(), Now: s.Now, Version: s.Version, Ignore: known, Prices: s.Prices, Progress: add,
		})
		return err
	}, func(p []audit.Progress) action {
		s.progress = p[len(p)-1]
		s.pace.Add(s.progress, time.Now())
		return nil
	}, func(err error) action {
		s.err = err
		if err != nil || report == nil {
			return nil
		}
		s.ignoreErr, s.known = ignoreErr, known
		s.facts().keepAudit(s.folder, report, s.Now())
		return s.show(report)
	})}
}

// showAgain shows a kept report. The acknowledgements are read anew aside: the file
// may have changed.
func (s *auditScreen) showAgain(kept *keptAudit) action {
	var known *audit.IgnoreList
	var ignoreErr error
	return all{s.show(kept.report), begin{load("acknowledgements", "Reading the acknowledgements", func(context.Context, func(struct{})) error {
		known, ignoreErr = s.acknowledgements()
		return nil
	}, nil, func(error) action {
		s.ignoreErr, s.known = ignoreErr, known
		return nil
	})}, note{ui.Dim, "As it was audited at " + kept.at.UTC().Format("15:04") + s.keys(" UTC; {reload} audits anew.")}}
}

// acknowledgements reads the file of them. None yet is none.
func (s *auditScreen) acknowledgements() (*audit.IgnoreList, error) {
	if s.IgnoreFile == "" {
		return nil, nil
	}
	list, err := audit.LoadIgnore(s.IgnoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// show puts a report on the screen, with the cursor on the worst finding.
func (s *auditScreen) show(r *audit.Report) action {
	s.report = r
	act := s.rebuild()
	s.list.table.Cursor = 0
	for i := range s.list.Len() {
		if s.list.at(i).finding != nil {
			s.list.table.Cursor = i
			break
		}
	}
	s.pane = detailPane{at: -1}
	return act
}

// selectedFinding is the one under the cursor; nil: there is none.
func (s *auditScreen) selectedFinding() *auditRow {
	if r := s.list.selected(); r != nil && r.finding != nil {
		return r
	}
	return nil
}

func (s *auditScreen) enabled(id string) (bool, string) {
	r := s.list.selected()
	if r == nil {
		switch id {
		case "walk", "follow", "leave", "takeback":
			return false, "" // the press means something else, which tells why
		case "open", "fold", "unfold", "pane", "copy", "acknowledge", "filter":
			return false, "there is nothing to select yet"
		case "export":
			return s.canExport()
		}
		return true, ""
	}
	switch id {
	case "open":
		if s.detail {
			return s.canFollow()
		}
		if r.heading() || s.opens() != nil {
			return true, ""
		}
		return false, "this line is about nothing that can be opened"
	case "walk":
		if !s.detail {
			return false, s.keys("{pane} goes to the detail")
		}
		return len(s.pane.targets) > 0, "this detail names nothing to go to"
	case "follow":
		if !s.detail {
			return false, ""
		}
		return s.canFollow()
	case "leave":
		return s.detail, ""
	case "fold", "unfold":
		if s.detail {
			return false, "" // the arrows follow and leave
		}
		if s.list.filter.Active() {
			return false, "while a filter is on there are no groups"
		}
		if id == "unfold" && !r.heading() {
			return false, "this line has nothing below it"
		}
	case "copy":
		return canCopy(r)
	case "acknowledge":
		if r.ack != nil {
			return false, "" // it is the same press as takeback
		}
		return s.canAcknowledge(r)
	case "takeback":
		if r.ack == nil {
			return false, ""
		}
		return s.canTakeBack(r.ack)
	case "export":
		return s.canExport()
	}
	return true, ""
}

func (s *auditScreen) key(id string) action {
	switch id {
	case "pane":
		if s.detail = !s.detail; s.detail {
			s.pane.enter()
		}
		return nil
	case "leave":
		s.detail = false
		return nil
	case "open", "follow":
		return s.open()
	case "fold":
		return s.fold()
	case "unfold":
		return s.unfold()
	case "copy":
		return copyCommand(s.list.selected())
	case "acknowledge":
		return s.askAcknowledge()
	case "takeback":
		return s.askTakeBack()
	case "export":
		return s.askExport()
	case "filter":
		s.detail = false
		s.list.filter.Begin()
		return s.rebuild()
	}
	if s.detail {
		s.pane.walk(id)
		return nil
	}
	if s.list.move(id) {
		s.pane = detailPane{at: -1}
	}
	return nil
}

// open goes to what is selected; a heading opens and closes.
func (s *auditScreen) open() action {
	r := s.list.selected()
	switch {
	case r == nil:
		return nil
	case r.heading() && !s.detail:
		return s.toggle(r.id)
	}
	if t := s.opens(); t != nil {
		return push{t()}
	}
	return nil
}

// opens is where enter leads: in the detail to the target that is selected there,
// in the list to what the finding is mainly about; nil: nowhere.
func (s *auditScreen) opens() func() screen {
	if s.detail {
		if t := s.pane.selected(); t != nil {
			return t.to
		}
		return nil
	}
	if r := s.selectedFinding(); r != nil {
		return s.mainTarget(r.finding)
	}
	return nil
}

// canFollow says whether a target is selected in the detail.
func (s *auditScreen) canFollow() (bool, string) {
	switch {
	case len(s.pane.targets) == 0:
		return false, "this detail names nothing to go to"
	case s.pane.selected() == nil:
		return false, "no → is selected; ↑ and ↓ go to one"
	}
	return true, ""
}

// focus and scrolled serve the mouse.
func (s *auditScreen) focus(widget any) {
	if s.detail = widget == any(&s.pane); s.detail {
		s.pane.enter()
	}
}

func (s *auditScreen) scrolled(any) action { return nil }

func (s *auditScreen) typing() bool { return s.list.typing() }
func (s *auditScreen) input(m tea.Msg) action {
	s.pane = detailPane{at: -1}
	was := s.selectedID()
	act := s.list.input(m)
	if !s.list.filter.Active() {
		return all{act, s.rebuildAt(was)}
	}
	return act
}

func (s *auditScreen) escape() (bool, action) {
	if s.detail {
		s.detail = false
		return true, nil
	}
	was := s.selectedID()
	if s.list.clear() {
		return true, s.rebuildAt(was)
	}
	return false, nil
}

func (s *auditScreen) status() string {
	if s.report == nil {
		return ""
	}
	if s.detail {
		if t := s.pane.selected(); t != nil {
			return fmt.Sprintf(s.keys("{open} or {follow} opens %s (%d of %d)"), t.label, s.pane.at+1, len(s.pane.targets))
		}
	}
	q := s.report.Requests
	parts := []string{plural(int64(len(s.report.Findings)), "finding")}
	if n := len(s.report.Acknowledged); n > 0 {
		parts = append(parts, fmt.Sprintf("%s acknowledged", count(int64(n))))
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; %s, %s, about $%.4f",
		plural(q.List, "list request"), plural(q.Get+q.Head, "read request"), q.CostUSD)
}
