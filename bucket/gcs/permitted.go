package gcs

import (
	"context"
	"fmt"
	"slices"

	raw "google.golang.org/api/storage/v1"

	"provcat-tui/bucket/remote"
)

// Permitted asks which of the permissions the caller has on the bucket: see
// bucket.Permitted. A role with a condition on the name of objects does not count.
//
// Cloud Storage documentation, JSON API, "Buckets: testIamPermissions": a GET, which
// needs no permission.
func (b *store) Permitted(ctx context.Context, permissions []string) ([]string, error) {
	c := &call{op: "ask for the permissions on", name: opPermissions}
	in := b.api.Buckets.TestIamPermissions(b.name, permissions)
	if b.billing != "" {
		in.UserProject(b.billing)
	}
	var got *raw.TestIamPermissionsResponse
	err := b.do(ctx, c, func(ctx context.Context) (err error) {
		got, err = in.Context(ctx).Do()
		return err
	})
	if err == nil && got.Kind != "storage#testIamPermissionsResponse" {
		err = &remote.BadAnswer{Text: "no answer about permissions"}
	}
	if err != nil {
		return nil, b.fail(c, err)
	}
	for _, p := range got.Permissions {
		if !slices.Contains(permissions, p) {
			return nil, b.fail(c, &remote.BadAnswer{Text: fmt.Sprintf("it tells of the permission %.60q, which was not asked for", p)})
		}
	}
	return got.Permissions, nil
}
