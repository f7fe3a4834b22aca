package views

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
)

// crumbs are the way here, as the first line shows it.
func (d *driver) crumbs() string { return strings.Split(d.text(), "\n")[0] }

// A file three folders down that was never opened is found and opened; going back
// leads through its folder.
func TestFindGoesToAFile(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start(""), 80, 24)
	d.press("ctrl+p")
	d.sees("Find a folder, commit, file or command", "enter go there", "every folder of the bucket was looked at")
	d.write("usordcsv")
	d.sees("1 of ", "sales/2026/us/orders.csv", "file")
	d.press("enter")
	d.sees("Object sales/2026/us/orders.csv", "id,usd")
	d.press("esc")
	d.sees("files, live", "orders.csv", "sales/2026/us/: 0 folders, 2 files")
	if !strings.Contains(d.crumbs(), "demo.bucket/sales/2026/us") {
		t.Errorf("at %q", d.crumbs())
	}
}

func TestFindGoesToAFolderACommitAndACommand(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("l", "ctrl+p")
	d.write("week3")
	d.sees("#3 ", "ben: Week 3 of orders", "commit")
	d.press("enter")
	d.sees("Commit #3 of sales/2026", rs[2].ID)
	// From the commit to a folder: the screens above the folder's are left.
	d.press("ctrl+p")
	d.write("web/")
	d.press("enter")
	d.sees("files, live", "web/: 0 folders, 1 file", "index.html")
	if c := d.crumbs(); strings.Contains(c, "Log") || strings.Contains(c, "Find") {
		t.Errorf("at %q", c)
	}
	// A command is what its key does.
	d.press("ctrl+p")
	d.write("log")
	d.sees("the folder's log", "key l")
	d.press("enter")
	d.sees("Log of web", "The site")
	// One of the command line is put there, to be gone on with.
	d.press("ctrl+p")
	d.write(":commit")
	d.sees(":commit: one commit: who, when, why, and its files", "command")
	d.press("enter")
	d.write("1")
	d.press("enter")
	d.sees("Commit #1 of web")
	d.press("esc")
	// A file of the diff, which is known only there.
	d.press("enter", "d", "ctrl+p")
	d.write("indexhtml")
	d.sees("added")
	d.press("esc")
	d.sees("Diff of web")
	d.seesNot("Find a folder")
}

// What is chosen answers what was typed, however quick enter comes.
func TestFindWaitsForTheAnswer(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start(""), 80, 24)
	d.press("ctrl+p")
	for _, r := range "notestxt" {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	d.send(keyMsg("enter"))
	d.idle()
	d.sees("Object sales/2026/notes.txt")
	d.press("esc", "ctrl+p")
	d.write("nothing of the kind")
	d.sees("Nothing that is known here has these letters", "0 of ")
	d.press("enter", "esc")
	d.sees("files, live")
}

func TestFindTabSearchesOn(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start(""), 80, 24)
	d.press("ctrl+p")
	d.write("2026/")
	d.press("tab")
	d.sees("› sales/2026/")
	d.write("eu/orders")
	d.press("enter")
	d.sees("Object sales/2026/eu/orders.csv")
}

// ctrl+p also works while a filter is typed, but not while a message is.
func TestFindWhileTyping(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("/")
	d.write("logo")
	d.press("ctrl+p")
	d.sees("Find a folder")
	d.press("esc")
	d.sees("/logo")
	d.press("esc", "c", "ctrl+p")
	d.seesNot("Find a folder")
	d.sees("Message")
}

// slowLevels counts how many levels are listed, and how many at once.
type slowLevels struct {
	bucket.Bucket
	asked, at, most atomic.Int32
	fail            atomic.Bool
}

func (b *slowLevels) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		b.asked.Add(1)
		b.most.Store(max(b.most.Load(), b.at.Add(1)))
		defer b.at.Add(-1)
		if b.fail.Load() {
			yield(bucket.Item{}, errors.New("the line is cut"))
			return
		}
		for item, err := range b.Bucket.Level(ctx, prefix) {
			if !yield(item, err) {
				return
			}
		}
	}
}

// Folders that were not opened are listed one at a time, and only as many as are
// wanted; what was not looked at is told.
func TestFindLooksIntoFoldersWithBound(t *testing.T) {
	f := newFixture(t)
	for i := range 60 {
		f.put(fmt.Sprintf("d%02d/file.txt", i), "x")
	}
	b := &slowLevels{Bucket: f.b}
	d := newDriver(t, f.startOn(b, ""), 80, 24)
	b.asked.Store(0)
	b.most.Store(0)
	d.press("ctrl+p")
	if n := b.asked.Load(); n != walkFirst {
		t.Errorf("%d levels listed, want %d", n, walkFirst)
	}
	d.sees("more folders were not looked at: type on")
	d.write("d59file")
	d.sees("1 of ", "d59/file.txt", "every folder of the bucket was looked at")
	if n := b.most.Load(); n != 1 {
		t.Errorf("%d requests at once", n)
	}
	d.press("esc", "r")
	b.fail.Store(true)
	d.press("ctrl+p")
	d.sees("? more folders could not be looked at: the line is cut")
	d.press("esc")
	if len(d.m.tasks) != 0 {
		t.Errorf("%d tasks after the finder was closed", len(d.m.tasks))
	}
}

// What a walk listed is remembered: the finder asks again only for folders that it did
// not list yet, until the screen is loaded again or a commit was made.
func TestFindRemembersFolders(t *testing.T) {
	f := newFixture(t)
	for i := range 30 {
		f.put(fmt.Sprintf("d%02d/file.txt", i), "x")
	}
	b := &slowLevels{Bucket: f.b}
	d := newDriver(t, f.startOn(b, ""), 80, 24)
	all := func(want int32, why string) {
		t.Helper()
		b.asked.Store(0)
		d.press("ctrl+p")
		d.write("d29file")
		d.sees("1 of ", "d29/file.txt", "every folder of the bucket was looked at")
		if n := b.asked.Load(); n != want {
			t.Errorf("%s: %d levels listed, want %d", why, n, want)
		}
	}
	all(31, "at first") // the root and its 30 folders
	d.press("esc")
	all(0, "again")
	d.sees("some earlier: r looks anew")
	d.press("enter", "esc") // in d29 now: another start, the same folders
	all(0, "from elsewhere")
	d.press("esc", "r")
	f.put("d29/other.txt", "x")
	all(31, "after a reload")
	d.press("esc")
	d.m.env.known("file:///data/demo.bucket").wrote("d29")
	all(31, "after a write of ours")
	d.press("esc")
	// A walk that was left before its end goes on where it was.
	d.press("r")
	b.asked.Store(0)
	d.press("ctrl+p")
	if n := b.asked.Load(); n != walkFirst {
		t.Errorf("%d levels listed, want %d", n, walkFirst)
	}
	d.press("esc")
	all(31-walkFirst, "the rest")
}

// No more is remembered than a walk may find, and a folder that is listed again counts
// once.
func TestFindRemembersWithBound(t *testing.T) {
	k := newEnv(Start{}).known("s3://b")
	level := func(prefix string, n int) *walkLevel {
		return &walkLevel{prefix: prefix, items: make([]walkItem, n)}
	}
	k.keepLevel(level("a/", keptNames-11))
	k.keepLevel(level("b/", 10))
	if len(k.levels) != 1 {
		t.Errorf("%d folders, %d names", len(k.levels), k.levelNames)
	}
	k.keepLevel(level("b/", 9))
	k.keepLevel(level("b/", 9))
	k.keepLevel(level("c/", 0))
	if len(k.levels) != 2 || k.levelNames != keptNames {
		t.Errorf("%d folders, %d names", len(k.levels), k.levelNames)
	}
	k.keepLevel(level("a/", 5))
	k.keepLevel(level("c/", 0))
	if len(k.levels) != 3 || k.levelNames != 6+10+1 {
		t.Errorf("%d folders, %d names", len(k.levels), k.levelNames)
	}
}

// The frames of the finder hold at every size, and whatever the names are.
func TestFindAtEverySize(t *testing.T) {
	f := newFixture(t)
	f.put("a\x1b[31m/\u202ecsv.\u0301exe", "x")
	f.put("長い/"+strings.Repeat("名", 300)+"/x.csv", "x")
	d := newDriver(t, f.start(""), 80, 24)
	d.press("ctrl+p")
	d.write("xc")
	for w := 60; w <= 100; w += 3 {
		for h := 15; h <= 40; h += 5 {
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
		}
	}
	d.send(tea.WindowSizeMsg{Width: 200, Height: 60})
	d.press("enter")
}

func TestGoldenFinder(t *testing.T) {
	f, _ := small(t)
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		d := newDriver(t, f.start("sales/2026"), size[0], size[1])
		d.press("l", "ctrl+p")
		d.write("or")
		d.golden(fmt.Sprintf("finder-%dx%d", size[0], size[1]), false)
	}
}

// The mouse selects in the finder and opens; what lies below it is out of reach.
func TestFindWithTheMouse(t *testing.T) {
	f, _ := small(t)
	start := f.start("sales/2026")
	start.Mouse = true
	d := newDriver(t, start, 80, 24)
	d.press("ctrl+p")
	d.write("csv")
	for y, l := range strings.Split(d.text(), "\n") {
		if strings.Contains(l, "us/orders.csv") {
			for range 2 {
				d.send(tea.MouseClickMsg{X: 20, Y: y, Button: tea.MouseLeft})
				d.idle()
			}
		}
	}
	d.sees("Object sales/2026/us/orders.csv")
	d.press("ctrl+p")
	for range 2 {
		d.send(tea.MouseClickMsg{X: 1, Y: 3, Button: tea.MouseLeft})
		d.idle()
	}
	d.sees("Find a folder")
}
