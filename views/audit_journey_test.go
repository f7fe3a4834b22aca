package views

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/audit"
	"provcat-tui/audit/report"
)

// onAuditOf is the program on the audit of a folder, and its screen.
func onAuditOf(t testing.TB, s Start, w, h int) (*driver, *auditScreen) {
	d := newDriver(t, s, w, h)
	d.press("a")
	screen, ok := d.m.stack.top().(*auditScreen)
	if !ok || screen.report == nil {
		t.Fatalf("no report:\n%s", d.text())
	}
	return d, screen
}

// clear empties the field of a form.
func (d *driver) clear() {
	d.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
}

// From the audit to the damaged entry and back, then acknowledge the finding and
// export the report. Read-only forbids none of it.
func TestAuditJourney(t *testing.T) {
	f, _ := damaged(t)
	s := f.start("sales/2026")
	s.ReadOnly = true
	d, screen := onAuditOf(t, s, 100, 40)
	before := len(screen.report.Findings)
	worst := screen.selectedFinding().finding
	if worst.Severity != audit.Damage || worst != &screen.report.Findings[0] {
		t.Fatalf("the cursor is on %+v", worst)
	}
	for range before {
		if x := screen.selectedFinding(); x != nil && x.finding.ID == "log-entry-deleted" {
			worst = x.finding
			break
		}
		d.press("down")
	}
	d.press("enter")
	log, ok := d.m.stack.top().(*logScreen)
	if !ok || worst.Number != 2 || log.current().slot.Number != 2 {
		t.Fatalf("enter led to %T:\n%s", d.m.stack.top(), d.text())
	}
	d.press("esc")
	d.sees("Audit of sales/2026")

	// Cancel is the default, and what is wrong is told in place.
	d.press("m")
	d.sees("Acknowledge "+worst.ID, s.IgnoreFile, "2026-12-20", "Cancel")
	d.press("enter")
	d.sees("enter to the buttons", "↑ field before")
	d.press("enter", "enter")
	d.sees("Audit of sales/2026")
	d.press("m", "enter", "enter", "right", "enter")
	d.sees("✗ A reason is needed")
	d.write("drill \x1b[31m: see #12")
	d.press("tab")
	d.clear()
	d.write("2026-11-19")
	d.press("enter", "right", "enter")
	d.sees("✗ Expires: that day is over; today is 2026-11-20 (UTC).")
	if _, err := os.Stat(s.IgnoreFile); err == nil {
		t.Error("something was written")
	}
	d.clear()
	d.write("tomorrow")
	d.press("enter", "right", "enter")
	d.sees("✗ Expires: a day such as 2026-12-20 is expected.")
	d.clear()
	d.write("2026-12-01")
	d.press("enter", "right", "enter")
	d.sees("Acknowledged through 2026-12-01. The verdict is still FAIL.", "1 acknowledged", "Acknowledged (1)")
	if n := len(screen.report.Findings); n != before-1 || screen.report.Acknowledged[0].Fingerprint != worst.Fingerprint {
		t.Errorf("%d of %d findings are left", n, before)
	}
	list, err := audit.LoadIgnore(s.IgnoreFile)
	if err != nil || len(list.Rules) != 1 || list.Rules[0].Fingerprint != worst.Fingerprint || !strings.HasPrefix(list.Rules[0].Reason, "drill") {
		t.Errorf("the file holds %+v, %v", list, err)
	}
	// A second audit reads it.
	d.press("r")
	d.sees("Acknowledged (1)")
	d.press("/")
	d.write("acknowledged")
	d.press("enter", "tab")
	d.sees("Acknowledged: drill", "It counts again after 2026-12-01 (UTC).", "By the rule in line 1 of", "m take back")
	d.press("esc", "esc")
	d.sees("Acknowledged (1) by " + s.IgnoreFile[:24])

	// Export, where a file is there already.
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, []byte("precious"), 0o640); err != nil {
		t.Fatal(err)
	}
	d.press("e")
	d.sees("Export the report", "‹ text ›", "audit-demo.bucket-sales-2026.txt")
	d.press("right")
	d.sees("‹ json ›  one document, for programs", "audit-demo.bucket-sales-2026.json", "→ choose", "enter next field")
	d.press("enter")
	d.sees("enter write")
	d.clear()
	d.press("enter")
	d.sees("✗ A file name is needed.")
	// Names from here: a path of any length would break the messages anywhere.
	t.Chdir(filepath.Dir(path))
	d.write(".")
	d.press("enter")
	d.sees("✗ write the report to", "no plain file")
	d.write("/no/such/folder/x")
	d.press("enter")
	d.sees("no such file or directory")
	d.clear()
	d.write(path)
	d.press("enter")
	d.sees("Replace the file?", "is there already")
	d.press("enter") // Cancel goes back to the form
	d.sees("Export the report", "report.json")
	if data, _ := os.ReadFile(path); string(data) != "precious" {
		t.Fatalf("the file was replaced without a yes: %q", data)
	}
	d.press("enter", "right", "enter")
	d.sees("Wrote " + path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got audit.Report
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != before-1 || len(got.Acknowledged) != 1 || got.Verdict != audit.Fail {
		t.Errorf("the file has %d findings, %d acknowledged, %s", len(got.Findings), len(got.Acknowledged), got.Verdict)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// When the last day of an acknowledgement is over its finding counts again.
func TestExpiredAcknowledgementCountsAgain(t *testing.T) {
	f, _ := small(t)
	f.removeAll("sales/2026/logo.png")
	s := f.start("sales/2026")
	now := later
	s.Now = func() time.Time { return now }
	d, screen := onAuditOf(t, s, 100, 40)
	if screen.report.Verdict != audit.Fail || screen.report.Counts[audit.Damage] != 1 {
		t.Fatalf("%s, %v", screen.report.Verdict, screen.report.Counts)
	}
	d.press("m")
	d.write("known")
	d.press("enter", "enter", "right", "enter")
	d.sees("The verdict is now PASS.", "PASS: all ")
	now = later.AddDate(0, 0, ackDays) // its last day, still
	d.press("r")
	d.sees("PASS: all ", "Acknowledged (1)")
	now = now.AddDate(0, 0, 1)
	d.press("r")
	d.sees("✗ FAIL", "! 1 finding counts again")
	d.seesNot("Acknowledged (1)")
	d.press("tab")
	d.sees("A rule is about it (known, line 1), but it expired after 2026-12-20.")
}

// What could not be checked stays so, acknowledged or not.
func TestAcknowledgedUnknownStaysIncomplete(t *testing.T) {
	f, _ := small(t)
	d, screen := onAuditOf(t, f.startOn(denied{f.b}, "sales/2026"), 100, 40)
	d.sees("? INCOMPLETE", "▾ ? Unknown")
	for range len(screen.report.Findings) {
		d.press("m")
		d.sees("the audit is incomplete all the same")
		d.write("no rights")
		d.press("enter", "enter", "right", "enter")
	}
	if len(screen.report.Findings) != 0 {
		t.Errorf("left: %+v", screen.report.Findings)
	}
	d.sees("? INCOMPLETE", "The verdict is still INCOMPLETE.")
	d.seesNot("PASS")
}

// A file of acknowledgements that cannot be read is told, and never written over.
func TestWrongIgnoreFile(t *testing.T) {
	f, _ := damaged(t)
	s := f.start("sales/2026")
	if err := os.MkdirAll(filepath.Dir(s.IgnoreFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.IgnoreFile, []byte("- nonsense: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, _ := onAuditOf(t, s, 200, 40)
	d.sees("! nothing is acknowledged: ", "line 1")
	d.press("m")
	d.sees("Not now: the file of acknowledgements must be mended first.")
}

func TestAuditFolds(t *testing.T) {
	f, _ := small(t)
	d := audited(t, f, sampleReport(), 80, 40)
	d.press("left")
	d.sees("› ", "▾ sales/2026 (2)")
	d.press("left")
	d.sees("▸ sales/2026 (2)")
	d.seesNot("1 version that 2")
	d.press("left") // to the severity
	d.press("enter")
	d.sees("▸ ✗ Damage (2)")
	d.seesNot("▸ sales/2026 (2)")
	// The filter finds what is folded away.
	d.press("/")
	d.write("version-missing")
	d.sees("1 version that 2 commits name is gone")
	d.press("enter", "left")
	d.sees("Not now: while a filter is on there are no groups.")
	d.press("esc")
	d.seesNot("1 version that 2")
	d.press("home", "right", "right", "right")
	d.sees("log-entry-deleted", "version-missing")
	d.press("down", "right")
	d.sees("Not now: this line has nothing below it.")
}

// Several findings of one cause in a folder have a heading.
func TestAuditGroupsByCause(t *testing.T) {
	f, _ := small(t)
	r := sampleReport()
	for _, n := range []int64{7, 9} {
		x := r.Findings[1]
		x.Number, x.Fingerprint = n, strings.Repeat("0", 31)+string(rune('0'+n))
		r.Findings = append(r.Findings, x)
	}
	d := audited(t, f, r, 80, 40)
	d.sees("▾ ✗ Damage (4)", "▾ sales/2026 (4)", "▾ log-entry-deleted (3)", "#2", "#7", "#9")
	d.press("left")
	d.sees("A log entry", "3 findings") // what the cause means
}

// Each → in a detail leads to the screen that it names.
func TestAuditWalksTheTargets(t *testing.T) {
	f, _ := damaged(t)
	d, screen := onAuditOf(t, f.start("sales/2026"), 80, 24)
	d.press("tab")
	d.sees("↓ next →")
	seen := map[string]bool{}
	for range 200 {
		last := screen.pane.at
		top := screen.pane.top
		d.press("down")
		if screen.pane.at == last && screen.pane.top == top {
			break
		}
		at := screen.pane.selected()
		if at == nil || screen.pane.at == last {
			continue
		}
		d.sees("enter or → opens "+strings.SplitN(at.label, "/", 2)[0][:8], "› →")
		kind, _, _ := strings.Cut(at.label, " ")
		d.press("enter")
		want := map[string]string{"log": onLog, "commit": onCommit, "object": onObject}[kind]
		if got := d.m.stack.top().kind(); got != want {
			t.Errorf("%s led to %s", at.label, got)
		}
		seen[kind] = true
		d.press("esc")
	}
	if screen.pane.at < 0 || screen.pane.at != len(screen.pane.targets)-1 || !seen["log"] || !seen["object"] {
		t.Errorf("at %d of %d, seen %v", screen.pane.at, len(screen.pane.targets), seen)
	}
	for range 200 {
		if screen.pane.top == 0 {
			break
		}
		d.press("up")
	}
	if screen.pane.top != 0 {
		t.Errorf("back up ends at line %d", screen.pane.top)
	}
}

func TestAuditCopiesTheCommand(t *testing.T) {
	f, _ := small(t)
	d := audited(t, f, sampleReport(), 100, 30)
	_, cmd := d.m.Update(keyMsg("Y"))
	found := false
	for _, msg := range messages(cmd) {
		found = found || sprint(msg) == "provcat-tui repair x"
	}
	if !found {
		t.Error("the command was not sent to the clipboard")
	}
	d.sees("clipboard (OSC 52")
	d.press("down", "Y")
	d.sees("Not now: this finding has no command.")
	evil := auditRow{finding: &audit.Finding{Repair: &audit.Repair{Command: "rm\nrf"}}}
	if ok, _ := canCopy(&evil); ok {
		t.Error("a command of two lines can be copied")
	}
}

// messages runs commands and gives what they bring.
func messages(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		var out []tea.Msg
		for _, c := range msg {
			out = append(out, messages(c)...)
		}
		return out
	default:
		return []tea.Msg{msg}
	}
}

func TestExportNames(t *testing.T) {
	for _, c := range []struct{ bucket, folder, want string }{
		{"demo.bucket", "", "audit-demo.bucket"},
		{"s3://team-data", "sales/2026", "audit-s3-team-data-sales-2026"},
		{"b", "../../etc/passwd", "audit-b-..-..-etc-passwd"},
		{"b", "a\x1b[31m\u202e\nx y", "audit-b-a-31m-x-y"},
		{"b", "日本", "audit-b"},
		{"b", strings.Repeat("x", 10000), "audit-b-" + strings.Repeat("x", 72)},
	} {
		if got := exportName(c.bucket, c.folder); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.bucket, c.folder, got, c.want)
		}
	}
	for _, wrong := range []string{"", "  ", "a\x1b[31m", "a\u202eb", "a\nb", "\xff"} {
		if path, why := exportPath(wrong); why == "" {
			t.Errorf("%q is taken for the file %q", wrong, path)
		}
	}
}

// Every format is written whole, and read back by its first words.
func TestExportFormats(t *testing.T) {
	f, _ := damaged(t)
	_, screen := onAuditOf(t, f.start("sales/2026"), 100, 30)
	dir := t.TempDir()
	starts := map[string]string{"text": "Audit of ", "json": "{", "jsonl": "{", "markdown": "#", "sarif": "{", "junit": "<?xml", "metrics": "# "}
	for _, x := range report.Formats {
		path := filepath.Join(dir, "r"+x.Extension)
		n, err := writeReport(path, x, screen.report, false)
		data, rerr := os.ReadFile(path)
		if err != nil || rerr != nil || n != int64(len(data)) || !strings.HasPrefix(string(data), starts[x.Name]) {
			t.Errorf("%s: %v, %v, %d bytes of %d: %.40q", x.Name, err, rerr, len(data), n, data)
		}
	}
}
