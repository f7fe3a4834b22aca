package audit

import (
	"slices"
	"sort"
	"time"

	"provcat-tui/bucket"
)

// A dueSpan is when rules do something to a version: not before earliest, and surely
// at latest. Both are moments from which a rule acts; the store may take days
// longer. Equal: it is certain. noDate: it may, or will, not happen.
type dueSpan struct {
	earliest, latest time.Time
	rule, lastRule   int // indexes of the rules that make them
}

var nothing = dueSpan{earliest: noDate, latest: noDate}

func (s dueSpan) certain() bool { return s.earliest.Equal(s.latest) }

// add takes in what one rule does: the first of several rules acts.
func (s *dueSpan) add(earliest, latest time.Time, rule int) {
	if earliest.Before(s.earliest) {
		s.earliest, s.rule = earliest, rule
	}
	if latest.Before(s.latest) {
		s.latest, s.lastRule = latest, rule
	}
}

// A fate is what rules do to one version.
type fate struct {
	hidden   dueSpan // a live version gets a delete marker over it: commits still read it
	gone     dueSpan // permanently deleted
	archived dueSpan // moved to a class that can't be read at once
}

// known is what was read of a version besides the listing.
type known struct {
	tags       map[string]string  // nil: unknown
	protection *bucket.Protection // nil: unknown, if the bucket can protect versions
}

// A lifecycle foretells what the rules of a bucket do to the versions of a key. It
// assumes that nobody writes to the key, that rules and settings stay as they are,
// and that each version became noncurrent when the one listed above it was made: one
// between that somebody has removed for good is in no listing, and would have
// started the clock earlier.
type lifecycle struct {
	rules      []bucket.Rule
	versioning bucket.Versioning // VersioningUnknown: not known
	locks      bool              // versions may be protected by object lock
	now        time.Time
}

// A foretelling is one key's, worked from the newest version down: what happens to
// a version depends on its own rules and on how many newer ones are left.
type foretelling struct {
	*lifecycle
	vs    []bucket.Version
	fates []fate
	bared dueSpan // when the live version becomes noncurrent, under a delete marker
	// Of the noncurrent versions so far, in descending order: the last moments of
	// all, markers too, and the first moments of those that are no markers. Whether
	// markers count among the versions that a rule keeps is not documented.
	lasts, firsts []time.Time
	bodies        []int // indexes of those that are no markers, the live one first
	keeps         bool  // a rule counts newer versions
	null          int   // the place of the null version; none: the number of versions
}

// foretell says what happens to each of a key's versions, newest first. what gives
// what is known of the i-th.
func (l *lifecycle) foretell(vs []bucket.Version, what func(i int) known) []fate {
	f := &foretelling{lifecycle: l, vs: vs, fates: make([]fate, len(vs)), bared: nothing, null: len(vs)}
	if n := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == bucket.NullID }); n >= 0 {
		f.null = n
	}
	for _, r := range l.rules {
		f.keeps = f.keeps || r.NewerNoncurrent > 0
		for _, t := range r.Transitions {
			f.keeps = f.keeps || t.NewerNoncurrent > 0
		}
	}
	for i := range vs {
		k := known{}
		if !vs[i].DeleteMarker {
			k = what(i)
		}
		x := &f.fates[i]
		*x = fate{nothing, nothing, nothing}
		if i == 0 {
			f.live(x, k)
		} else {
			x.gone = f.trimmed(i, k)
			f.replaced(i, x, k)
		}
		f.archive(i, x, k)
		f.count(i, x)
	}
	return f.fates
}

// at is the first midnight at which something due at t can happen: what is overdue
// happens at the next one.
func (l *lifecycle) at(t time.Time) time.Time { return later(t, midnight(l.now, 0)) }

// guard gives the moments from which protection lets go of a version.
func (l *lifecycle) guard(k known) (earliest, latest time.Time) {
	switch p := k.protection; {
	case !l.locks:
	case p == nil:
		return time.Time{}, noDate
	case p.LegalHold:
		return noDate, noDate
	case !p.RetainUntil.IsZero():
		t := midnight(p.RetainUntil, 0)
		return t, t
	}
	return time.Time{}, time.Time{}
}

// live foretells the newest version. Under versioning its expiration lays a delete
// marker over it; it is then noncurrent, and only a rule for those removes it. A
// marker has no body, and if it is alone no commit minds its removal.
func (f *foretelling) live(x *fate, k known) {
	v := f.vs[0]
	if v.DeleteMarker {
		return
	}
	due := nothing
	for n, r := range f.rules {
		c := reach(r, v, k.tags)
		if c == no || !expires(r) {
			continue
		}
		t := expiryDate(r, v)
		if v.Modified.IsZero() { // the store told no time: any is possible
			t, c = f.now, maybe
		}
		due.add(t, surely(c, t), n)
	}
	first, last := f.guard(k)
	destroyed := due
	destroyed.earliest, destroyed.latest = later(due.earliest, first), later(due.latest, last)
	switch null := v.ID == bucket.NullID; {
	case f.versioning == bucket.VersioningOff || f.versioning == bucket.VersioningUnsupported || f.versioning == bucket.VersioningSuspended && null:
		x.gone = destroyed
		return
	case f.versioning == bucket.VersioningUnknown && null:
		destroyed.latest = noDate
		x.gone, x.hidden, f.bared = destroyed, due, due
		x.hidden.latest, f.bared.latest = noDate, noDate
	default:
		x.hidden, f.bared = due, due
	}
	gone := f.trimmed(0, k)
	x.gone.add(gone.earliest, noDate, gone.rule)
	x.gone.add(noDate, gone.latest, gone.lastRule)
}

func surely(c chance, t time.Time) time.Time {
	if c == yes {
		return t
	}
	return noDate
}

// replaced foretells a noncurrent null version: under suspended versioning the
// delete marker over the live version has its ID and takes its place.
func (f *foretelling) replaced(i int, x *fate, k known) {
	if f.vs[i].ID != bucket.NullID || f.versioning == bucket.VersioningEnabled || f.versioning == bucket.VersioningOff {
		return
	}
	first, last := f.guard(k)
	sure := later(f.bared.latest, last)
	if f.versioning != bucket.VersioningSuspended {
		sure = noDate
	}
	x.gone.add(later(f.bared.earliest, first), noDate, f.bared.rule)
	x.gone.add(noDate, sure, f.bared.lastRule)
}

// trimmed foretells when rules for noncurrent versions remove the i-th.
func (f *foretelling) trimmed(i int, k known) dueSpan {
	out := nothing
	for n, r := range f.rules {
		c := reach(r, f.vs[i], k.tags)
		if c == no || !trims(r) {
			continue
		}
		first, last := f.guard(k)
		if r.When != nil {
			earliest, latest := f.when(i, r.When, first, last)
			out.add(earliest, surely(c, latest), n)
			continue
		}
		if r.NoncurrentDays <= 0 {
			c = min(c, maybe)
		}
		earliest, latest := f.noncurrent(i, r.NoncurrentDays, r.NewerNoncurrent, first, last)
		out.add(earliest, surely(c, latest), n)
	}
	return out
}

// noncurrent gives the dueSpan in which the i-th version has been noncurrent for some
// days, at least keep newer noncurrent ones are there, and its protection is over.
func (f *foretelling) noncurrent(i, days, keep int, first, last time.Time) (earliest, latest time.Time) {
	since := f.since(i)
	t := later(midnight(since.earliest, max(days, 0)), first)
	u := later(midnight(since.latest, max(days, 0)), last)
	if keep <= 0 {
		return t, u
	}
	earliest, latest = noDate, noDate
	if j := i - keep; j >= 0 {
		t = later(t, midnight(f.since(j).earliest, 0))
		for _, t := range []time.Time{t, later(t, f.bared.earliest)} {
			if t.Before(noDate) && f.mostNewer(i, f.at(t)) >= keep {
				earliest = t
				break
			}
		}
	}
	if n := len(f.bodies) - keep; n >= 0 {
		u = later(u, midnight(f.since(f.bodies[n]).latest, 0))
		for _, u := range []time.Time{u, later(u, f.bared.latest)} {
			if u.Before(noDate) && f.leastNewer(i, f.at(u)) >= keep {
				latest = u
				break
			}
		}
	}
	return earliest, latest
}

// since says when the i-th version became, or becomes, noncurrent.
func (f *foretelling) since(i int) dueSpan {
	if i == 0 {
		s := f.bared
		// What is overdue is hidden now at the earliest.
		s.earliest, s.latest = later(s.earliest, f.at(s.earliest)), later(s.latest, f.at(s.latest))
		return s
	}
	t := f.vs[i-1].Modified
	if t.IsZero() { // the store told no time: any is possible
		return dueSpan{earliest: f.now, latest: noDate}
	}
	if i > f.null && !f.vs[i].Modified.IsZero() {
		// Each write under suspended versioning took the place of the null version
		// before it: the first successor may have been such a one.
		return dueSpan{earliest: earlier(f.vs[i].Modified, t), latest: t}
	}
	return dueSpan{earliest: t, latest: t}
}

// mostNewer is the most noncurrent versions newer than the i-th that can be there at
// t, before anything else is removed at t.
func (f *foretelling) mostNewer(i int, t time.Time) int {
	n := sort.Search(len(f.lasts), func(k int) bool { return f.lasts[k].Before(t) })
	if i > 0 && !f.at(f.bared.earliest).After(t) && !f.at(f.fates[0].gone.latest).Before(t) {
		n++
	}
	return n
}

// leastNewer is the least that are there at t, whatever is removed first.
func (f *foretelling) leastNewer(i int, t time.Time) int {
	n := sort.Search(len(f.firsts), func(k int) bool { return !f.firsts[k].After(t) })
	if i > 0 && !f.at(f.bared.latest).After(t) && f.at(f.fates[0].gone.earliest).After(t) {
		n++
	}
	return n
}

// count takes the i-th version among those that may be newer than the next.
func (f *foretelling) count(i int, x *fate) {
	if !f.keeps {
		return
	}
	marker := f.vs[i].DeleteMarker
	if !marker && (i > 0 || f.bared.earliest.Before(noDate)) {
		f.bodies = append(f.bodies, i)
	}
	if i == 0 {
		return // counted apart
	}
	f.lasts = descending(f.lasts, f.at(x.gone.latest))
	if !marker {
		f.firsts = descending(f.firsts, f.at(x.gone.earliest))
	}
}

// descending inserts t. Older versions are due earlier, as a rule: it goes last.
func descending(list []time.Time, t time.Time) []time.Time {
	at := sort.Search(len(list), func(k int) bool { return list[k].Before(t) })
	return slices.Insert(list, at, t)
}

// archive foretells when the i-th version can no longer be read at once. On one day
// permanent deletion goes before a transition, and a transition before a marker.
func (f *foretelling) archive(i int, x *fate, k known) {
	v := f.vs[i]
	if v.DeleteMarker || archives(v.StorageClass) {
		return
	}
	for n, r := range f.rules {
		c := transitions(r, v, k.tags)
		if c == no {
			continue
		}
		for _, t := range r.Transitions {
			if !archives(t.StorageClass) || t.Days < 0 {
				continue
			}
			var earliest, latest time.Time
			switch {
			case t.Noncurrent:
				earliest, latest = f.noncurrent(i, t.Days, t.NewerNoncurrent, time.Time{}, time.Time{})
			case i > 0 || v.Modified.IsZero():
				continue
			default:
				earliest = midnight(v.Modified, t.Days)
				if !t.Date.IsZero() {
					earliest = midnight(later(t.Date, v.Modified), 0)
				}
				latest = earliest
				if f.at(earliest).After(f.at(x.hidden.latest)) {
					earliest = noDate
				}
				if f.at(latest).After(f.at(x.hidden.earliest)) {
					latest = noDate
				}
			}
			x.archived.add(earliest, surely(c, latest), n)
		}
	}
	if !f.at(x.archived.earliest).Before(f.at(x.gone.latest)) {
		x.archived = nothing
	}
	if !f.at(x.archived.latest).Before(f.at(x.gone.earliest)) {
		x.archived.latest = noDate
	}
}
