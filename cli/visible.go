package cli

import (
	"io"
	"strings"
	"unicode/utf8"

	"provcat-tui/internal/safe"
)

// visible passes text on and makes everything else visible: line ends, tabs and
// backslashes stay, what could act on a terminal is escaped.
type visible struct {
	w    io.Writer
	rest []byte // the start of a character whose end has not come yet
}

func (v *visible) Write(p []byte) (int, error) {
	data := append(v.rest, p...)
	cut := len(data)
	// A character has at most four bytes: look for an unfinished one at the end.
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if b := data[len(data)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-i:]) {
				cut = len(data) - i
			}
			break
		}
	}
	v.rest = append([]byte(nil), data[cut:]...)
	if _, err := io.WriteString(v.w, escapeText(string(data[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes what is left over: bytes that are no character.
func (v *visible) flush() error {
	_, err := io.WriteString(v.w, escapeText(string(v.rest)))
	v.rest = nil
	return err
}

func escapeText(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "\n\t\\")
		if i < 0 {
			b.WriteString(safe.Text(s))
			break
		}
		b.WriteString(safe.Text(s[:i]))
		b.WriteByte(s[i])
		s = s[i+1:]
	}
	return b.String()
}
