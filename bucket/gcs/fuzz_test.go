package gcs_test

import (
	"testing"

	"provcat-tui/bucket/gcs"
)

// Whatever comes back for a listing is a page or an error: no crash, no endless loop,
// no generation without a name.
func FuzzPage(f *testing.F) {
	f.Add(gcs.SamplePage(3))
	for _, s := range []string{"", "{}", "[]", `{"kind":"storage#objects"}`, `{"kind":"storage#objects","items":[{}]}`, `{"kind":"storage#objects","items":{},"prefixes":[1]}`,
		`{"kind":"storage#objects","items":[{"name":"\u0000\ud83d\ude42","generation":"1","size":"0","timeCreated":"9999-12-31T23:59:59.999Z"}]}`,
		`{"kind":"storage#objects","kind":"storage#objects"}`, `{"kind":"storage#objects"} {}`, `<!DOCTYPE html>`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		gcs.CheckPage(t.Fatalf, body)
	})
}
