package views

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/commit"
)

const wholeCommit = "0d84e2331c5e84f0d6980d84e2331c5e84f0d6980d84e2331c5e84f0d6985e84"

// What this program's own messages are about, the commands in them apart; read off by eye.
func TestPastedMessageOfOurs(t *testing.T) {
	const here = "file:///data/demo.bucket"
	for text, want := range map[string]pasted{
		"provcat-tui: commit 10 of models/churn: its log entry is deleted since 2026-11-21T01:10:00Z; it named 5e84f0d698, which can still be read by its ID: provcat-tui show " + here + "/models/churn id:5e84f0d698; what it breaks and what repairs it says: provcat-tui audit " + here + "/models/churn":                                                               {key: "models/churn", what: aCommit, ref: "10"},
		"provcat-tui: commit 9 (0d84e2331c) of web/events is gone (its commit object is missing or deleted); what can bring it back says: provcat-tui audit " + here + "/web/events":                                                                                                                                                                                        {key: "web/events", what: aCommit, ref: "9"},
		"provcat-tui: commit 9 (0d84e2331c) of the whole bucket is gone (its commit object is missing or deleted); what can bring it back says: provcat-tui audit " + here:                                                                                                                                                                                                  {what: aCommit, ref: "9"},
		"provcat-tui: commit 0d84e2331c of web/events is gone (its commit object is missing or deleted)":                                                                                                                                                                                                                                                                    {key: "web/events", what: aCommit, ref: "id:0d84e2331c"},
		"provcat-tui: commit 9 (0d84e2331c) of my data is gone (its commit object is missing or deleted); what can bring it back says: provcat-tui audit '" + here + "/my data'":                                                                                                                                                                                            {key: "my data", what: aCommit, ref: "9"},
		"provcat-tui: the newest entry of the log of models/churn, 10, is deleted since 2026-11-21T01:10:00Z; it named 5e84f0d698, which can still be read by its ID: provcat-tui show s3://team/models/churn id:5e84f0d698; the newest sound commit is 9 (bac3abb4c9): provcat-tui show s3://team/models/churn 9":                                                          {scheme: "s3", bucket: "team", key: "models/churn", what: aCommit, ref: "10"},
		`read commit 10 of folder "models/churn": ` + here + "/.provcat/logs/ab/10.json: damaged: the entry is missing; to see what is left run: provcat-tui audit " + here + " --folder models/churn":                                                                                                                                                                      {key: "models/churn", what: aCommit, ref: "10"},
		"provcat-tui: not all files of the commit are there: what is gone nothing but another copy of its bytes brings back: which versions with equal bytes are left, and since when it is gone, says: provcat-tui audit " + here + "/web/events":                                                                                                                          {key: "web/events", what: aFolder},
		"provcat-tui: not all files of commit 3 are there: which versions are left says: provcat-tui audit " + here + "/web/events":                                                                                                                                                                                                                                         {key: "web/events", what: aCommit, ref: "3"},
		"$ provcat-tui get " + here + "/web/events --at 3 -o x/g provcat-tui: not all files of the commit are there: says: provcat-tui audit " + here + "/web/events":                                                                                                                                                                                                       {key: "web/events", what: aCommit, ref: "3"},
		"provcat-tui: nothing was written: 16 versions that the commit names are gone; what is known of what is gone says: provcat-tui audit s3://team/web/events":                                                                                                                                                                                                          {scheme: "s3", bucket: "team", key: "web/events", what: aFolder},
		"provcat-tui: web/events/AT.csv is gone: version " + pastedID + ", which the commit names, does not exist any more; the key has 1 other version, the newest of 2026-05-06T13:10:00Z: provcat-tui ls " + here + "/web/events/AT.csv --all-versions; since when at the latest, and which lifecycle rule explains it, says: provcat-tui audit " + here + "/web/events": {key: "web/events/AT.csv", version: pastedID},
		"web/events/AT.csv is gone: version " + pastedID:                                                                                     {key: "web/events/AT.csv", version: pastedID},
		"gone      rollup/AT.csv: version " + pastedID + " does not exist any more":                                                          {key: "rollup/AT.csv", version: pastedID, what: aPath},
		"gone  the rollup/AT.csv: version " + pastedID + " does not exist any more gone  b: version x1 does not exist any more":              {key: "the rollup/AT.csv", version: pastedID, what: aPath},
		"gone  rollup/AT.csv: version " + pastedID + " does not exist any more provcat-tui: says: provcat-tui audit " + here + "/web/events": {key: "web/events/rollup/AT.csv", version: pastedID},
		"read file web/events/AT.csv version " + pastedID + ": NoSuchVersion":                                                                {key: "web/events/AT.csv", version: pastedID},
		"2026-11-21 ERROR web/events/AT.csv (version " + pastedID + "): 404":                                                                 {key: "web/events/AT.csv", version: pastedID},
		"commit " + wholeCommit + " not found":                                                                                               {what: anyCommit, ref: wholeCommit},
		wholeCommit:                                                                                                                          {what: anyCommit, ref: wholeCommit},
		"provcat-tui show " + here + "/web/events 9":                                                                                         {key: "web/events", what: aCommit, ref: "9"},
		"provcat-tui " + here + "/web/events --commit 9":                                                                                     {key: "web/events", what: aCommit, ref: "9"},
		"provcat-tui " + here + "/a.csv --object --version-id 1234567":                                                                       {key: "a.csv", version: "1234567"},
		"provcat-tui ls " + here + "/web/a.csv --all-versions":                                                                               {key: "web/a.csv"},
		"provcat-tui audit " + here:                                                                                                          {what: aFolder},
	} {
		got, ok := pastedObject(text, here)
		if !ok || got != want {
			t.Errorf("%s\n gives %+v (%v)\n want  %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"commit 3", "commit 3 of sales", "abcdef012345", "provcat-tui: no such commit", "provcat-tui audit", "provcat-tui audit file:///other.bucket/a"} {
		if got, ok := pastedObject(text, here); ok {
			t.Errorf("%q gives %+v", text, got)
		}
	}
}

// paste puts a text into the finder and presses enter.
func (d *driver) paste(text string) {
	d.t.Helper()
	d.press("ctrl+p")
	d.send(tea.PasteMsg{Content: text})
	d.idle()
	d.press("enter")
}

// What a message is about opens, and a folder is never called lost.
func TestPastedMessageOpensWhatItIsAbout(t *testing.T) {
	const here = "file:///data/demo.bucket"
	f, rs := damaged(t)
	for name, c := range map[string]struct {
		text string
		sees []string
	}{
		"a commit": {"provcat-tui: commit 1 of sales/2026 is damaged (x); says: provcat-tui audit " + here + "/sales/2026", []string{"Commit #1 of sales/2026", rs[0].ID}},
		"a commit without its object": {"provcat-tui: commit 5 (" + commit.ShortID(rs[4].ID) + ") of sales/2026 is gone (its commit object is missing or deleted); what can bring it back says: provcat-tui audit " + here + "/sales/2026",
			[]string{"Commit #5 of sales/2026", rs[4].ID, "✗ the commit object is gone", "entry #5 of the log of sales/2026 names this commit"}},
		"a commit whose entry is deleted": {"provcat-tui: commit 2 of sales/2026: its log entry is deleted since 2026-10-05; it named " + commit.ShortID(rs[1].ID) + ", which can still be read by its ID: provcat-tui show " + here + "/sales/2026 id:" + commit.ShortID(rs[1].ID) + "; says: provcat-tui audit " + here + "/sales/2026",
			[]string{rs[1].ID, "✗ entry #2, which names this commit, is deleted"}},
		"a folder":                   {"provcat-tui: not all files are there: says: provcat-tui audit " + here + "/sales/2026", []string{"demo.bucket/sales/2026", "files, live"}},
		"an ID":                      {rs[3].ID, []string{"Commit " + commit.ShortID(rs[3].ID), "✗ no entry of the log names this commit any more: #4 did"}},
		"an ID without an object":    {"commit " + rs[4].ID + " not found", []string{"Commit #5 of sales/2026", "✗ the commit object is gone"}},
		"an ID of nothing":           {"commit " + wholeCommit + " not found", []string{"✗ There is no object of commit 0d84e2331c, and no log of this bucket names it."}},
		"a path below one folder":    {"gone  2026/eu/orders.csv: version " + pastedID + " does not exist any more", []string{"Object sales/2026/eu/orders.csv", "Version " + pastedID + " is not there"}},
		"a key that is gone of them": {"gone  2026/eu/lost.csv: version " + pastedID + " does not exist any more", []string{"Object sales/2026/eu/lost.csv"}},
		"lines of a fetch": {"gone      eu/orders.csv: version " + pastedID + " does not exist any more\ngone      us/orders.csv: version x1 does not exist any more\nof 4 files 2 fetched, 2 gone\nprovcat-tui: not all files are there: says: provcat-tui audit " + here + "/sales/2026",
			[]string{"Object sales/2026/eu/orders.csv", "Version " + pastedID}},
		"a path that is nowhere": {"gone  x/y.csv: version " + pastedID + " does not exist any more", []string{"! Below no folder that is known here is a x/y.csv"}},
		"a folder's URL":         {"read " + here + "/sales/2026: not found", []string{"Object sales/2026", "This is a folder: no object has this key, but there are keys below sales/2026/. enter goes there."}},
		"a folder and a version": {"version " + pastedID + " of sales/2026: not found", []string{"This is a folder", "its key is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, f.start(""), 120, 30)
			d.paste(c.text)
			d.sees(c.sees...)
			if strings.HasPrefix(name, "a folder") {
				d.seesNot("nothing is left", "Nothing is left", "removed for good", "No commit names it")
			}
		})
	}
}

// The object screen of a folder's name leads to the folder.
func TestObjectThatIsAFolder(t *testing.T) {
	f, _ := small(t)
	s := f.start("sales/2026")
	s.Link = Link{URL: "file:///data/demo.bucket/sales/2026", Screen: onObject}
	d := newDriver(t, s, 100, 30)
	d.sees("This is a folder")
	d.press("enter")
	d.sees("files, live", "logo.png")
	// A folder of which all keys are deleted is one, too.
	f.delete("web/index.html")
	s.Location.Path, s.Link.URL = "web", "file:///data/demo.bucket/web"
	d = newDriver(t, s, 100, 30)
	d.sees("This is a folder")
	// What begins alike is none.
	s.Location.Path, s.Link.URL = "sales/20", "file:///data/demo.bucket/sales/20"
	d = newDriver(t, s, 100, 30)
	d.sees("This key has no version and no delete marker")
}
