package ui

import (
	"fmt"
	"strings"
	"time"
)

// The least size that the screens are made for.
const (
	MinWidth  = 60
	MinHeight = 15
)

// TooSmall is the whole screen where the terminal is smaller than that.
func TooSmall(w, h int) []string {
	text := fmt.Sprintf("The terminal is too small: %d×%d, needs %d×%d. Make it larger, or press q.", w, h, MinWidth, MinHeight)
	return Block(Wrap(text, w), w, h)
}

// Crumbs is the line at the top: the way here, the last piece whole as long as
// it fits, and badges at the right.
func Crumbs(parts []string, badges string, w int, th *Theme) string {
	room := w - Width(badges)
	if badges != "" {
		room--
	}
	const sep = " › "
	clean := make([]string, len(parts))
	for i, p := range parts {
		clean[i] = Clean(p)
	}
	total := func() int {
		n := 0
		for i, p := range clean {
			if i > 0 {
				n += Width(sep)
			}
			n += Width(p)
		}
		return n
	}
	for total() > room && len(clean) > 1 {
		if clean[0] == "…" {
			clean = clean[1:]
			if len(clean) > 1 {
				clean[0] = "…"
			}
			continue
		}
		clean[0] = "…"
	}
	for i := range clean {
		spot := ""
		if clean[i] != "…" {
			spot = th.Mark(Spot{W: Width(clean[i]), H: 1, Crumb: len(clean) - i})
		}
		if i == len(clean)-1 {
			clean[i] = spot + th.Paint(Strong, Pad(clean[i], min(Width(clean[i]), max(room, 1))))
		} else {
			clean[i] = spot + th.Paint(Dim, clean[i])
		}
	}
	left := Pad(strings.Join(clean, th.Paint(Dim, sep)), max(room, 0))
	if badges == "" {
		return left
	}
	return Pad(left+" "+badges, w)
}

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// SpinnerAfter is how long work goes on unseen; what is quicker needs no sign.
const SpinnerAfter = 100 * time.Millisecond

// Spinner is the sign that something is under way, for the time that it took so
// far; a blank before SpinnerAfter.
func Spinner(since time.Duration) string {
	if since < SpinnerAfter {
		return " "
	}
	return spinner[int(since/SpinnerAfter)%len(spinner)]
}

// Bar is a progress bar of w columns; total 0: not known, which shows none.
func Bar(done, total int64, w int) string {
	if total <= 0 || w < 3 {
		return ""
	}
	full := int(float64(min(max(done, 0), total)) / float64(total) * float64(w))
	return strings.Repeat("█", full) + strings.Repeat("░", w-full)
}

// Centre puts lines in the middle of a block of w×h.
func Centre(lines []string, w, h int) []string {
	out := make([]string, 0, h)
	for range max((h-len(lines))/3, 0) {
		out = append(out, "")
	}
	for _, l := range lines {
		out = append(out, Spaces((w-Width(l))/2)+l)
	}
	return Block(out, w, h)
}

// Rule is a line across, with a title.
func Rule(title string, w int, focused bool, th *Theme) string {
	if w <= 0 {
		return ""
	}
	tone, dash := Dim, "─"
	if focused {
		tone, dash = Strong, "━"
	}
	t := Clean(title)
	if Width(t)+4 > w {
		t = strings.TrimRight(Fit(title, max(w-4, 0), Left), " ")
	}
	s := dash + " " + t + " "
	if t == "" {
		s = ""
	}
	return th.Paint(tone, Pad(s+strings.Repeat(dash, max(w-Width(s), 0)), w))
}

// Column of bars between two panes, h high.
func Divider(h int, th *Theme) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		out[i] = th.Paint(Dim, "│")
	}
	return out
}
