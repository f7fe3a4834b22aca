package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// objects judges the commit objects that a log's entries name, deleted and older
// ones too: they are history.
func (j *judge) objects(l *logFacts) {
	if !j.f.objects {
		return
	}
	seen := map[string]bool{}
	for _, s := range l.slots {
		for _, id := range s.distinct() {
			if c := j.f.commits[id]; c != nil && !seen[id] {
				seen[id] = true
				j.object(l, s, c)
			}
		}
	}
}

// object judges one commit object; s nil: no entry names it.
func (j *judge) object(l *logFacts, s *slotFacts, c *commitFacts) {
	key := commit.CommitKey(c.id)
	f := Finding{Severity: Damage, Confidence: Certain, Commit: c.id, Key: key, Evidence: objectEvidence(c)}
	which := "commit object " + commit.ShortID(c.id)
	if s != nil {
		f.Number = s.number
		which = fmt.Sprintf("the object of commit %d of %s", s.number, l.name())
		f.Affected.Commits = commitRefs(l, s.number, c.id)
	}
	switch c.state() {
	case missing:
		f.ID = "commit-missing"
		f.Title = which + " is missing"
		f.Detail = "An entry names it, and no version of it is left. Nobody can tell which versions this commit named, so it cannot be read."
		f.Evidence = append(f.Evidence, slotEvidence(s)...)
		f.Affected.Commits = commitRefs(l, s.number, c.id)
		f.Repair = j.a.restoreObject(c.id, "")
	case deleted:
		f.ID = "commit-deleted"
		f.Version = c.versions[0].ID
		f.Title = which + " is deleted"
		f.Detail = "A delete marker hides it, so this commit cannot be read."
		if c.versions[0].Derived { // a store that has no markers
			f.Detail = "It has no live version any more, so this commit cannot be read."
		}
		under := slices.IndexFunc(c.versions, func(v objectVersion) bool { return !v.DeleteMarker })
		good := slices.IndexFunc(c.versions, func(v objectVersion) bool { return v.good(c.id) })
		switch {
		case under < 0:
			f.Detail += " No version of it is left."
			f.Repair = j.a.restoreObject(c.id, ", which succeeds over the marker")
		case good < 0:
			f.Detail += " What was deleted could not be shown to have the right hash: check it before the deletion is undone."
		case good == under:
			f.Detail += " The version that was deleted has the right hash."
			var markers []bucket.Version
			for _, v := range c.versions[:under] {
				markers = append(markers, v.Version)
			}
			f.Repair = j.a.removeMarkers(key, markers, "The hash of the version that was deleted was checked and is right.")
		default:
			f.Detail += " An older version has the right hash; the one that was deleted has not."
			f.Repair = j.a.copyVersion(key, c.versions[good].ID, "Version "+c.versions[good].ID+" has the right hash; don't undo the deletion (remove no marker), for what was deleted has not.")
		}
	case corrupt:
		f.ID = "commit-corrupt"
		f.Version = c.versions[0].ID
		f.Title = which + " is corrupt"
		f.Detail = fmt.Sprintf("The SHA-256 of its %d bytes is %s, not its name: they are not what the writer wrote, and no reader may trust them.", c.versions[0].obj.Bytes, c.versions[0].obj.ID)
		if i := slices.IndexFunc(c.versions, func(v objectVersion) bool { return v.good(c.id) }); i >= 0 {
			f.Detail += " An earlier version has the right hash."
			f.Repair = j.a.copyVersion(key, c.versions[i].ID, "Version "+c.versions[i].ID+" has the right hash.")
		} else {
			f.Repair = j.a.restoreObject(c.id, ", over a delete marker that hides the wrong bytes")
		}
	case unknownFormat:
		f.ID, f.Severity = "commit-format-unknown", Unknown
		f.Version = c.versions[0].ID
		f.Title = which + " has a format that this program cannot read"
		f.Detail = "Its hash is right, so these are the bytes that its writer wrote: " + reason(c.versions[0].err) + ". What it names could not be checked."
	case sound:
		j.soundObject(l, s, c, f, which)
		return
	default:
		return // could not be read: told as such elsewhere
	}
	j.add(l, f)
}

func (j *judge) soundObject(l *logFacts, s *slotFacts, c *commitFacts, f Finding, which string) {
	if c.invalid != "" && s != nil {
		x := f
		x.ID, x.Severity = "commit-files-invalid", Anomaly
		x.Title = which + " lists its files wrongly"
		x.Detail = "Its hash is right, but " + c.invalid + ". A writer that keeps to the format never makes this."
		j.add(l, x)
	}
	n := 0
	for _, v := range c.versions {
		if v.DeleteMarker {
			continue
		}
		if !v.good(c.id) {
			return
		}
		n++
	}
	if n > 1 {
		f.ID, f.Severity = "commit-rewritten", Info
		f.Title = which + fmt.Sprintf(" was written %d times, with the same bytes", n)
		f.Detail = "All versions have the right hash. Readers see what they always saw."
		f.Affected.Commits = nil
		j.add(l, f)
	}
}

// unnamedObjects judges what no entry names and no header could be read of. The
// folder is then unknown.
func (j *judge) unnamedObjects() {
	for id, c := range j.f.commits {
		if len(j.entryOf[id]) > 0 || c.header != nil {
			continue
		}
		if st := c.state(); st == corrupt || st == unknownFormat {
			j.object(nil, nil, c)
		}
	}
}

// unfinishedAfter is how old an orphan at the head must be, by the bucket's
// clock, before its writer is taken to be dead.
const unfinishedAfter = 15 * time.Minute

// judgeOrphans judges the commits of one log that no entry names and nothing else explains.
func (j *judge) judgeOrphans(hash string, list []*commitFacts) {
	l := j.f.logs[hash]
	if l == nil || len(l.slots)+len(l.foreign) == 0 && l.broken == nil {
		// A folder of which no entry is left at all.
		l = &logFacts{hash: hash, folder: list[0].header.Folder, known: true}
		at := len(j.findings)
		j.headLost(l, nil)
		j.regress(l, at)
	}
	if l.broken != nil || l.unsure() || j.unread {
		return // what no entry seems to name may be named by one that was not read
	}
	real := j.realSlots(l)
	var head *slotFacts
	if len(real) > 0 {
		head = real[0]
	}
	// Parents with a child that is logged, or that is behind a lost entry.
	hasChild := map[string]bool{}
	for _, s := range real {
		for _, id := range s.distinct() {
			if c := j.f.commits[id]; c != nil && c.header != nil {
				hasChild[c.header.Parent] = true
			}
		}
		if below := l.at(s.number - 1); below != nil {
			for _, id := range below.distinct() {
				hasChild[id] = true
			}
		}
		hasChild[""] = true // there was a first commit, whatever is left of it
	}
	for _, c := range list {
		if j.behind[c.id] {
			hasChild[c.header.Parent] = true
		}
	}
	partly := j.partly(l)
	before := len(j.findings)
	for _, c := range list {
		if partly && (head == nil || !slices.Contains(head.distinct(), c.header.Parent)) {
			continue // a commit that was left out may be its child, or its sibling
		}
		if !j.behind[c.id] {
			j.orphan(l, c, head, hasChild)
		}
	}
	j.findings = append(j.findings[:before], together(j.findings[before:], hash)...)
}

func (j *judge) orphan(l *logFacts, c *commitFacts, head *slotFacts, hasChild map[string]bool) {
	h := c.header
	follows, number := h.Parent == "" && head == nil, int64(0)
	if head != nil {
		// The head may have named another commit when this one was made.
		follows, number = slices.Contains(head.distinct(), h.Parent), head.number
	}
	f := Finding{Severity: Info, Confidence: Certain, Number: max(h.Number, 0), Commit: c.id, Key: commit.CommitKey(c.id), Evidence: objectEvidence(c)}
	folder := h.Folder
	f.Folder = &folder
	who := fmt.Sprintf("%s, %s", safeShort(h.Author), commit.FormatTime(h.Time))
	switch {
	case c.state() != sound:
		return // deleted, or overwritten: no reader ever meets it
	case hasChild[h.Parent]:
		f.ID = "commit-lost-race"
		f.Title = fmt.Sprintf("commit %s of %s lost a race", commit.ShortID(c.id), l.name())
		f.Detail = "Another commit has its place (" + who + " made this one). No entry names it, so no reader ever meets it. Races leave such objects; they are harmless."
		if made := j.madeAfter(l, c); made > unfinishedAfter {
			f.Confidence = Likely
			f.Title = fmt.Sprintf("commit %s of %s was passed by another commit", commit.ShortID(c.id), l.name())
			f.Detail = fmt.Sprintf("Another commit took its place %v later (%s made this one): its writer crashed before the commit point, or its entry was removed for good and the number was used again. No entry names it. If it was reported as committed, compare the two.", made.Round(time.Minute), who)
		}
	case follows:
		f.ID = "commit-unfinished"
		f.Title = fmt.Sprintf("commit %s of %s was never finished", commit.ShortID(c.id), l.name())
		f.Detail = "No entry names it, and it follows the head (" + who + "). Its writer crashed before the commit point, or the newest entry was removed for good. If it was reported as committed, put its entry back; otherwise commit again."
		if age := j.a.clock.Sub(c.versions[0].Modified); age >= unfinishedAfter {
			f.Severity, f.Confidence = Anomaly, Likely
		} else {
			f.Detail = "No entry names it yet, and it follows the head (" + who + "). It is minutes old: most likely its writer is at work."
		}
		if head != nil && h.Parent != head.named() {
			f.Detail += " The newest entry names another commit than when this one was made: settle that first."
			break
		}
		f.Repair = j.a.rebuild(l, number+1, c, false)
		f.Repair.Text = "Only if this commit was reported as done: " + f.Repair.Text
	default:
		f.ID, f.Severity = "commit-stray", Anomaly
		f.Title = fmt.Sprintf("commit %s of %s is a stray", commit.ShortID(c.id), l.name())
		f.Detail = "No entry names it, and nothing that is known follows or precedes it (" + who + "). No reader meets it."
	}
	j.add(l, f)
}

// madeAfter says how long after an orphan's object the entry was made that took
// its place, by the bucket's own times; 0: not known.
func (j *judge) madeAfter(l *logFacts, c *commitFacts) time.Duration {
	s := l.at(c.header.Number)
	if s == nil || len(s.bodies()) == 0 || len(c.versions) == 0 {
		return 0
	}
	bodies := s.bodies()
	return bodies[len(bodies)-1].Modified.Sub(c.versions[len(c.versions)-1].Modified)
}

func isEntryError(err error) bool { return errors.Is(err, commit.ErrEntry) }

// reason is an error's text without the words that a sentence around it says.
func reason(err error) string {
	if err == nil {
		return "unknown"
	}
	return strings.TrimPrefix(err.Error(), commit.ErrFormat.Error()+": ")
}
