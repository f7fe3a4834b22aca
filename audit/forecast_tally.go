package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// What is foretold.
const (
	willExpire  = "expire"
	willArchive = "archive"
	archivedNow = "archived" // is so already
)

const inATier = "a read of it says that it is archived"

// A tallyID is what one finding of the forecast is about.
type tallyID struct {
	what   string
	folder string
	rule   int  // index into the rules
	sure   bool // else it may happen
}

const (
	// maxRuns bounds the runs of commits that are kept before they are spread out.
	maxRuns = 1 << 14
	// A schedule reaches this far; what is due later is only counted.
	scheduleYears = 10
)

// A tally counts versions, in memory that doesn't grow with their number.
type tally struct {
	versions int64
	overdue  int64 // due already
	live     int64 // that a rule hides under a marker first
	due      time.Time
	weeks    map[int64]int64 // by the Unix time of their Monday
	// The earliest date of each commit that names one of the versions: runs as the
	// refs have them, and once these are many, commit by commit.
	runs     map[run]time.Time
	commits  map[int32]time.Time
	examples []example // the earliest, in order
	// Why it is not sure, by versions.
	tags, locks, small, store int64
}

type example struct {
	due time.Time
	Evidence
}

func newTally() *tally {
	return &tally{due: noDate, weeks: map[int64]int64{}, runs: map[run]time.Time{}, commits: map[int32]time.Time{}}
}

// add counts one version, due at a moment (noDate: it is so already).
func (t *tally) add(x *forecast, n named, v bucket.Version, due time.Time, note string) {
	t.versions++
	t.due = earlier(t.due, due)
	if !due.After(x.a.clock) {
		t.overdue++
	}
	if week, ok := x.week(due); ok {
		t.weeks[week]++
	}
	for i := n.first; i < n.end; i++ {
		for _, u := range x.r.at(i).runs {
			if was, ok := t.runs[u]; !ok || due.Before(was) {
				t.runs[u] = due
			}
		}
	}
	if len(t.runs) > maxRuns {
		t.spread(x.r)
	}
	if note == "" {
		note = "due " + due.Format(time.DateOnly)
	}
	t.example(example{due, evidence(v, note)})
}

// week gives the Monday of what is due, for the schedule. What is overdue goes any
// day now: it is counted in this week.
func (x *forecast) week(due time.Time) (int64, bool) {
	if due.After(x.a.clock.AddDate(scheduleYears, 0, 0)) {
		return 0, false
	}
	return monday(later(due, x.a.clock)).Unix(), true
}

// monday is the first moment of a time's week, UTC.
func monday(t time.Time) time.Time {
	d := t.UTC().Truncate(day)
	return d.AddDate(0, 0, -(int(d.Weekday())+6)%7)
}

func (t *tally) example(e example) {
	order := func(a, b example) int {
		return cmp.Or(a.due.Compare(b.due), strings.Compare(a.Key, b.Key), strings.Compare(a.Version, b.Version))
	}
	at, _ := slices.BinarySearchFunc(t.examples, e, order)
	if at >= maxExamples {
		return
	}
	if t.examples = slices.Insert(t.examples, at, e); len(t.examples) > maxExamples {
		t.examples = t.examples[:maxExamples]
	}
}

// spread notes the dates of the runs commit by commit.
func (t *tally) spread(r *refs) {
	for u, due := range t.runs {
		for i := u.first; i <= u.last; i++ {
			if was, ok := t.commits[i]; r.commits[i].ok && (!ok || due.Before(was)) {
				t.commits[i] = due
			}
		}
	}
	clear(t.runs)
}

func (t *tally) merge(r *refs, u *tally) {
	t.versions += u.versions
	t.overdue += u.overdue
	t.live += u.live
	t.due = earlier(t.due, u.due)
	for week, n := range u.weeks {
		t.weeks[week] += n
	}
	t.spread(r)
	u.spread(r)
	for i, due := range u.commits {
		if was, ok := t.commits[i]; !ok || due.Before(was) {
			t.commits[i] = due
		}
	}
	for _, e := range u.examples {
		t.example(e)
	}
	t.tags += u.tags
	t.locks += u.locks
	t.small += u.small
	t.store += u.store
}

// affected tells what a tally counted, the commits that break first at the head.
func (t *tally) affected(x *forecast) Affected {
	t.spread(x.r)
	out := Affected{Versions: t.versions}
	first := map[int64]int64{} // commits that break, by week
	for i, due := range t.commits {
		c := x.r.commits[i].CommitRef
		if due.Before(noDate) {
			c.Due = &due
			if week, ok := x.week(due); ok {
				first[week]++
			}
		}
		out.Commits = append(out.Commits, c)
	}
	sortByDue(out.Commits)
	for _, e := range t.examples {
		out.Examples = append(out.Examples, e.Evidence)
	}
	out.Schedule = schedule(t.weeks, first)
	return out
}

// sortByDue puts the commits that break first at the head.
func sortByDue(list []CommitRef) {
	slices.SortFunc(list, func(a, b CommitRef) int {
		if a.Due != nil && b.Due != nil && !a.Due.Equal(*b.Due) {
			return a.Due.Compare(*b.Due)
		}
		return cmp.Or(strings.Compare(a.Folder, b.Folder), cmp.Compare(a.Number, b.Number), strings.Compare(a.ID, b.ID))
	})
}

func schedule(versions, commits map[int64]int64) []Week {
	var out []Week
	for week, n := range versions {
		out = append(out, Week{Monday: time.Unix(week, 0).UTC().Format(time.DateOnly), Versions: n, Commits: commits[week]})
	}
	slices.SortFunc(out, func(a, b Week) int { return strings.Compare(a.Monday, b.Monday) })
	return out
}
