package report_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
)

// The lines put together again are the document, and that is by the schema.
func TestJSONLHasAllOfTheDocument(t *testing.T) {
	s := schema(t)
	for name, r := range reports() {
		var doc map[string]any
		findings, acknowledged := []any{}, []any{}
		lines := strings.Split(strings.TrimSuffix(format(t, "jsonl", r), "\n"), "\n")
		for i, line := range lines {
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("%s: line %d: %v", name, i+1, err)
			}
			kind := m["type"]
			delete(m, "type")
			switch kind {
			case "finding":
				findings = append(findings, m)
			case "acknowledged":
				acknowledged = append(acknowledged, m)
			case "summary":
				doc = m
				if i != len(lines)-1 {
					t.Errorf("%s: the summary is not the last line", name)
				}
			default:
				t.Errorf("%s: a line of the type %v", name, kind)
			}
		}
		if doc == nil {
			t.Fatalf("%s: no summary", name)
		}
		doc["findings"], doc["acknowledged"] = findings, acknowledged
		var want map[string]any
		if err := json.Unmarshal([]byte(format(t, "json", r)), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(doc, want) {
			t.Errorf("%s: the lines differ from the document", name)
		}
		if name != "hostile" { // whose IDs no engine writes
			if err := s.Validate(doc); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestStatusLines(t *testing.T) {
	var b bytes.Buffer
	j := report.NewJSONL(&b)
	for i := range 10000 {
		j.Status(audit.Progress{Stage: "commits", Done: int64(i), Total: 10000, Findings: 2})
	}
	if err := j.Report(clean()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	status := 0
	for _, l := range lines {
		if strings.HasPrefix(l, `{"type":"status"`) {
			status++
		}
	}
	if lines[0] != `{"type":"status","stage":"commits","done":0,"total":10000,"findings":2,"rate":null,"seconds_left":null}` {
		t.Errorf("first line %s", lines[0])
	}
	if status > 5 || status != len(lines)-1 {
		t.Errorf("%d lines of status in a moment, %d lines in all", status, len(lines))
	}
}
