package views

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// objectScreen is one key: every version and marker, newest first, and the start
// of the selected one's bytes.
type objectScreen struct {
	place
	keyName string
	want    string // the version to select; empty: the newest
	named   string // the version that it was opened for; empty: none
	by      string // the commit that names it, "#3"; empty: it was opened by no commit
	list    list[bucket.Version]
	valve   *valve
	done    bool
	err     error
	lower   bool // the preview has the keys
	preview preview
	outlook *audit.Outlook // nil: not read yet
	due     []audit.Due    // of the complete listing; nil: not worked out
	// What the commit that named the version recorded, and when; may be unknown.
	recorded commit.File
	byTime   time.Time
}

func newObject(p place, key, version string) *objectScreen {
	s := &objectScreen{place: p, keyName: key, want: version, named: version}
	s.list.text = func(v *bucket.Version) string { return v.ID }
	s.list.row = s.draw
	s.list.table.Columns = []ui.Column{
		{Title: "", Min: 9},
		{Title: ""}, // as wide as the commit's name, where one named the version
		{Title: "modified (UTC)", Min: 16},
		{Title: "age", Min: 8, Align: ui.Right, Drop: 3},
		{Title: "size", Min: 10, Align: ui.Right},
		{Title: "version", Min: 12, Weight: 3, Max: 70},
		{Title: "ETag", Min: 12, Weight: 2, Max: 40, Drop: 1},
		{Title: "class", Min: 10, Drop: 2},
	}
	return s
}

func (s *objectScreen) kind() string { return onObject }
func (s *objectScreen) crumb() string {
	if s.by != "" {
		return "Object " + s.keyName + " at " + s.by
	}
	return "Object " + s.keyName
}

// goneText says what is missing.
func (s *objectScreen) goneText() string {
	if s.by != "" {
		return "✗ the version that " + s.by + " names, " + s.named + ", is gone"
	}
	return "✗ version " + s.named + " is not there: its listing is complete and lacks it"
}

func (s *objectScreen) draw(v *bucket.Version, out *ui.Row) {
	tone := ui.Plain
	switch {
	case v.DeleteMarker && v.Latest:
		tone = ui.Bad
		out.Add(tone, "✗ deleted")
	case v.DeleteMarker:
		tone = ui.Dim
		out.Add(ui.Warn, "✗ marker")
	case v.Latest:
		out.Add(ui.Good, "● live")
	default:
		out.Add(ui.Dim, "○")
	}
	if s.by != "" && v.ID == s.named {
		out.Add(ui.Accent, "named by "+s.by)
	} else {
		out.Add(ui.Dim, "")
	}
	out.Add(tone, stamp(v.Modified))
	out.Add(ui.Dim, age(s.Now(), v.Modified))
	if v.DeleteMarker {
		out.Add(tone, "")
	} else {
		out.Add(tone, size(v.Size))
	}
	out.Add(tone, v.ID)
	out.Add(ui.Dim, v.ETag)
	out.Add(ui.Dim, v.StorageClass)
}

func (s *objectScreen) start() action {
	if v := s.list.selected(); v != nil {
		s.want = v.ID
	}
	s.list.reset()
	if s.by != "" {
		s.list.table.Columns[1].Min = ui.Width("named by " + s.by)
	}
	s.done, s.err, s.preview, s.due = false, nil, preview{}, nil
	v := newValve(window)
	s.valve = v
	w := load("versions", "Listing the versions of "+s.keyName, func(ctx context.Context, add func(bucket.Version)) error {
		// Through bounds the listing to this key: longer ones come after it.
		for x, err := range s.b.Versions(ctx, bucket.Range{Prefix: s.keyName, Through: s.keyName}) {
			if err != nil {
				return err
			}
			if x.Key != s.keyName {
				continue
			}
			if err := v.pass(ctx); err != nil {
				return err
			}
			add(x)
		}
		return nil
	}, func(vs []bucket.Version) action {
		act := s.list.add(vs)
		for i := range s.list.items {
			if s.want != "" && s.list.items[i].ID == s.want {
				s.list.table.Cursor, s.want = i, ""
			}
		}
		return all{act, s.loadPreview()}
	}, func(err error) action {
		s.done, s.err = err == nil, err
		return nil
	})
	w.waits = v.waits
	return all{stop{"preview"}, begin{w}, s.loadOutlook()}
}

func (s *objectScreen) enabled(id string) (bool, string) {
	if id == "filter" && len(s.preview.raw) == 0 {
		return false, "there is no text to search"
	}
	return true, ""
}

// lines: / and n search the preview; the versions are few.
func (s *objectScreen) lines() liner { return &s.preview.find }

func (s *objectScreen) typing() bool { return s.preview.find.typing() }

func (s *objectScreen) input(msg tea.Msg) action {
	s.preview.search(msg)
	return nil
}

func (s *objectScreen) key(id string) action {
	switch id {
	case "pane":
		s.lower = !s.lower
		return nil
	case "open":
		s.lower = true
		return nil
	case "filter":
		s.lower = true
		s.preview.find.begin()
		return nil
	case "next", "previous":
		s.lower = true
	}
	if s.lower {
		s.preview.move(id)
		return nil
	}
	if s.list.move(id) {
		s.scrollOn()
		return s.loadPreview()
	}
	return nil
}

// scrollOn lets the next window of versions through, where the last one is nearly seen.
func (s *objectScreen) scrollOn() {
	_, seen := s.list.table.Window(s.list.Len())
	if max(s.list.table.Cursor, seen) >= s.list.Len()-window/10 {
		s.valve.open(window)
	}
}

// focus and scrolled serve the mouse.
func (s *objectScreen) focus(widget any) { s.lower = widget == any(&s.preview) }

func (s *objectScreen) scrolled(any) action {
	s.scrollOn()
	return nil
}

func (s *objectScreen) escape() (bool, action) {
	switch {
	case s.preview.find.clear():
	case s.lower:
		s.lower = false
	default:
		return false, nil
	}
	return true, nil
}

// loadPreview reads the start of the selected version, after the cursor rested.
func (s *objectScreen) loadPreview() action {
	v := s.list.selected()
	if v == nil || s.preview.version == v.ID && s.preview.asked {
		return nil
	}
	s.preview = preview{version: v.ID, asked: true, find: s.preview.find}
	s.preview.find.search(nil)
	if v.DeleteMarker {
		s.preview.marker = true
		return stop{"preview"}
	}
	id := v.ID
	return begin{load("preview", "Reading the start of version "+id, func(ctx context.Context, add func(preview)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		p, err := readPreview(ctx, s.b, s.keyName, id)
		if err != nil {
			return err
		}
		add(p)
		return nil
	}, func(p []preview) action {
		find := s.preview.find
		s.preview = p[len(p)-1]
		s.preview.find = find
		s.preview.find.search(s.preview.raw)
		return nil
	}, func(err error) action {
		s.preview.err = err
		return nil
	})}
}

func (s *objectScreen) status() string {
	var markers int64
	for i := range s.list.items {
		if s.list.items[i].DeleteMarker {
			markers++
		}
	}
	text := plural(int64(len(s.list.items))-markers, "version") + ", " + plural(markers, "delete marker")
	if s.valve != nil && s.valve.waits() {
		text += "; there are more: scroll on to load them"
	}
	return text
}

func (s *objectScreen) view(w, h int, th *ui.Theme) []string {
	if s.err != nil && len(s.list.items) == 0 {
		return indent(failure("Listing the versions of "+s.keyName, s.err, w-4, th), w, h)
	}
	if s.done && len(s.list.items) == 0 {
		v := s.verdict()
		lines := th.Paragraph(v.tone, v.text, w-4)
		return indent(lines, w, h)
	}
	head := []string{th.Paint(ui.Dim, " key ") + ui.Fit(s.keyName, w-5, ui.Tail)}
	if len(s.list.items) > 0 || s.done {
		v := s.verdict()
		says := th.Paragraph(v.tone, v.text, w-2)
		for _, l := range says[:min(len(says), max(h/4, 2))] {
			head = append(head, " "+l)
		}
	}
	if s.err != nil {
		msg := failure("Listing the rest", s.err, w-2, th)
		head = append(head, msg[:min(len(msg), 3)]...)
	}
	if w >= 150 {
		lw := w * 11 / 20
		rw := w - lw - 1
		left := append(head, s.list.view(lw, h-len(head), !s.lower, th)...)
		right := append([]string{ui.Rule(s.previewTitle(), rw, s.lower, th)}, marked(s.preview.lines(rw, h-1, th), &s.preview, rw, s.lower, th)...)
		return ui.Beside(ui.Block(left, lw, h), ui.Divider(h, th), ui.Block(right, rw, h))
	}
	top := min(max(len(s.list.items)+1, 4), (h-len(head))/2)
	out := append(head, s.list.view(w, top, !s.lower, th)...)
	out = append(out, ui.Rule(s.previewTitle(), w, s.lower, th))
	return append(out, marked(s.preview.lines(w, h-len(out), th), &s.preview, w, s.lower, th)...)
}

func (s *objectScreen) previewTitle() string {
	v := s.list.selected()
	if v == nil {
		return "preview"
	}
	t := "preview of " + v.ID
	if s.preview.cut {
		t += ": the first 64 KiB"
	}
	return t
}
