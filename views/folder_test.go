package views

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// lineOf is the line of the screen that holds a text.
func (d *driver) lineOf(text string) string {
	d.t.Helper()
	for _, l := range strings.Split(d.text(), "\n") {
		if strings.Contains(l, text) {
			return l
		}
	}
	d.t.Errorf("%q is on no line:\n%s", text, d.text())
	return ""
}

func (d *driver) marked(text, mark string) {
	d.t.Helper()
	l := d.lineOf(text)
	before := strings.TrimRight(l[:max(strings.Index(l, text), 0)], " ")
	if !strings.HasSuffix(before, mark) {
		d.t.Errorf("%q is not marked %q: %q", text, mark, l)
	}
}

// Browsing in a hurry: what is this folder, what changed, what was deleted.
func TestFolderTellsWhatItIs(t *testing.T) {
	f, _ := small(t)
	f.put("sales/2026/logo.png", "another logo")
	f.put("sales/2026/plan.txt", "new")
	f.put("sales/2026/same.txt", "x")
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		d := newDriver(t, f.start("sales/2026"), size[0], size[1])
		d.sees("● commit #5", "dora", "since #5", "+ 3 new  ~ 2 changed  - 0 deleted", "holds", "6 files", "1 deleted key", "5 commits, 2026-10-01 to 10-05")
		d.marked("logo.png", "~")
		d.marked("plan.txt", "+")
		d.marked("notes.txt", "=") // deleted before the commit
		if size[0] == 200 {
			d.sees("pin        #5, the newest commit", "newest commits", "● #4", "Week 4 of orders", "commits over time")
		}
	}
	d := newDriver(t, f.start("sales/2026/us"), 80, 24)
	d.sees("commits: sales/2026 #5 (folder above)", "since #5   + 1 new  ~ 0 changed  - 0 deleted")
	d.marked("new.csv", "+")
	d.marked("orders.csv", "=")
}

func TestDeletedKeysAreHiddenAndShown(t *testing.T) {
	f, _ := small(t)
	f.put("sales/2026/zz.txt", "x")
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("tab", "end")
	d.sees("› + zz.txt", "notes.txt", "1 deleted")
	d.press("x")
	d.sees("› + zz.txt", "1 deleted (hidden: x shows)", "3 files")
	d.seesNot("notes.txt")
	d.press("tab", "up", "down", "r") // another folder and back: it stays so
	d.seesNot("notes.txt")
	d.press("x")
	var keys []string
	for _, r := range d.m.stack.top().(*folder).files.items {
		keys = append(keys, r.name)
	}
	if got := strings.Join(keys, " "); got != "logo.png notes.txt zz.txt" {
		t.Errorf("shown again the keys are %q", got)
	}
	f.delete("sales/2026/logo.png")
	f.delete("sales/2026/zz.txt")
	d.press("x", "r")
	d.sees("3 deleted keys and nothing live right here: x shows")
}

func TestReloadKeepsThePlace(t *testing.T) {
	f := newFixture(t)
	for i := range 30 {
		f.put(fmt.Sprintf("d/e/k%02d", i), "x")
	}
	d := newDriver(t, f.start("d/e"), 80, 24)
	d.press("tab", "end", "up")
	d.sees("›   k28")
	f.put("d/e/a-new-one", "x")
	d.press("r")
	d.sees("›   k28", "31 files", "      e/")
	d.press("enter", "esc")
	d.sees("›   k28", "      e/")
}

// The marks of the tree say which folders have a log, and of which damage is known.
func TestFoldersCarryMarks(t *testing.T) {
	f, _ := damaged(t)
	f.put("plain/x", "x")
	f.put("sales/2027/x", "x")
	f.commit("sales/2027", "ana", "Next year")
	d := newDriver(t, f.start(""), 80, 24)
	sign := func(name string) string {
		l := d.lineOf(" " + name)
		l = l[:max(strings.Index(l, "│"), 0)]
		if !strings.Contains(l, name) {
			return "not in the tree"
		}
		return strings.TrimSpace(l[strings.Index(l, name)+len(name):])
	}
	expect := func(when string, want map[string]string) {
		t.Helper()
		for name, mark := range want {
			if got := sign(name); got != mark {
				t.Errorf("%s: %s is marked %q, want %q\n%s", when, name, got, mark, d.text())
			}
		}
	}
	expect("before any look", map[string]string{"plain/": "", "sales/": "", "web/": "●", "demo.bucket": ""})
	d.press("down", "down", "enter")
	expect("opened", map[string]string{"2026/": "●", "2027/": "●", "web/": "●"})
	d.press("down")
	d.sees("✗ 4 entries, 1 deleted, 1 missing")
	expect("after a look at the log", map[string]string{"2026/": "✗", "2027/": "●", "sales/": "↓", "demo.bucket": "↓"})
	d.press("a", "esc")
	d.sees("✗ FAIL:", "a opens it")
	expect("after the audit", map[string]string{"2026/": "✗", "2027/": "●"})
	d.press("down")
	d.seesNot("FAIL")
	d.press("up", "up") // sales/
	d.seesNot("FAIL")
}

// The report of an audit stays for the session, with what was acknowledged in it.
func TestAuditIsKept(t *testing.T) {
	f, _ := damaged(t)
	d := newDriver(t, f.start("sales/2026"), 100, 30)
	d.press("a")
	d.sees("✗ FAIL")
	d.press("esc")
	d.sees("✗ FAIL:", "damage, at 12:00; a opens it")
	asked := f.b.Requests()
	d.press("a")
	d.sees("✗ FAIL", "As it was audited at 12:00 UTC; r audits anew.")
	if now := f.b.Requests(); now != asked {
		t.Errorf("showing it again asked for %+v", now)
	}
	d.press("r")
	d.sees("✗ FAIL")
	d.seesNot("As it was audited")
	if f.b.Requests() == asked {
		t.Error("r did not audit")
	}
	// It covers what is below, and says so there.
	d.press("esc", "down")
	// The log above it is damaged: what lies here may not be readable by its commits.
	d.sees("! no damage here, but above, at 12:00; a opens it")
	// An audit of more tells of each folder what is its own.
	d = newDriver(t, f.start(""), 120, 44)
	d.press("a", "esc", "down")
	d.sees("✗ 4 damage here, at 12:00, of the whole bucket; a opens it")
	d.press("down")
	d.sees("● no damage here, at 12:00, of the whole bucket; a opens it")
}

func TestCommitAboveDamageWarns(t *testing.T) {
	f, _ := damaged(t)
	d := newDriver(t, f.start("sales/2026"), 100, 30)
	d.press("up", "c")
	d.sees("Below it the log of sales/2026 is known to be damaged")
}

func TestFoldersThatAreNotThere(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2072"), 80, 24)
	d.sees("There is no folder sales/2072/ in this bucket")
	d.press("left")
	d.sees("2026/")
	f.removeAll("web/index.html")
	d = newDriver(t, f.start("web"), 80, 24)
	d.sees("No key is left here", "has a log of", "since #1", "- 1 deleted")
}

// A log that was damaged at its head is told in words.
func TestFolderTellsADamagedHead(t *testing.T) {
	f, rs := damaged(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.sees("✗ commit #5 "+commit.ShortID(rs[4].ID)+": its commit object is gone", "✗ 4 entries, 1 deleted, 1 missing")
	d.marked("logo.png", "›") // not compared: no mark
	f.delete(commit.EntryKey("sales/2026", 5))
	d = newDriver(t, f.start("sales/2026"), 80, 24)
	d.sees("✗ commit #5: its log entry was deleted", "✗ 4 entries, 2 deleted, 1 missing", "? #4, in doubt")
}

// The pin is another than the head where a folder above was committed later.
func TestFolderTellsThePin(t *testing.T) {
	f, _ := small(t)
	f.day()
	f.commit("sales", "ana", "All years")
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		d := newDriver(t, f.start("sales/2026"), size[0], size[1])
		d.sees("#1 of sales: it is newer than #5 here")
	}
}

// paged is a bucket with n keys in its root. Each request waits for the test.
type paged struct {
	bucket.Bucket
	n     int // keys
	mu    sync.Mutex
	asked []string
	open  chan struct{} // closed: all requests are answered
	first chan struct{} // closed: the first one is
}

func (b *paged) Close() error { return nil }

func (b *paged) request(ctx context.Context, what string) error {
	b.mu.Lock()
	b.asked = append(b.asked, what)
	gate := b.open
	if len(b.asked) == 1 {
		gate = b.first
	}
	b.mu.Unlock()
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *paged) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.asked...)
}

func (b *paged) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return func(yield func(bucket.Item, error) bool) {
		if prefix == commit.Logs {
			if err := b.request(ctx, "level "+prefix); err != nil {
				yield(bucket.Item{}, err)
			}
			return
		}
		for i := range b.n {
			if i%1000 == 0 {
				if err := b.request(ctx, "level "+prefix); err != nil {
					yield(bucket.Item{}, err)
					return
				}
			}
			if !yield(bucket.Item{Version: bucket.Version{Key: fmt.Sprintf("%sk%07d", prefix, i), ID: "v", Latest: true, Size: 1}}, nil) {
				return
			}
		}
	}
}

func (b *paged) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		if strings.HasPrefix(r.Prefix, commit.Root) || r.Through == commit.Root {
			if err := b.request(ctx, "log"); err != nil {
				yield(bucket.Version{}, err)
			}
			return
		}
		for i := range b.n {
			if i%1000 == 0 {
				if err := b.request(ctx, "versions"); err != nil {
					yield(bucket.Version{}, err)
					return
				}
			}
			if key := fmt.Sprintf("%sk%07d", r.Prefix, i); key > r.After && !yield(bucket.Version{Key: key, ID: "v", Latest: true, Size: 1}, nil) {
				return
			}
		}
	}
}

// The first rows of a bucket of ten million keys come after one request, no key
// waits for another, and the looks that come by themselves end.
func TestFirstScreenOfAHugeBucket(t *testing.T) {
	f := newFixture(t)
	b := &paged{Bucket: f.b, n: 10_000_000, open: make(chan struct{}), first: make(chan struct{})}
	d := &driver{t: t, m: newApp(f.startOn(b, "")), msgs: make(chan tea.Msg, 1024), w: 80, h: 24}
	t.Cleanup(d.m.close)
	d.run(d.m.Init())
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.until("asking", func() bool { return len(b.requests()) > 0 })
	if asked := b.requests(); asked[0] != "level " {
		t.Fatalf("the first request was %q", asked[0])
	}
	close(b.first)
	d.until("showing rows", func() bool { return strings.Contains(d.text(), "k0000000") })
	// The level's second page and the looks aside all hang now.
	d.until("asking for more", func() bool { return len(b.requests()) > 2 })
	// The last key of the page may have more versions on the next.
	d.until("showing the page", func() bool { return strings.Contains(d.text(), "999 files") })
	begun := time.Now()
	for _, k := range []string{"tab", "down", "pgdown", "end", "home", "x", "x", "?", "?"} {
		d.send(keyMsg(k))
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the keys took %v", took)
	}
	close(b.open)
	d.idle()
	d.sees("at least 5,000 files, 4.9 KiB; t counts on")
	n := len(b.requests())
	// 5 pages for 5,000 names and one that the valve holds back, as many for the look, and
	// few for the head, the logs and the format's own keys.
	if n > 20 {
		t.Errorf("%d requests: %q", n, b.requests())
	}
	// t goes on until esc stops it; what was known before stays.
	d.send(keyMsg("t"))
	d.until("counting on", func() bool { return len(b.requests()) > n+20 })
	d.send(keyMsg("esc"))
	d.idle()
	d.sees("Cancelled", "at least 5,000 files")
}

// t counts on from where the first look stopped, to the end.
func TestCountingOn(t *testing.T) {
	f := newFixture(t)
	b := &paged{Bucket: f.b, n: 7500, open: make(chan struct{}), first: make(chan struct{})}
	close(b.open)
	close(b.first)
	d := newDriver(t, f.startOn(b, ""), 120, 40)
	d.sees("holds      at least 5,000 files, 4.9 KiB; t counts on", "t count all")
	d.press("t")
	d.sees("holds      7,500 files, 7.3 KiB live")
	d.seesNot("at least", "t count all", "t counts on")
	d.press("t")
	d.sees("Not now: all of the folder was counted.")
}

// hanging answers levels, and nothing else.
type hanging struct{ bucket.Bucket }

func (hanging) Close() error { return nil }

func (hanging) Versions(ctx context.Context, _ bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		<-ctx.Done()
		yield(bucket.Version{}, ctx.Err())
	}
}

// A look that the screen takes by itself keeps nobody: esc goes back, and on the
// first screen, where there is no back, it ends the look.
func TestEscDoesNotWaitForLooksAside(t *testing.T) {
	f, _ := small(t)
	d := newDriverBusy(t, f.startOn(hanging{f.b}, ""), 80, 24)
	d.until("showing the whole level", func() bool { return strings.Contains(d.text(), "folder below") })
	d.send(keyMsg("esc"))
	d.idle()
	d.sees("Cancelled; r loads again.", "newest commit: cancelled; r loads it")
	d.press("esc")
	d.sees("This is the first screen")

	s := f.startOn(hanging{f.b}, "")
	s.Location, s.Bookmarks = nil, []Bookmark{{Name: "b", URL: "s3://b"}}
	d = newDriver(t, s, 80, 24)
	d.send(keyMsg("enter"))
	d.until("showing the whole level", func() bool { return strings.Contains(d.text(), "folder below") })
	d.send(keyMsg("esc"))
	d.idle()
	d.sees("from     name")
	if n := len(d.m.tasks); n > 0 {
		t.Errorf("%d tasks go on", n)
	}
}

// After a commit the folder is compared with that.
func TestFolderAfterACommit(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026/us"), 100, 30)
	d.marked("new.csv", "+")
	d.press("c") // the form lies over the folder
	f.commit("sales/2026/us", "ben", "The new file")
	d.press("esc")
	d.sees("● commit #1", "since #1   nothing changed")
	d.marked("new.csv", "=")
	if l := d.lineOf("      us/"); !strings.Contains(l, "●") {
		t.Errorf("the folder has a log now: %q", l)
	}
	asked := f.b.Requests()
	d.press("tab", "enter", "esc") // nothing new: only the head is looked for
	// One listing of the object, four of the logs above it, one of the head.
	now := f.b.Requests()
	if lists := now.List - asked.List; lists > 6 {
		t.Errorf("%d listings after a look at an object", lists)
	}
}

// What a wide screen has besides is read when the screen becomes wide.
func TestFolderBecomesWide(t *testing.T) {
	f, _ := damaged(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.send(tea.WindowSizeMsg{Width: 200, Height: 60})
	d.press("down", "up")
	d.sees("newest commits", "✗ #5", "its commit object is gone", "● #4", "✗ #2     its log entry was deleted", "● #1", "┊ gaps", "2026-10-01", "2026-10-05")
}

// What may not be read is not known: no mark, no zero, nothing about damage.
func TestFolderThatMayNotBeReadClaimsNothing(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.startOn(unclosed{denied{f.b}}, "sales/2026"), 200, 60)
	d.sees("? commit #5", "pin        ? not known: entry 5", "4 files, 38 B live")
	d.seesNot("nothing changed", "since #5", "✗ FAIL", "gone")
	d.marked("logo.png", "›")
	d = newDriver(t, f.startOn(unclosed{unlisted{f.b}}, "sales/2026"), 200, 60)
	d.sees("? newest commit: could not be checked", "holds      ? could not be checked", "s3:ListBucketVersions")
	d.seesNot("no commit of this folder", "0 files, 0 B live in", "✗ commit", "✗ FAIL")
}

// unlisted may list a level, and no more.
type unlisted struct{ bucket.Bucket }

func (unlisted) Versions(context.Context, bucket.Range) iter.Seq2[bucket.Version, error] {
	return func(yield func(bucket.Version, error) bool) {
		yield(bucket.Version{}, &bucket.Error{Op: "list", Bucket: "s3://b", Kind: bucket.ErrDenied, Permission: "s3:ListBucketVersions"})
	}
}

// A frame of a folder costs the same for any number of files, folders and log entries.
func TestFolderFrameCostsTheSameForAnyNumberOfRows(t *testing.T) {
	f := newFixture(t)
	cost := func(n int) float64 {
		d := newDriver(t, f.start(""), 200, 60)
		s := d.m.stack.top().(*folder)
		rows := make([]fileRow, n)
		for i := range rows {
			key := fmt.Sprintf("orders-%07d.parquet", i)
			rows[i] = fileRow{name: key, key: key, v: bucket.Version{Key: key, ID: "3sL4kqtJlcpXroDTDmJ", Latest: true, Size: int64(i), Modified: later}, versions: 1}
		}
		s.files.add(rows)
		s.about.scan.compared, s.about.scan.whole = true, true
		d.press("tab")
		return testing.AllocsPerRun(20, func() { frame(d.m, "pgdown") })
	}
	x, y := cost(1_000), cost(1_000_000)
	if y > 1.5*x {
		t.Errorf("%v allocations with a thousand files, %v with a million", x, y)
	}
}
