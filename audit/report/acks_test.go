package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
)

// ackUse is what became of a list with a rule of each sort, and of a baseline.
func ackUse() (*audit.RuleUse, *audit.BaselineUse) {
	print := strings.Repeat("0a", 16)
	known := audit.KnownFinding{ID: "version-missing", Severity: audit.Damage, Title: evil, Fingerprint: print}
	return &audit.RuleUse{
			Expired:  []audit.RuleRef{{Line: 1, Fingerprint: print, Reason: "the disk of 2023", Expires: "2026-10-01", Findings: []string{print}}},
			Refused:  []audit.RuleRef{{Line: 5, ID: "version-missing", Folder: ptr("sales"), Reason: evil, Expires: "2027-01-01", Findings: []string{print}, Affected: &audit.Extent{Versions: 2, Commits: 1}}},
			Outgrown: []audit.RuleRef{{Line: 9, Fingerprint: print, Reason: "x", Expires: "2027-01-01", Findings: []string{print}, Affected: &audit.Extent{Versions: 3, Commits: 1}}},
			Unused:   []audit.RuleRef{{Line: 13, ID: "log-key-foreign", Key: ptr(evil), Reason: "x", Expires: "2027-01-01"}},
		}, &audit.BaselineUse{Finished: time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC), Scope: audit.Scope{Depth: audit.DepthVersions}, Known: 1, Worse: 2,
			Resolved: []audit.KnownFinding{known}, NotSeen: []audit.KnownFinding{known, known, known}}
}

// Where people look they are told which acknowledgement no longer holds: cron shows
// no notes.
func TestAcknowledgementsInFormatsForPeople(t *testing.T) {
	r := clean()
	r.Verdict = audit.Fail
	r.Rules, r.Baseline = ackUse()
	r.Findings = []audit.Finding{{ID: "version-missing", Severity: audit.Damage, Title: "gone", Folder: ptr("sales"), Fingerprint: strings.Repeat("0a", 16)}}
	for _, name := range []string{"text", "markdown", "junit"} {
		flat := strings.Join(strings.Fields(strings.NewReplacer("`", "", "&#34;", `"`, "&quot;", `"`).Replace(format(t, name, r))), " ")
		for _, want := range []string{
			"line 1: the rule (fingerprint 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a) expired after 2026-10-01; it covered 1 finding, which counts again",
			"line 5: the rule (version-missing in sales) covers no damage: acknowledge that one by one, by fingerprint 0a0a",
			"covers less than its finding affects by now, or something else, 3 versions of 1 commit",
			"line 13: the rule (log-key-foreign at ", "covers nothing that was found; it may be removed",
			"baseline of 2026-11-20T01:02:03Z: 1 finding known, 2 worse than then, 1 resolved, 3 neither found nor looked for in full",
			"A rule is about it (the disk of 2023, line 1), but it expired after 2026-10-01.",
		} {
			if !strings.Contains(flat, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, flat)
			}
		}
	}
	r.Rules, r.Baseline = nil, nil
	for _, name := range []string{"text", "markdown"} {
		if out := format(t, name, r); strings.Contains(out, "Acknowledgements") {
			t.Errorf("%s has a section of none", name)
		}
	}
}

func TestNotesAreFew(t *testing.T) {
	r := clean()
	r.Rules = &audit.RuleUse{}
	for i := range 12 {
		r.Rules.Unused = append(r.Rules.Unused, audit.RuleRef{Line: i + 1, ID: "log-key-foreign"})
	}
	notes := report.AckNotes(r, "known.yaml")
	if len(notes) != 11 || notes[0] != "known.yaml line 1: the rule (log-key-foreign) covers nothing that was found; it may be removed" || notes[10] != "known.yaml and 2 more rules like this" {
		t.Errorf("%q", notes)
	}
}

// What a baseline did not look at counts as new, and nobody should wonder why.
func TestABaselineThatLookedAtLess(t *testing.T) {
	for _, x := range []struct {
		was, is audit.Scope
		says    string
	}{
		{audit.Scope{Depth: audit.DepthVersions}, audit.Scope{Depth: audit.DepthVersions}, ""},
		{audit.Scope{Depth: audit.DepthReadable}, audit.Scope{Folder: "sales", Depth: audit.DepthVersions}, ""},
		{audit.Scope{Folder: "sales", Depth: audit.DepthVersions}, audit.Scope{Folder: "sales/2026", Depth: audit.DepthLog}, ""},
		{audit.Scope{Depth: audit.DepthLog}, audit.Scope{Depth: audit.DepthVersions}, "It looked to the depth log only"},
		{audit.Scope{Folder: "sales", Depth: audit.DepthVersions}, audit.Scope{Depth: audit.DepthVersions}, "It looked at folder sales and those below it only"},
		{audit.Scope{Folder: "sales", Depth: audit.DepthLog}, audit.Scope{Folder: "sales2", Depth: audit.DepthVersions}, "It looked at folder sales and those below it only and to the depth log only"},
		{audit.Scope{}, audit.Scope{Depth: audit.DepthVersions}, ""}, // a report that doesn't tell
	} {
		r := clean()
		r.Scope = x.is
		r.Baseline = &audit.BaselineUse{Scope: x.was}
		got := strings.Join(report.AckNotes(r, ""), "\n")
		if x.says == "" == strings.Contains(got, "It looked") || !strings.Contains(got, x.says) || x.says != "" && !strings.Contains(got, "counts as new") {
			t.Errorf("%+v after %+v: %q", x.is, x.was, got)
		}
	}
}

func TestTally(t *testing.T) {
	r := clean()
	for want, counts := range map[string]map[audit.Severity]int{
		"no findings":                     {},
		"5 damage, 1 anomaly, 2 info":     {audit.Damage: 5, audit.Anomaly: 1, audit.Info: 2},
		"2 risks, 2 anomalies, 1 unknown": {audit.Risk: 2, audit.Anomaly: 2, audit.Unknown: 1},
	} {
		if r.Counts = counts; report.Tally(r) != want {
			t.Errorf("%s, want %s", report.Tally(r), want)
		}
	}
	r.Counts, r.Acknowledged = nil, make([]audit.Acknowledged, 3)
	if got := fmt.Sprint(report.Tally(r)); got != "3 acknowledged" {
		t.Error(got)
	}
}
