package audit

import (
	"fmt"
	"slices"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// log judges one log's entries.
func (j *judge) log(l *logFacts) {
	j.foreign(l, l.foreign)
	real := j.realSlots(l)
	if !l.known && len(real) > 0 && !j.f.namesUnknown && !(j.a.budget != nil && j.a.budget.ended.Load()) {
		j.folderUnknown(l)
	}
	j.strayMarkers(l, real)
	repeats := j.repeated(l, real)
	told := map[int64]outcome{}
	for _, s := range real {
		told[s.number] = j.slot(l, s)
	}
	for i, s := range real {
		low := int64(0)
		if i+1 < len(real) {
			low = real[i+1].number
		}
		if s.number-low > 1 {
			j.gap(l, s, low)
		}
		j.parent(l, s, told)
		j.agree(l, s, repeats[s.number])
		if i+1 < len(real) && low == s.number-1 {
			j.twins(l, s, real[i+1])
		}
	}
	if j.f.objects && !l.unsure() {
		j.headLost(l, real)
	}
}

// folderUnknown says that a log keeps its hash as its name.
func (j *judge) folderUnknown(l *logFacts) {
	f := Finding{ID: "log-folder-unknown", Severity: Anomaly, Confidence: Certain, Key: commit.LogPrefix(l.hash),
		Title:    "the log " + l.hash + " belongs to a folder that nothing names",
		Detail:   "No entry, no commit object and no folder that exists has this hash.",
		Evidence: evidenceOf(l)}
	if d := j.a.o.Depth; d == DepthLog || d == DepthCommits {
		f.Confidence = Possible
		f.Detail = fmt.Sprintf("No entry, and none of the commits that were read, has this hash. At depth %q the folders that exist are not looked at; one of them may have it.", d)
	}
	f.Detail += " A reader who does not know the folder's name cannot find its commits."
	j.add(l, f)
}

// An outcome is what judging a slot showed of what it names.
type outcome int

const (
	tells     outcome = iota
	hides             // it does not tell which commit it names
	rewritten         // it named more than one
)

// slot judges one slot by itself.
func (j *judge) slot(l *logFacts, s *slotFacts) outcome {
	bodies, names := s.bodies(), s.distinct()
	f := Finding{Severity: Damage, Confidence: Certain, Number: s.number, Key: s.key, Commit: s.named(), Evidence: slotEvidence(s)}
	live, isLive := s.live()
	switch {
	case !isLive:
		j.deleted(l, s, f, names)
		return hides
	case len(names) > 1:
		j.remade(l, s, f, names)
		return rewritten
	case live.err != nil && isEntryError(live.err):
		f.ID = "log-entry-unreadable"
		f.Version = live.ID
		f.Title = fmt.Sprintf("entry %d of %s is no log entry", s.number, l.name())
		f.Detail = fmt.Sprintf("The bytes of the entry are neither JSON with a commit nor an ID, so readers cannot find commit %d, and nothing can be added while this is the newest entry.", s.number)
		f.Repair = j.a.copyBack(s)
		j.hide(l, s)
		j.add(l, f)
		return hides
	case live.err != nil:
		j.hide(l, s)
		return hides // could not be read: told as such elsewhere
	case len(bodies) > 1 && allRead(bodies) && !allParsed(bodies):
		j.garbageBelow(l, s, f)
	case len(bodies) > 1 && allRead(bodies):
		f.ID, f.Severity = "log-entry-restored", Info
		f.Title = fmt.Sprintf("entry %d of %s was written again with the same commit", s.number, l.name())
		f.Detail = "All versions of the entry name one commit: it was restored, or put twice. Readers see what they always saw."
		j.add(l, f)
	}
	return tells
}

func allParsed(vs []entryVersion) bool {
	return !slices.ContainsFunc(vs, func(v entryVersion) bool { return !v.parsed() })
}

// garbageBelow tells of an entry whose live version is good and an older one is
// no log entry.
func (j *judge) garbageBelow(l *logFacts, s *slotFacts, f Finding) {
	f.ID, f.Severity = "log-entry-unreadable", Anomaly
	i := slices.IndexFunc(s.versions, func(v entryVersion) bool { return !v.DeleteMarker && !v.parsed() })
	f.Version = s.versions[i].ID
	f.Title = fmt.Sprintf("an older version of entry %d of %s is no log entry", s.number, l.name())
	f.Detail = "The live version is good, so readers see the right commit. Something else wrote over the entry, and it was put back."
	if j.isHead(l, s.number) {
		f.Detail += " While this is the newest entry nothing can be added to the log: a writer refuses where not all versions name one commit."
	}
	f.Repair = j.a.removeVersion(s.key, f.Version, "Keep a copy of the older version if you need to know who wrote it, then remove that version.")
	j.add(l, f)
}

// allRead says that every version was read, whether or not it is a log entry.
func allRead(vs []entryVersion) bool {
	return !slices.ContainsFunc(vs, func(v entryVersion) bool { return v.err != nil && !isEntryError(v.err) })
}

func (j *judge) deleted(l *logFacts, s *slotFacts, f Finding, names []string) {
	f.ID = "log-entry-deleted"
	marker := s.versions[0]
	f.Version = marker.ID
	f.Title = fmt.Sprintf("entry %d of %s is deleted", s.number, l.name())
	what := "Readers no longer find this commit"
	if c := j.f.commits[f.Commit]; c != nil && c.header != nil {
		what += fmt.Sprintf(" (%s, %s: %s)", safeShort(c.header.Author), commit.FormatTime(c.header.Time), safeShort(c.header.Message))
	}
	f.Detail = what + "."
	if j.isHead(l, s.number) {
		f.Detail += " It is the newest entry: readers get an older commit instead, and another tool's next commit would take its number and make a second history. provcat-tui refuses to commit to this folder until it is repaired."
	} else {
		f.Detail += " Later entries exist."
	}
	if len(names) > 1 {
		f.Detail += fmt.Sprintf(" Its older versions name %d different commits: it was also re-made.", len(names))
	}
	if len(names) == 0 {
		j.hide(l, s)
	}
	under := slices.IndexFunc(s.versions, func(v entryVersion) bool { return !v.DeleteMarker })
	switch {
	case under < 0:
		j.deletedForGood(l, s, &f)
	case s.versions[under].err == nil:
		f.Repair = j.a.removeMarkers(s.key, markersOf(s.versions[:under]), "")
	case isEntryError(s.versions[under].err):
		f.Detail += " The newest version under the marker is no log entry."
		f.Repair = j.a.copyBack(s)
	}
	f.Affected.Commits = append(f.Affected.Commits, commitRefs(l, s.number, f.Commit)...)
	j.add(l, f)
}

// deletedForGood tells of a marker over nothing whose number commit objects claim.
func (j *judge) deletedForGood(l *logFacts, s *slotFacts, f *Finding) {
	list := j.claimants(l, s.number)
	for _, c := range list {
		j.behind[c.id] = true
	}
	if len(list) == 1 {
		f.Commit = list[0].id
		f.Detail += " Under the marker no version is left; the commit object that claims this number is still there."
		f.Repair = j.a.rebuild(l, s.number, list[0], true)
		return
	}
	// One was committed, the others lost a race for the number. To write the wrong
	// one's entry would be worse than to write none.
	f.Confidence = Likely
	f.Detail += " Under the marker no version is left, and several commit objects claim this number; which of them was committed is not known:"
	for _, c := range list {
		f.Detail += fmt.Sprintf(" %s (%s, %s: %s);", commit.ShortID(c.id), safeShort(c.header.Author), commit.FormatTime(c.header.Time), safeShort(c.header.Message))
		f.Affected.Commits = append(f.Affected.Commits, commitRefs(l, s.number, c.id)...)
		f.Evidence = append(f.Evidence, objectEvidence(c)...)
	}
	f.Detail += " ask their authors."
	f.Repair = &Repair{Kind: "rebuild-entry", Text: "Once it is known which of them was committed, write its entry again with put-if-absent."}
}

func markersOf(vs []entryVersion) []bucket.Version {
	var out []bucket.Version
	for _, v := range vs {
		out = append(out, v.Version)
	}
	return out
}

// isHead says whether no entry stands above n.
func (j *judge) isHead(l *logFacts, n int64) bool {
	for _, s := range l.slots {
		if s.number <= n {
			return true
		}
		if j.real(l, s) {
			return false
		}
	}
	return true
}

func (j *judge) remade(l *logFacts, s *slotFacts, f Finding, names []string) {
	f.Version = s.versions[0].ID
	f.Commit = s.named()
	// A deletion counts where what the slot names changes over it: one that was
	// taken back with the same commit explains nothing.
	again, between, last := false, false, ""
	for _, v := range s.versions {
		switch {
		case v.DeleteMarker:
			between = true
		case v.parsed():
			again = again || between && last != "" && v.entry.Commit != last
			between, last = false, v.entry.Commit
		}
	}
	list := ""
	for i, id := range names {
		if i > 0 {
			list += ", then before it "
		}
		list += commit.ShortID(id)
	}
	if again {
		f.ID = "log-entry-remade"
		f.Title = fmt.Sprintf("entry %d of %s was deleted and made again for another commit", s.number, l.name())
		f.Detail = fmt.Sprintf("Its versions name %s. Readers before and after saw different histories, and both branches exist. Nothing mends this: find out who read which commit.", list)
	} else {
		f.ID = "log-entry-overwritten"
		if j.a.markersMayBeGone() {
			f.Confidence = Possible
		}
		f.Title = fmt.Sprintf("entry %d of %s was overwritten with another commit", s.number, l.name())
		f.Detail = fmt.Sprintf("Its versions name %s, with no deletion between them: a tool or a store ignored put-if-absent. Readers before and after saw different histories. Nothing mends this: find out which tool wrote it.", list)
	}
	if j.isHead(l, s.number) {
		f.Detail += " It is the newest entry: provcat-tui refuses to commit to this folder from now on, since all versions of the newest entry must name one commit."
	}
	for _, id := range names {
		f.Affected.Commits = append(f.Affected.Commits, commitRefs(l, s.number, id)...)
	}
	j.add(l, f)
}

// gap judges the absent slots between s and the entry low below it (0: none).
func (j *judge) gap(l *logFacts, s *slotFacts, low int64) {
	top := s.number - 1
	n := top - low
	f := Finding{Severity: Damage, Confidence: Certain, Number: top, Key: commit.SlotKey(l.hash, top)}
	which := fmt.Sprintf("entry %d", top)
	if n > 1 {
		which = fmt.Sprintf("entries %d to %d", low+1, top)
	}
	verb := "is"
	if n > 1 {
		verb = "are"
	}
	if low == 0 {
		f.ID = "log-tail-missing"
		f.Title = fmt.Sprintf("%s of %s %s missing: the log starts at %d", which, l.name(), verb, s.number)
		f.Detail = "The oldest commits can no longer be found by number or by time. " + j.a.ruleOnLog(l, s)
	} else {
		f.ID = "log-entry-missing"
		f.Title = fmt.Sprintf("%s of %s %s missing", which, l.name(), verb)
		f.Detail = "No version of it is left, though later entries exist: it was removed for good. Readers no longer find this commit by number or by time."
		if n > 1 {
			f.Detail = "No version of them is left, though later entries exist: they were removed for good. Readers no longer find these commits by number or by time."
		}
	}
	// Down the parents: what the missing entries named.
	c := j.f.commits[s.named()]
	left := n
	for ; left > 0 && c != nil && c.header != nil && commit.FolderHash(c.header.Folder) == l.hash; left-- {
		id := c.header.Parent
		if id == "" || len(j.entryOf[id]) > 0 {
			break // the numbers skip, or the parent is wrong: it was not in the gap
		}
		j.behind[id] = true
		f.Affected.Commits = append(f.Affected.Commits, commitRefs(l, s.number-1-(n-left), id)...)
		if f.Commit == "" {
			f.Commit = id
		}
		c = j.f.commits[id]
	}
	if left > 0 {
		// The chain of parents breaks off: what is left of the gap is told by the
		// numbers that orphans claim.
		for _, o := range j.orphans[l.hash] {
			if x := o.header.Number; x > low && x <= low+left {
				j.behind[o.id] = true
			}
		}
	}
	f.Evidence = slotEvidence(s)
	if len(f.Evidence) > 0 {
		f.Evidence[0].Note = "the entry above"
	}
	for _, x := range l.slots {
		if x.number <= top && x.number > low {
			f.Evidence = append(f.Evidence, slotEvidence(x)...)
		}
	}
	if f.Commit != "" {
		f.Repair = j.a.rebuild(l, top, j.f.commits[f.Commit], false)
		if n > 1 && f.Repair != nil {
			f.Repair.Text += " Then the entries below it, each from its child's parent."
		}
	}
	j.addAs(l, f, aboutGap(l, f))
}

// foreign reports keys that are none of the layout's; l nil: outside of all logs.
func (j *judge) foreign(l *logFacts, vs []bucket.Version) {
	if len(vs) == 0 {
		return
	}
	where := commit.Root
	if l != nil {
		where = commit.LogPrefix(l.hash)
	}
	title := fmt.Sprintf("%d keys under %s are none of the format's", len(vs), where)
	if len(vs) == 1 {
		title = fmt.Sprintf("the key %q is none of the format's", vs[0].Key)
	}
	f := Finding{ID: "log-key-foreign", Severity: Anomaly, Confidence: Certain, Key: vs[0].Key, Title: title,
		Detail: "Something else writes under " + commit.Root + ". Readers skip such keys.", Affected: Affected{Versions: int64(len(vs))}}
	for _, v := range vs[:min(len(vs), maxExamples)] {
		f.Evidence = append(f.Evidence, evidence(v, ""))
	}
	f.Fingerprint = fingerprint(Finding{ID: f.ID}, where)
	if l != nil && l.known {
		folder := l.folder
		f.Folder = &folder
	}
	j.findings = append(j.findings, f)
}

func safeShort(s string) string {
	if s == "" {
		return "no name"
	}
	r := []rune(s)
	if len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return s
}
