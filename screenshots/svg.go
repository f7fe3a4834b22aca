package main

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// A screen is a copy of a terminal's cells.
type screen struct {
	cols, rows int
	cells      []cell
	cursor     *point // nil: hidden
}

type cell struct {
	text  string
	width int // 0: the second half of a wide one
	style uv.Style
}

type point struct{ x, y int }

// A look is a terminal's size and colours.
type look struct {
	cols, rows int
	light      bool
	plain      bool // NO_COLOR
}

func (l look) colours() (fg, bg color.RGBA) {
	if l.light {
		return color.RGBA{0x2a, 0x2c, 0x33, 255}, color.RGBA{0xfa, 0xfa, 0xf7, 255}
	}
	return color.RGBA{0xd6, 0xd9, 0xe0, 255}, color.RGBA{0x16, 0x18, 0x1d, 255}
}

// JetBrains Mono is 0.6 em wide and 1.32 em high, so that at 25 px each cell has
// whole pixels, and lines of box drawing meet.
const (
	fontSize = 25
	cellW    = 15
	cellH    = 33
	baseline = 25.5 // ascent: 1.02 em
)

// svg draws the screen, each cell by itself: no ligatures, no drift.
func (s *screen) svg(l look) []byte {
	var b bytes.Buffer
	w, h := s.cols*cellW, s.rows*cellH
	defaultFG, defaultBG := l.colours()
	const pad = cellW
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="%d %d %d %d">`+"\n",
		w+2*pad, h+2*pad, -pad, -pad, w+2*pad, h+2*pad)
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", -pad, -pad, w+2*pad, h+2*pad, hex(defaultBG))
	fmt.Fprintf(&b, `<g font-family="JetBrains Mono, Noto Sans Mono CJK JP, Noto Sans CJK JP, monospace" font-size="%d" shape-rendering="crispEdges" xml:space="preserve">`+"\n", fontSize)
	for y := range s.rows {
		s.backgrounds(&b, y, defaultFG, defaultBG)
	}
	for y := range s.rows {
		for x := range s.cols {
			s.glyph(&b, x, y, defaultFG, defaultBG)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// backgrounds draws a row's backgrounds, those that are alike in one piece.
func (s *screen) backgrounds(b *bytes.Buffer, y int, defaultFG, defaultBG color.RGBA) {
	from := 0
	at := func(x int) color.RGBA {
		_, bg := s.inks(x, y, defaultFG, defaultBG)
		return bg
	}
	for x := 1; x <= s.cols; x++ {
		if x < s.cols && at(x) == at(from) {
			continue
		}
		if bg := at(from); bg != defaultBG {
			fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", from*cellW, y*cellH, (x-from)*cellW, cellH, hex(bg))
		}
		from = x
	}
}

func (s *screen) glyph(b *bytes.Buffer, x, y int, defaultFG, defaultBG color.RGBA) {
	c := s.cells[y*s.cols+x]
	fg, _ := s.inks(x, y, defaultFG, defaultBG)
	width := max(c.width, 1) * cellW
	if c.style.Underline != 0 {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="2" fill="%s"/>`+"\n", x*cellW, y*cellH+cellH-4, width, hex(fg))
	}
	if c.style.Attrs&uv.AttrStrikethrough != 0 {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="2" fill="%s"/>`+"\n", x*cellW, y*cellH+cellH/2, width, hex(fg))
	}
	if strings.TrimSpace(c.text) == "" || c.width == 0 || c.style.Attrs&uv.AttrConceal != 0 {
		return
	}
	more := ""
	if c.style.Attrs&uv.AttrBold != 0 {
		more += ` font-weight="700"`
	}
	if c.style.Attrs&uv.AttrItalic != 0 {
		more += ` font-style="italic"`
	}
	fmt.Fprintf(b, `<text x="%d" y="%.1f" fill="%s"%s>%s</text>`+"\n", x*cellW, float64(y*cellH)+baseline, hex(fg), more, html.EscapeString(c.text))
}

// inks gives a cell's colours as they are seen. The cell under the cursor, and
// the second half of a wide one, are those of their neighbours' kind.
func (s *screen) inks(x, y int, defaultFG, defaultBG color.RGBA) (fg, bg color.RGBA) {
	c := s.cells[y*s.cols+x]
	if c.width == 0 && x > 0 {
		c = s.cells[y*s.cols+x-1]
	}
	fg, bg = rgb(c.style.Fg, defaultFG), rgb(c.style.Bg, defaultBG)
	if c.style.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	if s.cursor != nil && *s.cursor == (point{x, y}) {
		fg, bg = bg, fg
	}
	if c.style.Attrs&uv.AttrFaint != 0 {
		mix := func(a, b uint8) uint8 { return uint8((int(a)*6 + int(b)*4) / 10) }
		fg = color.RGBA{mix(fg.R, bg.R), mix(fg.G, bg.G), mix(fg.B, bg.B), 255}
	}
	return fg, bg
}

func rgb(c color.Color, otherwise color.RGBA) color.RGBA {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
