package ui

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
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

// All text has a contrast of at least 4.5:1, in true colour and in 256 colours, whose
// numbers from 16 on are the same everywhere. What is selected, a cursor's row, a badge
// and the text of a dialog are the same pairs or the terminal's own two colours, as they
// are or reversed: the program draws no other background.
func TestAllTextHasContrast(t *testing.T) {
	for dark, bgs := range backgrounds {
		for _, p := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			th := NewTheme(dark, false).In(p)
			for tone := range tones {
				c := th.Color(tone)
				if c == nil {
					if tone != Plain && tone != Strong {
						t.Errorf("tone %d has no colour in %v", tone, p)
					}
					continue // the terminal's own colour
				}
				if n, ok := c.(ansi.IndexedColor); ok != (p == colorprofile.ANSI256) || ok && n < 16 {
					t.Errorf("tone %d in %v is %v", tone, p, c)
				}
				for _, bg := range bgs {
					if got := contrast(c, lipgloss.Color(bg)); got < 4.5 {
						t.Errorf("dark=%v tone %d in %v on %s: contrast %.2f, want 4.5", dark, tone, p, bg, got)
					}
				}
			}
		}
	}
}

// The 16 colours of common terminals: xterm's from its resources file XTerm-col.ad; the
// Linux console's, which are VGA's, from default_red, default_grn and default_blu of the
// kernel's drivers/tty/vt/vt.c; Solarized's from the table in its README, whose dark
// background is its number 8 and whose light one is 15.
var sixteen = []struct {
	name        string
	colours     [16]string
	light, dark string // backgrounds
	want        float64
}{
	{"xterm", [16]string{
		"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
	}, "#ffffff", "#000000", 4.5},
	{"console", [16]string{
		"#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
		"#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
	}, "#ffffff", "#000000", 4.5},
	// Solarized keeps contrasts low by design: its own text has 4.1 on light and 4.7 on
	// dark, and of its colours none but green, yellow and cyan comes to 4.5 on dark. 3 is
	// what WCAG asks of large text and of signs; a mark or a word says the same.
	{"Solarized", [16]string{
		"#073642", "#dc322f", "#859900", "#b58900", "#268bd2", "#d33682", "#2aa198", "#eee8d5",
		"#002b36", "#cb4b16", "#586e75", "#657b83", "#839496", "#6c71c4", "#93a1a1", "#fdf6e3",
	}, "#fdf6e3", "#002b36", 3},
}

// In 16 colours the terminal's own palette decides: no tone is a colour that cannot be
// read in a common one, and none is bold and coloured, which many show brighter.
func TestContrastInSixteenColours(t *testing.T) {
	for _, dark := range []bool{true, false} {
		th := NewTheme(dark, false).In(colorprofile.ANSI)
		coloured := 0
		for tone := range tones {
			c := th.Color(tone)
			if c == nil {
				continue
			}
			coloured++
			n, ok := c.(ansi.BasicColor)
			if !ok {
				t.Fatalf("tone %d is %v, none of the 16", tone, c)
			}
			if strings.Contains(th.Paint(tone, "x"), "\x1b[1") {
				t.Errorf("tone %d is bold and coloured: %q", tone, th.Paint(tone, "x"))
			}
			for _, p := range sixteen {
				bg := p.light
				if dark {
					bg = p.dark
				}
				if got := contrast(lipgloss.Color(p.colours[n]), lipgloss.Color(bg)); got < p.want {
					t.Errorf("dark=%v tone %d on %s: contrast %.2f, want %.1f", dark, tone, p.name, got, p.want)
				}
			}
		}
		if coloured < 3 {
			t.Errorf("dark=%v: only %d tones have a colour", dark, coloured)
		}
	}
}

// Good, warn and bad differ, and what has no colour of the 16 is bold or plain.
func TestTonesOfSixteenColours(t *testing.T) {
	for _, c := range []struct {
		dark bool
		want string
	}{
		{true, "x x \x1b[36mx\x1b[m \x1b[32mx\x1b[m \x1b[93mx\x1b[m \x1b[91mx\x1b[m \x1b[95mx\x1b[m \x1b[1mx\x1b[m"},
		{false, "x x \x1b[34mx\x1b[m x \x1b[1mx\x1b[m \x1b[31mx\x1b[m \x1b[35mx\x1b[m \x1b[1mx\x1b[m"},
	} {
		th := NewTheme(c.dark, false).In(colorprofile.ANSI)
		var got []string
		for tone := range tones {
			got = append(got, th.Paint(tone, "x"))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("dark=%v: %q", c.dark, s)
		}
	}
}

// A terminal that has no colours gets none, as with NO_COLOR.
func TestNoColoursOnATerminalWithoutThem(t *testing.T) {
	for _, p := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.NoTTY} {
		th := NewTheme(true, false).In(p)
		if got := th.Paint(Bad, "x") + th.Paint(Good, "x"); !th.NoColor || got != "\x1b[1mx\x1b[mx" {
			t.Errorf("%v: %q", p, got)
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
