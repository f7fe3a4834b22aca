package audit

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// An unsound is a commit that seems to be no snapshot.
type unsound struct {
	index      int32 // in refs.commits
	window     window
	start, end mark // two of its versions; start.ok false: none
	left       omission
	older      bool // of a key that it leaves out it names an older version
	markers    []lost
}

// findings looks once more at the keys of what seems to be no snapshot, and tells
// of what is still so.
func (x *snapshots) findings(ctx context.Context, j *joined) ([]Finding, error) {
	list := x.suspects(j)
	keys := map[string]int{}
	var order []string
	want := func(key string) {
		if _, ok := keys[key]; !ok {
			keys[key] = len(order)
			order = append(order, key)
		}
	}
	for _, u := range list {
		if u.start.ok {
			want(x.r.key(int(u.start.ref)))
			want(x.r.key(int(u.end.ref)))
		}
		for _, o := range u.left.some {
			want(o.key)
		}
	}
	now := make([][]bucket.Version, len(order))
	failed := make([]error, len(order))
	err := x.a.each(ctx, len(order), func(i int) { now[i], failed[i] = x.a.versionsOf(ctx, order[i]) })
	if err != nil {
		return nil, err
	}
	for i, err := range failed {
		if err != nil {
			x.a.t.add("versions that commits name", order[i], nil, err)
		}
	}
	fresh := func(key string) []bucket.Version { return now[keys[key]] } // nil: not known
	var out []Finding
	for at := 0; at < len(list); {
		folder := x.r.commits[list[at].index].Folder
		var fs []Finding
		for ; at < len(list) && x.r.commits[list[at].index].Folder == folder; at++ {
			if u := list[at]; x.confirm(u, fresh) {
				fs = append(fs, x.tell(u, fresh))
			}
		}
		sort.SliceStable(fs, func(i, j int) bool { return sure(fs[i].Confidence) > sure(fs[j].Confidence) })
		out = append(out, gathered(fs, commit.FolderHash(folder))...)
	}
	return out, nil
}

func sure(c Confidence) int { return slices.Index([]Confidence{Possible, Likely, Certain}, c) }

// suspects are the commits that seem to be no snapshot, in order of folder and
// number.
func (x *snapshots) suspects(j *joined) []*unsound {
	by := map[int32]*unsound{}
	of := func(i int32) *unsound {
		if by[i] == nil {
			by[i] = &unsound{index: i}
		}
		return by[i]
	}
	for _, l := range x.mine {
		for p, i := range l.index {
			if start, end := l.bounds(p); start.ok && end.ok && start.at-end.at > margin {
				u := of(i)
				u.start, u.end = start, end
			}
			if o := l.omitted(p); o.count > 0 {
				u := of(i)
				u.left, u.window = o, l.windows[p]
			}
		}
	}
	for _, m := range j.marked {
		named := x.r.at(m.ref)
		x.r.each(&named, func(i int32) {
			u := of(i)
			u.markers = append(u.markers, m)
		})
	}
	var out []*unsound
	for _, u := range by {
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b *unsound) int {
		return byNumber(x.r.commits[a.index].CommitRef, x.r.commits[b.index].CommitRef)
	})
	return out
}

// refsOf gives the records of a key.
func (r *refs) refsOf(key string) []ref {
	i := sort.Search(r.len(), func(i int) bool { return r.key(i) >= key })
	end := i + sort.Search(r.len()-i, func(k int) bool { return r.key(i+k) > key })
	return r.appendRefs(nil, int32(i), int32(end))
}

// confirm keeps of what was found what fresh listings say as well; false: nothing.
func (x *snapshots) confirm(u *unsound, fresh func(string) []bucket.Version) bool {
	if u.start.ok {
		start, end := again(x.r.at(u.start.ref), fresh), again(x.r.at(u.end.ref), fresh)
		if start.from == never || end.to == never || start.from-end.to <= margin {
			u.start, u.end = mark{}, mark{}
		}
	}
	were := len(u.left.some)
	u.left.some = slices.DeleteFunc(u.left.some, func(o leftOut) bool {
		vs, refs := fresh(o.key), x.r.refsOf(o.key)
		n := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == o.version })
		if n < 0 || !x.whole(o.key, vs, refs) {
			return true
		}
		s := spanOf(vs, n)
		if s.from == never || u.window.from <= s.from+margin || u.window.to >= s.to-margin {
			return true
		}
		u.older = u.older || slices.ContainsFunc(refs, func(r ref) bool {
			return r.version != o.version && slices.ContainsFunc(r.runs, func(w run) bool { return w.first <= u.index && u.index <= w.last })
		})
		return false
	})
	switch {
	case len(u.left.some) == 0:
		u.left.count = 0
	case len(u.left.some) < were:
		u.left.count = int64(len(u.left.some)) // what can be vouched for
	}
	return u.start.ok || u.left.count > 0 || len(u.markers) > 0
}

func again(r ref, fresh func(string) []bucket.Version) span {
	vs := fresh(r.key)
	n := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == r.version })
	if n < 0 {
		return span{never, never}
	}
	return spanOf(vs, n)
}

// tell makes the finding of one commit.
func (x *snapshots) tell(u *unsound, fresh func(string) []bucket.Version) Finding {
	c := &x.r.commits[u.index]
	folder := c.Folder
	f := Finding{ID: "commit-not-snapshot", Severity: Anomaly, Confidence: Possible, Folder: &folder, Number: c.Number, Commit: c.ID, Key: commit.CommitKey(c.ID),
		Title:    fmt.Sprintf("commit %d of %s is no snapshot of its folder", c.Number, folderTitle(folder)),
		Affected: Affected{Commits: []CommitRef{c.CommitRef}},
		Repair:   &Repair{Kind: "recommit", Text: "Nothing mends this commit: it says what it says. Commit the folder again; the new commit is then whole."}}
	var says []string
	show := func(vs []bucket.Version, id, note string) {
		for _, v := range vs[:min(len(vs), maxExamples)] {
			e := evidence(v, "")
			if v.ID == id {
				e.Note = note
			}
			f.Evidence = append(f.Evidence, e)
		}
	}
	if n := int64(len(u.markers)); n > 0 {
		f.Confidence = Certain
		says = append(says, fmt.Sprintf("It names %s as if %s: a delete marker says that the key was deleted, and has no bytes to read.",
			count(n, "delete marker"), its(n, "they were files", "it were a file")))
		for _, m := range u.markers[:min(n, maxExamples)] {
			f.Affected.Examples = append(f.Affected.Examples, evidence(*m.same, "a delete marker that the commit names"))
		}
	}
	if u.start.ok {
		start, end := x.r.at(u.start.ref), x.r.at(u.end.ref)
		if f.Confidence == Possible {
			f.Confidence = Likely
		}
		says = append(says, fmt.Sprintf("Its versions were never all live at one moment: by the bucket's times %q of %s was replaced or deleted at %s, and %q of %s was only written at %s.",
			end.version, end.key, bucketTime(u.end.at), start.version, start.key, bucketTime(u.start.at)))
		show(fresh(end.key), end.version, "the commit names it; live only until the one above it was written")
		show(fresh(start.key), start.version, "the commit names it; live only since then")
	}
	if u.left.count > 0 {
		o := u.left.some[0]
		says = append(says, fmt.Sprintf("It leaves out %s that, by the bucket's times, %s live from before the commit before it until after its own object was there, such as %q of %s.",
			count(u.left.count, "version"), its(u.left.count, "were", "was"), o.version, o.key))
		if u.older {
			if f.Confidence == Possible {
				f.Confidence = Likely
			}
			says = append(says, "It names an older version of the same key instead.")
		} else {
			says = append(says, "There is a harmless cause: the file was deleted then, and brought back later by removing its delete marker, which leaves no trace.")
		}
		for _, o := range u.left.some[:min(len(u.left.some), maxExamples)] {
			vs := fresh(o.key)
			n := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == o.version })
			f.Affected.Examples = append(f.Affected.Examples, evidence(vs[n], "left out by the commit"))
		}
		show(fresh(o.key), o.version, "left out by the commit")
	}
	f.Affected.Versions = int64(len(u.markers)) + u.left.count
	says = append(says, "Readers of this commit see a state of the folder that never was.")
	f.Detail = strings.Join(says, " ")
	f.Fingerprint = fingerprint(f, commit.FolderHash(folder))
	return f
}
