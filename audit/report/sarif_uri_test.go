package report

import (
	"net/url"
	"strings"
	"testing"
)

// Decoded, the path is the key again, and it stays below the bucket's root.
func FuzzKeyURI(f *testing.F) {
	for _, key := range []string{"a b/c", "/x", "//x", "..", "a/./b", "s3:x", "\xff", "a?b#c%20", "", "sales/eu.csv"} {
		f.Add(key)
	}
	base, err := url.Parse("s3://bucket/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, key string) {
		uri := keyURI(key)
		if got, err := url.PathUnescape(uri); err != nil || got != key {
			t.Errorf("%q is %q, which is %q again: %v", key, uri, got, err)
		}
		at, err := base.Parse(uri)
		if err != nil || at.Host != "bucket" || at.Scheme != "s3" || at.RawQuery != "" || at.Fragment != "" || strings.HasPrefix(uri, "/") {
			t.Errorf("%q is %q: %v, %v", key, uri, at, err)
		}
	})
}
