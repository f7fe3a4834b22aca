package views

import (
	"fmt"
	"slices"
	"strings"

	"provcat-tui/ui"
)

// needed are the keys without which a person would not get out or not know how to.
var needed = map[string]string{
	"quit": "nothing would quit but ctrl+c", "help": "nothing would say which keys there are", "back": "nothing would go back",
}

// CheckKeys looks at presses by the ID of their key, as in Start.Keys, and says in
// words what is wrong, by ID; empty: all can be used. Keys that get the same press on
// the same screen are wrong, and so is a press that begins the sequence of another:
// it would never come.
func CheckKeys(keys map[string][]string) map[string]string {
	wrong := map[string]string{}
	for id, presses := range keys {
		if why := checkKey(id, presses); why != "" {
			wrong[id] = why
		}
	}
	own := map[string][]string{} // only what could be used
	for id, presses := range keys {
		if wrong[id] == "" {
			own[id] = presses
		}
	}
	table := keyTable.With(own)
	for i, a := range table {
		for j, b := range table {
			if _, mine := own[a.ID]; !mine || a.ID == b.ID || wrong[a.ID] != "" {
				continue
			}
			if why := clash(a, b, alternatives(keyTable[i], keyTable[j])); why != "" {
				wrong[a.ID] = why
			}
		}
	}
	return wrong
}

func checkKey(id string, presses []string) string {
	if !slices.ContainsFunc(keyTable, func(k ui.Key) bool { return k.ID == id }) {
		var ids []string
		for _, k := range keyTable {
			ids = append(ids, k.ID)
		}
		if near := ui.Near(strings.ToLower(id), ids); near != "" {
			return fmt.Sprintf("there is no key %q; did you mean %q?", id, near)
		}
		return fmt.Sprintf("there is no key %q; docs/keys.md has all", id)
	}
	if len(presses) == 0 && needed[id] != "" {
		return fmt.Sprintf("%q cannot be unbound: %s", id, needed[id])
	}
	for i, p := range presses {
		if why := ui.CheckPress(p); why != "" {
			return why
		}
		if strings.Join(strings.Fields(p), " ") != p {
			return fmt.Sprintf("%q: write one space between the presses of a sequence, and none around", p)
		}
		for j, q := range presses {
			if i < j && p == q {
				return fmt.Sprintf("%q is there twice", p)
			}
			if strings.HasPrefix(q, p+" ") {
				return fmt.Sprintf("%q begins %q, and so would never come alone", p, q)
			}
		}
	}
	return ""
}

// alternatives says that one press means both keys today, each where it works.
func alternatives(a, b ui.Key) bool {
	return slices.ContainsFunc(a.Press, func(p string) bool { return slices.Contains(b.Press, p) })
}

// clash says what is wrong with two keys beside one another.
func clash(a, b ui.Key, may bool) string {
	on := together(a, b)
	if on == "" {
		return ""
	}
	for _, p := range a.Press {
		for _, q := range b.Press {
			switch {
			case p == q && !may:
				return fmt.Sprintf("%q is also %s on the screen %q", p, b.ID, on)
			case strings.HasPrefix(q, p+" "):
				return fmt.Sprintf("%q begins %q, which is %s on the screen %q, and so would never come alone", p, q, b.ID, on)
			case strings.HasPrefix(p, q+" "):
				return fmt.Sprintf("%q begins with %q, which is %s on the screen %q", p, q, b.ID, on)
			}
		}
	}
	return ""
}

// together is a screen that has both keys; empty: none has.
func together(a, b ui.Key) string {
	switch {
	case len(a.On) == 0 && len(b.On) == 0:
		return onFolder
	case len(a.On) == 0:
		return b.On[0]
	case len(b.On) == 0:
		return a.On[0]
	}
	for _, s := range a.On {
		if slices.Contains(b.On, s) {
			return s
		}
	}
	return ""
}
