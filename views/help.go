package views

import (
	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// help lists the keys that work on the shown screen, over it.
type help struct {
	top   int
	page  int
	lines int
}

// press scrolls, or tells with a non-empty answer that the help is to be closed.
func (h *help) press(k tea.KeyPressMsg, _ ui.Keymap) string {
	switch k.String() {
	case "up", "k":
		h.top--
	case "down", "j":
		h.top++
	case "pgup":
		h.top -= h.page
	case "pgdown", "space":
		h.top += h.page
	case "home", "g":
		h.top = 0
	case "end", "G":
		h.top = h.lines
	case "esc", "?", "q", "enter":
		return "close"
	}
	h.top = max(min(h.top, h.lines-h.page), 0)
	return ""
}

func (h *help) over(body []string, keys ui.Keymap, on ui.Enabled, w, ht int, th *ui.Theme) []string {
	bw := min(w-8, 84)
	lines := keys.HelpLines(on, bw, th)
	lines = append(lines, markLines(bw, th)...)
	h.lines, h.page = len(lines), max(ht-2, 1)
	h.top = max(min(h.top, h.lines-h.page), 0)
	title := "Keys"
	if h.lines > h.page {
		title = "Keys (more: ↓)"
	}
	return ui.Over(body, ui.Box(title, lines[h.top:min(h.top+h.page, h.lines)], bw, th), w, ht)
}

// marks are the signs on all screens, and what they mean.
var marks = [][2]string{
	{ui.MarkSound, "sound as far as it was read; of an object: live"},
	{ui.MarkDeleted, "damage: deleted, gone, or not the bytes that were committed"},
	{ui.MarkRemade, "damage: a log entry that names another commit than it did"},
	{ui.MarkGap, "damage: log entries of which nothing is left"},
	{ui.MarkUnsure, "could not be checked; it is not known to be missing"},
	{"!", "a risk: sound now, but a rule or a setting will break it"},
	{"~", "an anomaly that may be harmless; in a comparison: changed"},
	{"+ ~ - =", "of a file, beside the newest commit: new, changed, deleted, as it has it; blank: not compared (yet)"},
	{"● ✗ ↓", "of a folder: it has a log; damage of it is known; damage further down is known"},
	{"·", "worth knowing, nothing to do"},
	{"○", "a noncurrent version: not live, still readable by its ID"},
}

func markLines(w int, th *ui.Theme) []string {
	out := []string{"", th.Paint(ui.Strong, ui.Fit("Marks", w, ui.Left))}
	for _, m := range marks {
		for i, l := range ui.Wrap(m[1], max(w-16, 8)) {
			mark := ""
			if i == 0 {
				mark = "  " + m[0]
			}
			out = append(out, ui.Pad(th.Paint(ui.Accent, ui.Fit(mark, 15, ui.Left))+" "+l, w))
		}
	}
	return out
}
