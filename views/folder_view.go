package views

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

var liveColumns = []ui.Column{
	{Title: "name", Min: 14, Weight: 1},
	{Title: "size", Min: 10, Align: ui.Right},
	{Title: "modified (UTC)", Min: 16, Drop: 1},
	{Title: "versions", Min: 8, Align: ui.Right, Drop: 3},
	{Title: "version", Min: 12, Weight: 1, Max: 36, Drop: 2},
}

var atColumns = []ui.Column{
	{Title: "name", Min: 14, Weight: 2, Align: ui.Tail},
	{Title: "size", Min: 10, Align: ui.Right},
	{Title: "version", Min: 12, Weight: 1, Max: 36, Drop: 2},
	{Title: "ETag", Min: 12, Weight: 1, Max: 36, Drop: 3},
}

func (s *folder) drawFile(r *fileRow, out *ui.Row) {
	name := r.name
	if name == "" {
		name = "(the folder's own key)"
	}
	if s.at != nil {
		out.Add(ui.Plain, name)
		out.Add(ui.Plain, size(r.v.Size))
		out.Add(ui.Dim, r.v.ID)
		out.Add(ui.Dim, r.v.ETag)
		return
	}
	tone, sz := ui.Plain, ""
	if r.v.DeleteMarker || !r.v.Latest {
		tone, sz = ui.Dim, ui.MarkDeleted+" deleted"
	} else {
		sz = size(r.v.Size)
	}
	out.Add(tone, name)
	out.Add(tone, sz)
	out.Add(ui.Dim, stamp(r.v.Modified))
	out.Add(ui.Dim, strconv.Itoa(r.versions))
	out.Add(ui.Dim, r.v.ID)
}

// say is the line about the folder's newest commit.
func (h *headLine) say(s *folder) (ui.Tone, string) {
	_, why := canCommit(s.prefix())
	switch {
	case why != "":
		return ui.Dim, why
	case !h.done:
		return ui.Dim, "…"
	case h.err != nil && h.slot.Number == 0:
		return ui.Unsure, "? newest commit: could not be checked: " + h.err.Error()
	case h.slot.Number == 0 && h.aboveSlot.Number > 0:
		text := fmt.Sprintf("commits: %s #%d (folder above)", folderName(h.above), h.aboveSlot.Number)
		switch {
		case errors.Is(h.aboveSlot.Err, commit.ErrDeleted):
			return ui.Bad, "✗ " + text + ": its log entry was deleted"
		case h.aboveSlot.Err != nil:
			return ui.Unsure, "? " + text + ": its log entry could not be read"
		}
		return ui.Plain, text
	case h.slot.Number == 0:
		return ui.Dim, "no commit of this folder itself"
	case errors.Is(h.slot.Err, commit.ErrDeleted):
		return ui.Bad, fmt.Sprintf("✗ commit #%d: its log entry was deleted; l shows the log, a audits", h.slot.Number)
	case h.slot.Err != nil:
		return ui.Unsure, fmt.Sprintf("? commit #%d: its log entry could not be read: %v", h.slot.Number, h.slot.Err)
	case h.err != nil:
		return ui.Unsure, fmt.Sprintf("? commit #%d %s: could not be read: %v", h.slot.Number, commit.ShortID(h.slot.Entry.Commit), h.err)
	}
	return ui.Plain, fmt.Sprintf("● commit #%d  %s  %s by %s: %s", h.slot.Number, commit.ShortID(h.slot.Entry.Commit),
		age(s.Now(), h.header.Time), orNobody(h.header.Author), firstLine(h.header.Message))
}

func orNobody(author string) string {
	if author == "" {
		return "(no author)"
	}
	return author
}

func firstLine(message string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(message), "\n")
	if first == "" {
		return "(no message)"
	}
	if more && rest != "" {
		return first + " …"
	}
	return first
}

func (s *folder) view(w, h int, th *ui.Theme) []string {
	lw := min(max(w*3/10, 24), 48)
	rw := w - lw - 1
	left := append([]string{ui.Rule("folders", lw, !s.right, th)}, s.tree.View(lw, h-1, !s.right, th)...)
	title := "files, live"
	if s.at != nil {
		title = "files at " + s.at.ref
		if s.at.id != "" {
			title = "files at " + s.at.name()
			if s.at.num > 0 {
				title += " " + commit.ShortID(s.at.id)
			}
			if own, _ := canCommit(s.prefix()); own != s.at.in {
				title += " of " + folderName(s.at.in)
			}
		}
	}
	right := []string{ui.Rule(title, rw, s.right, th)}
	tone, text := s.head.say(s)
	if s.at != nil {
		text = "the folder's newest: " + text
	}
	lines := ui.Wrap(text, rw-2)
	for _, l := range lines[:min(len(lines), 2)] {
		right = append(right, " "+th.Paint(tone, l))
	}
	right = append(right, s.filesView(rw, h-len(right), th)...)
	return ui.Beside(ui.Block(left, lw, h), ui.Divider(h, th), ui.Block(right, rw, h))
}

// filesView is the table, or what there is to say instead of it.
func (s *folder) filesView(w, h int, th *ui.Theme) []string {
	var err error
	what := "Listing " + s.url(s.level.prefix)
	done, empty := s.level.done, "No files right here."
	if s.level.folders > 0 {
		empty += " Folders below: open one at the left."
	}
	if s.at != nil {
		err, done, what = s.at.err, s.at.done, "Reading commit "+s.at.ref
		empty = "This commit has no files here: none was live when it was made."
	} else {
		err = s.level.err
		if s.level.prefix == "" && s.level.folders == 0 {
			empty = "This bucket has no keys yet."
		}
	}
	if err == nil {
		if len(s.files.items) == 0 && done {
			return indent(th.Paragraph(ui.Dim, empty, w-4), w, h)
		}
		return s.files.view(w, h, s.right, th)
	}
	msg := failure(what, err, w-4, th)
	if errors.Is(err, commit.ErrUnknownRef) {
		msg = append(msg, th.Paragraph(ui.Dim, "l shows the folder's log; esc goes back to what is live.", w-4)...)
	}
	if len(s.files.items) == 0 {
		return indent(msg, w, h)
	}
	msg = indent(msg, w, min(len(msg)+1, h/2))
	return append(s.files.view(w, h-len(msg), s.right, th), msg...)
}

func (s *folder) status() string {
	n := int64(len(s.files.items))
	if s.at != nil {
		return fmt.Sprintf("%s at commit %s, %s", plural(n, "file"), s.at.ref, size(s.level.bytes))
	}
	where := s.level.prefix
	if where == "" {
		where = "bucket root"
	}
	text := fmt.Sprintf("%s: %s, %s, %s live", where, plural(int64(s.level.folders), "folder"), plural(n, "file"), size(s.level.bytes))
	if s.level.deleted > 0 {
		text += fmt.Sprintf(", %s deleted", count(int64(s.level.deleted)))
	}
	if v := s.level.valve; v != nil && v.waits() {
		text += "; there are more: scroll on to load them"
	}
	return text
}
