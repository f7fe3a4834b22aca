package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"provcat-tui/audit"
	"provcat-tui/commit"
)

func TestAuditIgnoreAndBaseline(t *testing.T) {
	home := isolate(t)
	tb, first, _ := sales(t)
	tb.purge(commit.CommitKey(first))
	rules, base := filepath.Join(home, "ignore.yaml"), filepath.Join(home, "base.json")
	cli("audit", tb.path, "--format", "json", "--output", base).wants(t, 1)
	data, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	var r audit.Report
	result{out: string(data)}.json(t, &r)
	damage := r.Findings[0]
	if damage.ID != "commit-missing" {
		t.Fatalf("%+v", r.Findings)
	}
	out := cli("audit", tb.path, "--baseline", base, "--format", "json").wants(t, 0)
	out.says(t, "baseline of 2024-05-01T13:00:00Z: 1 finding known, 0 resolved")
	if out = cli("audit", tb.path, "--baseline", base, "--quiet").wants(t, 0); out.err != "" {
		t.Errorf("--quiet: %q", out.err)
	}
	by := func(expires, more string) {
		write(t, rules, "- fingerprint: \""+damage.Fingerprint+"\"\n  reason: the disk of 2023\n  expires: "+expires+"\n"+more)
	}
	by("2024-05-01", "")
	out = cli("audit", tb.path, "--ignore", rules, "--format", "json").wants(t, 0)
	out.json(t, &r)
	if len(r.Acknowledged) != 1 || r.Acknowledged[0].Reason != "the disk of 2023" || r.Counts[audit.Damage] != 0 || out.err != "" {
		t.Errorf("%+v, %q", r.Acknowledged, out.err)
	}
	by("2024-04-30", "")
	// The report for people has it, also in cron; other formats leave it to a note.
	if out = cli("audit", tb.path, "--ignore", rules, "--quiet").wants(t, 1); !strings.Contains(out.out, "Acknowledgements") || !strings.Contains(strings.Join(strings.Fields(out.out), " "), "but it expired after 2024-04-30.") || out.err != "" {
		t.Errorf("the text says %s, stderr %q", out.out, out.err)
	}
	cli("audit", tb.path, "--ignore", rules, "--format", "json").wants(t, 1).says(t, "line 1", "expired after 2024-04-30", "1 finding, which counts again")
	by("2024-05-01", "- id: log-key-foreign\n  folder: \"\"\n  key: a*\n  reason: x\n  expires: 2024-06-01\n")
	cli("audit", tb.path, "--ignore", rules, "--format", "json").wants(t, 0).says(t, "line 4", "log-key-foreign in the whole bucket at a*", "may be removed")
	// What is mended is resolved.
	tb.put("sales/x", "y")
	tb2, _, _ := sales(t)
	write(t, base, strings.Replace(string(data), tb.path, tb2.path, 1))
	cli("audit", tb2.path, "--baseline", base, "--format", "json").wants(t, 0).says(t, "0 findings known, 1 resolved")
	cli("audit", tb2.at("sales"), "--baseline", base, "--format", "json").wants(t, 0).says(t, "0 resolved, 1 neither found nor looked for in full")
}

// The JSON says what became of rules and baseline, by the schema.
func TestAuditAcksInJSON(t *testing.T) {
	home := isolate(t)
	tb, first, _ := sales(t)
	tb.purge(commit.CommitKey(first))
	tb.put(".provcat/notes", "")
	file, err := os.Open("../docs/audit-report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("schema.json")
	base, rules := filepath.Join(home, "base.json"), filepath.Join(home, "rules.yaml")
	write(t, base, strings.NewReplacer(`"severity": "damage"`, `"severity": "info"`).Replace(cli("audit", tb.path, "--format", "json").wants(t, 1).out))
	write(t, rules, "- id: log-key-foreign\n  folder: \"\"\n  reason: x\n  expires: 2024-06-01\n"+
		"- id: commit-lost-race\n  key: '*'\n  reason: x\n  expires: 2024-04-01\n- id: log-key-foreign\n  reason: y\n  expires: 2024-06-01\n")
	out := cli("audit", tb.path, "--format", "json", "--ignore", rules, "--baseline", base, "--quiet").wants(t, 1).out
	got, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(got); err != nil {
		t.Error(err)
	}
	var r audit.Report
	result{out: out}.json(t, &r)
	if r.Rules == nil || len(r.Rules.Expired) != 1 || len(r.Rules.Unused) != 1 || len(r.Acknowledged) != 1 ||
		r.Baseline == nil || r.Baseline.Worse != 1 || len(r.Baseline.Resolved) != 0 {
		t.Errorf("%+v, %+v, %+v", r.Rules, r.Baseline, r.Acknowledged)
	}
}

func TestAuditAckFilesThatCannotBeUsed(t *testing.T) {
	home := isolate(t)
	tb, _, _ := sales(t)
	other, _, _ := sales(t)
	at := func(name, text string) string {
		path := filepath.Join(home, name)
		if text != "" {
			write(t, path, text)
		}
		return path
	}
	report := cli("audit", other.path, "--format", "json").wants(t, 0).out
	for _, x := range []struct {
		flag, path string
		says       string
	}{
		{"--ignore", at("absent", ""), "no such file"},
		{"--ignore", home, "is a directory"},
		{"--ignore", at("kind", "- id: commit-corrupt\n  reason: x\n  expires: 2027-01-01\n"), "line 1: commit-corrupt is damage"},
		{"--ignore", at("member", "- id: commit-lost-race\n  Reason: x\n"), `line 2: a rule has no member "Reason"`},
		{"--ignore", at("yaml", "- id: [\n"), "line"},
		{"--baseline", at("absent", ""), "no such file"},
		{"--baseline", at("half", report[:len(report)/2]), "breaks off"},
		{"--baseline", at("text", "verdict: pass\n"), "not a report of audit --format json"},
		{"--baseline", at("other", report), "is a report of file://" + other.path},
		{"--baseline", at("hostile", "{\"\x1b[2J\": 1}"), "not a report"},
	} {
		r := cli("audit", tb.path, x.flag, x.path).wants(t, 2)
		r.says(t, x.flag, x.says)
		if r.out != "" {
			t.Errorf("%s %s: stdout %q", x.flag, x.path, r.out)
		}
	}
}

func TestAuditSkewTolerance(t *testing.T) {
	isolate(t)
	tb, _, _ := sales(t)
	for _, flag := range []string{"--skew-tolerance", "--max-duration"} {
		cli("audit", tb.path, flag, "10").wants(t, 2).says(t, flag, "such as 10s, 5m")
	}
	for _, d := range []string{"0s", "-1m", "soon"} {
		cli("audit", tb.path, "--skew-tolerance", d).wants(t, 2).says(t, "--skew-tolerance")
	}
	cli("audit", tb.path, "--skew-tolerance", "2h").wants(t, 0)
}
