package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"provcat-tui/internal/safe"
)

const (
	maxFile  = 1 << 20 // a configuration file is small
	maxPrice = 1000    // US dollars a thousand: beyond it somebody mistook the unit
	maxTold  = 20      // problems in one error
)

// A Problem is one thing that is wrong in the file.
type Problem struct {
	Line int // from 1; 0: of the file as a whole
	Text string
}

// An Error is all that is wrong in a file, in the order of its lines.
type Error struct {
	Path     string
	Problems []Problem
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the config file %s:", safe.Text(e.Path))
	for i, p := range e.Problems {
		if i == maxTold {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-i)
			break
		}
		if len(e.Problems) > 1 {
			b.WriteString("\n ")
		}
		if p.Line > 0 {
			fmt.Fprintf(&b, " line %d:", p.Line)
		}
		b.WriteString(" " + p.Text)
	}
	return b.String()
}

// Load reads a file. Where there is none it says nothing, unless must is set. What is
// wrong is an *Error with each problem and its line.
func Load(path string, must bool) (Config, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return Config{}, nil
	}
	if err != nil {
		return Config{}, whole(path, err)
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Config{}, whole(path, err)
	}
	if len(data) > maxFile {
		return Config{}, whole(path, errors.New("larger than 1 MiB"))
	}
	c, problems := Parse(data)
	if len(problems) > 0 {
		return Config{}, &Error{path, problems}
	}
	return c, nil
}

func whole(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path is said already
	}
	return &Error{path, []Problem{{0, safe.Text(err.Error())}}}
}

// Parse is strict: a member that it does not know is a problem, since a misspelt
// read_only must not be passed over. It gives every problem that it finds.
func Parse(data []byte) (Config, []Problem) {
	var c Config
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var problems []Problem
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		var te *yaml.TypeError
		if !errors.As(err, &te) {
			return Config{}, []Problem{problemOf(err.Error())}
		}
		for _, m := range te.Errors {
			problems = append(problems, problemOf(m))
		}
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		problems = append(problems, Problem{0, "more than one YAML document: only one is read"})
	}
	if err := yaml.Unmarshal(data, &c.doc); err != nil {
		return Config{}, []Problem{problemOf(err.Error())}
	}
	problems = append(problems, c.check()...)
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return c, slices.Compact(problems)
}

var lineOf = regexp.MustCompile(`(?s)^line (\d+): (.*)$`)

// problemOf takes the library's words and our types' names out of its message.
func problemOf(msg string) Problem {
	msg = strings.TrimPrefix(msg, "yaml: ")
	for typ, in := range map[string]string{"Config": "", "Bookmark": " in a bookmark", "Bucket": " in a bucket", "Prices": " in prices"} {
		msg = strings.ReplaceAll(msg, " not found in type config."+typ, " is not known"+in)
	}
	for _, r := range [][2]string{
		{"cannot unmarshal ", ""}, {"!!str ", ""}, {"!!map ", "a group of members "}, {"!!seq ", "a list "}, {"!!int ", ""}, {"!!float ", ""}, {"!!bool ", ""},
		{"into float64", "is no number"}, {"into bool", "is neither true nor false"}, {"into int", "is no whole number"}, {"into string", "is no text"},
		{"into []string", "is no list of words"}, {"into config.Prices", "is no group of members"},
		{"into []config.Bookmark", "is no list of bookmarks"}, {"into []config.Bucket", "is no list of buckets"},
		{"into config.Bookmark", "is no bookmark"}, {"into config.Bucket", "is no bucket"}, {"into config.Config", "is no configuration"},
		{"into map[string]config.Words", "is no group of members"}, {"config.", ""},
	} {
		msg = strings.ReplaceAll(msg, r[0], r[1])
	}
	if m := lineOf.FindStringSubmatch(msg); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return Problem{n, safe.Text(m[2])}
		}
	}
	return Problem{0, safe.Text(msg)}
}

// check looks at what the types don't tell.
func (c *Config) check() (out []Problem) {
	say := func(text string, path ...any) {
		out = append(out, Problem{c.Line(path...), text})
	}
	oneOf := func(name, value string, words ...string) {
		if value != "" && !slices.Contains(words, value) {
			say(fmt.Sprintf("%s is %s: one of %s", name, safe.Text(value), strings.Join(words, ", ")), name)
		}
	}
	oneOf("theme", c.Theme, "auto", "light", "dark")
	oneOf("borders", c.Borders, "auto", "unicode", "ascii")
	for i := range c.Bookmarks {
		b := &c.Bookmarks[i]
		if b.URL == "" {
			say("a bookmark needs a url", "bookmarks", i)
		}
		if b.Name == "" {
			b.Name = b.URL
		}
	}
	seen := map[string]bool{}
	for i, b := range c.Buckets {
		switch {
		case b.URL == "":
			say("a bucket needs a url", "buckets", i)
		case seen[b.URL]:
			say("a second bucket with the url "+safe.Text(b.URL), "buckets", i)
		}
		seen[b.URL] = true
		if b.Concurrency < 0 || b.Concurrency > 1024 {
			say(fmt.Sprintf("concurrency is %d: from 1 to 1024", b.Concurrency), "buckets", i, "concurrency")
		}
	}
	for _, p := range []struct {
		name  string
		value *float64
	}{{"list", c.Prices.List}, {"get", c.Prices.Get}} {
		if v := p.value; v != nil && !(*v >= 0 && *v <= maxPrice) { // NaN is neither
			say(fmt.Sprintf("the price %s is %v: from 0 to %d US dollars a thousand requests", p.name, *v, maxPrice), "prices", p.name)
		}
	}
	for member, lists := range map[string]map[string]Words{"keys": c.Keys, "columns": c.Columns} {
		for name, words := range lists {
			if slices.Contains(words, "") {
				say(fmt.Sprintf("%s: an empty word in its list", safe.Text(name)), member, name)
			}
		}
	}
	return out
}

// Line finds where a member stands, by names and, within lists, numbers from 0; the
// nearest member above it where it isn't there, as with what an alias or a merge
// brings. 0: the file has no line of it.
func (c *Config) Line(path ...any) int {
	n := &c.doc
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	line := 0
	for _, p := range path {
		var next, at *yaml.Node
		switch p := p.(type) {
		case int:
			if n.Kind == yaml.SequenceNode && p < len(n.Content) {
				next, at = n.Content[p], n.Content[p]
			}
		case string:
			for k := 0; n.Kind == yaml.MappingNode && k+1 < len(n.Content); k += 2 {
				if n.Content[k].Value == p {
					at, next = n.Content[k], n.Content[k+1]
				}
			}
		}
		if next == nil {
			return line
		}
		n, line = next, at.Line
	}
	return line
}
