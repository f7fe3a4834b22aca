package views

import (
	"errors"
	"fmt"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// stateColumn is the column of the states; the next one is that of the days.
const stateColumn = 2

func (s *commitScreen) draw(f *commitFile, out *ui.Row) {
	path := f.Path
	if path == "" {
		path = "(the folder's own key)"
	}
	out.Add(ui.Plain, path)
	out.Add(ui.Plain, size(f.Size))
	f.load().draw(!s.done || s.checking.running, out)
	out.Add(ui.Dim, f.Version)
	out.Add(ui.Dim, f.ETag)
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
	case errors.Is(s.err, commit.ErrTooLarge):
		return ui.Unsure, "? not checked: the commit object is larger than --max-commit-size"
	}
	return ui.Unsure, "? could not be checked"
}

// head tells all but the files. h is the height of the screen, which bounds it.
func (s *commitScreen) head(w, h int, th *ui.Theme) []string {
	var out []string
	line := func(label, text string) {
		out = append(out, " "+th.Paint(ui.Dim, ui.Fit(label, 9, ui.Left))+ui.Pad(text, w-10))
	}
	say := func(label string, tone ui.Tone, text string) {
		line(label, th.Paint(tone, ui.Fit(text, w-10, ui.Left)))
	}
	say("commit", ui.Accent, s.id)
	if s.known {
		say("by", ui.Plain, fmt.Sprintf("%s, %s (%s)", orNobody(s.header.Author), exact(s.header.Time), age(s.Now(), s.header.Time)))
		msg := ui.Wrap(strings.TrimSpace(s.header.Message), w-10)
		most := max(min(h/7, 8), 1)
		for i, l := range msg[:min(len(msg), most)] {
			label := ""
			if i == 0 {
				label = "message"
			}
			if i == most-1 && len(msg) > most {
				l = ui.Pad(l, min(ui.Width(l), w-12)) + " …"
			}
			line(label, l)
		}
	}
	tone, text := s.verify()
	say("hash", tone, text)
	tone, text = s.naming.say(s.logName())
	say("log", tone, text)
	if tone, text = s.reigns.say(s.id); text != "" {
		for _, l := range th.Paragraph(tone, text, w-10) {
			line("", l)
		}
	}
	if s.known {
		if s.header.Folder != s.folder && s.number > 0 {
			say("folder", ui.Bad, folderName(s.header.Folder)+": not the folder whose log names it")
		} else if h > 24 || s.number == 0 { // the way here says it too
			say("folder", ui.Plain, folderName(s.header.Folder))
		}
		if h > 15 {
			s.chain(line, th)
		}
	}
	if s.done && len(s.list.items) > 0 {
		label := "versions"
		for _, l := range s.checking.summary(s.env, w-10, th) {
			line(label, l)
			label = ""
		}
	}
	return out
}

// chain tells of the parent and the child, each whole where there is room.
func (s *commitScreen) chain(line func(label, text string), th *ui.Theme) {
	number := func(n int64) string {
		if s.number == 0 {
			return ""
		}
		return fmt.Sprintf("#%d ", n)
	}
	if s.header.Parent == "" {
		line("parent", th.Paint(ui.Dim, "none: the first commit of its log"))
	} else {
		line("parent", number(s.number-1)+s.header.Parent)
	}
	if tone, text := s.child.say(); text != "" {
		line("child", th.Say(tone, text))
	}
}

func (s *commitScreen) view(w, h int, th *ui.Theme) []string {
	out := s.head(w, h, th)
	if s.warning != "" {
		out = append(out, th.Shown(ui.Warn, "! "+s.warning, w-2)...)
	}
	if s.err != nil {
		msg := s.failure("Reading the commit", s.err, w-4, th)
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
