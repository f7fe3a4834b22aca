package cli

import (
	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/config"
	remembered "provcat-tui/state"
)

// loadConfig reads the config file: that of --config, which must be there, or the
// person's own. What is wrong in it is wrong usage.
func (a *app) loadConfig() (config.Config, error) {
	c, err := config.Load(a.configPath(), a.flags.config != "")
	if err != nil {
		return c, &exitError{exitUsage, err}
	}
	for i := range c.Buckets { // a plain path is compared as the URL that it stands for
		if l, err := bucket.Parse(c.Buckets[i].URL); err == nil {
			c.Buckets[i].URL = l.String()
		}
	}
	return c, nil
}

func (a *app) configPath() string {
	if a.flags.config != "" {
		return a.flags.config
	}
	return config.Path()
}

// prices of requests for the audit; nil: its own.
func (a *app) prices() *audit.Prices {
	p := a.config.Prices
	if p.List == nil && p.Get == nil {
		return nil
	}
	out := audit.DefaultPrices
	if p.List != nil {
		out.List = *p.List
	}
	if p.Get != nil {
		out.Get = *p.Get
	}
	return &out
}

// options are the flags, and for what they leave open the nearest bookmark of the
// bucket, and then what the config file says of the place.
func (a *app) options(l bucket.Location) bucket.Options {
	o := bucket.Options{
		Profile: a.flags.profile, Region: a.flags.region, Endpoint: a.flags.endpoint,
		PathStyle: a.flags.pathStyle, RequestPayer: a.flags.requestPayer, BillingProject: a.flags.billing,
		ReadOnly: a.readOnly(l), Log: a.log,
	}
	var ways []config.Way
	if b := a.config.BookmarkOf(l.Root(), l.String()); b != nil {
		ways = append(ways, b.Way)
	}
	if b := a.config.BucketOf(l.String()); b != nil {
		ways = append(ways, b.Way)
		if !a.flags.set("request-payer") {
			o.RequestPayer = b.RequestPayer
		}
		if !a.flags.set("billing-project") {
			o.BillingProject = b.BillingProject
		}
	}
	for _, w := range ways {
		if !a.flags.set("profile") {
			o.Profile = firstOf(o.Profile, w.Profile)
		}
		if !a.flags.set("region") {
			o.Region = firstOf(o.Region, w.Region)
		}
		if !a.flags.set("endpoint") {
			o.Endpoint = firstOf(o.Endpoint, w.Endpoint)
		}
		if !a.flags.set("path-style") {
			o.PathStyle = o.PathStyle || w.PathStyle
		}
	}
	return o
}

// readOnly says whether a place must not be written to.
func (a *app) readOnly(l bucket.Location) bool {
	if a.flags.readOnly || a.flags.set("read-only") {
		return a.flags.readOnly
	}
	b := a.config.BucketOf(l.String())
	return b != nil && b.ReadOnly
}

// mayWrite refuses what would write to a URL that is opened read-only.
func (a *app) mayWrite(url, done string) error {
	l, err := bucket.Parse(url)
	if err != nil || !a.readOnly(l) {
		return err
	}
	return usagef("read-only is on (--read-only, or read_only in the config file), so nothing can be %s; --dry-run shows what would be", done)
}

// authorAt is the author of commits at a place.
func (a *app) authorAt(l bucket.Location) string {
	if b := a.config.BucketOf(l.String()); b != nil && b.Author != "" {
		return b.Author
	}
	return a.author()
}

// concurrency is how many requests may run side by side at a place; 0: the default.
func (a *app) concurrency(l bucket.Location) int {
	if b := a.config.BucketOf(l.String()); b != nil && !a.flags.set("concurrency") {
		return b.Concurrency
	}
	return a.flags.concurrency
}

// memory is what is remembered between runs. Its failures go to the log file only.
func (a *app) memory() *remembered.State {
	return remembered.Open(remembered.Path(), func(what string, err error) {
		if a.log != nil {
			a.log.Warn(what, "error", err.Error())
		}
	})
}
