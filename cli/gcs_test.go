package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"provcat-tui/internal/fakegcs"
)

// newGCS starts a test server with one bucket, and names it the way a person does.
func newGCS(t *testing.T, o fakegcs.Options) *fakegcs.Server {
	t.Helper()
	isolate(t)
	s := fakegcs.New(o)
	t.Cleanup(s.Close)
	s.CreateBucket("team-data", true)
	t.Setenv("STORAGE_EMULATOR_HOST", s.Host())
	return s
}

func TestGCSEndToEnd(t *testing.T) {
	s := newGCS(t, fakegcs.Options{})
	s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
	s.Put("team-data", "sales/us.csv", []byte("12345"))
	via := func(args ...string) result { return cliAt(time.Now(), args...) }
	var c struct {
		Committed bool
		Number    int
		Files     int
	}
	via("commit", "gs://team-data/sales", "-m", "first", "--format", "json").wants(t, 0).json(t, &c)
	if !c.Committed || c.Number != 1 || c.Files != 2 {
		t.Errorf("%+v", c)
	}
	s.Put("team-data", "sales/us.csv", []byte("123456789"))
	via("cat", "gs://team-data/sales/us.csv", "--at", "1").wants(t, 0).prints(t, "12345")
	via("cat", "gs://team-data/sales/us.csv").wants(t, 0).prints(t, "123456789")
	via("diff", "gs://team-data/sales", "1", "--exit-code").wants(t, 1).prints(t, ""+
		"M                5 B → 9 B  us.csv\n"+
		"0 added (0 B), 0 removed (0 B), 1 changed (now 9 B)\n")
	if r := via("log", "gs://team-data/sales").wants(t, 0); !strings.HasPrefix(r.out, "#1 ") || !strings.Contains(r.out, "first") {
		t.Errorf("%q", r.out)
	}
	via("audit", "gs://team-data").wants(t, 0)
	via("ls", "gs://team-data/hr").wants(t, 2).says(t, "has no folder or file hr")

	// An entry that is deleted is found, and the repair brings it back.
	entry := s.Entries("team-data", ".provcat/log/")[0]
	s.Delete("team-data", entry.Key)
	var report struct {
		Findings []struct {
			ID     string
			Repair struct{ Kind, Command string }
		}
	}
	via("audit", "gs://team-data", "--format", "json").wants(t, 1).json(t, &report)
	if len(report.Findings) != 1 || report.Findings[0].ID != "log-entry-deleted" || !strings.Contains(report.Findings[0].Repair.Command, "provcat-tui repair marker ") {
		t.Fatalf("%+v", report)
	}
	line := strings.Fields(report.Findings[0].Repair.Command)
	via(append(line[1:], "--yes")...).wants(t, 0)
	via("audit", "gs://team-data").wants(t, 0)
	via("commit", "gs://team-data/sales", "-m", "second", "--format", "json").wants(t, 0).json(t, &c)
	if !c.Committed || c.Number != 2 {
		t.Errorf("%+v", c)
	}
}

// What commit says, and exits with, when the store or the way to it misbehaves: the
// cases of S3.
func TestGCSCommitOutcomes(t *testing.T) {
	const entries = ".provcat/log/"
	for _, c := range []struct {
		name      string
		set       func(*fakegcs.Server)
		code      int
		committed string // JSON
		reason    string
	}{
		{"a dropped answer at the commit point", func(s *fakegcs.Server) {
			s.Fail(fakegcs.Fault{Kind: "objects.insert", Prefix: entries, Do: fakegcs.DropAnswer})
		}, 0, "true", ""},
		{"a store that ignores conditions", func(s *fakegcs.Server) {
			s.Fail(fakegcs.Fault{Kind: "objects.insert", Times: -1, Do: fakegcs.IgnoreCondition})
		}, 1, "false", "store-ignores-conditions"},
		{"versioning never switched on", func(s *fakegcs.Server) { s.Set("team-data", "versioning", "null") }, 1, "false", "versioning"},
		{"a hierarchical namespace", func(s *fakegcs.Server) {
			s.Set("team-data", "versioning", "null")
			s.Set("team-data", "hierarchicalNamespace", `{"enabled":true}`)
		}, 1, "false", "versioning"},
		{"writes forbidden", func(s *fakegcs.Server) { s.Deny("team-data", "storage.objects.create") }, 3, "false", "denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newGCS(t, fakegcs.Options{})
			s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
			c.set(s)
			r := cliAt(time.Now(), "commit", "gs://team-data/sales", "-m", "x", "--format", "json", "--time-limit", "10s").wants(t, c.code)
			var d struct {
				Committed json.RawMessage
				Reason    string
			}
			r.json(t, &d)
			if string(d.Committed) != c.committed || d.Reason != c.reason {
				t.Errorf("%s", r.out)
			}
			if met := s.Count("objects.insert"); met == 0 && (c.committed == "true" || d.Reason == "store-ignores-conditions" || d.Reason == "denied") {
				t.Error("no write was asked for")
			}
			if n := len(s.Entries("team-data", entries)); (n == 1) != (c.committed == "true") {
				t.Errorf("%d versions in the log", n)
			}
		})
	}
}

// The list of buckets: of the project that is named, beside S3's.
func TestGCSBuckets(t *testing.T) {
	s := newGCS(t, fakegcs.Options{Project: "ours"})
	s.CreateBucket("more-data", true)
	t.Setenv("GOOGLE_CLOUD_PROJECT", "ours")
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
	a := &app{}
	a.flags.set = func(string) bool { return false }
	got, err := a.listGCS(t.Context(), "ours")
	if err != nil || len(got) != 2 || got[0].URL != "gs://more-data" || got[1].URL != "gs://team-data" || got[0].Endpoint != s.Host() {
		t.Errorf("%+v, %v", got, err)
	}
}
