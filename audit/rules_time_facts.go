package audit

import (
	"cmp"
	"math"
	"slices"
	"time"

	"provcat-tui/commit"
)

// A timed is a live log entry with what is known of its times. Seconds are Unix
// seconds: times that come from a bucket may lie in any year from 1 to 9999, and
// differences of them don't fit a time.Duration.
type timed struct {
	log    *logFacts
	slot   *slotFacts
	id     string
	header *commit.Header // nil: the commit object was not read, or is not sound
	at     time.Time      // the commit's own time; zero: unknown
	// made is the second in which the bucket created the entry, and put that in
	// which it created the commit object; never: unknown.
	made, put int64
	// began is the second after which, at the latest, the writer read what others
	// had committed; never: unknown.
	began int64
}

const (
	never  = math.MinInt64
	margin = 2 // seconds: a bucket's times are whole seconds, by more than one clock
)

// after says that a was certainly committed after b: the numbers of one log say
// so, and across logs the bucket's own times. There it counts when the writer
// looked at the logs, not when its entry was there: a writer that was at work
// while the other's entry came had no way to see it, and neither is first.
func (a *timed) after(b *timed) bool {
	if a.log == b.log {
		return a.slot.number > b.slot.number
	}
	return a.began != never && b.made != never && a.began-b.made > margin
}

// timelines gives the live entries of every log, in ascending order of number. A
// log that could not be read whole a second time, or whose folder is not known,
// has none.
func (a *auditor) timelines() map[string][]*timed {
	out := map[string][]*timed{}
	var all []*timed
	for hash, l := range a.f.logs {
		if l.broken != nil || !l.known {
			continue
		}
		line := a.timeline(l)
		out[hash] = line
		all = append(all, line...)
	}
	a.doubtCopies(all)
	for _, x := range all {
		x.begin(a.o.SkewTolerance)
	}
	return out
}

func (a *auditor) timeline(l *logFacts) []*timed {
	var out []*timed
	soonest := int64(math.MaxInt64) // at which a higher entry was made
	for _, s := range l.slots {
		v, ok := s.live()
		if !ok || !v.parsed() {
			continue
		}
		x := &timed{log: l, slot: s, id: v.entry.Commit, at: v.entry.Time, made: never, put: never, began: never}
		if c := a.f.commits[x.id]; c != nil {
			if c.header != nil && c.state() == sound {
				if c.header.Folder != l.folder {
					continue // misfiled: a commit of another folder
				}
				x.header, x.at = c.header, c.header.Time
			}
			if n := len(c.versions); n > 0 && !c.versions[n-1].DeleteMarker {
				x.put = second(c.versions[n-1].Modified)
			}
		}
		x.made = x.created()
		// An entry is only made once the one below it is there. One that is younger
		// was made a second time, after its first version had been removed.
		if x.made != never && x.made > soonest && x.made-soonest > margin {
			x.made = never
		}
		if x.made != never {
			soonest = min(soonest, x.made)
		}
		out = append(out, x)
	}
	slices.Reverse(out)
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(x *timed) bool {
		again := seen[x.id] // told as log-commit-repeated
		seen[x.id] = true
		return again
	})
}

// created is when the bucket created the entry: the time of its earliest version.
// It is not known where a marker lies under all that is left, or the versions name
// several commits. One that was removed and made again alone is younger than its
// commit object, whose time then tells more.
func (x *timed) created() int64 {
	vs := x.slot.versions
	first := vs[len(vs)-1]
	if first.DeleteMarker || len(x.slot.distinct()) > 1 || x.slot.unread() != nil || x.put == never {
		return never
	}
	return second(first.Modified)
}

// copySpan is how close to each other, in seconds, a tool that puts a log back
// writes its entries.
const copySpan = 10

// doubtCopies drops the bucket's times where many entries were plainly written in
// one go: neighbours by the bucket's times that are late by amounts far apart. A
// clock that is slow is so by one amount; entries that were copied to where they
// are have one time for all of them.
func (a *auditor) doubtCopies(all []*timed) {
	late := func(x *timed) int64 { return x.made - x.at.Unix() }
	behind := slices.DeleteFunc(slices.Clone(all), func(x *timed) bool {
		return x.made == never || x.at.IsZero() || !past(late(x), a.o.SkewTolerance)
	})
	slices.SortFunc(behind, func(x, y *timed) int { return cmp.Compare(x.made, y.made) })
	doubted, end := false, int64(0) // of the group before
	for len(behind) > 0 {
		first := behind[0]
		n, least, most := 0, late(first), late(first)
		for n < len(behind) && behind[n].made-first.made <= copySpan {
			least, most = min(least, late(behind[n])), max(most, late(behind[n]))
			n++
		}
		last := behind[n-1].made
		doubted = past(most-least, a.o.SkewTolerance) || doubted && first.made-end <= copySpan
		for _, x := range behind[:n] {
			if doubted {
				x.made = never
			}
		}
		behind, end = behind[n:], last
	}
}

// past says that a difference in seconds is larger than a tolerance.
func past(seconds int64, tolerance time.Duration) bool {
	return seconds > int64(tolerance/time.Second)
}

// begin finds when the writer looked at what others had committed: when it read
// its clock, if that clock agrees with the bucket's, and else when its commit
// object was there.
func (x *timed) begin(tolerance time.Duration) {
	if x.made == never || x.put == never || x.at.IsZero() {
		return
	}
	x.began = min(x.put, x.made)
	if t := x.at.Unix(); t < x.began && !past(x.began-t, tolerance) {
		x.began = t
	}
}

// second gives a time in whole seconds.
func second(t time.Time) int64 {
	if t.IsZero() {
		return never
	}
	return t.Unix()
}

// ref names the commit.
func (x *timed) ref() CommitRef {
	return CommitRef{Folder: x.log.folder, Number: x.slot.number, ID: x.id}
}

// author of the commit; empty: unknown, or none.
func (x *timed) author() string {
	if x.header == nil {
		return ""
	}
	return x.header.Author
}

// evidence is the entry's versions, and the commit's own time.
func (x *timed) evidence() []Evidence {
	out := slotEvidence(x.slot)
	for i := range out {
		if !x.at.IsZero() && !out[i].DeleteMarker {
			out[i].Note += ", whose own time is " + commit.FormatTime(x.at)
		}
	}
	return out
}
