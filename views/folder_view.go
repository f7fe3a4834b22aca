package views

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

var liveColumns = []ui.Column{
	{Title: "", Min: 1},
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

// markTones are those of the column that says what became of a file since the
// newest commit.
var markTones = map[byte]ui.Tone{'+': ui.Good, '~': ui.Warn, '-': ui.Bad, '=': ui.Dim}

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
	if !r.v.Live() {
		tone, sz = ui.Dim, ui.MarkDeleted+" deleted"
	} else {
		sz = size(r.v.Size)
	}
	mark := byte(' ')
	if s.scan != nil && !strings.HasPrefix(r.key, commit.Root) {
		mark = s.scan.mark(r.key)
	}
	out.Add(markTones[mark], string(mark))
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
	case errors.Is(h.err, context.Canceled):
		return ui.Dim, s.keys("newest commit: cancelled; {reload} loads it")
	case h.err != nil && h.slot.Number == 0:
		return ui.Unsure, "? newest commit: could not be checked: " + briefly(h.err)
	case h.slot.Number == 0 && h.aboveSlot.Number > 0:
		text := fmt.Sprintf("commits: %s #%d (folder above)", folderName(h.above), h.aboveSlot.Number)
		switch {
		case errors.Is(h.aboveSlot.Err, commit.ErrDeleted):
			return ui.Bad, "✗ " + text + ": its log entry was deleted"
		case h.aboveSlot.Err != nil:
			return ui.Unsure, "? " + text + ": its log entry could not be read"
		}
		return ui.Plain, text
	case h.slot.Number == 0 && s.nothing():
		return ui.Dim, "no such folder, and no commit of it"
	case h.slot.Number == 0 && s.readOnly():
		return ui.Dim, "no commit of this folder itself"
	case h.slot.Number == 0:
		return ui.Dim, s.keys("no commit of this folder itself; {commit} makes the first")
	case errors.Is(h.slot.Err, commit.ErrDeleted):
		return ui.Bad, fmt.Sprintf(s.keys("✗ commit #%d: its log entry was deleted; {log} shows the log, {audit} audits"), h.slot.Number)
	case h.slot.Err != nil:
		return ui.Unsure, fmt.Sprintf("? commit #%d: its log entry could not be read: %v", h.slot.Number, h.slot.Err)
	case errors.Is(h.err, bucket.ErrNotFound):
		return ui.Bad, fmt.Sprintf(s.keys("✗ commit #%d %s: its commit object is gone; {log} shows the log, {audit} audits"), h.slot.Number, commit.ShortID(h.slot.Entry.Commit))
	case errors.Is(h.err, commit.ErrCorrupt), errors.Is(h.err, commit.ErrFormat):
		return ui.Bad, fmt.Sprintf(s.keys("✗ commit #%d %s: its commit object is not what was committed; {log} shows the log, {audit} audits"), h.slot.Number, commit.ShortID(h.slot.Entry.Commit))
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
	s.wide = w >= sideFrom && s.at == nil
	if w >= sideFrom {
		lw = min(w/5, 40)
	}
	sw := 0
	if s.wide {
		sw = min(w*3/10, 72)
	}
	rw := w - lw - 1
	if sw > 0 {
		rw -= sw + 1
	}
	left := append([]string{ui.Rule("folders", lw, !s.right, th)}, s.tree.View(lw, h-1, !s.right, th)...)
	right := []string{ui.Rule(s.filesTitle(), rw, s.right, th)}
	if !s.wide {
		right = append(right, s.summary(rw, summaryLines(h), th)...)
	}
	right = append(right, s.filesView(rw, h-len(right), th)...)
	panes := [][]string{ui.Block(left, lw, h), ui.Divider(h, th), ui.Block(right, rw, h)}
	if sw > 0 {
		panes = append(panes, ui.Divider(h, th), s.side(sw, h, th))
	}
	return ui.Beside(panes...)
}

// summaryLines is how many lines are told above the files, on a screen of h lines.
func summaryLines(h int) int {
	switch {
	case h < 16:
		return 3
	case h < 30:
		return 5
	}
	return 8
}

func (s *folder) filesTitle() string {
	if s.at == nil {
		return "files, live"
	}
	if s.at.id == "" {
		return "files at " + s.at.ref
	}
	title := "files at " + s.at.name()
	if s.at.num > 0 {
		title += " " + commit.ShortID(s.at.id)
	}
	if own, _ := canCommit(s.prefix()); own != s.at.in {
		title += " of " + folderName(s.at.in)
	}
	if s.at.hidden > 0 {
		title += fmt.Sprintf(": its log entry #%d is deleted", s.at.hidden)
	}
	return title
}

// filesView is the table, or what there is to say instead of it.
func (s *folder) filesView(w, h int, th *ui.Theme) []string {
	var err error
	what := "Listing " + s.url(s.level.prefix)
	done, empty := s.level.done, s.emptyText()
	if s.at != nil {
		err, done, what = s.at.err, s.at.done, "Reading commit "+s.at.ref
		empty = "This commit has no files here: none was live when it was made."
	} else {
		err = s.level.err
	}
	if err == nil {
		if len(s.files.items) == 0 && done && s.at == nil && s.level.folders > 0 && len(s.level.hidden) == 0 {
			return s.belowView(w, h, th)
		}
		if len(s.files.items) == 0 && done {
			return indent(th.Paragraph(ui.Dim, empty, w-4), w, h)
		}
		if fh := len(s.files.items) + 2; s.at == nil && s.level.done && !s.files.filter.Active() && h-fh >= len(s.tree.Selected().Children)+2 && s.level.folders > 0 {
			return append(s.files.view(w, fh, s.right, th), s.belowTable(w, h-fh, th)...)
		}
		return s.files.view(w, h, s.right, th)
	}
	msg := s.failure(what, err, w-4, th)
	if errors.Is(err, commit.ErrUnknownRef) {
		msg = append(msg, th.Paragraph(ui.Dim, s.keys("{log} shows the folder's log; {back} goes back to what is live."), w-4)...)
	}
	if len(s.files.items) == 0 {
		return indent(msg, w, h)
	}
	msg = indent(msg, w, min(len(msg)+1, h/2))
	return append(s.files.view(w, h-len(msg), s.right, th), msg...)
}

// emptyText says why there is no file, and what to do.
func (s *folder) emptyText() string {
	l := &s.level
	name, _ := canCommit(l.prefix)
	switch {
	case len(l.hidden) > 0:
		return plural(int64(len(l.hidden)), "deleted key") + s.keys(" and nothing live right here: {hide} shows them.")
	case l.prefix == "":
		return s.keys("This bucket has no keys yet. Put files into it with any S3 client; {reload} looks again.")
	case s.head.slot.Number > 0:
		return "No key is left here, not even a deleted one, but " + folderName(name) + s.keys(" has a log of commits: {log} shows it, {at} shows the files as one of them names them.")
	case !s.head.done:
		return "No files right here."
	case s.head.err != nil:
		return "There is no key under " + l.prefix + ", not even a deleted one. Whether it has commits could not be checked."
	}
	return "There is no folder " + l.prefix + " in this bucket: no key begins so, not even a deleted one, and it has no commits. " + s.keys("{left} goes to the folder above.")
}

func (s *folder) status() string {
	n := int64(len(s.files.items) + len(s.level.hidden))
	if s.at != nil {
		return fmt.Sprintf("%s at commit %s, %s", plural(n, "file"), s.at.ref, size(s.level.bytes))
	}
	where := s.level.prefix
	if where == "" {
		where = "bucket root"
	}
	if s.level.err != nil && n == 0 && s.level.folders == 0 {
		return where + ": not known"
	}
	text := fmt.Sprintf("%s: %s, %s, %s live", where, plural(int64(s.level.folders), "folder"), plural(n, "file"), size(s.level.bytes))
	switch deleted := count(int64(s.level.deleted)); {
	case s.hideDeleted:
		text += ", " + deleted + s.keys(" deleted (hidden: {hide} shows)")
	case s.level.deleted > 0:
		text += ", " + deleted + " deleted"
	}
	if v := s.level.valve; v != nil && v.waits() {
		text += "; there are more: scroll on to load them"
	}
	return text
}
