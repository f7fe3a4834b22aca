package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// putLimit bounds the settling of unclear answers to one put.
const putLimit = 30 * time.Second

// putAbsent puts the same bytes until the answer is clear. What then lies there is
// for the caller to look at: a refusal may be the answer to an earlier try that
// landed.
func (t target) putAbsent(ctx context.Context, body io.ReadSeeker) error {
	end := time.Now().Add(putLimit)
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		_, err := t.b.PutIfAbsent(ctx, t.key, body)
		switch {
		case errors.Is(err, bucket.ErrExists):
			return refused("the store refused the write: something is live at %s; on some stores a delete marker counts as that, and must be removed first", safe.Text(t.key))
		case !errors.Is(err, bucket.ErrUnclear) || ctx.Err() != nil || time.Now().Add(wait).After(end):
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// spool copies a version to a temporary file that is gone when it is closed.
func (t target) spool(ctx context.Context, version string) (*spooled, error) {
	f, err := os.CreateTemp("", "provcat-repair-")
	if err != nil {
		return nil, err
	}
	s := &spooled{f}
	if err := t.copyTo(ctx, version, f); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// copyTo writes the bytes of a version to a file.
func (t target) copyTo(ctx context.Context, version string, w io.Writer) error {
	r, _, err := t.b.Open(ctx, t.key, version, 0)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // only read from
	if _, err = io.Copy(w, r); err != nil {
		return fmt.Errorf("copy version %s of %s: %w", safe.Text(version), safe.Text(t.key), err)
	}
	return nil
}

type spooled struct{ *os.File }

func (s *spooled) close() {
	_ = s.Close() // read from, or given up
	_ = os.Remove(s.Name())
}
