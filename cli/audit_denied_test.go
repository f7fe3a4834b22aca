package cli

import (
	"strings"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// What is denied is exit code 3, in any format, unless damage can be proved.
func TestAuditDeniedInTurn(t *testing.T) {
	const lock = "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>"
	const rule = `<LifecycleConfiguration><Rule><ID>tagged</ID><Status>Enabled</Status><Filter><And><Prefix>sales/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter>` +
		`<NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`
	for _, c := range []struct {
		name  string
		fault fakes3.Fault
		sound int // exit code
		bad   int // where an entry was deleted
	}{
		{"nothing", fakes3.Fault{Key: "no such key"}, 0, 1},
		{"listings", fakes3.Fault{Kind: "ListObjectVersions"}, 3, 3},
		{"the listing of the folder", fakes3.Fault{Kind: "ListObjectVersions", Prefix: "sales/"}, 3, 1},
		{"reads", fakes3.Fault{Kind: "GetObject"}, 3, 1},
		{"reads of versions", fakes3.Fault{Kind: "GetObject", Match: func(r fakes3.Request) bool { return strings.Contains(r.Query, "versionId=") }}, 3, 1},
		{"reads of files", fakes3.Fault{Kind: "GetObject", Prefix: "sales/"}, 3, 1},
		{"versioning", fakes3.Fault{Kind: "GetBucketVersioning"}, 3, 1},
		{"lifecycle", fakes3.Fault{Kind: "GetBucketLifecycleConfiguration"}, 3, 1},
		{"object lock", fakes3.Fault{Kind: "GetObjectLockConfiguration"}, 3, 1},
		{"unfinished uploads", fakes3.Fault{Kind: "ListMultipartUploads"}, 3, 1},
		// The forecast says "may", which is a risk.
		{"tags", fakes3.Fault{Kind: "GetObjectTagging"}, 0, 1},
		{"retention", fakes3.Fault{Kind: "GetObjectRetention"}, 0, 1},
		{"legal hold", fakes3.Fault{Kind: "GetObjectLegalHold"}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
			s.SetObjectLock("team-data", lock)
			s.SetLifecycle("team-data", rule)
			via := func(args ...string) result {
				return cli(append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
			}
			for _, body := range []string{"1", "2"} {
				v := s.Put("team-data", "sales/eu.csv", []byte(body))
				s.SetTags("team-data", "sales/eu.csv", v, map[string]string{"k": "v"})
				via("commit", "s3://team-data/sales", "-m", body).wants(t, 0)
			}
			c.fault.Times, c.fault.Do = -1, fakes3.AccessDenied
			armed := s.Fail(c.fault)
			look := []string{"audit", "s3://team-data", "--depth", "readable"}
			verdicts := map[int]audit.Verdict{0: audit.Pass, 1: audit.Fail, 3: audit.Incomplete}
			for _, format := range []string{"text", "json", "jsonl", "markdown", "sarif", "junit", "metrics"} {
				r := via(append(look, "--format", format)...).wants(t, c.sound)
				if format != "json" {
					continue
				}
				var rep audit.Report
				r.json(t, &rep)
				if rep.Verdict != verdicts[c.sound] || rep.Counts[audit.Damage] != 0 {
					t.Errorf("%s, %v", rep.Verdict, rep.Counts)
				}
				if c.name != "nothing" && len(rep.Findings) == 0 {
					t.Error("nothing is told")
				}
			}
			if c.name != "nothing" && armed.Fired() == 0 {
				t.Error("nothing was refused")
			}
			if c.sound == 0 { // a risk all the same
				via(append(look, "--fail-on", "risk")...).wants(t, 1)
			}
			s.Delete("team-data", commit.EntryKey("sales", 2))
			via(look...).wants(t, c.bad)
		})
	}
}
