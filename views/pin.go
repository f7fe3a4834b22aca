package views

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// pinScreen tells which commit a reader of a folder gets at a time, why, and which
// ones readers got before and after.
type pinScreen struct {
	place
	folder string
	at     time.Time // zero: now, without a bound
	pin    commit.Pin
	found  bool
	err    error // of the pin

	rows    list[*pinRow]
	logs    []*pinLog
	listed  bool
	listErr error
	// answered says that pin is the answer of what was read.
	answered bool
	touched  bool // the person moved the cursor
}

// newPin is the pin of a folder at a time; zero: now.
func newPin(p place, folder string, at time.Time) *pinScreen {
	s := &pinScreen{place: p, folder: folder, at: at}
	s.rows.text = func(r **pinRow) string { return (*r).text() }
	s.rows.row = s.draw
	s.rows.table.Show = p.Columns[onPin]
	s.rows.table.Columns = []ui.Column{
		{Title: "", Min: 7},
		{Title: "from (UTC)", Min: 16},
		{Title: "until", Min: 16, Drop: 3},
		{Title: "#", Min: 6, Align: ui.Right},
		{Title: "commit", Min: 10, Drop: 4},
		{Title: "log of", Min: 10, Weight: 1, Max: 30, Drop: 2},
		{Title: "author", Min: 8, Weight: 1, Max: 16, Drop: 1},
		{Title: "message", Min: 12, Weight: 5},
	}
	return s
}

func (s *pinScreen) kind() string { return onPin }

func (s *pinScreen) crumb() string {
	if s.at.IsZero() {
		return "Pin of " + folderName(s.folder)
	}
	return "Pin of " + folderName(s.folder) + " at " + exact(s.at)
}

func (s *pinScreen) start() action { return s.load() }

// text is what the filter looks at.
func (r *pinRow) text() string {
	return fmt.Sprintf("#%d %s %s %s %s", r.Slot.Number, r.Slot.Entry.Commit, r.Folder, r.Header.Author, r.Header.Message)
}

func (s *pinScreen) current() *pinRow {
	if r := s.rows.selected(); r != nil {
		return *r
	}
	return nil
}

func (s *pinScreen) enabled(id string) (bool, string) {
	r := s.current()
	switch id {
	case "open", "at", "diff":
		if r == nil {
			return false, "there is no commit"
		}
		if r.bad() {
			return false, "this entry names no commit that could be read"
		}
	case "earlier":
		if s.step(1) < 0 {
			return false, "no earlier commit is listed"
		}
	case "goon":
		return s.heldLogs() > 0, "the logs were read to their ends, or are being"
	case "later":
		if s.at.IsZero() {
			return false, "it is the pin of now"
		}
	}
	return true, ""
}

// step is the row that is the pin before (1) or after (-1) the one of now; -1: none.
func (s *pinScreen) step(by int) int {
	i := s.chosen()
	if i < 0 {
		// Nothing is chosen: before the first commit, or where it is not listed.
		i = slices.IndexFunc(s.rows.items, func(r *pinRow) bool { return s.at.IsZero() || !r.time.After(s.at) })
		if i < 0 {
			i = len(s.rows.items)
		}
		if by > 0 {
			i--
		}
	}
	for i += by; i >= 0 && i < len(s.rows.items); i += by {
		if r := s.rows.items[i]; !r.bad() && !r.never {
			return i
		}
	}
	return -1
}

func (s *pinScreen) key(id string) action {
	if s.rows.move(id) {
		s.touched = true
		return nil
	}
	r := s.current()
	switch id {
	case "open":
		return push{newCommit(s.place, r.Folder, r.Slot.Entry.Commit, r.Slot.Number)}
	case "at":
		f := newFolder(s.place, s.folder)
		f.at, f.right = &atCommit{ref: "id:" + r.Slot.Entry.Commit}, true
		return push{f}
	case "diff":
		return push{newDiff(s.place, r.Folder, commit.Ref{Number: r.Slot.Number, ID: r.Slot.Entry.Commit}, commit.Ref{Live: true})}
	case "audit":
		return push{newAudit(s.place, s.folder)}
	case "earlier":
		return s.set(s.rows.items[s.step(1)].time)
	case "later":
		if i := s.step(-1); i >= 0 {
			return s.set(s.rows.items[i].time)
		}
		return s.set(time.Time{})
	case "goon":
		s.goOn()
	case "time":
		return s.askTime()
	case "filter":
		s.rows.filter.Begin()
	}
	return nil
}

// set asks for the pin at another time, of what was read.
func (s *pinScreen) set(at time.Time) action {
	s.at, s.touched, s.answered = at, false, false
	s.toChosen()
	return nil
}

func (s *pinScreen) askTime() action {
	value := ""
	if !s.at.IsZero() {
		value = s.at.Format(time.RFC3339Nano)
	}
	in := ui.NewInput(value, 60)
	form := ui.NewForm("Pin of "+folderName(s.folder)+" at a time",
		"2026-10-30T12:00Z, 2026-10-30T12:00+02:00, 2026-10-30 (its first moment in UTC), -3d, -2h, -10min, or now. The newest commit at or before it is the answer.",
		"Show", ui.Field{Label: "Time", Input: in})
	form.Asks = true
	var yes func(*ui.Form) action
	yes = func(f *ui.Form) action {
		at, err := parsePinTime(in.Value(), s.Now())
		if err != nil {
			f.Error = err.Error()
			f.Focus(0)
			return ask{form: f, yes: yes}
		}
		return s.set(at)
	}
	return ask{form: form, yes: yes}
}

func (s *pinScreen) typing() bool { return s.rows.typing() }

func (s *pinScreen) input(m tea.Msg) action { return s.rows.input(m) }

func (s *pinScreen) escape() (bool, action) { return s.rows.clear(), nil }

func (s *pinScreen) status() string {
	text := plural(int64(len(s.rows.items)), "entry")
	if !s.listed {
		text += " so far"
	}
	if slices.ContainsFunc(s.rows.items, func(r *pinRow) bool { return r.Depth > 0 }) {
		text += " of this log and those above"
	}
	return text
}

// command is the line that asks the same without the explorer.
func (s *pinScreen) command() string {
	line := "provcat-tui pin " + safe.Shell(strings.TrimSuffix(s.url(s.folder), "/"))
	if !s.at.IsZero() {
		line += " --at " + s.at.Format(time.RFC3339Nano)
	}
	return line
}
