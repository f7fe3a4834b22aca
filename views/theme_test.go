package views

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"provcat-tui/ui"
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

// The theme is that of the terminal's colours, whichever answer comes first.
func TestThemeOfTheTerminalsColours(t *testing.T) {
	for _, order := range [][]tea.Msg{
		{tea.ColorProfileMsg{Profile: colorprofile.ANSI}, tea.BackgroundColorMsg{Color: color.White}},
		{tea.BackgroundColorMsg{Color: color.White}, tea.ColorProfileMsg{Profile: colorprofile.ANSI}},
	} {
		a := newApp(Start{})
		for _, m := range order {
			a.Update(m)
		}
		if got := a.theme.Paint(ui.Bad, "x"); a.theme.Dark || got != "\x1b[31mx\x1b[m" {
			t.Errorf("%v: dark %v, %q", order, a.theme.Dark, got)
		}
		a.Update(tea.ColorProfileMsg{Profile: colorprofile.ANSI256})
		if got := a.theme.Paint(ui.Bad, "x"); got != "\x1b[38;5;124;1mx\x1b[m" {
			t.Errorf("in 256 colours: %q", got)
		}
		a.close()
	}
}
