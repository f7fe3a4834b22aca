package audit

import (
	"slices"
	"strings"

	"provcat-tui/commit"
)

// A judge turns facts into findings. It reads nothing.
type judge struct {
	a        *auditor
	f        *facts
	findings []Finding
	// entryOf says which slots' versions, deleted ones too, name a commit.
	entryOf map[string][]*slotFacts
	// orphans are the readable commits that no entry names, by folder hash, in
	// order of ID; claims those that say they have a number.
	orphans map[string][]*commitFacts
	claims  map[claim][]*commitFacts
	// unread says that a commit that no entry names was left out by choice: what its
	// folder and parent are is not known.
	unread bool
	// behind are the commits whose entry is deleted, unreadable or missing: they
	// are no orphans besides.
	behind map[string]bool
	// lost is what the witness saw and is no longer so; before, what the first
	// judgement found of that (nil: this is the first); recalled the logs that were
	// compared with the witness.
	lost, before map[claim]bool
	recalled     map[string]bool
}

// A claim is a number of a log.
type claim struct {
	hash   string
	number int64
}

// judge runs every rule on what is in scope.
func (a *auditor) judge() []Finding {
	j := &judge{a: a, f: a.f, entryOf: map[string][]*slotFacts{}, orphans: map[string][]*commitFacts{},
		claims: map[claim][]*commitFacts{}, behind: map[string]bool{},
		lost: map[claim]bool{}, before: a.lost, recalled: map[string]bool{}}
	for _, l := range a.f.logs {
		for _, s := range l.slots {
			for _, id := range s.distinct() {
				j.entryOf[id] = append(j.entryOf[id], s)
			}
		}
	}
	for id, c := range a.f.commits {
		if len(j.entryOf[id]) > 0 {
			continue
		}
		if c.header != nil {
			h := commit.FolderHash(c.header.Folder)
			j.orphans[h] = append(j.orphans[h], c)
		}
		_, left := chosen(c.unreadErr())
		j.unread = j.unread || left
	}
	for hash, list := range j.orphans {
		slices.SortFunc(list, func(x, y *commitFacts) int { return strings.Compare(x.id, y.id) })
		for _, c := range list {
			k := claim{hash, c.header.Number}
			j.claims[k] = append(j.claims[k], c)
		}
	}
	for _, l := range a.inScope() {
		if l.broken == nil {
			at := len(j.findings)
			j.log(l)
			j.objects(l)
			j.regress(l, at)
		}
	}
	if a.f.objects {
		for hash, list := range j.orphans {
			if a.wanted(list[0].header.Folder) {
				j.judgeOrphans(hash, list)
			}
		}
		if a.o.Folder == "" {
			j.unnamedObjects()
			j.erasedObjects()
		}
	}
	if a.o.Folder == "" {
		j.foreign(nil, a.f.foreign)
	}
	j.times()
	for hash := range a.seen {
		j.regress(a.f.log(hash), len(j.findings)) // those of which nothing is left
	}
	a.lost = j.lost
	return j.findings
}

// add completes and keeps a finding. l may be nil.
func (j *judge) add(l *logFacts, f Finding) { j.addAs(l, f, about(f)) }

// addAs is add for a finding that is about something else than it seems.
func (j *judge) addAs(l *logFacts, f, is Finding) {
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
	f.Fingerprint = fingerprint(is, where)
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
	return len(s.bodies()) > 0 || len(s.versions) > 0 && len(j.claimants(l, s.number)) > 0
}

// realSlots are those of a log's slots that count as entries, newest first.
func (j *judge) realSlots(l *logFacts) []*slotFacts {
	var out []*slotFacts
	for _, s := range l.slots {
		if j.real(l, s) {
			out = append(out, s)
		}
	}
	return out
}

// claimants are the orphans that say they have this number. Where the entry above
// tells its parent, or the witness saw the entry, only that one counts: the others
// lost a race.
func (j *judge) claimants(l *logFacts, n int64) []*commitFacts {
	all := j.claims[claim{l.hash, n}]
	if id, ok := j.a.saw(l.hash, n); ok {
		for _, x := range all {
			if x.id == id {
				return []*commitFacts{x}
			}
		}
	}
	if up := l.at(n + 1); up != nil {
		if c := j.f.commits[up.named()]; c != nil && c.header != nil {
			for _, x := range all {
				if x.id == c.header.Parent {
					return []*commitFacts{x}
				}
			}
		}
	}
	return all
}

// unsure says that an entry of the log could not be read: what seems to be named
// by no entry may be named by that one.
func (l *logFacts) unsure() bool {
	return slices.ContainsFunc(l.slots, func(s *slotFacts) bool { return s.unread() != nil })
}

// hide notes which commit lies behind an entry that does not tell what it names:
// the one that the entry above names as its parent, else every orphan that follows
// the entry below.
func (j *judge) hide(l *logFacts, s *slotFacts) {
	if up := l.at(s.number + 1); up != nil {
		if c := j.f.commits[up.named()]; c != nil && c.header != nil {
			j.behind[c.header.Parent] = true
			return
		}
	}
	below := l.at(s.number - 1)
	for _, c := range j.orphans[l.hash] {
		if c.header.Number == s.number || c.header.Number == 0 && c.header.Parent == below.named() {
			j.behind[c.id] = true
		}
	}
}
