package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"go.yaml.in/yaml/v3"

	"provcat-tui/audit"
	"provcat-tui/internal/safe"
)

// config is the config file. docs/cli.md describes it for users.
type config struct {
	Author    string     `yaml:"author"`
	ReadOnly  bool       `yaml:"read_only"`
	Bookmarks []bookmark `yaml:"bookmarks"`
	Prices    prices     `yaml:"prices"`
}

// prices of requests, in US dollars a thousand; nil: audit.DefaultPrices.
type prices struct {
	List *float64 `yaml:"list"`
	Get  *float64 `yaml:"get"`
}

// maxPrice bounds a price: beyond it somebody mistook the unit.
const maxPrice = 1000

// perThousand gives the prices as the audit takes them; nil: none is set.
func (p prices) perThousand() *audit.Prices {
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

// A bookmark names a place, and the way to its bucket.
type bookmark struct {
	Name      string `yaml:"name"`
	URL       string `yaml:"url"`
	Profile   string `yaml:"profile"`
	Region    string `yaml:"region"`
	Endpoint  string `yaml:"endpoint"`
	PathStyle bool   `yaml:"path_style"`
}

func configPath() string { return filepath.Join(xdg.ConfigHome, "provcat-tui", "config.yaml") }

// maxConfig bounds what is read: a config file is small.
const maxConfig = 1 << 20

// loadConfig reads the config file; none is an empty config. Its errors are
// wrong usage, with the file and the line.
func loadConfig(path string) (config, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return config{}, nil
	}
	if err != nil {
		return config{}, configError(path, err)
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return config{}, configError(path, err)
	}
	if len(data) > maxConfig {
		return config{}, configError(path, errors.New("larger than 1 MiB"))
	}
	c, err := parseConfig(data)
	if err != nil {
		return config{}, configError(path, err)
	}
	return c, nil
}

func configError(path string, err error) error {
	return &exitError{exitUsage, fmt.Errorf("the config file %s: %w", safe.Text(path), err)}
}

// parseConfig is strict: a member that it does not know is an error, since a
// misspelt read_only must not be passed over.
func parseConfig(data []byte) (config, error) {
	var c config
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return config{}, cleanYAML(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return config{}, cleanYAML(err)
	}
	for i, b := range c.Bookmarks {
		switch {
		case b.URL == "":
			return config{}, fmt.Errorf("line %d: a bookmark needs a url", bookmarkLine(&doc, i))
		case b.Name == "":
			c.Bookmarks[i].Name = b.URL
		}
	}
	for name, p := range map[string]*float64{"list": c.Prices.List, "get": c.Prices.Get} {
		if p != nil && !(*p >= 0 && *p <= maxPrice) { // NaN is neither
			return config{}, fmt.Errorf("line %d: the price %s is %v: from 0 to %d US dollars a thousand requests", memberOf(memberOf(&doc, "prices"), name).Line, name, *p, maxPrice)
		}
	}
	return c, nil
}

// bookmarkLine finds the line on which bookmark i starts.
func bookmarkLine(doc *yaml.Node, i int) int {
	if list := memberOf(doc, "bookmarks"); i < len(list.Content) {
		return list.Content[i].Line
	}
	return memberOf(doc, "bookmarks").Line
}

// memberOf finds a member of a mapping (of the document's); the mapping itself
// where it isn't there, as with what an alias or a merge brings.
func memberOf(n *yaml.Node, name string) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	for k := 0; k+1 < len(n.Content); k += 2 {
		if n.Content[k].Value == name {
			return n.Content[k+1]
		}
	}
	return n
}

// cleanYAML takes the library's words and our types' names out of its errors.
func cleanYAML(err error) error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	msg = strings.TrimPrefix(msg, "unmarshal errors:\n  ")
	msg = strings.ReplaceAll(msg, "\n  ", "; ")
	msg = strings.ReplaceAll(msg, " not found in type cli.config", " is not known")
	msg = strings.ReplaceAll(msg, " not found in type cli.bookmark", " is not known in a bookmark")
	msg = strings.ReplaceAll(msg, " not found in type cli.prices", " is not known in prices")
	msg = strings.ReplaceAll(msg, "into float64", "into a number")
	msg = strings.ReplaceAll(msg, "cli.", "")
	return errors.New(msg)
}
