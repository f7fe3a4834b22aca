package audit

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// tell makes a finding of each tally, in a fixed order.
func (x *forecast) tell() []Finding {
	var ids []tallyID
	for id := range x.tallies {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b tallyID) int {
		return cmp.Or(strings.Compare(a.what, b.what), strings.Compare(a.folder, b.folder), cmp.Compare(a.rule, b.rule), cmp.Compare(fmt.Sprint(b.sure), fmt.Sprint(a.sure)))
	})
	var out []Finding
	for _, id := range ids {
		if id.what == archivedNow {
			out = append(out, x.archivedNow(id, x.tallies[id]))
		} else {
			out = append(out, x.foretold(id, x.tallies[id]))
		}
	}
	return out
}

// foretold is the finding of what a rule will do to versions.
func (x *forecast) foretold(id tallyID, t *tally) Finding {
	folder, rule, name := id.folder, x.l.rules[id.rule], ruleNames(x.l.rules)[id.rule]
	f := Finding{ID: "version-will-expire", Severity: Risk, Confidence: Certain, Folder: &folder, Due: &t.due, Affected: t.affected(x), Repair: x.a.changeRule()}
	key, will, does := name, "will", fmt.Sprintf("delete %s that %s name", count(t.versions, "version"), whose(folder, f.Affected.Commits))
	if id.what == willArchive {
		f.ID = "version-archived"
		does = fmt.Sprintf("archive %s that %s name", count(t.versions, "version"), whose(folder, f.Affected.Commits))
	}
	if !id.sure {
		f.Confidence, will, key = Possible, "may", key+"\x00may"
	}
	f.Title = fmt.Sprintf("the lifecycle rule %q %s %s, %s", name, will, does, when(t.due, x.a.clock, t.versions))
	said := []string{fmt.Sprintf("The rule %s.", describeRule(rule))}
	if t.live > 0 && id.sure {
		first := "their expiration lays a delete marker over them first"
		if rule.When != nil {
			first = "they become noncurrent first"
		}
		said = append(said, fmt.Sprintf("%d of them are live: %s, and they are deleted as noncurrent versions after that.", t.live, first))
	}
	if t.overdue > 0 {
		said = append(said, fmt.Sprintf("%d %s due already and still there: the store may lag behind by days, and acts any day now (the schedule counts them in this week).", t.overdue, isAre(t.overdue)))
	}
	if id.what == willArchive {
		said = append(said, "From then on they cannot be read before they are restored, which takes minutes to two days and costs money.")
	} else {
		said = append(said, "From then on these files of the commits below are gone for good; other files and other commits are not affected.")
	}
	if first := breaksFirst(f.Affected.Commits); first != "" {
		said = append(said, first)
	}
	said = append(said, x.doubts(t)...)
	if id.sure {
		said = append(said, "The dates hold as long as nobody writes to these keys and the rule stays as it is.")
	}
	f.Detail = strings.Join(said, " ")
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: key}, commit.FolderHash(folder))
	return f
}

// when says from which day on something happens.
func when(due, now time.Time, n int64) string {
	switch on := due.Format(time.DateOnly); {
	case !due.After(now):
		return "due since " + on
	case n == 1:
		return "on " + on
	default:
		return "from " + on + " on"
	}
}

// doubts says why what is foretold is not sure, and what it leaves out.
func (x *forecast) doubts(t *tally) []string {
	var out []string
	unread := ""
	if x.failed != nil {
		unread = " (" + x.failed.Error() + ")"
	} else if x.beyond > 0 {
		unread = fmt.Sprintf(" (an audit reads those of %d versions)", maxForecastReads)
	}
	if t.tags > 0 {
		out = append(out, fmt.Sprintf("Whether the rule applies hangs on tags, and those of %s were not read%s.", count(t.tags, "version"), unread))
	}
	if t.locks > 0 {
		out = append(out, fmt.Sprintf("Object lock may protect %s: that was not read%s.", count(t.locks, "version"), unread))
	}
	if t.small > 0 {
		out = append(out, fmt.Sprintf("Smaller than 128 KB %s %d of them: S3 leaves those where they are, unless the configuration is from before September 2024 or says otherwise.", isAre(t.small), t.small))
	}
	if t.store > 0 {
		out = append(out, fmt.Sprintf("For %s it depends on what the service does not document (whether delete markers count among the versions that a rule keeps, which of two rules due on one day acts first) or did not tell.", count(t.store, "version")))
	}
	if x.cut {
		out = append(out, "A listing failed, so there may be more.")
	}
	return out
}

// breaksFirst names the commits that break first.
func breaksFirst(list []CommitRef) string {
	if len(list) == 0 || list[0].Due == nil {
		return ""
	}
	n := sort.Search(len(list), func(i int) bool { return list[i].Due.After(*list[0].Due) })
	one := !slices.ContainsFunc(list[:n], func(c CommitRef) bool { return c.Folder != list[0].Folder })
	var names []string
	for _, c := range list[:min(n, 3)] {
		if one {
			names = append(names, fmt.Sprint(c.Number))
		} else {
			names = append(names, fmt.Sprintf("%d of %s", c.Number, folderTitle(c.Folder)))
		}
	}
	if n > 3 {
		names = append(names, fmt.Sprintf("%d more", n-3))
	}
	first := strings.Join(names, ", ")
	if k := len(names) - 1; k > 0 {
		first = strings.Join(names[:k], ", ") + " and " + names[k]
	}
	if one {
		first += " of " + folderTitle(list[0].Folder)
	}
	text := fmt.Sprintf("%s %s %s first, on %s", its(int64(n), "Commits", "Commit"), first, its(int64(n), "break", "breaks"), list[0].Due.Format(time.DateOnly))
	if n < len(list) {
		return fmt.Sprintf("%s; %d in all.", text, len(list))
	}
	return text + "."
}

// archivedNow is the finding of versions that can't be read at once.
func (x *forecast) archivedNow(id tallyID, t *tally) Finding {
	folder := id.folder
	f := Finding{ID: "version-archived", Severity: Risk, Confidence: Certain, Folder: &folder, Affected: t.affected(x)}
	f.Title = fmt.Sprintf("%s that %s name %s archived and cannot be read at once", count(t.versions, "version"), whose(folder, f.Affected.Commits), isAre(t.versions))
	f.Detail = "A version in the class GLACIER or DEEP_ARCHIVE, or in an archive tier of INTELLIGENT_TIERING, has to be restored first, which takes minutes to two days and costs money; until then a read of it fails. One that was restored lately can be read for as long as the restored copy was asked for: a listing does not tell."
	if x.cut {
		f.Detail += " A listing failed, so there may be more."
	}
	f.Repair = &Repair{Kind: "restore-version", Text: "Restore the versions that somebody needs, and give the rule that archives them a filter that leaves out what commits name."}
	if name, ok := x.a.s3Name(); ok {
		e := t.examples[0]
		// Out of a tier a version comes back for good, and days are refused (S3 API
		// reference, RestoreObject).
		text, request := " The command restores the first example for a week.", "Days=7"
		if e.Note == inATier {
			text, request = " The command brings the first example back.", "{}"
		}
		if awsRepair(f.Repair, "restore-object", "--bucket", name, "--key", e.Key, "--version-id", e.Version, "--restore-request", request); f.Repair.Command != "" {
			f.Repair.Text += text
		}
	}
	f.Fingerprint = fingerprint(Finding{ID: f.ID}, commit.FolderHash(folder))
	return f
}

const changeRuleText = "Disable the rule, give it more days, or a filter (prefix, tag, size) that leaves out what commits name, before the date."

const changeConditionText = "Remove the rule, give it more days, or a condition (matchesPrefix, matchesSuffix) that leaves out what commits name, before the date."

// changeRule is the repair of what a rule will do. The configuration is written as a
// whole, so it has to be read first.
func (a *auditor) changeRule() *Repair {
	r := &Repair{Kind: "change-rule", Text: changeRuleText}
	if name, ok := a.s3Name(); ok {
		r.Text += " The command shows all rules; they are written back as a whole, with put-bucket-lifecycle-configuration."
		r.Command = "aws s3api get-bucket-lifecycle-configuration --bucket " + safe.Shell(name)
	}
	if _, ok := a.gcsName(); ok {
		r.Text = changeConditionText + " The command shows all rules; they are written back as a whole, with \"gcloud storage buckets update --lifecycle-file\"."
		r.Command = "gcloud storage buckets describe " + safe.Shell(a.b.URL()) + " --format=\"default(lifecycle_config)\""
	}
	return r
}

// ruleNames gives each rule a name that no other has.
func ruleNames(rules []bucket.Rule) []string {
	out := make([]string, len(rules))
	seen := map[string]int{}
	for i, r := range rules {
		name := ruleName(r)
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s #%d", name, seen[name])
		}
		out[i] = name
	}
	return out
}

// describeRule says what a rule does to live and noncurrent versions, and to which.
func describeRule(r bucket.Rule) string {
	if r.When != nil {
		return describeWhen(r.When)
	}
	var does []string
	if r.ExpireDays > 0 {
		does = append(does, fmt.Sprintf("expires live versions %s after they were made", count(int64(r.ExpireDays), "day")))
	}
	if !r.ExpireDate.IsZero() {
		does = append(does, "expires live versions from "+r.ExpireDate.Format(time.DateOnly)+" on")
	}
	if trims(r) {
		keeps := ""
		if r.NewerNoncurrent > 0 {
			keeps = fmt.Sprintf(" but the newest %d of each key", r.NewerNoncurrent)
		}
		does = append(does, fmt.Sprintf("deletes noncurrent versions%s %s after the next newer one was made", keeps, count(int64(r.NoncurrentDays), "day")))
	}
	if r.ExpireDeleteMarkers {
		does = append(does, "removes delete markers with nothing under them")
	}
	for _, t := range r.Transitions {
		if archives(t.StorageClass) {
			does = append(does, fmt.Sprintf("moves %s versions to %s %s", map[bool]string{true: "noncurrent", false: "live"}[t.Noncurrent], t.StorageClass, transitionTime(t)))
		}
	}
	text := strings.Join(does, ", ")
	where := "of all keys"
	if r.Prefix != "" {
		where = fmt.Sprintf("of keys that start with %q", r.Prefix)
	}
	var only []string
	if r.LargerThan > 0 {
		only = append(only, fmt.Sprintf("larger than %d bytes", r.LargerThan))
	}
	if r.SmallerThan > 0 {
		only = append(only, fmt.Sprintf("smaller than %d bytes", r.SmallerThan))
	}
	for name, value := range r.Tags {
		only = append(only, fmt.Sprintf("tagged %s=%s", name, value))
	}
	sort.Strings(only)
	return strings.Join(append([]string{text + ", " + where}, only...), ", ")
}

func transitionTime(t bucket.Transition) string {
	switch {
	case !t.Date.IsZero():
		return "from " + t.Date.Format(time.DateOnly) + " on"
	case t.Noncurrent:
		return count(int64(t.Days), "day") + " after the next newer one was made"
	}
	return count(int64(t.Days), "day") + " after they were made"
}
