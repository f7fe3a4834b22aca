package audit

import (
	"fmt"

	"provcat-tui/commit"
)

// unread gives why an entry of the slot could not be read; nil: all were, be they
// log entries or not.
func (s *slotFacts) unread() error {
	for _, v := range s.versions {
		if !v.DeleteMarker && v.err != nil && !isEntryError(v.err) {
			return v.err
		}
	}
	return nil
}

// unreadErr gives why a version of the object could not be read to its end; nil:
// all were.
func (c *commitFacts) unreadErr() error {
	for _, v := range c.versions {
		if !v.DeleteMarker && !v.read && v.err != nil {
			return v.err
		}
	}
	return nil
}

// tellUnread notes every log, entry and commit object in scope that could not be
// read.
func (a *auditor) tellUnread() {
	inside := map[string]bool{} // commits that entries name: whether one of them is in scope
	for _, l := range a.f.logs {
		in := a.scoped(l)
		for _, s := range l.slots {
			for _, id := range s.distinct() {
				inside[id] = inside[id] || in
			}
		}
		if !in {
			continue
		}
		var folder *string
		if l.known {
			folder = &l.folder
		}
		if l.broken != nil {
			a.t.add("logs (at a second look)", commit.LogPrefix(l.hash), folder, l.broken)
			continue
		}
		for _, s := range l.slots {
			if err := s.unread(); err != nil {
				a.t.add("log entries", s.key, folder, err)
			}
		}
	}
	if !a.f.objects {
		return
	}
	for id, c := range a.f.commits {
		if in, named := inside[id]; in || !named {
			if err := c.unreadErr(); err != nil {
				a.t.add("commit objects", commit.CommitKey(id), nil, err)
			}
		}
	}
}

// cover counts what was checked of logs, entries and commit objects: what was
// there at the first listing.
func (a *auditor) cover(cov *CoverageSet) {
	ids := map[string]bool{}
	for _, l := range a.inScope() {
		if l.head == 0 {
			continue // only foreign keys, or begun since
		}
		cov.Logs.Total++
		whole, why := l.broken == nil, l.broken
		for _, s := range l.slots {
			if s.number > l.head || len(s.bodies()) == 0 {
				continue
			}
			cov.Entries.Total++
			switch {
			case l.broken != nil:
				cov.Entries.add(skipOf(l.broken, "the log could not be listed a second time", 1))
			case s.unread() != nil:
				whole = false
				why = s.unread()
				cov.Entries.add(skipOf(why, "could not be read", 1))
			default:
				cov.Entries.Checked++
			}
			for _, id := range s.distinct() {
				ids[id] = true
			}
		}
		if whole {
			cov.Logs.Checked++
		} else {
			cov.Logs.add(skipOf(why, "not all of it could be read", 1))
		}
	}
	if !a.f.objects {
		return
	}
	for id, c := range a.f.commits {
		if c.header != nil && a.wanted(c.header.Folder) || c.header == nil && a.o.Folder == "" && len(c.versions) > 0 {
			ids[id] = true
		}
	}
	unknown := int64(0)
	for id := range ids {
		cov.Commits.Total++
		c := a.f.commits[id]
		switch {
		case c == nil || c.state() == unreadable:
			var why error
			if c != nil {
				why = c.unreadErr()
			}
			cov.Commits.add(skipOf(why, "could not be read", 1))
		case c.state() == unknownFormat:
			unknown++
		default:
			cov.Commits.Checked++
		}
	}
	cov.Commits.skip("format unknown", unknown)
}

// uncounted notes the commits that were not read: how many versions they name is
// not known, so that these are not in the total.
func (a *auditor) uncounted(cov *Coverage) {
	left, failed := map[string]bool{}, map[string]bool{} // by commit, or by slot where that is not known
	for _, l := range a.inScope() {
		for _, s := range l.slots {
			if s.number > l.head || len(s.bodies()) == 0 {
				continue
			}
			note := func(name string, err error) {
				if _, ok := chosen(err); ok {
					left[name] = true
				} else {
					failed[name] = true
				}
			}
			if err := s.unread(); err != nil {
				note(s.key, err)
			}
			for _, id := range s.distinct() {
				if c := a.f.commits[id]; c != nil && c.state() == unreadable {
					note(id, c.unreadErr())
				}
			}
		}
	}
	note := func(n int, how string, byChoice bool) {
		if n > 0 {
			cov.add(Skip{Reason: fmt.Sprintf("what only %s is not counted: %s", its(int64(n), fmt.Sprintf("%d commits name", n), "1 commit names"), how), Chosen: byChoice})
		}
	}
	note(len(left), "they were not read, by choice", true)
	note(len(failed), "they could not be read", false)
	if a.budget != nil && a.budget.ended.Load() && len(cov.Skipped) == 0 {
		cov.add(Skip{Reason: "the budget ended before all was asked about them: tags, locks, unfinished uploads", Chosen: true})
	}
}

// add notes things that were not checked, beside others of the same reason.
func (c *Coverage) add(s Skip) {
	for i := range c.Skipped {
		if x := &c.Skipped[i]; x.Reason == s.Reason && x.Chosen == s.Chosen {
			x.Count += s.Count
			return
		}
	}
	c.Skipped = append(c.Skipped, s)
}

// skip notes n things that were not checked; none: nothing.
func (c *Coverage) skip(reason string, n int64) {
	if n > 0 {
		c.Skipped = append(c.Skipped, Skip{Reason: reason, Count: n})
	}
}
