package audit

import (
	"cmp"
	"context"
	"fmt"

	"slices"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// wanted says whether a folder is in scope.
func (a *auditor) wanted(folder string) bool {
	return folder == a.o.Folder || strings.HasPrefix(folder, commit.KeyPrefix(a.o.Folder))
}

// scoped says whether a log is in scope. One whose folder nothing tells may be,
// so it is.
func (a *auditor) scoped(l *logFacts) bool {
	if !l.known {
		return true
	}
	return a.wanted(l.folder)
}

func (a *auditor) inScope() []*logFacts {
	var out []*logFacts
	for _, l := range a.f.logs {
		if a.scoped(l) && (len(l.slots) > 0 || len(l.foreign) > 0) {
			out = append(out, l)
		}
	}
	return out
}

// readAllCommits reads the objects of every commit in scope, named by an entry or
// not. The files of those that live or deleted entries name are kept for the join.
func (a *auditor) readAllCommits(ctx context.Context, r *refs) error {
	names := map[string][]CommitRef{} // by live or deleted entries in scope, one for each folder
	inside := map[string]bool{}       // by any version of any entry: whether one of them is in scope
	for _, l := range a.f.logs {
		in := a.scoped(l)
		for _, s := range l.slots {
			for _, id := range s.distinct() {
				inside[id] = inside[id] || in
				a.f.commit(id)
			}
			// A deleted entry's commit counts too: it is read again once the marker is
			// removed, and nobody should learn only then that its files are gone.
			v, ok := s.underMarkers()
			if !ok || !v.parsed() || !in {
				continue
			}
			id := v.entry.Commit
			if !slices.ContainsFunc(names[id], func(c CommitRef) bool { return c.Folder == l.folder }) {
				names[id] = append(names[id], CommitRef{Folder: l.folder, Number: s.number, ID: id})
			}
		}
	}
	var ids, orphans []string
	for id := range a.f.commits {
		in, named := inside[id]
		switch {
		case in || !named && a.o.Folder == "":
			ids = append(ids, id)
		case !named:
			orphans = append(orphans, id)
		}
	}
	// In a narrower scope an orphan counts if it says that it belongs here.
	keep := make([]bool, len(orphans))
	var done counter
	err := a.each(ctx, len(orphans), func(i int) {
		h, err := commit.LoadHeader(ctx, a.b, orphans[i])
		keep[i] = err != nil && !gone(err) || err == nil && a.wanted(h.Folder)
		a.step("commits", done.add(), int64(len(orphans)))
	})
	if err != nil {
		return err
	}
	for i, id := range orphans {
		if keep[i] {
			ids = append(ids, id)
		}
	}
	// In order of folder and number: a version is named by rows of commits.
	first := func(id string) (c CommitRef) {
		if len(names[id]) > 0 {
			c = names[id][0]
		}
		return c
	}
	for _, list := range names {
		slices.SortFunc(list, func(x, y CommitRef) int { return strings.Compare(x.Folder, y.Folder) })
	}
	slices.SortFunc(ids, func(x, y string) int {
		p, q := first(x), first(y)
		return cmp.Or(strings.Compare(p.Folder, q.Folder), cmp.Compare(p.Number, q.Number), strings.Compare(x, y))
	})
	collectors := map[string][]*collector{}
	if a.o.Depth == DepthVersions || a.o.Depth == DepthReadable {
		for _, id := range ids {
			for _, c := range names[id] {
				collectors[id] = append(collectors[id], r.collect(c))
			}
		}
	}
	// Read from the newest down, the heads of all logs first: a budget that ends
	// leaves out the oldest. Commits that follow each other stay neighbours.
	rank := a.ranks()
	ids = a.leaveOut(ids)
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(rank[x], rank[y]) })
	return a.readCommits(ctx, ids, collectors)
}

// ranks gives how far below its log's head each commit stands; those that no entry
// names come right after the heads: they tell whether a head was lost.
func (a *auditor) ranks() map[string]int {
	out := map[string]int{}
	for _, l := range a.f.logs {
		for i, s := range l.slots {
			for _, id := range s.distinct() {
				if r, ok := out[id]; !ok || i < r {
					out[id] = i
				}
			}
		}
	}
	return out
}

// newestFirst sorts slots: those that look damaged by the listing alone, the heads
// of all logs, then the entries before them.
func (a *auditor) newestFirst(slots []*slotFacts) {
	rank := map[*slotFacts]int{}
	for _, l := range a.f.logs {
		for i, s := range l.slots {
			rank[s] = i
			if len(s.versions) > 1 {
				rank[s] = -1
			}
		}
	}
	slices.SortFunc(slots, func(x, y *slotFacts) int {
		return cmp.Or(cmp.Compare(rank[x], rank[y]), strings.Compare(x.key, y.key))
	})
}

// outsideScope tells of a scope without any log whose files are named by the
// commits of a folder above: to call it sound would be false.
func (a *auditor) outsideScope() (Finding, bool) {
	if a.o.Folder == "" {
		return Finding{}, false
	}
	for _, above := range commit.Ancestors(a.o.Folder) {
		l := a.f.logs[commit.FolderHash(above)]
		if l == nil || len(l.slots) == 0 {
			continue
		}
		scope := a.o.Folder
		command := "provcat-tui audit " + safe.Shell(a.b.URL())
		if above != "" {
			command += " --folder " + safe.Shell(above)
		}
		f := Finding{ID: "check-incomplete", Severity: Unknown, Confidence: Certain, Folder: &scope,
			Title:  fmt.Sprintf("no log lies in %s: its files are named by the commits of %s, which were not checked", scope, folderTitle(above)),
			Detail: "The scope of an audit is a folder and those below it. This one has no commits of its own, so nothing was checked. Audit the folder whose commits name its files.",
			Repair: &Repair{Kind: "audit-folder", Text: "Audit the folder above.", Command: command}}
		f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: "scope"}, commit.FolderHash(scope))
		return f, true
	}
	return Finding{}, false
}
