package views

import (
	"strings"
)

// lastLink is the screen that was left last, where this session leads to it: with other
// flags than today (an endpoint, a profile) the same URL may be another bucket.
func (e *env) lastLink() (Link, bool) {
	const any = "x"
	session := strings.TrimPrefix(Link{URL: any}.Command(e.Session...), "provcat-tui "+any)
	line, ok := strings.CutSuffix(e.Last, session)
	if !ok {
		return Link{}, false
	}
	line, ok = strings.CutPrefix(line, "provcat-tui ")
	if !ok {
		return Link{}, false
	}
	words, _ := splitWords(line)
	var texts []string
	for _, w := range words {
		texts = append(texts, w.text)
	}
	l, err := linkOf(texts)
	if err != nil || l.URL == "" || l.Command(e.Session...) != e.Last {
		return Link{}, false // not as this program writes it
	}
	return l, true
}

// lastRow is a row of its own for the screen that was left last, unless one of the known
// rows leads just there.
func (s *buckets) lastRow(known []bucketRow) (bucketRow, bool) {
	l, ok := s.env.lastLink()
	if !ok {
		return bucketRow{}, false
	}
	if l == (Link{URL: l.URL}) {
		for i := range known {
			if known[i].URL == l.URL {
				return bucketRow{}, false
			}
		}
	}
	name := l.Screen + " of " + lastPart(l.URL)
	switch {
	case l.Screen == onCommit:
		name = "commit " + l.Ref + " of " + lastPart(l.URL)
	case l.Screen == onDiff:
		name = "diff " + l.Ref + ".." + l.To + " of " + lastPart(l.URL)
	case l.Screen == onObject:
		name = "object " + lastPart(l.URL)
	case l.Ref != "":
		name = lastPart(l.URL) + " at commit " + l.Ref
	case l.Screen == "" || l.Screen == onFolder:
		name = lastPart(l.URL)
	}
	return bucketRow{Bookmark: s.way(Bookmark{Name: name, URL: l.URL}), group: groupLast, link: l}, true
}

// groupLast is the group of the screen that was left last.
const groupLast = "last"

// id tells a row from all others: a URL may be in several groups.
func (r *bucketRow) id() string { return r.group + " " + r.URL }

// selectedID is that of the selected row; empty: there is none.
func (s *buckets) selectedID() string {
	if r := s.list.selected(); r != nil {
		return r.id()
	}
	return ""
}

// markLast marks the place whose URL leads nearest to the one left last.
func (s *buckets) markLast() {
	best := -1
	for i := range s.list.items {
		r := &s.list.items[i]
		r.last = false
		if best >= 0 && s.list.items[best].group == groupLast {
			continue
		}
		if r.group == groupLast || leadsTo(r.URL, s.env.Last) && (best < 0 || len(r.URL) > len(s.list.items[best].URL)) {
			best = i
		}
	}
	if best >= 0 {
		s.list.items[best].last = true
	}
}
