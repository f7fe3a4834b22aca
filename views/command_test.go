package views

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/commit"
)

// say types a command and runs it.
func (d *driver) say(line string) {
	d.t.Helper()
	d.press(":")
	d.write(line)
	d.press("enter")
}

func (d *driver) at(crumb string) {
	d.t.Helper()
	if got := d.crumbs(); !strings.Contains(got, crumb) {
		d.t.Errorf("at %q, want %q:\n%s", strings.TrimSpace(got), crumb, d.text())
	}
}

// Each command leads to its screen, as the person writes it.
func TestCommandsLeadToTheirScreens(t *testing.T) {
	f, rs := small(t)
	const sales = "sales/2026"
	for _, c := range []struct {
		from, line string
		sees       []string
	}{
		{"", "log sales/2026", []string{"Log of sales/2026", "#5 " + commit.ShortID(rs[4].ID)}},
		{"sales", "log sales/2026", []string{"Log of sales/2026"}}, // from the root
		{"sales", "log 2026", []string{"Log of sales/2026"}},       // from here
		{"sales", "log /sales/2026/", []string{"Log of sales/2026"}},
		{sales, "log", []string{"Log of sales/2026"}},
		{sales, "log ./", []string{"Log of sales/2026"}},
		{sales, "log ../../web", []string{"Log of web"}},
		{sales, "lo", []string{"Log of sales/2026"}}, // as long as it is clear
		{sales, ":log", []string{"Log of sales/2026"}},
		{sales, "commit 2", []string{"Commit #2 of sales/2026", rs[1].ID}},
		{sales, "commit head~1", []string{"Commit #4 of sales/2026"}},
		{sales, "commit id:" + rs[2].ID[:7], []string{"Commit #3 of sales/2026"}},
		{"", "commit 3 sales/2026", []string{"Commit #3 of sales/2026"}},
		{"sales/2026/eu", "commit 3", []string{"Commit #3 of sales/2026"}}, // of the log above
		{sales, "diff 2 3", []string{"Diff of sales/2026: #2 to #3"}},
		{sales, "diff 2..live", []string{"Diff of sales/2026: #2 to live"}},
		{sales, "diff 4", []string{"Diff of sales/2026: #4 to live"}},
		{sales, "diff", []string{"Diff of sales/2026: #5 to live"}},
		{"", "diff 1 2 sales/2026", []string{"Diff of sales/2026: #1 to #2"}},
		{"", "diff 1..2 sales/2026", []string{"Diff of sales/2026: #1 to #2"}},
		{sales, "at 1", []string{"files at #1"}},
		// Commit 2 is of the second day at 8, commit 3 of the third.
		{sales, "at 2026-10-03", []string{"files at #2 " + commit.ShortID(rs[1].ID)}},
		{"", "at 2026-10-02T12:00Z sales/2026", []string{"files at #2"}},
		{sales, "pin", []string{"Pin of sales/2026", "reads   ● commit #5"}},
		{sales, "pin 2026-10-03", []string{"reads   ● commit #2"}},
		{"", "pin now sales/2026", []string{"reads   ● commit #5"}},
		{"", "pin sales/2026", []string{"reads   ● commit #5"}},
		{sales, "audit", []string{"Audit of sales/2026"}},
		{"", "audit web", []string{"Audit of web"}},
		{sales, "object us/orders.csv", []string{"Object sales/2026/us/orders.csv"}},
		{"", "object sales/2026/notes.txt", []string{"Object sales/2026/notes.txt", "✗ deleted"}},
		{sales, "object nope.txt gone", []string{"Object nope.txt", "is not there"}},
		{sales, "object file:///data/demo.bucket/web/index.html", []string{"Object web/index.html"}},
		{"", "cd sales/2026/eu", []string{"files, live", "sales/2026/eu/: 0 folders, 1 file"}},
		{sales, "cd ..", []string{"sales/: 1 folder, 0 files"}},
		{sales, "cd", []string{"README.md"}},
		{sales, "buckets", []string{"Buckets"}},
		{sales, "requests", []string{"Requests"}},
		{sales, "write All is well", []string{"Commit sales/2026", "All is well", "Cancel"}},
		{sales, "help", []string{"Help: the folder screen", "open what is selected"}},
	} {
		d := newDriver(t, f.start(c.from), 120, 40)
		d.say(c.line)
		for _, want := range c.sees {
			if !strings.Contains(d.text(), want) {
				t.Errorf(":%s in %q: %q is not on the screen:\n%s", c.line, c.from, want, d.text())
			}
		}
		if d.m.stack.top().kind() == onCommand {
			t.Errorf(":%s in %q left the line open", c.line, c.from)
		}
	}
}

// From where one was, esc leads back there.
func TestEscLeadsBackFromACommand(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 100, 30)
	d.press("l", "enter")
	d.say("diff 1 2")
	d.at("Commit #5 of sales/2026 › Diff of sales/2026: #1 to #2")
	d.press("esc")
	d.at("Log of sales/2026 › Commit #5 of sales/2026")
	d.say("commit 5")
	d.sees("This is it already")
	d.say("back folder")
	d.sees("files, live")
	d.say("log")
	d.say("cd web")
	d.sees("web/: 0 folders, 1 file")
	d.seesNot("Log of")
}

// What is wrong is told on the line, with what would be right, and nothing is lost.
func TestWrongCommandsAreToldOnTheLine(t *testing.T) {
	f, _ := small(t)
	for _, c := range []struct {
		from, line string
		sees       []string
		right      string // what tab makes of it; empty: it knows nothing better
	}{
		{"", "lgo sales/2026", []string{"There is no command :lgo. Did you mean :log?"}, "log sales/2026"},
		{"", "co", []string{}, ""},
		{"", "b", []string{":b may be :buckets or :back"}, ""},
		{"", "42", []string{"There is no command :42."}, "commit 42"},
		{"", "s3://b/x", []string{"There is no command"}, "open s3://b/x"},
		{"", "cd nosuch", []string{"There is no folder nosuch/ in demo.bucket: no version and no log."}, ""},
		{"sales/2026", "cd slaes", []string{"There is no folder sales/2026/slaes/ or slaes/ in demo.bucket"}, ""},
		{"sales/2026", "commit", []string{"REF is missing: :commit REF [FOLDER]"}, ""},
		{"sales/2026", "commit 77", []string{`no such commit: "77"; the log of folder "sales/2026" has commits up to number 5`}, ""},
		{"sales/2026", "commit haed", []string{`"haed" is no commit`}, "commit head"},
		{"sales/2026", "commit live", []string{"live is no commit"}, "cd ."},
		{"sales/2026", "diff 1 77", []string{`no such commit: "77"`}, ""},
		{"sales/2026", "diff 1..", []string{"A commit is missing"}, ""},
		{"sales/2026", "diff 1 2 web x", []string{`"x" is too much`}, ""},
		{"sales/2026", "at yesterday", []string{"yesterday is neither a commit", "nor a time"}, ""},
		{"sales/2026", "at 2020-01-01", []string{"No reader of sales/2026 got a commit at 2020-01-01"}, ""},
		{"sales/2026", "pin 42", []string{"42 is a commit, not a time."}, "commit 42"},
		{"sales/2026", "pin soon sales", []string{"soon is no time"}, ""},
		{"sales/2026", "sort siez", []string{`"siez" is none of name, size, modified or none`}, "sort size"},
		{"sales/2026", "sort size down", []string{`"down" is neither asc nor desc`}, "sort size desc"},
		{"sales/2026", "mouse maybe", []string{`"maybe" is neither on nor off`}, "mouse off"},
		{"sales/2026", "object", []string{"KEY is missing: :object KEY [VERSION]"}, ""},
		{"sales/2026", "object us/", []string{`"us/" is a folder; :cd goes there`}, ""},
		{"sales/2026", "log s3://other/x", []string{"s3://other/x is another bucket"}, "open s3://other/x"},
		{"sales/2026", "cd '", []string{"The quotes at the end are not closed."}, ""},
		{"sales/2026", "log 'a b", []string{"The quotes of a b are not closed."}, ""},
		{"sales/2026", "open", []string{"URL is missing"}, ""},
		{"sales/2026", "open s3://b --lgo", []string{"There is no --lgo here. Did you mean --log?"}, ""},
		{"sales/2026", "open s3://b --endpoint http://x", []string{"--endpoint is for the start of the program"}, ""},
		{"sales/2026", "open nowhere.bucket", []string{"there is no file nowhere.bucket"}, ""},
		{"sales/2026", "open gopher://x", []string{`unknown scheme "gopher"`}, ""},
		{"sales/2026", "back", []string{"This is the first screen"}, ""},
		{"sales/2026", "requests now", []string{":requests takes nothing after it."}, "requests"},
	} {
		if len(c.sees) == 0 {
			continue
		}
		d := newDriver(t, f.start(c.from), 120, 40)
		d.say(c.line)
		for _, want := range append(c.sees, ":"+c.line) {
			if !strings.Contains(d.text(), want) {
				t.Errorf(":%s in %q: %q is not on the screen:\n%s", c.line, c.from, want, d.text())
			}
		}
		line, ok := d.m.stack.top().(*commandLine)
		if !ok {
			t.Errorf(":%s closed the line", c.line)
			continue
		}
		if c.right != "" {
			d.press("tab")
			if got := line.prompt.Text(); got != c.right {
				t.Errorf(":%s, tab: %q, want %q", c.line, got, c.right)
			}
		}
		d.press("esc")
		d.sees("files, live")
	}
}

func TestCommandsAreCompleted(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 120, 40)
	text := func() string { return d.m.stack.top().(*commandLine).prompt.Text() }
	d.press(":")
	d.sees("Commands, 19", "log [FOLDER]", "a folder's log: its commits, newest first")
	d.write("lo")
	d.press("tab")
	if text() != "log " {
		t.Errorf("%q", text())
	}
	d.sees("log [FOLDER]: a folder's log", "sales/2026/eu/", "sales/2026/us/", "web/")
	d.write("web")
	d.press("tab")
	if text() != "log web/" {
		t.Errorf("%q", text())
	}
	d.press("enter")
	d.sees("Log of web")

	// Several: tab goes through them, and shift+tab back.
	d.press(":")
	d.write("log ")
	d.press("tab")
	first := text()
	d.press("tab")
	if second := text(); first == second || !strings.HasPrefix(second, "log ") {
		t.Errorf("%q, then %q", first, second)
	}
	d.press("up")
	if text() != first {
		t.Errorf("up: %q, not %q", text(), first)
	}
	d.press("esc", "esc")

	d.press(":")
	d.write("commit ")
	d.sees("head~1", "dora: The logo instead of notes", "2026-10-05 08:00")
	d.write("week")
	d.sees("ben: Week 3 of orders")
	d.seesNot("head~1", "70f3b04057  dora")
	d.press("esc", ":")
	d.write("diff 2..")
	d.sees("live", "the newest commit")
	d.write("li")
	d.press("tab", "enter")
	d.sees("Diff of sales/2026: #2 to live")
	d.press("esc", ":")
	d.write("sort si")
	d.press("tab")
	d.write("d")
	d.press("tab", "enter")
	d.sees("size ▼")
	d.press(":")
	d.write("object us/ord")
	d.sees("sales/2026/us/orders.csv")
	d.press("esc")
}

func TestHistoryOfCommands(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Commands = []string{"log web", "diff 1 2", "pin now"}
	var kept []string
	done := make(chan string, 9)
	s.Typed = func(line string) { done <- line }
	d := newDriver(t, s, 100, 30)
	text := func() string { return d.m.stack.top().(*commandLine).prompt.Text() }
	d.say("commit 2")
	d.say("comit 1") // wrong: it can be called back in this run, but is not kept
	d.press("esc", ":", "up")
	if text() != "comit 1" {
		t.Errorf("%q", text())
	}
	d.press("up", "up")
	if text() != "pin now" {
		t.Errorf("%q", text())
	}
	d.press("down", "down", "down")
	if text() != "" {
		t.Errorf("%q is not the new line", text())
	}
	d.write("d")
	d.press("up") // only what begins so
	if text() != "diff 1 2" {
		t.Errorf("%q", text())
	}
	d.press("esc", ":", "ctrl+r")
	d.sees("What was typed before", "log web", "history:")
	d.write("we")
	d.sees("log web")
	d.seesNot("pin now", "diff 1 2")
	d.press("enter")
	if text() != "log web" {
		t.Errorf("%q", text())
	}
	d.press("enter")
	d.sees("Log of web")
	for len(kept) < 2 {
		kept = append(kept, <-done)
	}
	slices.Sort(kept)
	if !slices.Equal(kept, []string{"commit 2", "log web"}) {
		t.Errorf("kept %q", kept)
	}
}

func TestCommandsThatWriteAreAbsentWhenReadingOnly(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.ReadOnly = true
	d := newDriver(t, s, 120, 40)
	d.press(":")
	d.seesNot("write [MESSAGE]")
	d.write("write x")
	d.press("enter")
	d.sees("Opened read-only: :write is not there.")
}

// Where no bucket is open only what works there is offered.
func TestCommandsOfTheBuckets(t *testing.T) {
	f, _ := small(t)
	s := f.start("")
	s.Location = nil
	s.Bookmarks = []Bookmark{{Name: "team", URL: "s3://team-data/sales"}}
	d := newDriver(t, s, 120, 40)
	d.say("log x")
	d.sees(":log works in a bucket, and none is open here. Choose one, or :open URL.")
	d.press("esc", ":")
	d.write("open te")
	d.sees("s3://team-data/sales", "team", "bookmark")
	d.press("tab")
	d.press("enter")
	d.at("s3://team-data/sales")
	d.say("back")
	d.say("open team --log")
	d.at("Log of sales")
}

// A command filters, sorts and turns the mouse off as the keys do.
func TestCommandsOfTheLines(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026/us"), 120, 40)
	d.say("filter new")
	d.sees("1 of 2", "new.csv")
	d.say("filter ord")
	d.sees("1 of 2", "orders.csv")
	d.say("filter")
	d.seesNot("1 of 2")
	d.say("mouse on")
	d.sees("Mouse on")
	d.say("mouse on")
	if !d.m.pointer {
		t.Error("the mouse is off")
	}
	d.say("quit")
	d.until("over", func() bool { return d.quit })
}

// A word that was pasted does not push the advice off the screen.
func TestALongWordLeavesTheAdviceSeen(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start(""), 120, 24)
	d.press(":")
	d.send(tea.PasteMsg{Content: strings.Repeat("a", 4000)})
	d.press("enter")
	d.sees("There is no command :aaaa", "…. tab on an empty line goes through all that work here.")
}
