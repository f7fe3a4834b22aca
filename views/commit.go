package views

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// commitScreen is one commit: who, when, whether its hash holds, and its files.
type commitScreen struct {
	place
	folder string
	hash   string // of the log's folder
	id     string
	number int64 // of the slot that led here; 0: none
	naming naming
	list   list[commit.File]
	header commit.Header
	known  bool  // header was read
	done   bool  // the whole object was read
	err    error // why not, or what is wrong with it
	total  int64
	// said is what to say first, the outcome of a commit just made; warning what
	// a person should know although it stands.
	said, warning string
}

func newCommit(p place, folder, id string, number int64) *commitScreen {
	s := &commitScreen{place: p, folder: folder, hash: commit.FolderHash(folder), id: id, number: number}
	s.list.text = func(f *commit.File) string { return f.Path }
	s.list.row = func(f *commit.File, out *ui.Row) {
		path := f.Path
		if path == "" {
			path = "(the folder's own key)"
		}
		out.Add(ui.Plain, path)
		out.Add(ui.Plain, size(f.Size))
		out.Add(ui.Dim, f.Version)
		out.Add(ui.Dim, f.ETag)
	}
	s.list.orders = commitFileOrders
	s.list.table.Columns = []ui.Column{
		{Title: "path", Min: 20, Weight: 4, Align: ui.Tail},
		{Title: "size", Min: 10, Align: ui.Right},
		{Title: "version", Min: 12, Weight: 1, Max: 36, Drop: 1},
		{Title: "ETag", Min: 12, Weight: 1, Max: 34, Drop: 2},
	}
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
		files := make([]commit.File, 0, len(parts))
		for _, p := range parts {
			if p.header != nil {
				s.header, s.known = *p.header, true
				continue
			}
			files = append(files, p.file)
			s.total += max(p.file.Size, 0)
		}
		return s.list.add(files)
	}, func(err error) action {
		s.done, s.err = err == nil, err
		return nil
	})}}
}

// findNaming looks for the entry that names the commit, beside its reading.
func (s *commitScreen) findNaming() action {
	s.naming = naming{}
	return begin{load("naming", "Looking for the log entry of commit "+commit.ShortID(s.id), func(ctx context.Context, add func(naming)) error {
		var header *commit.Header
		if h, err := commit.LoadHeader(ctx, s.b, s.id); err == nil {
			header = &h
		}
		add(findNaming(ctx, s.b, s.hash, s.number, s.id, header, s.Concurrency))
		return ctx.Err()
	}, func(n []naming) action {
		s.naming = n[len(n)-1]
		s.number = 0
		if s.naming.standing == logged {
			s.number = s.naming.number
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
	case "parent", "diff":
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
		o.recorded, o.byTime = *f, s.header.Time
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
	case "diff":
		from := commit.Ref{ID: s.header.Parent}
		if s.number > 1 && from.ID != "" {
			from.Number = s.number - 1
		}
		return push{newDiff(s.place, s.header.Folder, from, commit.Ref{ID: s.id, Number: s.number})}
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
	if !s.done {
		return plural(n, "file") + " read so far"
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

// verify says whether the object's bytes have the hash that is its ID.
func (s *commitScreen) verify() (ui.Tone, string) {
	switch {
	case s.done:
		return ui.Good, "● right: the commit object's bytes are what was written"
	case s.err == nil:
		return ui.Dim, "… being checked"
	case errors.Is(s.err, commit.ErrCorrupt):
		return ui.Bad, "✗ wrong: the bytes do not have the hash that is the commit's ID; trust nothing of it"
	case errors.Is(s.err, bucket.ErrNotFound):
		return ui.Bad, "✗ the commit object is gone"
	case errors.Is(s.err, commit.ErrFormat):
		return ui.Unsure, "? not a commit that this program can read"
	}
	return ui.Unsure, "? could not be checked"
}

func (s *commitScreen) head(w int, th *ui.Theme) []string {
	var out []string
	say := func(label string, tone ui.Tone, text string) {
		out = append(out, " "+th.Paint(ui.Dim, ui.Fit(label, 9, ui.Left))+th.Paint(tone, ui.Fit(text, w-10, ui.Left)))
	}
	say("commit", ui.Accent, s.id)
	tone, text := s.verify()
	say("hash", tone, text)
	if s.done && len(s.list.items) > 0 {
		say("", ui.Dim, "its files were not checked; a audits the folder")
	}
	tone, text = s.naming.say(s.logName())
	say("log", tone, text)
	if !s.known {
		return out
	}
	h := s.header
	say("by", ui.Plain, fmt.Sprintf("%s, %s (%s)", orNobody(h.Author), exact(h.Time), age(s.Now(), h.Time)))
	folder := folderName(h.Folder)
	if h.Folder != s.folder && s.number > 0 {
		say("folder", ui.Bad, folder+": not the folder whose log names it")
	} else {
		say("folder", ui.Plain, folder)
	}
	if h.Parent == "" {
		say("parent", ui.Dim, "none: the first commit of its log")
	} else {
		say("parent", ui.Plain, h.Parent)
	}
	msg := ui.Wrap(strings.TrimSpace(h.Message), w-10)
	for i, l := range msg[:min(len(msg), 4)] {
		label := ""
		if i == 0 {
			label = "message"
		}
		if i == 3 && len(msg) > 4 {
			l = ui.Pad(l, min(ui.Width(l), w-12)) + " …"
		}
		out = append(out, " "+th.Paint(ui.Dim, ui.Fit(label, 9, ui.Left))+l)
	}
	return out
}

func (s *commitScreen) view(w, h int, th *ui.Theme) []string {
	out := s.head(w, th)
	if s.warning != "" {
		out = append(out, th.Shown(ui.Warn, "! "+s.warning, w-2)...)
	}
	if s.err != nil {
		msg := failure("Reading the commit", s.err, w-4, th)
		if len(s.list.items) == 0 {
			return append(out, indent(msg, w, h-len(out))...)
		}
		out = append(out, msg[:min(len(msg), 3)]...)
	}
	out = append(out, ui.Rule("files", w, true, th))
	if s.done && len(s.list.items) == 0 {
		return append(out, indent(th.Paragraph(ui.Dim, "No files: all files of the folder were deleted when this commit was made.", w-4), w, h-len(out))...)
	}
	return append(out, s.list.view(w, h-len(out), true, th)...)
}
