package cli

import (
	"path/filepath"
	"reflect"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/config"
)

// A price that is not set is Amazon's.
func TestPricesInConfig(t *testing.T) {
	for text, want := range map[string]*audit.Prices{
		"":                                 nil,
		"prices:":                          nil,
		"prices: {list: null}":             nil,
		"prices: {list: 0.01, get: 0.001}": {List: 0.01, Get: 0.001},
		"prices: {list: 0}":                {List: 0, Get: audit.DefaultPrices.Get},
		"prices:\n  get: 1":                {List: audit.DefaultPrices.List, Get: 1},
	} {
		c, problems := config.Parse([]byte(text))
		a := &app{config: c}
		if got := a.prices(); len(problems) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, problems)
		}
	}
}

func TestBadConfigFile(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	path := filepath.Join(home, "config", "provcat-tui", "config.yaml")
	write(t, path, "author: a\nreadonly: true\n")
	cli("ls", tb.at("sales")).wants(t, 2).says(t, path, "line 2", "readonly")
	other := filepath.Join(home, "other.yaml")
	write(t, other, "author: b\n")
	cli("ls", tb.at("sales"), "--config", other).wants(t, 0)
	cli("ls", tb.at("sales"), "--config", filepath.Join(home, "none.yaml")).wants(t, 2).says(t, "none.yaml")
	cli("--version").wants(t, 0) // needs no config
	cli("ls", "--help").wants(t, 0)
}

func TestReadOnlyInConfig(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	write(t, filepath.Join(home, "config", "provcat-tui", "config.yaml"), "read_only: true\n")
	cli("commit", tb.at("sales"), "-m", "x").wants(t, 2).says(t, "read-only")
	cli("commit", tb.at("sales"), "-m", "x", "--read-only=false").wants(t, 0)
	// Of one bucket, or of a folder of it.
	write(t, filepath.Join(home, "config", "provcat-tui", "config.yaml"), "buckets:\n  - url: "+tb.at("sales")+"\n    read_only: true\n")
	cli("commit", tb.at("sales"), "-m", "x").wants(t, 2).says(t, "read-only")
	cli("commit", tb.at("sales"), "--dry-run").wants(t, 0)
	cli("commit", tb.at("sales/2026"), "-m", "x").wants(t, 2).says(t, "read-only")
	cli("commit", tb.at("sales"), "-m", "x", "--read-only=false").wants(t, 0)
}

// Flags come before a bookmark, and the bookmark nearest to the URL counts.
func TestBookmarkOptions(t *testing.T) {
	a := &app{}
	flags := map[string]bool{}
	a.flags.set = func(name string) bool { return flags[name] }
	a.config.Bookmarks = []config.Bookmark{
		{URL: "s3://b", Way: config.Way{Profile: "all", Region: "r1"}},
		{URL: "s3://b/sales", Way: config.Way{Profile: "sales", Endpoint: "http://e", PathStyle: true}},
		{URL: "s3://bb", Way: config.Way{Profile: "other"}},
	}
	a.config.Buckets = []config.Bucket{
		{URL: "s3://b", Way: config.Way{Profile: "never", Endpoint: "http://of-the-bucket"}, RequestPayer: true},
		{URL: "s3://d/x", Way: config.Way{Region: "r3"}, ReadOnly: true, Author: "The team", Concurrency: 3},
	}
	at := func(url string) bucket.Options {
		l, err := bucket.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		return a.options(l)
	}
	for url, want := range map[string]bucket.Options{
		"s3://b":          {Profile: "all", Region: "r1", Endpoint: "http://of-the-bucket", RequestPayer: true},
		"s3://b/hr":       {Profile: "all", Region: "r1", Endpoint: "http://of-the-bucket", RequestPayer: true},
		"s3://b/sales/eu": {Profile: "sales", Endpoint: "http://e", PathStyle: true, RequestPayer: true},
		"s3://d/x/y":      {Region: "r3", ReadOnly: true},
		"s3://d/xy":       {},
		"s3://bb/x":       {Profile: "other"},
		"s3://c":          {},
	} {
		if got := at(url); got != want {
			t.Errorf("%s: %+v, want %+v", url, got, want)
		}
	}
	d, err := bucket.Parse("s3://d/x")
	if err != nil {
		t.Fatal(err)
	}
	if a.authorAt(d) != "The team" || a.concurrency(d) != 3 {
		t.Errorf("author %s, concurrency %d", a.authorAt(d), a.concurrency(d))
	}
	flags["read-only"], flags["concurrency"], a.flags.concurrency = true, true, 7
	if a.options(d).ReadOnly || a.concurrency(d) != 7 {
		t.Error("the flags don't come first")
	}
	flags["read-only"] = false
	flags["profile"], a.flags.profile = true, "mine"
	if got := at("s3://b"); got.Profile != "mine" || got.Region != "r1" {
		t.Errorf("%+v", got)
	}
}
