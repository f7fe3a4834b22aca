package views

import (
	"sync/atomic"
	"time"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// A commitFile is a file of a commit, and what became of the version that it names.
type commitFile struct {
	commit.File
	state uint32 // a fileState; read aside, so only with load and store
}

// A fileState is what became of a version: its kind, and the day on which a rule
// removes it, in one word, for commits have a million files.
type fileState uint32

// The kinds, the worst first but for the one that is not known.
const (
	notChecked fileState = iota
	versionGone
	versionChanged
	versionMarker
	versionArchived
	versionDeleted  // noncurrent, and its key is deleted
	versionReplaced // noncurrent
	versionLive
	stateKinds
)

const (
	stateKind = 0xf
	stateSure = 1 << 4
	stateDay  = 5 // bits before the day: days since 1970, 0 for none
)

func (f *commitFile) load() fileState   { return fileState(atomic.LoadUint32(&f.state)) }
func (f *commitFile) store(s fileState) { atomic.StoreUint32(&f.state, uint32(s)) }

func (s fileState) kind() fileState { return s & stateKind }
func (s fileState) sure() bool      { return s&stateSure != 0 }

// removed is the day on which a rule removes it; zero: none does.
func (s fileState) removed() time.Time {
	if s>>stateDay == 0 {
		return time.Time{}
	}
	return time.Unix(int64(s>>stateDay)*24*60*60, 0).UTC()
}

// withRemoval adds a day.
func (s fileState) withRemoval(on time.Time, sure bool) fileState {
	days := on.Unix() / (24 * 60 * 60)
	if on.IsZero() || days <= 0 || days >= 1<<(32-stateDay) {
		return s
	}
	if s |= fileState(days) << stateDay; sure {
		s |= stateSure
	}
	return s
}

var stateTexts = [stateKinds]struct {
	tone  ui.Tone
	shown string
	words string // what the filter looks at
}{
	notChecked:      {ui.Unsure, "? not checked", " not checked"},
	versionGone:     {ui.Bad, "✗ gone", " gone damaged"},
	versionChanged:  {ui.Bad, "✗ other bytes", " other bytes damaged"},
	versionMarker:   {ui.Bad, "✗ a marker", " a marker damaged"},
	versionArchived: {ui.Warn, "! archived", " archived"},
	versionDeleted:  {ui.Dim, "○ deleted", " noncurrent deleted"},
	versionReplaced: {ui.Dim, "○ replaced", " noncurrent replaced"},
	versionLive:     {ui.Good, "● live", " live"},
}

// words are what the filter finds a state by.
func (s fileState) words() string {
	w := stateTexts[s.kind()].words
	if t := s.removed(); !t.IsZero() {
		if s.sure() {
			return w + " will be removed " + t.Format(time.DateOnly)
		}
		return w + " may be removed " + t.Format(time.DateOnly)
	}
	return w
}

// rank sorts by state: damage first, then what is not known, then what will be removed.
func (s fileState) rank() int64 {
	k := int64(s.kind())
	switch {
	case s.kind() == notChecked:
		k = int64(versionMarker)
	case s.kind() > versionMarker && !s.removed().IsZero():
		k = int64(versionMarker) + 1
	case s.kind() > versionMarker:
		k++
	}
	return k
}

// draw fills in the two cells of a state. checking says that it may yet be found out.
func (s fileState) draw(checking bool, out *ui.Row) {
	t := stateTexts[s.kind()]
	if s.kind() == notChecked && checking {
		out.Add(ui.Dim, "…")
	} else {
		out.Add(t.tone, t.shown)
	}
	switch on := s.removed(); {
	case on.IsZero():
		out.Add(ui.Plain, "")
	case s.sure():
		out.Add(ui.Warn, "! "+on.Format(time.DateOnly))
	default:
		out.Add(ui.Warn, "~ "+on.Format(time.DateOnly))
	}
}

// A tally counts the states of a commit's files.
type stateTally struct {
	kinds     [stateKinds]int64
	will, may int64     // a rule will, or may, remove them
	from      time.Time // the first day of those that surely go, else of the others
	sure      bool
}

func (t *stateTally) add(s fileState) {
	t.kinds[s.kind()]++
	on := s.removed()
	if on.IsZero() {
		return
	}
	if s.sure() {
		t.will++
	} else {
		t.may++
	}
	if t.from.IsZero() || s.sure() && !t.sure || s.sure() == t.sure && on.Before(t.from) {
		t.from, t.sure = on, s.sure()
	}
}
