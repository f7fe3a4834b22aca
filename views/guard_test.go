package views

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A dialog that opens by itself takes no key for its first 400 ms; one that a key
// opened takes the next.
func TestDialogsThatOpenByThemselvesAreDeafAtFirst(t *testing.T) {
	defer func(d time.Duration) { deafFor = d }(deafFor)
	deafFor = 400 * time.Millisecond
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Now = f.now
	d := newDriver(t, s, 100, 30)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	d.m.clock = func() time.Time { return now }
	d.press("@") // a key opens it: it listens
	d.write("1")
	d.press("enter")
	d.sees("files at #1")
	d.press("esc", "c")
	cf := d.m.stack.top().(*commitForm)
	d.until("asking", func() bool { return cf.phase == asking })
	d.write("x")
	d.send(tea.PasteMsg{Content: "y"})
	d.press("esc")
	if cf.message.Value() != "" || d.m.stack.top() != screen(cf) {
		t.Fatalf("the form took a key at once: %q", cf.message.Value())
	}
	now = now.Add(399 * time.Millisecond)
	d.write("x")
	if cf.message.Value() != "" {
		t.Error("the form took a key after 399 ms")
	}
	now = now.Add(time.Millisecond)
	d.write("m")
	if cf.message.Value() != "m" {
		t.Errorf("after 400 ms the message is %q", cf.message.Value())
	}
	d.press("enter", "enter", "right", "enter")
	d.until("committed", func() bool { _, ok := d.m.stack.top().(*commitScreen); return ok })
	d.press("p") // would go to the parent
	d.sees("Commit #6")
	now = now.Add(400 * time.Millisecond)
	d.press("p")
	d.sees("Commit #5")
}

// A message that was typed and not committed is there again, its lines too; after the
// commit it is gone.
func TestCommitMessageIsKept(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Now = f.now
	d := newDriver(t, s, 100, 30)
	d.press("c")
	d.send(tea.PasteMsg{Content: "First line\r\n\r\nMore of it\n"})
	d.write("!")
	d.sees("First line↵↵More of it!", "│ First line", "│ More of it!")
	d.press("esc")
	d.sees("The message is kept")
	d.press("c")
	d.sees("First line↵↵More of it!")
	f.put("sales/2026/late.txt", "late") // the folder changes under the form
	d.press("enter", "enter", "right", "enter")
	d.sees("Committed #6", "First line", "More of it!")
	if text := strings.Join(strings.Fields(d.text()), " "); !strings.Contains(text, "The folder changed after it was shown") ||
		!strings.Contains(text, "committed were 5 files") || !strings.Contains(text, "shown were 4 files") {
		t.Errorf("it is not said that more was committed:\n%s", d.text())
	}
	d.press("esc", "c")
	d.seesNot("First line")
	f.put("sales/2026/later.txt", "later")
	d.press("esc", "c")
	d.send(tea.PasteMsg{Content: strings.Repeat("a line\n", 20)})
	d.sees("│ … 15 more lines", "[ Commit ]", "later.txt") // 30 lines leave 6 for the message
}

// ctrl+z goes to the shell from anywhere, also while a text is typed.
func TestSuspend(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 100, 30)
	for _, keys := range []string{"", "/", "esc", "@"} {
		if keys != "" {
			d.press(keys)
		}
		if cmd := d.m.press(keyMsg("ctrl+z")); cmd == nil {
			t.Errorf("after %q ctrl+z does nothing", keys)
		} else if _, ok := cmd().(tea.SuspendMsg); !ok {
			t.Errorf("after %q ctrl+z does not suspend", keys)
		}
	}
}
