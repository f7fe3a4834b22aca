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
	h.lines, h.page = len(lines), max(ht-2, 1)
	h.top = max(min(h.top, h.lines-h.page), 0)
	title := "Keys"
	if h.lines > h.page {
		title = "Keys (more: ↓)"
	}
	return ui.Over(body, ui.Box(title, lines[h.top:min(h.top+h.page, h.lines)], bw, th), w, ht)
}
