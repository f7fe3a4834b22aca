package s3

import (
	"context"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// Listed is one bucket of a listing.
type Listed struct {
	Name string
	// Region is the bucket's own where the store tells it, else the one that was asked.
	Region string
	// Endpoint is the URL of the server that was asked; empty: AWS's own.
	Endpoint string
}

// Buckets lists the buckets that the credentials may list, a page
// at a time. After an error it yields nothing more. It needs
// s3:ListAllMyBuckets, which many who may read a bucket do not have.
func Buckets(ctx context.Context, o bucket.Options) iter.Seq2[Listed, error] {
	return BucketsWith(ctx, o)
}

// BucketsWith is Buckets with changes to the SDK's options, as in OpenWith.
func BucketsWith(ctx context.Context, o bucket.Options, tune ...func(*awss3.Options)) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		b := &store{secrets: &remote.Secrets{}}
		if err := b.connect(ctx, o, "", tune); err != nil {
			yield(Listed{}, err)
			return
		}
		defer b.close()
		c := call{op: "list the buckets of", permission: "s3:ListAllMyBuckets"}
		in := &awss3.ListBucketsInput{MaxBuckets: aws.Int32(1000)}
		seen := map[string]bool{}
		for {
			out, err := b.client.ListBuckets(c.in(ctx), in, requireRoot("ListAllMyBucketsResult"))
			if err != nil {
				yield(Listed{}, b.fail(c, err))
				return
			}
			for _, each := range out.Buckets {
				at := Listed{Name: aws.ToString(each.Name), Region: aws.ToString(each.BucketRegion), Endpoint: aws.ToString(b.client.Options().BaseEndpoint)}
				if at.Region == "" {
					at.Region = b.client.Options().Region
				}
				if !yield(at, nil) {
					return
				}
			}
			token := aws.ToString(out.ContinuationToken)
			if token == "" {
				return
			}
			if seen[token] {
				yield(Listed{}, b.fail(c, &badAnswer{Text: "the list of buckets goes in a circle"}))
				return
			}
			seen[token] = true
			in.ContinuationToken = aws.String(token)
		}
	}
}
