package audit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"provcat-tui/bucket"
)

// Bounds of what the forecast reads and keeps besides the listing.
const (
	// maxForecastReads is the most versions whose tags or protection are read.
	// What is foretold of the others then says "may".
	maxForecastReads = 1_000
	// maxForecastKept is the most versions that are kept until they are read.
	maxForecastKept = 50_000
)

// forecast is what lifecycle rules will do to the named versions, and which of them
// can't be read at once already.
type forecast struct {
	a       *auditor
	r       *refs
	l       *lifecycle
	tallies map[tallyID]*tally
	home    homes
	// asking are the keys whose fate hangs on tags or protection, to be read after
	// the walk: the first of all of them, as many as may be kept (see trim). Of a
	// part's asks counts the versions to read, kept all versions; full says that one was
	// too many.
	asking     []question
	asks, kept int
	full       bool
	// Of what was not read: how many versions were too many, and why others failed.
	beyond int64
	failed error
	cut    bool // a listing failed: there may be more
}

// A question is a key's history, until what it hangs on is read.
type question struct {
	history
	known map[int]known // by index into versions
}

// A named version is one that commits name, as the listing has it.
type named struct {
	at         int   // index into the versions of its key
	first, end int32 // its refs
}

func (a *auditor) newForecast(r *refs) *forecast {
	return &forecast{a: a, r: r, l: a.newLifecycle(), tallies: map[tallyID]*tally{}, home: homes{logs: a.f.logs}}
}

// newLifecycle is what the bucket's rules do; with rules that are not known, nothing.
func (a *auditor) newLifecycle() *lifecycle {
	s := a.f.settings
	l := &lifecycle{versioning: s.Versioning, now: a.clock,
		locks: s.ObjectLock.Enabled || s.ObjectLock.Holds || s.ObjectLockErr != nil && !errors.Is(s.ObjectLockErr, bucket.ErrUnsupported)}
	if s.VersioningErr != nil {
		l.versioning = bucket.VersioningUnknown
	}
	if rules, ok := a.f.rules(); ok {
		l.rules = rules
	}
	return l
}

// touches says that a rule may do something lasting to one of n versions of a key. A
// version that is alone is live.
func (l *lifecycle) touches(key string, n int) bool {
	return slices.ContainsFunc(l.rules, func(r bucket.Rule) bool {
		return r.Enabled && reach(r, bucket.Version{Key: key, Size: -1}, nil) != no && (n > 1 && trims(r) || expires(r) ||
			slices.ContainsFunc(r.Transitions, func(t bucket.Transition) bool { return archives(t.StorageClass) && (n > 1 || !t.Noncurrent) }))
	})
}

func unread(int) known { return known{} }

func (x *forecast) look(h history) {
	if h.first == h.end {
		return
	}
	touched := x.l.touches(h.key, len(h.versions))
	cold := slices.ContainsFunc(h.versions, func(v bucket.Version) bool { return archives(v.StorageClass) })
	if !touched && !cold {
		return
	}
	list := x.named(h)
	for _, n := range list {
		if v := h.versions[n.at]; archives(v.StorageClass) {
			x.tally(tallyID{what: archivedNow, sure: true}, n).add(x, n, v, noDate, "is in the class "+v.StorageClass)
		}
	}
	if !touched {
		return
	}
	fates := x.l.foretell(h.versions, unread)
	asks := x.hangs(h, list, fates)
	if len(asks) == 0 {
		x.account(h, list, fates, unread)
		return
	}
	h.versions = slices.Clone(h.versions)
	q := question{history: h, known: map[int]known{}}
	for _, i := range asks {
		q.known[i] = known{}
	}
	x.ask(q)
}

// tiered counts a named version that only a read shows to be archived. first is the
// first of its refs.
func (x *forecast) tiered(first int32) {
	n := named{first: first, end: first + 1}
	for int(n.end) < x.r.len() && x.r.same(n.end, first) {
		n.end++
	}
	f := x.r.at(first)
	v := bucket.Version{Key: f.key, ID: f.version, ETag: f.etag, Size: max(0, f.size)}
	x.tally(tallyID{what: archivedNow, sure: true}, n).add(x, n, v, noDate, inATier)
}

// named finds the named versions of a key. Markers that a commit names are damage,
// told elsewhere.
func (x *forecast) named(h history) []named {
	where := make(map[string]int, len(h.versions))
	for i, v := range h.versions {
		where[v.ID] = i
	}
	var out []named
	for i := h.first; i < h.end; {
		n := named{first: i}
		for i++; i < h.end && x.r.same(i, n.first); i++ {
		}
		n.end = i
		at, ok := where[x.r.at(n.first).version]
		if ok && !h.versions[at].DeleteMarker {
			n.at = at
			out = append(out, n)
		}
	}
	return out
}

// hangs gives the named versions whose fate may be another once their tags or their
// protection are known.
func (x *forecast) hangs(h history, list []named, fates []fate) []int {
	var out []int
	for _, n := range list {
		v, f := h.versions[n.at], fates[n.at]
		open := !f.gone.certain() || !f.archived.certain()
		tagged := slices.ContainsFunc(x.l.rules, func(r bucket.Rule) bool { return len(r.Tags) > 0 && reach(r, v, nil) == maybe })
		locked := x.l.locks && f.gone.earliest.Before(noDate)
		if open && (tagged || locked) {
			out = append(out, n.at)
		}
	}
	return out
}

// ask keeps a question, or accounts for it as it is where there are too many before it.
func (x *forecast) ask(q question) {
	x.asks += len(q.known)
	x.kept += len(q.versions)
	if x.full = x.full || x.asks > maxForecastReads || x.kept > maxForecastKept; !x.full {
		x.asking = append(x.asking, q)
		return
	}
	x.beyond += int64(len(q.known))
	x.account(q.history, x.named(q.history), x.l.foretell(q.versions, unread), unread)
}

// trim ends a part of the walk. Parts come in any order, so that questions of later keys
// may have been kept, which now are too many.
func (x *forecast) trim() {
	list := x.asking
	slices.SortFunc(list, func(a, b question) int { return strings.Compare(a.key, b.key) })
	x.asking, x.asks, x.kept, x.full = nil, 0, 0, false
	for _, q := range list {
		x.ask(q)
	}
	x.asks, x.kept, x.full = 0, 0, false
}

// account counts what happens to the named versions of a key.
func (x *forecast) account(h history, list []named, fates []fate, what func(int) known) {
	for _, n := range list {
		v, f, k := h.versions[n.at], fates[n.at], what(n.at)
		x.book(willExpire, n, v, f.gone, k)
		if !archives(v.StorageClass) {
			x.book(willArchive, n, v, f.archived, k)
		}
		if f.gone.latest.Before(noDate) && f.hidden.earliest.Before(noDate) {
			x.tally(tallyID{what: willExpire, rule: f.gone.lastRule, sure: true}, n).live++
		}
	}
}

// book counts one version under the rule that surely acts, and under the one that
// may act before.
func (x *forecast) book(what string, n named, v bucket.Version, s dueSpan, k known) {
	if s.latest.Before(noDate) {
		x.tally(tallyID{what: what, rule: s.lastRule, sure: true}, n).add(x, n, v, s.latest, "")
	}
	if s.earliest.Before(s.latest) {
		t := x.tally(tallyID{what: what, rule: s.rule}, n)
		t.add(x, n, v, s.earliest, "")
		switch r := x.l.rules[s.rule]; {
		case len(r.Tags) > 0 && k.tags == nil:
			t.tags++
		case what == willExpire && x.l.locks && k.protection == nil:
			t.locks++
		case what == willArchive && transitions(r, v, k.tags) == maybe:
			t.small++
		default:
			t.store++
		}
	}
}

// tally gives the tally of a version's folder.
func (x *forecast) tally(id tallyID, n named) *tally {
	id.folder = x.folder(x.r.at(n.first))
	t := x.tallies[id]
	if t == nil {
		t = newTally()
		x.tallies[id] = t
	}
	return t
}

// folder is that of a version: the deepest one above its key that has a log.
func (x *forecast) folder(f ref) string {
	if folder, ok := x.home.of(f.key); ok {
		return folder
	}
	folder, _ := x.r.nearest(&f)
	return folder
}

func (x *forecast) merge(y *forecast) {
	for id, t := range y.tallies {
		if mine := x.tallies[id]; mine != nil {
			mine.merge(x.r, t)
		} else {
			x.tallies[id] = t
		}
	}
	x.cut = x.cut || y.cut
	x.beyond += y.beyond
	x.asking = append(x.asking, y.asking...)
	x.trim()
}

// findings reads what fates hang on, and tells.
func (x *forecast) findings(ctx context.Context, _ *joined) ([]Finding, error) {
	errs := make([]error, len(x.asking))
	err := x.a.each(ctx, len(x.asking), func(i int) { errs[i] = x.learn(ctx, x.asking[i]) })
	if err != nil {
		return nil, err
	}
	for i, q := range x.asking {
		if gone(errs[i]) {
			continue // it changed while the audit ran: the next one tells
		}
		if x.failed == nil {
			x.failed = errs[i]
		}
		what := func(i int) known { return q.known[i] }
		x.account(q.history, x.named(q.history), x.l.foretell(q.versions, what), what)
	}
	x.asking = nil
	return x.tell(), nil
}

// learn reads what the fates of one key hang on. An error leaves what it is about
// unknown.
func (x *forecast) learn(ctx context.Context, q question) error {
	var failed error
	for i := range q.known {
		v, k := q.versions[i], known{}
		if slices.ContainsFunc(x.l.rules, func(r bucket.Rule) bool { return len(r.Tags) > 0 && reach(r, v, nil) == maybe }) {
			tags, err := x.a.b.Tags(ctx, v.Key, v.ID)
			if err == nil && tags == nil {
				tags = map[string]string{}
			}
			if k.tags = tags; err != nil {
				k.tags, failed = nil, errors.Join(failed, err)
			}
		}
		if x.l.locks {
			p, err := x.a.b.Protection(ctx, v.Key, v.ID)
			if k.protection = &p; err != nil {
				k.protection, failed = nil, errors.Join(failed, err)
			}
		}
		q.known[i] = k
	}
	return failed
}
