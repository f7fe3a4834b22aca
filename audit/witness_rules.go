package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/commit"
)

// A loss is something that the witness saw and that is no longer so.
type loss struct {
	seenEntry
	id    string
	slot  *slotFacts // nil: nothing is there
	entry bool       // the entry is lost, not only its commit's object
}

// regress judges a log by what the witness saw of it. What a finding of damage
// tells already, of those that the log has from index at on, is no second finding:
// the witness's word is added to that one. What is left only the witness knows.
func (j *judge) regress(l *logFacts, at int) {
	w := j.a.seen[l.hash]
	if w == nil || l.broken != nil || j.recalled[l.hash] {
		return
	}
	j.recalled[l.hash] = true
	told := map[int][]loss{} // by index of the finding
	var news []loss
	for _, x := range j.losses(l, w) {
		k := claim{l.hash, x.number}
		j.lost[k] = true
		if i := j.toldBy(l, x, at); i >= 0 {
			told[i] = append(told[i], x)
			continue
		}
		if j.before != nil && !j.before[k] {
			continue // new at the second look: left to the next run
		}
		if x.entry {
			j.behind[x.id] = true
		}
		news = append(news, x)
	}
	for i, list := range told {
		j.vouch(&j.findings[i], w, list)
	}
	if len(news) > 0 {
		j.regressed(l, w, news)
	}
}

// losses are what the witness saw of a log and is no longer so, in ascending order.
func (j *judge) losses(l *logFacts, w *seenLog) []loss {
	var out []loss
	for _, e := range w.entries {
		s := l.shows(e)
		switch {
		case s == notAsSeen:
			out = append(out, loss{e, e.commit(), l.at(e.number), true})
		case j.f.brokenNow(e):
			out = append(out, loss{e, e.commit(), l.at(e.number), false})
		}
	}
	return out
}

// toldBy finds the finding of damage that tells of a loss by itself; -1: none does.
func (j *judge) toldBy(l *logFacts, x loss, at int) int {
	find := func(tells func(Finding) bool, ids ...string) int {
		i := slices.IndexFunc(j.findings[at:], func(f Finding) bool {
			return f.Severity == Damage && slices.Contains(ids, f.ID) && tells(f)
		})
		if i >= 0 {
			i += at
		}
		return i
	}
	if !x.entry {
		return find(func(f Finding) bool { return f.Commit == x.id }, "commit-missing", "commit-deleted", "commit-corrupt")
	}
	if x.slot != nil && j.real(l, x.slot) {
		names := x.slot.distinct()
		shown := len(names) == 0 || slices.Contains(names, x.id)
		i := find(func(f Finding) bool { return f.Number == x.number && (shown || f.Commit == x.id) },
			"log-entry-deleted", "log-entry-remade", "log-entry-overwritten", "log-entry-unreadable")
		if i >= 0 {
			return i
		}
		// Its child still says what the entry named before it was made anew.
		return find(func(f Finding) bool { return f.Number == x.number && f.Commit == x.id }, "log-entry-missing")
	}
	for _, s := range slices.Backward(l.slots) {
		if s.number > x.number && j.real(l, s) { // the entry above the gap
			return find(func(f Finding) bool { return f.Number == s.number-1 }, "log-entry-missing", "log-tail-missing")
		}
	}
	return find(func(f Finding) bool {
		return slices.ContainsFunc(f.Affected.Commits, func(c CommitRef) bool { return c.Number == x.number && c.ID == x.id })
	}, "log-head-lost")
}

// vouch adds the witness's word to a finding that tells of the same.
func (j *judge) vouch(f *Finding, w *seenLog, list []loss) {
	first, last := list[0], list[len(list)-1]
	when := w.when(list)
	switch {
	case !first.entry:
		f.Detail += " An earlier audit read it whole."
		return
	case len(list) == 1 && f.Commit == first.id && when == "":
		// It was so when it was first seen: the witness knows no more than the finding.
	case len(list) == 1:
		f.Detail += fmt.Sprintf(" An earlier audit saw entry %d name commit %s.%s", first.number, commit.ShortID(first.id), when)
	default:
		f.Detail += fmt.Sprintf(" An earlier audit saw %d of these entries, %d to %d.%s", len(list), first.number, last.number, when)
	}
	f.Confidence = Certain
	if f.ID == "log-entry-overwritten" && j.a.markersMayBeGone() {
		f.Confidence = Possible // whether there was a deletion between the witness does not know
	}
}

// when says, in sentences that start with a space, when entries were last there and
// since when they are missed; empty: they were hidden when they were first seen.
func (w *seenLog) when(list []loss) string {
	var there, since []time.Time
	for _, x := range list {
		if !x.entry {
			continue
		}
		at := w.at(x.number)
		if at.there.IsZero() {
			continue // hidden when it was first seen: nobody knows since when
		}
		there = append(there, at.there)
		if !at.since.IsZero() {
			since = append(since, at.since)
		}
	}
	if len(there) == 0 {
		return ""
	}
	it, was, has := "It", "was", "has"
	if len(list) > 1 {
		it, was, has = "They", "were", "have"
	}
	early, late := slices.MinFunc(there, time.Time.Compare), slices.MaxFunc(there, time.Time.Compare)
	s := fmt.Sprintf(" %s %s last there at %s", it, was, commit.FormatTime(late))
	if early.Before(late) {
		s += ", some of them only until " + commit.FormatTime(early)
	}
	s += "."
	if len(since) > 0 {
		s += fmt.Sprintf(" %s %s been missed since %s.", it, has, commit.FormatTime(slices.MinFunc(since, time.Time.Compare)))
	}
	return s
}

// regressed reports what only the witness knows: one finding for a log.
func (j *judge) regressed(l *logFacts, w *seenLog, list []loss) {
	last := list[len(list)-1]
	f := Finding{ID: "witness-regressed", Severity: Damage, Confidence: Certain, Number: last.number, Commit: last.id, Key: commit.SlotKey(l.hash, last.number)}
	real := j.realSlots(l)
	var absent, changed, objects int
	for i, x := range list {
		switch {
		case !x.entry:
			objects++
		case x.changed():
			changed++
		default:
			absent++
		}
		f.Affected.Commits = append(f.Affected.Commits, commitRefs(l, x.number, x.id)...)
		if i < maxExamples {
			f.Evidence = append(f.Evidence, j.lossEvidence(l, x)...)
		}
	}
	top := int64(0)
	if len(real) > 0 {
		top = real[0].number
		for _, e := range slotEvidence(real[0]) {
			e.Note = strings.TrimSuffix("the newest entry that is left; "+e.Note, "; ")
			f.Evidence = append(f.Evidence, e)
		}
	}
	what := numbered("entry", "entries", list)
	switch {
	case absent+changed == 0:
		f.Title = fmt.Sprintf("%s of %s, read and sound in an earlier audit, cannot be read any more", numbered("the object of commit", "the objects of commits", list), l.name())
	case changed > 0:
		f.Title = fmt.Sprintf("history of %s was changed: %s named something else in an earlier audit", l.name(), what)
	case len(real) == 0:
		f.Title = fmt.Sprintf("%s is gone as a whole: an earlier audit saw %s", l.title(), what)
	case list[0].number > top:
		f.Title = fmt.Sprintf("%s went back from %d to %d: an earlier audit saw %s", l.title(), last.number, top, what)
	default:
		f.Title = fmt.Sprintf("%s of %s, seen in an earlier audit, cannot be found any more", what, l.name())
	}
	f.Detail = j.regressDetail(l, w, list, absent, changed)
	f.Repair = j.regressRepair(l, list, changed)
	// By what was lost: what is lost besides later is another instance, and is not
	// acknowledged with this one.
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: commit.LogPrefix(l.hash), Version: digestOf(list)}, l.hash)
	if l.known {
		folder := l.folder
		f.Folder = &folder
	}
	j.findings = append(j.findings, f)
}

// title names a log at the start of a sentence about it.
func (l *logFacts) title() string {
	if !l.known {
		return l.name() // which says that it is a log
	}
	return "the log of " + l.name()
}

// changed says that something else stands in the place of an entry that was lost.
func (x loss) changed() bool {
	if !x.entry || x.slot == nil {
		return false
	}
	names := x.slot.distinct()
	return len(names) > 0 && !slices.Contains(names, x.id)
}

func (j *judge) lossEvidence(l *logFacts, x loss) []Evidence {
	var out []Evidence
	if x.entry {
		note := "an earlier audit saw it name commit " + x.id
		if x.slot == nil || len(x.slot.versions) == 0 {
			out = append(out, Evidence{Key: commit.SlotKey(l.hash, x.number), Note: "nothing is there; " + note})
		}
		for _, e := range slotEvidence(x.slot) {
			e.Note = strings.TrimPrefix(e.Note+"; ", "; ") + note
			out = append(out, e)
		}
	}
	if !j.f.objects {
		return out
	}
	c := j.f.commits[x.id]
	if c == nil || len(c.versions) == 0 {
		return append(out, Evidence{Key: commit.CommitKey(x.id), Note: "nothing is there"})
	}
	return append(out, objectEvidence(c)...)
}

func (j *judge) regressDetail(l *logFacts, w *seenLog, list []loss, absent, changed int) string {
	s := "An earlier audit saw this." + w.when(list)
	if absent+changed > 0 {
		s += " The bucket itself shows nothing of it: whoever did this removed every trace, or put back an older state of the bucket."
	}
	if absent > 0 {
		s += " Readers of this folder get an older commit or none, and the next commit would take a number that was used: don't commit to it before this is cleared up."
	}
	if changed > 0 {
		s += " Readers before and after saw different histories."
	}
	if !j.f.objects {
		return s + " Whether the commit objects are still there was not looked at: audit again at depth commits or deeper."
	}
	there := 0
	for _, x := range list {
		if c := j.f.commits[x.id]; c != nil && c.state() == sound {
			there++
		}
	}
	switch {
	case absent+changed == 0:
		return s + " Without it nobody can tell which versions the commit named."
	case len(list) == 1 && there == 1:
		return s + " Its commit object is still there: nothing of what it names is lost with the entry."
	case len(list) == 1:
		return s + " Its commit object cannot be read any more: only a copy kept elsewhere can tell which versions it named."
	case there == len(list):
		return s + " The commit objects are still there: nothing of what they name is lost with the entries."
	case there == 0:
		return s + " None of their commit objects can be read any more: only copies kept elsewhere can tell which versions they named."
	}
	return s + fmt.Sprintf(" %d of their %d commit objects can still be read.", there, len(list))
}

func (j *judge) regressRepair(l *logFacts, list []loss, changed int) *Repair {
	first := list[0]
	c := j.f.commits[first.id]
	switch {
	case changed > 0:
		return nil // two histories: nothing mends this
	case !first.entry || j.f.objects && (c == nil || c.state() == missing):
		return &Repair{Kind: "restore-commit-object", Text: "Any copy of the object whose SHA-256 is " + first.id + " is as good as the original: put it back under " + commit.CommitKey(first.id) + " with put-if-absent. Then audit again."}
	case !j.f.objects:
		return &Repair{Kind: "rebuild-entry", Text: "Write the entries again with put-if-absent, the lowest number first, from their commit objects; an audit at depth commits shows how."}
	}
	r := j.a.rebuild(l, first.number, c, first.slot != nil && len(first.slot.versions) > 0)
	if len(list) > 1 {
		r.Text += " Then the next ones, in ascending order: each audit shows the lowest that is missing."
	}
	return r
}

// numbered names what was lost by number.
func numbered(one, many string, list []loss) string {
	first, last := list[0].number, list[len(list)-1].number
	switch {
	case len(list) == 1:
		return fmt.Sprintf("%s %d", one, first)
	case last-first == int64(len(list))-1:
		return fmt.Sprintf("%s %d to %d", many, first, last)
	}
	return fmt.Sprintf("%d %s between %d and %d", len(list), many, first, last)
}

func digestOf(list []loss) string {
	h := sha256.New()
	for _, x := range list {
		_, _ = fmt.Fprintf(h, "%d %s %t\n", x.number, x.id, x.entry) // a hash takes all
	}
	return hex.EncodeToString(h.Sum(nil))
}
