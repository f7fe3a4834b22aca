package views

import (
	"context"
	"strings"
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
	keyName   string
	want      string           // the version to select; empty: the newest
	named     string           // the version that it was opened for; empty: none
	by        string           // the commit that names it, "#3"; empty: it was opened by no commit
	list      list[objRow]     // the time line
	versions  []bucket.Version // as listed
	have      map[string]bool  // the IDs of a complete listing
	lostShown int              // versions that are gone, on the time line
	names     names
	valve     *valve
	done      bool
	err       error
	// below says whether keys begin with this one and a slash, which makes it a
	// folder's name; asked only where the key itself has no version.
	below   belowKey
	home    *home // of a key of the format; nil: it is another's
	lower   bool  // the preview has the keys
	preview preview
	rules   *audit.Outlook // nil: not read yet
	due     []audit.Due    // of the complete listing; nil: not worked out
	// What the commit that named the version recorded, and when; may be unknown.
	recorded commit.File
	byTime   time.Time
}

// belowKey says whether there are keys below a key.
type belowKey int

const (
	belowUnknown belowKey = iota // not asked, or no answer yet
	belowUnread                  // it could not be found out
	belowNone
	belowSome
)

// namedWithin is how many versions are listed, without being asked, to find the one
// that the screen was opened for.
const namedWithin = 200_000

func newObject(p place, key, version string) *objectScreen {
	s := &objectScreen{place: p, keyName: key, want: version, named: version}
	s.list.text = func(v *objRow) string { return v.ID }
	s.list.row = s.draw
	s.list.table.Show = p.Columns[onObject]
	s.list.table.Columns = []ui.Column{
		{Title: "", Min: ui.TimelineWidth + len("deleted")},
		{Title: "modified (UTC)", Min: 16},
		{Title: "age", Min: 8, Align: ui.Right, Drop: 2},
		{Title: "size", Min: 9, Align: ui.Right},
		{Title: "version", Min: 12, Weight: 2, Max: 70},
		{Title: "named by", Min: 20, Weight: 4, Max: 60},
		{Title: "ETag", Min: 12, Weight: 1, Max: 40, Drop: 3},
		{Title: "class", Min: 10, Drop: 4},
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
	switch by := s.names.text[s.named]; {
	case by != "":
		return "✗ Gone: version " + s.named + ", which " + by + " names, is in no listing any more"
	case s.by != "":
		return "✗ Gone: version " + s.named + ", which " + s.by + " names, is in no listing any more"
	}
	return "✗ Version " + s.named + " is not there: the listing of its key is complete and lacks it"
}

func (s *objectScreen) start() action {
	if v := s.list.selected(); v != nil {
		s.want = v.ID
	}
	s.list.reset()
	s.versions, s.have, s.lostShown = nil, nil, 0
	s.done, s.err, s.preview, s.due, s.below = false, nil, preview{}, nil, belowUnknown
	v := newValve(window)
	s.valve = v
	named := s.named
	w := load("versions", "Listing the versions of "+s.keyName, func(ctx context.Context, add func(bucket.Version)) error {
		look, looked := named, 0
		// Through bounds the listing to this key: longer ones come after it.
		for x, err := range s.b.Versions(ctx, bucket.Range{Prefix: s.keyName, Through: s.keyName}) {
			if err != nil {
				return err
			}
			if x.Key != s.keyName {
				continue
			}
			// As far as the version that is asked for nobody need scroll.
			if look == "" || looked > namedWithin {
				if err := v.pass(ctx); err != nil {
					return err
				}
			}
			if looked++; x.ID == look {
				look = ""
			}
			add(x)
		}
		return nil
	}, func(vs []bucket.Version) action {
		s.grow(vs)
		return s.loadPreview()
	}, func(err error) action {
		s.done, s.err = err == nil, err
		s.settle()
		if s.done && len(s.versions) == 0 && !strings.HasSuffix(s.keyName, "/") {
			return all{s.loadPreview(), s.lookBelow()}
		}
		return s.loadPreview()
	})
	w.waits = v.waits
	return all{stop{"preview"}, begin{w}, s.loadOutlook(), s.findNames(), s.findHome()}
}

// lookBelow asks whether the key is the name of a folder.
func (s *objectScreen) lookBelow() action {
	below := belowUnread
	return begin{load("below", "Looking for keys below "+s.keyName, func(ctx context.Context, _ func(struct{})) error {
		some, err := anyVersion(ctx, s.b, bucket.Range{Prefix: s.keyName + "/", PageSize: 1})
		if err != nil {
			return err
		}
		if below = belowNone; some {
			below = belowSome
		}
		return nil
	}, nil, func(error) action {
		s.below = below
		return nil
	})}
}

// isFolder says that nothing was ever known of the key but that it is a folder's name.
func (s *objectScreen) isFolder() bool {
	return s.done && len(s.list.items) == 0 && s.below == belowSome
}

func (s *objectScreen) enabled(id string) (bool, string) {
	switch id {
	case "filter":
		if len(s.preview.raw) == 0 {
			return false, "there is no text to search"
		}
	case "goon":
		if n := &s.names; n.done || n.running && !n.valve.waits() {
			return false, "all commits above this key were looked at, or are being"
		}
	case "audit":
		if s.ofFormat() && (s.home == nil || !s.home.known) {
			return false, "it is not known to which folder this key belongs"
		}
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
		if s.isFolder() {
			return push{newFolder(s.place, s.keyName)}
		}
		s.lower = true
		return nil
	case "goon":
		if s.names.running {
			s.names.valve.open(namesCommits)
			return nil
		}
		return s.findNames()
	case "audit":
		return push{newAudit(s.place, s.homeFolder())}
	case "copythis":
		return s.copyName()
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
		s.want = ""
		by := 1
		if id == "up" || id == "pageup" || id == "bottom" {
			by = -1
		}
		s.snap(by)
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

// homeFolder is the deepest folder above the key whose log names a version of it, else
// the folder that it is in; of a key of the format the folder that it serves.
func (s *objectScreen) homeFolder() string {
	if s.home != nil {
		return s.home.folder
	}
	if len(s.names.entries) > 0 {
		return s.names.entries[0].folder
	}
	return logsAbove(s.keyName)[0]
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
	if v.gone {
		s.preview.gone = "This version is gone: there are no bytes to read. Commits still name it (" + s.names.text[v.ID] + s.keys("). {audit} audits the folder and says what else broke, and what can be done.")
		return stop{"preview"}
	}
	if v.DeleteMarker {
		s.preview.marker = true
		return stop{"preview"}
	}
	id := v.ID
	return begin{aside(load("preview", "Reading the start of version "+id, func(ctx context.Context, add func(preview)) error {
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
	}))}
}

func (s *objectScreen) status() string {
	var markers int64
	for i := range s.versions {
		if s.versions[i].DeleteMarker {
			markers++
		}
	}
	text := plural(int64(len(s.versions))-markers, "version") + ", " + plural(markers, "delete marker")
	if _, more := s.names.state(s.env); more != "" {
		text += "; " + more[strings.IndexByte(more, ' ')+1:]
	}
	if s.valve != nil && s.valve.waits() {
		text += "; there are more: scroll on to load them"
	}
	return text
}

func (s *objectScreen) view(w, h int, th *ui.Theme) []string {
	if s.err != nil && len(s.list.items) == 0 {
		return indent(s.failure("Listing the versions of "+s.keyName, s.err, w-4, th), w, h)
	}
	if s.done && len(s.list.items) == 0 {
		v := s.verdict()
		lines := th.Paragraph(v.tone, v.text, w-4)
		return indent(lines, w, h)
	}
	if w >= 150 {
		lw := w * 11 / 20
		rw := w - lw - 1
		head := s.head(lw, h, th)
		detail := s.detail(lw, min(16, (h-len(head))/2), th)
		room := h - len(head) - len(detail)
		if len(detail) > 0 {
			room = min(room, max(len(s.list.items)+2, 4))
		}
		left := append(head, s.list.view(lw, room, !s.lower, th)...)
		left = append(left, detail...)
		right := append([]string{ui.Rule(s.previewTitle(), rw, s.lower, th)}, marked(s.preview.lines(s.env, rw, h-1, th), &s.preview, rw, s.lower, th)...)
		return ui.Beside(ui.Block(left, lw, h), ui.Divider(h, th), ui.Block(right, rw, h))
	}
	head := s.head(w, h, th)
	top := min(max(len(s.list.items)+1, 4), (h-len(head))*3/5)
	out := append(head, s.list.view(w, top, !s.lower, th)...)
	out = append(out, ui.Rule(s.previewTitle(), w, s.lower, th))
	return append(out, marked(s.preview.lines(s.env, w, h-len(out), th), &s.preview, w, s.lower, th)...)
}

// head names the key and says whether it can be read.
func (s *objectScreen) head(w, h int, th *ui.Theme) []string {
	head := []string{th.Paint(ui.Dim, " key ") + ui.Fit(s.keyName, w-5, ui.Tail)}
	if s.home != nil && s.home.found {
		head = append(head, th.Paint(ui.Dim, " is  ")+ui.Fit(s.home.name(), w-5, ui.Left))
	}
	if len(s.list.items) > 0 || s.done {
		v := s.verdict()
		says := th.Paragraph(v.tone, v.text, w-2)
		most := max(h/4, 2)
		if len(says) > most {
			says = append(says[:most-1], ui.Pad(says[most-1], w-4)+" …")
		}
		for _, l := range says {
			head = append(head, " "+l)
		}
	}
	if s.err != nil {
		msg := s.failure("Listing the rest", s.err, w-2, th)
		head = append(head, msg[:min(len(msg), 3)]...)
	}
	return head
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
