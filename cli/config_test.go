package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"provcat-tui/audit"
	"provcat-tui/bucket"
)

func TestParseConfig(t *testing.T) {
	c, err := parseConfig([]byte(`
author: Ana <ana@example.com>
read_only: true
bookmarks:
  - name: production
    url: s3://team-data/sales
    profile: prod
    region: eu-central-1
  - url: s3://lab
    endpoint: http://127.0.0.1:9000
    path_style: true
`))
	want := config{Author: "Ana <ana@example.com>", ReadOnly: true, Bookmarks: []bookmark{
		{Name: "production", URL: "s3://team-data/sales", Profile: "prod", Region: "eu-central-1"},
		{Name: "s3://lab", URL: "s3://lab", Endpoint: "http://127.0.0.1:9000", PathStyle: true},
	}}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := parseConfig(nil); err != nil || !reflect.DeepEqual(c, config{}) {
		t.Errorf("empty: %+v, %v", c, err)
	}
	for text, words := range map[string][]string{
		"readonly: true": {"line 1", "readonly", "not known"},
		"author: a\nbookmarks:\n  - url: x\n    uri: y": {"line 4", "uri", "not known"},
		"author: a\nbookmarks:\n  - name: x":            {"line 3", "needs a url"},
		"read_only: perhaps":                            {"line 1", "perhaps"},
		"author: a\nauthor: b":                          {"line 2", "author"},
		"a: [":                                          {"line 1"},
		"author: a\nprices:\n  list: 0.005\n  get: -1":  {"line 4", "the price get is -1", "from 0 to 1000 US dollars"},
		"prices: {list: .nan}":                          {"line 1", "the price list is NaN"},
		"prices: {get: .inf}":                           {"line 1", "the price get is +Inf"},
		"prices: {list: 1001}":                          {"line 1", "1001"},
		"prices:\n  list: cheap":                        {"line 2", "cheap", "number"},
		"prices:\n  put: 0.005":                         {"line 2", "put", "not known in prices"},
		"prices: 5":                                     {"line 1"},
	} {
		_, err := parseConfig([]byte(text))
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: the error lacks %q: %v", text, w, err)
			}
		}
		if strings.Contains(err.Error(), "cli.") {
			t.Errorf("%q: our types' names in %v", text, err)
		}
	}
}

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
		c, err := parseConfig([]byte(text))
		if got := c.Prices.perThousand(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestBadConfigFile(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	path := filepath.Join(home, "config", "provcat-tui", "config.yaml")
	write(t, path, "author: a\nreadonly: true\n")
	cli("ls", tb.at("sales")).wants(t, 2).says(t, path, "line 2", "readonly")
	cli("--version").wants(t, 0) // needs no config
	cli("ls", "--help").wants(t, 0)
}

func TestReadOnlyInConfig(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	write(t, filepath.Join(home, "config", "provcat-tui", "config.yaml"), "read_only: true\n")
	cli("commit", tb.at("sales"), "-m", "x").wants(t, 2).says(t, "read-only")
	cli("commit", tb.at("sales"), "-m", "x", "--read-only=false").wants(t, 0)
}

// Flags come before a bookmark, and the bookmark nearest to the URL counts.
func TestBookmarkOptions(t *testing.T) {
	a := &app{}
	flags := map[string]bool{}
	a.flags.set = func(name string) bool { return flags[name] }
	a.config.Bookmarks = []bookmark{
		{URL: "s3://b", Profile: "all", Region: "r1"},
		{URL: "s3://b/sales", Profile: "sales", Endpoint: "http://e", PathStyle: true},
		{URL: "s3://bb", Profile: "other"},
	}
	at := func(url string) bucket.Options {
		l, err := bucket.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		return a.options(l)
	}
	for url, want := range map[string]bucket.Options{
		"s3://b":          {Profile: "all", Region: "r1"},
		"s3://b/hr":       {Profile: "all", Region: "r1"},
		"s3://b/sales/eu": {Profile: "sales", Endpoint: "http://e", PathStyle: true},
		"s3://bb/x":       {Profile: "other"},
		"s3://c":          {},
	} {
		if got := at(url); got != want {
			t.Errorf("%s: %+v, want %+v", url, got, want)
		}
	}
	flags["profile"], a.flags.profile = true, "mine"
	if got := at("s3://b"); got.Profile != "mine" || got.Region != "r1" {
		t.Errorf("%+v", got)
	}
}

func TestRecent(t *testing.T) {
	isolate(t)
	xdg.Reload()
	a := &app{}
	if got := a.recent(); got != nil {
		t.Errorf("recent of nothing: %v", got)
	}
	for i := range 25 {
		a.visited(fmt.Sprintf("s3://b/%d", i))
	}
	a.visited("s3://b/10")
	got := a.recent()
	if len(got) != 20 || got[0] != "s3://b/10" || got[1] != "s3://b/24" || got[19] != "s3://b/5" {
		t.Errorf("%v", got)
	}
	info, err := os.Stat(recentPath())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// What cannot be read or written costs nothing.
	write(t, recentPath(), "rubbish")
	if got := a.recent(); got != nil {
		t.Errorf("%v", got)
	}
	a.visited("s3://c")
	if got := a.recent(); len(got) != 1 || got[0] != "s3://c" {
		t.Errorf("%v", got)
	}
}
