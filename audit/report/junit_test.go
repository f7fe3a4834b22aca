package report_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"provcat-tui/audit"
)

// What a reader of JUnit XML makes of a report.
type suitesXML struct {
	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Class   string    `xml:"classname,attr"`
			Failure []textXML `xml:"failure"`
			Error   []textXML `xml:"error"`
			Skipped []textXML `xml:"skipped"`
			Out     string    `xml:"system-out"`
		} `xml:"testcase"`
		Out string `xml:"system-out"`
	} `xml:"testsuite"`
}

type textXML struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// isJUnit reads a report strictly, and counts for itself.
func isJUnit(t testing.TB, out string) *suitesXML {
	t.Helper()
	var s suitesXML
	if err := xml.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	tests, failures, errors := 0, 0, 0
	for _, x := range s.Suites {
		f, e := 0, 0
		seen := map[string]bool{}
		for _, c := range x.Cases {
			f, e = f+len(c.Failure), e+len(c.Error)
			if len(c.Failure)+len(c.Error) > 1 || len(c.Skipped) > 0 {
				t.Errorf("%s, %s: %d failures, %d errors, %d skipped", x.Name, c.Name, len(c.Failure), len(c.Error), len(c.Skipped))
			}
			if seen[c.Name] || c.Name == "" || c.Class == "" {
				t.Errorf("%s has the case %q twice, or it has no name", x.Name, c.Name)
			}
			seen[c.Name] = true
		}
		if x.Tests != len(x.Cases) || x.Failures != f || x.Errors != e || x.Skipped != 0 {
			t.Errorf("%s says %d tests, %d failures, %d errors; it has %d, %d, %d", x.Name, x.Tests, x.Failures, x.Errors, len(x.Cases), f, e)
		}
		tests, failures, errors = tests+len(x.Cases), failures+f, errors+e
	}
	if s.Tests != tests || s.Failures != failures || s.Errors != errors {
		t.Errorf("all say %d tests, %d failures, %d errors; there are %d, %d, %d", s.Tests, s.Failures, s.Errors, tests, failures, errors)
	}
	return &s
}

func TestJUnitIsByItsSchema(t *testing.T) {
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		if os.Getenv("PROVCAT_CI") != "" {
			t.Fatal("CI needs xmllint (Debian: libxml2-utils)")
		}
		t.Skip("no xmllint on this machine (Debian: libxml2-utils)")
	}
	for name, r := range reports() {
		out := format(t, "junit", r)
		path := filepath.Join(t.TempDir(), "report.xml")
		for what, bytes := range map[string]string{"valid": out, "invalid": strings.Replace(out, "<testcase ", "<testcase wrong=\"\" ", 1)} {
			if err := os.WriteFile(path, []byte(bytes), 0o600); err != nil {
				t.Fatal(err)
			}
			said, err := exec.Command(lint, "--noout", "--nonet", "--schema", "testdata/jenkins-junit.xsd", path).CombinedOutput() //nolint:gosec // a tool of the tests
			if (err == nil) != (what == "valid") {
				t.Errorf("the %s report, %s: %v\n%.2000s", name, what, err, said)
			}
		}
	}
}

func TestJUnitCounts(t *testing.T) {
	for name, r := range reports() {
		s := isJUnit(t, format(t, "junit", r))
		switch name {
		case "clean", "empty":
			if s.Failures+s.Errors != 0 {
				t.Errorf("%s: %d failures, %d errors", name, s.Failures, s.Errors)
			}
		case "incomplete", "spent":
			if s.Failures != 0 || s.Errors == 0 {
				t.Errorf("%s: %d failures, %d errors", name, s.Failures, s.Errors)
			}
		}
	}
	if s := isJUnit(t, format(t, "junit", reports()["empty"])); !strings.Contains(s.Suites[0].Out, "0 of 0 commits") {
		t.Errorf("an audit of nothing: %q", s.Suites[0].Out)
	}
}

// outcome of one case: passed, failed, error or absent; and what it put out.
func outcome(s *suitesXML, suite, check string) (string, string) {
	for _, x := range s.Suites {
		for _, c := range x.Cases {
			if x.Name != suite || c.Name != check {
				continue
			}
			switch {
			case len(c.Failure) > 0:
				return "failed", c.Failure[0].Message + c.Failure[0].Text
			case len(c.Error) > 0:
				return "error", c.Error[0].Message + c.Error[0].Text
			}
			return "passed", c.Out
		}
	}
	return "absent", ""
}

func TestJUnitSaysWhatTheReportSays(t *testing.T) {
	r := clean()
	r.Folders = []string{"", "sales", "web"}
	add := func(id string, s audit.Severity, folder *string) {
		r.Findings = append(r.Findings, audit.Finding{ID: id, Severity: s, Confidence: audit.Certain, Folder: folder, Title: "the " + id, Fingerprint: "f00"})
		r.Counts[s]++
	}
	add("log-entry-deleted", audit.Damage, ptr("sales"))
	add("log-entry-deleted", audit.Damage, ptr("sales"))
	add("version-null", audit.Risk, ptr("sales"))
	add("version-unreadable", audit.Damage, ptr("web"))
	add("version-unreadable", audit.Unknown, ptr("web"))
	add("versioning-off", audit.Risk, nil)
	add("made-up", audit.Damage, ptr("elsewhere"))
	r.Acknowledged = []audit.Acknowledged{{Finding: audit.Finding{ID: "commit-missing", Severity: audit.Damage, Folder: ptr("sales"), Title: "gone"}, By: "ignore", Reason: "we know"}}
	r.Verdict, r.Complete = audit.Fail, false
	r.Coverage.Versions = audit.Coverage{Checked: 5, Total: 7, Skipped: []audit.Skip{{Reason: "could not be read", Count: 2}}}
	r.Coverage.Commits = audit.Coverage{Checked: 5, Total: 7, Skipped: []audit.Skip{{Reason: "not in this sample", Count: 2, Chosen: true}}}
	check := func(folder, id, want, says string) {
		t.Helper()
		s := isJUnit(t, format(t, "junit", r))
		if got, text := outcome(s, folder, id); got != want || !strings.Contains(text, says) {
			t.Errorf("%s in %s: %s, %q; want %s, %q", id, folder, got, text, want, says)
		}
	}
	check("folder sales", "log-entry-deleted", "failed", "and 1 more")
	check("folder web", "log-entry-deleted", "passed", "")
	check("folder sales", "version-null", "passed", "the version-null") // below what fails
	check("folder web", "version-unreadable", "failed", "the version-unreadable")
	check("folder web", "version-unreadable (not checked)", "error", "the version-unreadable")
	check("the bucket", "versioning-off", "passed", "the versioning-off")
	check("folder elsewhere", "made-up", "failed", "the made-up")
	check("folder sales", "commit-missing", "passed", "we know")
	check("coverage", "named versions", "error", "5 of 7 named versions were checked; 2 not: could not be read")
	check("coverage", "commit objects", "passed", "2 left out by choice: not in this sample")
	check("folder web", "version-missing", "error", "5 of 7 named versions") // something in web could not be checked
	check("folder sales", "version-missing", "passed", "")                   // but all in sales could
	r.FailOn = audit.Risk
	check("folder sales", "version-null", "failed", "the version-null")
	// A finding about no folder may hide anything anywhere.
	r.Findings[4].Folder = nil
	check("folder sales", "version-missing", "error", "5 of 7")
	check("folder sales", "log-entry-missing", "passed", "")
	// What the depth leaves out is neither passed nor skipped: it isn't there.
	r.Scope.Depth = audit.DepthLog
	check("folder sales", "version-missing", "absent", "")
	check("folder sales", "log-entry-missing", "passed", "")
	check("folder sales", "log-parent-mismatch", "absent", "")
	check("folder sales", "witness-regressed", "absent", "") // no witness was given
}

func TestJUnitOfManyFolders(t *testing.T) {
	r := clean()
	r.Folders = nil
	for i := range 1000 {
		r.Folders = append(r.Folders, fmt.Sprintf("f%04d", i))
	}
	r.Findings = []audit.Finding{{ID: "commit-missing", Severity: audit.Damage, Folder: ptr("f0007"), Title: "gone"}}
	s := isJUnit(t, format(t, "junit", r))
	var names []string
	for _, x := range s.Suites {
		names = append(names, x.Name)
	}
	if got := strings.Join(names, "; "); got != "the bucket; folder f0007; the other 999 folders; coverage" {
		t.Errorf("suites %s", got)
	}
}

// What was not looked at at all passes nowhere, whoever chose it; what was left out
// in part by choice passes, and tells.
func TestJUnitOfWhatWasNotLookedAt(t *testing.T) {
	s := isJUnit(t, format(t, "junit", reports()["spent"]))
	for _, x := range []struct{ suite, check, want, says string }{
		{"folder (the whole bucket)", "log-entry-missing", "error", "0 of 1 logs were checked; 1 left out by choice: the budget of time ended"},
		{"folder (the whole bucket)", "commit-missing", "error", "0 of 1 logs"},
		{"folder (the whole bucket)", "version-missing", "error", "0 of 1 logs"},
		{"folder (the whole bucket)", "version-will-expire", "error", "0 of 1 logs"},
		{"folder (the whole bucket)", "time-backwards", "error", "0 of 1 logs"},
		{"the bucket", "check-incomplete", "error", "0 of 1 logs"},
		{"the bucket", "versioning-off", "passed", ""},
		{"the bucket", "uploads-pending", "error", "0 of 1 logs"},
		{"coverage", "logs", "error", "0 of 1 logs"},
		{"coverage", "named versions", "error", "0 of 0 named versions"},
		{"coverage", "settings", "passed", ""},
		{"coverage", "all that should be checked", "error", "nothing is known"},
	} {
		if got, text := outcome(s, x.suite, x.check); got != x.want || !strings.Contains(text, x.says) {
			t.Errorf("%s in %s: %s, %q; want %s, %q", x.check, x.suite, got, text, x.want, x.says)
		}
	}
	// A budget that ended after the entries: their checks stand.
	r := clean()
	r.Complete = false
	r.Coverage.Commits = audit.Coverage{Total: 7, Skipped: []audit.Skip{{Reason: "the budget of requests ended", Count: 7, Chosen: true}}}
	r.Coverage.Versions = audit.Coverage{Skipped: []audit.Skip{}}
	s = isJUnit(t, format(t, "junit", r))
	for check, want := range map[string]string{"log-entry-missing": "passed", "commit-missing": "error", "version-missing": "error"} {
		if got, text := outcome(s, "folder sales", check); got != want {
			t.Errorf("%s: %s, %q", check, got, text)
		}
	}
	// A sample.
	r.Coverage.Commits = audit.Coverage{Checked: 2, Total: 7, Skipped: []audit.Skip{{Reason: "not in this part", Count: 5, Chosen: true}}}
	r.Coverage.Versions = clean().Coverage.Versions
	s = isJUnit(t, format(t, "junit", r))
	if got, text := outcome(s, "folder sales", "commit-missing"); s.Errors != 0 || got != "passed" || !strings.Contains(text, "2 of 7 commit objects were checked; 5 left out by choice: not in this part") {
		t.Errorf("a sample: %d errors, %s, %q", s.Errors, got, text)
	}
	// How many could not be read is not always known.
	r.Coverage.Versions.Skipped = []audit.Skip{{Reason: "the budget ended before a second look"}}
	r.Verdict = audit.Incomplete
	s = isJUnit(t, format(t, "junit", r))
	if got, text := outcome(s, "folder sales", "version-missing"); got != "error" || !strings.Contains(text, "an unknown number not") {
		t.Errorf("an unknown number: %s, %q", got, text)
	}
	// Acknowledged, and as unchecked as before.
	r = clean()
	r.Verdict, r.Complete = audit.Incomplete, false
	r.Acknowledged = []audit.Acknowledged{{Finding: audit.Finding{ID: "access-denied", Severity: audit.Unknown, Folder: ptr("sales"), Title: "no"}, By: "ignore", Reason: "meant so"}}
	s = isJUnit(t, format(t, "junit", r))
	if got, _ := outcome(s, "folder sales", "access-denied"); got != "error" {
		t.Errorf("acknowledged as not checked: %s", got)
	}
	// The verdict alone is enough.
	r.Acknowledged = nil
	if s = isJUnit(t, format(t, "junit", r)); s.Errors != 1 {
		t.Errorf("an incomplete verdict: %d errors", s.Errors)
	}
}
