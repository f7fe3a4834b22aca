package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

type lsOptions struct {
	at          string
	folder      string
	allVersions bool
	recursive   bool
}

func (a *app) lsCommand() *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Use:   "ls URL [--at REF] [--all-versions]",
		Short: "List folders and files, live or at a commit",
		Long: `Lists one level of folders and files: the live ones, or with --at those of a
commit. With --all-versions it lists every version and delete marker of every
key under URL, newest first within a key.

A folder is listed while any version or delete marker is under it, so also when
all its files are deleted: telling them apart would take a listing of each.

With --at the commit is looked for in the log of the folder that URL names, then
in those of the folders above it; --folder chooses one.`,
		Example: "  provcat-tui ls s3://team-data/sales\n  provcat-tui ls s3://team-data/sales --at head~1\n  provcat-tui ls s3://team-data/sales/eu.csv --all-versions",
		Args:    argNames(0, "a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.at != "" && o.allVersions {
				return usagef("--at and --all-versions exclude each other: a commit names one version of each file")
			}
			if cmd.Flags().Changed("folder") && o.at == "" {
				return usagef("--folder chooses the log of --at; add --at REF")
			}
			p, err := a.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer p.close()
			switch {
			case o.allVersions:
				return a.lsVersions(cmd.Context(), p)
			case o.at != "" && o.at != "live":
				return a.lsCommit(cmd, p, o)
			}
			return a.lsLive(cmd.Context(), p, o.recursive)
		},
		ValidArgsFunction: a.completeURL,
	}
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "", "list what this commit (`REF`) names")
	f.StringVar(&o.folder, "folder", "", "the folder whose log --at means")
	f.BoolVar(&o.allVersions, "all-versions", false, "every version and delete marker under URL")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "all files below, not one level")
	_ = cmd.RegisterFlagCompletionFunc("at", a.completeRef) // fails only for a flag that isn't there
	return cmd
}

// lsFile is a folder or file in JSON.
type lsItem struct {
	Type     string  `json:"type"` // "folder" or "file"
	Name     string  `json:"name"` // relative to what was listed
	Key      string  `json:"key"`  // in full length
	Version  *string `json:"version,omitempty"`
	ETag     *string `json:"etag,omitempty"`
	Size     *int64  `json:"size,omitempty"`
	Modified *string `json:"modified,omitempty"`
	Files    *int64  `json:"files,omitempty"` // of a folder, at a commit
}

// lister writes the items of ls as they come.
type lister struct {
	a       *app
	p       *place
	live    bool            // else at a commit
	members func(*document) // of JSON output, before the items
	doc     *document       // nil: text, or nothing written yet
	n       int64
	named   *commit.File // the one file that the URL names, at a commit
}

// start begins the JSON document, once there is something to say.
func (l *lister) start() {
	if l.a.format != "json" || l.doc != nil {
		return
	}
	l.doc = newDocument(l.a.out, "provcat-ls/1")
	l.doc.member("bucket", l.p.URL())
	l.doc.member("path", l.p.path)
	l.members(l.doc)
	l.doc.array("items")
}

func (l *lister) add(i lsItem) error {
	l.n++
	l.start()
	if l.doc != nil {
		return l.doc.item(i)
	}
	// The second column is the time of the version; at a commit it is the version.
	bytes, when, width := "-", "", 20
	if !l.live {
		width = 32
	}
	if i.Size != nil {
		bytes = size(*i.Size)
	} else if i.Type == "file" {
		bytes = "?"
	}
	if i.Modified != nil {
		when = *i.Modified
	}
	switch {
	case i.Files != nil:
		when = count(*i.Files, "file")
	case i.Type == "file" && i.Modified == nil && i.Version != nil:
		when = safe.Text(*i.Version)
	}
	_, err := fmt.Fprintf(l.a.out, "%s  %s  %s\n", padLeft(bytes, 10), pad(when, width), safe.Text(i.Name))
	return err
}

// finish ends the listing. If it failed before the first item, stdout stays empty.
func (l *lister) finish(cause error) error {
	if l.n == 0 && cause != nil {
		return cause
	}
	l.start()
	if l.doc != nil {
		return l.doc.finish(cause)
	}
	return cause
}

func liveItem(v bucket.Version, name string) lsItem {
	var when *string
	if !v.Modified.IsZero() {
		s := second(v.Modified)
		when = &s
	}
	return lsItem{Type: "file", Name: name, Key: v.Key, Version: &v.ID, ETag: orNull(v.ETag), Size: &v.Size, Modified: when}
}

// lsLive lists what is live under a prefix, or one file.
func (a *app) lsLive(ctx context.Context, p *place, recursive bool) error {
	prefix := dirPrefix(p.path)
	l := &lister{a: a, p: p, live: true, members: func(d *document) { d.member("at", nil) }}
	seen := false // anything at all, deleted files too
	var err error
	if recursive {
		seen, err = l.tree(ctx, p, prefix)
	} else {
		seen, err = l.level(ctx, p, prefix)
	}
	if err == nil && !seen && p.path != "" {
		err = l.single(ctx, p, p.path)
	}
	if err == nil && l.n == 0 {
		a.note("no live file here%s", map[bool]string{true: "; --all-versions shows the deleted ones", false: ""}[seen])
	}
	return l.finish(err)
}

func (l *lister) level(ctx context.Context, p *place, prefix string) (seen bool, err error) {
	for item, err := range p.Level(ctx, prefix) {
		if err != nil {
			return seen, err
		}
		seen = true
		switch {
		case item.Folder != "":
			err = l.add(lsItem{Type: "folder", Name: item.Folder[len(prefix):], Key: item.Folder})
		case item.Version.Live():
			err = l.add(liveItem(item.Version, fileName(item.Version.Key, prefix)))
		}
		if err != nil {
			return seen, err
		}
	}
	return seen, nil
}

func (l *lister) tree(ctx context.Context, p *place, prefix string) (seen bool, err error) {
	for v, err := range p.Versions(ctx, bucket.Range{Prefix: prefix, Ahead: true}) {
		if err != nil {
			return seen, err
		}
		seen = true
		if v.Live() {
			if err := l.add(liveItem(v, fileName(v.Key, prefix))); err != nil {
				return seen, err
			}
		}
	}
	return seen, nil
}

// single lists the one live file that has this very key.
func (l *lister) single(ctx context.Context, p *place, key string) error {
	for v, err := range p.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			return err
		}
		if v.Live() {
			return l.add(liveItem(v, key))
		}
		return deletedFile(p, key)
	}
	return notThere(p, "folder or file", key)
}

func deletedFile(p *place, key string) error {
	return &exitError{exitUsage, fmt.Errorf("%s/%s is deleted; its versions lists: %s", safe.Text(p.URL()), safe.Text(key),
		folderCommand(p.Bucket, "ls", key, "--all-versions"))}
}

// missingFile says why there is no live file of the URL's key: it is deleted, it
// is a folder, or nothing is there.
func missingFile(ctx context.Context, p *place) error {
	for _, err := range p.Versions(ctx, bucket.Range{Prefix: p.path, Through: p.path, PageSize: 1}) {
		if err != nil {
			return err
		}
		return deletedFile(p, p.path)
	}
	there, err := exists(ctx, p, strings.TrimSuffix(p.path, "/"))
	switch {
	case err != nil:
		return err
	case there:
		return usagef("%s is a folder, not a file; it lists: %s; what a commit names there downloads: %s", safe.Text(p.path),
			folderCommand(p.Bucket, "ls", strings.TrimSuffix(p.path, "/")), folderCommand(p.Bucket, "get", strings.TrimSuffix(p.path, "/"), "-o", "DIR"))
	}
	return notThere(p, "folder or file", p.path)
}

// lsVersions lists every version and marker of a key and of all keys under it.
func (a *app) lsVersions(ctx context.Context, p *place) error {
	ranges := []bucket.Range{{Prefix: dirPrefix(p.path), Ahead: true}}
	if p.path != "" && dirPrefix(p.path) != p.path {
		ranges = append([]bucket.Range{{Prefix: p.path, Through: p.path}}, ranges...)
	}
	var doc *document
	n := 0
	add := func(v bucket.Version) error {
		if n++; n == 1 && a.format == "json" {
			doc = a.versionsDocument(p)
		}
		if doc != nil {
			return doc.item(toVersionJSON(v))
		}
		state, bytes := "", size(v.Size)
		switch {
		case v.DeleteMarker:
			state, bytes = "marker", "-"
		case v.Live():
			state = "live"
		}
		_, err := fmt.Fprintf(a.out, "%s  %s  %s  %s  %s\n", padLeft(bytes, 10), pad(second(v.Modified), 20),
			pad(state, 6), pad(safe.Text(v.ID), 32), safe.Text(v.Key))
		return err
	}
	err := eachVersion(ctx, p, ranges, add)
	switch {
	case n == 0 && err != nil:
		return err
	case n == 0 && p.path != "":
		return notThere(p, "folder or file", p.path)
	case n == 0 && a.format == "json":
		doc = a.versionsDocument(p)
	}
	if doc != nil {
		return doc.finish(err)
	}
	return err
}

func (a *app) versionsDocument(p *place) *document {
	doc := newDocument(a.out, "provcat-ls/1")
	doc.member("bucket", p.URL())
	doc.member("path", p.path)
	doc.array("versions")
	return doc
}

func eachVersion(ctx context.Context, b bucket.Bucket, ranges []bucket.Range, visit func(bucket.Version) error) error {
	for _, r := range ranges {
		for v, err := range b.Versions(ctx, r) {
			if err == nil {
				err = visit(v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// dirPrefix is what the keys below a path start with.
func dirPrefix(path string) string {
	if path == "" || path[len(path)-1] == '/' {
		return path
	}
	return path + "/"
}

// fileName is a key less the listed prefix; a folder's own placeholder object
// has no other name than "./".
func fileName(key, prefix string) string {
	if key == prefix {
		return "./"
	}
	return key[len(prefix):]
}
