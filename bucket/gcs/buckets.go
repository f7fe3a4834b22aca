package gcs

import (
	"context"
	"iter"

	"google.golang.org/api/googleapi"
	raw "google.golang.org/api/storage/v1"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// Listed is one bucket of a listing.
type Listed struct {
	Name     string
	Location string // "EU", "US-EAST1"
}

// Buckets lists the buckets of a project, a page at a time. After an error it yields
// nothing more. It needs storage.buckets.list in the project.
func Buckets(ctx context.Context, project string, o bucket.Options, tune ...func(*Tuning)) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		b := &store{billing: o.BillingProject, log: o.Log, secrets: &remote.Secrets{}}
		if err := b.connect(ctx, o, tune); err != nil {
			yield(Listed{}, err)
			return
		}
		defer b.close()
		c := &call{op: "list the buckets of the project " + project + " at", name: opBuckets, permission: "storage.buckets.list"}
		seen := map[string]bool{}
		in := b.api.Buckets.List(project).Projection("noAcl").Fields(googleapi.Field("kind,nextPageToken,items(name,location)"))
		if b.billing != "" {
			in.UserProject(b.billing)
		}
		for {
			var got *raw.Buckets
			err := b.do(ctx, c, func(ctx context.Context) (err error) {
				got, err = in.Context(ctx).Do()
				return err
			})
			switch {
			case err != nil:
			case got.Kind != "storage#buckets":
				err = &remote.BadAnswer{Text: "not a list of buckets of Cloud Storage"}
			case got.NextPageToken != "" && seen[got.NextPageToken]:
				err = &remote.BadAnswer{Text: "the list of buckets goes in a circle"}
			}
			if err != nil {
				yield(Listed{}, b.fail(c, err))
				return
			}
			for _, each := range got.Items {
				if !yield(Listed{each.Name, each.Location}, nil) {
					return
				}
			}
			if got.NextPageToken == "" {
				return
			}
			seen[got.NextPageToken] = true
			in.PageToken(got.NextPageToken)
		}
	}
}
