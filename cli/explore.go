package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/s3"
	"provcat-tui/views"
)

// runViews hands the explorer all that it needs from the flags, the config file
// and the state of earlier runs.
func (a *app) runViews(ctx context.Context, at *bucket.Location) error {
	s := views.Start{
		Location: at,
		Open: func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
			return bucket.Open(ctx, l, a.options(l))
		},
		Buckets:     a.listBuckets,
		Recent:      a.recent(),
		Visited:     a.visited,
		ReadOnly:    a.flags.readOnly,
		NoColor:     a.flags.noColor,
		Author:      a.author(),
		Concurrency: a.flags.concurrency,
		IgnoreFile:  a.ignoreFile(),
		Prices:      a.config.Prices.perThousand(),
		Version:     Version(),
		Now:         a.now,
	}
	for _, b := range a.config.Bookmarks {
		s.Bookmarks = append(s.Bookmarks, views.Bookmark{Name: b.Name, URL: b.URL})
	}
	err := views.Run(ctx, s)
	if errors.Is(err, views.ErrNoTerminal) {
		return usagef("%s", err)
	}
	return err
}

// ignoreFile is the explorer's file of acknowledged findings.
func (a *app) ignoreFile() string {
	if a.flags.ignore != "" {
		return a.flags.ignore
	}
	return filepath.Join(filepath.Dir(configPath()), "ignore.yaml")
}

// checkIgnore refuses a file of --ignore that cannot be used. It need not be there:
// the first finding that is acknowledged makes it.
func (a *app) checkIgnore() error {
	if a.flags.ignore == "" {
		return nil
	}
	if _, err := audit.LoadIgnore(a.flags.ignore); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fileError("--ignore", a.flags.ignore, err)
	}
	return nil
}

// listBuckets gives the URLs of the buckets that the credentials of the flags
// can list.
func (a *app) listBuckets(ctx context.Context) ([]string, error) {
	var urls []string
	for name, err := range s3.Buckets(ctx, bucket.Options{
		Profile: a.flags.profile, Region: a.flags.region, Endpoint: a.flags.endpoint,
		PathStyle: a.flags.pathStyle, ReadOnly: true, Log: a.log,
	}) {
		if err != nil {
			return urls, err
		}
		urls = append(urls, "s3://"+name)
	}
	return urls, nil
}
