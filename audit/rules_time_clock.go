package audit

import (
	"fmt"
	"slices"
	"time"

	"provcat-tui/commit"
)

// clocks finds writers whose clock is off. What one author's clock did in one
// folder has one cause, so it is one finding for each direction.
type clocks struct {
	j       *judge
	related map[instant][]*logFacts // the logs of the commits that have a time
	future  []*timed
	by      map[clockOf]*offClock
	all     []*offClock // in the order of their first commits
}

// A clockOf names what one finding gathers.
type clockOf struct {
	id     string // time-future or time-skewed
	ahead  bool
	log    *logFacts
	author string
}

// An offClock is commits whose times are off by one clock.
type offClock struct {
	clockOf
	commits []*timed
	least   int64 // seconds by which they are off
	most    int64
	// follow counts those that are dated 1 µs after one of the others, by a writer
	// that did the right thing, in this folder or in one above or below it.
	follow int
}

// futureAfter is how far ahead of the bucket's clock, in seconds, a time may be.
const futureAfter = 2

// look judges one commit's time.
func (c *clocks) look(x *timed) {
	if x.at.IsZero() || len(x.slot.distinct()) > 1 {
		return
	}
	if x.at.Unix()-c.now(x) > futureAfter {
		c.future = append(c.future, x)
		return // its clock is ahead, which is told there
	}
	if x.made == never || c.anonymous(x) || c.follows(x) {
		return
	}
	tolerance := c.j.a.o.SkewTolerance
	if ahead := x.at.Unix() - x.made; past(ahead, tolerance) {
		c.note(clockOf{"time-skewed", true, x.log, x.author()}, x, ahead)
	}
	// The writer read its clock before its object was there.
	if behind := min(x.made, x.put) - x.at.Unix(); past(behind, tolerance) {
		c.note(clockOf{"time-skewed", false, x.log, x.author()}, x, behind)
	}
}

// anonymous says that nobody read the commit (its depth, a sample, a refusal), so that
// its author may be the one of another finding: nothing is said of its clock.
func (c *clocks) anonymous(x *timed) bool {
	known := c.j.f.commits[x.id]
	return x.header == nil && (!c.j.f.objects || known == nil || known.state() == unreadable)
}

// now is the bucket's time, at the least, when the entry was listed: it may have
// been written while the audit ran.
func (c *clocks) now(x *timed) int64 {
	now := c.j.a.clock.Unix()
	for _, v := range x.slot.versions {
		if !v.Modified.IsZero() {
			now = max(now, v.Modified.Unix()+1)
		}
	}
	return now
}

// follows says that a commit is dated exactly 1 µs after another one of its
// folder, or of a folder above or below it: its writer's clock was behind that, so
// it says nothing of the clock.
func (c *clocks) follows(x *timed) bool {
	for _, l := range c.related[instantOf(x.at.Add(-time.Microsecond))] {
		if inLine(l.folder, x.log.folder) {
			return true
		}
	}
	return false
}

func (c *clocks) note(k clockOf, x *timed, seconds int64) *offClock {
	o := c.by[k]
	if o == nil {
		o = &offClock{clockOf: k, least: seconds}
		c.by[k] = o
		c.all = append(c.all, o)
	}
	o.commits = append(o.commits, x)
	o.least, o.most = min(o.least, seconds), max(o.most, seconds)
	return o
}

// gatherFuture puts the commits that only follow another one in the future with
// that one: it is to blame for all of them.
func (c *clocks) gatherFuture() {
	slices.SortStableFunc(c.future, func(x, y *timed) int { return x.at.Compare(y.at) })
	type led struct {
		log   *logFacts
		group *offClock // nil: of a commit that nobody read
	}
	leads := map[instant][]led{}
	for _, x := range c.future {
		k, follows := clockOf{"time-future", true, x.log, x.author()}, 0
		told, at := !c.anonymous(x), instantOf(x.at)
		for _, l := range leads[instantOf(x.at.Add(-time.Microsecond))] {
			if inLine(l.log.folder, x.log.folder) {
				if told = l.group != nil; told {
					k, follows = l.group.clockOf, 1
				}
				break
			}
		}
		if !told {
			leads[at] = append(leads[at], led{x.log, nil})
			continue
		}
		o := c.note(k, x, x.at.Unix()-c.now(x))
		o.follow += follows
		leads[at] = append(leads[at], led{x.log, o})
	}
}

// tell makes the findings.
func (c *clocks) tell() {
	c.gatherFuture()
	for _, o := range c.all {
		folder := o.log.folder
		f := Finding{ID: o.id, Severity: Anomaly, Confidence: Likely, Folder: &folder}
		if o.id == "time-future" {
			c.inFuture(o, &f)
		} else {
			c.skewed(o, &f)
		}
		for _, x := range o.commits {
			f.Affected.Commits = append(f.Affected.Commits, x.ref())
			if len(f.Evidence) < maxExamples {
				f.Evidence = append(f.Evidence, x.evidence()...)
			}
		}
		slices.SortFunc(f.Affected.Commits, byNumber)
		if x := o.commits[0]; len(o.commits) == 1 {
			f.Number, f.Commit, f.Key = x.slot.number, x.id, x.slot.key
		}
		f.Fingerprint = fingerprint(Finding{ID: o.id, Key: o.direction() + "\x00" + o.author}, o.log.hash)
		c.j.findings = append(c.j.findings, f)
	}
}

func (o *offClock) direction() string {
	if o.ahead {
		return "ahead of"
	}
	return "behind"
}

// which names the commits of a finding.
func (o *offClock) which() string {
	if len(o.commits) == 1 {
		return fmt.Sprintf("commit %d of %s is", o.commits[0].slot.number, o.log.name())
	}
	where := o.log.name()
	if slices.ContainsFunc(o.commits, func(x *timed) bool { return x.log != o.log }) {
		where += " and of folders above or below it"
	}
	return fmt.Sprintf("%d commits of %s are", len(o.commits), where)
}

// whose names the clock.
func (o *offClock) whose() string {
	if o.author == "" {
		return "the writer's clock"
	}
	return "the clock of " + safeShort(o.author)
}

func (o *offClock) howFar() string {
	if lasting(o.least) == lasting(o.most) {
		return lasting(o.most)
	}
	return lasting(o.least) + " to " + lasting(o.most)
}

func (c *clocks) inFuture(o *offClock, f *Finding) {
	f.Confidence = Certain
	whose := "the bucket's own clock"
	if c.j.f.settings.Clock.IsZero() {
		f.Confidence = Likely
		whose = "this machine's clock (the bucket does not tell its own)"
	}
	last := o.commits[len(o.commits)-1]
	f.Title = fmt.Sprintf("%s dated in the future, %s ahead of %s", o.which(), o.howFar(), whose)
	f.Detail = fmt.Sprintf("The last is dated %s, and %s says %s: %s was ahead, or somebody chose that time.", commit.FormatTime(last.at), whose, commit.FormatTime(c.j.a.clock), o.whose())
	if o.follow > 0 {
		f.Detail += fmt.Sprintf(" %d of them only follow another of them by 1 µs, as a writer does that keeps to the format.", o.follow)
	}
	f.Detail += " Until that time has come, pins of this folder and of those below it give this commit, also where another program commits later with the right time; and provcat-tui refuses to commit there while the time is more than --max-skew (five minutes) ahead."
}

func (c *clocks) skewed(o *offClock, f *Finding) {
	entries := "their log entries"
	if len(o.commits) == 1 {
		entries = "its log entry"
	}
	f.Title = fmt.Sprintf("%s dated %s %s the bucket's time of %s", o.which(), o.howFar(), o.direction(), entries)
	f.Detail = fmt.Sprintf("So %s was %s %s the bucket's, which is more than the tolerance of %s. ", o.whose(), o.howFar(), o.direction(), lasting(int64(c.j.a.o.SkewTolerance/time.Second)))
	if o.ahead {
		f.Detail += "A reader who pins the folder at a time after the entry's and before the commit's gets an older commit, and commits of programs that don't look at this one's time sort before it."
	} else {
		f.Detail += "A reader who pins the folder at a time after the commit's and before the entry's gets a commit that was not there then. An entry and a commit object that were copied to where they are look the same."
	}
}
