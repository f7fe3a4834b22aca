package s3

import (
	"context"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"provcat-tui/bucket"
)

// Buckets lists the names of the buckets that the credentials may list, a page
// at a time. After an error it yields nothing more. It needs
// s3:ListAllMyBuckets, which many who may read a bucket do not have.
func Buckets(ctx context.Context, o bucket.Options) iter.Seq2[string, error] {
	return BucketsWith(ctx, o)
}

// BucketsWith is Buckets with changes to the SDK's options, as in OpenWith.
func BucketsWith(ctx context.Context, o bucket.Options, tune ...func(*awss3.Options)) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		b := &store{}
		if err := b.connect(ctx, o, "", tune); err != nil {
			yield("", err)
			return
		}
		defer b.close()
		c := call{op: "list the buckets of", permission: "s3:ListAllMyBuckets"}
		in := &awss3.ListBucketsInput{MaxBuckets: aws.Int32(1000)}
		seen := map[string]bool{}
		for {
			out, err := b.client.ListBuckets(c.in(ctx), in, requireRoot("ListAllMyBucketsResult"))
			if err != nil {
				yield("", b.fail(c, err))
				return
			}
			for _, each := range out.Buckets {
				if !yield(aws.ToString(each.Name), nil) {
					return
				}
			}
			token := aws.ToString(out.ContinuationToken)
			if token == "" {
				return
			}
			if seen[token] {
				yield("", b.fail(c, &badAnswer{text: "the list of buckets goes in a circle"}))
				return
			}
			seen[token] = true
			in.ContinuationToken = aws.String(token)
		}
	}
}
