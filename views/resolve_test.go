package views

import (
	"testing"

	"provcat-tui/commit"
)

// A commit whose log entry a marker hides opens by its number, in each way in which a
// person may ask for it, and the screen says that its entry is deleted.
func TestCommitWhoseEntryIsDeletedOpens(t *testing.T) {
	f, rs := damaged(t) // 2 deleted, 3 missing
	open := func(l Link) *driver {
		s := f.start("sales/2026")
		l.URL = "file:///data/demo.bucket/sales/2026"
		s.Link = l
		return newDriver(t, s, 120, 30)
	}
	type way struct {
		d    *driver
		sees []string
	}
	commitSees := []string{rs[1].ID, "✗ entry #2, which names this commit, is deleted", "Week 2 of orders"}
	atSees := []string{"files at " + commit.ShortID(rs[1].ID), "its log entry #2 is deleted", "notes.txt", "eu/orders.csv"}
	command := func(line string) *driver {
		d := newDriver(t, f.start("sales/2026"), 120, 30)
		d.press(":")
		d.write(line)
		d.press("enter")
		return d
	}
	for name, w := range map[string]way{
		"--commit 2":      {open(Link{Screen: onCommit, Ref: "2"}), commitSees},
		"--commit head~3": {open(Link{Screen: onCommit, Ref: "head~3"}), commitSees},
		"--at 2":          {open(Link{Screen: onFolder, Ref: "2"}), atSees},
		"--diff 1..2":     {open(Link{Screen: onDiff, Ref: "1", To: "2"}), []string{"Diff of sales/2026", "orders.csv"}},
		":commit 2":       {command("commit 2"), commitSees},
		":at 2":           {command("at 2"), atSees},
	} {
		t.Run(name, func(t *testing.T) {
			w.d.t = t
			w.d.sees(w.sees...)
			w.d.seesNot("esc shows the folder instead")
		})
	}
	// Of 3 nothing is left: that stays an error, with the way out.
	open(Link{Screen: onCommit, Ref: "3"}).sees("damaged", "esc shows the folder instead")
	// The log below has the cursor on the entry.
	d := open(Link{Screen: onCommit, Ref: "2"})
	d.press("esc", "enter")
	d.sees(rs[1].ID)
}
