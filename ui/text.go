// Package ui holds the widgets, the theme and the keys of the terminal program.
// It knows nothing of buckets or commits. A widget gives lines of text that are
// exactly as wide as it was told; every string that it is given may be hostile
// and is made safe here, at the widget's boundary.
//
// Nothing in this package may be used from several goroutines at once.
package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"provcat-tui/internal/safe"
)

// maxCluster is the most code points that one character on the screen may be
// made of; what is stacked higher is shown as escapes.
const maxCluster = 8

// Clean makes s fit for a line of the screen: safe.Text, and besides every
// character is escaped whose width terminals don't agree on (emoji sequences,
// variation selectors, marks without a letter, towers of combining marks), so
// that columns stay straight everywhere.
func Clean(s string) string {
	if printable(s) {
		return s
	}
	s = safe.Text(s)
	if printable(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if c == "" {
			break
		}
		s = s[len(c):]
		if w == ansi.StringWidthWc(c) && alone(c) && utf8.RuneCountInString(c) <= maxCluster {
			b.WriteString(c)
			continue
		}
		for i, r := range c {
			if i == 0 && alone(string(r)) && ansi.StringWidth(string(r)) == ansi.StringWidthWc(string(r)) {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, `\u{%x}`, r)
			}
		}
	}
	return b.String()
}

// alone says whether c has a width and keeps it whatever comes before: it does not
// join the character at its left.
func alone(c string) bool {
	_, w := ansi.FirstGraphemeCluster(c, ansi.GraphemeWidth)
	first, _ := ansi.FirstGraphemeCluster(" "+c, ansi.GraphemeWidth)
	return w > 0 && first == " "
}

// printable says whether s is ASCII that shows as it is. A backslash is not: it
// begins an escape.
func printable(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

// Width is the number of columns that a line takes; styles take none.
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= 0x20 && c < 0x7f:
			n++
			i++
		case c == 0x1b && i+1 < len(s) && s[i+1] == '[':
			end := i + 2
			for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == ';') {
				end++
			}
			if end == len(s) || s[end] != 'm' && s[end] != 'z' { // a style, or the sign of a spot
				return ansi.StringWidth(s)
			}
			i = end + 1
		default:
			// The marks and lines of our own screens, as long as nothing can join them.
			r, size := utf8.DecodeRuneInString(s[i:])
			own := r >= 0x2500 && r <= 0x257f || r == '…' || r == '›'
			if !own || i+size < len(s) && s[i+size] >= 0x80 && s[i+size] != 0xe2 {
				return ansi.StringWidth(s)
			}
			n++
			i += size
		}
	}
	return n
}

const blanks = "                                                                                                                                "

// Spaces gives n spaces; none for n below 1.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Align says how Fit places and cuts a text.
type Align int

// The alignments. Tail cuts at the left, so that the end of a path stays seen.
const (
	Left Align = iota
	Right
	Tail
)

// Fit makes s safe and exactly w columns wide.
func Fit(s string, w int, a Align) string {
	if w <= 0 {
		return ""
	}
	if a != Tail {
		// No character of the screen takes more bytes than this, so the rest of
		// a huge string need not be looked at.
		if most := (w + 1) * maxCluster * utf8.UTFMax; len(s) > most {
			for most > 0 && !utf8.RuneStart(s[most]) {
				most--
			}
			s = s[:most]
		}
	}
	s = Clean(s)
	n := Width(s)
	if n > w {
		if a == Tail {
			// A wide character at the cut goes whole.
			for cut := n - w + 1; n > w && cut <= n+1; cut++ {
				t := ansi.TruncateLeft(s, cut, "…")
				if Width(t) <= w {
					s = t
					break
				}
			}
		} else {
			s = ansi.Truncate(s, w, "…")
		}
		n = Width(s)
	}
	if a == Right {
		return Spaces(w-n) + s
	}
	return s + Spaces(w-n)
}

// writeFit is Fit into a builder, without a copy for what is plain ASCII.
func writeFit(b *strings.Builder, s string, w int, a Align) {
	if w <= 0 {
		return
	}
	if a == Tail && len(s) > w || len(s) > 4*w || !printable(s) {
		b.WriteString(Fit(s, w, a))
		return
	}
	if len(s) > w {
		b.WriteString(s[:w-1])
		b.WriteString("…")
		return
	}
	if a == Right {
		b.WriteString(Spaces(w - len(s)))
	}
	b.WriteString(s)
	if a != Right {
		b.WriteString(Spaces(w - len(s)))
	}
}

// Pad makes a line that is already safe, and may be styled, exactly w columns wide.
func Pad(line string, w int) string {
	if w <= 0 {
		return ""
	}
	n := Width(line)
	if n > w {
		line = ansi.Truncate(line, w, "…")
		n = Width(line)
	}
	return line + Spaces(w-n)
}

// Block makes lines that are already safe exactly w wide and h high.
func Block(lines []string, w, h int) []string {
	if h < 0 {
		h = 0
	}
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = Pad(lines[i], w)
		} else {
			out[i] = Spaces(w)
		}
	}
	return out
}

// Wrap makes s safe and breaks it into lines of at most w columns; a newline in
// s begins a new line. Never less than one line.
func Wrap(s string, w int) []string { return wrap(s, w, Clean) }

// WrapShown is Wrap for a text that is fit to be shown already, such as an error's:
// its escapes are not escaped again. What is not fit is made so all the same.
func WrapShown(s string, w int) []string {
	return wrap(s, w, func(p string) string {
		parts := strings.Split(p, `\`)
		for i := range parts {
			parts[i] = Clean(parts[i])
		}
		return strings.Join(parts, `\`)
	})
}

// WrapPath makes a key safe and breaks it after slashes, and elsewhere only where
// a name alone is wider than w.
func WrapPath(s string, w int) []string {
	w = max(w, 1)
	var out []string
	line := ""
	for _, name := range strings.SplitAfter(Clean(s), "/") {
		if line != "" && Width(line)+Width(name) > w {
			out, line = append(out, line), ""
		}
		line += name
		if Width(line) > w {
			parts := strings.Split(ansi.Hardwrap(line, w, true), "\n")
			out, line = append(out, parts[:len(parts)-1]...), parts[len(parts)-1]
		}
	}
	return append(out, line)
}

func wrap(s string, w int, clean func(string) string) []string {
	if w < 1 {
		w = 1
	}
	var out []string
	for _, p := range strings.Split(s, "\n") {
		p = strings.TrimRight(clean(strings.ReplaceAll(p, "\t", "    ")), " ")
		// ansi.Wrap breaks at every hyphen, also inside a date or a key. The
		// stand-in is one column wide and cannot be in a cleaned text.
		p = ansi.Wrap(strings.ReplaceAll(p, "-", "\ue000"), w, " ")
		for _, l := range strings.Split(strings.ReplaceAll(p, "\ue000", "-"), "\n") {
			out = append(out, Pad(strings.TrimRight(l, " "), min(w, Width(strings.TrimRight(l, " ")))))
		}
	}
	return out
}

// Beside joins blocks of equal height, left to right.
func Beside(blocks ...[]string) []string {
	if len(blocks) == 0 {
		return nil
	}
	out := make([]string, len(blocks[0]))
	for i := range out {
		for _, b := range blocks {
			if i < len(b) {
				out[i] += b[i]
			}
		}
	}
	return out
}
