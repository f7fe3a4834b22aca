package cli

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"provcat-tui/bucket/inventory/inventorytest"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// The calls that only read; everything else is a write, or not known to be none.
var readingCalls = []string{"HeadBucket", "GetBucketLocation", "GetBucketVersioning", "GetBucketLifecycleConfiguration", "GetObjectLockConfiguration",
	"ListObjectVersions", "ListObjectsV2", "ListMultipartUploads", "GetObject", "HeadObject", "GetObjectTagging", "GetObjectRetention", "GetObjectLegalHold"}

// The audit makes no write of any kind, at any depth, with any flag, of a sound
// bucket or a damaged one: the server counts.
func TestTheAuditMakesNoWrite(t *testing.T) {
	const bucket = "team-data"
	s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
	home := t.TempDir()
	via := func(args ...string) result {
		return cli(append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
	}
	s.SetObjectLock(bucket, "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>")
	s.SetLifecycle(bucket, `<LifecycleConfiguration><Rule><ID>tagged</ID><Status>Enabled</Status><Filter><Tag><Key>k</Key><Value>v</Value></Tag></Filter>`+
		`<Expiration><Days>30</Days></Expiration><NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`)
	var ids []string
	for _, body := range []string{"1", "22", "333"} {
		s.Put(bucket, "sales/eu.csv", []byte(body))
		s.Put(bucket, "sales/de/x", []byte(body))
		var made struct{ ID string }
		via("commit", "s3://team-data/sales", "-m", body, "--format", "json").wants(t, 0).json(t, &made)
		ids = append(ids, made.ID)
	}
	s.StartUpload(bucket, "sales/big")
	rules, base := filepath.Join(home, "ignore.yaml"), filepath.Join(home, "base.json")
	write(t, rules, "- id: version-will-expire\n  reason: x\n  expires: 2027-01-01\n")
	via("audit", "s3://team-data", "--format", "json", "--output", base).wants(t, 0)

	flags := map[string][]string{ // by the flag that each is about
		"":                 nil,
		"folder":           {"--folder", "sales"},
		"fail-on":          {"--fail-on", "anomaly"},
		"skew-tolerance":   {"--skew-tolerance", "1s"},
		"output":           {"--output", filepath.Join(home, "out")},
		"format":           {"--format", "jsonl"},
		"witness":          {"--witness", filepath.Join(home, "witness.json")},
		"witness-readonly": {"--witness", filepath.Join(home, "witness.json"), "--witness-readonly"},
		"ignore":           {"--ignore", rules},
		"baseline":         {"--baseline", base},
		"sample":           {"--sample", "1/2"},
		"max-requests":     {"--max-requests", "20"},
		"max-duration":     {"--max-duration", "1m"},
		"estimate":         {"--estimate"},
	}
	// A report without a row: each version is looked up.
	report := inventorytest.Make(t, nil, inventorytest.Options{Source: bucket, Prefix: "inv/team-data/daily/", Created: clockStart})
	for key, data := range report.Objects {
		s.Put(bucket, key, data)
	}
	flags["inventory"] = []string{"--inventory", "s3://team-data/" + report.Manifest}
	flags["inventory-max-age"] = append([]string{"--inventory-max-age", "1h"}, flags["inventory"]...)
	var o auditOptions
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	addAuditFlags(all, &o)
	all.VisitAll(func(f *pflag.Flag) {
		if flags[f.Name] == nil && f.Name != "depth" && f.Name != "explain" { // explain asks no bucket
			t.Errorf("--%s is not tried here", f.Name)
		}
	})
	audits := func(damaged bool) {
		before := s.Entries(bucket, "")
		for _, depth := range []string{"log", "commits", "versions", "readable"} {
			for _, name := range slices.Sorted(maps.Keys(flags)) {
				if strings.HasPrefix(name, "inventory") && (depth == "log" || depth == "commits") {
					continue // wrong usage: these look at no versions
				}
				s.Forget()
				r := via(slices.Concat([]string{"audit", "s3://team-data", "--depth", depth}, flags[name])...)
				if r.code == 2 || name == "" && (r.code == 1) != damaged {
					t.Errorf("--depth %s %v: exit code %d: %s%s", depth, flags[name], r.code, r.out, r.err)
				}
				if s.Count("") == 0 {
					t.Errorf("--depth %s %v asks for nothing", depth, flags[name])
				}
				for _, q := range s.Requests() {
					if q.Method != "GET" && q.Method != "HEAD" || !slices.Contains(readingCalls, q.Kind) {
						t.Errorf("--depth %s %v: %s %s %s?%s", depth, flags[name], q.Method, q.Kind, q.Key, q.Query)
					}
				}
			}
		}
		if after := s.Entries(bucket, ""); !reflect.DeepEqual(before, after) {
			t.Errorf("the bucket was %+v and is %+v", before, after)
		}
	}
	audits(false)
	s.Delete(bucket, commit.EntryKey("sales", 2))
	s.Put(bucket, commit.CommitKey(ids[0]), []byte("junk"))
	gone := s.Entries(bucket, "sales/eu.csv")[0]
	s.DeleteVersion(bucket, gone.Key, gone.ID)
	s.SetVersioning(bucket, "Suspended")
	audits(true)
}
