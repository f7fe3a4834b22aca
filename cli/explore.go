package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/gcs"
	"provcat-tui/bucket/s3"
	"provcat-tui/config"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
	"provcat-tui/views"
)

// runViews hands the explorer all that it needs from the flags, the config file
// and the state of earlier runs.
func (a *app) runViews(ctx context.Context, at *bucket.Location) error {
	s := views.Start{
		Location: at,
		Link:     a.link,
		Session:  a.session(),
		Open: func(ctx context.Context, l bucket.Location) (bucket.Bucket, error) {
			return bucket.Open(ctx, l, a.options(l))
		},
		Buckets:       a.listBuckets,
		Mouse:         a.config.MouseOn(),
		Theme:         a.config.Theme,
		Recent:        a.memory().Recent(),
		Way:           a.way,
		ConfigFile:    a.configPath(),
		Visited:       a.memory().Visited,
		Tell:          func(text string) { a.note("%s", text) },
		ReadOnly:      a.flags.readOnly,
		NoColor:       a.flags.noColor,
		ReadOnlyAt:    a.readOnly,
		ASCII:         a.config.Borders == "ascii" || a.config.Borders != "unicode" && ui.PoorTerminal(os.Getenv),
		Keys:          map[string][]string{},
		Columns:       map[string][]string{},
		Commands:      a.memory().Commands(),
		Typed:         a.memory().Typed,
		Last:          a.memory().Last(),
		Left:          a.memory().Left,
		Author:        a.author(),
		AuthorAt:      a.authorAt,
		Concurrency:   a.flags.concurrency,
		ConcurrencyAt: a.concurrency,
		MaxCommit:     a.flags.maxCommit,
		IgnoreFile:    a.ignoreFile(),
		Prices:        a.prices(),
		Version:       Version(),
		Now:           a.now,
	}
	for id, presses := range a.config.Keys {
		s.Keys[id] = presses
	}
	for screen, names := range a.config.Columns {
		s.Columns[screen] = names
	}
	if err := a.checkLooks(s.Keys, s.Columns); err != nil {
		return err
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

// checkLooks names what cannot be used of the config file's keys and columns, with its
// line.
func (a *app) checkLooks(keys, columns map[string][]string) error {
	wrong := &config.Error{Path: a.configPath()}
	say := func(why string, path ...any) {
		wrong.Problems = append(wrong.Problems, config.Problem{Line: a.config.Line(path...), Text: safe.Text(why)})
	}
	for id, why := range views.CheckKeys(keys) {
		say(why, "keys", id)
	}
	for _, c := range views.CheckColumns(columns) {
		path := []any{"columns", c.Screen}
		if c.Index >= 0 {
			path = append(path, c.Index)
		}
		say(c.Why, path...)
	}
	if len(wrong.Problems) == 0 {
		return nil
	}
	slices.SortFunc(wrong.Problems, func(x, y config.Problem) int { return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Text, y.Text)) })
	return &exitError{exitUsage, wrong}
}

// ignoreFile is the explorer's file of acknowledged findings.
func (a *app) ignoreFile() string {
	if a.flags.ignore != "" {
		return a.flags.ignore
	}
	return filepath.Join(filepath.Dir(a.configPath()), "ignore.yaml")
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

// listBuckets gives the buckets that the credentials of the flags can list: of AWS, and
// of a Google Cloud project where one is named. Whoever uses one cloud alone is not
// told that the other can't be listed.
func (a *app) listBuckets(ctx context.Context) ([]views.Bookmark, error) {
	project := firstOf(os.Getenv("GOOGLE_CLOUD_PROJECT"), os.Getenv("CLOUDSDK_CORE_PROJECT"))
	if project == "" {
		return a.listS3(ctx)
	}
	var aws []views.Bookmark
	var awsErr error
	var both sync.WaitGroup
	both.Go(func() { aws, awsErr = a.listS3(ctx) })
	out, err := a.listGCS(ctx, project)
	both.Wait()
	if err == nil && len(out) > 0 && errors.Is(awsErr, bucket.ErrDenied) && len(aws) == 0 {
		awsErr = nil
	}
	return append(aws, out...), errors.Join(awsErr, err)
}

func (a *app) listGCS(ctx context.Context, project string) ([]views.Bookmark, error) {
	var out []views.Bookmark
	for b, err := range gcs.Buckets(ctx, project, bucket.Options{BillingProject: a.flags.billing, ReadOnly: true, Log: a.log}) {
		if err != nil {
			return out, err
		}
		out = append(out, views.Bookmark{Name: b.Name, URL: "gs://" + b.Name, Region: b.Location, Endpoint: safe.Endpoint(os.Getenv("STORAGE_EMULATOR_HOST"))})
	}
	return out, nil
}

func (a *app) listS3(ctx context.Context) ([]views.Bookmark, error) {
	var out []views.Bookmark
	for b, err := range s3.Buckets(ctx, bucket.Options{
		Profile: a.flags.profile, Region: a.flags.region, Endpoint: a.flags.endpoint,
		PathStyle: a.flags.pathStyle, ReadOnly: true, Log: a.log,
	}) {
		if err != nil {
			return out, err
		}
		out = append(out, views.Bookmark{
			Name: b.Name, URL: "s3://" + b.Name, Region: b.Region, Endpoint: safe.Endpoint(b.Endpoint),
			Profile: firstOf(a.flags.profile, os.Getenv("AWS_PROFILE")),
		})
	}
	return out, nil
}

// way tells how a URL would be opened: by the flags, a bookmark, the environment.
// What the AWS config files say besides is not looked at.
func (a *app) way(url string) views.Bookmark {
	b := views.Bookmark{URL: url}
	if rest, ok := strings.CutPrefix(url, "gs://"); ok {
		name, path, _ := strings.Cut(rest, "/")
		b.Endpoint = safe.Endpoint(firstOf(a.options(bucket.Location{Scheme: "gs", Bucket: name, Path: path}).Endpoint, os.Getenv("STORAGE_EMULATOR_HOST")))
		return b
	}
	name, isS3 := strings.CutPrefix(url, "s3://")
	if !isS3 {
		return b
	}
	name, path, _ := strings.Cut(name, "/")
	o := a.options(bucket.Location{Scheme: "s3", Bucket: name, Path: path})
	b.Profile = firstOf(o.Profile, os.Getenv("AWS_PROFILE"))
	b.Region = firstOf(o.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	b.Endpoint = safe.Endpoint(firstOf(o.Endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")))
	return b
}

// firstOf gives the first that is not empty.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
