package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// settingsFindings judges the bucket's settings.
func (a *auditor) settingsFindings() []Finding {
	s := a.f.settings
	var out []Finding
	add := func(id, title, detail string) {
		f := Finding{ID: id, Severity: Risk, Confidence: Certain, Title: title, Detail: detail,
			Repair: &Repair{Kind: "enable-versioning", Text: "Switch versioning on."}}
		if name, ok := a.s3Name(); ok {
			f.Repair.Command = "aws s3api put-bucket-versioning --bucket " + safe.Shell(name) + " --versioning-configuration Status=Enabled"
		}
		if _, ok := a.gcsName(); ok {
			f.Repair.Command = "gcloud storage buckets update " + safe.Shell(a.b.URL()) + " --versioning"
		}
		f.Fingerprint = fingerprint(f, "")
		out = append(out, f)
	}
	switch {
	case s.VersioningErr != nil:
	case s.Versioning == bucket.VersioningUnsupported:
		add("versioning-off", "the store has no versioning", "Every overwrite and deletion destroys what it replaces, and no commit can be made here.")
		out[len(out)-1].Repair = nil
	case s.Versioning == bucket.VersioningUnknown:
		a.t.add("the versioning state", "", nil, errors.New("the store did not say whether versioning is on"))
	case s.Versioning == bucket.VersioningOff:
		add("versioning-off", "the bucket's versioning is off", "Every overwrite and deletion destroys what it replaces, and no commit can be made.")
	case s.Versioning == bucket.VersioningSuspended:
		add("versioning-suspended", "the bucket's versioning is suspended", "Versions that exist stay. New writes have the version \"null\", and the next write to the same key destroys it. No commit can be made.")
	}
	for _, x := range a.settingErrors() {
		if x.err != nil {
			a.t.add(x.what, "", nil, x.err)
		}
	}
	return out
}

type settingError struct {
	what string
	err  error
}

// settingErrors gives the parts of the settings and why each could not be read. A
// store that does not have a setting at all has told all there is to know.
func (a *auditor) settingErrors() []settingError {
	s := a.f.settings
	out := []settingError{{"the versioning state", s.VersioningErr}, {"the lifecycle rules", s.LifecycleErr}, {"the object lock", s.ObjectLockErr}}
	for i := range out[1:] {
		if x := &out[i+1]; errors.Is(x.err, bucket.ErrUnsupported) {
			x.err = nil
		}
	}
	return out
}

// ruleOnLog says whether a lifecycle rule explains that the oldest entries of a log, up
// to the one below s, are gone. They were made before s, so what was due for one as old
// as s was due for them.
//
// A rule that expires live objects lays a delete marker over each. That nothing is left
// takes a rule for noncurrent versions as well; the marker that is then left alone goes
// with the first.
func (a *auditor) ruleOnLog(l *logFacts, s *slotFacts) string {
	rules, known := a.f.rules()
	first := s.versions[len(s.versions)-1]
	switch {
	case !known:
		return "Whether a lifecycle rule did it is not known: the rules could not be read."
	case first.Modified.IsZero():
		return "Whether a lifecycle rule did it is not known: the store does not tell how old the log is."
	}
	size := int64(-1)
	if !first.DeleteMarker {
		size = first.Size
	}
	// What covers both ends of a row of keys covers all between.
	oldest, newest := &ref{key: commit.SlotKey(l.hash, 1), size: size}, &ref{key: commit.SlotKey(l.hash, s.number-1), size: size}
	both := func(r bucket.Rule) bool { return covers(r, oldest) && covers(r, newest) }
	var part string
	for i, r := range rules {
		hidden := expiryDate(r, bucket.Version{Modified: first.Modified})
		if !expires(r) || !both(r) || hidden.After(a.clock) {
			continue
		}
		name := ruleNames(rules)[i]
		for _, t := range rules {
			if !trims(t) || t.When == nil && t.NoncurrentDays <= 0 || keepsNewest(t) > 0 || !both(t) {
				continue
			}
			if due := trimDue(t, first.Modified, hidden); !due.After(a.clock) {
				return fmt.Sprintf("The lifecycle rule %q explains it: it expires live objects under %s, and so the log itself; all that it left was due to be removed from %s on.", name, anyOf(prefixes(r)), due.Format(time.DateOnly))
			}
		}
		if part == "" {
			part = fmt.Sprintf("The lifecycle rule %q explains a part of it: it expires live objects under %s, and so the log itself, and was due from %s on. That leaves a delete marker and the version under it, and no rule of the bucket was due to remove these.",
				name, anyOf(prefixes(r)), hidden.Format(time.DateOnly))
		}
	}
	if part != "" {
		return part
	}
	return "No lifecycle rule of the bucket explains it: a person or a tool removed them, or a rule that has since been changed."
}

// markersMayBeGone says whether a deletion can have left no trace: a rule removes
// old markers or noncurrent versions of the log, or the rules are not known.
func (a *auditor) markersMayBeGone() bool {
	rules, known := a.f.rules()
	if !known {
		return true
	}
	for _, r := range rules {
		hits := slices.ContainsFunc(prefixes(r), func(p string) bool {
			return strings.HasPrefix(commit.Logs, p) || strings.HasPrefix(p, commit.Logs)
		})
		if hits && erases(r) {
			return true
		}
	}
	return false
}

// expiry gives the rule that explains why a version is gone, and the date from
// which it may have deleted it: a version is removed NoncurrentDays after its
// successor was made, rounded up to the next midnight UTC. since is the newest
// time of the commits that name it, now what is left of its key.
//
// S3 user guide, "Lifecycle configuration elements", NoncurrentVersionExpiration.
func (a *auditor) expiry(x *ref, since time.Time, now []bucket.Version) (bucket.Rule, time.Time, bool) {
	rules, _ := a.f.rules()
	switch {
	case len(now) == 0:
		return a.expiredWholly(x, since, rules)
	case x.destroyed(now):
		return a.expiredNull(x, since, rules)
	}
	// The successor is the oldest version or marker that is newer than every
	// commit which names the lost one. Those after it are newer still.
	newer := 0
	for newer < len(now) && now[newer].Modified.After(since) {
		newer++
	}
	if newer == 0 {
		return bucket.Rule{}, time.Time{}, false
	}
	successor := now[newer-1].Modified
	if now[newer-1].ID == bucket.NullID {
		// Under suspended versioning each write takes the place of the null version
		// before it: the first successor may have been an older one.
		successor = since
	}
	for _, rule := range rules {
		// newer-1 of the versions above it are noncurrent as well.
		if !trims(rule) || !covers(rule, x) || keepsNewest(rule) > newer-1 {
			continue
		}
		if due := trimDue(rule, since, successor); !due.After(a.clock) {
			return rule, due, true
		}
	}
	return bucket.Rule{}, time.Time{}, false
}

// destroyed says that x had the ID null and was deleted while versioning was
// suspended. now are the versions of its key.
func (x *ref) destroyed(now []bucket.Version) bool {
	return x.version == bucket.NullID && slices.ContainsFunc(now, nullMarker)
}

// expiredNull explains a version with the ID null that was deleted: a rule that
// expires live objects does so too while versioning is suspended. It is older than
// every commit that names it, so it was due at the latest as if it were as old.
func (a *auditor) expiredNull(x *ref, since time.Time, rules []bucket.Rule) (bucket.Rule, time.Time, bool) {
	for _, rule := range rules {
		if !expires(rule) || !covers(rule, x) {
			continue
		}
		if due := expiryDate(rule, bucket.Version{Modified: since}); !due.After(a.clock) {
			return rule, due, true
		}
	}
	return bucket.Rule{}, time.Time{}, false
}

// expiredWholly explains a key of which nothing is left: its live version was
// expired under a marker, then removed as noncurrent, and at last the marker.
func (a *auditor) expiredWholly(x *ref, since time.Time, rules []bucket.Rule) (bucket.Rule, time.Time, bool) {
	// A rule that expires live versions removes markers with nothing under them too.
	markers := slices.ContainsFunc(rules, func(r bucket.Rule) bool {
		return covers(r, x) && (r.ExpireDeleteMarkers || expires(r))
	})
	for _, rule := range rules {
		if !markers || !trims(rule) || rule.When == nil && rule.NoncurrentDays <= 0 || keepsNewest(rule) > 0 || !covers(rule, x) {
			continue
		}
		if due := trimDue(rule, since, since); !due.After(a.clock) {
			return rule, due, true
		}
	}
	return bucket.Rule{}, time.Time{}, false
}
