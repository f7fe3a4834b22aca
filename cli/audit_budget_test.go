package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/fakes3"
)

// What is wrong with the flags is told before the bucket is opened.
func TestAuditBudgetFlags(t *testing.T) {
	isolate(t)
	nowhere := filepath.Join(t.TempDir(), "no.bucket")
	for _, c := range []struct{ args, says string }{
		{"--sample 3/2", `--sample: "3/2" is no part of a sample: n/t with 1 ≤ n ≤ t`},
		{"--sample=", `--sample: "" is no part`},
		{"--sample 0/7", "1 ≤ n"},
		{"--sample 1/10001", "t ≤ 10000"},
		{"--max-requests 0", "--max-requests 0: 1 or more"},
		{"--max-requests -5", "--max-requests -5: 1 or more"},
		{"--max-requests many", "--max-requests"},
		{"--max-duration 0s", "--max-duration 0s: more than zero"},
		{"--max-duration -1m", "more than zero"},
		{"--max-duration 10", "--max-duration"},
		{"--estimate --format sarif", "audit --estimate writes text or json"},
		{"--estimate --format jsonl", "audit --estimate writes text or json"},
	} {
		r := cli(append([]string{"audit", nowhere}, strings.Fields(c.args)...)...).wants(t, 2)
		r.says(t, c.says, "--help")
		r.prints(t, "")
	}
}

// An S3 server on which two folders are committed, and the way to it.
func committedS3(t *testing.T, o fakes3.Options) (*fakes3.Server, func(args ...string) result) {
	t.Helper()
	s := newS3(t, o)
	via := func(args ...string) result {
		return cliAt(time.Now(), append(args, "--endpoint", s.URL(), "--region", "us-east-1", "--path-style")...)
	}
	for i := range 30 {
		s.Put("team-data", fmt.Sprintf("sales/%02d.csv", i), []byte("a,b\n"))
	}
	s.Put("team-data", "hr/a.csv", []byte("x"))
	via("commit", "s3://team-data/sales", "-m", "first").wants(t, 0)
	via("commit", "s3://team-data/hr", "-m", "first").wants(t, 0)
	s.Put("team-data", "sales/00.csv", []byte("c,d\n"))
	via("commit", "s3://team-data/sales", "-m", "second").wants(t, 0)
	s.Forget()
	return s, via
}

// The requests that a report tells are all that the program made, those for opening
// the bucket too, and an estimate's are those of the audit that follows.
func TestS3AuditRequestsAreAllTold(t *testing.T) {
	s, via := committedS3(t, fakes3.Options{})
	for _, flags := range [][]string{
		nil, {"--depth", "log"}, {"--depth", "readable", "--folder", "hr"}, {"--sample", "1/2", "--depth", "commits"},
	} {
		for _, url := range []string{"s3://team-data", "s3://team-data/hr"} {
			args := append([]string{"audit", url, "--format", "json"}, flags...)
			s.Forget()
			var e audit.Estimate
			via(append(args, "--estimate")...).wants(t, 0).json(t, &e)
			if n := int64(s.Count("")); n != e.Took.List+e.Took.Get+e.Took.Head {
				t.Errorf("%v: the estimate took %d requests and tells %+v", args, n, e.Took)
			}
			s.Forget()
			var r audit.Report
			via(args...).wants(t, 0).json(t, &r)
			n := int64(s.Count(""))
			if r.Requests.List+r.Requests.Get+r.Requests.Head != n || e.Requests.List+e.Requests.Get != n {
				t.Errorf("%v: %d requests made, told %+v, estimated %+v", args, n, r.Requests, e.Requests)
			}
		}
	}
}

func TestS3AuditWithMaxRequests(t *testing.T) {
	s, via := committedS3(t, fakes3.Options{PageCap: 10})
	var whole audit.Report
	via("audit", "s3://team-data", "--format", "json").wants(t, 0).json(t, &whole)
	pages := whole.Requests.List // of opening, .provcat/, hr, 31 versions of sales in four, unfinished uploads of both
	if pages != 1+1+1+4+2 || !whole.Complete {
		t.Fatalf("%+v", whole.Requests)
	}
	cut := 0
	for n := int64(1); n <= 25; n++ {
		s.Forget()
		r := via("audit", "s3://team-data", "--format", "json", "--max-requests", fmt.Sprint(n))
		var rep audit.Report
		r.json(t, &rep)
		if made := int64(s.Count("")); made > n+2 { // a page of each of two listings may be under way
			t.Errorf("%d requests, %d allowed", made, n)
		}
		if r.code != exitDone && r.code != exitIncomplete || len(rep.Findings) > 0 || rep.Complete != (rep.Coverage.Versions.Checked == 32 && rep.Requests.List == pages) {
			t.Errorf("%d requests: exit %d, complete %v, %+v", n, r.code, rep.Complete, rep.Coverage)
		}
		if v := rep.Coverage.Versions; rep.Coverage.Commits.Checked == 3 && v.Checked < v.Total {
			cut++
		}
	}
	if cut == 0 {
		t.Error("no budget ended within the listing of the versions")
	}
}

// Nothing is concluded by an audit that was interrupted, and nothing is written.
func TestS3AuditInterrupted(t *testing.T) {
	s, _ := committedS3(t, fakes3.Options{})
	const text = "provcat-tui: interrupted: nothing was concluded, and no report or witness was written\n"
	for _, at := range []fakes3.Request{{Kind: "ListObjectVersions"}, {Kind: "GetBucketVersioning"}, {Kind: "GetObject"}} {
		for _, flags := range [][]string{nil, {"--estimate"}} {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			s.Before(func(r fakes3.Request) {
				if r.Kind == at.Kind {
					cancel()
				}
			})
			r := cliWith(ctx, time.Now(), append([]string{"audit", "s3://team-data/hr", "--endpoint", s.URL(), "--region", "us-east-1", "--path-style",
				"--witness", filepath.Join(dir, "w.json"), "--output", filepath.Join(dir, "report.txt")}, flags...)...)
			if r.wants(t, exitInterrupted); r.err != text && (len(flags) == 0 || r.err != "provcat-tui: interrupted\n") {
				t.Errorf("%s: %q", at.Kind, r.err)
			}
			r.prints(t, "")
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%s: %v, %v", at.Kind, left, err)
			}
		}
	}
}

func TestAuditEstimate(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	bytes := func(prefix string) (n int64) {
		for v, err := range tb.b.Versions(t.Context(), bucket.Range{Prefix: prefix}) {
			if err != nil {
				t.Fatal(err)
			}
			n += v.Size
		}
		return n
	}
	// Two settings, a page and two entries, two commits, a page of files, of which the
	// second commit has two; finding the folder takes another page.
	want := fmt.Sprintf(`Estimate of an audit of file://%s: folder sales and those below it, depth versions, sample 1/1

                   list          get    to read
opening               1            0             the requests that opening the bucket and finding the folder just took
settings              0            2             the requests that reading the settings just took
logs                  1            0             the pages that listing .provcat/ just took: 1 log, 2 entries, 2 commit objects
entries               0            2 %8d B  one for each version of each entry
commits               0          ~ 2 %8d B  one for each entry of the logs in scope
versions            ≥ 1            0             pages of 1000 versions: the newest commits name some 2 versions
all                 ≥ 3          ~ 6

At least 9 requests, for at least $0.0000 at $0.005 a thousand list and $0.0004 a thousand get requests.
--max-requests 11, of which a fifth is kept for second looks, may end it before all is checked.

Not known before the audit, and not counted:
- How many versions lie under the committed folders: only the newest commits' files are counted. Older versions, delete markers and files that no commit names are listed too.
- Second looks at what seems damaged, and requests that fail and are made again.
- The price of bytes that leave the store's region or are read from another storage class.

The estimate itself made 2 list requests and 4 get requests. There was no audit.
`, tb.path, bytes(commit.Logs), bytes(commit.Commits))
	witness, output := filepath.Join(home, "w.json"), filepath.Join(home, "report.txt")
	r := cli("audit", tb.at("sales"), "--estimate", "--sample", "1/1", "--max-requests", "11", "--witness", witness, "--output", output).wants(t, 0)
	r.prints(t, want)
	for _, path := range []string{witness, output} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	cli("audit", tb.at("nosuch"), "--estimate").wants(t, 2).says(t, "has no folder nosuch")
	// With --estimate=false it is an audit.
	if r := cli("audit", tb.path, "--estimate=false", "--format", "metrics").wants(t, 0); !strings.HasPrefix(r.out, "# TYPE provcat_audit") {
		t.Errorf("%.80q", r.out)
	}
}

// What cannot be listed cannot be estimated, and that is said.
func TestS3EstimateDenied(t *testing.T) {
	s, via := committedS3(t, fakes3.Options{})
	s.Fail(fakes3.Fault{Kind: "ListObjectVersions", Prefix: ".provcat/", Times: -1, Do: fakes3.AccessDenied})
	r := via("audit", "s3://team-data", "--estimate", "--format", "json").wants(t, 3)
	r.says(t, "estimate the audit of s3://team-data", ".provcat/ cannot be listed", "access denied", "s3:ListBucketVersions")
	r.prints(t, "")
}

// The prices of the config file are those of reports and estimates.
func TestAuditPrices(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	write(t, filepath.Join(home, "config", "provcat-tui", "config.yaml"), "prices: {list: 500, get: 20}\n")
	var r audit.Report
	cli("audit", tb.path, "--format", "json").wants(t, 0).json(t, &r)
	want := 0.5*float64(r.Requests.List) + 0.02*float64(r.Requests.Get)
	if d := r.Requests.CostUSD - want; d > 1e-9 || d < -1e-9 || r.Requests.List == 0 || r.Requests.Prices == nil || *r.Requests.Prices != (audit.Prices{List: 500, Get: 20}) {
		t.Errorf("%+v, want a cost of %v", r.Requests, want)
	}
	if text := cli("audit", tb.path).wants(t, 0); !strings.Contains(text.out, "at your prices") {
		t.Errorf("%s", text.out)
	}
	var e map[string]json.RawMessage
	cli("audit", tb.path, "--estimate", "--depth", "log", "--format", "json").wants(t, 0).json(t, &e)
	// One page, two settings, two entries.
	if got := strings.Join(strings.Fields(string(e["requests"])), ""); got != `{"list":1,"get":4,"head":0,"cost_usd":0.58}` {
		t.Errorf("%s", got)
	}
}
