package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"slices"
)

// maxBytes is what one picture may take in the project.
const maxBytes = 200_000

// picture writes the screen as a PNG of about 1,000 pixels, twice that for a
// large terminal.
func (s *screen) picture(ctx context.Context, name string, l look) error {
	width := "1000"
	if s.cols > 120 {
		width = "2000"
	}
	_, bg := l.colours() // for the last line of pixels, which may be half covered
	cmd := exec.CommandContext(ctx, "rsvg-convert", "--width", width, "--keep-aspect-ratio", "--background-color", hex(bg))
	cmd.Stdin = bytes.NewReader(s.svg(l))
	var drawn, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &drawn, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("rsvg-convert: %w: %s", err, said.String())
	}
	full, err := png.Decode(&drawn)
	if err != nil {
		return fmt.Errorf("what rsvg-convert drew: %w", err)
	}
	var small bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&small, paletted(full, s.palette(l))); err != nil {
		return err
	}
	if small.Len() > maxBytes {
		return fmt.Errorf("%s would take %d bytes, more than %d", name, small.Len(), maxBytes)
	}
	return os.WriteFile(name, small.Bytes(), 0o644)
}

// palette gives the colours of the screen's cells.
func (s *screen) palette(l look) color.Palette {
	defaultFG, defaultBG := l.colours()
	out := color.Palette{defaultFG, defaultBG}
	for y := range s.rows {
		for x := range s.cols {
			fg, bg := s.inks(x, y, defaultFG, defaultBG)
			for _, c := range []color.Color{fg, bg} {
				if len(out) < 48 && !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// paletted gives the picture in few colours: those of the cells, and of the rest
// (the soft edges of letters) what it has most of.
func paletted(full image.Image, palette color.Palette) *image.Paletted {
	bounds := full.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return rgb(full.At(x, y), color.RGBA{}) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var colours []color.RGBA
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	for _, c := range colours {
		if len(palette) < 96 && !slices.Contains(palette, color.Color(c)) {
			palette = append(palette, c)
		}
	}
	nearest := map[color.RGBA]uint8{}
	for _, c := range colours {
		nearest[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	return out
}
