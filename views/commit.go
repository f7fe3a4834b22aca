package views

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// commitScreen is one commit: who, when, whether its hash holds, and its files.
type commitScreen struct {
	place
	folder   string
	hash     string // of the log's folder
	id       string
	number   int64 // of the slot that led here; 0: none
	naming   naming
	reigns   reigns // of the entry that names it, or did
	list     list[commitFile]
	header   commit.Header
	known    bool  // header was read
	done     bool  // the whole object was read
	err      error // why not, or what is wrong with it
	total    int64
	checking checking
	child    child
	// said is what to say first, the outcome of a commit just made; warning what
	// a person should know although it stands.
	said, warning string
}

func newCommit(p place, folder, id string, number int64) *commitScreen {
	s := &commitScreen{place: p, folder: folder, hash: commit.FolderHash(folder), id: id, number: number}
	s.list.text = func(f *commitFile) string { return f.Path + f.load().words() }
	s.list.row = s.draw
	s.list.table.Show = p.Columns[onCommit]
	s.list.table.Columns = []ui.Column{
		{Title: "path", Min: 30, Weight: 4, Align: ui.Tail},
		{Title: "size", Min: 9, Align: ui.Right},
		{Title: "state", Min: 13},
		{Title: "removed on"}, // as soon as a rule removes any
		{Title: "version", Min: 12, Weight: 1, Max: 36, Drop: 1},
		{Title: "ETag", Min: 12, Weight: 1, Max: 34, Drop: 2},
	}
	s.list.orders = commitFileOrders
	return s
}

func (s *commitScreen) kind() string { return onCommit }
func (s *commitScreen) crumb() string {
	if s.number > 0 && (s.naming.standing == unasked || s.naming.standing == logged) {
		return fmt.Sprintf("Commit #%d of %s", s.number, folderName(s.folder))
	}
	return "Commit " + commit.ShortID(s.id)
}

// part is one piece of a commit object on its way.
type part struct {
	header *commit.Header
	file   commit.File
}

func (s *commitScreen) start() action {
	s.list.reset()
	s.done, s.err, s.known, s.total = false, nil, false, 0
	var said action
	if s.said != "" {
		said = note{ui.Good, s.said}
	}
	return all{said, stop{"filter"}, s.findNaming(), begin{load("commit", "Reading commit "+commit.ShortID(s.id), func(ctx context.Context, add func(part)) error {
		// The header comes with one small read, before all the files.
		if h, err := commit.LoadHeader(ctx, s.b, s.id); err == nil {
			add(part{header: &h})
		}
		o, err := commit.Load(ctx, s.b, s.id, func(f commit.File) error {
			add(part{file: f})
			return ctx.Err()
		})
		if err == nil {
			add(part{header: &o.Header})
		}
		return err
	}, func(parts []part) action {
		files := make([]commitFile, 0, len(parts))
		for _, p := range parts {
			if p.header != nil {
				s.header, s.known = *p.header, true
				continue
			}
			files = append(files, commitFile{File: p.file})
			s.total += max(p.file.Size, 0)
		}
		return s.list.add(files)
	}, func(err error) action {
		s.done, s.err = err == nil, err
		if err != nil {
			return nil
		}
		return s.check()
	})}}
}

// findNaming looks for the entry that names the commit, beside its reading.
func (s *commitScreen) findNaming() action {
	s.naming, s.child, s.reigns = naming{}, child{}, reigns{}
	return begin{load("naming", "Looking for the log entry of commit "+commit.ShortID(s.id), func(ctx context.Context, add func(naming)) error {
		var header *commit.Header
		if h, err := commit.LoadHeader(ctx, s.b, s.id); err == nil {
			header = &h
		}
		add(findNaming(ctx, s.b, s.hash, s.number, s.id, header, s.parallel()))
		return ctx.Err()
	}, func(n []naming) action {
		s.naming = n[len(n)-1]
		s.number = 0
		switch s.naming.standing {
		case logged:
			s.number = s.naming.number
			return all{s.findChild(), s.findReigns()}
		case lost, unentered:
			return s.findReigns()
		}
		return nil
	}, func(err error) action {
		if err != nil {
			s.naming = naming{standing: unclear, err: err}
		}
		return nil
	})}
}

func (s *commitScreen) enabled(id string) (bool, string) {
	switch id {
	case "open":
		if s.list.selected() == nil {
			return false, "there is no file"
		}
	case "goon":
		if c := &s.checking; !s.done || c.running && !c.valve.waits() || !c.running && c.tally.kinds[notChecked] == 0 {
			return false, "all versions were checked, or are being"
		}
	case "child":
		if s.child.id == "" {
			return false, "no child of it is known"
		}
	case "parent", "diff", "livediff":
		if !s.known {
			return false, "the commit was not read"
		}
		if s.header.Parent == "" && id == "parent" {
			return false, "it has no parent: it is the first commit of its log"
		}
	}
	return true, ""
}

func (s *commitScreen) key(id string) action {
	if s.list.move(id) {
		return nil
	}
	switch id {
	case "open":
		f := s.list.selected()
		o := newObject(s.place, commit.KeyPrefix(s.header.Folder)+f.Path, f.Version)
		o.recorded, o.byTime = f.File, s.header.Time
		if o.by = commit.ShortID(s.id); s.number > 0 {
			o.by = fmt.Sprintf("#%d", s.number)
		}
		return push{o}
	case "parent":
		n := int64(0)
		if s.number > 1 {
			n = s.number - 1
		}
		c := newCommit(s.place, s.folder, s.header.Parent, n)
		c.hash = s.hash
		return push{c}
	case "child":
		c := newCommit(s.place, s.folder, s.child.id, s.child.number)
		c.hash = s.hash
		return push{c}
	case "goon":
		if s.checking.running {
			s.checking.valve.open(checkVersions)
			return nil
		}
		return s.check()
	case "livediff":
		return push{newDiff(s.place, s.header.Folder, commit.Ref{ID: s.id, Number: s.number}, commit.Ref{Live: true})}
	case "diff":
		from := commit.Ref{ID: s.header.Parent}
		if s.number > 1 && from.ID != "" {
			from.Number = s.number - 1
		}
		return push{newDiff(s.place, s.header.Folder, from, commit.Ref{ID: s.id, Number: s.number})}
	case "copythis":
		return copyThis(s.id, "Copied the commit's ID: ")
	case "log":
		return push{newLog(s.place, s.inFolder())}
	case "audit":
		return push{newAudit(s.place, s.inFolder())}
	case "filter":
		s.list.filter.Begin()
	}
	return nil
}

func (s *commitScreen) typing() bool           { return s.list.typing() }
func (s *commitScreen) input(m tea.Msg) action { return s.list.input(m) }
func (s *commitScreen) escape() (bool, action) { return s.list.clear(), nil }

func (s *commitScreen) status() string {
	n := int64(len(s.list.items))
	switch {
	case !s.done:
		return plural(n, "file") + " read so far"
	case s.checking.running && s.checking.valve.waits():
		return fmt.Sprintf(s.keys("%s, %s; %s listed: {goon} goes on checking"), plural(n, "file"), size(s.total), plural(s.checking.seen, "version"))
	}
	return fmt.Sprintf("%s, %s", plural(n, "file"), size(s.total))
}

// inFolder is the folder that the commit is of.
func (s *commitScreen) inFolder() string {
	if s.known {
		return s.header.Folder
	}
	return s.folder
}

// logName is how the log is called in which the commit is looked for.
func (s *commitScreen) logName() string {
	if s.hash == commit.FolderHash(s.folder) {
		return folderName(s.folder)
	}
	return s.hash[:10] + "…"
}
