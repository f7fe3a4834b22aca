package views

import (
	"errors"
	"fmt"
	"slices"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// sideFrom is the width of a screen from which the folder has a pane of its own.
const sideFrom = 150

// side is the pane of a wide screen: what the folder is, its log over time, and its
// newest commits.
func (s *folder) side(w, h int, th *ui.Theme) []string {
	out := []string{ui.Rule("this folder", w, false, th)}
	for i, f := range s.tell() {
		lines := ui.Wrap(f.text, w-2)
		if i > 0 {
			lines = ui.Wrap(f.text, w-2-factLabel-1)
		}
		if len(lines) > 4 {
			lines = append(lines[:3], "…")
		}
		for j, l := range lines {
			label := ""
			if i > 0 {
				label = ui.Spaces(factLabel + 1)
				if j == 0 {
					label = th.Paint(ui.Dim, ui.Fit(f.label, factLabel, ui.Left)) + " "
				}
			}
			out = append(out, " "+label+th.Paint(f.tone, l))
		}
	}
	if first, last := s.past.span(); first.Before(last) && h-len(out) > 12 {
		out = append(out, s.chart(w, th)...)
	}
	if len(s.last) > 0 && h-len(out) > 4 {
		out = append(out, "", ui.Rule(s.keys("newest commits, {log} shows all"), w, false, th))
		for _, r := range s.last[:min(len(s.last), h-len(out))] {
			out = append(out, " "+s.lastLine(r, w-2, th))
		}
	}
	return ui.Block(out, w, h)
}

// chart is the log over time, three lines high, with its first and last day.
func (s *folder) chart(w int, th *ui.Theme) []string {
	out := []string{"", ui.Rule("commits over time", w, false, th)}
	counts, broken := s.past.bars(w - 2)
	// A log of single commits needs no height.
	for _, l := range ui.Sparkline(counts, broken, min(slices.Max(counts), 3)) {
		out = append(out, " "+th.Paint(ui.Accent, l))
	}
	first, last := s.past.span()
	text := day(first) + ui.Spaces(w-2-len(day(first))-len(day(last))) + day(last)
	if s.past.missing+s.past.deleted > 0 {
		note := ui.MarkGap + " gaps"
		text = day(first) + ui.Pad(ui.Spaces((w-2)/2-14)+note, w-2-len(day(first))-len(day(last))) + day(last)
	}
	return append(out, " "+th.Paint(ui.Dim, text))
}

// lastLine is one of the newest commits.
func (s *folder) lastLine(r *logRow, w int, th *ui.Theme) string {
	number := ui.Fit(fmt.Sprintf("#%d", r.slot.Number), 6, ui.Left)
	d := r.detail.Load()
	mark, tone, text := " ", ui.Dim, "…"
	switch {
	case d == nil:
	case d.deleted:
		mark, tone, text = ui.MarkDeleted, ui.Bad, "its log entry was deleted"
	case len(d.named) == 0:
		mark, tone, text = ui.MarkUnsure, ui.Unsure, "its log entry could not be read"
	case errors.Is(d.err, bucket.ErrNotFound):
		mark, tone, text = ui.MarkDeleted, ui.Bad, commit.ShortID(d.named[0])+"  its commit object is gone"
	case !d.known:
		mark, tone, text = ui.MarkUnsure, ui.Unsure, commit.ShortID(d.named[0])+"  could not be read"
	default:
		mark, tone = ui.MarkSound, ui.Good
		text = ui.Fit(commit.ShortID(d.named[0]), 10, ui.Left) + " " + ui.Fit(age(s.Now(), d.header.Time), 8, ui.Right) + "  " +
			ui.Fit(orNobody(d.header.Author), 8, ui.Left) + "  "
		return th.Paint(tone, mark) + " " + number + " " + th.Paint(ui.Dim, text) + ui.Fit(firstLine(d.header.Message), max(w-9-ui.Width(text), 1), ui.Left)
	}
	return th.Paint(tone, mark) + " " + number + " " + th.Paint(tone, ui.Fit(text, w-9, ui.Left))
}
