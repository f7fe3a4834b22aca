package views

import "testing"

// From a commit and from a diff the same keys lead to the log and to the audit.
func TestWaysFromCommitAndDiff(t *testing.T) {
	f, _ := damaged(t)
	d := newDriver(t, f.start("sales/2026"), 120, 40)
	top := func(want string) {
		t.Helper()
		if got := d.m.stack.top().kind(); got != want {
			t.Fatalf("on %s, want %s:\n%s", got, want, d.text())
		}
	}
	d.press("l")
	top(onLog)
	d.press("down", "down", "enter") // the head's object is gone
	top(onCommit)
	d.press("l")
	top(onLog)
	d.press("esc", "D")
	top(onDiff)
	d.press("l")
	top(onLog)
	d.press("esc", "a")
	top(onAudit)
}
