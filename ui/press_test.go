package ui

import (
	"strings"
	"testing"
)

func TestCheckPress(t *testing.T) {
	for _, p := range []string{"r", "R", "?", "é", "space", "enter", "f5", "ctrl+r", "alt+r", "alt+enter", "shift+tab", "ctrl+alt+r", "g g", "ctrl+x ctrl+s",
		"ctrl+home", "shift+up", `ctrl+\`, "alt+R", "+", "ctrl+z", "alt++"} {
		if why := CheckPress(p); why != "" {
			t.Errorf("%q: %s", p, why)
		}
	}
	for p, want := range map[string]string{
		"":             `the space bar is "space"`,
		" ":            `the space bar is "space"`,
		"ctrl+c":       "always quits",
		"g ctrl+c":     "always quits",
		"g esc":        "esc ends a sequence",
		"ctrl+i":       `comes as "tab"`,
		"ctrl+m":       `comes as "enter"`,
		"Enter":        `write "enter"`,
		"escape":       `write "esc"`,
		"ctrl+return":  `write "ctrl+enter"`,
		"PageUp":       `write "pgup"`,
		"ctrl+R":       `write "ctrl+r"`,
		"shift+r":      `write "R"`,
		"shift+ctrl+r": `write "ctrl+shift+r"`,
		"Ctrl+r":       `write "ctrl+r"`,
		"ctrl-r":       `write "ctrl+r"`,
		"^r":           `write "ctrl+r"`,
		"C-r":          `write "ctrl+r"`,
		"gg":           `spaces between: "g g"`,
		"entr":         `did you mean "enter"?`,
		"ctrl+enter":   "no key that terminals send",
		"ctrl+1":       "no key that terminals send",
		"cmd+r":        "no key that terminals send",
		"f13":          "no key that terminals send",
		"reload":       "no key that terminals send",
		"\x1b":         "no key that terminals send",
		"shift+1":      "no key that terminals send",
	} {
		if why := CheckPress(p); !strings.Contains(why, want) {
			t.Errorf("%q: %q, want %q in it", p, why, want)
		}
	}
}

func FuzzCheckPress(f *testing.F) {
	f.Add("ctrl+alt+shift+")
	f.Add("g g\x00")
	f.Fuzz(func(t *testing.T, press string) {
		if CheckPress(press) == "" && strings.ContainsAny(press, "\x00\x1b\x7f") {
			t.Errorf("%q passes", press)
		}
	})
}

func TestNear(t *testing.T) {
	words := []string{"reload", "requests", "quit"}
	for word, want := range map[string]string{"relaod": "reload", "request": "requests", "qiut": "quit", "reload": "reload", "zzz": "", "": ""} {
		if got := Near(word, words); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
