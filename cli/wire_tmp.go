package cli

import (
	"context"
	"errors"

	"provcat-tui/bucket"
)

func (a *app) runViews(ctx context.Context, at *bucket.Location) error {
	return errors.New("not wired yet")
}
