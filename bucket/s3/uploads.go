package s3

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// uploadPager asks for one page of unfinished uploads after the other, with the
// same distrust as pager. There are few of them, so the SDK's decoder serves.
type uploadPager struct {
	b      *store
	prefix string
	// What the next page is asked with. keyMarker alone means: after all uploads
	// of that key; both: after that one of them.
	keyMarker, idMarker string
	asked               map[string]bool // upload markers asked with at keyMarker
	last                string          // the greatest key seen so far
}

func (p *uploadPager) call() call {
	return call{op: "list the unfinished uploads of", prefix: p.prefix, permission: "s3:ListBucketMultipartUploads"}
}

// fetch gets the page at the markers, and says whether another one follows.
func (p *uploadPager) fetch(ctx context.Context) ([]bucket.Upload, bool, error) {
	in := &awss3.ListMultipartUploadsInput{Bucket: &p.b.name, EncodingType: types.EncodingTypeUrl, RequestPayer: p.b.requestPayer()}
	if p.prefix != "" {
		in.Prefix = &p.prefix
	}
	if p.keyMarker != "" {
		in.KeyMarker = &p.keyMarker
	}
	if p.idMarker != "" {
		in.UploadIdMarker = &p.idMarker
	}
	out, err := p.b.client.ListMultipartUploads(p.call().in(ctx), in, requireRoot("ListMultipartUploadsResult"))
	if err != nil {
		var no *smithy.DeserializationError
		if s := httpStatus(err); s >= 200 && s < 300 && errors.As(err, &no) {
			err = errors.Join(&badAnswer{Text: "a listing of uploads that cannot be read: " + remote.Clip(no.Err.Error())}, err)
		}
		return nil, false, err
	}
	key := plainKey
	if out.EncodingType == types.EncodingTypeUrl {
		key = decodeKey
	}
	prefix, err := key(out.Prefix)
	if err != nil {
		return nil, false, err
	}
	name := aws.ToString(out.Bucket)
	switch {
	case out.IsTruncated == nil:
		return nil, false, &badAnswer{Text: "the listing does not say whether it is complete (no IsTruncated)"}
	case name != "" && name != p.b.name && !p.b.alias():
		return nil, false, &badAnswer{Text: fmt.Sprintf("the listing is of another bucket: %.80q", name)}
	case prefix != p.prefix && (out.Prefix != nil || p.prefix != ""):
		return nil, false, &badAnswer{Text: fmt.Sprintf("the listing is of another prefix: %.80q", prefix)}
	case len(out.CommonPrefixes) > 0:
		return nil, false, &badAnswer{Text: "the listing holds folders, which were not asked for"}
	}
	list := make([]bucket.Upload, len(out.Uploads))
	for i, u := range out.Uploads {
		if list[i], err = p.upload(u, key); err != nil {
			return nil, false, err
		}
	}
	if !*out.IsTruncated {
		return list, false, nil
	}
	next, err := key(out.NextKeyMarker)
	if err == nil {
		err = p.advance(next, aws.ToString(out.NextUploadIdMarker), list)
	}
	return list, err == nil, err
}

func (p *uploadPager) upload(u types.MultipartUpload, decode func(*string) (string, error)) (bucket.Upload, error) {
	key, err := decode(u.Key)
	if err != nil {
		return bucket.Upload{}, err
	}
	switch {
	case key == "" || aws.ToString(u.UploadId) == "" || u.Initiated == nil:
		return bucket.Upload{}, &badAnswer{Text: "an upload without its key, ID or time"}
	case !strings.HasPrefix(key, p.prefix):
		return bucket.Upload{}, &badAnswer{Text: fmt.Sprintf("the listing holds %.80q, which is outside the prefix", key)}
	case key < p.last:
		return bucket.Upload{}, &badAnswer{Text: fmt.Sprintf("the store lists keys out of order: %.80q after %.80q", key, p.last), Hint: orderHint}
	}
	p.last = key
	return bucket.Upload{Key: key, ID: *u.UploadId, Started: u.Initiated.UTC()}, nil
}

// advance sets the markers of the next page.
func (p *uploadPager) advance(key, id string, list []bucket.Upload) error {
	switch {
	case key == "":
		return &badAnswer{Text: "the page says that more follows, but not where (no NextKeyMarker)", Hint: pagingHint}
	case key < p.keyMarker || key < p.last:
		return &badAnswer{Text: fmt.Sprintf("the listing goes back: the next page is said to start at %.80q, after %.80q", key, p.last), Hint: pagingHint}
	case id == "" && len(list) > 0 && list[len(list)-1].Key == key:
		// Asked for without it, the rest of the key's uploads would be left out.
		return &badAnswer{Text: fmt.Sprintf("the page ends at an upload of %.80q, but does not say at which (no NextUploadIdMarker)", key), Hint: pagingHint}
	case key == p.keyMarker && (id == "" || id == p.idMarker || p.asked[id]):
		return &badAnswer{Text: fmt.Sprintf("the listing goes in a circle at %.80q", key), Hint: pagingHint}
	}
	if key != p.keyMarker || p.asked == nil {
		p.asked = map[string]bool{}
	}
	p.asked[id] = true
	p.keyMarker, p.idMarker = key, id
	return nil
}

func plainKey(s *string) (string, error) { return aws.ToString(s), nil }

func decodeKey(s *string) (string, error) {
	t := []byte(aws.ToString(s))
	if err := decodeURL(&t); err != nil {
		return "", &badAnswer{Text: err.Error()}
	}
	return string(t), nil
}

func (b *store) Uploads(ctx context.Context, prefix string) iter.Seq2[bucket.Upload, error] {
	return func(yield func(bucket.Upload, error) bool) {
		p := &uploadPager{b: b, prefix: prefix}
		for more := true; more; {
			var list []bucket.Upload
			var err error
			if list, more, err = p.fetch(ctx); err != nil {
				yield(bucket.Upload{}, b.fail(p.call(), err))
				return
			}
			for _, u := range list {
				if !yield(u, nil) {
					return
				}
			}
		}
	}
}
