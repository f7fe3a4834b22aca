package ui

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// A look is the colours of a tone on a light and on a dark background, each in true
// colour, by its number of the 256, and by its number of the 16; empty: the terminal's
// own colour for text, where none of the others can be read on all common palettes.
type look struct{ light, dark [3]string }

// looks has the colours of each coloured tone, chosen for each kind of terminal: what a
// library makes of a true colour may be nearer to it and yet not be readable. The tests
// of the theme compute the contrasts, and have the palettes of the 16.
//
// The 16 are the terminal's own. On a dark background xterm's and the console's dark
// red, blue and magenta cannot be read, nor can Solarized's bright black, which is its
// background; on a light one neither green nor yellow nor cyan can.
var looks = map[Tone]look{
	Dim:    {light: [3]string{"#4e5457", "240", ""}, dark: [3]string{"#b2b6ba", "249", ""}},
	Accent: {light: [3]string{"#004a9e", "25", "4"}, dark: [3]string{"#87c7ff", "117", "6"}},
	Good:   {light: [3]string{"#005a20", "22", ""}, dark: [3]string{"#87df87", "114", "2"}},
	Warn:   {light: [3]string{"#6b4500", "94", ""}, dark: [3]string{"#ffd75f", "221", "11"}},
	Bad:    {light: [3]string{"#a00018", "124", "1"}, dark: [3]string{"#ffafaf", "217", "9"}},
	Unsure: {light: [3]string{"#6a2a8a", "54", "5"}, dark: [3]string{"#dfbfff", "183", "13"}},
}

// colour is that of a tone; nil: the terminal's own.
func colour(tone Tone, dark bool, p colorprofile.Profile) color.Color {
	of := looks[tone].light
	if dark {
		of = looks[tone].dark
	}
	name := ""
	switch p {
	case colorprofile.TrueColor:
		name = of[0]
	case colorprofile.ANSI256:
		name = of[1]
	case colorprofile.ANSI:
		name = of[2]
	}
	if name == "" {
		return nil
	}
	return lipgloss.Color(name)
}

// bold says whether a tone is bold. Of the 16 colours none is: many terminals show a
// bold one as its bright sister, whose contrast is another. There it stands for a
// colour that cannot be had.
func bold(tone Tone, c color.Color, p colorprofile.Profile) bool {
	if p == colorprofile.ANSI {
		return tone == Strong || c == nil && (tone == Accent || tone == Bad || tone == Warn)
	}
	return tone == Strong || tone == Accent || tone == Bad
}
