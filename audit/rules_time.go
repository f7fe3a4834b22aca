package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/commit"
)

// times judges the order and the clocks of the commits of every log in scope. It
// needs no commit objects: entries repeat the times. Where both are read the
// object's counts.
func (j *judge) times() {
	lines := j.a.timelines()
	var logs []*logFacts
	for _, l := range j.a.inScope() {
		if lines[l.hash] != nil {
			logs = append(logs, l)
		}
	}
	slices.SortFunc(logs, func(x, y *logFacts) int { return strings.Compare(x.folder, y.folder) })
	for _, l := range logs {
		j.backwards(l, lines[l.hash])
	}
	c := &clocks{j: j, related: j.timesOfAll(), by: map[clockOf]*offClock{}}
	for _, l := range logs {
		for _, x := range lines[l.hash] {
			c.look(x)
		}
	}
	c.tell()
	j.pins(logs, lines)
}

// aboutTime says that a kind of finding is one of these.
func aboutTime(id string) bool {
	return strings.HasPrefix(id, "time-") || strings.HasPrefix(id, "pin-")
}

// backwards tells of commits whose time is not after that of the commit before.
func (j *judge) backwards(l *logFacts, line []*timed) {
	at := len(j.findings)
	for i, y := range line {
		if i == 0 || line[i-1].slot.number != y.slot.number-1 {
			continue
		}
		x := line[i-1]
		switch {
		case x.at.IsZero() || y.at.IsZero() || y.at.After(x.at):
			continue
		case len(x.slot.distinct()) > 1 || len(y.slot.distinct()) > 1:
			continue // an entry that was changed: told as such
		case y.header != nil && y.header.Parent != x.id:
			continue // it does not follow: told as log-parent-mismatch
		}
		f := Finding{ID: "time-backwards", Severity: Anomaly, Confidence: Certain, Number: y.slot.number, Commit: y.id, Key: y.slot.key,
			Title:    fmt.Sprintf("commit %d of %s is not dated after commit %d", y.slot.number, l.name(), x.slot.number),
			Evidence: append(y.evidence(), x.evidence()...),
			Affected: Affected{Commits: []CommitRef{y.ref(), x.ref()}}}
		f.Detail = fmt.Sprintf("Commit %d (%s) is dated %s, and commit %d before it (%s) %s. ", y.slot.number, by(y), commit.FormatTime(y.at), x.slot.number, by(x), commit.FormatTime(x.at))
		if y.at.Equal(x.at) {
			f.Detail += "At equal times a pin takes the higher number, so readers get the right one. "
		} else {
			f.Detail += fmt.Sprintf("The numbers of a log cannot be wrong, but a pin goes by time: readers who pin the folder get commit %d or another one instead of commit %d. ", x.slot.number, y.slot.number)
		}
		f.Detail += "A writer that keeps to the format dates its commit after all it can see: another program wrote one of the two."
		j.add(l, f)
	}
	j.findings = append(j.findings[:at], gathered(j.findings[at:], l.hash)...)
}

// gathered makes one finding of more than maxExamples in one log. Each of fs is
// about one commit.
func gathered(fs []Finding, hash string) []Finding {
	if len(fs) <= maxExamples {
		return fs
	}
	for i := range fs {
		fs[i].Affected.Commits = nil // together lists them
	}
	return together(fs, hash)
}

// by names a commit's author in a sentence.
func by(x *timed) string {
	if a := x.author(); a != "" {
		return "by " + safeShort(a)
	}
	return commit.ShortID(x.id)
}

// An instant is a time that can be compared, to the microsecond.
type instant struct {
	second int64
	micro  int
}

func instantOf(t time.Time) instant { return instant{t.Unix(), t.Nanosecond() / 1000} }

// timesOfAll gives, by their times, the folders of all commits that any version of
// any entry names, those out of scope and deleted ones too: a writer may have seen
// them.
func (j *judge) timesOfAll() map[instant][]*logFacts {
	out := map[instant][]*logFacts{}
	for _, l := range j.f.logs {
		if !l.known {
			continue
		}
		note := func(t time.Time) {
			if i := instantOf(t); !t.IsZero() && !slices.Contains(out[i], l) {
				out[i] = append(out[i], l)
			}
		}
		for _, s := range l.slots {
			for _, v := range s.versions {
				if !v.parsed() {
					continue
				}
				note(v.entry.Time)
				if c := j.f.commits[v.entry.Commit]; c != nil && c.header != nil {
					note(c.header.Time)
				}
			}
		}
	}
	return out
}

// inLine says whether one folder is the other, or lies above it.
func inLine(a, b string) bool {
	return a == b || strings.HasPrefix(a, commit.KeyPrefix(b)) || strings.HasPrefix(b, commit.KeyPrefix(a))
}

// lasting is a length of time for people.
func lasting(seconds int64) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	switch seconds = max(seconds, -seconds); {
	case seconds >= 2*365*day:
		return count(seconds/(365*day), "year")
	case seconds >= 2*day:
		return count(seconds/day, "day")
	case seconds >= 2*hour:
		return count(seconds/hour, "hour")
	case seconds >= 2*minute:
		return count(seconds/minute, "minute")
	}
	return count(seconds, "second")
}

// byNumber orders commits for a list.
func byNumber(x, y CommitRef) int {
	return cmp.Or(strings.Compare(x.Folder, y.Folder), cmp.Compare(x.Number, y.Number), strings.Compare(x.ID, y.ID))
}
