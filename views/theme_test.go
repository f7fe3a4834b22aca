package views

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A theme that the person chose stays, whatever the terminal answers or COLORFGBG says.
func TestThemeThatWasChosen(t *testing.T) {
	for _, c := range []struct {
		theme       string
		light       bool // as COLORFGBG says
		first, then bool // dark at first, and after the answer "black"
	}{
		{"", false, true, true},
		{"auto", true, false, true},
		{"light", false, false, false},
		{"dark", true, true, true},
	} {
		a := newApp(Start{Theme: c.theme, Light: c.light})
		if a.theme.Dark != c.first {
			t.Errorf("theme %q, light %v: dark is %v at first", c.theme, c.light, a.theme.Dark)
		}
		a.Update(tea.BackgroundColorMsg{Color: color.Black})
		if a.theme.Dark != c.then {
			t.Errorf("theme %q, light %v: dark is %v after a black background", c.theme, c.light, a.theme.Dark)
		}
		a.close()
	}
	a := newApp(Start{Theme: "dark"})
	defer a.close()
	a.Update(tea.BackgroundColorMsg{Color: color.White})
	if !a.theme.Dark {
		t.Error("a white background took the dark theme away")
	}
}
