package cli

import (
	"context"
	"errors"

	"provcat-tui/bucket"
)

func makeDemoBucket(ctx context.Context, path string, progress func(done, total int)) error {
	return errors.New("not wired yet")
}

func (a *app) runViews(ctx context.Context, at *bucket.Location) error {
	return errors.New("not wired yet")
}
