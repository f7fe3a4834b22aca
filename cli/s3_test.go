package cli

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"provcat-tui/internal/fakes3"
)

// newS3 starts a test server with one bucket, and gives its credentials to the
// program the way a person does.
func newS3(t *testing.T, o fakes3.Options) *fakes3.Server {
	t.Helper()
	isolate(t)
	s := fakes3.New(o)
	t.Cleanup(s.Close)
	s.CreateBucket("team-data", true)
	t.Setenv("AWS_ACCESS_KEY_ID", "TESTKEY")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "testsecret")
	return s
}

func TestS3EndToEnd(t *testing.T) {
	s := newS3(t, fakes3.Options{AccessKey: "TESTKEY"})
	s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
	s.Put("team-data", "sales/us.csv", []byte("12345"))
	via := func(args ...string) result {
		return cliAt(time.Now(), append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
	}
	var c struct {
		Committed bool
		Number    int
		Files     int
	}
	via("commit", "s3://team-data/sales", "-m", "first", "--format", "json").wants(t, 0).json(t, &c)
	if !c.Committed || c.Number != 1 || c.Files != 2 {
		t.Errorf("%+v", c)
	}
	s.Put("team-data", "sales/us.csv", []byte("123456789"))
	via("cat", "s3://team-data/sales/us.csv", "--at", "1").wants(t, 0).prints(t, "12345")
	via("cat", "s3://team-data/sales/us.csv").wants(t, 0).prints(t, "123456789")
	via("diff", "s3://team-data/sales", "1", "--exit-code").wants(t, 1).prints(t, ""+
		"M                5 B → 9 B  us.csv\n"+
		"0 added (0 B), 0 removed (0 B), 1 changed (now 9 B)\n")
	if r := via("log", "s3://team-data/sales").wants(t, 0); !strings.HasPrefix(r.out, "#1 ") || !strings.Contains(r.out, "first") {
		t.Errorf("%q", r.out)
	}
	via("audit", "s3://team-data").wants(t, 0)
	via("ls", "s3://team-data/hr").wants(t, 2).says(t, "has no folder or file hr")

}

// What commit says, and exits with, when the store or the way to it misbehaves.
func TestS3CommitOutcomes(t *testing.T) {
	const entries = ".provcat/log/"
	for _, c := range []struct {
		name      string
		set       func(*fakes3.Server)
		code      int
		committed string // JSON
		reason    string
	}{
		{"a dropped answer at the commit point", func(s *fakes3.Server) {
			s.Fail(fakes3.Fault{Kind: "PutObject", Prefix: entries, Do: fakes3.DropAnswer})
		}, 0, "true", ""},
		{"a store that ignores conditions", func(s *fakes3.Server) { s.IgnoreConditions("team-data", true) }, 1, "false", "store-ignores-conditions"},
		{"versioning never switched on", func(s *fakes3.Server) { s.SetVersioning("team-data", "") }, 1, "false", "versioning"},
		{"writes forbidden", func(s *fakes3.Server) {
			s.Fail(fakes3.Fault{Kind: "PutObject", Times: -1, Do: fakes3.AccessDenied})
		}, 3, "false", "denied"},
		{"no answer at the commit point, ever", func(s *fakes3.Server) {
			s.Fail(fakes3.Fault{Kind: "PutObject", Prefix: entries, Times: -1, Do: fakes3.DropAnswer})
			var put atomic.Bool
			s.After(func(r fakes3.Request) {
				if r.Kind == "PutObject" && strings.HasPrefix(r.Key, entries) {
					put.Store(true)
				}
			})
			s.Fail(fakes3.Fault{Kind: "GetObject", Prefix: entries, Times: -1, Match: func(fakes3.Request) bool { return put.Load() }, Do: fakes3.InternalError})
			s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Prefix: entries, Times: -1, Match: func(fakes3.Request) bool { return put.Load() }, Do: fakes3.InternalError})
		}, 3, "null", "unclear"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newS3(t, fakes3.Options{})
			s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
			c.set(s)
			r := cliAt(time.Now(), "commit", "s3://team-data/sales", "-m", "x", "--format", "json", "--time-limit", "300ms",
				"--endpoint", s.URL(), "--region", "us-east-1", "--path-style").wants(t, c.code)
			var d struct {
				Committed json.RawMessage
				Reason    string
				ID        string
			}
			r.json(t, &d)
			if string(d.Committed) != c.committed || d.Reason != c.reason {
				t.Errorf("%s", r.out)
			}
			switch c.committed {
			case "true":
				if n := len(s.Entries("team-data", entries)); n != 1 {
					t.Errorf("%d versions in the log, want 1", n)
				}
			case "false":
				if n := len(s.Entries("team-data", entries)); n != 0 {
					t.Errorf("the log was touched: %d versions", n)
				}
			case "null":
				r.says(t, d.ID, "unclear")
			}
		})
	}
}

// What keeps a bucket from being opened: each with a message of its own, exit 2.
func TestS3CannotBeOpened(t *testing.T) {
	s := newS3(t, fakes3.Options{AccessKey: "TESTKEY", Region: "eu-central-1"})
	here := []string{"--endpoint", s.URL(), "--path-style", "--region", "eu-central-1"}
	for _, c := range []struct {
		name  string
		env   map[string]string
		url   string
		flags []string
		says  []string
	}{
		{"no such bucket", nil, "s3://nosuch", here, []string{"s3://nosuch", "there is no such bucket"}},
		{"unknown key", map[string]string{"AWS_ACCESS_KEY_ID": "OTHER"}, "s3://team-data", here, []string{"s3://team-data", "does not accept these credentials"}},
		{"no credentials", map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "s3://team-data", here, []string{"no credentials were found"}},
		{"unknown profile", nil, "s3://team-data", append([]string{"--profile", "nosuch"}, here...), []string{"nosuch"}},
		{"wrong region", nil, "s3://team-data", []string{"--endpoint", s.URL(), "--path-style", "--region", "us-west-2"}, []string{"wrong region", "eu-central-1", "--region"}},
		{"unreachable endpoint", nil, "s3://team-data", []string{"--endpoint", "http://127.0.0.1:1", "--region", "us-east-1"}, []string{"127.0.0.1:1 refused the connection"}},
		{"no endpoint at all", nil, "s3://team-data", []string{"--endpoint", "nonsense", "--region", "us-east-1"}, []string{"nonsense"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			for _, cmd := range [][]string{{"ls", c.url}, {"log", c.url}, {"audit", c.url}, {"commit", c.url, "-m", "x"}} {
				r := cli(append(cmd, c.flags...)...).wants(t, 2)
				r.says(t, c.says...)
				if r.out != "" {
					t.Errorf("%v: stdout %q", cmd, r.out)
				}
				if strings.Count(r.err, "\n") != 1 {
					t.Errorf("%v: more than one message: %s", cmd, r.err)
				}
			}
		})
	}
}

// A 403 is "could not check", never "missing".
func TestS3Denied(t *testing.T) {
	s := newS3(t, fakes3.Options{})
	s.Put("team-data", "sales/eu.csv", []byte("a,b\n"))
	flags := []string{"--endpoint", s.URL(), "--path-style", "--region", "us-east-1"}
	s.Fail(fakes3.Fault{Kind: "GetObject", Times: -1, Do: fakes3.AccessDenied})
	r := cli(append([]string{"cat", "s3://team-data/sales/eu.csv"}, flags...)...).wants(t, 3)
	r.says(t, "access denied", "s3:GetObject")
	r.prints(t, "")
}
