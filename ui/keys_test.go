package ui

import (
	"strings"
	"testing"
)

func TestHintsAlwaysHoldTheHelp(t *testing.T) {
	m := Keymap{
		{ID: "open", Press: []string{"enter"}, Label: "open", Hint: 1},
		{ID: "log", Press: []string{"l"}, Label: "log", Hint: 2},
		{ID: "help", Press: []string{"?"}, Label: "keys", Hint: 3},
		{ID: "quit", Press: []string{"q"}, Label: "quit", Hint: 4},
	}
	th := NewTheme(true, true)
	on := func(id string) (bool, string) { return id != "log", "" }
	for w, want := range map[int]string{
		80: "enter open  ? keys  q quit",
		26: "enter open  ? keys  q quit",
		25: "enter open  ? keys",
		18: "enter open  ? keys",
		17: "? keys",
		6:  "? keys",
		5:  "",
	} {
		if got := strings.TrimRight(Plainly(m.Hints(on, w, th)), " "); got != want {
			t.Errorf("%d columns: %q, want %q", w, got, want)
		}
	}
}
