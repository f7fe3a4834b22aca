package audit

import (
	"fmt"

	"provcat-tui/commit"
)

// naming says which commits, by index, name any of a list of lost versions.
func (r *refs) naming(lists ...[]lost) []bool {
	// Commits stand in runs, so the runs are counted in and out at their ends.
	delta := make([]int64, len(r.commits)+1)
	for _, list := range lists {
		for _, l := range list {
			for _, u := range r.at(l.ref).runs {
				delta[u.first]++
				delta[u.last+1]--
			}
		}
	}
	out := make([]bool, len(r.commits))
	n := int64(0)
	for i := range out {
		n += delta[i]
		out[i] = n > 0 && r.commits[i].ok
	}
	return out
}

// wholeCommits says, by folder, which commit can be read where others cannot: the
// newest that is known to be whole. Where not all versions could be judged nothing
// is said.
func (a *auditor) wholeCommits(r *refs, j *joined, unreadable []lost) map[string]string {
	if len(j.skipped) > 0 || len(j.missing) == 0 {
		return nil
	}
	broken := r.naming(j.missing, j.changed, j.marked, unreadable)
	best := map[string]*refCommit{}
	for i := range r.commits {
		c := &r.commits[i]
		known := a.f.commits[c.ID]
		if !c.ok || broken[i] || known == nil || known.state() != sound || !a.readersFind(c) {
			continue
		}
		if b := best[c.Folder]; b == nil || c.Number > b.Number {
			best[c.Folder] = c
		}
	}
	out := map[string]string{}
	for i := range r.commits {
		switch c, b := &r.commits[i], best[r.commits[i].Folder]; {
		case b != nil:
			out[c.Folder] = fmt.Sprintf("The newest commit of the folder that is known to be whole is %d (%s, %s): it can be read instead.",
				b.Number, commit.ShortID(b.ID), commit.FormatTime(b.header.Time))
			if a.inventory != nil {
				out[c.Folder] += " That goes by the inventory report, which does not show what was removed since."
			}
		case c.ok:
			out[c.Folder] = "No commit of the folder is known to be whole."
		}
	}
	return out
}

// readersFind says that the live entry of its number names the commit.
func (a *auditor) readersFind(c *refCommit) bool {
	l := a.f.logs[commit.FolderHash(c.Folder)]
	if l == nil {
		return false
	}
	s := l.at(c.Number)
	if s == nil {
		return false
	}
	v, ok := s.live()
	return ok && v.parsed() && v.entry.Commit == c.ID
}
