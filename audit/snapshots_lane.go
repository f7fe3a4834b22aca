package audit

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"provcat-tui/bucket"
)

// A track is the commits of one folder, ascending.
type track struct {
	folder  string
	index   []int32  // of each commit in refs.commits, ascending
	windows []window // of each commit
	claims  []int32  // positions of the commits with a window, whose windows ascend
}

// A lane is a track, and what a walk found of its commits. A version is named by a row
// of commits, so what it says is kept for rows (see rows): memory goes with the number
// of commits, time with the number of keys. What is found does not hang on the order in
// which keys come, so that lanes can be merged.
type lane struct {
	*track
	// Of each commit: the version that began last, and the one that ended first.
	starts, ends []mark
	left         []omission // of each commit: versions that it leaves out
}

// A window is the seconds, by the bucket's times, within which a commit's snapshot
// was taken: after the entry of the commit before it was there, and before its own
// object was. from never: not known.
type window struct{ from, to int64 }

// A mark is one end of the time for which a version was live.
type mark struct {
	at  int64 // seconds
	ref int32 // whose
	ok  bool  // there is one
}

// last and first take the mark that lies further, of equal ones that of the first key.
func (m *mark) last(x mark) {
	if x.ok && (!m.ok || x.at > m.at || x.at == m.at && x.ref < m.ref) {
		*m = x
	}
}

func (m *mark) first(x mark) {
	if x.ok && (!m.ok || x.at < m.at || x.at == m.at && x.ref < m.ref) {
		*m = x
	}
}

// An omission is how many versions a commit leaves out, and those of the first keys.
type omission struct {
	count int64
	some  []leftOut // in order of key
}

// add takes in more omissions, some of them by name: those in order of key.
func (o *omission) add(count int64, some ...leftOut) {
	o.count += count
	for _, x := range some {
		at := len(o.some)
		for at > 0 && o.some[at-1].key > x.key {
			at--
		}
		if at < maxLeft {
			o.some = slices.Insert(o.some, at, x)
			o.some = o.some[:min(len(o.some), maxLeft)]
		}
	}
}

// A leftOut is a version that a commit leaves out.
type leftOut struct{ key, version string }

// maxLeft bounds the examples of one row of commits.
const maxLeft = 3

// tracks are the tracks of all folders, made once.
type tracks struct {
	once sync.Once
	of   map[string]*track
}

// tracksOf gives the tracks of all folders with commits of which something can be
// said: sound ones by a writer that says what it wrote.
func (a *auditor) tracksOf(r *refs) map[string]*track {
	r.tracks.once.Do(func() {
		r.tracks.of = map[string]*track{}
		lines := map[string][]*timed{} // by folder
		for hash, line := range a.timelines() {
			lines[a.f.logs[hash].folder] = line
		}
		for i := range r.commits {
			c := &r.commits[i]
			facts := a.f.commits[c.ID]
			if !c.ok || c.header.Number == 0 || facts == nil || facts.invalid != "" {
				continue
			}
			l := r.tracks.of[c.Folder]
			if l == nil {
				l = &track{folder: c.Folder}
				r.tracks.of[c.Folder] = l
			}
			l.index = append(l.index, int32(i))
			l.windows = append(l.windows, windowOf(lines[c.Folder], c.CommitRef))
		}
		for _, l := range r.tracks.of {
			l.claim()
		}
	})
	return r.tracks.of
}

func newLane(t *track) *lane {
	n := 2 * len(t.index)
	return &lane{track: t, starts: make([]mark, n), ends: make([]mark, n), left: make([]omission, n)}
}

// merge takes in what another lane of the same track found.
func (l *lane) merge(x *lane) {
	for i := range l.starts {
		l.starts[i].last(x.starts[i])
		l.ends[i].first(x.ends[i])
		l.left[i].add(x.left[i].count, x.left[i].some...)
	}
}

// windowOf finds a commit's window. There is none for the first commit, nor where
// an entry was restored or a time is not known.
func windowOf(line []*timed, c CommitRef) window {
	none := window{never, never}
	i, ok := slices.BinarySearchFunc(line, c.Number, func(x *timed, n int64) int { return cmp.Compare(x.slot.number, n) })
	if !ok || i == 0 {
		return none
	}
	x, before := line[i], line[i-1]
	if x.id != c.ID || before.slot.number != c.Number-1 || x.made == never || before.made == never ||
		len(x.slot.versions) > 1 || len(before.slot.versions) > 1 || before.made-x.put > margin {
		return none
	}
	return window{min(before.made, before.put), x.put}
}

// claim finds the commits whose windows ascend.
func (l *track) claim() {
	last := window{never, never}
	for i, w := range l.windows {
		if w.from == never {
			continue
		}
		if w.from < last.from || w.to < last.to || w.to < w.from {
			l.windows[i] = window{never, never}
			continue
		}
		l.claims = append(l.claims, int32(i))
		last = w
	}
}

// rows gives the positions of a run of commits; empty: first > last.
func (l *track) row(u run) (first, last int) {
	first = sort.Search(len(l.index), func(i int) bool { return l.index[i] >= u.first })
	last = sort.Search(len(l.index), func(i int) bool { return l.index[i] > u.last }) - 1
	return first, last
}

// within gives the claims whose whole window lies in a version's time, with the
// margin: claims[first:end].
func (l *track) within(s span) (first, end int) {
	first = sort.Search(len(l.claims), func(i int) bool { return l.windows[l.claims[i]].from > s.from+margin })
	end = sort.Search(len(l.claims), func(i int) bool { return l.windows[l.claims[i]].to >= s.to-margin })
	return first, end
}

// rows calls f for the nodes of a binary tree, kept as an array of 2n, that
// together are the positions first to last of n. A position's own values are those
// of all nodes from its leaf to the root: see above.
func rows(n, first, last int, f func(node int)) {
	for a, b := first+n, last+n+1; a < b; a, b = a/2, b/2 {
		if a%2 == 1 {
			f(a)
			a++
		}
		if b%2 == 1 {
			b--
			f(b)
		}
	}
}

func above(n, position int, f func(node int)) {
	for a := position + n; a > 0; a /= 2 {
		f(a)
	}
}

// named notes the time of a version that a run of commits names.
func (l *lane) named(ref int32, u run, s span) {
	first, last := l.row(u)
	rows(len(l.index), first, last, func(node int) {
		l.starts[node].last(mark{s.from, ref, true})
		l.ends[node].first(mark{s.to, ref, s.to != still})
	})
}

// bounds gives the version of a commit that began last, and the one that ended
// first.
func (l *lane) bounds(position int) (start, end mark) {
	above(len(l.index), position, func(node int) {
		start.last(l.starts[node])
		end.first(l.ends[node])
	})
	return start, end
}

// omit notes the commits, among those whose windows lie in the version's time, that
// don't name it. runs are those that do, ascending.
func (l *lane) omit(v bucket.Version, s span, runs []run) {
	first, end := l.within(s)
	if first >= end {
		return
	}
	at, last := int(l.claims[first]), int(l.claims[end-1])
	gap := func(to int) {
		rows(len(l.index), at, to, func(node int) {
			l.left[node].add(1, leftOut{v.Key, v.ID})
		})
	}
	for _, u := range runs {
		if at > last {
			return
		}
		from, to := l.row(u)
		if from > to {
			continue
		}
		if from > at {
			gap(min(from-1, last))
		}
		at = max(at, to+1)
	}
	if at <= last {
		gap(last)
	}
}

// omitted gives what a commit leaves out.
func (l *lane) omitted(position int) omission {
	var out omission
	if l.windows[position].from == never {
		return out
	}
	above(len(l.index), position, func(node int) {
		out.count += l.left[node].count
		out.some = append(out.some, l.left[node].some...)
	})
	return out
}
