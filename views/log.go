package views

import (
	"context"
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
	done  bool
	err   error
	asked bool // details are being read
	goTo  int64
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
	s.list.table.Columns = []ui.Column{
		{Title: "", Min: ui.ChainWidth},
		{Title: "#", Min: 6, Align: ui.Right},
		{Title: "commit", Min: 10},
		{Title: "age", Min: 8, Align: ui.Right},
		{Title: "author", Min: 8, Weight: 1, Max: 16, Drop: 2},
		{Title: "message", Min: 16, Weight: 6},
		{Title: "files", Min: 9, Align: ui.Right, Drop: 1},
		{Title: "written (UTC)", Min: 16, Drop: 3},
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

func (s *logScreen) start() action {
	if cur := s.current(); cur != nil {
		s.goTo = cur.slot.Number
	}
	s.list.reset()
	s.marks, s.done, s.err, s.asked = nil, false, nil, false
	return all{stop{"details"}, stop{"filter"}, begin{load("log", "Reading the log of "+s.name(), func(ctx context.Context, add func(*logRow)) error {
		for slot, err := range commit.Log(ctx, s.b, s.hash, s.parallel()) {
			if err != nil {
				return err
			}
			add(newLogRow(slot))
		}
		return nil
	}, func(rows []*logRow) action {
		act := s.list.add(rows)
		if s.goTo > 0 && !s.list.filtered() {
			for i, r := range s.list.items {
				if r.slot.Number == s.goTo || r.slot.Gap > 0 && r.slot.Number >= s.goTo && s.goTo > r.slot.Number-r.slot.Gap {
					s.list.table.Cursor, s.goTo = i, 0
					break
				}
			}
		}
		return all{act, s.details()}
	}, func(err error) action {
		s.done, s.err = err == nil, err
		return nil
	})}}
}

// details reads what the rows on the screen are about (all rows while there is a
// filter, which looks at it), a page ahead.
func (s *logScreen) details() action {
	if s.asked {
		return nil
	}
	from, to := s.list.table.Window(s.list.Len())
	to = min(2*to-from+40, s.list.Len())
	at := func(i int) *logRow { return *s.list.at(i) }
	if s.list.filtered() {
		from, to = 0, len(s.list.items)
		at = func(i int) *logRow { return s.list.items[i] }
	}
	var rows []*logRow
	for i := from; i < to; i++ {
		if r := at(i); r.slot.Gap == 0 && !r.asked {
			r.asked = true
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	s.asked = true
	return begin{load("details", "Reading "+plural(int64(len(rows)), "commit"), func(ctx context.Context, add func(struct{})) error {
		return sideBySide(ctx, rows, s.parallel(), func(r *logRow) {
			d := readDetail(ctx, s.b, r.slot)
			if ctx.Err() != nil {
				return
			}
			r.detail.Store(d)
			add(struct{}{})
		})
	}, func([]struct{}) action {
		if s.list.filtered() {
			at := s.list.table.Cursor
			s.list.restart()
			act := s.list.search()
			s.list.table.Cursor = at
			return act
		}
		return nil
	}, func(err error) action {
		s.asked = false
		for _, r := range rows {
			r.asked = r.detail.Load() != nil
		}
		if err != nil { // cancelled: until the cursor moves
			return nil
		}
		return s.details()
	})}
}

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
	case "commit", "pin":
		return s.named, "the folder of this log is not known"
	}
	return true, ""
}

func (s *logScreen) key(id string) action {
	if s.list.move(id) {
		return s.details()
	}
	r := s.current()
	switch id {
	case "open":
		c := newCommit(s.place, s.folder, r.commit(), r.slot.Number)
		c.hash = s.hash
		return push{c}
	case "mark":
		s.mark(r)
		s.list.move("down")
		return s.details()
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
	a, b := r.ref(), commit.Ref{Live: true}
	switch len(s.marks) {
	case 1:
		if s.marks[0] != r {
			b = s.marks[0].ref()
		}
	case 2:
		a, b = s.marks[0].ref(), s.marks[1].ref()
	}
	if !b.Live && a.Number > b.Number {
		a, b = b, a // from the older to the newer
	}
	return push{newDiff(s.place, s.folder, a, b)}
}

func (s *logScreen) typing() bool { return s.list.typing() }

func (s *logScreen) input(m tea.Msg) action { return all{s.list.input(m), s.details()} }

func (s *logScreen) escape() (bool, action) {
	if s.list.clear() {
		return true, s.details()
	}
	if len(s.marks) > 0 {
		s.marks = nil
		return true, nil
	}
	return false, nil
}

// returned looks again: the screen above may have made a commit.
func (s *logScreen) returned() action {
	if s.done && len(s.list.items) > 0 {
		return begin{s.look()}
	}
	return nil
}

// look asks for the head, and loads the log anew if it is another.
func (s *logScreen) look() *work {
	var head commit.Slot
	return load("look", "Looking for new commits", func(ctx context.Context, _ func(struct{})) (err error) {
		head, err = commit.Head(ctx, s.b, s.folder)
		return err
	}, nil, func(err error) action {
		if err == nil && s.named && head.Number > s.list.items[0].slot.Number {
			act := s.start()
			s.goTo = 0
			return act
		}
		return nil
	})
}

func (s *logScreen) status() string {
	var gaps, bad int64
	for _, r := range s.list.items {
		switch {
		case r.slot.Gap > 0:
			gaps += r.slot.Gap
		case r.slot.Err != nil:
			bad++
		}
	}
	entries := int64(0)
	for _, r := range s.list.items {
		if r.slot.Gap == 0 {
			entries++
		}
	}
	parts := []string{plural(entries, "entry")}
	if gaps > 0 {
		parts = append(parts, plural(gaps, "entry")+" missing")
	}
	if bad > 0 {
		parts = append(parts, plural(bad, "entry")+" deleted or unreadable")
	}
	if len(s.marks) > 0 {
		var m []string
		for _, r := range s.marks {
			m = append(m, fmt.Sprintf("#%d", r.slot.Number))
		}
		parts = append(parts, "marked "+strings.Join(m, " and ")+s.keys(": {diff} compares"))
	}
	text := strings.Join(parts, ", ")
	if s.done && entries > 0 && len(s.marks) == 0 {
		// Nothing in the log itself tells: the commit objects and a witness may.
		text += s.keys("; were newer ones cut off? {audit} audits")
	}
	return text
}
