package views

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// logScreen is a folder's log, drawn as a chain with its breaks.
type logScreen struct {
	place
	folder string
	hash   string
	// named is false for a log whose folder nothing reveals: it is called by its hash.
	named bool
	list  list[*logRow]
	// marks are the marked rows, oldest mark first, two at most.
	marks []*logRow
	logReading
	small     smallFiles
	countLeft allowance
	countFree bool // the next comparisons may read whatever it takes
	counting  bool
	lost      lostSearch
}

func newLog(p place, folder string) *logScreen {
	return newLogByHash(p, folder, commit.FolderHash(folder), true)
}

// newLogByHash is the log with that hash; number is where the cursor goes, 0: the newest.
func newLogByHash(p place, folder, hash string, named bool) *logScreen {
	s := &logScreen{place: p, folder: folder, hash: hash, named: named}
	s.list.text = func(r **logRow) string { return (*r).text() }
	s.list.row = s.draw
	s.list.table.Show = p.Columns[onLog]
	s.list.more = s.held
	s.list.table.Columns = []ui.Column{
		{Title: "", Min: ui.ChainWidth},
		{Title: "#", Min: 4, Align: ui.Right},
		{Title: "commit", Min: 10},
		{Title: "age", Min: 6, Align: ui.Right},
		{Title: "author", Min: 7, Weight: 1, Max: 16, Drop: 1},
		{Title: "message", Min: 18, Weight: 6},
		{Title: "+", Min: 4, Align: ui.Right},
		{Title: "~", Min: 4, Align: ui.Right},
		{Title: "-", Min: 4, Align: ui.Right},
		{Title: "bytes", Min: 9, Align: ui.Right},
		{Title: "grew by", Min: 10, Align: ui.Right, Drop: 4},
		{Title: "files", Min: 9, Align: ui.Right, Drop: 3},
		{Title: "written (UTC)", Min: 16, Drop: 5},
	}
	return s
}

func (s *logScreen) kind() string { return onLog }

func (s *logScreen) readOnly() bool { return s.readOnlyAt(s.folder) }

func (s *logScreen) name() string {
	if s.named {
		return folderName(s.folder)
	}
	return "log " + s.hash[:10] + "…"
}

func (s *logScreen) crumb() string { return "Log of " + s.name() }

func (s *logScreen) current() *logRow {
	if r := s.list.selected(); r != nil {
		return *r
	}
	return nil
}

func (s *logScreen) enabled(id string) (bool, string) {
	r := s.current()
	switch id {
	case "open", "mark", "diff":
		switch {
		case r == nil:
			return false, "there is no commit"
		case r.slot.Gap > 0:
			return false, "nothing is left of this entry"
		case r.commit() == "":
			return false, "this entry names no commit that could be read"
		}
		if id == "diff" && !s.named {
			return false, "the folder of this log is not known"
		}
	case "goon":
		return s.heldCounts() || s.filterHeld(), "what is on the screen is compared, or is being"
	case "lost":
		return (s.done || len(s.list.items) > 0) && !s.lost.running, "the log is being read, or they are being looked for"
	case "commit", "pin":
		return s.named, "the folder of this log is not known"
	}
	return true, ""
}

func (s *logScreen) key(id string) action {
	if s.list.move(id) {
		return s.moved(id)
	}
	r := s.current()
	switch id {
	case "open":
		number := r.slot.Number
		if r.kind > namedBefore {
			number = 0 // no entry names it
		}
		c := newCommit(s.place, s.folder, r.commit(), number)
		c.hash = s.hash
		return push{c}
	case "mark":
		s.mark(r)
		s.list.move("down")
		return s.moved("down")
	case "goon":
		return s.goOn()
	case "lost":
		return s.findLost()
	case "diff":
		return s.diff(r)
	case "pin":
		return push{newPin(s.place, s.folder, time.Time{})}
	case "audit":
		return push{newAudit(s.place, s.folder)}
	case "commit":
		return push{newCommitForm(s.place, s.folder)}
	case "filter":
		s.list.filter.Begin()
	}
	return nil
}

func (s *logScreen) marked(r *logRow) bool {
	for _, m := range s.marks {
		if m == r {
			return true
		}
	}
	return false
}

// mark marks a row, or takes its mark off; a third mark takes the first one's place.
func (s *logScreen) mark(r *logRow) {
	for i, m := range s.marks {
		if m == r {
			s.marks = append(s.marks[:i:i], s.marks[i+1:]...)
			return
		}
	}
	s.marks = append(s.marks, r)
	if len(s.marks) > 2 {
		s.marks = s.marks[1:]
	}
}

func (s *logScreen) diff(r *logRow) action {
	a, b := r, (*logRow)(nil)
	switch {
	case len(s.marks) == 2:
		a, b = s.marks[0], s.marks[1]
	case len(s.marks) == 1 && s.marks[0] != r:
		b = s.marks[0]
	}
	to := commit.Ref{Live: true}
	if b != nil {
		if b.olderThan(a) {
			a, b = b, a // from the older to the newer
		}
		to = b.ref()
	}
	return push{newDiff(s.place, s.folder, a.ref(), to)}
}

func (s *logScreen) typing() bool { return s.list.typing() }

func (s *logScreen) input(m tea.Msg) action { return all{s.list.input(m), s.look()} }

func (s *logScreen) escape() (bool, action) {
	if s.list.clear() {
		return true, s.look()
	}
	if len(s.marks) > 0 {
		s.marks = nil
		return true, nil
	}
	return false, nil
}

func (s *logScreen) status() string {
	parts := []string{plural(s.entries, "entry")}
	switch {
	case s.err != nil && len(s.list.items) == 0:
		return "the entries of this log are not known"
	case !s.done:
		parts[0] += " so far"
	}
	if s.gaps > 0 {
		parts = append(parts, plural(s.gaps, "entry")+" missing")
	}
	if s.deleted > 0 {
		parts = append(parts, plural(s.deleted, "entry")+" deleted")
	}
	if s.bad > 0 {
		parts = append(parts, "? "+plural(s.bad, "entry")+" could not be read")
	}
	switch {
	case len(s.marks) > 0:
		var m []string
		for _, r := range s.marks {
			m = append(m, refName(r.ref()))
		}
		return strings.Join(append(parts, "marked "+strings.Join(m, " and ")+s.keys(": {diff} compares")), ", ")
	case s.heldCounts():
		parts = append(parts, s.keys("some are too large to be compared unasked: {goon} does"))
	case s.filterHeld():
		parts = append(parts, fmt.Sprintf(s.keys("! the messages of the newest %s only were searched: {goon} goes on"), count(int64(s.searched))))
	case s.held():
		parts = append(parts, "older ones as you scroll")
	case s.lost.say() != "":
		return strings.Join(parts, ", ") + "; " + s.lost.say()
	case s.done && s.entries > 0:
		// Nothing in the log itself tells: the commit objects and a witness may.
		return strings.Join(parts, ", ") + s.keys("; were newer ones cut off? {lost} looks")
	}
	return strings.Join(parts, ", ")
}
