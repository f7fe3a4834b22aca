package audit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"provcat-tui/commit"
)

// When a pin is out of order. Take all commits of a folder and of the folders
// above it whose time is known.
//
// With a time T a pin is the newest by time of those at or before T. It is out of
// order when another one of those at or before T was certainly committed after it
// (timed.after). What the pin gives changes only at the times of commits, so this
// holds for spans [from, to) from one commit's time to the next one's.
//
// Without T a reader gets the newest by time of those whose entries exist when it
// reads, and that is out of order when another of those was certainly committed
// after it. This holds from the moment at which that other entry was made until an
// entry with a newer time came; both by the bucket's clock.
//
// Every pin without T that is out of order is so with T as well, at the time of the
// commit that it gives (unless another has the same time). So the spans of T are
// the findings, one for each row of spans that follow each other, and each says
// what readers without T got. A difference between a commit's time and the
// bucket's alone is no disorder: that is time-skewed.

// A disorder is a span of T in which a pin gives a commit though another one was
// committed after it, and what readers without T got meanwhile.
type disorder struct {
	from, to time.Time // to zero: no end
	given    []*timed  // what the pin gives, in order of time
	later    []*timed  // for each, the last that was committed after it
	// now is whether readers without T were given one of them, and from when to
	// when, by the bucket's clock; nowTo never: they still are.
	now            bool
	nowFrom, nowTo int64
}

// newerThan is the order of pins: by time, then the folder above, in one log the
// higher number.
func newerThan(x, y *timed) int {
	return cmp.Or(x.at.Compare(y.at), cmp.Compare(depth(y.log.folder), depth(x.log.folder)), cmp.Compare(x.slot.number, y.slot.number))
}

// disorders finds the spans of a folder's pin that are out of order, of which
// either commit is the folder's own. all are the commits of the folder and of those
// above it.
func disorders(own *logFacts, all []*timed) []disorder {
	all = slices.Clone(all)
	slices.SortFunc(all, newerThan)
	var out []disorder
	open := false
	last := map[*logFacts]*timed{}  // of those with earlier times: the one that began last
	above := map[*logFacts]*timed{} // and the one with the highest number
	counted := 0                    // all[:counted] are in them
	for i, x := range all {
		if i+1 < len(all) && all[i+1].at.Equal(x.at) {
			continue // no pin gives it
		}
		for ; counted < i && all[counted].at.Before(x.at); counted++ {
			y := all[counted]
			if z := last[y.log]; z == nil || y.began > z.began {
				last[y.log] = y
			}
			if z := above[y.log]; z == nil || y.slot.number > z.slot.number {
				above[y.log] = y
			}
		}
		var later *timed
		for l, y := range last {
			if l == x.log {
				y = above[l]
			}
			if x.log != own && y.log != own || !y.after(x) {
				continue
			}
			if later == nil || y.made > later.made || y.made == later.made && newerThan(y, later) > 0 {
				later = y
			}
		}
		if later == nil {
			open = false
			continue
		}
		if !open {
			out = append(out, disorder{from: x.at})
			open = true
		}
		d := &out[len(out)-1]
		d.given, d.later, d.to = append(d.given, x), append(d.later, later), time.Time{}
		if i+1 < len(all) {
			d.to = all[i+1].at
		}
	}
	if len(out) > 0 {
		readNow(own, all, out)
	}
	return out
}

// readNow finds what readers without a time got. Entries of which it is not known
// when they were made are taken to have been there always: then they hide others,
// and nothing is said that may be wrong.
func readNow(own *logFacts, all []*timed, ds []disorder) {
	of := map[*timed]*disorder{}
	for i := range ds {
		for _, x := range ds[i].given {
			of[x] = &ds[i]
		}
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(x, y *timed) int {
		return cmp.Or(cmp.Compare(x.made, y.made), cmp.Compare(x.slot.number, y.slot.number))
	})
	var pin *timed
	var during *disorder // in which readers are
	for len(order) > 0 {
		n := 1 // made in one second
		for n < len(order) && order[n].made == order[0].made {
			n++
		}
		came := order[:n]
		order = order[n:]
		best := slices.MaxFunc(came, newerThan)
		if pin == nil || newerThan(best, pin) > 0 {
			pin = best
			if during != nil {
				during.nowTo = best.made
				during = nil
			}
		}
		d := of[pin]
		if d == nil || during != nil || came[0].made == never {
			continue
		}
		if slices.ContainsFunc(came, func(y *timed) bool { return (pin.log == own || y.log == own) && y.after(pin) }) {
			during = d
			d.nowTo = never
			if !d.now {
				d.now, d.nowFrom = true, came[0].made
			}
		}
	}
}

// misordered tells of the spans in which a folder's pin is out of order.
func (j *judge) misordered(l *logFacts, chain []*lineup) []pinFinding {
	var all []*timed
	doubt := false
	for _, u := range chain {
		all = append(all, u.line...)
		doubt = doubt || u.doubt
	}
	var out []pinFinding
	for _, d := range disorders(l, all) {
		x, y := d.given[0], d.later[0]
		f := Finding{ID: "pin-misordered", Severity: Risk, Confidence: Likely, Commit: x.id, Key: x.slot.key,
			Evidence: append(x.evidence(), y.evidence()...)}
		if x.log == y.log {
			f.Confidence = Certain // numbers cannot be wrong
		}
		if doubt {
			f.Confidence = Possible
		}
		if x.log == l {
			f.Number = x.slot.number
		}
		f.Title = fmt.Sprintf("for some time the pin of %s is commit %d of %s, though commit %d of %s was committed later",
			l.name(), x.slot.number, x.log.name(), y.slot.number, y.log.name())
		f.Detail = d.text(l)
		if doubt {
			f.Detail += " Some commits of these folders could not be read, or have no known time: they may change it."
		}
		for i := range d.given {
			f.Affected.Commits = append(f.Affected.Commits, d.given[i].ref(), d.later[i].ref())
		}
		slices.SortFunc(f.Affected.Commits, byNumber)
		f.Affected.Commits = slices.Compact(f.Affected.Commits)
		shared := x
		if depth(y.log.folder) < depth(x.log.folder) {
			shared = y
		}
		out = append(out, pinFinding{j.pinOf(l, f, x.id), shared})
	}
	return out
}

func (d disorder) text(l *logFacts) string {
	x, y := d.given[0], d.later[0]
	when := "at " + commit.FormatTime(d.from) + " or any later time"
	if !d.to.IsZero() {
		when = "at a time from " + commit.FormatTime(d.from) + " until before " + commit.FormatTime(d.to)
	}
	s := fmt.Sprintf("A reader who pins %s %s gets commit %d of %s (%s, dated %s)", l.name(), when, x.slot.number, x.log.name(), by(x), commit.FormatTime(x.at))
	switch n := len(d.given) - 1; {
	case n == 1:
		s += " or another one dated after it"
	case n > 1:
		s += fmt.Sprintf(" or one of %d others dated after it", n)
	}
	s += fmt.Sprintf(", though commit %d of %s (%s, dated %s) was committed later", y.slot.number, y.log.name(), by(y), commit.FormatTime(y.at))
	if x.log == y.log {
		s += ", as the numbers of the log say."
	} else {
		s += fmt.Sprintf(": by the bucket's clock at %s, and the other at %s.", bucketTime(y.made), bucketTime(x.made))
	}
	switch {
	case !d.now:
		s += " Readers who gave no time were not affected, as far as the bucket's times tell."
	case d.nowTo == never:
		s += fmt.Sprintf(" Readers who give no time have got the same since %s by the bucket's clock, and still do. A new commit of %s ends it.", bucketTime(d.nowFrom), l.name())
	default:
		s += fmt.Sprintf(" Readers who gave no time got the same from %s until at the latest %s by the bucket's clock.", bucketTime(d.nowFrom), bucketTime(d.nowTo))
	}
	return s
}

// bucketTime writes one of a bucket's times: whole seconds.
func bucketTime(second int64) string {
	if second == never {
		return "a time that is not known"
	}
	return time.Unix(second, 0).UTC().Format("2006-01-02T15:04:05Z")
}
