package main

import (
	"bytes"
	"fmt"
	"math"
	"os/exec"
)

// The plot's measures, in pixels.
const (
	panelWide, panelHigh = 400, 300
	left, top, gap       = 80, 60, 100
)

// plot draws the figures as a PNG: time and memory, each over the number of
// versions, all axes linear. librsvg2-bin makes the picture, as it makes the screenshots.
func plot(from, to string) error {
	all, err := points(from)
	if err != nil {
		return err
	}
	cmd := exec.Command("rsvg-convert", "--format=png", "--zoom=2", "--output="+to)
	cmd.Stdin = bytes.NewReader(drawing(all))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("rsvg-convert (Debian: librsvg2-bin): %w: %s", err, out)
	}
	return nil
}

var colours = map[string]string{"walk": "#0072b2", "audit": "#d55e00"} // told apart by the colour-blind too

// drawing is the picture as SVG.
func drawing(all []point) []byte {
	var b bytes.Buffer
	wide, high := left+3*panelWide+2*gap+40, top+panelHigh+60
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="JetBrains Mono, monospace" font-size="13">`, wide, high)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`, wide, high)
	panel(&b, left, "time, seconds", all, func(p point) float64 { return p.seconds })
	panel(&b, left+panelWide+gap, "processor time, seconds", all, func(p point) float64 { return p.cpu })
	panel(&b, left+2*(panelWide+gap), "peak memory, MB", all, func(p point) float64 { return p.mb })
	b.WriteString("</svg>")
	return b.Bytes()
}

func panel(b *bytes.Buffer, x0 float64, title string, all []point, value func(point) float64) {
	mostX, mostY := 0.0, 0.0
	for _, p := range all {
		mostX, mostY = max(mostX, float64(p.versions)/1e6), max(mostY, value(p))
	}
	stepX, stepY := step(mostX), step(mostY)
	endX, endY := stepX*math.Ceil(mostX/stepX), stepY*math.Ceil(mostY/stepY)
	at := func(x, y float64) (float64, float64) {
		return x0 + x/endX*panelWide, top + panelHigh - y/endY*panelHigh
	}
	fmt.Fprintf(b, `<text x="%g" y="%d" font-size="16">%s</text>`, x0, top-20, title)
	for y := 0.0; y <= endY*1.001; y += stepY {
		px, py := at(0, y)
		fmt.Fprintf(b, `<path d="M%g %gh%d" stroke="#dddddd"/><text x="%g" y="%g" text-anchor="end">%g</text>`, px, py, panelWide, px-8, py+4, y)
	}
	for x := 0.0; x <= endX*1.001; x += stepX {
		px, py := at(x, 0)
		fmt.Fprintf(b, `<path d="M%g %gv5" stroke="#555555"/><text x="%g" y="%g" text-anchor="middle">%g</text>`, px, py, px, py+22, x)
	}
	fmt.Fprintf(b, `<text x="%g" y="%d" text-anchor="middle">million versions</text>`, x0+panelWide/2, top+panelHigh+46)
	for _, what := range []string{"walk", "audit"} {
		var line bytes.Buffer
		var px, py float64
		for _, p := range all {
			if p.what != what {
				continue
			}
			px, py = at(float64(p.versions)/1e6, value(p))
			fmt.Fprintf(&line, "%g,%g ", px, py)
			fmt.Fprintf(b, `<circle cx="%g" cy="%g" r="4" fill="%s"/>`, px, py, colours[what])
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`, line.String(), colours[what])
		fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="end" fill="%s">%s</text>`, px-10, py-10, colours[what], what)
	}
}

// step is a round distance of some four to eight lines below most.
func step(most float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{0.2, 0.25, 0.5} {
		if most/(unit*f) <= 6 {
			return unit * f
		}
	}
	return unit
}
