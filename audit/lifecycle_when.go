package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
)

// Rules of Google's kind: one action, under conditions that must all hold. All sources
// are in the Cloud Storage documentation, "Object Lifecycle Management": conditions
// count from the moment itself, not from midnight; what is due is done within days. A
// live object that a rule deletes becomes noncurrent, and a noncurrent one is gone.
// Rules of S3's kind are looked at by the same questions (expires, trims, reach).

// deletes says that a rule of Google's kind deletes.
func deletes(r bucket.Rule) bool { return r.When != nil && r.When.Action == bucket.ActionDelete }

// onLive says that conditions can hold for a live version, onNoncurrent for another.
func onLive(w *bucket.Conditions) bool {
	return (w.Live == nil || *w.Live) && w.Newer == 0 && w.Noncurrent == nil && w.GoneBefore.IsZero()
}

func onNoncurrent(w *bucket.Conditions) bool { return w.Live == nil || !*w.Live }

// reachWhen says whether the conditions about a version's name, class and own time
// take it in. Its own time, which is in no listing, and conditions that we don't know,
// may hold or not.
func reachWhen(w *bucket.Conditions, v bucket.Version) chance {
	some := func(list []string, match func(string) bool) bool {
		return len(list) == 0 || slices.ContainsFunc(list, match)
	}
	switch {
	case !some(w.Prefixes, func(p string) bool { return strings.HasPrefix(v.Key, p) }),
		!some(w.Suffixes, func(s string) bool { return strings.HasSuffix(v.Key, s) }):
		return no
	case len(w.Unknown) > 0 || w.CustomDays != nil || !w.CustomBefore.IsZero():
		return maybe
	case v.DeleteMarker || len(w.Classes) == 0:
		return yes
	case v.StorageClass == "":
		return maybe
	case !slices.Contains(w.Classes, v.StorageClass):
		return no
	}
	return yes
}

// dueWhen is the moment from which the conditions about a version's making hold, and
// about its end where it has one; noDate: they never do.
func dueWhen(w *bucket.Conditions, made, ended time.Time) time.Time {
	due := made
	if w.AgeDays != nil {
		due = later(due, plus(made, *w.AgeDays))
	}
	if !w.MadeBefore.IsZero() && !made.Before(w.MadeBefore) {
		return noDate
	}
	if ended.IsZero() {
		return due
	}
	due = later(due, ended)
	if w.Noncurrent != nil {
		due = later(due, plus(ended, *w.Noncurrent))
	}
	if !w.GoneBefore.IsZero() && !ended.Before(w.GoneBefore) {
		return noDate
	}
	return due
}

// plus gives t plus days, at most noDate.
func plus(t time.Time, days int) time.Time {
	if days > maxDays || !t.Before(noDate) {
		return noDate
	}
	return earlier(t.UTC().AddDate(0, 0, days), noDate)
}

// when gives the span in which the conditions of a rule come to hold for the i-th
// version as a noncurrent one, and its protection is over.
func (f *foretelling) when(i int, w *bucket.Conditions, first, last time.Time) (earliest, latest time.Time) {
	since, made := f.since(i), f.vs[i].Modified
	earliest = later(dueWhen(w, made, since.earliest), first)
	latest = noDate
	if since.latest.Before(noDate) {
		latest = later(dueWhen(w, made, since.latest), last)
	}
	if made.IsZero() {
		return earliest, noDate
	}
	if w.Newer == 0 {
		return earliest, latest
	}
	// The live one counts too. Which of the newer ones are left by then hangs on what
	// the rules do to them.
	all, left := 0, 0
	for j := range i {
		if !f.vs[j].DeleteMarker {
			all++
			if f.fates[j].gone.earliest.After(latest) {
				left++
			}
		}
	}
	if all < w.Newer {
		return noDate, noDate
	}
	if left < w.Newer {
		latest = noDate
	}
	return earliest, latest
}

// trimDays is after how many days at most a rule removes what became noncurrent, where
// it counts them; trimDue the moment for a version that was made and ended then.
func trimDays(r bucket.Rule) int64 {
	switch {
	case r.When == nil:
		return int64(max(r.NoncurrentDays, 0))
	case r.When.Noncurrent != nil:
		return int64(*r.When.Noncurrent)
	}
	return 0
}

func trimDue(r bucket.Rule, made, ended time.Time) time.Time {
	if r.When != nil {
		return dueWhen(r.When, made, ended)
	}
	return midnight(ended, r.NoncurrentDays)
}

// keepsNewest is how many newer noncurrent versions there have to be.
func keepsNewest(r bucket.Rule) int {
	if r.When != nil {
		return max(0, r.When.Newer-1) // the live one counts there
	}
	return r.NewerNoncurrent
}

// erases says that a rule takes away what deletions leave, by days that it counts.
func erases(r bucket.Rule) bool {
	return r.Enabled && (r.NoncurrentDays > 0 || r.ExpireDeleteMarkers || deletes(r) && onNoncurrent(r.When))
}

// prefixes are the starts of the keys that a rule is for; never empty.
func prefixes(r bucket.Rule) []string {
	if r.When != nil && len(r.When.Prefixes) > 0 {
		return r.When.Prefixes
	}
	return []string{r.Prefix}
}

// describeWhen says what a rule does, to which versions.
func describeWhen(w *bucket.Conditions) string {
	does := map[bucket.Action]string{bucket.ActionDelete: "deletes versions", bucket.ActionClass: "moves versions to " + w.StorageClass, bucket.ActionAbort: "gives up unfinished uploads"}[w.Action]
	if does == "" {
		does = fmt.Sprintf("does %q to versions", string(w.Action))
	}
	var that []string
	say := func(on bool, format string, args ...any) {
		if on {
			that = append(that, fmt.Sprintf(format, args...))
		}
	}
	say(w.Live != nil && *w.Live, "are live")
	say(w.Live != nil && !*w.Live, "are noncurrent")
	if w.AgeDays != nil {
		say(true, "are %s old", count(int64(*w.AgeDays), "day"))
	}
	say(!w.MadeBefore.IsZero(), "were made before %s", w.MadeBefore.Format(time.DateOnly))
	if w.Noncurrent != nil {
		say(true, "became noncurrent %s ago", count(int64(*w.Noncurrent), "day"))
	}
	say(!w.GoneBefore.IsZero(), "became noncurrent before %s", w.GoneBefore.Format(time.DateOnly))
	say(w.Newer > 0, "have %s", count(int64(w.Newer), "newer version"))
	if w.CustomDays != nil {
		say(true, "have a custom time that is %s past", count(int64(*w.CustomDays), "day"))
	}
	say(!w.CustomBefore.IsZero(), "have a custom time before %s", w.CustomBefore.Format(time.DateOnly))
	say(len(w.Classes) > 0, "are of the class %s", strings.Join(w.Classes, " or "))
	say(len(w.Unknown) > 0, "meet conditions that this program does not know (%s)", strings.Join(w.Unknown, ", "))
	if len(that) > 0 {
		does += " that " + strings.Join(that, " and ")
	}
	where := "of all keys"
	if len(w.Prefixes) > 0 {
		where = "of keys that start with " + anyOf(w.Prefixes)
	}
	if len(w.Suffixes) > 0 {
		where += ", and end in " + anyOf(w.Suffixes)
	}
	return does + ", " + where
}

func anyOf(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, " or ")
}
