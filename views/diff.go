package views

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// diffScreen shows what differs between two commits, or a commit and what is live.
type diffScreen struct {
	place
	folder   string
	from, to commit.Ref
	list     list[commit.Change] // all of them, flat
	tree     changeTree          // the same by folder
	flat     bool                // the person wants no folders
	wasTree  bool                // the tree was shown last
	sums     map[commit.ChangeKind]*sum
	same     int64 // changed versions with the same bytes
	done     bool
	err      error
}

// sum of the changes of one kind; bytes may be negative for changed files.
type sum struct{ files, bytes int64 }

func newDiff(p place, folder string, from, to commit.Ref) *diffScreen {
	s := &diffScreen{place: p, folder: folder, from: from, to: to}
	s.list.text = func(c *commit.Change) string { return string(c.Kind) + " " + c.Path }
	s.list.row = drawChange
	s.list.orders = changeOrders
	s.list.table.Show = p.Columns[onDiff]
	s.list.table.Columns = changeColumns
	s.tree.table.Columns, s.tree.table.Show = changeColumns, s.list.table.Show
	return s
}

var changeColumns = []ui.Column{
	{Title: "", Min: 9},
	{Title: "path", Min: 20, Weight: 1, Align: ui.Tail},
	{Title: "before", Min: 10, Align: ui.Right},
	{Title: "after", Min: 10, Align: ui.Right},
	{Title: "change", Min: 11, Align: ui.Right, Drop: 1},
}

func drawChange(c *commit.Change, out *ui.Row) {
	path := c.Path
	if path == "" {
		path = "(the folder's own key)"
	}
	switch c.Kind {
	case commit.Added:
		out.Add(ui.Good, "+ added")
		out.Add(ui.Plain, path)
		out.Add(ui.Dim, "")
		out.Add(ui.Plain, size(c.To.Size))
		out.Add(ui.Dim, signed(c.To.Size))
	case commit.Removed:
		out.Add(ui.Bad, "- removed")
		out.Add(ui.Plain, path)
		out.Add(ui.Plain, size(c.From.Size))
		out.Add(ui.Dim, "")
		out.Add(ui.Dim, signed(-c.From.Size))
	default:
		out.Add(ui.Warn, "~ changed")
		out.Add(ui.Plain, path)
		out.Add(ui.Plain, size(c.From.Size))
		out.Add(ui.Plain, size(c.To.Size))
		switch {
		case c.SameBytes:
			out.Add(ui.Dim, "same bytes")
		case c.SameVersion:
			out.Add(ui.Bad, "overwritten")
		case c.From.Size < 0 || c.To.Size < 0:
			out.Add(ui.Dim, "?")
		default:
			out.Add(ui.Dim, signed(c.To.Size-c.From.Size))
		}
	}
}

// signed is a size with its sign.
func signed(n int64) string {
	if n < 0 {
		return "-" + size(-n)
	}
	return "+" + size(n)
}

func refName(r commit.Ref) string {
	switch {
	case r.Live:
		return "live"
	case r.ID == "":
		return "nothing"
	case r.Number > 0:
		return fmt.Sprintf("#%d", r.Number)
	}
	return commit.ShortID(r.ID)
}

func (s *diffScreen) kind() string { return onDiff }
func (s *diffScreen) crumb() string {
	return fmt.Sprintf("Diff of %s: %s to %s", folderName(s.folder), refName(s.from), refName(s.to))
}

func (s *diffScreen) start() action {
	s.list.reset()
	s.tree = changeTree{table: s.tree.table}
	s.tree.table.Cursor = 0
	s.done, s.err, s.same = false, nil, 0
	s.sums = map[commit.ChangeKind]*sum{commit.Added: {}, commit.Removed: {}, commit.Changed: {}}
	from, to := s.from, s.to
	return all{stop{"filter"}, begin{load("diff", fmt.Sprintf("Comparing %s with %s", refName(from), refName(to)), func(ctx context.Context, add func(commit.Change)) error {
		a := commit.FilesOf(ctx, s.b, s.folder, from)
		b := commit.FilesOf(ctx, s.b, s.folder, to)
		for c, err := range commit.Diff(a, b) {
			if err != nil {
				return err
			}
			add(c)
		}
		return ctx.Err()
	}, func(changes []commit.Change) action {
		for _, c := range changes {
			t := s.sums[c.Kind]
			if t == nil {
				continue
			}
			t.files++
			t.bytes += max(c.To.Size, 0) - max(c.From.Size, 0)
			if c.SameBytes {
				s.same++
			}
		}
		act := s.list.add(changes)
		s.tree.add(s.list.items)
		return act
	}, func(err error) action {
		s.done, s.err = err == nil, err
		return nil
	})}}
}

// grouped says that the folders are shown: unless the person wants none, and what is
// sorted or filtered stands by itself.
func (s *diffScreen) grouped() bool {
	return !s.flat && s.list.by == 0 && s.list.isBy == 0 && !s.list.filtered()
}

// settle takes the cursor along when folders come or go.
func (s *diffScreen) settle() {
	switch tree := s.grouped(); {
	case tree && !s.wasTree:
		if s.list.table.Cursor > 0 {
			s.tree.reveal(s.list.cursorItem())
		}
		s.wasTree = true
	case !tree && s.wasTree:
		if s.tree.table.Cursor > 0 {
			s.list.moveTo(s.tree.under())
		}
		s.wasTree = false
	}
}

// selected is the file under the cursor; nil: it is on a folder, or there is none.
func (s *diffScreen) selected() *commit.Change {
	if !s.grouped() {
		return s.list.selected()
	}
	if i := s.tree.selected(); i >= 0 {
		return &s.list.items[i]
	}
	return nil
}

// show puts the cursor on a change.
func (s *diffScreen) show(i int) {
	s.list.show(i)
	if s.settle(); s.grouped() {
		s.tree.reveal(i)
	}
}

func (s *diffScreen) enabled(id string) (bool, string) {
	s.settle()
	tree := s.grouped()
	switch id {
	case "open":
		if s.selected() == nil && (!tree || s.tree.group() < 0) {
			return false, "there is no file"
		}
	case "tree":
		if !s.tree.headed && !s.flat {
			return false, "no folder below has more than one difference"
		}
	case "fold", "unfold", "foldall":
		switch {
		case !tree && s.flat:
			return false, s.keys("without folders; {tree} shows them")
		case !tree:
			return false, "what is filtered or sorted stands without folders"
		case !s.tree.headed:
			return false, "no folder below has more than one difference"
		}
	}
	return true, ""
}

func (s *diffScreen) key(id string) action {
	s.settle()
	if s.grouped() {
		if done := s.treeKey(id); done {
			return nil
		}
	} else if s.list.move(id) {
		return nil
	}
	switch id {
	case "open":
		if c := s.selected(); c != nil {
			return push{s.contentsOf(c)}
		}
	case "tree":
		s.flat = !s.flat
		s.settle()
	case "log":
		return push{newLog(s.place, s.folder)}
	case "audit":
		return push{newAudit(s.place, s.folder)}
	case "filter":
		s.list.filter.Begin()
	}
	return nil
}

// treeKey does what a key means where folders are shown; false: what it means anywhere.
func (s *diffScreen) treeKey(id string) bool {
	t := &s.tree
	switch id {
	case "next", "previous":
		s.list.table.Cursor = max(t.under(), 0)
		s.list.move(id)
		t.reveal(s.list.cursorItem())
	case "open":
		if t.group() < 0 {
			return false
		}
		t.toggle()
	case "fold":
		if g := t.group(); g >= 0 && !t.groups[g].closed {
			t.toggle()
		} else {
			t.outwards()
		}
	case "unfold":
		switch g := t.group(); {
		case g >= 0 && t.groups[g].closed:
			t.toggle()
		case g >= 0:
			t.table.Move("down", t.Len())
		}
	case "foldall":
		t.foldAll(t.anyOpen())
	default:
		return t.table.Move(id, t.Len())
	}
	return true
}

func (s *diffScreen) typing() bool           { return s.list.typing() }
func (s *diffScreen) escape() (bool, action) { return s.list.clear(), nil }

func (s *diffScreen) input(m tea.Msg) action {
	if s.settle(); s.grouped() { // nothing is typed yet: the list is where the tree is
		s.list.table.Cursor = max(s.tree.under(), 0)
	}
	return s.list.input(m)
}

func (s *diffScreen) status() string {
	text := fmt.Sprintf("%s to %s: %s", refName(s.from), refName(s.to), plural(int64(len(s.list.items)), "difference"))
	if !s.done {
		text += " so far"
	}
	return text
}

// some is the tone of a count: none is nothing to look at.
func some(t ui.Tone, n int64) ui.Tone {
	if n == 0 {
		return ui.Dim
	}
	return t
}

func (s *diffScreen) view(w, h int, th *ui.Theme) []string {
	a, r, c := s.sums[commit.Added], s.sums[commit.Removed], s.sums[commit.Changed]
	good, bad, warn := some(ui.Good, a.files), some(ui.Bad, r.files), some(ui.Warn, c.files)
	line := " " + th.Paint(good, fmt.Sprintf("+ %s added (%s)", count(a.files), signed(a.bytes))) +
		"   " + th.Paint(bad, fmt.Sprintf("- %s removed (%s)", count(r.files), signed(r.bytes))) +
		"   " + th.Paint(warn, fmt.Sprintf("~ %s changed (%s)", count(c.files), signed(c.bytes)))
	if w < 90 {
		line = " " + th.Paint(good, fmt.Sprintf("+ %s added", count(a.files))) + "  " +
			th.Paint(bad, fmt.Sprintf("- %s removed", count(r.files))) + "  " +
			th.Paint(warn, fmt.Sprintf("~ %s changed", count(c.files))) + "  " +
			th.Paint(ui.Dim, "total "+signed(a.bytes+r.bytes+c.bytes))
	} else {
		line += "   " + th.Paint(ui.Dim, "total "+signed(a.bytes+r.bytes+c.bytes))
	}
	if s.same > 0 {
		line += "  " + th.Paint(ui.Dim, count(s.same)+" with the same bytes")
	}
	out := []string{ui.Pad(line, w), ui.Rule("", w, true, th)}
	switch {
	case s.err != nil:
		msg := s.failure("Comparing", s.err, w-4, th)
		if len(s.list.items) > 0 {
			msg = append(th.Paragraph(ui.Warn, "What is shown below is not all.", w-4), msg...)
		}
		msg = indent(msg, w, min(len(msg)+1, h/2))
		out = append(out, msg...)
	case s.done && len(s.list.items) == 0:
		text := "No differences: both name the same versions."
		if s.to.Live {
			text = "No differences: what is live is exactly what the commit names."
		}
		return append(out, indent(th.Paragraph(ui.Plain, text, w-4), w, h-len(out))...)
	}
	if s.settle(); !s.grouped() {
		return append(out, s.list.view(w, h-len(out), true, th)...)
	}
	foot := 0
	if s.list.filter.Active() {
		foot = 1
	}
	s.tree.table.Focused = true
	out = append(out, s.tree.table.View(&s.tree, w, h-len(out)-foot, th)...)
	if foot > 0 {
		out = append(out, s.list.filter.View(s.list.shown(), w, th))
	}
	return out
}
