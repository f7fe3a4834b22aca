package report_test

import (
	"bytes"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"provcat-tui/audit"
)

// sarifSchema is the one that SARIF's authors publish, formats included.
var sarifSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	data, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// isSARIF holds a log to the schema, and reads it with a reader that isn't ours.
func isSARIF(t testing.TB, log string) *sarif.Run {
	t.Helper()
	s, err := sarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Fatal(err)
	}
	r, err := sarif.FromString(log)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 1 {
		t.Fatalf("%d runs", len(r.Runs))
	}
	run := r.Runs[0]
	for _, x := range run.Results {
		if x.Kind != "fail" && x.Level != "none" { // SARIF 3.27.10
			t.Errorf("a result of kind %s has the level %s", x.Kind, x.Level)
		}
		if len(x.Locations) != 1 || x.RuleIndex < 0 || *run.Tool.Driver.Rules[x.RuleIndex].ID != *x.RuleID {
			t.Fatalf("result %s: %d places, rule %d", *x.RuleID, len(x.Locations), x.RuleIndex)
		}
		for _, l := range append(x.Locations, x.RelatedLocations...) {
			uri := *l.PhysicalLocation.ArtifactLocation.URI
			base, err := url.Parse("s3://bucket/")
			if err != nil {
				t.Fatal(err)
			}
			at, err := base.Parse(uri)
			if err != nil || at.Scheme != "s3" || at.Host != "bucket" || at.RawQuery != "" || at.Fragment != "" || strings.ContainsAny(uri, " \"<>\\^`{|}") {
				t.Errorf("%q leads out of the bucket, or is no URI: %v, %v", uri, at, err)
			}
		}
	}
	return run
}

func TestSARIF(t *testing.T) {
	for name, r := range reports() {
		run := isSARIF(t, format(t, "sarif", r))
		if n := len(run.Results); n != len(r.Findings)+len(r.Acknowledged) {
			t.Errorf("%s: %d results", name, n)
		}
		if len(run.Tool.Driver.Rules) < len(audit.Explanations) {
			t.Errorf("%s: %d rules", name, len(run.Tool.Driver.Rules))
		}
		want := name == "whole" || name == "clean" || name == "empty" || name == "acked"
		if got := *run.Invocations[0].ExecutionSuccessful; got != want {
			t.Errorf("%s: executionSuccessful %v", name, got)
		}
	}
}

func TestSARIFSaysWhatTheReportSays(t *testing.T) {
	r := whole()
	f := r.Findings[0]
	f.Title, f.Detail, f.Key = "see [x](http://e) and {0}", "", "a b/../%2F/ü:\xff?#"
	r.Findings = nil
	for _, s := range audit.Severities {
		f.Severity, f.Confidence = s, audit.Possible
		r.Findings = append(r.Findings, f)
	}
	r.Counts = map[audit.Severity]int{audit.Unknown: 1}
	run := isSARIF(t, format(t, "sarif", r))
	for i, want := range []string{"fail error", "fail warning", "fail note", "open none", "fail note"} {
		if got := run.Results[i].Kind + " " + run.Results[i].Level; got != want {
			t.Errorf("%s is %s, want %s", r.Findings[i].Severity, got, want)
		}
		if n := len(run.Results[i].Suppressions); n != 0 {
			t.Errorf("%d suppressions", n)
		}
	}
	x := run.Results[0]
	if got := *x.Message.Text; got != `see \[x\](http://e) and {{0}}.` {
		t.Errorf("message %q", got)
	}
	a := x.Locations[0].PhysicalLocation.ArtifactLocation
	if *a.URI != "a%20b/%2E%2E/%252F/%C3%BC%3A%FF%3F%23" || *a.URIBaseID != "BUCKET" {
		t.Errorf("place %s, base %s", *a.URI, *a.URIBaseID)
	}
	if x.PartialFingerprints["provcat/v1"] != f.Fingerprint {
		t.Errorf("fingerprints %v", x.PartialFingerprints)
	}
	last := run.Results[5]
	if len(last.Suppressions) != 1 || *last.Suppressions[0].Kind != "external" || !strings.Contains(*last.Suppressions[0].Justification, "known") {
		t.Errorf("suppressions of the acknowledged finding: %+v", last.Suppressions)
	}
	i := run.Invocations[0]
	if *i.ExecutionSuccessful || *i.ExitCode != 1 {
		t.Errorf("successful %v, exit code %d", *i.ExecutionSuccessful, *i.ExitCode)
	}
	notes := map[string]int{}
	for _, n := range i.ToolExecutionNotifications {
		notes[n.Level]++
	}
	if notes["error"] != 1 || notes["note"] != 5 { // one unknown; five kinds of thing of which some were left out by choice
		t.Errorf("notifications %v", notes)
	}
	if run.Properties.Properties["coverage"] == nil {
		t.Error("no coverage")
	}
}
