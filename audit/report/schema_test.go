package report_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
	"provcat-tui/bucket/local"
	"provcat-tui/commit"
	"provcat-tui/demo"
)

const schemaFile = "../../docs/audit-report.schema.json"

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// written is a report as report.JSON writes it, parsed.
func written(t *testing.T, r *audit.Report) map[string]any {
	t.Helper()
	var buf bytes.Buffer
	if err := report.JSON(&buf, r); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

func ptr[T any](v T) *T { return &v }

// whole is a report with every member that the format has.
func whole() *audit.Report {
	at := time.Date(2026, 11, 21, 1, 10, 0, 0, time.UTC)
	id := strings.Repeat("0123456789abcdef", 4)
	cover := func(checked, total int64) audit.Coverage {
		return audit.Coverage{Checked: checked, Total: total, Skipped: []audit.Skip{{Reason: "could not be read", Count: total - checked, Chosen: true}}}
	}
	e := audit.Evidence{Key: "sales/eu.csv", Version: "v1", Modified: &at, Latest: true, ETag: "e", Size: 7, Note: "there now"}
	finding := audit.Finding{
		ID: "log-entry-deleted", Severity: audit.Damage, Confidence: audit.Likely, Folder: ptr("sales"), Number: 2,
		Commit: id, Key: ".provcat/log/x/1", Version: "v2", Title: "entry 2 of sales is deleted", Detail: "Readers no longer find it.",
		Due: &at,
		Affected: audit.Affected{Commits: []audit.CommitRef{{Folder: "sales", Number: 2, ID: id, Due: &at}}, Versions: 1, Examples: []audit.Evidence{e},
			Schedule: []audit.Week{{Monday: "2026-11-16", Versions: 3, Commits: 1}}},
		Evidence: []audit.Evidence{e},
		Repair:   &audit.Repair{Kind: "remove-delete-marker", Text: "Remove the marker.", Command: "aws s3api delete-object"}, Fingerprint: strings.Repeat("0f", 16),
	}
	return &audit.Report{
		Schema: "provcat-audit/1", Tool: audit.Tool{Name: "provcat-tui", Version: "v1.2.3"}, Bucket: "s3://team-data",
		Scope:   audit.Scope{Folder: "sales", Depth: audit.DepthReadable},
		Started: at, Finished: at.Add(1500 * time.Millisecond), FailOn: audit.Damage, Verdict: audit.Fail, Complete: false,
		Coverage:     audit.CoverageSet{Logs: cover(1, 2), Entries: cover(3, 4), Commits: cover(3, 5), Versions: cover(6, 9), Settings: cover(2, 3)},
		Requests:     audit.Requests{List: 2, Get: 5, Head: 1, CostUSD: 0.0000124},
		Counts:       map[audit.Severity]int{audit.Damage: 1, audit.Risk: 0, audit.Anomaly: 0, audit.Unknown: 0, audit.Info: 0},
		Findings:     []audit.Finding{finding},
		Folders:      []string{"", "sales"},
		Acknowledged: []audit.Acknowledged{{Finding: finding, By: "ignore", Reason: "known", Expires: &at}},
	}
}

func TestReportsAreByTheSchema(t *testing.T) {
	s := schema(t)
	for name, change := range map[string]func(*audit.Report){
		"every member": func(*audit.Report) {},
		"nothing found": func(r *audit.Report) {
			r.Verdict, r.Complete, r.Findings, r.Scope = audit.Pass, true, []audit.Finding{}, audit.Scope{Depth: audit.DepthLog}
		},
		"incomplete": func(r *audit.Report) { r.Verdict, r.Findings = audit.Incomplete, []audit.Finding{} },
		"a file":     func(r *audit.Report) { r.Bucket = "file:///data/x.bucket" },
		"as little as a finding can hold": func(r *audit.Report) {
			r.Findings[0] = audit.Finding{ID: "versioning-off", Severity: audit.Risk, Confidence: audit.Certain, Title: "the bucket's versioning is off",
				Affected: audit.Affected{Commits: []audit.CommitRef{}, Examples: []audit.Evidence{}}, Evidence: []audit.Evidence{}, Fingerprint: strings.Repeat("00", 16)}
		},
		"a time in nanoseconds":  func(r *audit.Report) { r.Finished = r.Finished.Add(1) },
		"evidence without times": func(r *audit.Report) { r.Findings[0].Evidence[0].Modified = nil },
		"the folder is the whole bucket": func(r *audit.Report) {
			r.Findings[0].Folder, r.Findings[0].Affected.Commits[0].Folder = ptr(""), ""
		},
		"strings with escapes": func(r *audit.Report) {
			r.Findings[0].Key, r.Findings[0].Title = "a\x1b[31m\n\u202e\xff", "\x00\U000e0001"
		},
		"what a hostile bucket told": func(r *audit.Report) {
			f := &r.Findings[0]
			f.Evidence[0].Size = -1
			f.Evidence[0].Modified = ptr(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
		},
		"a finding of a later release": func(r *audit.Report) { r.Findings[0].ID = "some-new-finding" },
	} {
		r := whole()
		change(r)
		if err := s.Validate(written(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// set changes one member of a document.
func set(t *testing.T, doc any, path string, value any) {
	t.Helper()
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		if list, ok := doc.([]any); ok {
			i, err := strconv.Atoi(name)
			if err != nil {
				t.Fatal(err)
			}
			doc = list[i]
		} else {
			doc = doc.(map[string]any)[name]
		}
	}
	last := names[len(names)-1]
	if _, ok := doc.(map[string]any)[last]; !ok {
		t.Fatalf("there is no member %s", path)
	}
	doc.(map[string]any)[last] = value
}

func TestDocumentsThatAreNotByTheSchemaAreRefused(t *testing.T) {
	s := schema(t)
	const f = "findings.0."
	notUTC, local, noTime := "2026-11-21T01:10:00+01:00", "2026-11-21T01:10:00", "2026-13-21T01:10:00Z"
	id := strings.Repeat("0123456789abcdef", 4)
	for path, values := range map[string][]any{
		"schema":                         {"provcat-audit/2", "", nil},
		"tool":                           {"provcat-tui", nil},
		"bucket":                         {"team-data", "", 1},
		"scope.folder":                   {nil},
		"scope.depth":                    {"deep", "", "Log"},
		"started":                        {notUTC, local, noTime, "", nil, 1700000000},
		"finished":                       {notUTC, "2026-11-21 01:10:00Z", "2026-11-21T24:10:00Z", "12026-11-21T01:10:00Z"},
		"verdict":                        {"ok", "Pass", "", nil},
		"complete":                       {"false", nil, 0},
		"coverage.logs.checked":          {-1, 0.5, "1", nil},
		"coverage.entries.skipped":       {nil, map[string]any{}, []any{"could not be read"}, []any{map[string]any{"reason": "", "count": 1}}},
		"coverage.settings":              {nil, []any{}},
		"requests.get":                   {-1, nil},
		"requests.cost_usd":              {-0.1, "0.1"},
		"counts.unknown":                 {-1, nil},
		"findings":                       {nil, map[string]any{}, []any{nil}},
		f + "id":                         {"", "damage", "log entry deleted", "Log-Entry-Deleted"},
		f + "severity":                   {"bad", "Damage", "", nil},
		f + "confidence":                 {"sure", "", nil},
		f + "folder":                     {1},
		f + "number":                     {0, -1, 1.5, "2", nil},
		f + "commit":                     {"", id[:63], id + "0", strings.ToUpper(id), nil},
		f + "key":                        {"", nil},
		f + "version":                    {"", nil},
		f + "title":                      {"", nil},
		f + "detail":                     {nil},
		f + "due":                        {"", notUTC, "tomorrow"},
		f + "affected":                   {nil},
		f + "affected.commits":           {nil},
		f + "affected.versions":          {-1},
		f + "affected.examples":          {nil},
		f + "evidence":                   {nil},
		f + "evidence.0.modified":        {"", notUTC, local},
		f + "evidence.0.live":            {nil, "yes"},
		f + "evidence.0.etag":            {nil},
		f + "evidence.0.size":            {nil, "7"},
		f + "repair":                     {"none", []any{}},
		f + "repair.kind":                {"", "Remove it"},
		f + "repair.command":             {"", nil},
		f + "fingerprint":                {"", "f00", strings.Repeat("0F", 16), strings.Repeat("0f", 17)},
		f + "affected.commits.0.id":      {"", id[:10]},
		f + "affected.commits.0.number":  {0, nil},
		f + "affected.commits.0.due":     {"", notUTC, nil},
		f + "affected.schedule":          {nil, map[string]any{}},
		f + "affected.schedule.0.week":   {"", "2026-13-01", "2026-11-16T00:00:00Z"},
		"coverage.logs.skipped.0.chosen": {nil, "yes"},
		"fail_on":                        {"info", "", nil},
		"folders":                        {nil, []any{1}},
		"acknowledged":                   {nil, []any{nil}},
		"acknowledged.0.id":              {"", "damage"},
		"acknowledged.0.by":              {"", nil},
		"acknowledged.0.reason":          {nil},
		"acknowledged.0.expires":         {"", notUTC},
	} {
		for _, value := range values {
			doc := written(t, whole())
			set(t, doc, path, value)
			if err := s.Validate(doc); err == nil {
				t.Errorf("%s: %#v is taken", path, value)
			}
		}
	}
	doc := written(t, whole())
	set(t, doc, "verdict", "incomplete")
	set(t, doc, "complete", true)
	if err := s.Validate(doc); err == nil {
		t.Error("incomplete and yet complete is taken")
	}
	for name, change := range map[string]func(*audit.Report){
		"verdict":    func(r *audit.Report) { r.Verdict = "ok" },
		"severity":   func(r *audit.Report) { r.Findings[0].Severity = "fatal" },
		"confidence": func(r *audit.Report) { r.Findings[0].Confidence = "" },
		"depth":      func(r *audit.Report) { r.Scope.Depth = "" },
		"commit":     func(r *audit.Report) { r.Findings[0].Commit = "0123456789" },
	} {
		r := whole()
		change(r)
		if err := s.Validate(written(t, r)); err == nil {
			t.Errorf("a report with a bad %s is taken", name)
		}
	}
}

// optional are the members that may be left out, as finding.go has them.
var optional = []string{
	"findings.0.number", "findings.0.commit", "findings.0.key", "findings.0.version",
	"findings.0.evidence.0.version", "findings.0.evidence.0.note",
	"findings.0.affected.examples.0.version", "findings.0.affected.examples.0.note",
	"findings.0.repair.command", "findings.0.repair.text",
	"findings.0.affected.schedule", "findings.0.affected.commits.0.due",
	// These came after the first release: what it wrote is still by the schema.
	"fail_on", "folders", "acknowledged",
}

func isOptional(path string) bool {
	path = regexp.MustCompile(`^acknowledged\.\d+\.`).ReplaceAllString(path, "findings.0.")
	return slices.Contains(optional, path) || regexp.MustCompile(`^coverage\.[a-z]+\.skipped\.0\.chosen$`).MatchString(path)
}

// Each member of the whole report is left out in turn, and an unknown one is
// added to each object.
func TestMembersAreNeededButMoreMayCome(t *testing.T) {
	s := schema(t)
	doc := written(t, whole())
	dropped := 0
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for i, x := range v {
				walk(path+strconv.Itoa(i)+".", x)
			}
		case map[string]any:
			v["added later"] = map[string]any{"a": []any{}}
			if err := s.Validate(doc); err != nil {
				t.Errorf("a new member of %q: %v", path, err)
			}
			delete(v, "added later")
			for name, x := range v {
				delete(v, name)
				dropped++
				if err := s.Validate(doc); (err == nil) != isOptional(path+name) {
					t.Errorf("without %s%s: %v", path, name, err)
				}
				v[name] = x
				walk(path+name+".", x)
			}
		}
	}
	walk("", doc)
	// Report 15, tool 2, scope 2, coverage 5 of 3 and 3 each, requests 4, counts 5;
	// twice a finding of 15, affected 4, commit 4, week 3, two of evidence 8 each,
	// repair 3; 3 of the acknowledgement.
	if dropped != 15+2+2+5*(1+3+3)+4+5+2*(15+4+4+3+2*8+3)+3 {
		t.Errorf("%d members were left out in turn", dropped)
	}
	if err := s.Validate(doc); err != nil {
		t.Error(err)
	}
}

func TestTheDemoBucketsReportIsByTheSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.bucket")
	if err := demo.Make(context.Background(), path, nil); err != nil {
		t.Fatal(err)
	}
	b, err := local.Open(path, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // only read from
	s := schema(t)
	for _, o := range []audit.Options{{}, {Depth: audit.DepthLog}, {Depth: audit.DepthReadable, Folder: "web"}} {
		r, err := audit.Run(context.Background(), b, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) == 0 {
			t.Errorf("%+v: no findings", o)
		}
		if err := s.Validate(written(t, r)); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Commit objects that say of themselves what no writer writes, and foreign keys.
func TestTheReportOfAHostileBucketIsByTheSchema(t *testing.T) {
	ctx := context.Background()
	b, err := local.Create(filepath.Join(t.TempDir(), "hostile.bucket"), local.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }() // the test is over
	put := func(key, body string) {
		t.Helper()
		if _, err := b.PutIfAbsent(ctx, key, strings.NewReader(body)); err != nil {
			t.Fatal(err)
		}
	}
	parent := "null"
	var last string
	for _, number := range []string{"9007199254740991", "1e15", "0", "1.5"} {
		body := `{"format":"provcat/1","folder":"a\u001b[31m","number":` + number + `,"parent":` + parent +
			`,"time":"9999-12-31T23:59:59Z","files":[{"path":"x","version":"v","etag":"","size":-7}]}`
		last = fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
		put(commit.CommitKey(last), body)
		parent = strconv.Quote(last)
	}
	put(commit.EntryKey("a\x1b[31m", 3), last)
	put(commit.EntryKey("b", 2), `{"commit":"`+strings.Repeat("a", 64)+`","number":-1,"time":"soon"}`)
	put(commit.EntryKey("c", 1), "no entry")
	put(commit.Root+"\x1b]0;x\x07", "foreign")
	put(commit.CommitKey(strings.Repeat("0", 64)), "no commit")
	s := schema(t)
	for _, depth := range []audit.Depth{audit.DepthLog, audit.DepthReadable} {
		r, err := audit.Run(ctx, b, audit.Options{Depth: depth})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != audit.Fail {
			t.Errorf("depth %s: verdict %s", depth, r.Verdict)
		}
		if err := s.Validate(written(t, r)); err != nil {
			t.Errorf("depth %s: %v", depth, err)
		}
	}
}

// The example of the page is a report.
func TestTheExampleOfThePageIsByTheSchema(t *testing.T) {
	page, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "```json\n")
	example, _, end := strings.Cut(rest, "```")
	if !ok || !end {
		t.Fatal("no example")
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(doc); err != nil {
		t.Error(err)
	}
	var r audit.Report
	d := json.NewDecoder(strings.NewReader(example))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Error(err)
	}
	sum := 0
	for _, n := range r.Counts {
		sum += n
	}
	if sum != len(r.Findings) {
		t.Errorf("the counts say %d findings, there are %d", sum, len(r.Findings))
	}
}
