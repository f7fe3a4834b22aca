package views

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// bucketRow is one place to go to.
type bucketRow struct {
	group string // "bookmark", "recent", "listed"
	name  string
	url   string
}

// buckets is the list of places: bookmarks, recent ones, and the buckets that
// the credentials can list.
type buckets struct {
	env  *env
	list list[bucketRow]
	err  error // of the listing
	done bool
	bad  error // of the URL that was opened last
}

func newBuckets(e *env) *buckets {
	s := &buckets{env: e}
	s.list.text = func(r *bucketRow) string { return r.name + " " + r.url }
	s.list.row = func(r *bucketRow, out *ui.Row) {
		out.Add(ui.Dim, r.group)
		out.Add(ui.Plain, r.name)
		out.Add(ui.Dim, r.url)
	}
	s.list.table.Columns = []ui.Column{
		{Title: "from", Min: 8},
		{Title: "name", Min: 16, Weight: 1, Max: 40},
		{Title: "URL", Min: 20, Weight: 2, Align: ui.Tail},
	}
	return s
}

func (s *buckets) kind() string  { return onBuckets }
func (s *buckets) crumb() string { return "Buckets" }

func (s *buckets) start() action {
	at := s.list.table.Cursor
	s.list.reset()
	s.err, s.bad, s.done = nil, nil, false
	var known []bucketRow
	for _, b := range s.env.Bookmarks {
		known = append(known, bucketRow{"bookmark", b.Name, b.URL})
	}
	for _, u := range s.env.Recent {
		known = append(known, bucketRow{"recent", lastPart(u), u})
	}
	act := s.list.add(known)
	s.list.table.Cursor = min(at, max(len(known)-1, 0))
	if s.env.Buckets == nil {
		s.done = true
		return act
	}
	return all{act, begin{load("buckets", "Listing the buckets of these credentials", func(ctx context.Context, add func(bucketRow)) error {
		urls, err := s.env.Buckets(ctx)
		for _, u := range urls {
			add(bucketRow{"listed", lastPart(u), u})
		}
		return err
	}, s.list.add, func(err error) action {
		s.err, s.done = err, true
		return nil
	})}}
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
		url := r.url
		var loc bucket.Location
		// Parse looks at files, which may be slow: not here.
		return begin{load("open", "Looking for "+url, func(context.Context, func(struct{})) (err error) {
			loc, err = bucket.Parse(url)
			return err
		}, nil, func(err error) action {
			if err != nil {
				s.bad = err
				return nil
			}
			return push{newOpening(s.env, loc)}
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
func (s *buckets) status() string {
	if s.done {
		return plural(int64(len(s.list.items)), "place")
	}
	return ""
}

// unlisted says why the buckets could not be listed. Without credentials, or
// without leave to list them, nothing is missing: the text of the error says what to do.
func (s *buckets) unlisted(w int, th *ui.Theme) []string {
	if !errors.Is(s.err, bucket.ErrDenied) {
		return failure("Listing the buckets of these credentials", s.err, w, th)
	}
	out := th.Paragraph(ui.Unsure, "? The buckets of an S3 account could not be listed:", w)
	out = append(out, th.Shown(ui.Unsure, s.err.Error(), w)...)
	return append(out, th.Paragraph(ui.Dim, "Press r to list them again.", w)...)
}

func (s *buckets) view(w, h int, th *ui.Theme) []string {
	var below []string
	if s.bad != nil {
		below = append(below, failure("Opening it", s.bad, w-2, th)...)
	}
	if s.err != nil {
		below = append(below, s.unlisted(w-2, th)...)
		below = append(below, th.Paragraph(ui.Dim, "A bucket that you may not list can still be opened by its URL: provcat-tui s3://bucket/folder", w-2)...)
	}
	if len(s.list.items) == 0 && s.done && len(below) == 0 {
		below = th.Paragraph(ui.Plain, "There is no bucket to show yet. Make the demo bucket with \"provcat-tui demo\", or open one with \"provcat-tui s3://bucket/folder\" or the path of a bucket file. Recent ones are listed here; bookmarks come from the config file.", w-2)
	}
	below = below[:min(len(below), h/2)]
	if len(below) == 0 {
		return s.list.view(w, h, true, th)
	}
	out := s.list.view(w, h-len(below)-1, true, th)
	return append(out, indent(below, w, len(below)+1)...)
}
