package s3test

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket"
)

// rule writes a rule as S3 takes it: with a filter, whose conditions stand in
// And where there are several.
func rule(r *bucket.Rule) types.LifecycleRule {
	out := types.LifecycleRule{ID: aws.String(r.ID), Status: types.ExpirationStatusDisabled, Filter: &types.LifecycleRuleFilter{}}
	if r.Enabled {
		out.Status = types.ExpirationStatusEnabled
	}
	var tags []types.Tag
	for k, v := range r.Tags {
		tags = append(tags, types.Tag{Key: aws.String(k), Value: aws.String(v)})
	}
	conditions := len(tags)
	for _, set := range []bool{r.Prefix != "", r.LargerThan != 0, r.SmallerThan != 0} {
		if set {
			conditions++
		}
	}
	switch {
	case conditions > 1:
		out.Filter.And = &types.LifecycleRuleAndOperator{Tags: tags, ObjectSizeGreaterThan: size(r.LargerThan), ObjectSizeLessThan: size(r.SmallerThan)}
		if r.Prefix != "" {
			out.Filter.And.Prefix = aws.String(r.Prefix)
		}
	case len(tags) == 1:
		out.Filter.Tag = &tags[0]
	default:
		out.Filter.ObjectSizeGreaterThan, out.Filter.ObjectSizeLessThan = size(r.LargerThan), size(r.SmallerThan)
		if r.LargerThan == 0 && r.SmallerThan == 0 {
			out.Filter.Prefix = aws.String(r.Prefix)
		}
	}
	if r.ExpireDays != 0 || !r.ExpireDate.IsZero() || r.ExpireDeleteMarkers {
		out.Expiration = &types.LifecycleExpiration{Days: days(r.ExpireDays), Date: date(r.ExpireDate)}
		if r.ExpireDeleteMarkers {
			out.Expiration.ExpiredObjectDeleteMarker = aws.Bool(true)
		}
	}
	if r.NoncurrentDays != 0 || r.NewerNoncurrent != 0 {
		out.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: days(r.NoncurrentDays), NewerNoncurrentVersions: days(r.NewerNoncurrent)}
	}
	for _, t := range r.Transitions {
		class := types.TransitionStorageClass(t.StorageClass)
		if t.Noncurrent {
			out.NoncurrentVersionTransitions = append(out.NoncurrentVersionTransitions, types.NoncurrentVersionTransition{NoncurrentDays: days(t.Days), NewerNoncurrentVersions: days(t.NewerNoncurrent), StorageClass: class})
		} else {
			out.Transitions = append(out.Transitions, types.Transition{Days: days(t.Days), Date: date(t.Date), StorageClass: class})
		}
	}
	if r.AbortUploadsDays != 0 {
		out.AbortIncompleteMultipartUpload = &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: days(r.AbortUploadsDays)}
	}
	return out
}

func days(n int) *int32 {
	if n == 0 {
		return nil
	}
	return aws.Int32(int32(n))
}

func size(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func date(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
