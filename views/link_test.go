package views

import (
	"testing"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// copied presses y and gives the line that was put on the clipboard.
func (d *driver) copied(key string) string {
	d.t.Helper()
	_, cmd := d.m.Update(keyMsg(key))
	for _, msg := range messages(cmd) {
		if text := sprint(msg); text != "" {
			return text
		}
	}
	return ""
}

func (f *fixture) startAt(path string, l Link) Start {
	s := f.start(path)
	l.URL = s.Location.String()
	s.Link = l
	return s
}

// Each link opens the screen that gives the same link again.
func TestLinksLeadBack(t *testing.T) {
	f, rs := small(t)
	const url = "provcat-tui file:///data/demo.bucket/sales/2026"
	for _, c := range []struct {
		path string
		link Link
		want string
		sees string
	}{
		{"sales/2026", Link{}, url, "files, live"},
		{"sales/2026", Link{Screen: onFolder, Ref: "1"}, url + " --at 1", "files at #1"},
		{"sales/2026", Link{Screen: onLog}, url + " --log", "Log of sales/2026"},
		{"sales/2026", Link{Screen: onCommit, Ref: "2"}, url + " --commit 2", "Commit #2 of sales/2026"},
		{"sales/2026", Link{Screen: onCommit, Ref: "head~1"}, url + " --commit 4", "Commit #4 of sales/2026"},
		{"sales/2026", Link{Screen: onDiff, Ref: "2", To: "live"}, url + " --diff 2..live", "#2 to live"},
		{"sales/2026", Link{Screen: onDiff, Ref: rs[0].ID[:8], To: "3"}, url + " --diff 1..3", "#1 to #3"},
		{"sales/2026", Link{Screen: onAudit}, url + " --audit", "Audit of sales/2026"},
		{"sales/2026", Link{Screen: onPin}, url + " --pin now", "reads   ● commit #5"},
		{"sales/2026", Link{Screen: onPin, At: "2026-10-03"}, url + " --pin 2026-10-03T00:00:00Z", "reads   ● commit #2"},
		{"sales/2026/notes.txt", Link{Screen: onObject}, url + "/notes.txt --object", "Object sales/2026/notes.txt"},
		{"sales/2026/notes.txt", Link{Screen: onObject, Version: "nope"}, url + "/notes.txt --object --version-id nope", "Version nope is not there"},
		{"sales/2026", Link{Screen: onRequests}, "provcat-tui --requests", "Requests"},
	} {
		d := newDriver(t, f.startAt(c.path, c.link), 160, 30)
		d.sees(c.sees)
		if got := d.copied("y"); got != c.want {
			t.Errorf("%+v: y copies %q, want %q", c.link, got, c.want)
		}
	}
}

func TestEscGoesBackFromADeepLinkAsIfWalked(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.startAt("sales/2026", Link{Screen: onCommit, Ref: "2"}), 100, 30)
	d.sees("Commit #2 of sales/2026", "Log of sales/2026")
	d.press("esc")
	d.sees("The logo instead", "├─●   #2")
	if r := d.m.stack.top().(*logScreen).current(); r == nil || r.slot.Number != 2 {
		t.Errorf("the cursor of the log is on %+v", r)
	}
	d.press("esc")
	d.sees("files, live", "logo.png")
	d.press("esc")
	d.sees("This is the first screen")
}

func TestADeepLinkThatNamesNothing(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.startAt("sales/2026", Link{Screen: onCommit, Ref: "77"}), 100, 30)
	d.sees(`no such commit: "77"`, "esc shows the folder instead")
	d.press("esc")
	d.sees("files, live", "logo.png")
}

func TestYCopiesTheNames(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.startAt("sales/2026", Link{Screen: onCommit, Ref: "2"}), 100, 30)
	if got := d.copied("Y"); got != rs[1].ID {
		t.Errorf("Y copies %q, not the commit's ID %q", got, rs[1].ID)
	}
	d = newDriver(t, f.startAt("sales/2026/us/orders.csv", Link{Screen: onObject}), 100, 30)
	v := d.m.stack.top().(*objectScreen).list.selected()
	if got, want := d.copied("Y"), "file:///data/demo.bucket/sales/2026/us/orders.csv "+v.ID; got != want {
		t.Errorf("Y copies %q, want %q", got, want)
	}
}

func TestLinkCommand(t *testing.T) {
	for _, c := range []struct {
		link Link
		want string
	}{
		{Link{URL: "s3://b/a b", Screen: onLog}, `provcat-tui 's3://b/a b' --log --endpoint http://h:1`},
		{Link{URL: "s3://b/it's", Screen: onObject, Version: "-v"}, `provcat-tui 's3://b/it'\''s' --object --version-id -v --endpoint http://h:1`},
		{Link{URL: "s3://b/a\nb", Screen: onObject}, `provcat-tui $'s3://b/a\012b' --object --endpoint http://h:1`},
		{Link{URL: "s3://b/a\x00b", Screen: onObject}, ``},
		{Link{Screen: onBuckets}, `provcat-tui --endpoint http://h:1`},
		{Link{}, ``},
	} {
		if got := c.link.Command("--endpoint", "http://h:1"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.link, got, c.want)
		}
	}
}

func TestFolderURLs(t *testing.T) {
	p := place{env: &env{}, loc: bucket.Location{Scheme: "s3", Bucket: "b"}}
	for prefix, want := range map[string]string{"": "s3://b", "a/": "s3://b/a", "a//": "s3://b/a//", "/": "s3://b//", "/a/": "s3://b//a"} {
		got := p.folderURL(prefix)
		if got != want {
			t.Errorf("%q: %s, want %s", prefix, got, want)
		}
		l, err := bucket.Parse(got)
		if err != nil || newFolder(place{env: &env{}, loc: l}, l.Path).prefix() != prefix {
			t.Errorf("%s leads to %+v %v, not to %q", got, l, err, prefix)
		}
	}
	if refWord(commit.Ref{ID: "ab"}) != "id:ab" {
		t.Error("an ID without its id:")
	}
}

// A deep link that opens under another screen takes its place there, whole.
func TestADeepLinkOpensUnderTheRequests(t *testing.T) {
	f, _ := small(t)
	d := newDriverBusy(t, f.startAt("sales/2026", Link{Screen: onCommit, Ref: "2"}), 100, 30)
	d.send(keyMsg("R"))
	d.idle()
	d.sees("Requests")
	d.press("R")
	d.sees("Commit #2 of sales/2026")
	d.press("esc")
	d.sees("├─●   #2")
}

// What is copied as a name is pasted somewhere: nothing in it that is not seen.
func TestOnlyWhatIsSeenIsCopiedAsAName(t *testing.T) {
	for text, fit := range map[string]bool{
		"s3://b/a b.csv ver1": true, "s3://b/東京/é.csv v": true,
		"": false, "a\nb": false, "a\x1b[31m": false, "a\x7f": false, "a\u009b31m": false, "a\u202eb": false, "a\u200bb": false, "a\xffb": false,
	} {
		if _, copied := copyThis(text, "").(clip); copied != fit {
			t.Errorf("%q: copied: %v", text, copied)
		}
	}
}
