package config

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func schema(t *testing.T) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	f, err := os.Open("../docs/config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	return s, doc.(map[string]any)
}

// members are the names that a type takes from the file.
func members(t reflect.Type) (out []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if opts == "inline" {
			out = append(out, members(f.Type)...)
		} else {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func TestSchemaHasEachMember(t *testing.T) {
	_, doc := schema(t)
	properties := func(of any) map[string]any { return of.(map[string]any)["properties"].(map[string]any) }
	top := properties(doc)
	items := func(name string) map[string]any { return properties(top[name].(map[string]any)["items"]) }
	for _, x := range []struct {
		name string
		typ  reflect.Type
		has  map[string]any
	}{
		{"Config", reflect.TypeFor[Config](), top},
		{"Bookmark", reflect.TypeFor[Bookmark](), items("bookmarks")},
		{"Bucket", reflect.TypeFor[Bucket](), items("buckets")},
		{"Prices", reflect.TypeFor[Prices](), properties(top["prices"])},
	} {
		var in []string
		for name := range x.has {
			in = append(in, name)
		}
		slices.Sort(in)
		if want := members(x.typ); !slices.Equal(in, want) || len(in) == 0 {
			t.Errorf("%s: the schema has %v, the type %v", x.name, in, want)
		}
	}
}

// The schema and the parser take and refuse the same.
func TestSchemaSaysWhatTheParserSays(t *testing.T) {
	s, _ := schema(t)
	for text, good := range map[string]bool{
		"":                                 true,
		"author: a":                        true,
		"author:":                          true,
		"read_only: true":                  true,
		"theme: light":                     true,
		"theme: blue":                      false,
		"borders: ascii":                   true,
		"borders: 5":                       false,
		"mouse: false":                     true,
		"mouse: maybe":                     false,
		"readonly: true":                   false,
		"bookmarks: [{url: s3://b}]":       true,
		"bookmarks: [{name: b}]":           false,
		"bookmarks: [{url: s3://b, x: 1}]": false,
		"bookmarks: {url: s3://b}":         false,
		"buckets: [{url: s3://b, read_only: true, concurrency: 1024}]": true,
		"buckets: [{url: s3://b, concurrency: 1025}]":                  false,
		"buckets: [{url: s3://b, concurrency: many}]":                  false,
		"buckets: [{concurrency: 1}]":                                  false,
		"keys: {open: o, quit: [], help: [f1, '?']}":                   true,
		"keys: {open: ''}":                                             false,
		"keys: {open: {a: b}}":                                         false,
		"keys: [open]":                                                 false,
		"columns: {folder: [name, size], log: [message]}":              true,
		"columns: {folder: name}":                                      true,
		"columns: {folder: [name, {a: b}]}":                            false,
		"columns: [name]":                                              false,
		"prices: {list: 1, get: 0}":                                    true,
		"prices: {list: -1}":                                           false,
		"prices: {get: 1001}":                                          false,
		"prices: {put: 1}":                                             false,
	} {
		_, problems := Parse([]byte(text))
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(j)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(value); (err == nil) != good {
			t.Errorf("%q: the schema says %v", text, err)
		}
		if (len(problems) == 0) != good {
			t.Errorf("%q: the parser says %v", text, problems)
		}
	}
}

// The example of the page is one that works, and shows each member.
func TestExampleOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if m == nil {
		t.Fatal("docs/config.md has no example")
	}
	c, problems := Parse(m[1])
	if len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	for _, name := range members(reflect.TypeFor[Config]()) {
		if c.Line(name) == 0 {
			t.Errorf("the example lacks %s", name)
		}
	}
}
