package audit

import (
	"fmt"
	"slices"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A judge turns facts into findings. It reads nothing.
type judge struct {
	a        *auditor
	f        *facts
	findings []Finding
	// entryOf says which slots' versions, deleted ones too, name a commit.
	entryOf map[string][]*slotFacts
	// orphans are the readable commits that no entry names, by folder hash.
	orphans map[string][]*commitFacts
	// behind are the commits whose entry is deleted, unreadable or missing: they
	// are no orphans besides.
	behind map[string]bool
}

// judge runs every rule on what is in scope.
func (a *auditor) judge() []Finding {
	j := &judge{a: a, f: a.f, entryOf: map[string][]*slotFacts{}, orphans: map[string][]*commitFacts{}, behind: map[string]bool{}}
	for _, l := range a.f.logs {
		for _, s := range l.slots {
			for _, id := range s.distinct() {
				j.entryOf[id] = append(j.entryOf[id], s)
			}
		}
	}
	for id, c := range a.f.commits {
		if len(j.entryOf[id]) == 0 && c.header != nil {
			h := commit.FolderHash(c.header.Folder)
			j.orphans[h] = append(j.orphans[h], c)
		}
	}
	for _, l := range a.inScope() {
		j.log(l)
		j.objects(l)
	}
	if a.f.objects {
		for hash, list := range j.orphans {
			if a.wanted(list[0].header.Folder) {
				j.judgeOrphans(hash, list)
			}
		}
		if a.o.Folder == "" {
			j.unnamedObjects()
		}
	}
	if a.o.Folder == "" {
		j.foreign(nil, a.f.foreign)
	}
	return j.findings
}

// add completes and keeps a finding. l may be nil.
func (j *judge) add(l *logFacts, f Finding) {
	where := ""
	if l != nil {
		where = l.hash
		if l.known && f.Folder == nil {
			folder := l.folder
			f.Folder = &folder
		}
	}
	if f.Folder != nil && where == "" {
		where = commit.FolderHash(*f.Folder)
	}
	f.Fingerprint = fingerprint(f, where)
	j.findings = append(j.findings, f)
}

// name names a log in a sentence.
func (l *logFacts) name() string {
	switch {
	case !l.known:
		return "the log " + l.hash[:10] + "… (folder unknown)"
	case l.folder == "":
		return "the whole bucket"
	}
	return l.folder
}

// real says whether a slot counts as an entry that is or was: it has a version
// with a body, or a commit object claims its number. A marker over nothing is no
// lost entry.
func (j *judge) real(l *logFacts, s *slotFacts) bool {
	return len(s.bodies()) > 0 || j.claim(l, s.number) != nil
}

// claim finds an orphan that says it has this number.
func (j *judge) claim(l *logFacts, n int64) *commitFacts {
	for _, c := range j.orphans[l.hash] {
		if c.header.Number == n {
			return c
		}
	}
	return nil
}

// log judges one log's entries.
func (j *judge) log(l *logFacts) {
	if !l.known {
		j.add(l, Finding{ID: "log-folder-unknown", Severity: Anomaly, Confidence: Certain, Key: commit.LogPrefix(l.hash),
			Title:    "the log " + l.hash + " belongs to a folder that nothing names",
			Detail:   "No entry, no commit object and no folder that exists has this hash. Its commits cannot be found by a reader who does not know the folder's name.",
			Evidence: evidenceOf(l)})
	}
	j.foreign(l, l.foreign)
	var real []*slotFacts
	for _, s := range l.slots {
		if j.real(l, s) {
			real = append(real, s)
		}
	}
	hidden := map[int64]bool{} // slots that don't tell which commit they name
	for _, s := range real {
		hidden[s.number] = j.slot(l, s)
	}
	for i, s := range real {
		low := int64(0)
		if i+1 < len(real) {
			low = real[i+1].number
		}
		if s.number-low > 1 {
			j.gap(l, s, low)
		}
		j.parent(l, s, hidden)
		j.agree(l, s)
		if i+1 < len(real) && low == s.number-1 {
			j.twins(l, s, real[i+1])
		}
	}
	j.repeated(l, real)
	if j.f.objects {
		j.headLost(l, real)
	}
}

// slot judges one slot by itself. hides: it does not tell which commit it names.
func (j *judge) slot(l *logFacts, s *slotFacts) (hides bool) {
	bodies, names := s.bodies(), s.distinct()
	f := Finding{Severity: Damage, Confidence: Certain, Number: s.number, Key: s.key, Commit: s.named(), Evidence: slotEvidence(s)}
	live, isLive := s.live()
	switch {
	case !isLive:
		j.deleted(l, s, f, names)
		return true
	case len(names) > 1:
		j.remade(l, s, f, names)
		return false
	case live.err != nil && isEntryError(live.err):
		f.ID = "log-entry-unreadable"
		f.Version = live.ID
		f.Title = fmt.Sprintf("entry %d of %s is no log entry", s.number, l.name())
		f.Detail = fmt.Sprintf("The bytes of the entry are neither JSON with a commit nor an ID, so readers cannot find commit %d, and nothing can be added while this is the newest entry.", s.number)
		f.Repair = j.a.copyBack(s)
		for _, c := range j.orphans[l.hash] {
			if c.header.Number == s.number {
				j.behind[c.id] = true
			}
		}
		if up := j.childOf(l, s.number); up != nil && up.header.Parent != "" {
			j.behind[up.header.Parent] = true
		}
		j.add(l, f)
		return true
	case live.err != nil:
		return true // could not be read: told as such elsewhere
	case len(bodies) > 1 && allParsed(bodies):
		f.ID, f.Severity = "log-entry-restored", Info
		f.Title = fmt.Sprintf("entry %d of %s was written again with the same commit", s.number, l.name())
		f.Detail = "All versions of the entry name one commit: it was restored, or put twice. Readers see what they always saw."
		j.add(l, f)
	}
	return false
}

func allParsed(vs []entryVersion) bool {
	return !slices.ContainsFunc(vs, func(v entryVersion) bool { return !v.parsed() })
}

// childOf gives the readable commit that entry n+1 names.
func (j *judge) childOf(l *logFacts, n int64) *commitFacts {
	s := l.at(n + 1)
	if s == nil {
		return nil
	}
	c := j.f.commits[s.named()]
	if c == nil || c.header == nil {
		return nil
	}
	return c
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
		f.Detail += " Its neighbours are still there."
	}
	if len(names) > 1 {
		f.Detail += fmt.Sprintf(" Its older versions name %d different commits: it was also re-made.", len(names))
	}
	if c := j.claim(l, s.number); len(s.bodies()) == 0 && c != nil {
		f.Commit = c.id
		j.behind[c.id] = true
		f.Detail += " Under the marker no version is left; the commit object that claims this number is still there."
		f.Repair = j.a.rebuild(l, s.number, c, &marker.Version)
	} else {
		f.Repair = j.a.removeMarker(s.key, marker.ID, "")
	}
	f.Affected.Commits = commitRefs(l, s.number, f.Commit)
	j.add(l, f)
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
	marker := false
	first, last := -1, -1
	for i, v := range s.versions {
		if v.parsed() {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	for i := first; i <= last; i++ {
		marker = marker || s.versions[i].DeleteMarker
	}
	list := ""
	for i, id := range names {
		if i > 0 {
			list += ", then before it "
		}
		list += commit.ShortID(id)
	}
	if marker {
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
		f.Detail = "The oldest commits can no longer be found by number or by time. " + j.a.ruleOnLog()
	} else {
		f.ID = "log-entry-missing"
		f.Title = fmt.Sprintf("%s of %s %s missing", which, l.name(), verb)
		f.Detail = "No version of it is left, though later entries exist: it was removed for good. Readers no longer find this commit by number or by time."
	}
	// Down the parents: what the missing entries named.
	c := j.f.commits[s.named()]
	for left := n; left > 0 && c != nil && c.header != nil && c.header.Parent != ""; left-- {
		id := c.header.Parent
		j.behind[id] = true
		f.Affected.Commits = append(f.Affected.Commits, commitRefs(l, s.number-1-(n-left), id)...)
		if f.Commit == "" {
			f.Commit = id
		}
		c = j.f.commits[id]
	}
	for _, o := range j.orphans[l.hash] {
		if x := o.header.Number; x > low && x <= top && len(f.Affected.Commits) == 0 {
			j.behind[o.id] = true
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
		f.Repair = j.a.rebuild(l, top, j.f.commits[f.Commit], nil)
		if n > 1 && f.Repair != nil {
			f.Repair.Text += " Then the entries below it, each from its child's parent."
		}
	}
	j.add(l, f)
}

// parent judges what commit n says of commit n-1.
func (j *judge) parent(l *logFacts, s *slotFacts, hidden map[int64]bool) {
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
	case s.number > 1 && (below == nil || hidden[below.number] || !j.real(l, below)):
		return // the entry below tells nothing, and has a finding of its own
	case s.number > 1 && below.named() == "":
		return
	case s.number > 1 && slices.Contains(below.distinct(), parent):
		return
	}
	if s.number > 1 && parent != "" && len(j.entryOf[parent]) == 0 {
		j.behind[parent] = true
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

// agree compares the entry, the slot and the commit object.
func (j *judge) agree(l *logFacts, s *slotFacts) {
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
		if h.Number != 0 && h.Number != s.number {
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

func (j *judge) repeated(l *logFacts, real []*slotFacts) {
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
		j.add(l, Finding{ID: "log-commit-repeated", Severity: Anomaly, Confidence: Certain, Number: s.number, Commit: v.entry.Commit, Key: s.key,
			Title:    fmt.Sprintf("entry %d of %s names the same commit as entry %d", s.number, l.name(), first.number),
			Detail:   "One commit stands twice in the log. Readers get the same files from both numbers.",
			Evidence: append(slotEvidence(s), slotEvidence(first)...)})
	}
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
