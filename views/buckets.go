package views

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// bucketRow is one place to go to.
type bucketRow struct {
	Bookmark
	group string // "last", "bookmark", "recent", "listed"
	first bool   // of its group
	last  bool   // the place that was left last
	link  Link   // the screen there; the zero Link: its folder
}

// buckets is the list of places: bookmarks, recent ones, and the buckets that
// the credentials can list.
type buckets struct {
	env  *env
	list list[bucketRow]
	err  error // of the listing
	done bool
	bad  error // of the URL that was opened last
	// again is the row on which the cursor is put when it comes, by its ID.
	again string
	has   [3]bool // some place has a profile, region, endpoint
}

func newBuckets(e *env) *buckets {
	s := &buckets{env: e}
	s.list.text = func(r *bucketRow) string {
		return strings.Join([]string{r.group, r.Name, r.URL, r.Profile, r.Region, r.Endpoint}, " ")
	}
	s.list.row = s.draw
	s.list.orders = bucketOrders
	s.list.table.Show = e.Columns[onBuckets]
	s.columns()
	return s
}

func (s *buckets) draw(r *bucketRow, out *ui.Row) {
	group := ""
	if r.first || s.list.filter.Active() || s.list.isBy > 0 {
		group = r.group
	}
	out.Add(ui.Strong, group)
	name := r.Name
	if r.last && r.group != groupLast {
		name += "  (left last)"
	}
	out.Add(ui.Plain, name)
	for i, text := range []string{r.URL, r.Profile, r.Region, r.Endpoint} {
		if i == 0 || s.has[i-1] {
			out.Add(ui.Dim, text)
		}
	}
}

// columns shows profile, region and endpoint only where a place has any.
func (s *buckets) columns() {
	s.has = [3]bool{}
	for _, r := range s.list.items {
		for i, text := range []string{r.Profile, r.Region, r.Endpoint} {
			s.has[i] = s.has[i] || text != ""
		}
	}
	c := []ui.Column{
		{Title: "from", Min: 8},
		{Title: "name", Min: 18, Weight: 1, Max: 40},
		{Title: "URL", Min: 20, Weight: 2, Max: 72, Align: ui.Tail},
	}
	for i, x := range []ui.Column{
		{Title: "profile", Min: 8, Weight: 1, Max: 20, Drop: 2},
		{Title: "region", Min: 10, Weight: 1, Max: 16, Drop: 1},
		{Title: "endpoint", Min: 22, Weight: 2, Max: 48, Drop: 3},
	} {
		if s.has[i] {
			c = append(c, x)
		}
	}
	s.list.table.Columns = c
	s.list.table.Relayout()
}

func (s *buckets) kind() string  { return onBuckets }
func (s *buckets) crumb() string { return "Buckets" }

func (s *buckets) start() action {
	if r := s.list.selected(); r != nil {
		s.again = r.id()
	}
	s.list.reset()
	s.err, s.bad, s.done = nil, nil, false
	var known []bucketRow
	for _, b := range s.env.Bookmarks {
		known = append(known, bucketRow{Bookmark: s.way(b), group: "bookmark"})
	}
	for _, u := range s.env.Recent {
		known = append(known, bucketRow{Bookmark: s.way(Bookmark{Name: lastPart(u), URL: u}), group: "recent"})
	}
	if r, ok := s.lastRow(known); ok {
		known = slices.Insert(known, 0, r)
	}
	act := s.add(known)
	if s.env.Buckets == nil {
		s.done = true
		return act
	}
	return all{act, begin{load("buckets", "Listing the buckets of these credentials", func(ctx context.Context, add func(bucketRow)) error {
		listed, err := s.env.Buckets(ctx)
		for _, b := range listed {
			add(bucketRow{Bookmark: b, group: "listed"})
		}
		return err
	}, s.add, func(err error) action {
		s.err, s.done = err, true
		return nil
	})}}
}

// way adds to a bookmark how it would be opened.
func (s *buckets) way(b Bookmark) Bookmark {
	if s.env.Way == nil {
		return b
	}
	w := s.env.Way(b.URL)
	w.Name, w.URL = b.Name, b.URL
	return w
}

// add takes more places, and puts the cursor where it was, or on the place left last.
func (s *buckets) add(rows []bucketRow) action {
	group := ""
	if n := len(s.list.items); n > 0 {
		group = s.list.items[n-1].group
	}
	for i := range rows {
		rows[i].first = rows[i].group != group
		group = rows[i].group
	}
	act := s.list.add(rows)
	s.columns()
	s.markLast()
	for i := range s.list.Len() {
		r := s.list.at(i)
		if r.id() == s.again || s.again == "" && r.last && s.list.table.Cursor == 0 {
			s.list.table.Cursor, s.again = i, r.id()
			break
		}
	}
	return act
}

// leadsTo says whether a command is about a URL or what is below it.
func leadsTo(url, command string) bool {
	for _, u := range []string{url, safe.Shell(url)} {
		if rest, ok := strings.CutPrefix(command, "provcat-tui "+u); ok && (rest == "" || rest[0] == ' ' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// lastPart is the last name of a URL.
func lastPart(url string) string {
	for i := len(url) - 2; i >= 0; i-- {
		if url[i] == '/' {
			return url[i+1:]
		}
	}
	return url
}

func (s *buckets) key(id string) action {
	if s.list.move(id) {
		s.again = s.selectedID()
		return nil
	}
	switch id {
	case "filter":
		s.list.filter.Begin()
	case "open":
		r := s.list.selected()
		if r == nil {
			return nil
		}
		s.bad = nil
		url, link := r.URL, r.link
		var loc bucket.Location
		// Parse looks at files, which may be slow: not here.
		return begin{load("open", "Looking for "+url, func(context.Context, func(struct{})) (err error) {
			if loc, err = bucket.Parse(url); err == nil {
				err = link.Check()
			}
			return err
		}, nil, func(err error) action {
			if err != nil {
				s.bad = err
				return nil
			}
			o := newOpening(s.env, loc)
			o.to = link
			return push{o}
		})}
	}
	return nil
}

func (s *buckets) enabled(id string) (bool, string) {
	if id == "open" && s.list.selected() == nil {
		return false, "there is nothing to open"
	}
	return true, ""
}

func (s *buckets) typing() bool           { return s.list.typing() }
func (s *buckets) input(m tea.Msg) action { return s.list.input(m) }
func (s *buckets) escape() (bool, action) { return s.list.clear(), nil }

func (s *buckets) selectedURL() string {
	if r := s.list.selected(); r != nil {
		return r.URL
	}
	return ""
}

// status tells the selected place whole, which the table may cut.
func (s *buckets) status() string {
	r := s.list.selected()
	if r == nil {
		return ""
	}
	text := r.URL
	for _, x := range [][2]string{{"profile", r.Profile}, {"region", r.Region}, {"endpoint", r.Endpoint}} {
		if x[1] != "" {
			text += ", " + x[0] + " " + x[1]
		}
	}
	return text
}

// unlisted says why the buckets could not be listed. Without credentials, or
// without leave to list them, nothing is missing: the text of the error says what to do.
func (s *buckets) unlisted(w int, th *ui.Theme) []string {
	if !errors.Is(s.err, bucket.ErrDenied) {
		return s.env.failure("Listing the buckets of these credentials", s.err, w, th)
	}
	out := th.Paragraph(ui.Unsure, "? The buckets of an S3 account could not be listed:", w)
	out = append(out, th.Shown(ui.Unsure, s.err.Error(), w)...)
	return append(out, th.Paragraph(ui.Dim, s.env.keys("Press {reload} to list them again."), w)...)
}

func (s *buckets) view(w, h int, th *ui.Theme) []string {
	var below []string
	if s.bad != nil {
		below = append(below, s.env.failure("Opening it", s.bad, w-2, th)...)
	}
	if s.err != nil {
		below = append(below, s.unlisted(w-2, th)...)
		below = append(below, th.Paragraph(ui.Dim, "A bucket that you may not list can still be opened by its URL: provcat-tui s3://bucket/folder or gs://bucket/folder", w-2)...)
	}
	if len(s.list.items) == 0 && s.done {
		lines := below
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		return indent(append(lines, s.teach(w-2, th)...), w, h)
	}
	if len(below) == 0 && s.done && len(s.env.Bookmarks) == 0 && s.env.ConfigFile != "" && h > len(s.list.items)+8 {
		below = th.Paragraph(ui.Dim, "Places to keep by name go under bookmarks in "+s.env.ConfigFile, w-2)
	}
	below = below[:min(len(below), h/2)]
	if len(below) == 0 {
		return s.list.view(w, h, true, th)
	}
	out := s.list.view(w, h-len(below)-1, true, th)
	return append(out, indent(below, w, len(below)+1)...)
}

// teach is the screen of somebody who has no place to go to yet.
func (s *buckets) teach(w int, th *ui.Theme) []string {
	out := []string{th.Paint(ui.Strong, "There is no bucket to show yet. Ways to one:"), ""}
	for _, x := range [][2]string{
		{"provcat-tui demo", "makes a bucket to try all of it on, in a file"},
		{"provcat-tui s3://bucket/folder", "opens a bucket, or a folder of it"},
		{"provcat-tui data/x.bucket", "opens a bucket that is a file"},
	} {
		const cw = 32
		for i, l := range ui.Wrap(x[1], max(w-cw, 16)) {
			command := ""
			if i == 0 {
				command = x[0]
			}
			out = append(out, th.Paint(ui.Accent, ui.Fit(command, cw, ui.Left))+l)
		}
	}
	out = append(out, "")
	out = append(out, th.Paragraph(ui.Dim, "Buckets that your credentials can list are shown here too: run \"aws configure\", or set AWS_PROFILE; for Google Cloud \"gcloud auth application-default login\" and GOOGLE_CLOUD_PROJECT; --endpoint names another server. What was opened is kept as recent.", w)...)
	if s.env.ConfigFile != "" {
		out = append(out, "")
		out = append(out, th.Paragraph(ui.Dim, "Bookmarks come from "+s.env.ConfigFile+":", w)...)
		for _, l := range []string{"bookmarks:", "  - name: sales", "    url: s3://team-data/sales"} {
			out = append(out, "  "+th.Paint(ui.Dim, l))
		}
	}
	return out
}
