package views

import (
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// An objRow is one line of the time line: a version or marker; with gone a version
// that commits name and the complete listing lacks; with span the time that the
// version (which it also holds) below it was the newest.
type objRow struct {
	bucket.Version
	gone        bool
	span        string
	first, last bool
}

// manySpans is the number of versions from which on only long times between them are
// told, and not each.
const manySpans = 6

// fewVersions is how many are arranged anew with each page that comes; of more the
// lines are only added until all are there, without the times between them.
const fewVersions = 5_000

// grow takes in more versions of a listing.
func (s *objectScreen) grow(vs []bucket.Version) {
	s.versions = append(s.versions, vs...)
	if len(s.versions) <= fewVersions {
		s.arrange()
		return
	}
	for _, v := range vs {
		s.list.items = append(s.list.items, objRow{Version: v})
		if s.want != "" && v.ID == s.want {
			s.list.table.Cursor, s.want = len(s.list.items)-1, ""
		}
	}
}

// settle takes in that no more versions come.
func (s *objectScreen) settle() {
	if s.done {
		s.have = make(map[string]bool, len(s.versions))
		for i := range s.versions {
			s.have[s.versions[i].ID] = true
		}
	}
	s.arrange()
}

// learnt takes in what commits name: only versions that are gone change the lines.
func (s *objectScreen) learnt() {
	if len(s.lostVersions()) != s.lostShown {
		s.arrange()
	}
}

// arrange makes the lines anew, with the cursor where it was.
func (s *objectScreen) arrange() {
	at, span := s.list.selected(), false
	id := ""
	if s.want != "" {
		id = s.want
	} else if at != nil {
		id, span = at.ID, at.span != ""
	}
	rows := make([]objRow, 0, len(s.versions)+4)
	for _, v := range s.versions {
		rows = append(rows, objRow{Version: v})
	}
	lost := s.lostVersions()
	s.lostShown = len(lost)
	for _, g := range lost {
		// It was the newest at the time of the commit: what is older lies below it.
		i := len(rows)
		if t := s.names.newest[g.ID].time; !t.IsZero() {
			if k := slices.IndexFunc(rows, func(r objRow) bool { return !r.gone && !r.Modified.After(t) }); k >= 0 {
				i = k
			}
		}
		rows = slices.Insert(rows, i, g)
	}
	for i := range rows {
		rows[i].first, rows[i].last = i == 0, i == len(rows)-1 && s.done
	}
	if len(rows) <= fewVersions {
		rows = withSpans(rows)
	}
	s.list.items = rows
	if !span && id != "" {
		for i, r := range rows {
			if r.ID == id && r.span == "" {
				s.list.table.Cursor, s.want = i, ""
				break
			}
		}
	}
	s.snap(1)
}

// lostVersions are those that commits name and a complete listing lacks, oldest first.
func (s *objectScreen) lostVersions() []objRow {
	if !s.done || len(s.names.newest) == 0 {
		return nil
	}
	var out []objRow
	for id, f := range s.names.files {
		if !s.have[id] {
			out = append(out, objRow{gone: true, Version: bucket.Version{Key: s.keyName, ID: id, Size: f.Size, ETag: f.ETag}})
		}
	}
	slices.SortFunc(out, func(a, b objRow) int {
		if c := s.names.newest[a.ID].time.Compare(s.names.newest[b.ID].time); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// withSpans puts the times between versions in their places: of few versions each of
// a day or more, of many only those that stand out.
func withSpans(rows []objRow) []objRow {
	least := 24 * time.Hour
	span := func(i int) time.Duration {
		if i+1 >= len(rows) || rows[i].gone || rows[i+1].gone || rows[i].Modified.IsZero() || rows[i+1].Modified.IsZero() {
			return 0
		}
		return rows[i].Modified.Sub(rows[i+1].Modified)
	}
	if len(rows) > manySpans {
		all := make([]time.Duration, 0, len(rows))
		for i := range rows {
			if d := span(i); d > 0 {
				all = append(all, d)
			}
		}
		slices.Sort(all)
		if len(all) > 0 {
			least = max(least, 4*all[len(all)/2])
		}
	}
	out := make([]objRow, 0, len(rows)+8)
	for i, r := range rows {
		out = append(out, r)
		if span(i) < least {
			continue
		}
		word := "was live for "
		if rows[i+1].DeleteMarker {
			word = "was deleted for "
		}
		out = append(out, objRow{Version: rows[i+1].Version, span: word + age(r.Modified, rows[i+1].Modified)})
	}
	return out
}

// snap moves the cursor off a line that is only a time, in the direction it went.
func (s *objectScreen) snap(by int) {
	t := &s.list.table
	for t.Cursor >= 0 && t.Cursor < len(s.list.items) && s.list.items[t.Cursor].span != "" {
		t.Cursor += by
	}
	t.Clamp(len(s.list.items))
}

func (s *objectScreen) draw(v *objRow, out *ui.Row) {
	if v.span != "" {
		out.Add(ui.Dim, ui.Timeline(ui.Moment{Span: v.span}))
		out.Wide = true
		return
	}
	m := ui.Moment{First: v.first, Last: v.last}
	tone, markTone := ui.Plain, ui.Dim
	switch {
	case v.gone:
		m.Mark, m.Word, tone, markTone = ui.MarkLost, "gone", ui.Bad, ui.Bad
	case v.DeleteMarker && v.Latest:
		m.Mark, m.Word, tone, markTone = ui.MarkLost, "deleted", ui.Bad, ui.Bad
	case v.DeleteMarker:
		m.Mark, m.Word, tone, markTone = ui.MarkLost, "marker", ui.Dim, ui.Warn
	case v.Latest:
		m.Mark, m.Word, markTone = ui.MarkLive, "live", ui.Good
	default:
		m.Mark = ui.MarkPast
	}
	out.Add(markTone, ui.Timeline(m))
	out.Add(tone, stamp(v.Modified))
	if v.gone {
		out.Add(ui.Dim, "")
	} else {
		out.Add(ui.Dim, age(s.Now(), v.Modified))
	}
	if v.DeleteMarker {
		out.Add(tone, "")
	} else {
		out.Add(tone, size(v.Size))
	}
	out.Add(tone, v.ID)
	by := s.names.text[v.ID]
	if by == "" && s.by != "" && v.ID == s.named {
		by = s.by
	}
	out.Add(ui.Accent, by)
	out.Add(ui.Dim, v.ETag)
	out.Add(ui.Dim, v.StorageClass)
}
