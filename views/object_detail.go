package views

import (
	"fmt"

	"provcat-tui/ui"
)

// detail tells all about the selected line of the time line, in at most h lines.
func (s *objectScreen) detail(w, h int, th *ui.Theme) []string {
	v := s.list.selected()
	if v == nil || h < 4 {
		return nil
	}
	out := []string{ui.Rule("selected", w, false, th)}
	say := func(label string, tone ui.Tone, text string) {
		if text == "" {
			return
		}
		for _, l := range ui.Wrap(text, w-11) {
			out = append(out, " "+th.Paint(ui.Dim, ui.Fit(label, 10, ui.Left))+th.Paint(tone, l))
			label = ""
		}
	}
	say("version", ui.Accent, v.ID)
	switch {
	case v.gone:
		say("state", ui.Bad, "✗ gone: in no listing; size and ETag are as commits recorded them")
	case v.DeleteMarker:
		say("state", ui.Bad, "✗ a delete marker: it hides what is under it")
	case v.Latest:
		say("state", ui.Good, "● live: what a plain read gets")
	default:
		say("state", ui.Plain, "○ noncurrent: read by its ID")
	}
	if !v.gone {
		say("modified", ui.Plain, fmt.Sprintf("%s (%s)", exact(v.Modified), age(s.Now(), v.Modified)))
	}
	if !v.DeleteMarker {
		say("size", ui.Plain, bytesOf(v.Size))
		say("ETag", ui.Plain, v.ETag)
		say("class", ui.Plain, v.StorageClass)
	}
	if t := s.names.text[v.ID]; t != "" {
		say("named by", ui.Plain, t)
	} else if s.names.done {
		say("named by", ui.Dim, "no commit that was read")
	}
	if s.rules != nil && s.done && s.rules.Err() == nil && len(s.versions) <= keptVersions {
		for i := range s.versions {
			if text := s.removal(i); s.versions[i].ID == v.ID && text != "" {
				say("removal", ui.Warn, "! "+text)
			}
		}
	}
	if _, text := s.names.state(s.env); text != "" {
		say("", ui.Unsure, text)
	}
	return out[:min(len(out), h)]
}

// bytesOf is a size with its exact number of bytes.
func bytesOf(n int64) string {
	if n < 1024 {
		return size(n)
	}
	return size(n) + " (" + count(n) + " bytes)"
}
