package ui

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Tone is what a text means; the theme gives it its look. A tone never is the
// only sign of a meaning: a word or a mark says it too.
type Tone int

// The tones.
const (
	Plain  Tone = iota
	Dim         // what matters less
	Accent      // names of places, keys to press
	Good        // sound, added
	Warn        // a risk, changed
	Bad         // damage, an error, removed
	Unsure      // could not be checked
	Strong      // bold, without a colour
	tones
)

// A Theme gives tones their look.
type Theme struct {
	// NoColor says that no colour is used; bold and reverse stay.
	NoColor bool
	Dark    bool
	profile colorprofile.Profile
	open    [tones]string
	spots   *Spots
	code    *code // see looked
}

// LightBackground reads the variable COLORFGBG, with which some terminals say their
// colours as "foreground;background" (rxvt has a word between) by their number of
// the 16: 7 and 15 are light. It counts only where a terminal does not answer.
func LightBackground(colorfgbg string) bool {
	i := strings.LastIndexByte(colorfgbg, ';')
	return i >= 0 && (colorfgbg[i+1:] == "7" || colorfgbg[i+1:] == "15")
}

// NewTheme makes the theme for a terminal background, in true colour; see In.
func NewTheme(dark, noColor bool) *Theme {
	t := &Theme{NoColor: noColor, Dark: dark}
	return t.In(colorprofile.TrueColor)
}

// In gives the theme for a terminal with the colours of a profile.
func (t *Theme) In(p colorprofile.Profile) *Theme {
	out := &Theme{NoColor: t.NoColor || p < colorprofile.ANSI, Dark: t.Dark, profile: p}
	for tone := range tones {
		s := ansi.NewStyle()
		c := out.Color(tone)
		if c != nil {
			s = s.ForegroundColor(c)
		}
		if bold(tone, c, p) {
			s = s.Bold()
		}
		if len(s) > 0 {
			out.open[tone] = s.String()
		}
	}
	return out
}

// Color is a tone's colour; nil: the terminal's own.
func (t *Theme) Color(tone Tone) color.Color {
	if t.NoColor {
		return nil
	}
	return colour(tone, t.Dark, t.profile)
}

const (
	closeSGR   = "\x1b[m"
	reverseSGR = "\x1b[7m"
)

// Paint gives s, which is already safe, the look of a tone.
func (t *Theme) Paint(tone Tone, s string) string {
	if t.open[tone] == "" || s == "" {
		return s
	}
	return t.open[tone] + s + closeSGR
}

// Say makes s safe and paints it.
func (t *Theme) Say(tone Tone, s string) string { return t.Paint(tone, Clean(s)) }

// Selected shows a line, which is already safe and has no style, as the selected one.
func (t *Theme) Selected(s string) string { return reverseSGR + s + closeSGR }

// Badge shows a word in reverse.
func (t *Theme) Badge(tone Tone, word string) string {
	return reverseSGR + t.open[tone] + " " + Clean(word) + " " + closeSGR
}

// Paragraph wraps s to w columns in one tone.
func (t *Theme) Paragraph(tone Tone, s string, w int) []string { return t.paint(tone, Wrap(s, w)) }

// Shown is Paragraph for a text that is fit to be shown already.
func (t *Theme) Shown(tone Tone, s string, w int) []string { return t.paint(tone, WrapShown(s, w)) }

func (t *Theme) paint(tone Tone, lines []string) []string {
	for i := range lines {
		lines[i] = t.Paint(tone, lines[i])
	}
	return lines
}

// Plainly takes all styles off a line.
func Plainly(s string) string {
	if !strings.Contains(s, "\x1b") {
		return s
	}
	return ansi.Strip(s)
}
