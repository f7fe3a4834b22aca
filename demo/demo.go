// Package demo makes a bucket to try the program on: the data of a small
// company over nine months, committed by several people and programs, and then
// damaged in the ways that Planted lists. It is the same on every run, to the
// byte, and made through package commit itself.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"provcat-tui/bucket/local"
	"provcat-tui/internal/safe"
)

// Make makes the demo bucket as one file at path, whose folder must exist. The
// file appears when it is whole, or not at all; an error that is fs.ErrExist
// where something is at path already. progress (may be nil) is told how many
// days of the bucket's history are done.
func Make(ctx context.Context, path string, progress func(done, total int)) (err error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	taken := func() error {
		return fmt.Errorf("make the demo bucket %s: %w; choose another place or remove it first", safe.Text(path), fs.ErrExist)
	}
	if _, err := os.Lstat(path); err == nil {
		return taken()
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".provcat-demo-")
	if err != nil {
		return fmt.Errorf("make the demo bucket %s: %w", safe.Text(path), err)
	}
	defer func() {
		if gone := os.RemoveAll(dir); err == nil {
			err = gone
		}
	}()
	unfinished := filepath.Join(dir, "demo.bucket")
	if err := fill(ctx, unfinished, progress); err != nil {
		return fmt.Errorf("make the demo bucket %s: %w", safe.Text(path), err)
	}
	// A link never replaces a file, a rename does. Not every file system has links.
	if err = os.Link(unfinished, path); errors.Is(err, fs.ErrExist) {
		return taken()
	} else if err == nil {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return taken()
	}
	return os.Rename(unfinished, path)
}

func fill(ctx context.Context, path string, progress func(done, total int)) (err error) {
	m := newMaker(ctx)
	m.b, err = local.Create(path, local.Options{Now: m.tick, NewID: m.newID, NoSync: true})
	if err != nil {
		return err
	}
	defer func() {
		if closed := m.b.Close(); err == nil {
			err = closed
		}
	}()
	total := int(lastDay.Sub(firstDay)/(24*time.Hour)) + 1
	for n := range total {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := m.day(firstDay.AddDate(0, 0, n)); err != nil {
			return err
		}
		progress(n+1, total)
	}
	return m.damage()
}
