package audit

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
	"provcat-tui/internal/safe"
)

// With Options.Inventory the named versions are looked up in an S3 Inventory report,
// not in a listing of the committed folders. The report is a day old or more, so that
// it proves little by itself:
//
//   - A version that it has was there when it was made. Whether somebody removed it
//     since is not seen.
//   - A version that it lacks, or has otherwise than commits say, is only suspect: the
//     live listing of its key decides. So are all versions that are newer than the
//     report.
//
// Memory is in proportion to the named versions; what else is in the bucket only
// passes by.

// maxInventoryAge is how old a report may be where nobody says: a weekly one, and a day
// for its delivery.
const maxInventoryAge = 8 * 24 * time.Hour

// CheckInventory says why a report is of no use for the audit of b; nil: it is of use.
func CheckInventory(b bucket.Bucket, r *inventory.Report) error {
	if _, google := strings.CutPrefix(b.URL(), "gs://"); google {
		return fmt.Errorf("%w: --inventory is for reports of S3 Inventory, and %s is on Google Cloud Storage: audit it without", bucket.ErrUsage, safe.Text(b.URL()))
	}
	if name := path.Base(b.URL()); r.Source != name {
		return fmt.Errorf("%w: the inventory report at %s is of the bucket %s, not of %s: give a report of this bucket", bucket.ErrUsage, safe.Text(r.URL), safe.Text(r.Source), safe.Text(name))
	}
	return nil
}

// InventoryUse tells which report stood for the listing, and what came of it.
type InventoryUse struct {
	URL        string    `json:"url"` // of the manifest
	Created    time.Time `json:"created"`
	AgeSeconds int64     `json:"age_seconds"` // when the audit ran, by the bucket's clock
	Format     string    `json:"format"`
	Files      int       `json:"files"`      // of the report
	FilesRead  int       `json:"files_read"` // of these, to their ends
	Rows       int64     `json:"rows"`       // that were read
	// Known counts the named versions that only the report vouches for, Live those
	// that were looked up in the bucket itself.
	Known int64 `json:"known"`
	Live  int64 `json:"live"`
}

// age of the report by the bucket's clock.
func (a *auditor) inventoryAge() time.Duration { return a.clock.Sub(a.o.Inventory.Created) }

// useInventory starts what the report will tell; nil: there is none.
func (a *auditor) useInventory() *InventoryUse {
	i := a.o.Inventory
	if i == nil {
		return nil
	}
	return &InventoryUse{URL: i.URL, Created: i.Created, AgeSeconds: int64(a.inventoryAge().Seconds()), Format: i.Format, Files: len(i.Files)}
}

// checkInventoryAge tells of a report that is too old, or not of this time.
func (a *auditor) checkInventoryAge() {
	i, age := a.o.Inventory, a.inventoryAge()
	most := a.o.InventoryAge
	if most <= 0 {
		most = maxInventoryAge
	}
	const what = "versions that only the inventory report vouches for"
	switch {
	case age > most:
		a.t.add(what, "", nil, fmt.Errorf("the report was made at %s, %s before this audit, and at most %s is allowed (--inventory-max-age): what was removed since is not seen; give a newer report",
			i.Created.Format(time.RFC3339), days(age), days(most)))
	case age < -time.Hour:
		a.t.add(what, "", nil, fmt.Errorf("the report was made at %s, which lies after the bucket's own clock, %s: one of the two is wrong", i.Created.Format(time.RFC3339), a.clock.Format(time.RFC3339)))
	}
}

// days is a duration for people, in days and hours.
func days(d time.Duration) string {
	h := int64(d.Round(time.Hour).Hours())
	switch {
	case h < 48:
		return plural(h, "hour", "hours")
	case h%24 == 0:
		return plural(h/24, "day", "days")
	}
	return plural(h/24, "day", "days") + " " + plural(h%24, "hour", "hours")
}

// coverInventory says in the coverage what the report does not prove.
func (a *auditor) coverInventory(cov *Coverage) {
	u := a.inventory
	if u == nil {
		return
	}
	reason := "what lifecycle rules will do, and whether each commit is a snapshot, is not looked at with --inventory"
	if u.Known > 0 {
		reason = fmt.Sprintf("%s known from the inventory report of %s, %s before this audit: whether they were removed since was not looked at; %s",
			its(u.Known, plural(u.Known, "", "versions are"), "1 version is"), u.Created.Format(time.RFC3339), days(a.inventoryAge()), reason)
	}
	if !a.o.Inventory.Classes {
		reason += "; nor which versions are archived, since the report has no StorageClass"
	}
	cov.add(Skip{Reason: reason, Chosen: true})
}

// withInventory counts what reading the report asks for with what is asked of the
// bucket.
type withInventory struct {
	bucket.Bucket
	report *inventory.Report
}

func (b withInventory) Requests() bucket.Requests {
	r, x := b.Bucket.Requests(), b.report.Requests()
	r.List += x.List
	r.Get += x.Get
	r.Head += x.Head
	r.Put += x.Put
	r.Delete += x.Delete
	r.Settings += x.Settings
	return r
}

// Unwrap gives the bucket itself.
func (b withInventory) Unwrap() bucket.Bucket { return b.Bucket }

// inventoryRows calls visit for each row of each file of the report, files side by
// side, within the budget. left is why files were left out by choice; what could not be
// read is told and counted in failed.
func (a *auditor) inventoryRows(ctx context.Context, visitor func() func(*inventory.Row) error) (read, failed int, left, err error) {
	i := a.o.Inventory
	errs := make([]error, len(i.Files))
	// Each file takes a core to unpack, and room on the disk.
	slots := make(chan struct{}, min(a.o.Concurrency, 4))
	err = a.each(ctx, len(i.Files), func(k int) {
		slots <- struct{}{}
		defer func() { <-slots }()
		errs[k] = a.budget.within(ctx, 1, func(ctx context.Context) error { return i.Rows(ctx, k, visitor()) })
	})
	if err != nil {
		return 0, 0, nil, err
	}
	for k, err := range errs {
		if err == nil {
			read++
		} else if _, ok := chosen(err); ok {
			left = err
		} else {
			failed++
			a.t.add("files of the inventory report", i.Files[k].Key, nil, err)
		}
	}
	return read, failed, left, nil
}

// within runs f if the budget has n requests more, and ends it with the budget's time.
// A nil budget has no bound.
func (g *budget) within(ctx context.Context, n int64, f func(context.Context) error) error {
	if g == nil {
		return f(ctx)
	}
	ctx, cancel, err := g.begin(ctx, n)
	defer cancel()
	if err != nil {
		return err
	}
	return g.why(ctx, f(ctx))
}
