package ui

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Underlining goes on and off by itself, so that a row's reverse stays.
const (
	underlineSGR   = "\x1b[4m"
	noUnderlineSGR = "\x1b[24m"
)

// FitMarked is Fit with the characters underlined that begin at the bytes in marks,
// which ascend.
func FitMarked(s string, marks []int, w int, a Align) string {
	if w <= 0 {
		return ""
	}
	var b strings.Builder
	from, on, m := 0, false, 0
	flush := func(to int) {
		if from == to {
			return
		}
		if on {
			b.WriteString(underlineSGR)
		}
		b.WriteString(Clean(s[from:to]))
		if on {
			b.WriteString(noUnderlineSGR)
		}
		from = to
	}
	most := (w + 1) * maxCluster * utf8.UTFMax // as in Fit: no more of it can be seen
	for i := 0; i < len(s) && (a == Tail || i < most); {
		_, size := utf8.DecodeRuneInString(s[i:])
		for m < len(marks) && marks[m] < i {
			m++
		}
		if hit := m < len(marks) && marks[m] == i; hit != on {
			flush(i)
			on = hit
		}
		i += size
	}
	flush(min(len(s), max(from, lastStart(s, most, a))))
	out := b.String()
	n := Width(out)
	switch {
	case n > w && a == Tail:
		for cut := n - w + 1; n > w && cut <= n+1; cut++ {
			if t := ansi.TruncateLeft(out, cut, "…"); Width(t) <= w {
				out = t
				break
			}
		}
		n = Width(out)
	case n > w:
		out = ansi.Truncate(out, w, "…")
		n = Width(out)
	}
	if a == Right {
		return Spaces(w-n) + out
	}
	return out + Spaces(w-n)
}

// lastStart is where a text that is cut at the right may end unseen.
func lastStart(s string, most int, a Align) int {
	if a == Tail || len(s) <= most {
		return len(s)
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return most
}
