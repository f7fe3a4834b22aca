package views

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// tellSince is what changed since the newest commit.
func (s *folder) tellSince() (fact, bool) {
	name, _ := canCommit(s.prefix())
	id, in, number := s.head.base(name)
	d := s.scan
	if id == "" || d == nil {
		return fact{}, false
	}
	f := fact{label: fmt.Sprintf("since #%d", number), rank: 8}
	switch {
	case errors.Is(d.baseErr, errTooFar):
		f.tone, f.text = ui.Dim, fmt.Sprintf(s.keys("not compared: #%d of %s names much before this folder; {total} does it"), number, folderName(in))
		f.short = s.keys("not compared: a long commit; {total} does it")
		return f, true
	case d.baseErr != nil && in == name && s.head.err != nil:
		return f, false // the first line tells it
	case errors.Is(d.baseErr, bucket.ErrNotFound):
		f.tone, f.text = ui.Bad, fmt.Sprintf("✗ cannot be told: the object of commit #%d is gone", number)
		return f, true
	case d.baseErr != nil:
		f.tone, f.text = ui.Unsure, fmt.Sprintf("? cannot be told: commit #%d: %v", number, d.baseErr)
		return f, true
	case d.err != nil && d.versions == 0:
		f.tone, f.text = s.unchecked(d.err)
		return f, true
	case d.versions == 0 && !d.whole:
		f.tone, f.text = ui.Dim, "…"
		return f, true
	}
	n := d.added + d.changed + d.removed
	if n == 0 && d.whole {
		f.tone, f.text = ui.Dim, "nothing changed"
	} else {
		f.text = fmt.Sprintf("+ %s new  ~ %s changed  - %s deleted", count(d.added), count(d.changed), count(d.removed))
	}
	f.short = f.text
	if !d.whole {
		f.short = "at least " + count(n)
		f.text = "at least " + f.text
		if n == 0 {
			f.short, f.text = "nothing", "nothing"
		}
		long, short := s.soFar()
		f.text += long
		f.short += short
	}
	if in != name {
		f.text += ", since #" + count(number) + " of " + folderName(in)
	}
	return f, true
}

// soFar says how far a count went that is not complete.
func (s *folder) soFar() (long, short string) {
	switch {
	case s.scanning:
		return " …", " …"
	case s.scan.err != nil && !errors.Is(s.scan.err, context.Canceled):
		return "; then it failed: " + briefly(s.scan.err), s.keys("; then it failed, {total} tries on")
	}
	n := count(s.scan.versions)
	return "; " + n + s.keys(" versions looked at, {total} counts on"), s.keys("; {total} counts on")
}

// tellSize is how much the folder holds, with all below it.
func (s *folder) tellSize() (fact, bool) {
	d := s.scan
	if d == nil {
		return fact{}, false
	}
	f := fact{label: "holds", rank: 6}
	if d.versions == 0 && !d.whole {
		if d.err != nil {
			f.tone, f.text = s.unchecked(d.err)
			return f, true
		}
		f.tone, f.text = ui.Dim, "…"
		return f, true
	}
	f.text = fmt.Sprintf("%s, %s live", plural(d.files, "file"), size(d.bytes))
	if d.deleted > 0 {
		f.text += ", " + plural(d.deleted, "deleted key")
	}
	if !d.whole {
		f.text = "at least " + f.text
		f.short = fmt.Sprintf("at least %s, %s", plural(d.files, "file"), size(d.bytes))
		if !d.compared || s.scanning {
			long, _ := s.soFar()
			f.text += long
			f.short += s.keys("; {total} counts on")
		}
	}
	return f, true
}
