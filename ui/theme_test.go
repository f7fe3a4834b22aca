package ui

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// luminance and contrast as WCAG 2.1 defines them.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 65535
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	if x < y {
		x, y = y, x
	}
	return (x + 0.05) / (y + 0.05)
}

func TestContrastOfKnownPairs(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.48}, {"#ffffff", "#ffffff", 1}} {
		if got := contrast(lipgloss.Color(c.a), lipgloss.Color(c.b)); math.Abs(got-c.want) > 0.005 {
			t.Errorf("contrast of %s on %s = %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

// Backgrounds that terminals come with: black, GNOME, VS Code, Dracula, Solarized
// and Nord; white, Solarized light, GNOME light.
var backgrounds = map[bool][]string{
	true:  {"#000000", "#171421", "#1e1e1e", "#282a36", "#002b36", "#2e3440"},
	false: {"#ffffff", "#fdf6e3", "#f5f5f5"},
}

// All text has a contrast of at least 4.5:1, in true colour and in 256 colours.
// A badge is the same pair, reversed.
func TestAllTextHasContrast(t *testing.T) {
	for dark, bgs := range backgrounds {
		th := NewTheme(dark, false)
		for tone := range tones {
			c := th.Color(tone)
			if c == nil {
				continue // the terminal's own colour
			}
			for _, bg := range bgs {
				for _, p := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
					shown := p.Convert(c)
					if got := contrast(shown, lipgloss.Color(bg)); got < 4.5 {
						t.Errorf("dark=%v tone %d in %v on %s: contrast %.2f, want 4.5", dark, tone, p, bg, got)
					}
				}
			}
		}
	}
}

func TestNoColorKeepsReverseAndBold(t *testing.T) {
	for _, dark := range []bool{true, false} {
		th := NewTheme(dark, true)
		for tone := range tones {
			if s := th.Paint(tone, "x"); strings.Contains(s, "38;") || strings.Contains(s, "\x1b[3") || strings.Contains(s, "48;") {
				t.Errorf("tone %d has a colour: %q", tone, s)
			}
		}
		if got := th.Selected("x"); got != "\x1b[7mx\x1b[m" {
			t.Errorf("Selected: %q", got)
		}
		if got := th.Paint(Strong, "x"); got != "\x1b[1mx\x1b[m" {
			t.Errorf("Strong: %q", got)
		}
	}
}

func TestLightBackgroundOfCOLORFGBG(t *testing.T) {
	for text, want := range map[string]bool{"0;15": true, "0;7": true, "0;default;15": true, "15;0": false, "7;8": false, "": false, "15": false, "0;default": false} {
		if got := LightBackground(text); got != want {
			t.Errorf("%q: light is %v", text, got)
		}
	}
}
