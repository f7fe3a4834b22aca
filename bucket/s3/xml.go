package s3

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// xmlScanner walks over one XML document in memory. It takes a subset of XML
// 1.0 in UTF-8: elements, attributes, text, the five named entities and
// character references. Whatever else it meets (comments, CDATA, DOCTYPE,
// processing instructions, prefixed element names) is an error: no listing holds
// them, and what is not understood must not be skipped.
type xmlScanner struct {
	b []byte
	i int
}

// maxDepth bounds the nesting of elements that are skipped.
const maxDepth = 32

func (s *xmlScanner) errorf(format string, args ...any) error {
	return fmt.Errorf("at byte %d: %s", s.i, fmt.Sprintf(format, args...))
}

func (s *xmlScanner) space() {
	if s.i < len(s.b) && s.b[s.i] == '<' {
		return
	}
	s.spaces()
}

func (s *xmlScanner) spaces() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\t', '\r':
			s.i++
		default:
			return
		}
	}
}

// declaration is the XML declaration of XML 1.0 (section 2.8), in UTF-8.
var declaration = regexp.MustCompile(`^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.0"|'1\.0')` +
	`(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"(?i:utf-8)"|'(?i:utf-8)'))?` +
	`(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>`)

// prolog takes a byte order mark and an XML declaration, where given.
func (s *xmlScanner) prolog() error {
	s.b = bytes.TrimPrefix(s.b, []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(s.b, []byte("<?xml")) {
		return nil
	}
	d := declaration.Find(s.b)
	if d == nil {
		return s.errorf("not an XML 1.0 declaration with UTF-8: %.60q", s.b)
	}
	s.i = len(d)
	return nil
}

// tag reads a start tag or an end tag, of which s.i is the "<". The name is
// given without the brackets; an end tag's name starts with "/".
func (s *xmlScanner) tag() (name []byte, empty bool, err error) {
	if s.i >= len(s.b) {
		return nil, false, s.errorf("the document ends too early")
	}
	if s.b[s.i] != '<' {
		return nil, false, s.errorf("text where an element is due")
	}
	n := bytes.IndexByte(s.b[s.i:], '>')
	if n < 0 {
		return nil, false, s.errorf("the document ends inside a tag")
	}
	raw := s.b[s.i+1 : s.i+n]
	switch string(raw) {
	case "Key", "VersionId", "IsLatest", "LastModified", "ETag", "Size", "StorageClass",
		"Owner", "ID", "DisplayName", "/Owner", "Version", "/Version", "DeleteMarker", "/DeleteMarker":
		// What makes up an entry needs no look at each letter.
		s.i += n + 1
		return raw, false, nil
	}
	k := 0
	if k < len(raw) && raw[0] == '/' {
		k++
	}
	first := k
	for k < len(raw) && nameByte[raw[k]] {
		k++
	}
	if k == first || raw[first] < 'A' {
		return nil, false, s.errorf("not an element that is understood: <%.20q", raw)
	}
	if k == len(raw) {
		s.i += n + 1
		return raw, false, nil
	}
	name = raw[:k]
	s.i += 1 + k
	if first == 1 { // an end tag may have white space before its ">"
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != '>' {
			return nil, false, s.errorf("an end tag with more than a name")
		}
		s.i++
		return name, false, nil
	}
	empty, err = s.attributes()
	return name, empty, err
}

// nameByte holds the bytes of element names. No colon: a prefix could mean a
// namespace that is not S3's.
var nameByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
	}
	return t
}()

// attributes checks the rest of a start tag and takes it.
func (s *xmlScanner) attributes() (empty bool, err error) {
	for {
		before := s.i
		s.space()
		if s.i >= len(s.b) {
			return false, s.errorf("the document ends inside a tag")
		}
		switch s.b[s.i] {
		case '>':
			s.i++
			return false, nil
		case '/':
			if s.i+1 < len(s.b) && s.b[s.i+1] == '>' {
				s.i += 2
				return true, nil
			}
			return false, s.errorf("a stray / in a tag")
		}
		start, colons := s.i, 0
		for s.i < len(s.b) && (nameByte[s.b[s.i]] || s.b[s.i] == ':') {
			if s.b[s.i] == ':' {
				colons++
			}
			s.i++
		}
		if before == start || s.i == start || s.b[start] < 'A' || colons > 1 || s.b[start] == ':' {
			return false, s.errorf("not an attribute")
		}
		if s.i+1 >= len(s.b) || s.b[s.i] != '=' || (s.b[s.i+1] != '"' && s.b[s.i+1] != '\'') {
			return false, s.errorf("an attribute without a quoted value")
		}
		quote := s.b[s.i+1]
		s.i += 2
		n := bytes.IndexByte(s.b[s.i:], quote)
		if n < 0 {
			return false, s.errorf("the document ends inside a tag")
		}
		value := s.b[s.i : s.i+n]
		if bytes.IndexByte(value, '<') >= 0 {
			return false, s.errorf("< in an attribute")
		}
		if !plain(value) {
			if _, err := unescape(bytes.Clone(value)); err != nil {
				return false, s.errorf("%s", err)
			}
		}
		s.i += n + 1
	}
}

// text reads an element's text and its end tag. The start tag was read. The
// text is decoded in place and valid until the document's buffer is used again.
func (s *xmlScanner) text(name string, empty bool) ([]byte, error) {
	if empty {
		return nil, nil
	}
	n := bytes.IndexByte(s.b[s.i:], '<')
	if n < 0 {
		return nil, s.errorf("the document ends inside <%s>", name)
	}
	t := s.b[s.i : s.i+n]
	s.i += n
	end := s.i + 2 + len(name)
	if end < len(s.b) && s.b[end] == '>' && s.b[s.i+1] == '/' && string(s.b[s.i+2:end]) == name {
		s.i = end + 1
	} else {
		got, _, err := s.tag()
		if err != nil {
			return nil, err
		}
		if got[0] != '/' || string(got[1:]) != name {
			return nil, s.errorf("<%.40s> inside <%s>", got, name)
		}
	}
	if plain(t) {
		return t, nil
	}
	if n := len(t); n >= 12 && string(t[:6]) == "&quot;" && string(t[n-6:]) == "&quot;" && plain(t[6:n-6]) {
		t = t[5 : n-5] // an ETag as Amazon writes it
		t[0], t[len(t)-1] = '"', '"'
		return t, nil
	}
	t, err := unescape(t)
	if err != nil {
		return nil, s.errorf("<%s>: %s", name, err)
	}
	return t, nil
}

// skip takes the rest of an element with all that is in it, and says whether
// there were elements in it.
func (s *xmlScanner) skip(name []byte, depth int) (nested bool, err error) {
	if depth > maxDepth {
		return false, s.errorf("more than %d levels deep", maxDepth)
	}
	for {
		n := bytes.IndexByte(s.b[s.i:], '<')
		if n < 0 {
			return false, s.errorf("the document ends inside <%.40s>", name)
		}
		if t := s.b[s.i : s.i+n]; !plain(t) {
			if _, err := unescape(bytes.Clone(t)); err != nil {
				return false, s.errorf("<%.40s>: %s", name, err)
			}
		}
		s.i += n
		got, empty, err := s.tag()
		if err != nil {
			return false, err
		}
		if got[0] == '/' {
			if !bytes.Equal(got[1:], name) {
				return false, s.errorf("<%.40s> ends as <%.40s>", name, got)
			}
			return nested, nil
		}
		nested = true
		if !empty {
			if _, err := s.skip(got, depth+1); err != nil {
				return false, err
			}
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain says that every byte of t is printable ASCII or DEL, and neither & nor
// ]: text that stands for itself. Eight bytes at a time.
func plain(t []byte) bool {
	for len(t) >= 8 {
		w := binary.LittleEndian.Uint64(t)
		amp, bracket := w^(ones*'&'), w^(ones*']')
		// In each sum the high bit of a byte is set if the byte is below 0x20,
		// or zero after the XOR; or, rarely, its neighbour is: the loop below
		// then says no where it could say yes, which only costs time.
		if (w|(w-ones*0x20)&^w|(amp-ones)&^amp|(bracket-ones)&^bracket)&highs != 0 {
			return false
		}
		t = t[8:]
	}
	for _, c := range t {
		if c < 0x20 || c >= 0x80 || c == '&' || c == ']' {
			return false
		}
	}
	return true
}

// unescape decodes text in place: entities, character references, and the two
// characters of a line's end to one as XML 1.0 (2.11) has it.
func unescape(t []byte) ([]byte, error) {
	out := t[:0]
	for i := 0; i < len(t); {
		switch c := t[i]; {
		case c == '&':
			r, n, err := entity(t[i:])
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, r)
			i += n
		case c == '\r':
			// A parser reads it as a line feed, so the store cannot have meant
			// the key that it wrote.
			return nil, fmt.Errorf("a carriage return that is not escaped")
		case c < 0x20 && c != '\t' && c != '\n':
			return nil, fmt.Errorf("a control character that is not escaped")
		case c == ']' && i+2 < len(t) && t[i+1] == ']' && t[i+2] == '>':
			return nil, fmt.Errorf("]]> in text")
		case c < 0x80:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(t[i:])
			if r == utf8.RuneError && n == 1 || r == 0xfffe || r == 0xffff {
				return nil, fmt.Errorf("not valid UTF-8")
			}
			out = append(out, t[i:i+n]...)
			i += n
		}
	}
	return out, nil
}

// entity decodes the reference at the start of t. What it decodes to is never
// longer than the reference.
func entity(t []byte) (r rune, n int, err error) {
	end := bytes.IndexByte(t[:min(len(t), 12)], ';')
	if end < 0 {
		return 0, 0, fmt.Errorf("& that starts no entity")
	}
	name := t[1:end]
	switch string(name) {
	case "amp":
		return '&', end + 1, nil
	case "lt":
		return '<', end + 1, nil
	case "gt":
		return '>', end + 1, nil
	case "quot":
		return '"', end + 1, nil
	case "apos":
		return '\'', end + 1, nil
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, 0, fmt.Errorf("unknown entity &%.12q", name)
	}
	digits, base := name[1:], rune(10)
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	if len(digits) == 0 {
		return 0, 0, fmt.Errorf("a character reference without a number")
	}
	for _, c := range digits {
		d := hexValue[c]
		if d < 0 || rune(d) >= base {
			return 0, 0, fmt.Errorf("not a character reference: &%.12q", name)
		}
		r = r*base + rune(d)
		if r > utf8.MaxRune {
			return 0, 0, fmt.Errorf("a character past the end of Unicode")
		}
	}
	// XML 1.0 (2.2): controls other than these three, surrogates and the two
	// non-characters cannot even be referred to.
	if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r >= 0xd800 && r < 0xe000 || r == 0xfffe || r == 0xffff {
		return 0, 0, fmt.Errorf("a character that XML does not have: &%.12q", name)
	}
	return r, end + 1, nil
}

// hexValue is a hex digit's value, −1 for other bytes.
var hexValue = func() (t [256]int8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = int8(c - '0')
		case c >= 'a' && c <= 'f':
			t[c] = int8(c - 'a' + 10)
		case c >= 'A' && c <= 'F':
			t[c] = int8(c - 'A' + 10)
		default:
			t[c] = -1
		}
	}
	return t
}()
