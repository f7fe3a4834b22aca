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

// Whatever comes back for a bucket's description is settings or an error, and no number
// in it is below zero.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{
		`{"lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"age":3,"isLive":false,"numNewerVersions":"2","createdBefore":"2026-01-02","matchesPrefix":["a"],"new":1}}]}}`,
		`{"lifecycle":{"rule":[{"action":{"type":"SetStorageClass","storageClass":"\u001b"},"condition":{"daysSinceNoncurrentTime":1e3,"noncurrentTimeBefore":"9999-99-99"}}]}}`,
		`{"lifecycle":{"rule":[{"condition":{"age":-1}},{"condition":null},null]}}`, `{"lifecycle":[]}`, `{"retentionPolicy":{"retentionPeriod":"9223372036854775807","isLocked":true}}`,
		`{"retentionPolicy":{"retentionPeriod":"-1"},"versioning":{"enabled":true},"softDeletePolicy":{"retentionDurationSeconds":"9223372036854775807"}}`, `{}`, `[]`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		gcs.CheckSettings(t.Fatalf, body)
	})
}
