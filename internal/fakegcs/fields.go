package fakegcs

import (
	"encoding/json"
	"errors"
	"strings"
)

// The parameter fields, a partial response (guide, "Performance tips", partial
// responses): a,b/c,d(e,f), where * is every member. A name that is nothing is
// left out, as in the service for the names of a map; the service refuses a name
// that no resource has, which is not checked here.
type mask map[string]mask // nil: all of it

var errMask = errors.New("not a field selection")

// partial cuts a JSON document down to a mask.
func partial(doc []byte, text string) ([]byte, error) {
	m, rest, err := parseMask(text)
	if err != nil || rest != "" {
		return nil, errMask
	}
	var value any
	d := json.NewDecoder(strings.NewReader(string(doc)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(m.cut(value))
}

func parseMask(text string) (m mask, rest string, err error) {
	m = mask{}
	for {
		n := strings.IndexAny(text, ",()/")
		if n < 0 {
			n = len(text)
		}
		name := strings.TrimSpace(text[:n])
		if name == "" {
			return nil, "", errMask
		}
		text = text[n:]
		var sub mask
		switch {
		case strings.HasPrefix(text, "("):
			if sub, text, err = parseMask(text[1:]); err != nil || !strings.HasPrefix(text, ")") {
				return nil, "", errMask
			}
			text = text[1:]
		case strings.HasPrefix(text, "/"):
			if sub, text, err = parsePath(text[1:]); err != nil {
				return nil, "", err
			}
		}
		m[name] = sub
		if !strings.HasPrefix(text, ",") {
			return m, text, nil
		}
		text = text[1:]
	}
}

// parsePath is what follows a slash: one name, with what is below it.
func parsePath(text string) (m mask, rest string, err error) {
	n := strings.IndexAny(text, ",")
	depth := 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth == 0, c == ',' && depth == 0:
			n = i
		case c == ')':
			depth--
		}
		if n == i {
			break
		}
		n = len(text)
	}
	if text == "" {
		return nil, "", errMask
	}
	m, left, err := parseMask(text[:n])
	if err != nil || left != "" {
		return nil, "", errMask
	}
	return m, text[n:], nil
}

func (m mask) cut(value any) any {
	if m == nil {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if sub, ok := m[name]; ok {
				out[name] = sub.cut(member)
			} else if sub, ok := m["*"]; ok {
				out[name] = sub.cut(member)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = m.cut(v[i])
		}
		return out
	}
	return value
}
