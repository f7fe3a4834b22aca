package audit

import (
	"fmt"
	"slices"
	"time"

	"provcat-tui/commit"
)

// parent judges what commit n says of commit n-1.
func (j *judge) parent(l *logFacts, s *slotFacts, told map[int64]outcome) {
	v, ok := s.live()
	if !ok || !v.parsed() {
		return
	}
	c := j.f.commits[v.entry.Commit]
	if c == nil || c.state() != sound || c.header == nil {
		return
	}
	f := Finding{Severity: Damage, Confidence: Certain, Number: s.number, Commit: c.id, Key: s.key, Version: v.ID,
		Evidence: append(slotEvidence(s), objectEvidence(c)...), Affected: Affected{Commits: commitRefs(l, s.number, c.id)}}
	if commit.FolderHash(c.header.Folder) != l.hash {
		f.ID = "log-entry-misfiled"
		f.Title = fmt.Sprintf("entry %d of %s names a commit of another folder, %q", s.number, l.name(), c.header.Folder)
		f.Detail = "Readers of this folder get a commit whose paths belong to another folder."
		j.add(l, f)
		return
	}
	below := l.at(s.number - 1)
	parent := c.header.Parent
	switch {
	case s.number == 1 && parent == "":
		return
	case s.number > 1 && (below == nil || told[below.number] == hides || below.named() == ""):
		return // the entry below tells nothing, and has a finding of its own
	case s.number > 1 && slices.Contains(below.distinct(), parent):
		return
	case below != nil && below.named() == c.id:
		return // told as log-commit-repeated
	case below != nil && below.unread() != nil:
		return // it may name the parent in the version that could not be read
	}
	if s.number > 1 && parent != "" && len(j.entryOf[parent]) == 0 && !l.unsure() {
		j.behind[parent] = true
		if told[below.number] == rewritten {
			return // one cause, one finding
		}
		f.ID, f.Number, f.Commit = "log-entry-missing", s.number-1, parent
		f.Key, f.Version = below.key, ""
		f.Evidence = append(f.Evidence, slotEvidence(below)...)
		f.Affected.Commits = commitRefs(l, s.number-1, parent)
		f.Title = fmt.Sprintf("the entry of commit %s, the parent of commit %d of %s, is missing", commit.ShortID(parent), s.number, l.name())
		f.Detail = fmt.Sprintf("Commit %d names as its parent a commit that no entry names; entry %d names another one, %s. History was changed: the entry was re-made, and what it said before was removed for good.", s.number, below.number, commit.ShortID(below.named()))
		j.add(l, f)
		return
	}
	f.ID = "log-parent-mismatch"
	f.Title = fmt.Sprintf("commit %d of %s does not follow the commit before it", s.number, l.name())
	if s.number == 1 {
		j.behind[parent] = true
		f.Detail = fmt.Sprintf("It is the first entry, yet its commit names a parent, %s: history before it was cut off, or the entry names the wrong commit.", commit.ShortID(parent))
	} else {
		f.Detail = fmt.Sprintf("Its parent is %s, but entry %d names %s: history was changed, or the entry names the wrong commit.", orNone(parent), below.number, commit.ShortID(below.named()))
		f.Evidence = append(f.Evidence, slotEvidence(below)...)
	}
	j.add(l, f)
}

func orNone(id string) string {
	if id == "" {
		return "none"
	}
	return commit.ShortID(id)
}

// agree compares the entry, the slot and the commit object. repeats: a lower slot
// names the commit too, so that its number can be that of one only.
func (j *judge) agree(l *logFacts, s *slotFacts, repeats bool) {
	v, ok := s.live()
	if !ok || !v.parsed() {
		return
	}
	var diffs []string
	e := v.entry
	if e.Number != 0 && e.Number != s.number {
		diffs = append(diffs, fmt.Sprintf("the entry says number %d", e.Number))
	}
	c := j.f.commits[e.Commit]
	if c != nil && c.state() == sound && c.header != nil && commit.FolderHash(c.header.Folder) == l.hash {
		h := c.header
		if h.Number != 0 && h.Number != s.number && !repeats {
			diffs = append(diffs, fmt.Sprintf("the commit says number %d", h.Number))
		}
		if !e.Time.IsZero() && !e.Time.Equal(h.Time) {
			diffs = append(diffs, fmt.Sprintf("the entry's time is %s and the commit's %s", commit.FormatTime(e.Time), commit.FormatTime(h.Time)))
		}
		if e.HasFolder && e.Folder != h.Folder {
			diffs = append(diffs, fmt.Sprintf("the entry says folder %q and the commit %q", e.Folder, h.Folder))
		}
	}
	if len(diffs) == 0 {
		return
	}
	f := Finding{ID: "log-number-mismatch", Severity: Anomaly, Confidence: Certain, Number: s.number, Commit: e.Commit, Key: s.key, Version: v.ID,
		Title:    fmt.Sprintf("entry %d of %s and its commit do not agree", s.number, l.name()),
		Evidence: slotEvidence(s)}
	for i, d := range diffs {
		if i > 0 {
			f.Detail += "; "
		}
		f.Detail += d
	}
	f.Detail += fmt.Sprintf(". The slot is number %d. Where they differ the commit object is right; a writer that keeps to the format never makes this.", s.number)
	j.add(l, f)
}

// twinSpan is how far apart two twins' times may lie.
const twinSpan = time.Minute

func (j *judge) twins(l *logFacts, s, below *slotFacts) {
	up, down := j.soundAt(s), j.soundAt(below)
	if up == nil || down == nil || up.id == down.id || up.digest != down.digest || up.header.Author != down.header.Author {
		return
	}
	if d := up.header.Time.Sub(down.header.Time).Abs(); d > twinSpan {
		return
	}
	j.add(l, Finding{ID: "commit-twins", Severity: Info, Confidence: Likely, Number: s.number, Commit: up.id, Key: s.key,
		Title:    fmt.Sprintf("commits %d and %d of %s hold the same files", below.number, s.number, l.name()),
		Detail:   "Same author, same files, seconds apart: the answer to the first was most likely lost, and its writer committed again. Readers get the same files from both.",
		Affected: Affected{Commits: append(commitRefs(l, s.number, up.id), commitRefs(l, below.number, down.id)...)},
		Evidence: append(slotEvidence(s), slotEvidence(below)...)})
}

func (j *judge) soundAt(s *slotFacts) *commitFacts {
	v, ok := s.live()
	if !ok || !v.parsed() {
		return nil
	}
	if c := j.f.commits[v.entry.Commit]; c != nil && c.header != nil && c.state() == sound {
		return c
	}
	return nil
}

// repeated finds commits that stand twice in a log, and gives the numbers of all
// their slots but the lowest.
func (j *judge) repeated(l *logFacts, real []*slotFacts) map[int64]bool {
	out := map[int64]bool{}
	at := map[string]*slotFacts{} // the lowest slot of each commit
	for _, s := range slices.Backward(real) {
		v, ok := s.live()
		if !ok || !v.parsed() {
			continue
		}
		first := at[v.entry.Commit]
		if first == nil {
			at[v.entry.Commit] = s
			continue
		}
		out[s.number] = true
		j.add(l, Finding{ID: "log-commit-repeated", Severity: Anomaly, Confidence: Certain, Number: s.number, Commit: v.entry.Commit, Key: s.key,
			Title:    fmt.Sprintf("entry %d of %s names the same commit as entry %d", s.number, l.name(), first.number),
			Detail:   "One commit stands twice in the log. Readers get the same files from both numbers.",
			Evidence: append(slotEvidence(s), slotEvidence(first)...)})
	}
	return out
}
