package ui

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Key is one line of the table of keys: what gives the bindings, the hints at
// the bottom and the help.
type Key struct {
	ID string // what it does, for the program: "open"
	// Press are the ways to press it, as the terminal names keys: "enter", "ctrl+d",
	// "space"; several after one another with spaces between: "g g". None: not bound.
	Press []string
	Label string   // one or two words for the hints
	Help  string   // a sentence for the help
	Group string   // its heading in the help
	On    []string // the screens where it works; none: all
	// Hint is its place in the hints line, 1 first; 0: not shown there.
	Hint int
	// Writes says that it changes a bucket: unbound when reading only.
	Writes bool
}

// A Keymap is a table of keys.
type Keymap []Key

// ReadOnly is the table without the keys that write.
func (m Keymap) ReadOnly() Keymap {
	var out Keymap
	for _, k := range m {
		if !k.Writes {
			out = append(out, k)
		}
	}
	return out
}

// On gives the keys of a screen.
func (m Keymap) On(screen string) Keymap {
	out := make(Keymap, 0, len(m)) // in one piece: each frame asks
	for _, k := range m {
		if len(k.On) == 0 || slices.Contains(k.On, screen) {
			out = append(out, k)
		}
	}
	return out
}

// Find gives the key that is bound to a press on a screen.
func (m Keymap) Find(screen, press string) (Key, bool) {
	for _, k := range m {
		if (len(k.On) == 0 || slices.Contains(k.On, screen)) && slices.Contains(k.Press, press) {
			return k, true
		}
	}
	return Key{}, false
}

// Bound gives all keys that are bound to a press on a screen: the first that works
// is meant.
func (m Keymap) Bound(screen, press string) Keymap {
	var out Keymap
	for _, k := range m {
		if slices.Contains(k.Press, press) && (len(k.On) == 0 || slices.Contains(k.On, screen)) {
			out = append(out, k)
		}
	}
	return out
}

// Begun gives the keys of a screen that go on after some presses.
func (m Keymap) Begun(screen, presses string) Keymap {
	var out Keymap
	for _, k := range m {
		if len(k.On) > 0 && !slices.Contains(k.On, screen) {
			continue
		}
		for _, p := range k.Press {
			if rest, ok := strings.CutPrefix(p, presses+" "); ok {
				k.Press = []string{rest}
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// With is the table with other presses for some IDs; an empty list unbinds.
func (m Keymap) With(presses map[string][]string) Keymap {
	out := slices.Clone(m)
	for i := range out {
		if p, ok := presses[out[i].ID]; ok {
			out[i].Press = slices.Clone(p)
		}
	}
	return out
}

// First is the first press of an ID; empty: it is not bound.
func (m Keymap) First(id string) string {
	for _, k := range m {
		if k.ID == id && len(k.Press) > 0 {
			return k.Press[0]
		}
	}
	return ""
}

var pressNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgup": "PgUp", "pgdown": "PgDn",
	"home": "Home", "end": "End",
}

// PressName is a press, or several after one another, as people write it.
func PressName(press string) string {
	parts := strings.Fields(press)
	glue := ""
	for i, p := range parts {
		if n, ok := pressNames[p]; ok {
			parts[i] = n
		}
		if utf8.RuneCountInString(parts[i]) > 1 {
			glue = " "
		}
	}
	return strings.Join(parts, glue)
}

// Presses are all ways to press a key, for people.
func (k Key) Presses() string {
	var names []string
	for _, p := range k.Press {
		names = append(names, PressName(p))
	}
	return strings.Join(names, ", ")
}

// Enabled says whether a key works now, and if not, why.
type Enabled func(id string) (ok bool, why string)

// Hints is the line at the bottom: the keys that work here now, as many as fit.
// The key of the help, which has the rest, is always among them.
func (m Keymap) Hints(on Enabled, w int, th *Theme) string {
	keys := slices.Clone(m)
	slices.SortStableFunc(keys, func(a, b Key) int { return a.Hint - b.Hint })
	keys = slices.DeleteFunc(keys, func(k Key) bool {
		ok, _ := on(k.ID)
		return k.Hint == 0 || len(k.Press) == 0 || !ok
	})
	width := func(k Key) int { return Width(PressName(k.Press[0])) + 1 + Width(k.Label) }
	kept := 0 // room for the help's key, until it is there
	if i := slices.IndexFunc(keys, func(k Key) bool { return k.ID == "help" }); i >= 0 {
		kept = width(keys[i]) + 2
	}
	var b strings.Builder
	used, full := 0, false
	for _, k := range keys {
		press := PressName(k.Press[0])
		n := width(k)
		if used > 0 {
			n += 2
		}
		if k.ID == "help" {
			kept = 0
		} else if full || used+n+kept > w {
			full = true
			continue
		}
		if used+n > w {
			break
		}
		if used > 0 {
			b.WriteString("  ")
		}
		b.WriteString(th.Mark(Spot{W: width(k), H: 1, Press: k.Press[0]}) + th.Paint(Accent, press) + " " + th.Paint(Dim, k.Label))
		used += n
	}
	return b.String()
}
