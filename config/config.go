// Package config reads the person's configuration file. docs/config.md describes it
// for users, docs/config.schema.json for their editors; tests hold the three together.
package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"go.yaml.in/yaml/v3"
)

// Config is what the file says. The zero value is a file that says nothing.
type Config struct {
	// Author of commits; empty: the program finds a name.
	Author string `yaml:"author"`
	// ReadOnly takes away all that writes to a bucket.
	ReadOnly  bool       `yaml:"read_only"`
	Bookmarks []Bookmark `yaml:"bookmarks"`
	Buckets   []Bucket   `yaml:"buckets"`
	// Keys gives the presses of a key by its ID; none: the key is not bound. The IDs
	// and the presses are the terminal program's, which checks them.
	Keys map[string]Words `yaml:"keys"`
	// Columns gives the columns of a screen's table, in their order, by the screen's
	// name. Both are the terminal program's, which checks them.
	Columns map[string]Words `yaml:"columns"`
	// Theme is "auto", "light" or "dark"; empty: auto.
	Theme string `yaml:"theme"`
	// Borders is "auto", "unicode" or "ascii"; empty: auto.
	Borders string `yaml:"borders"`
	// Mouse is nil where the file does not say: on.
	Mouse  *bool  `yaml:"mouse"`
	Prices Prices `yaml:"prices"`

	doc yaml.Node
}

// A Bookmark names a place, and the way to its bucket.
type Bookmark struct {
	Name string `yaml:"name"` // never empty once it was read: else the URL
	URL  string `yaml:"url"`
	Way  `yaml:",inline"`
}

// A Way is how a bucket is reached.
type Way struct {
	Profile   string `yaml:"profile"`
	Region    string `yaml:"region"`
	Endpoint  string `yaml:"endpoint"`
	PathStyle bool   `yaml:"path_style"`
}

// A Bucket is what holds for a bucket, or a folder and all below it.
type Bucket struct {
	URL          string `yaml:"url"`
	Way          `yaml:",inline"`
	RequestPayer bool `yaml:"request_payer"`
	// BillingProject pays for the requests to a requester-pays bucket of Google's.
	BillingProject string `yaml:"billing_project"`
	ReadOnly       bool   `yaml:"read_only"`
	Author         string `yaml:"author"`
	// Concurrency is the most requests side by side, 1 to 1,024; 0: the default.
	Concurrency int `yaml:"concurrency"`
}

// Prices of requests, in US dollars a thousand; nil: the program's own.
type Prices struct {
	List *float64 `yaml:"list"`
	Get  *float64 `yaml:"get"`
}

// Words is a list of words; a word alone is a list of one.
type Words []string

// UnmarshalYAML takes a word or a list of words.
func (w *Words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		var one string
		if err := n.Decode(&one); err != nil {
			return err
		}
		*w = Words{one}
		return nil
	}
	var many []string
	if err := n.Decode(&many); err != nil {
		return err
	}
	*w = append(Words{}, many...)
	return nil
}

// MouseOn says whether the mouse is used: it is unless the file takes it away.
func (c *Config) MouseOn() bool { return c.Mouse == nil || *c.Mouse }

// BookmarkOf gives the bookmark with the longest URL that names the bucket of url,
// one that url lies in before others; nil: there is none. root is the bucket's own URL.
func (c *Config) BookmarkOf(root, url string) *Bookmark {
	var best *Bookmark
	for i := range c.Bookmarks {
		b := &c.Bookmarks[i]
		if !Within(root, b.URL) {
			continue
		}
		here := Within(b.URL, url)
		if best == nil || here && (!Within(best.URL, url) || len(b.URL) > len(best.URL)) {
			best = b
		}
	}
	return best
}

// BucketOf gives what holds for a URL: the longest of the buckets' URLs that it lies
// in; nil: there is none.
func (c *Config) BucketOf(url string) *Bucket {
	var best *Bucket
	for i := range c.Buckets {
		b := &c.Buckets[i]
		if Within(b.URL, url) && (best == nil || len(b.URL) > len(best.URL)) {
			best = b
		}
	}
	return best
}

// Within says whether url is place, or lies in it.
func Within(place, url string) bool {
	place = strings.TrimSuffix(place, "/")
	return url == place || strings.HasPrefix(url, place+"/")
}

// Path is where the configuration file is: the first that is there of the platform's
// own folder (XDG_CONFIG_HOME, ~/.config; on macOS ~/Library/Application Support) and
// ~/.config, which people keep on macOS too; where there is none, the platform's own.
// Who sets XDG_CONFIG_HOME means that folder and no other.
func Path() string {
	own := filepath.Join(xdg.ConfigHome, "provcat-tui", "config.yaml")
	if os.Getenv("XDG_CONFIG_HOME") != "" {
		return own
	}
	other := filepath.Join(xdg.Home, ".config", "provcat-tui", "config.yaml")
	if _, err := os.Lstat(own); err != nil {
		if _, err := os.Lstat(other); err == nil {
			return other
		}
	}
	return own
}
