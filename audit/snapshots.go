package audit

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// snapshots finds commits that are no snapshot: two of their versions were never
// live at the same time, or one that was live all the while is left out. It goes by
// the bucket's times with a margin of two seconds, and only by what they can show:
//
//   - A multipart upload has the time at which it started, so neither its own time
//     counts nor the end that it gives to the version under it.
//   - A version with the ID null can be replaced without a trace.
//   - That a version is left out shows only in a whole history: no lifecycle rule
//     that takes noncurrent versions or markers, no null version, none missing that
//     a commit names. A version or marker that somebody removed for good cannot be
//     seen, so this is never certain.
type snapshots struct {
	a *auditor
	r *refs
	// trims are the prefixes of rules that take away history; known: they could be
	// read.
	trims []string
	known bool

	mine  map[string]*lane // by folder: those of which something was found
	dir   string           // the last key's, with its final slash
	lanes []*lane          // of the folders that hold the last key
	fresh bool             // lanes were looked up
	runs  []run            // scratch, as is refs
	refs  []ref
}

func (a *auditor) newSnapshots(r *refs) *snapshots {
	x := &snapshots{a: a, r: r, mine: map[string]*lane{}}
	rules, known := a.f.rules()
	x.known = known
	for _, rule := range rules {
		if erases(rule) {
			x.trims = append(x.trims, prefixes(rule)...)
		}
	}
	return x
}

// A span is the seconds for which a version was live, by the bucket's times.
type span struct {
	from int64 // never: not known
	to   int64 // never: not known; still: it is live
}

const still = math.MaxInt64

// spanOf finds when vs[i] was live; vs are all versions of its key, newest first.
func spanOf(vs []bucket.Version, i int) span {
	none := span{never, never}
	v := vs[i]
	if v.DeleteMarker || v.ID == bucket.NullID || multipart(v) {
		return none
	}
	s := span{second(v.Modified), still}
	if i > 0 {
		if multipart(vs[i-1]) {
			return none
		}
		s.to = second(vs[i-1].Modified)
	}
	if s.from == never || s.to == never || s.to < s.from {
		return none
	}
	return s
}

// multipart says that a version was uploaded in parts, by its ETag: the hash of
// the parts' hashes, and their number.
//
// S3 user guide, "Checking object integrity", ETags of multipart uploads.
func multipart(v bucket.Version) bool {
	i := strings.LastIndexByte(v.ETag, '-')
	return i >= 0 && i+1 < len(v.ETag) && strings.Trim(v.ETag[i+1:], "0123456789") == ""
}

// whole says that nothing of a key's history is known, or likely, to be gone. refs
// are those of the key.
func (x *snapshots) whole(key string, vs []bucket.Version, refs []ref) bool {
	if !x.known || slices.ContainsFunc(x.trims, func(p string) bool { return strings.HasPrefix(key, p) }) {
		return false
	}
	for i, v := range vs {
		if v.ID == bucket.NullID || v.Modified.IsZero() || i > 0 && v.Modified.Unix()-vs[i-1].Modified.Unix() > margin {
			return false
		}
	}
	find := finder(vs, len(refs))
	return !slices.ContainsFunc(refs, func(r ref) bool { return find(r.version) < 0 })
}

// finder gives a function that finds a version by its ID, for n calls; -1: it is
// not there.
func finder(vs []bucket.Version, n int) func(id string) int {
	if n*len(vs) < 256 {
		return func(id string) int {
			return slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == id })
		}
	}
	at := map[string]int{}
	for i, v := range slices.Backward(vs) {
		at[v.ID] = i
	}
	return func(id string) int {
		if i, ok := at[id]; ok {
			return i
		}
		return -1
	}
}

// look takes in one key's history.
func (x *snapshots) look(h history) {
	if strings.HasPrefix(h.key, commit.Root) {
		return
	}
	lanes := x.of(h.key)
	if len(lanes) == 0 {
		return
	}
	x.refs = x.r.appendRefs(x.refs[:0], h.first, h.end)
	refs := x.refs
	find := finder(h.versions, len(refs))
	for i := range refs {
		n := find(refs[i].version)
		if n < 0 {
			continue
		}
		if s := spanOf(h.versions, n); s.from != never {
			for _, u := range refs[i].runs {
				for _, l := range lanes {
					l.named(h.first+int32(i), u, s)
				}
			}
		}
	}
	if !x.whole(h.key, h.versions, refs) {
		return
	}
	for i, v := range h.versions {
		s := spanOf(h.versions, i)
		if s.from == never {
			continue
		}
		runs := x.runsOf(refs, v.ID)
		for _, l := range lanes {
			l.omit(v, s, runs)
		}
	}
}

// runsOf gives the runs of all records of a version, ascending; refs are in order
// of version. It is valid until the next call.
func (x *snapshots) runsOf(refs []ref, version string) []run {
	i, _ := slices.BinarySearchFunc(refs, version, func(r ref, v string) int { return strings.Compare(r.version, v) })
	x.runs = x.runs[:0]
	for ; i < len(refs) && refs[i].version == version; i++ {
		x.runs = append(x.runs, refs[i].runs...)
	}
	slices.SortFunc(x.runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	return x.runs
}

// of gives the lanes of all folders that hold a key.
func (x *snapshots) of(key string) []*lane {
	dir := key[:strings.LastIndexByte(key, '/')+1]
	if x.fresh && dir == x.dir {
		return x.lanes
	}
	x.dir, x.lanes, x.fresh = dir, nil, true
	all := x.a.tracksOf(x.r)
	add := func(t *track) {
		if t != nil {
			x.lanes = append(x.lanes, x.lane(t))
		}
	}
	add(all[""])
	for i := 1; i < len(dir); i++ {
		if dir[i] == '/' {
			add(all[dir[:i]])
		}
	}
	return x.lanes
}

// lane is the one for a track.
func (x *snapshots) lane(t *track) *lane {
	l := x.mine[t.folder]
	if l == nil {
		l = newLane(t)
		x.mine[t.folder] = l
	}
	return l
}

// merge takes in what another walk found.
func (x *snapshots) merge(y *snapshots) {
	for _, l := range y.mine {
		x.lane(l.track).merge(l)
	}
}
