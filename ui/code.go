package ui

import (
	"image/color"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A Ground is what lies under a line of a difference. A mark before the line says it
// as well.
type Ground uint8

// The grounds.
const (
	NoGround Ground = iota
	AddedGround
	RemovedGround
	grounds
)

// lookPalette has the light and the dark face of each look, and of text that lies on a
// ground, which can't be the terminal's own. The test of the theme computes their
// contrast on the grounds and on the backgrounds that terminals come with.
var lookPalette = [lookKinds][2]string{
	Bare:    {"#1c1c1c", "#eeeeee"},
	Keyword: {"#0000af", "#afd7ff"},
	Name:    {"#5f0087", "#ffd7ff"},
	String:  {"#005f00", "#afd787"},
	Number:  {"#870000", "#ffd75f"},
	Comment: {"#444444", "#c6c6c6"},
}

// groundPalette has the light and the dark face of each ground, and of what differs
// in a line on it.
var groundPalette = [grounds][2][2]string{
	AddedGround:   {{"#d7ffd7", "#003000"}, {"#afffaf", "#005f00"}},
	RemovedGround: {{"#ffd7d7", "#3a0000"}, {"#ffafaf", "#5f0000"}},
}

// code is the look of coloured texts, worked out at first use.
type code struct {
	open [grounds][2][lookKinds]string // a ground, whether it differs, the look
}

// LookColor is a look's colour on a ground, and the ground's, in a part that differs
// or not; nil: the terminal's own. Of the 16 colours none is used: which of them can be
// read on which is for each terminal to say; the signs and underlines stay.
func (t *Theme) LookColor(l Look, g Ground, differs bool) (text, ground color.Color) {
	if t.NoColor || t.profile == colorprofile.ANSI {
		return nil, nil
	}
	face := func(p [2]string) color.Color {
		return lipgloss.LightDark(t.Dark)(lipgloss.Color(p[0]), lipgloss.Color(p[1]))
	}
	if l != Bare || g != NoGround {
		text = face(lookPalette[l])
	}
	if g != NoGround {
		part := 0
		if differs {
			part = 1
		}
		ground = face(groundPalette[g][part])
	}
	return text, ground
}

func (t *Theme) looked() *code {
	if t.code != nil {
		return t.code
	}
	t.code = &code{}
	for g := range grounds {
		for d := range 2 {
			for l := range lookKinds {
				text, ground := t.LookColor(l, g, d == 1)
				s := ansi.NewStyle()
				if text != nil {
					s = s.ForegroundColor(text)
				}
				if ground != nil {
					s = s.BackgroundColor(ground)
				}
				if d == 1 {
					s = s.Underline(true)
				}
				if len(s) > 0 {
					t.code.open[g][d][l] = s.String()
				}
			}
		}
	}
	return t.code
}

// A Code is a line of text with its looks, as it came.
type Code struct {
	Text  string
	Looks []Stretch // ascending; what is after the last one is Bare
	// Differs are the bytes that differ from the line beside it, as pairs of from and
	// before; they are underlined.
	Differs [][2]int
	// Found are the bytes, ascending, whose characters a search found; they are shown
	// in reverse.
	Found  []int
	Ground Ground
}

// tab is what a tab is shown as.
const tab = "    "

// CodeLine makes a line safe and gives the w columns of it from column left on. What
// is cut has … at its end.
func (t *Theme) CodeLine(c Code, left, w int) string {
	if w <= 0 {
		return ""
	}
	left = max(left, 0)
	// As in Fit: the rest of a huge line can't be seen.
	s := c.Text
	if most := (left + w + 1) * maxCluster * utf8.UTFMax; len(s) > most {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	opens := t.looked().open[c.Ground]
	var b strings.Builder
	at, look, diff, hit := 0, 0, 0, 0
	for at < len(s) {
		for look < len(c.Looks) && int(c.Looks[look].To) <= at {
			look++
		}
		for diff < len(c.Differs) && c.Differs[diff][1] <= at {
			diff++
		}
		for hit < len(c.Found) && c.Found[hit] < at {
			hit++
		}
		to, l, d := len(s), Bare, 0
		if look < len(c.Looks) {
			to, l = min(to, int(c.Looks[look].To)), c.Looks[look].Look
		}
		if diff < len(c.Differs) {
			if from := c.Differs[diff][0]; from > at {
				to = min(to, from)
			} else {
				to, d = min(to, c.Differs[diff][1]), 1
			}
		}
		found := hit < len(c.Found) && c.Found[hit] == at
		if found {
			n := at
			for hit < len(c.Found) && c.Found[hit] == n && n < to {
				n, hit = n+1, hit+1
			}
			to = n
		} else if hit < len(c.Found) {
			to = min(to, c.Found[hit])
		}
		for to < len(s) && !utf8.RuneStart(s[to]) { // never within a character
			to++
		}
		piece := Clean(strings.ReplaceAll(s[at:to], "\t", tab))
		open := opens[d][l]
		if found {
			open += reverseSGR
		}
		b.WriteString(open)
		b.WriteString(piece)
		if open != "" {
			b.WriteString(closeSGR)
		}
		at = to
	}
	return t.onGround(cutLine(b.String(), left, w, len(s) < len(c.Text)), c.Ground, w)
}

// cutLine gives w columns of a safe line from one on.
func cutLine(line string, left, w int, more bool) string {
	n := Width(line)
	if left > 0 {
		if n <= left {
			return ""
		}
		line = ansi.TruncateLeft(line, left, "")
		n = Width(line)
	}
	if n > w || more && n == w {
		line = ansi.Truncate(line, w-1, "") + "…"
	}
	return line
}

// onGround makes a line as wide as it shall be, on its ground.
func (t *Theme) onGround(line string, g Ground, w int) string {
	room := w - Width(line)
	if room <= 0 {
		return line
	}
	open := t.looked().open[g][0][Bare]
	if open == "" {
		return line + Spaces(room)
	}
	return line + open + Spaces(room) + closeSGR
}

// OnGround paints a safe text without a style in the look that it has on a ground.
func (t *Theme) OnGround(g Ground, l Look, s string) string {
	open := t.looked().open[g][0][l]
	if open == "" || s == "" {
		return s
	}
	return open + s + closeSGR
}
