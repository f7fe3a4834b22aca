package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// An Outlook tells of single keys what the bucket's lifecycle rules will do to their
// versions, and what they may have done. It only computes, and may be used by several
// goroutines at once.
type Outlook struct{ a *auditor }

// NewOutlook works on a bucket's settings; now is used where they lack its clock.
func NewOutlook(s bucket.Settings, now time.Time) *Outlook {
	if !s.Clock.IsZero() {
		now = s.Clock
	}
	return &Outlook{&auditor{f: &facts{settings: s}, clock: now.UTC()}}
}

// Err says why the rules are not known; nil: they are. Then nothing is foretold.
func (o *Outlook) Err() error {
	if _, known := o.a.f.rules(); !known {
		return o.a.f.settings.LifecycleErr
	}
	return nil
}

// A Due is when a rule deletes a version for good. The zero value: none does.
type Due struct {
	On   time.Time // a midnight UTC; the store may take days longer
	Rule string    // as it came
	// Sure: it will; else it may: it hangs on tags, on protection, or on what the
	// store leaves open.
	Sure bool
}

// Now is the time at which the outlook is, the bucket's own if it tells.
func (o *Outlook) Now() time.Time { return o.a.clock }

// Removals foretells when each version of a key goes for good. They are all of the
// key's versions and markers, newest first, as a listing gives them.
func (o *Outlook) Removals(versions []bucket.Version) []Due {
	out := make([]Due, len(versions))
	l := o.a.newLifecycle()
	if len(versions) == 0 || !l.touches(versions[0].Key, len(versions)) {
		return out
	}
	names := ruleNames(l.rules)
	for i, f := range l.foretell(versions, unread) {
		switch s := f.gone; {
		case versions[i].DeleteMarker:
		case s.latest.Before(noDate):
			out[i] = Due{On: s.latest, Rule: names[s.lastRule], Sure: true}
		case s.earliest.Before(noDate):
			out[i] = Due{On: s.earliest, Rule: names[s.rule]}
		}
	}
	return out
}

// WhyGone says in a sentence what removed a version that a commit names and that a
// complete listing of its key lacks. left is that listing, named the time of the
// newest commit that names it; zero: not known, and then a rule only may have done it.
func (o *Outlook) WhyGone(key, version string, size int64, named time.Time, left []bucket.Version) string {
	x := ref{key: key, version: version, size: size}
	r := refsTo([]bucket.Version{{Key: key, ID: version, Size: size}})
	c := &cause{lost: []lost{{ref: 0, now: left}}, count: 1, destroyed: x.destroyed(left)}
	if named.IsZero() && !c.destroyed {
		rules, _ := o.a.f.rules()
		if i := slices.IndexFunc(rules, func(rule bucket.Rule) bool { return trims(rule) && covers(rule, &x) }); i >= 0 {
			return fmt.Sprintf("The lifecycle rule %q, which deletes noncurrent versions of this key, may have done it.", ruleNames(rules)[i])
		}
	} else if rule, due, ok := o.a.expiry(&x, named, left); ok {
		c.rule, c.due = ruleName(rule), due
	}
	return strings.Replace(o.a.whyMissing(c, r), "removed them,", "removed it,", 1)
}

// Archived says that a version of this storage class has to be restored before it
// can be read.
func Archived(class string) bool { return archives(class) }
