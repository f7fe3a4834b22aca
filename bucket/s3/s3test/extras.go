package s3test

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"provcat-tui/bucket"
)

// What follows makes a Bucket fit buckettest.Extras.

// SetTags replaces the tags of a version.
func (b *Bucket) SetTags(ctx context.Context, key, version string, tags map[string]string) error {
	in := &awss3.PutObjectTaggingInput{Bucket: &b.Name, Key: &key, VersionId: &version, Tagging: &types.Tagging{TagSet: []types.Tag{}}}
	for k, v := range tags {
		in.Tagging.TagSet = append(in.Tagging.TagSet, types.Tag{Key: aws.String(k), Value: aws.String(v)})
	}
	_, err := b.Client.PutObjectTagging(ctx, in)
	return err
}

// SetProtection sets a version's retention, of mode GOVERNANCE, and its legal
// hold, each where it is to change. It switches the bucket's object lock on.
func (b *Bucket) SetProtection(ctx context.Context, key, version string, p bucket.Protection) error {
	if b.locked == nil {
		if _, err := b.Client.PutObjectLockConfiguration(ctx, &awss3.PutObjectLockConfigurationInput{Bucket: &b.Name,
			ObjectLockConfiguration: &types.ObjectLockConfiguration{ObjectLockEnabled: types.ObjectLockEnabledEnabled}}); err != nil {
			return err
		}
		b.locked = aws.Bool(true)
	}
	if p.RetainUntil.After(time.Now()) {
		if _, err := b.Client.PutObjectRetention(ctx, &awss3.PutObjectRetentionInput{Bucket: &b.Name, Key: &key, VersionId: &version, BypassGovernanceRetention: b.locked,
			Retention: &types.ObjectLockRetention{Mode: types.ObjectLockRetentionModeGovernance, RetainUntilDate: &p.RetainUntil}}); err != nil {
			return err
		}
	}
	hold := types.ObjectLockLegalHoldStatusOff
	if p.LegalHold {
		hold = types.ObjectLockLegalHoldStatusOn
	}
	_, err := b.Client.PutObjectLegalHold(ctx, &awss3.PutObjectLegalHoldInput{Bucket: &b.Name, Key: &key, VersionId: &version, LegalHold: &types.ObjectLockLegalHold{Status: hold}})
	return err
}

// StartUpload starts a multipart upload and gives its ID.
func (b *Bucket) StartUpload(ctx context.Context, key string) (string, error) {
	out, err := b.Client.CreateMultipartUpload(ctx, &awss3.CreateMultipartUploadInput{Bucket: &b.Name, Key: &key})
	if err != nil {
		return "", err
	}
	return aws.ToString(out.UploadId), nil
}

// AbortUpload gives a multipart upload up.
func (b *Bucket) AbortUpload(ctx context.Context, key, id string) error {
	_, err := b.Client.AbortMultipartUpload(ctx, &awss3.AbortMultipartUploadInput{Bucket: &b.Name, Key: &key, UploadId: &id})
	return err
}

// FinishUpload completes a multipart upload with one part.
func (b *Bucket) FinishUpload(ctx context.Context, key, id, part string) (bucket.Version, error) {
	one := aws.Int32(1)
	up, err := b.Client.UploadPart(ctx, &awss3.UploadPartInput{Bucket: &b.Name, Key: &key, UploadId: &id, PartNumber: one, Body: strings.NewReader(part)})
	if err != nil {
		return bucket.Version{}, err
	}
	out, err := b.Client.CompleteMultipartUpload(ctx, &awss3.CompleteMultipartUploadInput{Bucket: &b.Name, Key: &key, UploadId: &id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: one, ETag: up.ETag}}}})
	if err != nil {
		return bucket.Version{}, err
	}
	return bucket.Version{Key: key, ID: aws.ToString(out.VersionId), ETag: strings.Trim(aws.ToString(out.ETag), `"`), Size: int64(len(part))}, nil
}
