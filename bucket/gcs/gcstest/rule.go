package gcstest

import (
	"time"

	raw "google.golang.org/api/storage/v1"

	"provcat-tui/bucket"
)

// Rules writes a rule as Cloud Storage takes it. One of S3's kind becomes a rule for
// each of its actions, with the conditions that mean the same, as far as there are any:
// a test that holds for both clouds sets one rule for both.
func Rules(r *bucket.Rule) []*raw.BucketLifecycleRule {
	if r.When != nil {
		return []*raw.BucketLifecycleRule{conditions(r.When)}
	}
	if !r.Enabled {
		return nil
	}
	var out []*raw.BucketLifecycleRule
	add := func(w bucket.Conditions) {
		if r.Prefix != "" {
			w.Prefixes = []string{r.Prefix}
		}
		out = append(out, conditions(&w))
	}
	live, noncurrent := true, false
	if r.ExpireDays > 0 {
		add(bucket.Conditions{Action: bucket.ActionDelete, Live: &live, AgeDays: &r.ExpireDays})
	}
	if !r.ExpireDate.IsZero() {
		add(bucket.Conditions{Action: bucket.ActionDelete, Live: &live, MadeBefore: r.ExpireDate})
	}
	if r.NoncurrentDays > 0 || r.NewerNoncurrent > 0 {
		w := bucket.Conditions{Action: bucket.ActionDelete, Live: &noncurrent, Noncurrent: &r.NoncurrentDays}
		if r.NewerNoncurrent > 0 {
			w.Newer = r.NewerNoncurrent + 1 // the live one is a newer one too
		}
		add(w)
	}
	for _, t := range r.Transitions {
		w := bucket.Conditions{Action: bucket.ActionClass, StorageClass: t.StorageClass}
		if t.Noncurrent {
			w.Live, w.Noncurrent = &noncurrent, &t.Days
		} else {
			w.Live, w.AgeDays = &live, &t.Days
		}
		add(w)
	}
	return out
}

func conditions(w *bucket.Conditions) *raw.BucketLifecycleRule {
	c := &raw.BucketLifecycleRuleCondition{IsLive: w.Live, MatchesPrefix: w.Prefixes, MatchesSuffix: w.Suffixes, MatchesStorageClass: w.Classes,
		CreatedBefore: date(w.MadeBefore), NoncurrentTimeBefore: date(w.GoneBefore), CustomTimeBefore: date(w.CustomBefore)}
	force := func(field string, to *int64, n *int) {
		if n != nil {
			*to = int64(*n)
			c.ForceSendFields = append(c.ForceSendFields, field)
		}
	}
	if w.AgeDays != nil {
		age := int64(*w.AgeDays)
		c.Age = &age
	}
	force("DaysSinceNoncurrentTime", &c.DaysSinceNoncurrentTime, w.Noncurrent)
	force("DaysSinceCustomTime", &c.DaysSinceCustomTime, w.CustomDays)
	if w.Newer > 0 {
		c.NumNewerVersions = int64(w.Newer)
	}
	return &raw.BucketLifecycleRule{Action: &raw.BucketLifecycleRuleAction{Type: string(w.Action), StorageClass: w.StorageClass}, Condition: c}
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}
