// Package safe makes strings that came from outside fit to be shown: nothing
// that passed through it can move a cursor, change a colour, hide text, or end
// a shell word. It knows nothing of the rest of the program, and every package
// may use it.
package safe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text gives s on one line of printable characters: control characters, escape
// sequences, line and direction marks, other invisible characters and bytes that
// are not UTF-8 become \x1b, \n, \u202e and the like, and a backslash becomes
// two, so that no two strings look alike.
func Text(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '\\' {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !shown(r):
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// shown says whether a terminal shows r as a mark of its own (or joins it to
// the letter before), without side effects. Spaces other than U+0020 are
// escaped too: they look like it.
func shown(r rune) bool {
	if r == ' ' {
		return true
	}
	// unicode.Other covers controls, formats (bidi, zero width, tags),
	// surrogates and private use.
	return !unicode.Is(unicode.Z, r) && !unicode.Is(unicode.C, r) && unicode.IsGraphic(r)
}

// Shell quotes s as one word for a POSIX shell; with control characters or
// invalid UTF-8 in the $'…' form of bash, zsh and POSIX.1-2024.
func Shell(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@,+%~", r))
	}) < 0 && s[0] != '~' && s[0] != '=' {
		return s
	}
	plain := true
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !shown(r) {
			plain = false
			break
		}
		i += n
	}
	if plain {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError && n == 1 || !shown(r):
			// Octal, three digits: no following character can be taken in.
			for j := i; j < i+n; j++ {
				fmt.Fprintf(&b, `\%03o`, s[j])
			}
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// JSON encodes v like encoding/json, without HTML escaping, indented, with a
// final newline, and with every character that Text would escape as \uXXXX, so
// that a report may be shown on a terminal as it is.
func JSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeJSON(buf.Bytes()), nil
}

// JSONLine is JSON on one line.
func JSONLine(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeJSON(buf.Bytes()), nil
}

func escapeJSON(in []byte) []byte {
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		if in[i] < 0x7f {
			// Controls below 0x20 are already escaped inside strings; what is
			// left is the layout's own white space.
			out = append(out, in[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(in[i:])
		switch {
		case shown(r):
			out = append(out, in[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}
