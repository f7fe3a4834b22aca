package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
	"provcat-tui/internal/safe"
)

// inventoryOptions are the flags about an inventory report.
type inventoryOptions struct {
	url    string
	maxAge time.Duration
	set    *pflag.FlagSet
}

func addInventoryFlags(f *pflag.FlagSet, o *inventoryOptions) {
	o.set = f
	f.StringVar(&o.url, "inventory", "", "look named versions up in this S3 Inventory report (`URL` or path of its manifest.json), not in a listing")
	durationVar(f, &o.maxAge, "inventory-max-age", 8*24*time.Hour, "how old that report may be")
}

// checkInventory says what is wrong with the flags.
func (o *auditOptions) checkInventory() error {
	i := &o.inventory
	switch {
	case i.set.Changed("inventory") && i.url == "":
		return usagef("--inventory: the URL or the path of a report's manifest.json")
	case i.set.Changed("inventory-max-age") && i.url == "":
		return usagef("--inventory-max-age is about the report that --inventory names")
	case i.maxAge <= 0:
		return usagef("--inventory-max-age %v: more than zero, 192h (8 days) by default", i.maxAge)
	case i.url != "" && (o.depth == string(audit.DepthLog) || o.depth == string(audit.DepthCommits)):
		return usagef("--depth %s looks at no versions, so that --inventory has no use: leave one of the two out", o.depth)
	}
	return nil
}

// thereIsManifest says what is wrong with the path of a manifest on this machine.
func thereIsManifest(url string) error {
	name, isFile := strings.CutPrefix(url, "file://")
	if !isFile && strings.Contains(url, "://") {
		return nil
	}
	info, err := os.Stat(name)
	switch shown := safe.Shell(safe.Secrets(url)); {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("--inventory %s: there is no such file; it takes the URL or the path of a report's manifest.json", shown)
	case err == nil && info.IsDir():
		return usagef("--inventory %s is a directory; name the manifest.json of a report in it", shown)
	}
	return nil // it is there, or lies in a bucket file
}

// openInventory reads the manifest of the report that the flags name, if they do. done
// gives up its bucket.
func (a *app) openInventory(ctx context.Context, p *place, o *auditOptions, to *audit.Options) (done func(), err error) {
	done = func() {}
	if o.inventory.url == "" {
		return done, nil
	}
	if err := thereIsManifest(o.inventory.url); err != nil {
		return done, err
	}
	l, err := bucket.Parse(o.inventory.url)
	if err != nil {
		return done, usagef("--inventory: %s", strings.TrimPrefix(err.Error(), bucket.ErrUsage.Error()+": "))
	}
	var r *inventory.Report
	if l.Scheme == "file" && l.Path == "" {
		r, err = inventory.OpenFile(ctx, l.Bucket)
	} else {
		in := a.options(l)
		in.Unlisted = true
		b, openErr := bucket.Open(bucket.WithWarn(ctx, a.warn), l, in)
		if openErr != nil {
			return done, &exitError{exitUsage, fmt.Errorf("--inventory: %w", openErr)}
		}
		done = func() { _ = b.Close() } // only read from
		r, err = inventory.Open(ctx, bucket.ReadOnly(b), l.Path)
	}
	if err == nil {
		err = audit.CheckInventory(p, r)
	}
	if err != nil {
		done()
		if !errors.Is(err, bucket.ErrUsage) && ctx.Err() == nil {
			err = &exitError{exitIncomplete, err} // there may be nothing wrong with it
		}
		return func() {}, err
	}
	to.Inventory, to.InventoryAge = r, o.inventory.maxAge
	return done, nil
}
