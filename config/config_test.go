package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/adrg/xdg"
)

func ptr[T any](v T) *T { return &v }

func TestParse(t *testing.T) {
	c, problems := Parse([]byte(`
author: Ana <ana@example.com>
read_only: true
theme: dark
borders: ascii
mouse: false
bookmarks:
  - name: production
    url: s3://team-data/sales
    profile: prod
    region: eu-central-1
  - url: s3://lab
    endpoint: http://127.0.0.1:9000
    path_style: true
buckets:
  - url: s3://team-data
    profile: prod
    read_only: true
    author: The team
    request_payer: true
    concurrency: 4
keys:
  reload: f5
  open: [enter, o]
  export: []
columns:
  folder: [name, size]
  log: message
prices: {list: 0.005, get: 0}
`))
	c.doc = Config{}.doc
	want := Config{
		Author: "Ana <ana@example.com>", ReadOnly: true, Theme: "dark", Borders: "ascii", Mouse: ptr(false),
		Bookmarks: []Bookmark{
			{Name: "production", URL: "s3://team-data/sales", Way: Way{Profile: "prod", Region: "eu-central-1"}},
			{Name: "s3://lab", URL: "s3://lab", Way: Way{Endpoint: "http://127.0.0.1:9000", PathStyle: true}},
		},
		Buckets: []Bucket{{URL: "s3://team-data", Way: Way{Profile: "prod"}, ReadOnly: true, Author: "The team", RequestPayer: true, Concurrency: 4}},
		Keys:    map[string]Words{"reload": {"f5"}, "open": {"enter", "o"}, "export": {}},
		Columns: map[string]Words{"folder": {"name", "size"}, "log": {"message"}},
		Prices:  Prices{List: ptr(0.005), Get: ptr(0.0)},
	}
	if len(problems) > 0 || !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, %v", c, problems)
	}
	for _, empty := range []string{"", "# nothing\n", "prices:\nkeys:\n"} {
		c, problems := Parse([]byte(empty))
		c.doc = Config{}.doc
		if len(problems) > 0 || !reflect.DeepEqual(c, Config{}) || !c.MouseOn() {
			t.Errorf("%q: %+v, %v", empty, c, problems)
		}
	}
}

// Each problem is named with its line, in words without our types' names.
func TestProblems(t *testing.T) {
	for text, words := range map[string][]string{
		"readonly: true": {"line 1", "readonly", "not known"},
		"author: a\nbookmarks:\n  - url: x\n    uri: y":    {"line 4", "uri", "not known in a bookmark"},
		"author: a\nbookmarks:\n  - name: x":               {"line 3", "needs a url"},
		"read_only: perhaps":                               {"line 1", "perhaps", "true nor false"},
		"author: a\nauthor: b":                             {"line 2", "author"},
		"a: [":                                             {"line 1"},
		"author: a\nprices:\n  list: 0.005\n  get: -1":     {"line 4", "the price get is -1", "from 0 to 1000 US dollars"},
		"prices: {list: .nan}":                             {"line 1", "the price list is NaN"},
		"prices: {get: .inf}":                              {"line 1", "the price get is +Inf"},
		"prices: {list: 1001}":                             {"line 1", "1001"},
		"prices:\n  list: cheap":                           {"line 2", "cheap", "no number"},
		"prices:\n  put: 0.005":                            {"line 2", "put", "not known in prices"},
		"prices: 5":                                        {"line 1"},
		"\ntheme: blue":                                    {"line 2", "theme is blue", "auto, light, dark"},
		"borders: double":                                  {"line 1", "borders is double", "unicode"},
		"mouse: sometimes":                                 {"line 1", "sometimes"},
		"buckets:\n  - profile: x":                         {"line 2", "a bucket needs a url"},
		"buckets:\n  - url: s3://b\n  - url: s3://b":       {"line 3", "a second bucket"},
		"buckets:\n  - url: s3://b\n    concurrency: 2000": {"line 3", "from 1 to 1024"},
		"buckets:\n  - url: s3://b\n    colour: red":       {"line 3", "not known in a bucket"},
		"keys:\n  open: {a: b}":                            {"line 2"},
		"keys:\n  open: [\"\"]":                            {"line 2", "open: an empty word"},
		"columns:\n  folder: {a: b}":                       {"line 2"},
		"columns:\n  log: [\"\"]":                          {"line 2", "log: an empty word"},
		"columns: [name]":                                  {"line 1", "no group of members"},
		"author: a\n---\nauthor: b":                        {"more than one YAML document"},
		"read_only: perhaps\nauthor: a\nbookmarks:\n  - name: x\ntheme: blue\nx: 1": {"line 1: `perhaps`", "line 4: a bookmark needs", "line 5: theme", "line 6"},
		"author: a\nbookmarks: 7":                   {"line 2", "list of bookmarks"},
		"author: \"a\\x1b[31m\"\n\"x\\x1b[31m\": 1": {"line 2", `\x1b[31m`},
	} {
		_, problems := Parse([]byte(text))
		if len(problems) == 0 {
			t.Errorf("%q is taken", text)
			continue
		}
		said := (&Error{"f", problems}).Error()
		for _, w := range words {
			if !strings.Contains(said, w) {
				t.Errorf("%q: the error lacks %q: %s", text, w, said)
			}
		}
		if strings.Contains(said, "config.") || strings.Contains(said, "!!") || strings.Contains(said, "\x1b") {
			t.Errorf("%q: the library's words in %s", text, said)
		}
	}
}

func TestLine(t *testing.T) {
	c, problems := Parse([]byte("keys:\n  reload: f5\n  open:\n    - enter\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, x := range []struct {
		want int
		path []any
	}{{2, []any{"keys", "reload"}}, {3, []any{"keys", "open"}}, {4, []any{"keys", "open", 0}}, {1, []any{"keys", "nothing"}}, {0, []any{"nothing"}}} {
		if got := c.Line(x.path...); got != x.want {
			t.Errorf("%v: line %d, want %d", x.path, got, x.want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.yaml")
	if c, err := Load(missing, false); err != nil || c.Author != "" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Load(missing, true); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("%v", err)
	}
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	var ce *Error
	if _, err := Load(big, false); !errors.As(err, &ce) || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("%v", err)
	}
	if _, err := Load(dir, false); err == nil {
		t.Error("a folder is taken")
	}
}

func TestWhatHoldsForABucket(t *testing.T) {
	c := Config{
		Bookmarks: []Bookmark{{URL: "s3://b", Name: "all"}, {URL: "s3://b/sales", Name: "sales"}, {URL: "s3://bb", Name: "other"}},
		Buckets:   []Bucket{{URL: "s3://b", Author: "all"}, {URL: "s3://b/sales/", Author: "sales"}},
	}
	for url, want := range map[string][2]string{
		"s3://b": {"all", "all"}, "s3://b/hr": {"all", "all"}, "s3://b/sales/eu": {"sales", "sales"}, "s3://b/sales": {"sales", "sales"},
		"s3://b/salesmen": {"all", "all"}, "s3://bb/x": {"other", ""}, "s3://c": {"", ""},
	} {
		root := strings.Join(strings.SplitN(url, "/", 4)[:3], "/")
		var got [2]string
		if b := c.BookmarkOf(root, url); b != nil {
			got[0] = b.Name
		}
		if b := c.BucketOf(url); b != nil {
			got[1] = b.Author
		}
		if got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}

// A file in ~/.config is found where the platform has a folder of its own.
func TestPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	xdg.Reload()
	xdg.ConfigHome = filepath.Join(home, "own") // as on macOS: not ~/.config
	t.Cleanup(xdg.Reload)
	own, other := filepath.Join(home, "own", "provcat-tui", "config.yaml"), filepath.Join(home, ".config", "provcat-tui", "config.yaml")
	if got := Path(); got != own {
		t.Errorf("none there: %s", got)
	}
	put := func(path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(other)
	if got := Path(); got != other {
		t.Errorf("only in ~/.config: %s", got)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "own"))
	if got := Path(); got != own {
		t.Errorf("a folder that was set: %s", got)
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	put(own)
	if got := Path(); got != own {
		t.Errorf("both: %s", got)
	}
}

// Whatever the file holds: no panic, and problems have lines of it and clean texts.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "author: a", "keys: {open: [enter, o]}", "a: &x [*x]", "bookmarks:\n  - url: s3://b\n    <<: {name: x}", "prices: {list: 1e400}", "{", "- a", "keys: {? [a] : b}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 10_000 {
			return
		}
		c, problems := Parse(data)
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + 2
		for _, p := range problems {
			if p.Text == "" || p.Line < 0 {
				t.Errorf("%q: %+v", data, p)
			}
			if p.Line > lines+strings.Count(string(data), "\u2028")+strings.Count(string(data), "\u2029")+strings.Count(string(data), "\u0085") {
				t.Errorf("%q: line %d", data, p.Line)
			}
			if strings.ContainsFunc(p.Text, func(r rune) bool {
				return unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
			}) {
				t.Errorf("%q: %q cannot be shown", data, p.Text)
			}
		}
		if len(problems) == 0 {
			_ = c.BookmarkOf("s3://b", "s3://b/x")
			_ = c.BucketOf("s3://b/x")
		}
	})
}
