package audit

import (
	"strings"
	"time"

	"provcat-tui/bucket"
)

// What a lifecycle rule applies to, and when. All sources are in the S3 user guide:
// "Lifecycle configuration elements" (the clocks, filters and actions), "Expiring
// objects" (what expiration does by versioning state), "How Amazon S3 handles
// conflicts in lifecycle configurations" (several rules), "Transitioning objects"
// (small objects) and "Object Lock" (what is protected).

// noDate is the date of what no rule does. What lies beyond the year 9999 is none too:
// rules and times may be hostile, and a report can't hold later dates.
var noDate = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	maxDays     = 10_000 * 366
	day         = 24 * time.Hour
	smallObject = 128 << 10 // bytes; smaller ones are not transitioned, by default
)

// midnight gives t plus days, rounded up to the next midnight UTC: the moment from
// which a rule acts. At most noDate.
func midnight(t time.Time, days int) time.Time {
	if days > maxDays || !t.Before(noDate) {
		return noDate
	}
	due := t.UTC().AddDate(0, 0, days)
	if m := due.Truncate(day); !m.Equal(due) {
		due = m.Add(day)
	}
	return earlier(due, noDate)
}

func earlier(t, u time.Time) time.Time {
	if u.Before(t) {
		return u
	}
	return t
}

func later(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}

// A chance says whether something is so, as far as is known.
type chance int

const (
	no chance = iota
	maybe
	yes
)

// reach says whether the filter of an enabled rule takes in a version. tags are
// those of the version; nil: unknown.
//
// Whether filters of size and tags take in delete markers, which have neither, is
// not documented.
func reach(r bucket.Rule, v bucket.Version, tags map[string]string) chance {
	sized := r.LargerThan > 0 || r.SmallerThan > 0
	switch {
	case !r.Enabled || !strings.HasPrefix(v.Key, r.Prefix):
		return no
	case r.When != nil:
		return reachWhen(r.When, v)
	case v.DeleteMarker && (sized || len(r.Tags) > 0):
		return maybe
	case v.DeleteMarker:
		return yes
	case v.Size >= 0 && (r.LargerThan > 0 && v.Size <= r.LargerThan || r.SmallerThan > 0 && v.Size >= r.SmallerThan):
		return no
	}
	for name, value := range r.Tags {
		switch got, ok := tags[name]; {
		case tags == nil:
			return maybe
		case !ok || got != value:
			return no
		}
	}
	if sized && v.Size < 0 {
		return maybe
	}
	return yes
}

// covers says whether an enabled rule acts on a version that is gone. What tags it
// had nobody knows, so a rule with tags is not taken to.
func covers(rule bucket.Rule, x *ref) bool {
	return len(rule.Tags) == 0 && reach(rule, bucket.Version{Key: x.key, Size: x.size}, nil) != no
}

// expires says that a rule expires live versions.
func expires(r bucket.Rule) bool {
	return r.ExpireDays > 0 || !r.ExpireDate.IsZero() || deletes(r) && onLive(r.When)
}

// trims says that a rule removes noncurrent versions. S3 wants a number of days;
// other stores (MinIO) take a rule that only says how many to keep, and act on it at
// once.
func trims(r bucket.Rule) bool {
	return r.NoncurrentDays > 0 || r.NewerNoncurrent > 0 || deletes(r) && onNoncurrent(r.When)
}

// expiryDate is the moment from which a rule expires a live version. A date that has
// passed goes on to apply, also to what is written later.
func expiryDate(r bucket.Rule, v bucket.Version) time.Time {
	due := noDate
	if deletes(r) && onLive(r.When) {
		due = dueWhen(r.When, v.Modified, time.Time{})
	}
	if r.ExpireDays > 0 {
		due = midnight(v.Modified, r.ExpireDays)
	}
	if !r.ExpireDate.IsZero() {
		due = earlier(due, midnight(later(r.ExpireDate, v.Modified), 0))
	}
	return due
}

// archives says that a class can't be read at once: a version in it has to be
// restored first, which takes minutes to two days. GLACIER_IR can be read.
// INTELLIGENT_TIERING may have moved a version to an archive tier; no listing tells.
//
// S3 user guide, "Understanding S3 Glacier storage classes".
func archives(class string) bool { return class == "GLACIER" || class == "DEEP_ARCHIVE" }

// transitions says whether a rule moves a version between classes. Objects of less
// than 128 KB are left where they are unless the rule has a filter of size, or the
// configuration is an older one: a listing of the rules does not tell.
func transitions(r bucket.Rule, v bucket.Version, tags map[string]string) chance {
	c := reach(r, v, tags)
	if c == yes && v.Size < smallObject && r.LargerThan == 0 && r.SmallerThan == 0 {
		return maybe
	}
	return c
}
