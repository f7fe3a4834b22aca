package views

import (
	"context"
	"fmt"
	"image/color"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/internal/race"
)

// The sizes and faces at which each screen is kept.
var matrixSizes = [][2]int{{80, 24}, {120, 40}, {200, 60}}

// A view of the matrix: the keys that lead to a screen from the folder's.
type matrixView struct {
	name string
	keys []string
}

var matrixViews = []matrixView{
	{name: "folder"},
	{name: "log", keys: []string{"l"}},
	{name: "commit", keys: []string{"l", "enter"}},
	{name: "diff", keys: []string{"l", "d"}},
	{name: "contents", keys: []string{"l", "d", "enter"}},
	{name: "object", keys: []string{"tab", "enter"}},
	{name: "audit", keys: []string{"a"}},
	{name: "pin", keys: []string{"p"}},
	{name: "form", keys: []string{"c"}},
	{name: "help", keys: []string{"?"}},
	{name: "command", keys: []string{":"}},
	{name: "complete", keys: []string{":", "l", "o", "g", "space"}},
	{name: "finder", keys: []string{"ctrl+p"}},
}

// A bucket of the matrix and the folder that is looked at.
type matrixBucket struct {
	name  string
	start func(t *testing.T) Start
}

var matrixBuckets = []matrixBucket{
	{"empty", func(t *testing.T) Start { f := newFixture(t); return f.startOn(unclosed{named{f.b}}, "") }},
	{"small", func(t *testing.T) Start { f, _ := small(t); return f.startOn(unclosed{named{f.b}}, "sales/2026") }},
	{"huge", func(t *testing.T) Start { f, _ := small(t); return f.startOn(unclosed{huge{named{f.b}}}, "sales/2026") }},
	{"damaged", func(t *testing.T) Start { f, _ := damaged(t); return f.startOn(unclosed{named{f.b}}, "sales/2026") }},
	{"denied", func(t *testing.T) Start { f, _ := small(t); return f.startOn(unclosed{shut{f.b}}, "sales/2026") }},
}

// TestMatrix keeps the frames of each screen on each kind of bucket at each size, and
// those of a small bucket in the light and the dark face. One file has all sizes.
func TestMatrix(t *testing.T) {
	for _, b := range matrixBuckets {
		for _, v := range matrixViews {
			t.Run(b.name+"-"+v.name, func(t *testing.T) {
				if race.On {
					t.Skip("CI runs it beside, without the race detector")
				}
				ownTexts(t)
				d := newDriver(t, b.start(t), 200, 60)
				d.press(v.keys...)
				d.steadyFrame()
				d.frames(filepath.Join("matrix", b.name+"-"+v.name), false)
				if b.name != "small" {
					return
				}
				for _, dark := range []bool{false, true} {
					face := map[bool]string{false: "light", true: "dark"}[dark]
					d.face(dark)
					d.frames(filepath.Join("matrix", face+"-"+v.name), true)
				}
			})
		}
	}
	t.Run("buckets", func(t *testing.T) {
		for name, s := range map[string]Start{"empty": {Now: func() time.Time { return later }}, "small": places(t), "huge": manyPlaces()} {
			d := newDriver(t, s, 200, 60)
			d.frames(filepath.Join("matrix", name+"-buckets"), false)
			if name == "small" {
				d.face(false)
				d.frames(filepath.Join("matrix", "light-buckets"), true)
				d.face(true)
				d.frames(filepath.Join("matrix", "dark-buckets"), true)
			}
		}
	})
}

// frames keeps the screen at each size in one file.
func (d *driver) frames(name string, styled bool) {
	d.t.Helper()
	var b strings.Builder
	for _, size := range matrixSizes {
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.idle()
		frame := d.m.View().Content
		if !styled {
			frame = d.text()
		}
		fmt.Fprintf(&b, "--- %d×%d\n", size[0], size[1])
		for _, l := range strings.Split(frame, "\n") {
			b.WriteString(strings.TrimRight(l, " ") + "\n")
		}
	}
	d.kept(name, b.String())
}

// face answers the program's question for the terminal's background.
func (d *driver) face(dark bool) {
	d.t.Helper()
	d.send(tea.BackgroundColorMsg{Color: map[bool]color.Color{false: color.White, true: color.Black}[dark]})
	d.idle()
}

// steadyFrame puts known figures in the place of those that each run has of its own.
func (d *driver) steadyFrame() {
	if s, ok := d.m.stack.top().(*auditScreen); ok && s.report != nil {
		steady(d)
	}
}

func manyPlaces() Start {
	return Start{
		Now: func() time.Time { return later },
		Buckets: func(context.Context) ([]Bookmark, error) {
			out := make([]Bookmark, 10_000)
			for i := range out {
				out[i] = Bookmark{Name: fmt.Sprintf("bucket-%05d", i), URL: fmt.Sprintf("s3://bucket-%05d", i), Region: "eu-central-1"}
			}
			return out, nil
		},
	}
}
