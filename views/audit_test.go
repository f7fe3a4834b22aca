package views

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"provcat-tui/audit"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

func sampleReport() *audit.Report {
	sales := "sales/2026"
	at := time.Date(2026, 10, 2, 8, 0, 0, 0, time.UTC)
	return &audit.Report{
		Verdict: audit.Fail, Complete: true,
		Coverage: audit.CoverageSet{
			Logs: audit.Coverage{Checked: 2, Total: 2}, Entries: audit.Coverage{Checked: 5, Total: 5},
			Commits:  audit.Coverage{Checked: 3, Total: 4, Skipped: []audit.Skip{{Reason: "access denied, needs s3:GetObjectVersion", Count: 1}}},
			Versions: audit.Coverage{Checked: 1200, Total: 1200}, Settings: audit.Coverage{Checked: 3, Total: 3},
		},
		Requests: audit.Requests{List: 7, Get: 12, CostUSD: 0.00004},
		Counts:   map[audit.Severity]int{audit.Damage: 2, audit.Unknown: 1, audit.Info: 1},
		Findings: []audit.Finding{
			{ID: "commit-twins", Severity: audit.Info, Confidence: audit.Likely, Folder: &sales, Number: 3, Commit: strings.Repeat("c", 64), Title: "Two commits in a row hold the same files"},
			{ID: "log-entry-deleted", Severity: audit.Damage, Confidence: audit.Certain, Folder: &sales, Number: 2, Key: commit.EntryKey(sales, 2),
				Title: "Log entry 2 was deleted\x1b[31m", Detail: "The newest version of the entry is a delete marker.",
				Evidence: []audit.Evidence{{Key: commit.EntryKey(sales, 2), Version: "ver2", Modified: &at, Latest: true, DeleteMarker: true}},
				Repair:   &audit.Repair{Kind: "remove-delete-marker", Command: "provcat-tui repair x", Text: "Remove the marker."}},
			{ID: "version-missing", Severity: audit.Damage, Confidence: audit.Certain, Folder: &sales, Key: "sales/2026/eu/orders.csv", Version: "gone",
				Title: "1 version that 2 commits name is gone", Affected: audit.Affected{Versions: 1, Commits: []audit.CommitRef{{Folder: sales, Number: 1, ID: strings.Repeat("a", 64)}, {Folder: sales, Number: 2, ID: strings.Repeat("b", 64)}}}},
			{ID: "access-denied", Severity: audit.Unknown, Confidence: audit.Certain, Title: "A commit object could not be read"},
		},
	}
}

// audited is the program on an audit screen that shows r.
func audited(t testing.TB, f *fixture, r *audit.Report, w, h int) *driver {
	d := newDriver(t, f.start("sales/2026"), w, h)
	s := newAudit(place{d.m.env, f.b, *d.m.env.Location}, "sales/2026")
	d.m.do(s, s.show(r))
	d.m.stack.push(s)
	return d
}

func TestAuditShowsFindingsBySeverity(t *testing.T) {
	f, _ := small(t)
	d := audited(t, f, sampleReport(), 80, 24)
	d.sees("✗ FAIL", "✗ 2 damage", "? 1 unknown", "▾ ✗ Damage (2)", "▾ sales/2026 (2)", "› ✗   log-entry-deleted", "→ log entry #2", "4 findings; 7 list requests, 12 read requests, about $0.0000")
	screen := d.text()
	if strings.Index(screen, "version-missing") > strings.Index(screen, "Unknown (1)") {
		t.Error("the worst must come first")
	}
	// The detail scrolls to the repair.
	d.press("tab")
	d.sees("What happened", "The newest version of the entry")
	d.press("pgdown")
	d.sees("What still works")
	for range 20 {
		if strings.Contains(d.text(), "What to do now") {
			break
		}
		d.press("down")
	}
	d.sees("What to do now")
	d.press("end", "up", "up", "up", "up")
	d.sees("Repair: remove-delete-marker", "Remove the marker.", "provcat-tui repair x", "Y copies the command")
	d.press("esc", "end")
	d.sees("settings: 3 of 3 checked")
	d.press("up", "up")
	d.sees("commit objects: 3 of 4 checked", "1 not checked: access denied, needs s3:GetObjectVersion")
	d.press("enter")
	d.sees("Not now: this line is about nothing that can be opened.")
}

func TestAuditOpensWhatAFindingIsAbout(t *testing.T) {
	f, _ := small(t)
	d := audited(t, f, sampleReport(), 80, 24)
	d.press("enter")
	d.sees("Log of sales/2026", "Week 2 of orders")
	if s := d.m.stack.top().(*logScreen); s.current().slot.Number != 2 {
		t.Errorf("the cursor is on #%d, want #2", s.current().slot.Number)
	}
	d.press("esc", "down", "enter")
	d.sees("Object sales/2026/eu/orders.csv", "✗ Version gone is not there")
	d.press("esc", "down", "down", "down", "enter")
	d.sees("Not now")
	d.press("down", "down", "down", "enter")
	d.sees("Commit cccccccccc", "the commit object is gone", "! no entry of the log names this commit ")
}

func TestAuditFilters(t *testing.T) {
	f, _ := small(t)
	d := audited(t, f, sampleReport(), 80, 24)
	d.press("/")
	d.write("twins")
	d.sees("1 of ", "commit-twins")
	d.seesNot("version-missing")
}

func TestAuditVerdicts(t *testing.T) {
	f, _ := small(t)
	r := sampleReport()
	r.Verdict, r.Findings = audit.Incomplete, r.Findings[3:]
	audited(t, f, r, 80, 24).sees("? INCOMPLETE: some could not be checked")
	r.Verdict, r.Findings, r.Counts = audit.Pass, nil, nil
	audited(t, f, r, 80, 24).sees("PASS: everything in scope was checked")
	r.Complete = false
	audited(t, f, r, 80, 24).sees("PASS for what was checked; some was left out by choice.")
}

func TestAuditGolden(t *testing.T) {
	ownTexts(t)
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		f, _ := small(t)
		audited(t, f, sampleReport(), size[0], size[1]).golden(fmt.Sprintf("audit-%dx%d", size[0], size[1]), false)
	}
}

func TestAuditProgress(t *testing.T) {
	s := newAudit(place{env: newEnv(Start{})}, "")
	s.progress = audit.Progress{Stage: "commits", Done: 30, Total: 40, Findings: 1}
	got := ui.Plainly(strings.Join(s.view(80, 20, ui.NewTheme(true, true)), "\n"))
	for _, want := range []string{"Reading and hashing commit objects", "30 of 40", "1 finding so far", "esc cancels"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	// 10 in the first second, then 20 more: 0.7 × 10 + 0.3 × 20 = 13 a second; 100 are left.
	at := later
	for i, done := range []int64{0, 10, 30} {
		s.progress = audit.Progress{Stage: "versions", Done: done, Total: 130, Requests: 12}
		s.pace.Add(s.progress, at.Add(time.Duration(i)*time.Second))
	}
	got = ui.Plainly(strings.Join(s.view(80, 20, ui.NewTheme(true, true)), "\n"))
	for _, want := range []string{"Listing versions", "█", "30 of 130, 13 a second, 8s left", "0 findings so far, 12 requests"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	s.err = context.Canceled
	got = ui.Plainly(strings.Join(s.view(80, 20, ui.NewTheme(true, true)), "\n"))
	if !strings.Contains(got, "nothing is known yet") {
		t.Errorf("after a cancel:\n%s", got)
	}
}
