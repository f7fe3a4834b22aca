package audit

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"provcat-tui/commit"
)

// A lineup is one log's commits in order of time, with what tells quickly whether
// a commit of another log is out of order with any of them. Those whose time is
// unknown are not in it.
type lineup struct {
	line    []*timed // ascending time, at equal times ascending number
	latest  []int64  // the largest began of line[:i+1]; never: none is known
	first   []int64  // the smallest made of line[i:]; MaxInt64: none is known
	tangled bool     // a higher number has an earlier time
	doubt   bool     // the log has live entries that could not be read, or whose time is unknown
}

func newLineup(l *logFacts, line []*timed) *lineup {
	u := &lineup{doubt: l.unsure()}
	var newest *timed
	for _, x := range line {
		if x.at.IsZero() {
			u.doubt = true
			continue
		}
		u.tangled = u.tangled || newest != nil && x.at.Before(newest.at)
		if newest == nil || x.at.After(newest.at) {
			newest = x
		}
		u.line = append(u.line, x)
	}
	slices.SortStableFunc(u.line, func(x, y *timed) int { return x.at.Compare(y.at) })
	u.latest, u.first = make([]int64, len(u.line)), make([]int64, len(u.line))
	last, soonest := int64(never), int64(math.MaxInt64)
	for i, x := range u.line {
		last = max(last, x.began)
		u.latest[i] = last
	}
	for i, x := range slices.Backward(u.line) {
		if x.made != never {
			soonest = min(soonest, x.made)
		}
		u.first[i] = soonest
	}
	return u
}

// out says that a commit of another log is out of order with one of the lineup:
// the one is certainly later, and the other has the later time.
func (u *lineup) out(x *timed) bool {
	older := sort.Search(len(u.line), func(i int) bool { return !u.line[i].at.Before(x.at) })
	if older > 0 && x.made != never && u.latest[older-1] != never && u.latest[older-1]-x.made > margin {
		return true
	}
	newer := sort.Search(len(u.line), func(i int) bool { return u.line[i].at.After(x.at) })
	return newer < len(u.line) && x.began != never && u.first[newer] != math.MaxInt64 && x.began-u.first[newer] > margin
}

// tied gives a commit of the lineup with exactly this time; nil: there is none.
func (u *lineup) tied(x *timed) *timed {
	i := sort.Search(len(u.line), func(i int) bool { return u.line[i].at.After(x.at) })
	if i > 0 && u.line[i-1].at.Equal(x.at) && u.line[i-1].id != x.id {
		return u.line[i-1]
	}
	return nil
}

// A pinFinding is a finding about one folder's pin, and the commit that it shares
// with other folders' findings: the one that lies further up.
type pinFinding struct {
	Finding
	shared *timed
}

// pins judges the order across folders, which rests on times alone. Every folder
// that has a log of its own is looked at with all folders above it; what only
// those have between themselves is told of them.
func (j *judge) pins(logs []*logFacts, lines map[string][]*timed) {
	lineups := map[string]*lineup{}
	of := func(folder string) *lineup {
		hash := commit.FolderHash(folder)
		l := j.f.logs[hash]
		if l == nil || lines[hash] == nil && l.broken == nil {
			return nil
		}
		if lineups[hash] == nil {
			lineups[hash] = newLineup(l, lines[hash])
			lineups[hash].doubt = lineups[hash].doubt || l.broken != nil
		}
		return lineups[hash]
	}
	var ties, spans []pinFinding
	for _, l := range logs {
		own := of(l.folder)
		chain := []*lineup{own}
		for _, above := range commit.Ancestors(l.folder) {
			if u := of(above); u != nil {
				chain = append(chain, u)
			}
		}
		out := own.tangled
		var pairs [][2]*timed
		for _, x := range own.line {
			for _, u := range chain[1:] {
				out = out || u.out(x)
				if y := u.tied(x); y != nil {
					pairs = append(pairs, [2]*timed{x, y})
				}
			}
		}
		if len(pairs) > 0 {
			ties = append(ties, j.pinTied(l, pairs))
		}
		if out {
			spans = append(spans, j.misordered(l, chain)...)
		}
	}
	j.keepPins(ties)
	j.keepPins(spans)
}

// keepPins keeps findings about pins. One commit that is out of order with those
// of many folders below it is one cause.
func (j *judge) keepPins(fs []pinFinding) {
	shared := map[*timed]int{}
	for _, f := range fs {
		shared[f.shared]++
	}
	at := map[*timed]int{} // index in findings
	for _, f := range fs {
		n := shared[f.shared]
		if n <= maxExamples {
			j.findings = append(j.findings, f.Finding)
			continue
		}
		i, seen := at[f.shared]
		if !seen {
			i = len(j.findings)
			at[f.shared] = i
			x := f.shared
			folder := x.log.folder
			g := f.Finding
			g.Title = fmt.Sprintf("%d pins like this, all with commit %d of %s: %s", n, x.slot.number, x.log.name(), f.Title)
			g.Detail = fmt.Sprintf("Commit %d of %s is in each of them; the others are listed under the commits. Of the first: %s", x.slot.number, x.log.name(), f.Detail)
			g.Folder, g.Number, g.Commit, g.Key = &folder, x.slot.number, x.id, x.slot.key
			g.Affected.Commits = nil
			g.Fingerprint = fingerprint(g, x.log.hash)
			j.findings = append(j.findings, g)
		}
		g := &j.findings[i]
		g.Affected.Commits = append(g.Affected.Commits, f.Affected.Commits...)
		if seen && len(g.Evidence) < maxExamples {
			g.Evidence = append(g.Evidence, f.Evidence...)
		}
	}
	for _, i := range at {
		list := j.findings[i].Affected.Commits
		slices.SortFunc(list, byNumber)
		j.findings[i].Affected.Commits = slices.Compact(list)
	}
}

// pinTied tells of commits of a folder that have the time of a commit above it.
func (j *judge) pinTied(l *logFacts, pairs [][2]*timed) pinFinding {
	x, y := pairs[0][0], pairs[0][1]
	f := Finding{ID: "pin-tied", Severity: Anomaly, Confidence: Certain, Evidence: append(x.evidence(), y.evidence()...)}
	f.Title = fmt.Sprintf("commit %d of %s and commit %d of %s have one time, %s", x.slot.number, l.name(), y.slot.number, y.log.name(), commit.FormatTime(x.at))
	f.Detail = fmt.Sprintf("At equal times the folder above counts as newer, so a pin of %s takes commit %d of %s.", l.name(), y.slot.number, y.log.name())
	switch {
	case x.after(y):
		f.Detail += fmt.Sprintf(" By the bucket's own times it is the older of the two: commit %d of %s was written later.", x.slot.number, l.name())
	case y.after(x):
		f.Detail += " By the bucket's own times it is the newer, so the pin is right."
	default:
		f.Detail += " Which of them was written first the bucket's own times don't tell."
	}
	if n := len(pairs); n > 1 {
		f.Detail += fmt.Sprintf(" There are %d such pairs; all are listed.", n)
	}
	f.Detail += " A writer that keeps to the format dates its commit after all it can see, so this takes two writers in the same microsecond, or another program."
	for _, p := range pairs {
		f.Affected.Commits = append(f.Affected.Commits, p[0].ref(), p[1].ref())
	}
	slices.SortFunc(f.Affected.Commits, byNumber)
	f.Affected.Commits = slices.Compact(f.Affected.Commits)
	return pinFinding{j.pinOf(l, f, ""), y}
}

// pinOf completes a finding about a folder's pin; key is what it is about.
func (j *judge) pinOf(l *logFacts, f Finding, key string) Finding {
	folder := l.folder
	f.Folder = &folder
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: key}, l.hash)
	return f
}

// depth is how far down a folder lies.
func depth(folder string) int {
	if folder == "" {
		return 0
	}
	return 1 + strings.Count(folder, "/")
}
