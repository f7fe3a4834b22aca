package views

import (
	"fmt"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// belowView stands where the files would, in a folder that has only folders: what
// each of them holds, and what changed in it.
func (s *folder) belowView(w, h int, th *ui.Theme) []string {
	out := []string{ui.Spaces(2) + th.Paint(ui.Dim, "No files right here. Folders below:"), ""}
	return append(out, s.belowTable(w, h-len(out), th)...)
}

// belowTable is a line for each folder below.
func (s *folder) belowTable(w, h int, th *ui.Theme) []string {
	var out []string
	const num, changed = 8, 16
	vol := 10
	changes := s.scan != nil && s.scan.compared && s.scan.baseErr == nil
	room := w - 2 - num - vol - 3
	if changes {
		room -= changed + 2
	}
	if room < 14 { // names before sizes
		room += vol + 1
		vol = 0
	}
	nw := max(min(room, 48), 8)
	title := ui.Fit("folder below", nw, ui.Left) + " " + ui.Fit("files", num, ui.Right)
	if vol > 0 {
		title += " " + ui.Fit("size", vol, ui.Right)
	}
	if changes {
		title += "  changed"
	}
	out = append(out, ui.Spaces(2)+th.Paint(ui.Dim, title))
	shown := s.tree.Selected().Children
	for i, n := range shown {
		if len(out) == h-1 && i < len(shown)-1 {
			out = append(out, ui.Spaces(2)+th.Paint(ui.Dim, fmt.Sprintf("and %s more", count(int64(len(shown)-i)))))
			break
		}
		prefix, _ := n.Value.(string)
		name := ui.Fit(n.Name, nw, ui.Left)
		if prefix == commit.Root {
			out = append(out, ui.Spaces(2)+th.Paint(ui.Dim, name+"  the format's own keys"))
			continue
		}
		out = append(out, ui.Spaces(2)+name+s.belowLine(prefix, num, vol, changes, th))
	}
	return ui.Block(out, w, h)
}

// belowLine is what is known of one folder below: blank where it was not counted.
func (s *folder) belowLine(prefix string, num, vol int, changes bool, th *ui.Theme) string {
	d := s.scan
	if d == nil {
		return ""
	}
	x, there := d.below[prefix]
	passed := d.whole || d.listed > prefix && !strings.HasPrefix(d.listed, prefix)
	if !there && (!passed || len(d.below) >= maxBelow) {
		return ""
	}
	more := ""
	if !passed {
		more = "≥"
	}
	line := " " + ui.Fit(more+count(x.files), num, ui.Right)
	if vol > 0 {
		line += " " + ui.Fit(more+size(x.bytes), vol, ui.Right)
	}
	if changes {
		line += " "
		for _, c := range []struct {
			tone ui.Tone
			mark string
			n    int64
		}{{ui.Good, "+", x.added}, {ui.Warn, "~", x.changed}, {ui.Bad, "-", x.removed}} {
			if c.n > 0 {
				line += " " + th.Paint(c.tone, c.mark+more+count(c.n))
			}
		}
	}
	return line
}
