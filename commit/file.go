package commit

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// file picks a file's members out of v, which the token stream has checked: it is
// valid JSON, and no name stands in it twice. The next read overwrites what it gives.
func (d *decoder) file(v []byte) (Record, error) {
	if len(v) == 0 || v[0] != '{' {
		return Record{}, formatError("file %d is not an object", d.obj.Files+1)
	}
	f := Record{Size: -1}
	var hasPath, hasVersion bool
	i := 1
	for {
		i = skipSpace(v, i)
		if v[i] == '}' {
			break
		}
		if v[i] == ',' {
			i = skipSpace(v, i+1)
		}
		end := stringEnd(v, i)
		name := text(v[i:end], nil)
		i = skipSpace(v, skipSpace(v, end)+1) // the colon stands between
		end = valueEnd(v, i)
		val := v[i:end]
		i = end
		switch string(name) {
		case "path":
			if val[0] != '"' {
				return Record{}, formatError("the path of file %d is not a string", d.obj.Files+1)
			}
			f.Path, hasPath = text(val, nil), true
		case "version":
			if val[0] != '"' {
				return Record{}, formatError("the version of file %d is not a string", d.obj.Files+1)
			}
			f.Version, hasVersion = text(val, nil), true
		case "etag":
			if val[0] == '"' {
				f.ETag = text(val, nil)
			}
		case "size":
			if n, ok := integer(val); ok && n >= 0 {
				f.Size = n
			}
		}
	}
	if !hasPath || !hasVersion {
		return Record{}, formatError("file %d has no path or no version", d.obj.Files+1)
	}
	return f, nil
}

func skipSpace(v []byte, i int) int {
	for v[i] == ' ' || v[i] == '\n' || v[i] == '\r' || v[i] == '\t' {
		i++
	}
	return i
}

// stringEnd gives the index after the string that starts at i.
func stringEnd(v []byte, i int) int {
	for i++; ; {
		q := i + bytes.IndexByte(v[i:], '"')
		// The quote ends the string unless an odd number of backslashes stands
		// before it.
		b := q
		for v[b-1] == '\\' && b > i {
			b--
		}
		if (q-b)%2 == 0 {
			return q + 1
		}
		i = q + 1
	}
}

// valueEnd gives the index after the value that starts at i.
func valueEnd(v []byte, i int) int {
	switch v[i] {
	case '"':
		return stringEnd(v, i)
	case '{', '[':
		for depth := 0; ; {
			switch v[i] {
			case '"':
				i = stringEnd(v, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for {
		switch v[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
}

// text gives what a quoted string means. Without escapes it is the bytes
// themselves, which the next read overwrites.
func text(quoted, dst []byte) []byte {
	in := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return in
	}
	dst, _ = jsontext.AppendUnquote(dst, quoted) // checked before
	return dst
}
