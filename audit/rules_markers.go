package audit

import (
	"fmt"
	"slices"
	"strings"

	"provcat-tui/commit"
)

// strayMarkers judges markers above the head with nothing under them, whose number
// no commit claims: somebody deleted a key that never was, or what was under them
// was removed for good, and its commit object too. Readers pass over them, and
// writers refuse.
func (j *judge) strayMarkers(l *logFacts, real []*slotFacts) {
	var strays []*slotFacts
	for _, s := range l.slots {
		if len(real) > 0 && s.number <= real[0].number {
			break
		}
		if _, ok := j.a.saw(l.hash, s.number); ok {
			continue // it was an entry: told as such
		}
		strays = append(strays, s)
	}
	if len(strays) == 0 || j.claimedAbove(l, strays[len(strays)-1].number) {
		return // above: told as log-head-lost
	}
	erased, bad, unread := j.traces()
	numbers := make([]int64, len(strays))
	for i, s := range strays {
		numbers[i] = s.number
	}
	if len(erased) > 0 || len(bad) > 0 || inARow(numbers) {
		j.nothingLeft(l, strays, erased, bad)
		return
	}
	for _, s := range strays {
		f := Finding{ID: "log-marker-stray", Severity: Anomaly, Confidence: Certain, Number: s.number, Key: s.key, Version: s.versions[0].ID,
			Title:    fmt.Sprintf("a delete marker lies where entry %d of %s would be", s.number, l.name()),
			Evidence: slotEvidence(s)}
		const blocks = " Readers pass over it, but nothing can be added to the log before this is cleared up."
		switch {
		case !j.f.objects:
			f.Confidence = Possible
			f.Detail = "Nothing is under it. Whether a commit claims this number was not looked at: audit again at depth commits or deeper." + blocks
		case len(unread) > 0:
			f.Confidence = Possible
			f.Detail = fmt.Sprintf("Nothing is under it. Whether a commit claims this number is not known: %s that no entry names could not be read.", count(int64(len(unread)), "commit object")) + blocks
			f.Evidence = append(f.Evidence, evidenceOfAll(unread)...)
		default:
			f.Repair = j.a.removeMarkers(s.key, markersOf(s.versions), nothingUnder)
			f.Detail = "Nothing is under it and no commit claims this number: most likely somebody deleted an entry that never was." + blocks
			if j.a.markersMayBeGone() {
				f.Confidence = Likely
				f.Detail += " But a lifecycle rule may take away old versions and markers under " + commit.Root + ", so that the entry and its commit may have been there and left no other trace."
			}
			f.Repair.Text = "Only once it is sure that no commit with this number was ever reported as done: " + f.Repair.Text
		}
		j.add(l, f)
	}
}

// nothingLeft reports markers over nothing that are the last trace of entries: a row
// of them, or some together with commit objects of which nothing is left either, or
// which cannot be read as what they were. The markers are evidence: no repair takes
// them away.
func (j *judge) nothingLeft(l *logFacts, strays []*slotFacts, erased, bad []*commitFacts) {
	top, low := strays[0], strays[len(strays)-1]
	f := Finding{ID: "log-entry-deleted", Severity: Damage, Confidence: Likely, Number: top.number, Key: top.key}
	if len(strays) == 1 {
		f.Title = fmt.Sprintf("entry %d of %s was deleted, and nothing is left of it", top.number, l.name())
		f.Detail = "A delete marker lies on its key, and nothing is under it."
	} else {
		f.Title = fmt.Sprintf("%d entries of %s, %d to %d, were deleted, and nothing is left of them", len(strays), l.name(), low.number, top.number)
		f.Detail = "Delete markers lie on their keys, and nothing is under them."
	}
	switch {
	case len(erased) > 0:
		f.Detail += fmt.Sprintf(" So it is with %s that no entry names, and nobody deletes such a key by chance.", count(int64(len(erased)), "commit object"))
	case len(bad) > 0:
		f.Detail += fmt.Sprintf(" And the bytes of %s that no entry names are not what the writer wrote: what they said of their folder and number is lost.", count(int64(len(bad)), "commit object"))
		if len(strays) == 1 {
			f.Confidence = Possible
		}
	default:
		f.Detail += " Keys in a row that never were are not deleted by chance."
	}
	f.Detail += " The versions under the markers were removed for good, by a lifecycle rule for noncurrent versions or by their IDs."
	if j.f.objects {
		f.Detail += " What was lost can no longer be known from the bucket: only a copy kept elsewhere (a replica, a backup, the witness of an earlier audit) can tell."
	} else {
		f.Detail += " Whether their commit objects are still there was not looked at: audit again at depth commits or deeper."
	}
	f.Detail += " Leave the markers: they are the last trace, and while they lie nothing can be added to the log, so that no number is used twice."
	for _, s := range strays[:min(len(strays), maxExamples)] {
		f.Evidence = append(f.Evidence, slotEvidence(s)...)
	}
	f.Evidence = append(f.Evidence, evidenceOfAll(erased)...)
	f.Evidence = append(f.Evidence, evidenceOfAll(bad)...)
	j.add(l, f)
}

// erasedObjects tells of commit objects of which only delete markers are left, and
// that nothing else tells of: orphans that somebody tidied away, or a history of which
// no other trace is left.
func (j *judge) erasedObjects() {
	seen := map[string]bool{}
	for _, l := range j.a.seen {
		for _, e := range l.entries {
			seen[e.commit()] = true // told by the witness
		}
	}
	erased, _, _ := j.traces()
	erased = slices.DeleteFunc(erased, func(c *commitFacts) bool { return seen[c.id] })
	told := slices.ContainsFunc(j.findings, func(f Finding) bool {
		return slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return len(erased) > 0 && e.Key == commit.CommitKey(erased[0].id) })
	})
	if len(erased) == 0 || told {
		return
	}
	j.add(nil, Finding{ID: "commit-stray", Severity: Anomaly, Confidence: Possible, Key: commit.CommitKey(erased[0].id),
		Title:    fmt.Sprintf("of %s that no entry names only delete markers are left", count(int64(len(erased)), "commit object")),
		Detail:   "Nobody deletes such a key by chance: somebody tidied away what a crash or a race had left, or these were commits, and their entries were removed for good as well. Of which folder they were is not known. If nobody remembers tidying, look for a copy of the bucket.",
		Evidence: evidenceOfAll(erased)})
}

// traces are the commit objects that no entry names and that tell nothing of their
// folder and number: erased, of which only markers are left and which no commit has
// as its parent; bad, whose bytes are not those of the commit; unread, of which that
// could not be learned. In order of ID.
func (j *judge) traces() (erased, bad, unread []*commitFacts) {
	parents := map[string]bool{}
	for _, c := range j.f.commits {
		if c.header != nil {
			parents[c.header.Parent] = true // told as a gap in its log
		}
	}
	for id, c := range j.f.commits {
		if len(j.entryOf[id]) > 0 || c.header != nil {
			continue
		}
		v := c.newest()
		switch {
		case v == nil && len(c.versions) > 0 && !parents[id]:
			erased = append(erased, c)
		case v == nil:
		case c.unreadErr() != nil, v.good(id): // good: of a format that cannot be read
			unread = append(unread, c)
		case v.read:
			bad = append(bad, c)
		}
	}
	for _, list := range [][]*commitFacts{erased, bad, unread} {
		slices.SortFunc(list, func(x, y *commitFacts) int { return strings.Compare(x.id, y.id) })
	}
	return erased, bad, unread
}

// claimedAbove says that a commit that no entry names has a number above n.
func (j *judge) claimedAbove(l *logFacts, n int64) bool {
	return slices.ContainsFunc(j.orphans[l.hash], func(c *commitFacts) bool { return c.header.Number > n })
}

// inARow says whether two of some numbers, in descending order, are neighbours.
func inARow(numbers []int64) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i-1]-numbers[i] == 1 {
			return true
		}
	}
	return false
}

func evidenceOfAll(list []*commitFacts) []Evidence {
	var out []Evidence
	for _, c := range list[:min(len(list), maxExamples)] {
		out = append(out, objectEvidence(c)...)
	}
	return out
}
