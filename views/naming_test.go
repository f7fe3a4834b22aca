package views

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// object writes a commit object that no entry names, and gives its ID.
func (f *fixture) object(folder, parent string, number int64) string {
	f.t.Helper()
	var b bytes.Buffer
	id, err := commit.Encode(&b, commit.Header{Folder: folder, Number: number, Parent: parent, Author: "eve", Message: "Unfinished", Time: f.now()},
		func(func(commit.File, error) bool) {})
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.b.PutIfAbsent(context.Background(), commit.CommitKey(id), bytes.NewReader(b.Bytes())); err != nil {
		f.t.Fatal(err)
	}
	return id
}

func TestNaming(t *testing.T) {
	f, rs := damaged(t) // 2 is deleted, 3 is missing, 4 re-made
	fresh := f.object("sales/2026", rs[4].ID, 6)
	rival := f.object("web", "", 1)
	var web string
	if e, err := commit.LoadEntry(t.Context(), f.b, commit.EntryKey("web", 1), ""); err == nil {
		web = e.Commit
	}
	for name, c := range map[string]struct {
		folder string
		number int64
		id     string
		parent string
		want   naming
	}{
		"at its number":    {"sales/2026", 1, rs[0].ID, "", naming{standing: logged, number: 1}},
		"by a scan":        {"sales/2026", 0, rs[4].ID, rs[3].ID, naming{standing: logged, number: 5}},
		"wrong number":     {"sales/2026", 7, rs[4].ID, rs[3].ID, naming{standing: logged, number: 5}},
		"deleted":          {"sales/2026", 2, rs[1].ID, rs[0].ID, naming{standing: unentered, number: 2}},
		"deleted, scanned": {"sales/2026", 0, rs[1].ID, rs[0].ID, naming{standing: unentered, number: 2}},
		"re-made":          {"sales/2026", 4, rs[3].ID, rs[2].ID, naming{standing: lost, number: 4, other: rs[0].ID}},
		"orphan":           {"sales/2026", 0, fresh, rs[4].ID, naming{standing: unnamed, number: 6}},
		"lost race":        {"web", 1, rival, "", naming{standing: unnamed, number: 1, other: web}},
	} {
		got := findNaming(t.Context(), f.b, commit.FolderHash(c.folder), c.number, c.id, &commit.Header{Parent: c.parent}, 4)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestCommitSaysThatNoEntryNamesIt(t *testing.T) {
	f, rs := small(t)
	id := f.object("sales/2026", rs[4].ID, 6)
	sales := "sales/2026"
	r := sampleReport()
	r.Findings = []audit.Finding{{ID: "commit-unfinished", Severity: audit.Anomaly, Folder: &sales, Number: 6, Commit: id, Title: "A commit was not finished"}}
	d := audited(t, f, r, 80, 24)
	d.press("enter")
	d.sees("› Commit "+commit.ShortID(id), "! no entry of the log names this commit", "● right")
	d.seesNot("Commit #6")
}

func TestCommitSaysWhatBecameOfItsVersions(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026"), 80, 24)
	d.press("l", "enter")
	d.sees("entry #5 of the log of sales/2026 names this commit", "versions ● 2 live  ○ 1 noncurrent")
	d.press("a")
	d.sees("Audit of sales/2026", "PASS")
}

func TestAuditOfNoLogs(t *testing.T) {
	f, _ := small(t)
	d := newDriver(t, f.start("sales/2026/eu"), 80, 24)
	d.press("a")
	d.sees("0 of 0 logs: nothing to check in this scope")
	d.seesNot("everything in scope was checked")
}

func TestRepairComesBeforeTheEvidence(t *testing.T) {
	f, _ := small(t)
	d := audited(t, f, sampleReport(), 200, 60)
	d.sees("Repair", "provcat-tui repair x")
	at := -1
	for _, part := range []string{"What happened", "What still works", "What to do now", "Repair: remove-delete-marker", "Evidence"} {
		next := strings.Index(d.text(), part)
		if next <= at {
			t.Errorf("%q stands at %d, after %d", part, next, at)
		}
		at = next
	}
	for _, l := range strings.Split(d.text(), "\n") {
		if strings.TrimSpace(l) == "-" {
			t.Errorf("a bullet alone:\n%s", d.text())
		}
	}
}

// The screen of a commit whose entry was written again tells who read which commit when:
// of the one that the entry names now as of the one that it named before.
func TestCommitTellsWhoReadWhich(t *testing.T) {
	f, rs := damaged(t)
	// Its versions, newest first: the second entry, the marker, the first entry.
	var times []string
	for v, err := range f.b.Versions(t.Context(), bucket.Range{Prefix: commit.EntryKey("sales/2026", 4), Through: commit.EntryKey("sales/2026", 4)}) {
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, v.Modified.UTC().Format("2006-01-02 15:04"))
	}
	if len(times) != 3 {
		t.Fatal(times)
	}
	open := func(number int64, id string) *driver {
		d := newDriver(t, f.start("sales/2026"), 200, 40)
		p := place{d.m.env, f.b, bucket.Location{Scheme: "file", Bucket: "/data/demo.bucket"}}
		d.run(d.m.do(d.m.stack.top(), push{newCommit(p, "sales/2026", id, number)}))
		d.idle()
		return d
	}
	first, again := commit.ShortID(rs[3].ID), commit.ShortID(rs[0].ID)
	open(4, rs[0].ID).sees("entry #4 was written again and names 2 commits", first+" from "+times[2]+" until "+times[1], "this commit since "+times[0])
	open(4, rs[3].ID).sees("entry #4 was written again and names 2 commits", "this commit from "+times[2]+" until "+times[1], again+" since "+times[0])
	// One that was written once, or again with the same commit, says nothing of it.
	open(1, rs[0].ID).seesNot("written again")
	open(2, rs[1].ID).seesNot("written again")
	f.put(commit.EntryKey("web", 1), string(commit.EncodeEntry(entryOf(t, f, "web", 1))))
	open(1, entryOf(t, f, "web", 1).Commit).seesNot("written again")
}

func entryOf(t *testing.T, f *fixture, folder string, n int64) commit.Entry {
	t.Helper()
	e, err := commit.LoadEntry(t.Context(), f.b, commit.EntryKey(folder, n), "")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What could not be looked at of an entry's history is said, and does not pass for none.
func TestReignsThatAreNotKnown(t *testing.T) {
	for want, r := range map[string]reigns{
		"":                   {number: 4, past: []commit.PinPast{{ID: "a1"}, {ID: "a1"}}},
		"could not be check": {number: 4, err: bucket.ErrDenied},
		"could not be read":  {number: 4, past: []commit.PinPast{{ID: "a1"}, {Err: bucket.ErrDenied}}},
	} {
		tone, text := r.say("a1")
		if (want == "") != (text == "") || !strings.Contains(text, want) || want != "" && tone != ui.Unsure {
			t.Errorf("%q: %v %q", want, tone, text)
		}
	}
}
