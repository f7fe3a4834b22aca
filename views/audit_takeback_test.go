package views

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"image/color"

	"provcat-tui/audit"
)

// In the detail → follows the link under the cursor and ← goes back to the list,
// where the same finding is selected and its detail is kept.
func TestAuditArrowsInTheDetail(t *testing.T) {
	f, _ := damaged(t)
	d, screen := onAuditOf(t, f.start("sales/2026"), 80, 24)
	was := screen.selectedID()
	d.press("tab", "down")
	at := screen.pane.selected()
	if at == nil {
		t.Fatalf("nothing is selected:\n%s", d.text())
	}
	d.sees("← to the list", "enter or → opens "+strings.SplitN(at.label, "/", 2)[0][:8])
	kind, _, _ := strings.Cut(at.label, " ")
	d.press("right")
	if got, want := d.m.stack.top().kind(), map[string]string{"log": onLog, "commit": onCommit, "object": onObject}[kind]; got != want {
		t.Fatalf("%s led to %s", at.label, got)
	}
	d.press("esc")
	pane := screen.pane
	d.press("left")
	if screen.detail || screen.selectedID() != was || screen.pane.at != pane.at || screen.pane.top != pane.top {
		t.Errorf("← led to %q, detail %v, pane %+v of %+v", screen.selectedID(), screen.detail, screen.pane, pane)
	}
	d.press("left") // in the list it folds
	if screen.selectedID() == was {
		t.Error("← in the list stays on the finding")
	}
}

// What enter opens is always on the screen: where nothing is selected it opens nothing.
func TestAuditEnterOpensOnlyWhatIsSelected(t *testing.T) {
	f, _ := damaged(t)
	d, screen := onAuditOf(t, f.start("sales/2026"), 80, 24)
	d.press("tab")
	off := false
	for range 60 {
		d.press("down")
		p := &screen.pane
		if at := p.selected(); at == nil {
			off = true
			d.press("enter")
			d.sees("Not now: no → is selected")
			d.press("right")
			d.sees("Not now: no → is selected")
			if d.m.stack.top() != screen {
				t.Fatal("enter opened what is not selected")
			}
		} else if at.line < p.top || at.line >= p.top+p.page {
			t.Fatalf("the selected line %d is not among %d from %d", at.line, p.page, p.top)
		}
		if p.top >= p.lines-p.page {
			break
		}
	}
	if !off {
		d.press("pgdown", "enter")
		d.sees("Not now: no → is selected")
	}
}

func TestAuditTakeBack(t *testing.T) {
	f, _ := small(t)
	f.removeAll("sales/2026/logo.png")
	s := f.start("sales/2026")
	s.ReadOnly = true
	d, screen := onAuditOf(t, s, 160, 40)
	print := screen.selectedFinding().finding.Fingerprint
	d.press("m")
	d.write("known")
	d.press("enter", "enter", "right", "enter")
	d.sees("The verdict is now PASS.", "Acknowledged (1) by ")
	d.press("m")
	d.sees("Take the acknowledgement back?", "Acknowledged: known.", "Cancel")
	d.press("enter") // Cancel
	d.sees("Acknowledged (1)")
	// The heading names the command that comes to the same verdict.
	for screen.list.selected().id != "acknowledged" {
		d.press("up")
	}
	d.sees("provcat-tui audit file:///data/demo.bucket/sales/2026", "--ignore", "Without --ignore the command reads no such file")
	screen.list.table.Cursor = screen.nearestFinding(screen.list.table.Cursor)
	d.press("m")
	d.sees("Take the acknowledgement back?")
	d.press("right", "enter")
	d.sees("Taken back: the finding counts again. The verdict is now FAIL.")
	d.seesNot("Acknowledged (1)")
	if x := screen.selectedFinding(); x == nil || x.ack != nil || x.finding.Fingerprint != print {
		t.Errorf("the cursor is on %+v", x)
	}
	if list, err := audit.LoadIgnore(s.IgnoreFile); err != nil || len(list.Rules) != 0 {
		t.Errorf("the file holds %+v, %v", list, err)
	}
}

// A rule for a kind of findings is not removed: the person is told its line.
func TestAuditTakeBackOfAKind(t *testing.T) {
	f, _ := small(t)
	s := f.startOn(denied{f.b}, "sales/2026")
	if err := os.MkdirAll(filepath.Dir(s.IgnoreFile), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "# mine\n- id: access-denied\n  reason: no rights\n  expires: 2027-01-31\n"
	if err := os.WriteFile(s.IgnoreFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, screen := onAuditOf(t, s, 160, 40)
	for i := range screen.list.Len() {
		if r := screen.list.at(i); r.ack != nil {
			screen.list.table.Cursor = i
		}
	}
	d.press("m")
	d.sees("Not now: the rule is for a kind of findings; edit line 2 of ")
}

// A light terminal that doesn't say its background is told by COLORFGBG; what it
// says itself goes before.
func TestLightBackground(t *testing.T) {
	f, _ := small(t)
	s := f.start("")
	s.Light = true
	d := newDriver(t, s, 80, 24)
	if d.m.theme.Dark {
		t.Error("dark on a light background")
	}
	d.send(tea.BackgroundColorMsg{Color: color.Black})
	if !d.m.theme.Dark {
		t.Error("the terminal's answer was not heard")
	}
}
