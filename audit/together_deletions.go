package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

const (
	// manyDeletions is how many entries or commit objects that were deleted in a row
	// still are findings of their own: a person looks at each.
	manyDeletions = 5
	// deletionGap is the longest pause within a row. A command that deletes a prefix
	// makes hundreds of markers a second, so a minute bridges its retries; how long the
	// whole row takes depends on how much there was.
	deletionGap = time.Minute
	// maxCommands bounds the shell lines that one repair joins, and the folders that
	// one names.
	maxCommands = 20
)

// A deletion is a finding about one deleted entry or commit object.
type deletion struct {
	f           Finding
	at          time.Time // when the newest marker of its key was made
	first, last time.Time // of the markers that lie on it
	under       *Evidence // the version under them; nil: none
}

// deletionsTogether makes one finding of more than manyDeletions entries, or commit
// objects, whose delete markers were made one after the other, in one log or in
// several: one command of one person, such as aws s3 rm --recursive, and not so many
// accidents. Those with other repairs are rows of their own. It runs when all has
// been judged twice, for the second look compares each deletion by itself.
func (a *auditor) deletionsTogether(fs []Finding) []Finding {
	rows := map[string][]deletion{}
	for _, f := range fs {
		if k, d, ok := deletionOf(f); ok {
			rows[k] = append(rows[k], d)
		}
	}
	member := map[string]bool{} // by fingerprint
	var made []Finding
	for _, list := range rows {
		slices.SortFunc(list, func(x, y deletion) int { return cmp.Or(x.at.Compare(y.at), repairOrder(x, y)) })
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].at.Sub(list[n-1].at) <= deletionGap {
				n++
			}
			if n > manyDeletions {
				made = append(made, a.deletedTogether(list[:n]))
				for _, d := range list[:n] {
					member[d.f.Fingerprint] = true
				}
			}
			list = list[n:]
		}
	}
	fs = slices.DeleteFunc(fs, func(f Finding) bool { return member[f.Fingerprint] })
	for i := range fs {
		if _, d, ok := deletionOf(fs[i]); ok {
			a.blameRule(&fs[i], []deletion{d})
		}
	}
	return append(fs, made...)
}

// repairOrder is that in which PlanRow mends.
func repairOrder(x, y deletion) int {
	return cmp.Or(strings.Compare(*x.f.Folder, *y.f.Folder), cmp.Compare(y.f.Number, x.f.Number), strings.Compare(x.f.Key, y.f.Key))
}

// deletionOf gives the row in which a finding may stand: its kind and repair. Where a
// marker has no time, nothing tells when it was made; and where an older deletion
// lies under a newer one, no row has made both.
func deletionOf(f Finding) (row string, d deletion, ok bool) {
	if f.ID != "log-entry-deleted" && f.ID != "commit-deleted" || f.Folder == nil {
		return "", d, false
	}
	i := slices.IndexFunc(f.Evidence, func(e Evidence) bool { return e.Key == f.Key && e.DeleteMarker && e.Version == f.Version })
	if i < 0 || f.Evidence[i].Modified == nil {
		return "", d, false
	}
	d = deletion{f: f, at: *f.Evidence[i].Modified}
	d.first, d.last = d.at, d.at
	for _, e := range f.Evidence[i:] {
		switch {
		case e.Key != f.Key:
			continue
		case !e.DeleteMarker:
			d.under = &e
		case e.Modified == nil || d.at.Sub(*e.Modified).Abs() > deletionGap:
			return "", d, false
		default:
			d.first, d.last = earlier(d.first, *e.Modified), later(d.last, *e.Modified)
		}
		if d.under != nil {
			break
		}
	}
	repair := ""
	if f.Repair != nil {
		repair = f.Repair.Kind
	}
	return strings.Join([]string{f.ID, string(f.Confidence), repair}, "\x00"), d, true
}

// deletedTogether is the finding of one row.
func (a *auditor) deletedTogether(row []deletion) Finding {
	row = slices.SortedFunc(slices.Values(row), repairOrder)
	first, last := row[0].first, row[0].last
	var folders []string
	for _, d := range row {
		first, last = earlier(first, d.first), later(last, d.last)
		if k := len(folders); k == 0 || folders[k-1] != *d.f.Folder {
			folders = append(folders, *d.f.Folder)
		}
	}
	top, low := row[0].f, row[len(row)-1].f
	what, prefix := "entries", commit.Logs
	if top.ID == "commit-deleted" {
		what, prefix = "commit objects", commit.Commits
	}
	f := Finding{ID: top.ID, Severity: Damage, Confidence: top.Confidence}
	where, which := folderTitle(folders[0]), fmt.Sprintf("commits %d to %d", low.Number, top.Number)
	if len(folders) == 1 {
		f.Folder = top.Folder
	} else {
		f.Key = prefix
		where, which = fmt.Sprintf("%d folders", len(folders)), some(folders)
	}
	f.Title = fmt.Sprintf("%d %s of %s were deleted in one go", len(row), what, where)
	made, command := "The delete markers of %s of %s were made", ""
	if _, ok := a.s3Name(); ok {
		command = " (such as aws s3 rm --recursive)"
	} else if _, ok := a.gcsName(); ok {
		made, command = "The deletions of %s of %s were made", " (such as gcloud storage rm --recursive)"
	}
	f.Detail = fmt.Sprintf(made+" between %s and %s, none more than a minute after the one before: one command%s or one run of a rule, and one cause. All commits are listed. Of commit %d of %s: %s",
		what, which, commit.FormatTime(first.UTC()), commit.FormatTime(last.UTC()), command, top.Number, folderTitle(*top.Folder), top.Detail)
	for _, d := range row {
		f.Affected.Commits = append(f.Affected.Commits, d.f.Affected.Commits...)
		if n := maxExamples - len(f.Evidence); n > 0 {
			f.Evidence = append(f.Evidence, d.f.Evidence[:min(n, len(d.f.Evidence))]...)
		}
	}
	f.Repair = a.repairTogether(row, folders, first, last)
	a.blameRule(&f, row)
	// What is mended last stays while a repair that was broken off is taken up again.
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: "in one go", Number: low.Number}, commit.FolderHash(*low.Folder))
	return f
}

// some names the first of many folders.
func some(folders []string) string {
	const most = 3
	var list []string
	for _, f := range folders[:min(most, len(folders))] {
		list = append(list, folderTitle(f))
	}
	if n := len(folders) - most; n > 0 {
		list = append(list, fmt.Sprintf("%d more", n))
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// blameRule names the rule that expires live objects and was due for each of the
// deleted when its marker was made: it explains them, and what is brought back is due
// again at once.
func (a *auditor) blameRule(f *Finding, row []deletion) {
	rules, _ := a.f.rules()
	for i, r := range rules {
		if !expires(r) || len(r.Tags) > 0 || slices.ContainsFunc(row, func(d deletion) bool { return !d.dueBy(r) }) {
			continue
		}
		name := ruleNames(rules)[i]
		f.Detail += fmt.Sprintf(" The lifecycle rule %q explains it: it %s, and was due by then.", name, describeRule(r))
		if f.Repair != nil {
			f.Repair = &Repair{Kind: f.Repair.Kind, Command: f.Repair.Command,
				Text: fmt.Sprintf("First keep the lifecycle rule %q off %s: it would delete again what is brought back. Then: %s", name, commit.Root, f.Repair.Text)}
		}
		return
	}
}

// dueBy says that a rule was due for what lies under the markers when the first of
// them was made.
func (d deletion) dueBy(r bucket.Rule) bool {
	if d.under == nil || d.under.Modified == nil {
		return false
	}
	v := bucket.Version{Key: d.under.Key, Size: d.under.Size, Modified: *d.under.Modified}
	return reach(r, v, nil) == yes && !expiryDate(r, v).After(d.first)
}

// repairTogether is the repair of a row, whose single repairs all are of one kind.
func (a *auditor) repairTogether(row []deletion, folders []string, first, last time.Time) *Repair {
	one := row[0].f.Repair
	if one == nil {
		return nil
	}
	r := &Repair{Kind: one.Kind}
	if one.Kind == "remove-delete-marker" {
		var args []string
		for _, f := range folders[:min(len(folders), maxCommands)] {
			args = append(args, "folder", f)
		}
		r.Text = "Remove the delete markers of this span (not the objects): the version under each is then live again."
		if _, ok := a.gcsName(); ok {
			r.Text = "Undo the deletions of this span: of each key a copy of the version that was deleted becomes the live one, if nothing else is live by then."
		}
		r.Text += " The command checks each, shows what it found and asks; broken off, the same command goes on."
		what := "deletions"
		if len(folders) > maxCommands {
			what, args = "deletions --all", nil
			r.Text += " The folders are too many for one line: it takes in every log of the bucket."
		}
		if row[0].f.ID == "commit-deleted" {
			what += " --objects"
		}
		seconds := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
		r.Command = a.repairCommand(what, append(args, "from", seconds(first), "to", seconds(last))...)
		return r
	}
	r.Text = "For each of them, the newest first: " + one.Text
	var commands []string
	for _, d := range row {
		if c := d.f.Repair.Command; c != "" {
			commands = append(commands, c)
		}
	}
	switch {
	case len(row) > maxCommands && one.Command != "":
		r.Text += fmt.Sprintf(" They are too many for one line. For commit %d of %s it is: %s. Then audit again: it tells what is left, and of twenty or fewer the whole line.", row[0].f.Number, folderTitle(folders[0]), one.Command)
	case len(row) <= maxCommands && len(commands) == len(row):
		r.Command = strings.Join(commands, " && ")
	}
	return r
}
