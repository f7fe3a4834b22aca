package s3

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket"
)

func (b *store) lifecycle(ctx context.Context) ([]bucket.Rule, error) {
	c := call{op: "read the lifecycle rules of", permission: "s3:GetLifecycleConfiguration"}
	out, err := b.client.GetBucketLifecycleConfiguration(c.in(ctx), &awss3.GetBucketLifecycleConfigurationInput{Bucket: &b.name}, requireRoot("LifecycleConfiguration", knownLifecycle))
	if err != nil {
		if apiCode(err) == "NoSuchLifecycleConfiguration" {
			return nil, nil
		}
		return nil, b.fail(c, err)
	}
	rules := make([]bucket.Rule, len(out.Rules))
	for i := range out.Rules {
		rules[i] = rule(&out.Rules[i])
		if what := senseless(&out.Rules[i], &rules[i]); what != "" {
			return nil, b.fail(c, &badAnswer{Text: fmt.Sprintf("rule %d of %d has %s", i+1, len(rules), what)})
		}
	}
	return rules, nil
}

// senseless says what of a rule no store that obeys rules can mean; empty: nothing. A
// rule that is not understood must not pass for one that does nothing.
func senseless(in *types.LifecycleRule, r *bucket.Rule) string {
	if in.Status != types.ExpirationStatusEnabled && in.Status != types.ExpirationStatusDisabled {
		return fmt.Sprintf("the status %.40q, neither Enabled nor Disabled", in.Status)
	}
	least := min(int64(r.ExpireDays), int64(r.NoncurrentDays), int64(r.NewerNoncurrent), int64(r.AbortUploadsDays), r.LargerThan, r.SmallerThan)
	for _, t := range r.Transitions {
		least = min(least, int64(t.Days), int64(t.NewerNoncurrent))
	}
	if least < 0 {
		return fmt.Sprintf("a number below zero, %d", least)
	}
	return ""
}

// rule translates a rule (S3 API reference, "LifecycleRule"). The prefix stands
// at the rule in old configurations, in the filter or in its And in newer ones.
func rule(in *types.LifecycleRule) bucket.Rule {
	r := bucket.Rule{ID: aws.ToString(in.ID), Enabled: in.Status == types.ExpirationStatusEnabled}
	r.Prefix = aws.ToString(in.Prefix) //nolint:staticcheck // deprecated, but old configurations have it and S3 obeys it
	if f := in.Filter; f != nil {
		filter(&r, f.Prefix, f.ObjectSizeGreaterThan, f.ObjectSizeLessThan)
		if f.Tag != nil {
			tags(&r, *f.Tag)
		}
		if and := f.And; and != nil {
			filter(&r, and.Prefix, and.ObjectSizeGreaterThan, and.ObjectSizeLessThan)
			tags(&r, and.Tags...)
		}
	}
	if e := in.Expiration; e != nil {
		r.ExpireDays, r.ExpireDate, r.ExpireDeleteMarkers = days(e.Days), date(e.Date), aws.ToBool(e.ExpiredObjectDeleteMarker)
	}
	if e := in.NoncurrentVersionExpiration; e != nil {
		r.NoncurrentDays, r.NewerNoncurrent = days(e.NoncurrentDays), days(e.NewerNoncurrentVersions)
	}
	for _, t := range in.Transitions {
		r.Transitions = append(r.Transitions, bucket.Transition{Days: days(t.Days), Date: date(t.Date), StorageClass: string(t.StorageClass)})
	}
	for _, t := range in.NoncurrentVersionTransitions {
		r.Transitions = append(r.Transitions, bucket.Transition{Noncurrent: true, Days: days(t.NoncurrentDays), NewerNoncurrent: days(t.NewerNoncurrentVersions), StorageClass: string(t.StorageClass)})
	}
	if a := in.AbortIncompleteMultipartUpload; a != nil {
		r.AbortUploadsDays = days(a.DaysAfterInitiation)
	}
	return r
}

func filter(r *bucket.Rule, prefix *string, larger, smaller *int64) {
	if prefix != nil {
		r.Prefix = *prefix
	}
	if larger != nil {
		r.LargerThan = *larger
	}
	if smaller != nil {
		r.SmallerThan = *smaller
	}
}

func tags(r *bucket.Rule, in ...types.Tag) {
	for _, t := range in {
		if r.Tags == nil {
			r.Tags = map[string]string{}
		}
		r.Tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
}

func days(n *int32) int { return int(aws.ToInt32(n)) }

func date(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
