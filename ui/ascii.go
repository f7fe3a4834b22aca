package ui

import "strings"

// ascii are the signs that the program draws itself, and what a terminal without them
// shows instead: one column each, so that nothing moves.
var ascii = strings.NewReplacer(
	"─", "-", "━", "=", "│", "|", "┊", ":", "┌", "+", "└", "+", "├", "+", "╶", "-", "╭", "+", "╮", "+", "╯", "+", "╰", "+",
	"●", "@", "○", "o", "✗", "x", "≠", "&", "·", ".", "…", ".", "›", ">", "‹", "<", "▸", ">", "▾", "v", "▲", "^", "▼", "v",
	"↑", "^", "↓", "v", "←", "<", "→", ">", "↵", "|", "×", "x", "µ", "u", "–", "-", "≤", "<", "≥", ">", "░", ".",
	"▁", ".", "▂", ":", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "%", "█", "#",
	"⠋", "|", "⠙", "/", "⠹", "-", "⠸", "\\", "⠼", "|", "⠴", "/", "⠦", "-", "⠧", "\\", "⠇", "|", "⠏", "/",
)

// ASCII draws a finished frame without the signs that poor terminals lack. Signs
// within a bucket's own texts are replaced with them; other letters stay.
func ASCII(frame string) string { return ascii.Replace(frame) }

// PoorTerminal says that a terminal lacks such signs: by its TERM, or since the locale
// is set and is not UTF-8. env gives a variable of the environment, empty if not set.
func PoorTerminal(env func(string) string) bool {
	switch env("TERM") {
	case "linux", "vt100", "vt102", "vt220", "ansi", "cons25":
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := env(name); v != "" {
			v = strings.ToUpper(v)
			return !strings.Contains(v, "UTF-8") && !strings.Contains(v, "UTF8")
		}
	}
	return false
}
