package views

import (
	"strings"
	"testing"

	"provcat-tui/commit"
)

// The object screen of a key of the format says whose it is, does not doubt that it was
// where an entry names it, and audits its folder: with a report at hand or without.
func TestKeyOfTheFormatTellsWhoseItIs(t *testing.T) {
	f, rs := damaged(t) // 2 is deleted, 3 missing, 4 re-made, no object of 5
	stray := f.object("sales/2026", rs[4].ID, 6)
	gone5 := commit.CommitKey(rs[4].ID)
	open := func(t *testing.T, key string) *driver {
		s := f.start(key)
		s.Link = Link{URL: "file:///data/demo.bucket/" + key, Screen: onObject}
		return newDriver(t, s, 200, 40)
	}
	const doubt = "or it never was"
	for name, c := range map[string]struct {
		key         string
		sees, lacks []string
		audits      string // the folder; empty: none is known
	}{
		"a commit object":          {commit.CommitKey(rs[4].ID), []string{"Nothing is left of this commit object of #5 of sales/2026; entry #5 names it.", "Any copy of the object whose SHA-256 is", "a audits sales/2026."}, []string{doubt}, "sales/2026"},
		"one that is there":        {commit.CommitKey(rs[0].ID), []string{"commit object of #1 of sales/2026; entry #1 names it", "● Readable"}, nil, "sales/2026"},
		"one that an entry named":  {commit.CommitKey(rs[1].ID), []string{"commit object that entry #2 of sales/2026 named", "● Readable"}, nil, "sales/2026"},
		"one that no entry names":  {commit.CommitKey(stray), []string{"commit object of sales/2026; no entry is known to name it"}, nil, "sales/2026"},
		"one of no commit":         {commit.CommitKey(strings.Repeat("ab", 32)), []string{doubt, "No log of this bucket names this commit."}, []string{"An audit ("}, ""},
		"an entry":                 {commit.EntryKey("sales/2026", 1), []string{"log entry #1 of sales/2026", "● Readable"}, nil, "sales/2026"},
		"an entry that is gone":    {commit.EntryKey("sales/2026", 3), []string{"Nothing is left of this log entry #3 of sales/2026."}, []string{doubt}, "sales/2026"},
		"an entry that is deleted": {commit.EntryKey("sales/2026", 2), []string{"log entry #2 of sales/2026", "✗ Deleted"}, nil, "sales/2026"},
		"an entry of no log":       {commit.EntryKey("nowhere", 1), []string{doubt}, nil, ""},
		"none of the format's":     {".provcat/other", []string{doubt}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, c.key)
			d.sees(c.sees...)
			d.seesNot(append(c.lacks, "An audit (")...)
			d.press("a")
			if c.audits == "" {
				d.sees("Not now: it is not known to which folder this key belongs")
				d.seesNot("a audit")
			} else {
				d.sees("Audit of " + c.audits)
			}
		})
	}
	t.Run("from an audit", func(t *testing.T) {
		d, screen := onAuditOf(t, f.start("sales/2026"), 200, 40)
		for range screen.report.Findings {
			if x := screen.selectedFinding(); x != nil && x.finding.Key == gone5 {
				break
			}
			d.press("down")
		}
		repair := screen.selectedFinding().finding.Repair.Text
		d.press("enter")
		d.sees("Object "+gone5, "Nothing is left of this commit object of #5 of sales/2026; entry #5 names it.", repair[:39], "repair commit-object")
		d.seesNot(doubt)
		d.press("a")
		d.sees("Audit of sales/2026")
	})
}
