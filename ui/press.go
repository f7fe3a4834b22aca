package ui

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// pressWords are the keys that have a name, and those that go with shift, ctrl and
// alt in all terminals: what is not here is sent by some only, or as another key.
var pressWords = map[string]struct{ shift, ctrl, alt bool }{
	"enter": {alt: true}, "esc": {}, "tab": {shift: true}, "space": {ctrl: true, alt: true}, "backspace": {alt: true},
	"up": {true, true, true}, "down": {true, true, true}, "left": {true, true, true}, "right": {true, true, true},
	"home": {true, true, true}, "end": {true, true, true}, "pgup": {ctrl: true, alt: true}, "pgdown": {ctrl: true, alt: true},
	"insert": {}, "delete": {true, true, true},
}

// otherWords are what people call keys elsewhere.
var otherWords = map[string]string{
	"escape": "esc", "return": "enter", "cr": "enter", "del": "delete", "ins": "insert", "pageup": "pgup", "pagedown": "pgdown",
	"page_up": "pgup", "page_down": "pgdown", "pgdn": "pgdown", "spacebar": "space", "bs": "backspace", "backtab": "shift+tab",
}

// sameBytes are presses that reach a program as another key.
var sameBytes = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+@": "ctrl+space"}

// CheckPress says in words what is wrong with a press, or with several after one
// another; empty: nothing.
func CheckPress(press string) string {
	parts := strings.Fields(press)
	if len(parts) == 0 {
		return `an empty press; the space bar is "space"`
	}
	for _, p := range parts {
		if len(parts) > 1 && p == "esc" {
			return fmt.Sprintf("%q: esc ends a sequence and cannot be in one", press)
		}
		if why := checkOne(p); why != "" {
			return why
		}
	}
	return ""
}

func checkOne(press string) string {
	no := func(text string, a ...any) string {
		return fmt.Sprintf("%q is no key that terminals send%s", press, fmt.Sprintf(text, a...))
	}
	if press == "ctrl+c" {
		return `"ctrl+c" always quits and cannot be another key`
	}
	if key, ok := sameBytes[press]; ok {
		return no(" as such: it comes as %q", key)
	}
	rest, mods := press, map[string]bool{}
	for cut := true; cut; {
		cut = false
		for _, m := range []string{"ctrl", "alt", "shift"} {
			if r, ok := strings.CutPrefix(rest, m+"+"); ok && r != "" {
				if mods[m] {
					return no("")
				}
				rest, mods[m], cut = r, true, true
			}
		}
	}
	if right := ordered(mods) + rest; right != press {
		return no("; write %q", right)
	}
	runes := []rune(rest)
	if len(runes) == 1 {
		r := runes[0]
		switch {
		case !unicode.IsGraphic(r):
			return no("")
		case mods["shift"] && unicode.ToUpper(r) != r && !mods["ctrl"]:
			return no("; write %q", strings.ReplaceAll(press, "shift+"+rest, string(unicode.ToUpper(r))))
		case mods["shift"]:
			return no("")
		case mods["ctrl"] && r >= 'A' && r <= 'Z':
			return no("; write %q", strings.ToLower(press))
		case mods["ctrl"] && (r < 'a' || r > 'z') && !strings.ContainsRune(`\]^_`, r):
			return no("")
		}
		return ""
	}
	if w, ok := pressWords[rest]; ok {
		if mods["shift"] && !w.shift || mods["ctrl"] && !w.ctrl || mods["alt"] && !w.alt {
			return no("")
		}
		return ""
	}
	if fKey(rest) {
		return ""
	}
	if w, ok := otherWords[strings.ToLower(rest)]; ok {
		return no("; write %q", ordered(mods)+w)
	}
	if low := strings.ToLower(press); low != press && checkOne(low) == "" {
		return no("; write %q", low)
	}
	for _, other := range []string{"ctrl-", "c-", "^", "C-"} {
		if r, ok := strings.CutPrefix(press, other); ok && checkOne("ctrl+"+strings.ToLower(r)) == "" {
			return no("; write %q", "ctrl+"+strings.ToLower(r))
		}
	}
	if same := []rune(press); !slices.ContainsFunc(same, func(r rune) bool { return r != same[0] }) {
		return no("; several after one another have spaces between: %q", strings.TrimSpace(strings.Repeat(string(same[0])+" ", len(same))))
	}
	words := []string{}
	for w := range pressWords {
		words = append(words, w)
	}
	slices.Sort(words)
	if near := Near(strings.ToLower(rest), words); near != "" {
		return no("; did you mean %q?", ordered(mods)+near)
	}
	return no("")
}

// ordered are modifiers as the terminal names them.
func ordered(mods map[string]bool) (out string) {
	for _, m := range []string{"ctrl", "alt", "shift"} {
		if mods[m] {
			out += m + "+"
		}
	}
	return out
}

// fKey says whether a word is f1 to f12.
func fKey(word string) bool {
	return slices.Contains([]string{"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}, word)
}
