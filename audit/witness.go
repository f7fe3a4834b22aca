package audit

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"provcat-tui/commit"
)

// A Witness is what earlier audits saw of the logs of one bucket. It lies outside
// of the bucket, so it can tell what nobody can read in the bucket itself: that
// the newest entries of a log were cut off without a trace, or a whole log.
//
// It never forgets by itself: what has gone stays in it, so that each later audit
// tells of it until it is back. Of a number the commit counts that was seen there
// first. A Witness is not changed once it is made, but by Merge.
type Witness struct {
	// Bucket is its URL. A witness of one bucket says nothing about another.
	Bucket string
	// Written is when the audit that made it began. Zero: none did yet.
	Written time.Time
	logs    map[string]*seenLog // by folder hash
}

// A seenLog is one log as audits saw it.
type seenLog struct {
	hash   string
	folder string
	known  bool
	seen   time.Time // when an audit last looked at it
	// entries in ascending order of number, no number twice.
	entries []seenEntry
	// absent are the entries that were not as seen when it was last looked at, by
	// number; all others were.
	absent map[int64]absence
}

// An absence tells since when an entry is not as it was seen.
type absence struct {
	there time.Time // when it was last there; zero: it was hidden when it was first seen
	since time.Time // when it was first missed; zero: it could not be read since
}

// A seenEntry is one log entry, and the commit that it named.
type seenEntry struct {
	number int64
	id     [32]byte
	sound  bool // the commit object was read, and was what its name says
}

// NewWitness makes one that has seen nothing.
func NewWitness(bucketURL string) *Witness {
	return &Witness{Bucket: bucketURL, logs: map[string]*seenLog{}}
}

// Size counts the logs and the entries.
func (w *Witness) Size() (logs, entries int) {
	for _, l := range w.logs {
		entries += len(l.entries)
	}
	return len(w.logs), entries
}

// Sees says whether the witness knows of any log of the folder or below it.
func (w *Witness) Sees(folder string) bool {
	a := &auditor{o: Options{Folder: folder}}
	for _, l := range w.logs {
		if l.known && a.wanted(l.folder) {
			return true
		}
	}
	return w.logs[commit.FolderHash(folder)] != nil
}

// Merge takes what another witness of the same bucket has seen besides: that of
// an audit that ran at the same time. Where the two differ the earlier counts.
func (w *Witness) Merge(other *Witness) {
	if w.Written.Before(other.Written) {
		w.Written = other.Written
	}
	for hash, o := range other.logs {
		l := w.logs[hash]
		if l == nil {
			w.logs[hash] = o
			continue
		}
		w.logs[hash] = l.merged(o)
	}
}

func (l *seenLog) merged(o *seenLog) *seenLog {
	early, late := l, o
	if late.seen.Before(early.seen) {
		early, late = late, early
	}
	out := *late
	if !out.known {
		out.folder, out.known = early.folder, early.known
	}
	// What one of them misses is missed, until the next run looks.
	out.absent = maps.Clone(late.absent)
	for n, x := range early.absent {
		out.absent = with(out.absent, n, x)
	}
	out.entries = mergeEntries(early.entries, late.entries)
	return &out
}

func with(m map[int64]absence, n int64, x absence) map[int64]absence {
	if m == nil {
		m = map[int64]absence{}
	}
	m[n] = x
	return m
}

// at tells when the entry n that was seen was last there, and since when it is
// missed: not yet, if it was there when the log was last looked at.
func (l *seenLog) at(n int64) absence {
	if x, ok := l.absent[n]; ok {
		return x
	}
	return absence{there: l.seen}
}

// find gives the index of entry n.
func (l *seenLog) find(n int64) (int, bool) {
	return slices.BinarySearchFunc(l.entries, n, func(e seenEntry, n int64) int { return cmp.Compare(e.number, n) })
}

// mergeEntries joins two lists in order of number; of one number the first list's
// counts, and it was sound if either saw it so.
func mergeEntries(first, second []seenEntry) []seenEntry {
	out := make([]seenEntry, 0, max(len(first), len(second)))
	for len(first) > 0 && len(second) > 0 {
		x, y := first[0], second[0]
		switch cmp.Compare(x.number, y.number) {
		case -1:
			out, first = append(out, x), first[1:]
		case 1:
			out, second = append(out, y), second[1:]
		default:
			x.sound = x.sound || y.sound && x.id == y.id
			out, first, second = append(out, x), first[1:], second[1:]
		}
	}
	out = append(out, first...)
	return append(out, second...)
}

// commit is the ID that the entry named.
func (e seenEntry) commit() string { return hex.EncodeToString(e.id[:]) }

// named says whether id is the commit that the entry named.
func (e seenEntry) named(id string) bool {
	x, ok := binaryID(id)
	return ok && x == e.id
}

func binaryID(id string) (out [32]byte, ok bool) {
	if !commit.ValidID(id) {
		return out, false
	}
	_, err := hex.Decode(out[:], []byte(id))
	return out, err == nil
}

// A recollection is what a run does with the witness; none: it has none.
type recollection struct {
	// seen are the logs in scope, by folder hash; nil: this run has listed no logs.
	seen map[string]*seenLog
	lost map[claim]bool // what the first judgement missed; nil: there was none yet
}

// saw says whether the witness saw entry n of a log, and which commit it named.
func (r *recollection) saw(hash string, n int64) (id string, ok bool) {
	w := r.seen[hash]
	if w == nil {
		return "", false
	}
	i, ok := w.find(n)
	if !ok {
		return "", false
	}
	return w.entries[i].commit(), true
}

// recallNames takes the witness's word for the folders of logs that do not tell
// theirs: a name is right if its hash is the log's. It spares a walk of the bucket.
func (a *auditor) recallNames() {
	if a.o.Witness == nil {
		return
	}
	for hash, w := range a.o.Witness.logs {
		if l := a.f.logs[hash]; l != nil && !l.known && w.known {
			l.folder, l.known = w.folder, true
		}
	}
}

// recall makes room in the facts for what the witness saw and the first listing
// lacks, so that it is looked at a second time as everything is that looks wrong.
func (a *auditor) recall() {
	a.seen = map[string]*seenLog{}
	if a.o.Witness == nil {
		return
	}
	for hash, w := range a.o.Witness.logs {
		l := a.f.logs[hash]
		if l == nil {
			l = &logFacts{hash: hash, folder: w.folder, known: w.known}
		}
		if !a.scoped(l) {
			continue
		}
		a.f.logs[hash] = l
		a.seen[hash] = w
		if !a.f.objects {
			continue
		}
		for _, e := range w.entries {
			if l.shows(e) != asSeen {
				a.f.commit(e.commit())
			}
		}
	}
}

// A standing is how an entry that was seen stands now.
type standing int

const (
	asSeen    standing = iota
	uncertain          // could not be read
	notAsSeen          // absent, hidden, or naming another commit
)

// shows compares an entry that was seen with what the log holds.
func (l *logFacts) shows(e seenEntry) standing {
	s := l.at(e.number)
	if s == nil {
		return notAsSeen
	}
	switch v, live := s.live(); {
	case live && v.parsed() && e.named(v.entry.Commit):
		return asSeen
	case live && v.err != nil && !isEntryError(v.err):
		return uncertain
	}
	return notAsSeen
}

// brokenNow says that a commit object which was read whole and right is no longer
// there or no longer right.
func (f *facts) brokenNow(e seenEntry) bool {
	if !e.sound || !f.objects {
		return false
	}
	c := f.commits[e.commit()]
	if c == nil {
		return true // the listing of all objects lacks it
	}
	s := c.state()
	return s == missing || s == deleted || s == corrupt
}

// learn gives the new state of the witness: all that it knew, and what this audit
// saw. What could not be read, and what is out of scope, stays as it was. nil: there
// is no witness, or the logs could not be listed.
func (a *auditor) learn(at time.Time) *Witness {
	if a.o.Witness == nil || a.seen == nil {
		return nil
	}
	out := NewWitness(a.o.Witness.Bucket)
	out.Written = at
	for hash, w := range a.o.Witness.logs {
		out.logs[hash] = w
	}
	for hash, l := range a.f.logs {
		if !a.scoped(l) || l.broken != nil {
			continue
		}
		w := out.logs[hash]
		if w == nil {
			w = &seenLog{hash: hash}
		}
		if w = a.learnLog(l, w, at); len(w.entries) > 0 {
			out.logs[hash] = w
		}
	}
	return out
}

func (a *auditor) learnLog(l *logFacts, was *seenLog, at time.Time) *seenLog {
	w := *was
	if !w.known && l.known {
		w.folder, w.known = l.folder, true
	}
	var now []seenEntry
	for _, s := range slices.Backward(l.slots) {
		if e, ok := a.remembered(s); ok {
			now = append(now, e)
		}
	}
	w.seen, w.entries, w.absent = at, mergeEntries(was.entries, now), nil
	for _, e := range w.entries {
		shows := l.shows(e)
		if shows == asSeen {
			continue
		}
		var x absence
		if _, ok := was.find(e.number); ok {
			x = was.at(e.number)
		}
		if shows == notAsSeen && x.since.IsZero() {
			x.since = at
		}
		w.absent = with(w.absent, e.number, x)
	}
	return &w
}

// remembered gives what a slot is remembered by: nothing where it was not read whole
// or where its versions disagree.
func (a *auditor) remembered(s *slotFacts) (seenEntry, bool) {
	bodies := s.bodies()
	names := s.distinct()
	if len(names) != 1 || !allParsed(bodies) {
		return seenEntry{}, false
	}
	id, ok := binaryID(names[0])
	e := seenEntry{number: s.number, id: id}
	if c := a.f.commits[names[0]]; c != nil && a.f.objects {
		e.sound = c.state() == sound
	}
	return e, ok
}
