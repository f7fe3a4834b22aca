package views

import (
	"context"
	"errors"
	"slices"
	"strings"

	"provcat-tui/ui"
)

// fact is one line of what is told of the selected folder.
type fact struct {
	label string // in a column of its own; empty: the text has the whole line
	tone  ui.Tone
	text  string
	short string // where text does not fit; may be empty
	// rank tells what goes first where there is little room: the highest.
	rank int
	// bars are drawn before the text.
	bars bool
}

// factLabel is the width of the labels.
const factLabel = 10

// facts tells what the selected folder is, the most important first.
func (s *folder) tell() []fact {
	tone, text := s.head.say(s)
	if s.at != nil {
		text = "the folder's newest: " + text
	}
	out := []fact{{tone: tone, text: text}}
	if _, why := canCommit(s.prefix()); why != "" || !s.head.done || s.at != nil {
		return out
	}
	if f, ok := s.tellAudit(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellSince(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellSize(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellPast(); ok {
		out = append(out, f)
	}
	if f, ok := s.tellPin(); ok {
		out = append(out, f)
	}
	return out
}

// unchecked says why something is not known.
func (s *folder) unchecked(err error) (ui.Tone, string) {
	if errors.Is(err, context.Canceled) {
		return ui.Dim, s.keys("cancelled; {reload} loads it")
	}
	return ui.Unsure, "? could not be checked: " + briefly(err)
}

// summary draws the facts in at most h lines; what matters least goes first.
func (s *folder) summary(w, h int, th *ui.Theme) []string {
	facts := s.tell()
	if len(facts) == 0 || h < 1 {
		return nil
	}
	first := ui.Wrap(facts[0].text, w-2)
	first = first[:min(len(first), 2)]
	facts[0].rank = 10
	for len(facts)-1+len(first) > h && len(facts) > 1 {
		if len(facts) == 2 && len(first) > 1 {
			first = first[:1]
			continue
		}
		low := 1
		for i := range facts[1:] {
			if facts[i+1].rank < facts[low].rank {
				low = i + 1
			}
		}
		if facts[low].rank >= 8 && len(first) > 1 {
			first = first[:1]
			continue
		}
		facts = slices.Delete(facts, low, low+1)
	}
	var out []string
	for _, l := range first[:min(len(first), h)] {
		out = append(out, " "+th.Paint(facts[0].tone, l))
	}
	for _, f := range facts[1:] {
		out = append(out, " "+s.factLine(f, w-2, th))
	}
	return out
}

// factLine is one fact on one line.
func (s *folder) factLine(f fact, w int, th *ui.Theme) string {
	if ui.Width(f.label) > factLabel { // a commit of a high number
		f.label = strings.TrimPrefix(f.label, "since ")
	}
	label := th.Paint(ui.Dim, ui.Fit(f.label, factLabel, ui.Left)) + " "
	room := w - factLabel - 1
	if f.short != "" && ui.Width(f.text) > room {
		f.text = f.short
	}
	if f.bars {
		if n := min(room-ui.Width(f.text)-2, 24); n >= 4 {
			counts, broken := s.past.bars(n)
			if counts != nil {
				return label + th.Paint(ui.Accent, ui.Sparkline(counts, broken, 1)[0]) + "  " + th.Say(f.tone, f.text)
			}
		}
	}
	return label + th.Paint(f.tone, strings.TrimRight(ui.Fit(f.text, room, ui.Left), " "))
}
