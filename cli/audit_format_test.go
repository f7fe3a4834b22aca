package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
)

// Each format comes out whole on standard output and in a file, with the exit code
// of the verdict and nothing on standard error but the note about the file.
func TestAuditInEachFormat(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	starts := map[string]string{"text": "Audit of file://", "json": "{\n", "jsonl": `{"type":`, "markdown": "# Audit of ", "sarif": "{\n  \"$schema\"",
		"junit": "<?xml ", "metrics": "# TYPE provcat_audit_verdict gauge\n"}
	if len(starts) != len(report.Formats) {
		t.Errorf("%d formats are tested, %d there are", len(starts), len(report.Formats))
	}
	for _, f := range report.Formats {
		r := cli("audit", tb.path, "--format", f.Name).wants(t, 0)
		if !strings.HasPrefix(r.out, starts[f.Name]) || r.err != "" {
			t.Errorf("%s: %.80q, %q", f.Name, r.out, r.err)
		}
		path := filepath.Join(home, "report"+f.Extension)
		write(t, path, "the last report")
		cli("audit", tb.path, "--format", f.Name, "--output", path).wants(t, 0).says(t, "verdict pass")
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(data), starts[f.Name]) {
			t.Errorf("%s in a file: %.80q, %v", f.Name, data, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(home, ".*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Lines of status come while the audit runs, then the findings, then the summary.
func TestAuditTellsItsProgressAsLines(t *testing.T) {
	home := isolate(t)
	tb, first, _ := sales(t)
	tb.purge(".provcat/commits/" + first + ".json")
	path := filepath.Join(home, "report.jsonl")
	cli("audit", tb.path, "--format", "jsonl", "--output", path).wants(t, 1)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, out := range map[string]string{"stdout": cli("audit", tb.path, "--format", "jsonl").wants(t, 1).out, "a file": string(data)} {
		order := ""
		for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			var m struct{ Type, ID, Verdict string }
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			order += m.Type + " " + m.ID + m.Verdict + "\n"
		}
		if !strings.HasPrefix(order, "status \n") || !strings.Contains(order, "finding commit-missing\n") || !strings.HasSuffix(order, "summary fail\n") {
			t.Errorf("%s:\n%s", what, order)
		}
	}
}

func TestFormatsOfAnAuditAreNotThoseOfOtherCommands(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	cli("ls", tb.path, "--format", "sarif").wants(t, 2).says(t, "--format sarif is for the report of an audit; provcat-tui ls writes text or json")
	cli("audit", "--explain", "list", "--format", "junit").wants(t, 2).says(t, "writes text or json")
	cli("audit", tb.path, "--format", "yaml").wants(t, 2).says(t, "text, json, jsonl, markdown, sarif, junit, metrics")
	if r := cli("__complete", "audit", tb.path, "--format", "").wants(t, 0); !strings.Contains(r.out, "sarif\n") {
		t.Errorf("completion %q", r.out)
	}
}

func TestAuditExplain(t *testing.T) {
	isolate(t)
	for _, e := range audit.Explanations {
		r := cli("audit", "--explain", e.ID).wants(t, 0)
		for _, want := range []string{e.ID, "What happened", "What works", "What to do"} {
			if !strings.Contains(r.out, want) {
				t.Errorf("%s: no %q in %s", e.ID, want, r.out)
			}
		}
		if list := cli("audit", "--explain", "list").wants(t, 0); !strings.Contains(list.out, "\n  "+e.ID+"\n") {
			t.Errorf("%s is not in the list", e.ID)
		}
	}
	var doc struct {
		Schema   string
		Findings []struct{ ID, Depth, Do string }
	}
	cli("audit", "--explain", "log-head-lost", "--format", "json").wants(t, 0).json(t, &doc)
	if doc.Schema != "provcat-explanations/1" || len(doc.Findings) != 1 || doc.Findings[0].Depth != "commits" || doc.Findings[0].Do == "" {
		t.Errorf("%+v", doc)
	}
	cli("audit", "--explain", "log-entry-deletd").wants(t, 2).says(t, "did you mean log-entry-deleted?", "--explain list")
	cli("audit", "--explain", "parent").wants(t, 2).says(t, "did you mean log-parent-mismatch?")
	cli("audit", "--explain", "xyzzy").wants(t, 2).says(t, "xyzzy is no kind of finding; --explain list names all")
	cli("audit", "--explain", "").wants(t, 2).says(t, "is no kind of finding")
	cli("audit", "--explain", "list", "s3://b").wants(t, 2).says(t, "leave out s3://b")
}

// "kitten" and "sitting" are three apart, the textbook's example.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"kitten", "sitting", 3}, {"", "abc", 3}, {"abc", "", 3}, {"same", "same", 0}, {"ab", "ba", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// An audit that looked at nothing has no passed test, and says so everywhere.
func TestAuditOfNothing(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	r := cli("audit", tb.path, "--max-duration", "1ns", "--format", "junit").wants(t, 3)
	if !strings.Contains(r.out, "<error ") || !strings.Contains(r.out, "INCOMPLETE") {
		t.Error(r.out)
	}
	passed := regexp.MustCompile(`<testcase name="(?:log|commit|version|time|pin)-[a-z-]+" classname="[^"]*"(?:/>|></testcase>)`)
	if got := passed.FindString(r.out); got != "" || !strings.Contains(r.out, `<testcase name="commit-missing"`) {
		t.Errorf("%q passes in\n%s", got, r.out)
	}
	if r = cli("audit", tb.path, "--max-duration", "1ns", "--format", "sarif").wants(t, 3); !strings.Contains(r.out, `"executionSuccessful": false`) {
		t.Error(r.out)
	}
	if r = cli("audit", tb.path, "--max-duration", "1ns", "--format", "metrics").wants(t, 3); !strings.Contains(r.out, `verdict="incomplete"} 1`) ||
		!regexp.MustCompile(`provcat_audit_not_checked\{[^}]*of="logs",by_choice="true"\} [1-9]`).MatchString(r.out) {
		t.Error(r.out)
	}
}
