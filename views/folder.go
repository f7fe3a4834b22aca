package views

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// fileRow is a key of a folder, or a file of a commit.
type fileRow struct {
	name string // less the folder's prefix
	key  string
	// v is the key's newest version or marker; at a commit, the named one.
	v        bucket.Version
	versions int // of the key, markers too; 0: unknown
}

// folder is the screen of one bucket: its folders as a tree, and what the
// selected one holds.
type folder struct {
	place
	tree  *ui.Tree
	nodes map[string]*ui.Node // by prefix
	files list[fileRow]
	right bool // the files have the keys
	level level
	about
	// again is the key on which the cursor is put when it comes, after a reload.
	again string
	// wide says that the last frame had room for a third pane.
	wide bool
	// at is the commit at which the files are shown; nil: live.
	at *atCommit
}

// atCommit says which commit's files are shown.
type atCommit struct {
	ref string // as it was typed
	id  string
	num int64
	in  string // the folder whose log has it
	// hidden is the number of the deleted entry that named it; 0: no deletion hides it.
	hidden int64
	err    error
	done   bool
}

// name is how the commit is called: by its number, else by its ID.
func (a *atCommit) name() string {
	switch {
	case a.num > 0:
		return fmt.Sprintf("#%d", a.num)
	case a.id != "":
		return commit.ShortID(a.id)
	}
	return a.ref
}

func newFolder(p place, path string) *folder {
	s := &folder{place: p, nodes: map[string]*ui.Node{}}
	root := &ui.Node{Name: bucketName(p.loc), Value: "", Open: true, Tone: ui.Accent}
	s.nodes[""] = root
	node, prefix := root, ""
	if path != "" && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	for prefix != path {
		rest := path[len(prefix):]
		prefix += rest[:strings.IndexByte(rest, '/')+1]
		node = s.child(node, prefix)
	}
	for n := node; n != nil; n = n.Parent {
		n.Open = true
	}
	s.tree = ui.NewTree(root)
	s.tree.Select(node)
	s.tree.Sign = s.sign
	s.files.text = func(r *fileRow) string { return r.name }
	s.files.row = s.drawFile
	s.files.table.Columns, s.files.table.Show = liveColumns, p.Columns[onFolder]
	s.files.orders = fileOrders
	s.files.more = func() bool { return s.level.valve != nil && s.level.valve.waits() }
	return s
}

// child gives the node of a prefix under its parent, made if needed.
func (s *folder) child(parent *ui.Node, prefix string) *ui.Node {
	if n := s.nodes[prefix]; n != nil {
		return n
	}
	above, _ := parent.Value.(string)
	n := &ui.Node{Name: prefix[len(above):], Value: prefix, Parent: parent}
	if prefix == commit.Root {
		n.Tone = ui.Dim
	}
	s.nodes[prefix] = n
	parent.Children = append(parent.Children, n)
	return n
}

// prefix of the selected folder.
func (s *folder) prefix() string {
	if n := s.tree.Selected(); n != nil {
		p, _ := n.Value.(string)
		return p
	}
	return ""
}

func (s *folder) kind() string { return onFolder }

func (s *folder) readOnly() bool { return s.readOnlyAt(s.prefix()) }

func (s *folder) crumb() string {
	text := bucketName(s.loc)
	if p := s.prefix(); p != "" {
		text += "/" + strings.TrimSuffix(p, "/")
	}
	if s.at != nil {
		text += " at " + s.at.name()
	}
	return text
}

func (s *folder) start() action {
	if s.at != nil {
		return all{s.loadHead(), s.loadAt()}
	}
	s.facts().logsStale = true
	if r := s.files.selected(); r != nil && s.level.prefix == s.prefix() {
		s.again = r.key
	}
	return all{s.loadLevel(0), s.loadAbout()}
}

// returned looks for a new head: the screen above may have made a commit. Only then
// is the rest read again.
func (s *folder) returned() action {
	name, why := canCommit(s.prefix())
	if why != "" || !s.head.done || s.at != nil {
		return s.loadHead()
	}
	was := s.head
	return begin{aside(load("returned", "Looking for the newest commit of "+folderName(name), func(ctx context.Context, add func(headLine)) error {
		h := readHead(ctx, s.b, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		add(h)
		return nil
	}, func(h []headLine) action {
		now := h[len(h)-1]
		if now.same(&was) {
			return nil
		}
		s.facts().logsStale = true // it may be the folder's first
		return s.loadAbout()
	}, nil))}
}

func (s *folder) enabled(id string) (bool, string) {
	_, why := canCommit(s.prefix())
	switch id {
	case "hide":
		return s.at == nil, "a commit has no deleted keys"
	case "total":
		return s.canGoOn()
	case "commit":
		if why == "" && s.nothing() {
			return false, "there is nothing here to commit"
		}
		return why == "", why
	case "log", "at", "pin":
		return why == "", why
	case "audit":
		// The whole bucket can be audited from anywhere.
		return true, ""
	case "open":
		if s.right && s.files.selected() == nil {
			return false, "there is no file"
		}
	case "filter":
		if len(s.files.items) == 0 {
			return false, "there are no files to filter"
		}
	}
	return true, ""
}

// nothing says that neither a key nor a commit is here: it is a name alone.
func (s *folder) nothing() bool {
	p, l := s.prefix(), &s.level
	return p != "" && s.at == nil && l.prefix == p && l.done && l.err == nil && l.folders == 0 && len(s.files.items)+len(l.hidden) == 0 &&
		s.head.done && s.head.err == nil && s.head.slot.Number == 0
}

func (s *folder) key(id string) action {
	act := s.act(id)
	if s.past.done { // the screen may have become wide
		return all{act, s.loadLast()}
	}
	return act
}

func (s *folder) act(id string) action {
	name, _ := canCommit(s.prefix())
	switch id {
	case "pane":
		s.right = !s.right
		return nil
	case "log":
		return push{newLog(s.place, name)}
	case "audit":
		return push{s.auditScreen(name)}
	case "pin":
		return push{newPin(s.place, name, time.Time{})}
	case "commit":
		return push{newCommitForm(s.place, name)}
	case "hide":
		return s.hide()
	case "total":
		return s.goOn()
	case "buckets":
		return push{newBuckets(s.env)}
	case "at":
		return s.askAt()
	case "next", "previous":
		s.right = true
	case "filter":
		s.right = true
		s.files.filter.Begin()
		return nil
	}
	if s.right {
		return s.filesKey(id)
	}
	return s.treeKey(id)
}

func (s *folder) filesKey(id string) action {
	if s.files.move(id) {
		s.scrollOn()
		return nil
	}
	switch id {
	case "left":
		s.right = false
	case "open":
		if r := s.files.selected(); r != nil {
			o := newObject(s.place, r.key, r.v.ID)
			if s.at != nil {
				o.by = s.at.name()
			}
			return push{o}
		}
	}
	return nil
}

func (s *folder) treeKey(id string) action {
	before := s.tree.Selected()
	n := before
	switch {
	case s.tree.Move(id):
	case id == "left":
		if n.Open && !n.Leaf && n.Parent != nil {
			s.tree.Toggle()
		} else if n.Parent != nil {
			s.tree.Select(n.Parent)
		}
	case id == "open" || id == "right":
		if n.Open || n.Leaf {
			s.right = true
		} else {
			s.tree.Toggle()
		}
	}
	if s.tree.Selected() == before {
		return nil
	}
	s.at, s.again = nil, ""
	s.files.clear()
	return all{stop{"at"}, s.loadLevel(settleTime), s.loadAbout()}
}

// scrollOn lets the next window of names through, where the last one is nearly seen.
func (s *folder) scrollOn() {
	_, seen := s.files.table.Window(s.files.Len())
	if s.level.valve != nil && max(s.files.table.Cursor, seen) >= s.files.Len()-window/10 {
		s.level.valve.open(window)
	}
}

// focus and scrolled serve the mouse.
func (s *folder) focus(widget any) { s.right = widget == any(&s.files.table) }

func (s *folder) scrolled(any) action {
	s.scrollOn()
	return nil
}

func (s *folder) typing() bool           { return s.files.typing() }
func (s *folder) input(m tea.Msg) action { return s.files.input(m) }

func (s *folder) escape() (bool, action) {
	switch {
	case s.files.clear():
		return true, nil
	case s.at != nil:
		s.at = nil
		return true, s.start()
	case s.right:
		s.right = false
		return true, nil
	}
	return false, nil
}

// askAt asks for the commit at which to show the files.
func (s *folder) askAt() action {
	in := ui.NewInput("", 80)
	form := ui.NewForm("Files at a commit of "+folderName(strings.TrimSuffix(s.prefix(), "/")),
		"A number, at least six digits of an ID, head, or head~2. Nothing, or live, shows what is live.",
		"Show", ui.Field{Label: "Commit", Input: in})
	form.Asks = true
	return ask{form: form, yes: func(*ui.Form) action {
		ref := strings.TrimSpace(in.Value())
		s.files.clear()
		if ref == "" || ref == "live" {
			if s.at == nil {
				return nil
			}
			s.at = nil
			return s.start()
		}
		s.at = &atCommit{ref: ref}
		s.right = true
		return s.loadAt()
	}}
}
