package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/commit"
)

func TestAuditExitCodes(t *testing.T) {
	isolate(t)
	tb, first, _ := sales(t)
	var r audit.Report
	cli("audit", tb.path, "--format", "json").wants(t, 0).json(t, &r)
	if r.Schema != "provcat-audit/1" || r.Verdict != audit.Pass || r.Coverage.Commits.Checked != 2 || r.Bucket != "file://"+tb.path {
		t.Errorf("%+v", r)
	}
	if text := cli("audit", tb.at("sales")).wants(t, 0); !strings.Contains(strings.ToLower(text.out), "pass") || text.err != "" {
		t.Errorf("%q, %q", text.out, text.err)
	}
	tb.purge(commit.CommitKey(first))
	out := cli("audit", tb.path, "--folder", "sales", "--format", "json").wants(t, 1)
	var bad audit.Report
	out.json(t, &bad)
	if bad.Verdict != audit.Fail || bad.Scope.Folder != "sales" || out.err != "" {
		t.Errorf("%+v, %q", bad, out.err)
	}
	found := false
	for _, f := range bad.Findings {
		found = found || f.ID == "commit-missing" && f.Commit == first
	}
	if !found {
		t.Errorf("no commit-missing for %s in %s", first, out.out)
	}
	// The entries alone are sound.
	cli("audit", tb.path, "--depth", "log").wants(t, 0)
}

func TestAuditOutputIsWhole(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	path := filepath.Join(home, "report.json")
	write(t, path, "the last report")
	r := cli("audit", tb.path, "--format", "json", "--output", path).wants(t, 0)
	r.prints(t, "")
	r.says(t, "pass", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rep audit.Report
	result{out: string(data)}.json(t, &rep)
	if rep.Verdict != audit.Pass {
		t.Errorf("%+v", rep)
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("%s is left behind", e.Name())
		}
	}
	cli("audit", tb.path, "--output", filepath.Join(home, "no", "such", "dir")).wants(t, 2).says(t, "--output", "no such file or directory")
}
