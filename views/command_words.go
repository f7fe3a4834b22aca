package views

import (
	"strings"
	"unicode/utf8"
)

// A word of a command line, without its quotes, and the bytes of the line that it is.
type word struct {
	text     string
	from, to int
}

// splitWords takes a command line apart as a shell does: spaces between words, text in
// '…', "…" and $'…' (as safe.Shell writes it), and a backslash before one character.
// open says that the line ends inside quotes; what there is counts as a word.
func splitWords(line string) (words []word, open bool) {
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		w := word{from: i}
		var b strings.Builder
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			n, closed := takePart(&b, line[i:])
			i += n
			open = !closed
		}
		w.text, w.to = b.String(), i
		words = append(words, w)
	}
	return words, open
}

// takePart takes the quoted text or the one character with which s begins.
func takePart(b *strings.Builder, s string) (n int, closed bool) {
	switch {
	case s[0] == '\'':
		end := strings.IndexByte(s[1:], '\'')
		if end < 0 {
			b.WriteString(s[1:])
			return len(s), false
		}
		b.WriteString(s[1 : 1+end])
		return end + 2, true
	case s[0] == '"':
		for i := 1; i < len(s); i++ {
			switch {
			case s[i] == '"':
				return i + 1, true
			case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\\"$`", s[i+1]) >= 0:
				i++
			}
			b.WriteByte(s[i])
		}
		return len(s), false
	case strings.HasPrefix(s, "$'"):
		return takeEscaped(b, s)
	case s[0] == '\\' && len(s) > 1:
		_, size := utf8.DecodeRuneInString(s[1:])
		b.WriteString(s[1 : 1+size])
		return 1 + size, true
	}
	b.WriteByte(s[0])
	return 1, true
}

// takeEscaped takes $'…'.
func takeEscaped(b *strings.Builder, s string) (n int, closed bool) {
	letters := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"', 'e': 0x1b, 'a': 7, 'b': 8, 'f': 12, 'v': 11}
	for i := 2; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			return i + 1, true
		case s[i] == '\\' && i+1 < len(s):
			i++
			if c, ok := letters[s[i]]; ok {
				b.WriteByte(c)
				continue
			}
			value, digits := 0, 0
			for digits < 3 && i+digits < len(s) && s[i+digits] >= '0' && s[i+digits] <= '7' {
				value = value*8 + int(s[i+digits]-'0')
				digits++
			}
			if digits == 0 {
				b.WriteByte('\\')
				b.WriteByte(s[i])
				continue
			}
			b.WriteByte(byte(value))
			i += digits - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return len(s), false
}

// wordAt is the word at a byte of the line, up to there, as it is being typed, with
// those before it; an empty one where none was begun.
func wordAt(line string, cursor int) (before []word, at word) {
	words, _ := splitWords(line[:cursor])
	if n := len(words); n > 0 && words[n-1].to == cursor {
		return words[:n-1], words[n-1]
	}
	return words, word{from: cursor, to: cursor}
}
