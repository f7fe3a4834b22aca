package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

const (
	// manyDeletions is how many entries or commit objects of one log that were deleted
	// in a row still are findings of their own: a person looks at each.
	manyDeletions = 5
	// deletionGap is the longest pause within a row. A command that deletes a prefix
	// makes hundreds of markers a second, so a minute bridges its retries; how long the
	// whole row takes depends on how much there was.
	deletionGap = time.Minute
	// maxCommands bounds the shell lines that one repair joins.
	maxCommands = 20
)

// A deletion is a finding about one deleted entry or commit object, with the newest
// marker of its key.
type deletion struct {
	f      Finding
	marker Evidence
}

// deletionsTogether makes one finding of more than manyDeletions entries, or commit
// objects, of one log whose delete markers were made one after the other: one
// command of one person, such as aws s3 rm --recursive, and not so many accidents.
// Those with other repairs are rows of their own. It runs when all has been judged
// twice, for the second look compares each deletion by itself.
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
		slices.SortFunc(list, func(x, y deletion) int {
			return cmp.Or(x.marker.Modified.Compare(*y.marker.Modified), cmp.Compare(y.f.Number, x.f.Number), strings.Compare(x.f.Key, y.f.Key))
		})
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].marker.Modified.Sub(*list[n-1].marker.Modified) <= deletionGap {
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
	if len(made) == 0 {
		return fs
	}
	return append(slices.DeleteFunc(fs, func(f Finding) bool { return member[f.Fingerprint] }), made...)
}

// deletionOf gives the row in which a finding may stand: its kind, log and repair.
// Where a marker has no time, nothing tells when it was made.
func deletionOf(f Finding) (row string, d deletion, ok bool) {
	if f.ID != "log-entry-deleted" && f.ID != "commit-deleted" || f.Folder == nil {
		return "", d, false
	}
	i := slices.IndexFunc(f.Evidence, func(e Evidence) bool { return e.Key == f.Key && e.DeleteMarker && e.Version == f.Version })
	if i < 0 || f.Evidence[i].Modified == nil {
		return "", d, false
	}
	repair := ""
	if f.Repair != nil {
		repair = f.Repair.Kind
	}
	return strings.Join([]string{f.ID, string(f.Confidence), repair, *f.Folder}, "\x00"), deletion{f, f.Evidence[i]}, true
}

// deletedTogether is the finding of one row, which is in order of time.
func (a *auditor) deletedTogether(row []deletion) Finding {
	first, last := *row[0].marker.Modified, *row[len(row)-1].marker.Modified
	byNumber := slices.Clone(row)
	slices.SortStableFunc(byNumber, func(x, y deletion) int { return cmp.Compare(y.f.Number, x.f.Number) })
	top, low := byNumber[0].f, byNumber[len(row)-1].f
	folder := *top.Folder
	what := "entries"
	if top.ID == "commit-deleted" {
		what = "commit objects"
	}
	f := Finding{ID: top.ID, Severity: Damage, Confidence: top.Confidence, Folder: top.Folder,
		Title: fmt.Sprintf("%d %s of %s were deleted in one go", len(row), what, folderTitle(folder))}
	f.Detail = fmt.Sprintf("The delete markers of %s of commits %d to %d were made between %s and %s, none more than a minute after the one before: one command (such as aws s3 rm --recursive) or one run of a rule, and one cause. All commits are listed. Of the highest number: %s",
		what, low.Number, top.Number, commit.FormatTime(first.UTC()), commit.FormatTime(last.UTC()), top.Detail)
	for _, d := range byNumber {
		f.Affected.Commits = append(f.Affected.Commits, d.f.Affected.Commits...)
		if n := maxExamples - len(f.Evidence); n > 0 {
			f.Evidence = append(f.Evidence, d.f.Evidence[:min(n, len(d.f.Evidence))]...)
		}
	}
	f.Repair = a.repairTogether(byNumber, first, last)
	// The lowest number stays while a repair that was broken off is taken up again:
	// it begins with the newest.
	f.Fingerprint = fingerprint(Finding{ID: f.ID, Key: "in one go", Number: low.Number}, commit.FolderHash(folder))
	return f
}

// repairTogether joins the repairs of a row, which all are of one kind: their
// commands while they are few, else how to do it.
func (a *auditor) repairTogether(row []deletion, first, last time.Time) *Repair {
	one := row[0].f.Repair
	if one == nil {
		return nil
	}
	r := &Repair{Kind: one.Kind, Text: "For each of them, the newest first: " + one.Text}
	var commands []string
	for _, d := range row {
		if c := d.f.Repair.Command; c != "" {
			commands = append(commands, c)
		}
	}
	if len(commands) == len(row) && len(row) <= maxCommands {
		r.Command = strings.Join(commands, " && ")
		return r
	}
	if len(row) <= maxCommands {
		return r
	}
	r.Text += " They are too many for one line."
	if one.Command != "" {
		r.Text += fmt.Sprintf(" For commit %d it is: %s.", row[0].f.Number, one.Command)
	}
	if name, ok := a.s3Name(); ok && r.Kind == "remove-delete-marker" {
		prefix := commit.Commits
		if hash, _, ok := commit.ParseSlotKey(row[0].f.Key); ok {
			prefix = commit.LogPrefix(hash)
		}
		r.Text += fmt.Sprintf(" This lists the key and the version of each marker: aws s3api list-object-versions --bucket %s --prefix %s --query %s --output text. Compare it with the commits of this finding first.",
			safe.Shell(name), safe.Shell(prefix), safe.Shell(markersBetween(first, last)))
	}
	r.Text += " Then audit again: it tells what is left, and of twenty or fewer the whole line."
	return r
}

// markersBetween is a query for the AWS command line: the newest markers of their
// keys that were made in a span of whole seconds.
func markersBetween(first, last time.Time) string {
	day := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }
	return fmt.Sprintf("DeleteMarkers[?IsLatest && LastModified>='%s' && LastModified<='%s'].[Key,VersionId]", day(first), day(last.Add(time.Second)))
}
