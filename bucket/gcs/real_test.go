package gcs_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/bucket/buckettest"
	"provcat-tui/bucket/gcs/gcstest"
)

// The suite on a server of Cloud Storage's protocol that others wrote, fake-gcs-server:
// a second opinion of writes, races, reads, copies and odd names. It is none of pages,
// since it repeats them.
func TestRealServerSuite(t *testing.T) {
	endpoint := gcstest.RealEndpoint(t)
	open := func(t *testing.T) buckettest.Bucket { return onePage{gcstest.New(t, endpoint)} }
	buckettest.Run(t, open, buckettest.Options{Generations: true, Known: others, Parallel: true})
}

// onePage asks for every listing in one page.
type onePage struct{ *gcstest.Bucket }

func (b onePage) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	r.PageSize = 0
	return b.Bucket.Versions(ctx, r)
}

// others are where fake-gcs-server 1.56.1, or Cloud Storage itself, is not as S3 is.
var others = func() map[string]string {
	known := map[string]string{
		"level/folders-with-deleted-keys-only": differences["level/folders-with-deleted-keys-only"],
		"delete/latest-version":                differences["delete/latest-version"],
		"plain/no-uploads":                     differences["plain/no-uploads"],
		"plain/no-protection":                  differences["plain/no-protection"],
		"create/key-too-long":                  "names of any length are taken",
		"hold/held-and-released":               "holds are not kept",
		"hold/over-a-held-live-version":        "holds are not kept",
	}
	for _, path := range buckettest.Paths() {
		if strings.HasPrefix(path, "conditions/lifecycle-") && path != "conditions/lifecycle-none" {
			known[path] = "lifecycle rules are not kept"
		}
	}
	return known
}()
