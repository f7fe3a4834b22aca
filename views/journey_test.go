package views

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

func TestBrowse(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start(""), 80, 24)
	d.sees("demo.bucket", "▸ sales/", "▸ web/", "README.md", "34 B", "no commit of this folder itself")
	d.press("down")
	d.sees("▸ sales/", "Folders below")
	d.press("enter", "down")
	d.sees("▸ 2026/", "#5", "dora", "The logo", "notes.txt", "✗ deleted", "logo.png")
	d.press("tab", "end")
	d.sees("sales/2026/: 2 folders, 2 files", "1 deleted")
	d.press("enter")
	d.sees("Object sales/2026/notes.txt", "✗ deleted", "1 version, 1 delete marker", "A delete marker has no bytes")
	d.press("down")
	d.sees("first notes")
	d.press("esc")
	d.sees("files, live")
}

func TestFilesAtACommit(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.start("sales/2026"), 100, 30)
	d.press("@")
	d.write("1")
	d.press("enter")
	d.sees("files at #1 "+commit.ShortID(rs[0].ID), "eu/orders.csv", "notes.txt", "3 files at commit 1")
	d.seesNot("logo.png")
	d.press("esc")
	d.sees("files, live", "logo.png")
	d.press("@")
	d.write("77")
	d.press("enter")
	d.sees("Reading commit 77 failed", "l shows the folder's log")
}

func TestLogDrawsTheChain(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("l")
	d.sees("┌─●   #5 "+commit.ShortID(rs[4].ID), "├─●   #4", "└─●   #1", " The logo instead of notes", "the hash is right")
	d.press("end", "enter")
	d.sees("Commit #1 of sales/2026", rs[0].ID, "● right", "none: the first commit", "notes.txt", "3 files, 35 B")
}

func TestLogShowsDamageInItsPlace(t *testing.T) {
	f, rs := damaged(t)
	d := newDriver(t, f.start("sales/2026"), 160, 30)
	d.press("l")
	d.sees(
		"╶─✗   #5 "+commit.ShortID(rs[4].ID), "the commit object is gone",
		"╶─≠   #4", "re-made",
		"  ○   #4 "+commit.ShortID(rs[3].ID), "named before",
		"┊", "entry 3 is missing",
		"╶─✗   #2", "deleted",
		"╶─●   #1",
	)
	// What a re-made entry named before is a commit of its own.
	d.press("down", "down", "enter")
	d.sees("Commit "+commit.ShortID(rs[3].ID), rs[3].ID, "Week 4 of orders", "● right")
	d.press("esc")
	// What a deleted entry named can still be opened.
	d.press("end", "up", "enter")
	d.sees("Commit "+commit.ShortID(rs[1].ID), "✗ entry #2, which names this commit, is deleted", rs[1].ID, "Week 2 of orders", "● right")
	d.press("esc", "up", "enter")
	d.sees("Not now: nothing is left of this entry.")
}

func TestCompare(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("l", "d")
	d.sees("Diff of sales/2026: #5 to live", "+ 1 added", "- 0 removed", "~ 1 changed", "us/new.csv", "eu/orders.csv", "27 B", "7 B", "-20 B")
	d.press("esc", "space", "end", "space")
	d.sees("marked #5 and #1: d compares")
	d.press("d")
	d.sees("Diff of sales/2026: #1 to #5", "+ added   logo.png", "- removed notes.txt", "~ changed eu/orders.csv", "12 B", "27 B", "+15 B", "3 differences")
	d.press("/")
	d.write("removed")
	d.sees("1 of 3", "notes.txt")
	d.seesNot("logo.png")
	d.press("enter", "enter")
	d.sees("Contents of notes.txt: #1 to #5", "1 - first notes")
	d.press("enter")
	d.sees("Object sales/2026/notes.txt")
	d.press("esc", "esc", "esc")
	d.sees("logo.png")
	d.press("esc", "esc")
	d.seesNot("marked #")
	d.press("home", "enter", "d")
	d.sees("#4 to #5")
}

func TestCommit(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Now = f.now // the bucket's own clock: else the commit would be refused
	d := newDriver(t, s, 80, 24)
	before := headOf(t, f.b, "sales/2026")
	d.press("c")
	d.sees("This becomes commit #6 of sales/2026: 4 files, 38 B.", "+ 1 added", "- 0 removed", "~ 1 changed", "us/new.csv", "Cancel")
	// Cancel is the default: enter through the fields commits nothing.
	d.press("enter", "enter", "enter")
	d.sees("files, live")
	if n := headOf(t, f.b, "sales/2026"); n != before {
		t.Fatalf("Cancel committed #%d", n)
	}
	d.press("c")
	d.write("A message with ünïcode")
	d.sees("enter next field")
	d.press("enter", "enter", "right")
	d.sees("enter choose", "›[ Commit ]")
	d.press("enter")
	d.sees("Committed #6 of sales/2026: 4 files, 38 B.", "Commit #6 of sales/2026", "A message with ünïcode", "by       ana", "● right")
	if n := headOf(t, f.b, "sales/2026"); n != 6 {
		t.Fatalf("the head is #%d", n)
	}
	d.press("esc")
	d.sees("commit #6")
	d.press("c")
	d.sees("Nothing to commit: sales/2026 is exactly as commit #6 has it.")
	d.press("esc", "l")
	d.sees("#6", "A message with ünïcode")
}

// A report of before a commit of this session is not shown as if it still held, and
// the form tells of damage of the very folder that is committed.
func TestACommitMakesTheAuditOld(t *testing.T) {
	f, _ := small(t)
	f.delete(commit.EntryKey("sales/2026", 2))
	s := f.start("sales/2026")
	s.Now = f.now
	d := newDriver(t, s, 120, 40)
	d.press("a")
	d.sees("entry 2 of sales/2026 is deleted", "5 of 5 checked")
	d.press("esc", "c")
	d.sees("This log is known to be damaged (entry 2 of sales/2026 is deleted): a commit here does not mend")
	d.write("six")
	d.press("enter", "enter", "right", "enter")
	d.sees("Committed #6 of sales/2026")
	d.press("esc")
	d.sees("before your commit; a audits anew")
	d.press("a")
	d.sees("6 of 6 checked")
}

func headOf(t testing.TB, b bucket.Bucket, folder string) int64 {
	t.Helper()
	s, err := commit.Head(context.Background(), b, folder)
	if err != nil {
		t.Fatal(err)
	}
	return s.Number
}

func TestCommitIsRefusedOnADamagedLog(t *testing.T) {
	f, _ := damaged(t)
	d := newDriver(t, f.start("sales/2026"), 100, 24)
	d.press("c")
	d.sees("Refused (damaged-log): nothing was committed.", "Press a to audit this folder.", "esc goes back.")
	d.seesNot("run: provcat-tui", "file://")
	if n := strings.Count(d.text(), "esc goes back"); n != 1 {
		t.Errorf("esc is offered %d times", n)
	}
	d.press("esc")
	d.sees("files, live")
	d.press("c", "a")
	d.sees("Audit of sales/2026", "✗ FAIL")
}

func TestReadOnlyDoesNotBindWrites(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.ReadOnly = true
	d := newDriver(t, s, 80, 24)
	d.sees("READ-ONLY")
	d.seesNot("c commit")
	d.press("c")
	d.sees("Opened read-only", "files, live")
	d.press("?")
	d.seesNot("commit the folder:")
	d.press("esc", "l", "c")
	d.sees("Log of sales/2026", "Opened read-only")
	for _, k := range d.m.bound() {
		if k.Writes {
			t.Errorf("%s is bound", k.ID)
		}
	}
}

func TestHelpListsTheKeysThatWorkHere(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 100, 50)
	d.press("?")
	d.sees("Help: the folder screen", "A bucket: its folders at the left", "the folder's log", "Go", "Do", "Write", "ctrl+c quits anywhere")
	d.seesNot("mark a commit")
	d.write("move")
	d.sees("one line up")
	d.seesNot("the folder's log")
	d.press("esc")
	d.sees("the folder's log")
	d.press("esc", "l", "?")
	d.sees("mark a commit, two at most")
	d.seesNot("the folder's log: its commits")
	d.press("?")
	d.seesNot("mark a commit, two at most")
}

// What is picked in the help is done; what does not work now says why, and stays.
func TestHelpDoesWhatIsPicked(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Keys = map[string][]string{"log": {"ctrl+l"}}
	d := newDriver(t, s, 100, 30)
	d.press("?", "/") // as others begin to search: it is none of the words
	d.write("newest first")
	d.sees("ctrl+l", "the folder's log: its commits, newest first", ":log", "2 of ")
	d.press("enter")
	d.at("Log of sales/2026")
	d.seesNot("Help:")
	d.press("esc", "?")
	d.write("next match")
	d.sees("now: nothing was searched for; / begins)")
	d.press("enter")
	d.sees("Not now: nothing was searched for", "Help: the folder screen")
	d.press("esc")
	d.write(":pin")
	d.press("enter")
	d.sees("pin [TIME] [FOLDER]: which commit a reader gets", ":pin ")
	d.press("esc", "?")
	d.write("could not be checked")
	d.press("enter")
	d.sees("This is a mark on the screens")
	d.press("esc", "esc")
	d.seesNot("Help:")
	d.say("help requests")
	d.sees("› requests", "what was asked of the bucket")
	d.press("enter")
	d.at("Requests")
	// A press finds its key first, whatever else has the letter.
	d.press("esc", "?")
	d.write("x")
	d.press("enter")
	d.sees("hidden: x shows")
}

// Each screen says what it is.
func TestEachScreenSaysWhatItIs(t *testing.T) {
	for _, k := range keyTable {
		if !slices.Contains(helpGroups, k.Group) {
			t.Errorf("the keys of %s are not in the help", k.Group)
		}
		for _, on := range k.On {
			if abouts[on] == "" {
				t.Errorf("nothing says what %s is", on)
			}
		}
	}
}

func TestFilterNarrowsAndEscClears(t *testing.T) {
	f := newFixture(t)
	for i := range 300 {
		f.put(fmt.Sprintf("data/file-%03d.csv", i), "x")
	}
	d := newDriver(t, f.start("data"), 80, 24)
	d.press("/")
	d.write("29 CSV")
	d.sees("/29 CSV", "13 of 300", "file-029.csv", "file-299.csv")
	d.press("enter", "esc")
	d.seesNot("13 of 300")
	d.sees("›   file-029.csv") // the cursor stays on its file
	d.press("n")
	d.sees("›   file-129.csv", "match 2 of 13")
	d.press("N", "N")
	d.sees("›   file-299.csv", "match 13 of 13, from the last again")
	d.press("n")
	d.sees("›   file-029.csv", "match 1 of 13, from the first again")
	d.press("down", "n")
	d.sees("match 2 of 13")
	d.press("down", "N")
	d.sees("match 2 of 13")
	// Under the filter the same, among the rows that it leaves.
	d.press("/")
	d.write("29")
	d.press("enter", "n", "n")
	d.sees("›   file-229.csv", "match 3 of 13", "13 of 300")
	// Where nothing matches, this is said where the rows would be.
	d.press("esc", "/")
	d.write("nothing like it")
	d.sees("0 of 300", "None of the 300 lines has all of this.")
}

func TestEmptyBucketSaysWhatToDo(t *testing.T) {
	f := newFixture(t)
	d := newDriver(t, f.start(""), 80, 24)
	d.sees("This bucket has no keys yet.", "no commit of this folder itself")
	d.press("l")
	d.sees("No commit of the whole bucket yet.", "Press c to commit")
}

func TestBucketList(t *testing.T) {
	f, _ := small(t)
	s := f.start("")
	s.Location = nil
	s.Bookmarks = []Bookmark{{Name: "the sales", URL: "s3://data/sales"}}
	s.Recent = []string{"s3://other/x"}
	s.Buckets = func(context.Context) ([]Bookmark, error) {
		return []Bookmark{{Name: "listed", URL: "s3://listed"}}, &bucket.Error{Op: "list the buckets of", Bucket: "s3", Kind: bucket.ErrDenied, Permission: "s3:ListAllMyBuckets"}
	}
	var visited []string
	s.Visited = func(u string) { visited = append(visited, u) }
	d := newDriver(t, s, 80, 24)
	d.sees("bookmark", "the sales", "s3://data/sales", "recent", "listed", "? The buckets of an S3 account could not be listed", "s3:ListAllMyBuckets", "can still be opened")
	d.press("enter")
	d.sees("▸ 2026/")
	if strings.Join(visited, " ") != "s3://data/sales" {
		t.Errorf("visited %q", visited)
	}
	d.press("q")
	d.sees("Buckets")
	d.send(keyMsg("q"))
	d.until("left", func() bool { return d.quit })
}

// Below a log its commits are found; nothing invites to begin a second one.
func TestFolderBelowALog(t *testing.T) {
	f, rs := small(t)
	d := newDriver(t, f.start("sales/2026/eu"), 100, 30)
	d.sees("commits: sales/2026 #5 (folder above)")
	d.seesNot("makes the first")
	d.press("@")
	d.write("1")
	d.press("enter")
	d.sees("demo.bucket/sales/2026/eu at #1", "files at #1 "+commit.ShortID(rs[0].ID)+" of sales/2026", "orders.csv", "1 file at commit 1")
	d.seesNot("us/orders.csv", "notes.txt")
	d.press("enter")
	d.sees("Object sales/2026/eu/orders.csv at #1", "#1 of sales/2026", "preview of ver0000003")
}

func TestObjectSaysThatTheNamedVersionIsGone(t *testing.T) {
	f, _ := small(t)
	const key = "sales/2026/eu/orders.csv"
	if err := f.b.DeleteVersion(t.Context(), key, "ver0000003"); err != nil {
		t.Fatal(err)
	}
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("l", "end", "enter", "enter")
	d.sees("Object "+key+" at #1", "✗ Gone: version ver0000003, which #1 of sales/2026 names")
	d.sees("└─✗ gone")
	d.press("down", "r")
	d.sees("✗ Gone: version ver0000003, which #1 of sales/2026 names")
}

func TestHelpExplainsTheMarks(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("?", "end")
	d.sees("could not be checked", "still readable")
	d.write("marks")
	d.sees("Marks", "✗", "damage: deleted", "could not be checked")
}

func TestPathsAreCutLast(t *testing.T) {
	f := newFixture(t)
	f.put("web/events/2026/11/20/rollup-of-the-day.csv", "x")
	f.commit("web", "ana", "One")
	d := newDriver(t, f.start("web"), 80, 24)
	d.press("@")
	d.write("1")
	d.press("enter")
	d.sees("events/2026/11/20/rollup-of-the-day.csv")
	d.seesNot("ETag")
}

func TestBucketsWithoutCredentials(t *testing.T) {
	d := newDriver(t, Start{Buckets: func(context.Context) ([]Bookmark, error) {
		return nil, &bucket.Error{Op: "list the buckets", Kind: bucket.ErrDenied, Hint: "no credentials were found"}
	}, Now: func() time.Time { return later }}, 80, 24)
	d.sees("no credentials were found", "Press r to list them again.", "can still be opened by its URL")
	d.seesNot("With the permission", "not known to be missing")
}
