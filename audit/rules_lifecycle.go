package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// An owned key is a log entry or a commit object, in scope, and the commits that it
// stands for.
type owned struct {
	versions []bucket.Version // newest first
	commits  []CommitRef
}

// ownedKeys are the log entries and commit objects in scope, in order of key.
func (a *auditor) ownedKeys() []owned {
	var out []owned
	named := map[string][]CommitRef{} // by commit, those that any entry names
	for _, l := range a.inScope() {
		for _, s := range l.slots {
			o := owned{commits: commitRefs(l, s.number, s.named())}
			for _, v := range s.versions {
				o.versions = append(o.versions, v.Version)
			}
			out = append(out, o)
			for _, id := range s.distinct() {
				named[id] = append(named[id], commitRefs(l, s.number, id)...)
			}
		}
	}
	for id, c := range a.f.commits {
		list, ok := named[id]
		if !ok && a.o.Folder != "" {
			continue // of another scope, or an orphan
		}
		o := owned{commits: list}
		for _, v := range c.versions {
			if v.ID != "" { // listed, not only named by an entry
				o.versions = append(o.versions, v.Version)
			}
		}
		out = append(out, o)
	}
	out = slices.DeleteFunc(out, func(o owned) bool { return len(o.versions) == 0 })
	slices.SortFunc(out, func(x, y owned) int { return strings.Compare(x.versions[0].Key, y.versions[0].Key) })
	return out
}

// logRules tells of lifecycle rules that take away the log or its traces. Rules that
// are not known say nothing.
func (a *auditor) logRules(ctx context.Context) ([]Finding, error) {
	rules, ok := a.f.rules()
	if !ok || !slices.ContainsFunc(rules, func(r bucket.Rule) bool {
		return r.Enabled && slices.ContainsFunc(prefixes(r), func(p string) bool {
			return strings.HasPrefix(commit.Root, p) || strings.HasPrefix(p, commit.Root)
		})
	}) {
		return nil, nil
	}
	keys, names := a.ownedKeys(), ruleNames(rules)
	tags := &tagReader{a: a, left: maxForecastReads, read: map[string]map[string]string{}}
	var out []Finding
	for i, r := range rules {
		name := names[i]
		moves := slices.ContainsFunc(r.Transitions, archivesLive)
		if expires(r) || trims(r) || moves {
			if err := tags.prepare(ctx, r, keys); err != nil {
				return nil, err
			}
		}
		if expires(r) {
			if f, ok := a.hidesLog(r, name, keys, tags, false); ok {
				out = append(out, f)
			}
		}
		if moves {
			if f, ok := a.hidesLog(r, name, keys, tags, true); ok {
				out = append(out, f)
			}
		}
		if trims(r) || r.ExpireDeleteMarkers {
			if f, ok := a.erasesTraces(r, name, keys, tags); ok {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// archivesLive says that a transition moves live objects where they can't be read.
func archivesLive(t bucket.Transition) bool {
	return !t.Noncurrent && t.Days >= 0 && archives(t.StorageClass)
}

// archiveDate is the moment from which a rule moves a live version to where it can't be
// read.
func archiveDate(r bucket.Rule, v bucket.Version) time.Time {
	due := noDate
	for _, t := range r.Transitions {
		switch {
		case !archivesLive(t):
		case !t.Date.IsZero():
			due = earlier(due, midnight(later(t.Date, v.Modified), 0))
		default:
			due = earlier(due, midnight(v.Modified, t.Days))
		}
	}
	return due
}

// hidesLog judges a rule that expires live objects, or archives them: whether it takes
// in log entries and commit objects, and when.
func (a *auditor) hidesLog(r bucket.Rule, name string, keys []owned, tags *tagReader, archived bool) (Finding, bool) {
	due, sure, tagged := noDate, false, false
	date, does := expiryDate, "expires"
	if archived {
		date, does = archiveDate, "is archived"
	}
	type hit struct {
		due time.Time
		o   owned
	}
	var hits []hit
	for _, o := range keys {
		v := o.versions[0]
		c := no
		if !v.DeleteMarker && !(archived && archives(v.StorageClass)) {
			c = tags.reach(r, v)
		}
		asks := c == maybe
		if archived && c != no {
			c = min(c, transitions(r, v, tags.of(v)))
		}
		if c == no || c == maybe && sure {
			continue
		}
		tagged = tagged || asks
		if c == yes && !sure { // what may be is not told beside what is
			hits, due, sure = nil, noDate, true
		}
		t := date(r, v)
		if v.Modified.IsZero() { // the store told no time: any is possible
			t = midnight(a.clock, 0)
		}
		if !t.Before(noDate) {
			continue
		}
		due = earlier(due, t)
		hits = append(hits, hit{t, o})
	}
	if len(hits) == 0 {
		return Finding{}, false
	}
	slices.SortStableFunc(hits, func(x, y hit) int { return x.due.Compare(y.due) })
	x := &forecast{a: a}
	weeks, first, breaks := map[int64]int64{}, map[int64]int64{}, map[CommitRef]time.Time{}
	f := Finding{ID: "lifecycle-covers-log", Severity: Risk, Confidence: Certain, Key: hits[0].o.versions[0].Key, Version: hits[0].o.versions[0].ID, Due: &due, Repair: a.spareLog()}
	for n, h := range hits {
		if n < maxExamples {
			f.Affected.Examples = append(f.Affected.Examples, evidence(h.o.versions[0], does+" "+h.due.Format(time.DateOnly)))
		}
		week, near := x.week(h.due)
		if near {
			weeks[week]++
		}
		for _, c := range h.o.commits {
			if _, ok := breaks[c]; ok { // the hits are in order of date
				continue
			}
			if breaks[c] = h.due; near {
				first[week]++
			}
		}
	}
	for c, t := range breaks {
		c.Due = &t
		f.Affected.Commits = append(f.Affected.Commits, c)
	}
	sortByDue(f.Affected.Commits)
	f.Affected.Versions, f.Affected.Schedule = int64(len(hits)), schedule(weeks, first)
	f.Evidence = f.Affected.Examples[:min(3, len(f.Affected.Examples))]
	will, key := "expires", name
	if !sure {
		will = "may expire"
	}
	if archived {
		will, key = strings.Replace(will, "expire", "archive", 1), name+"\x00archive"
	}
	if !sure {
		key += "\x00may"
	}
	f.Title = fmt.Sprintf("the lifecycle rule %q %s the log itself: %s, %s", name, will, count(int64(len(hits)), "log entry or commit object"), when(due, a.clock, int64(len(hits))))
	f.Title = strings.Replace(f.Title, "log entry or commit objects", "log entries and commit objects", 1)
	hides := "each gets a delete marker"
	if r.When != nil {
		hides = "each is deleted"
	}
	f.Detail = fmt.Sprintf("The rule %s. That takes in keys under %s: %s on its date, and from then on readers no longer find the commit, or take an older one for the newest.", describeRule(r), commit.Root, hides)
	if archived {
		f.Detail = fmt.Sprintf("The rule %s. That takes in keys under %s: from its date on none of them can be read before it is restored, which takes minutes to two days and costs money. Readers then get an error instead of the commit, and nothing can be committed to the folder once its newest entry cannot be read.", describeRule(r), commit.Root)
	} else if a.f.settings.Versioning == bucket.VersioningSuspended || a.f.settings.Versioning == bucket.VersioningOff {
		f.Detail += " Versioning is not on, so what has the version \"null\" is destroyed at once."
	}
	if s := breaksFirst(f.Affected.Commits); s != "" {
		f.Detail += " " + s
	}
	if !due.After(a.clock) {
		f.Detail += " The first date has passed: the store may lag behind by days, and acts any day now."
	}
	switch {
	case sure:
	case tagged:
		tags.doubt(&f)
	default:
		f.Severity, f.Confidence = Info, Possible
		f.Detail += " All of them are smaller than 128 KB: S3 leaves those where they are, unless the configuration is from before September 2024 or says otherwise."
	}
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: key}, "")
	return f, true
}

// erasesTraces judges a rule that removes what a deletion leaves behind.
func (a *auditor) erasesTraces(r bucket.Rule, name string, keys []owned, tags *tagReader) (Finding, bool) {
	// A deletion or an overwrite leaves the version that was live as a noncurrent
	// one: what is there tells what the rule would do to such.
	best, at := no, -1
	for i, o := range keys {
		for j, v := range o.versions {
			if v.DeleteMarker || !a.mayErase(r, o.versions, j) {
				continue
			}
			c := no
			if trims(r) {
				c = tags.reach(r, v)
			} else if strings.HasPrefix(v.Key, r.Prefix) && r.Enabled {
				// Its marker would have neither tags nor a size.
				c = reach(r, bucket.Version{Key: v.Key, DeleteMarker: true}, nil)
			}
			if c > best {
				best, at = c, i
			}
		}
		if best == yes {
			break
		}
	}
	if best == no {
		return Finding{}, false
	}
	f := Finding{ID: "evidence-erased", Severity: Risk, Confidence: Certain, Repair: a.spareLog()}
	key := name
	if best == maybe {
		f.Confidence, key = Possible, name+"\x00may"
	}
	days := trimDays(r)
	switch {
	case !trims(r):
		f.Title = fmt.Sprintf("the lifecycle rule %q removes old delete markers under %s", name, commit.Root)
		f.Detail = fmt.Sprintf("The rule %s. Once the versions of a log entry or commit object have gone, the delete marker is the last trace of the deletion, and the rule removes it: an audit can then no longer tell that somebody deleted it.", describeRule(r))
	case keepsNewest(r) > 0:
		f.Title = fmt.Sprintf("the lifecycle rule %q erases old versions of the log", name)
		if days > 0 {
			f.Title += " after " + count(days, "day")
		}
		f.Detail = fmt.Sprintf("The rule %s. Of a log entry or commit object that was deleted or overwritten more than %s, what it was at first is gone for good after that: it can neither be proved nor undone.", describeRule(r), count(int64(keepsNewest(r)), "time"))
	default:
		switch {
		case r.When != nil && !r.When.GoneBefore.IsZero():
			day := r.When.GoneBefore.Format(time.DateOnly)
			f.Title = fmt.Sprintf("the lifecycle rule %q erases what is deleted from the log before %s", name, day)
			f.Detail = fmt.Sprintf("The rule %s. A log entry or commit object that was deleted or overwritten before that day is gone soon after, or once the rule's other conditions hold; one that goes later stays.", describeRule(r))
		case r.When != nil && r.When.Noncurrent == nil:
			f.Title = fmt.Sprintf("the lifecycle rule %q erases what was deleted from the log", name)
			f.Detail = fmt.Sprintf("The rule %s. Its conditions count from when a version was made, not from its deletion: a log entry or commit object that they hold for already is gone soon after somebody deletes or overwrites it; another can be brought back only until they do.", describeRule(r))
		default:
			f.Title = fmt.Sprintf("the lifecycle rule %q erases what was deleted from the log after %s", name, count(days, "day"))
			f.Detail = fmt.Sprintf("The rule %s. A log entry or commit object that somebody deletes or overwrites can be brought back for that long only.", describeRule(r))
		}
		if r.When != nil {
			f.Detail += " Then nothing of it is left, and the deletion leaves no trace: only a witness (--witness) can show it."
		} else if r.ExpireDeleteMarkers || expires(r) {
			f.Detail += " Then the rule removes the delete marker too: the deletion leaves no trace, and only a witness (--witness) can show it."
		} else {
			f.Detail += " After that a lone delete marker is the only trace."
		}
	}
	if best == maybe && len(r.Tags) > 0 {
		tags.doubt(&f)
	} else if best == maybe {
		f.Detail += " Whether a filter of size takes in delete markers is not documented."
	}
	f.Evidence = []Evidence{evidence(keys[at].versions[0], "the rule takes in this key")}
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: key}, "")
	return f, true
}

// mayErase says whether the times that a rule asks for can hold for a version once it is
// not live: of one that still is, if somebody deletes it from now on.
func (a *auditor) mayErase(r bucket.Rule, versions []bucket.Version, i int) bool {
	if r.When == nil {
		return true
	}
	ended := a.clock
	if i > 0 {
		ended = versions[i-1].Modified
	}
	return dueWhen(r.When, versions[i].Modified, ended).Before(noDate)
}

// spareLog is the repair of a rule that takes in the log. Neither filters nor
// conditions can leave a prefix out, so the rule has to name what it is meant for.
func (a *auditor) spareLog() *Repair {
	r := a.changeRule()
	base, how := changeRuleText, "a filter cannot leave a prefix out, so give it the prefixes of the data that it is meant for (one rule each), or a tag that only such data has; or disable it."
	if _, ok := a.gcsName(); ok {
		base, how = changeConditionText, "a condition cannot leave a prefix out, so give it the prefixes of the data that it is meant for (matchesPrefix takes several); or remove it."
	}
	r.Text = "Keep the rule off " + commit.Root + ": " + how + strings.TrimPrefix(r.Text, base)
	return r
}
