package audit

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

var errEOF = io.EOF

// A group is what one finding about versions gathers: one folder, one cause.
type group struct {
	folder string
	rule   string
	due    time.Time // the earliest date on which the rule could have acted
	lost   []lost
	gone   time.Time // known to be there at this time at least
}

// nearest gives the deepest committed folder among the commits that name x, and
// the newest of all their times.
func (r *refs) nearest(x ref) (folder string, newest time.Time) {
	first := true
	r.each(x, func(i int32) {
		c := &r.commits[i]
		if first || len(c.Folder) > len(folder) {
			folder = c.Folder
		}
		if c.header.Time.After(newest) {
			newest = c.header.Time
		}
		first = false
	})
	return folder, newest
}

// versionFindings turns what the join lost into findings: one for each folder and
// cause.
func (a *auditor) versionFindings(r *refs, j *joined, unreadable []lost) []Finding {
	var out []Finding
	for _, g := range a.groups(r, j.missing, true) {
		f := a.versionFinding("version-missing", Damage, r, g)
		f.Title = fmt.Sprintf("%s that commits of %s name %s gone", count(len(g.lost), "version"), folderTitle(g.folder), isAre(len(g.lost)))
		f.Detail = fmt.Sprintf("The complete listing of %s lacks %s. Readers of the commits below can no longer read these files; other files of those commits are not affected. They were there when commits named them, last at %s, and were gone at the latest at %s.",
			its(len(g.lost), "their keys", "its key"), its(len(g.lost), "them", "it"), commit.FormatTime(g.gone), commit.FormatTime(a.clock))
		if g.rule != "" {
			f.Detail += fmt.Sprintf(" The lifecycle rule %q explains it: it removes noncurrent versions, and was due from %s on.", g.rule, g.due.Format("2006-01-02"))
		} else {
			f.Detail += " No lifecycle rule of the bucket explains it: a person or a tool removed them, or a rule that has since been changed."
		}
		f.Repair = &Repair{Kind: "recommit", Text: "A version that was removed for good cannot be brought back. If equal bytes survive elsewhere (compare ETag and size), put them under the key again and commit; the old commits stay broken."}
		if g.rule != "" {
			f.Repair.Text += " Change or remove the rule before it breaks more commits."
		}
		out = append(out, f)
	}
	for _, g := range a.groups(r, j.changed, false) {
		f := a.versionFinding("version-changed", Damage, r, g)
		f.Title = fmt.Sprintf("%s that commits of %s name %s other bytes now", count(len(g.lost), "version"), folderTitle(g.folder), its(len(g.lost), "have", "has"))
		f.Detail = "The version is there under its ID, but its ETag or size is not what the commit recorded, or it is a delete marker. Versions are immutable: the store was tampered with, or the commit names the wrong version."
		out = append(out, f)
	}
	for _, g := range a.groups(r, unreadable, false) {
		f := a.versionFinding("version-unreadable", Damage, r, g)
		f.Title = fmt.Sprintf("%s that commits of %s name cannot be read", count(len(g.lost), "version"), folderTitle(g.folder))
		f.Detail = "They are listed, but the store refuses to give a byte of them: archived, or encrypted with a key that is disabled."
		out = append(out, f)
	}
	for _, g := range a.groups(r, j.null, false) {
		f := a.versionFinding("version-null", Risk, r, g)
		f.Title = fmt.Sprintf("commits of %s name %s with the ID \"null\"", folderTitle(g.folder), count(len(g.lost), "version"))
		f.Detail = "They were written while versioning was off or suspended. An overwrite or a deletion under suspended versioning destroys such a version without a trace."
		f.Repair = &Repair{Kind: "rewrite", Text: "With versioning enabled, put each file again and commit: the new versions have IDs of their own."}
		out = append(out, f)
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func its(n int, many, one string) string {
	if n == 1 {
		return one
	}
	return many
}

func isAre(n int) string { return its(n, "are", "is") }

func (a *auditor) groups(r *refs, list []lost, causes bool) []*group {
	by := map[string]*group{}
	for _, l := range list {
		x := r.all[l.ref]
		folder, newest := r.nearest(x)
		rule, due := "", time.Time{}
		if causes {
			if found, at, ok := a.expiry(x, newest, l.now); ok {
				rule, due = ruleName(found), at
			}
		}
		id := folder + "\x00" + rule
		g := by[id]
		if g == nil {
			g = &group{folder: folder, rule: rule, due: due}
			by[id] = g
		}
		if due.Before(g.due) {
			g.due = due
		}
		if newest.After(g.gone) {
			g.gone = newest
		}
		g.lost = append(g.lost, l)
	}
	var out []*group
	for _, g := range by {
		out = append(out, g)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].folder != out[j].folder {
			return out[i].folder < out[j].folder
		}
		return out[i].rule < out[j].rule
	})
	return out
}

func ruleName(r bucket.Rule) string {
	if r.ID == "" {
		return "without an ID, prefix " + r.Prefix
	}
	return r.ID
}

// versionFinding fills in what all findings about versions share.
func (a *auditor) versionFinding(id string, s Severity, r *refs, g *group) Finding {
	folder := g.folder
	f := Finding{ID: id, Severity: s, Confidence: Certain, Folder: &folder}
	named := map[int32]bool{}
	for _, l := range g.lost {
		r.each(r.all[l.ref], func(i int32) { named[i] = true })
	}
	for i := range named {
		f.Affected.Commits = append(f.Affected.Commits, r.commits[i].CommitRef)
	}
	slices.SortFunc(f.Affected.Commits, func(x, y CommitRef) int {
		if c := strings.Compare(x.Folder, y.Folder); c != 0 {
			return c
		}
		return int(x.Number - y.Number)
	})
	f.Affected.Versions = int64(len(g.lost))
	for _, l := range g.lost[:min(len(g.lost), maxExamples)] {
		x := r.all[l.ref]
		e := Evidence{Key: x.key, Version: x.version, ETag: x.etag, Size: max(x.size, 0), Note: "as the commit recorded it"}
		if l.same == nil && id == "version-missing" {
			e.Note = "gone; ETag and size as the commit recorded them"
		}
		f.Affected.Examples = append(f.Affected.Examples, e)
	}
	// What is there now, of the first.
	first := g.lost[0]
	for _, v := range first.now[:min(len(first.now), maxExamples)] {
		note := "there now"
		if x := r.all[first.ref]; id == "version-missing" && x.etag != "" && v.ETag == x.etag && v.Size == x.size {
			note = "there now: the same bytes, by ETag and size"
		}
		f.Evidence = append(f.Evidence, evidence(v, note))
	}
	x := r.all[first.ref]
	if len(g.lost) == 1 {
		f.Key, f.Version = x.key, x.version
	}
	f.Fingerprint = fingerprint(Finding{ID: id, Key: g.rule}, commit.FolderHash(folder))
	return f
}

// settingsFindings judges the bucket's settings.
func (a *auditor) settingsFindings() []Finding {
	var out []Finding
	add := func(id, title, detail string) {
		f := Finding{ID: id, Severity: Risk, Confidence: Certain, Title: title, Detail: detail}
		f.Fingerprint = fingerprint(f, "")
		if name, ok := a.s3Name(); ok {
			f.Repair = &Repair{Kind: "enable-versioning", Text: "Switch versioning on.",
				Command: "aws s3api put-bucket-versioning --bucket " + shellWord(name) + " --versioning-configuration Status=Enabled"}
		} else {
			f.Repair = &Repair{Kind: "enable-versioning", Text: "Switch versioning on."}
		}
		out = append(out, f)
	}
	s := a.f.lock.Settings
	if s.VersioningErr == nil {
		switch s.Versioning {
		case bucket.VersioningOff:
			add("versioning-off", "the bucket's versioning is off", "Every overwrite and deletion destroys what it replaces, and no commit can be made.")
		case bucket.VersioningSuspended:
			add("versioning-suspended", "the bucket's versioning is suspended", "Versions that exist stay. New writes have the version \"null\", and the next write to the same key destroys it. No commit can be made.")
		}
	}
	for what, err := range map[string]error{"the versioning state": s.VersioningErr, "the lifecycle rules": s.LifecycleErr, "the object lock": s.ObjectLockErr} {
		if err != nil && !errors.Is(err, bucket.ErrUnsupported) {
			a.t.add(what, "", nil, err)
		}
	}
	return out
}

// ruleOnLog says whether a lifecycle rule explains that the oldest entries are
// gone.
func (a *auditor) ruleOnLog() string {
	s := a.f.lock.Settings
	if s.LifecycleErr != nil {
		return "Whether a lifecycle rule did it is not known: the rules could not be read."
	}
	for _, r := range s.Lifecycle {
		hits := strings.HasPrefix(commit.Logs, r.Prefix) || strings.HasPrefix(r.Prefix, commit.Logs)
		if r.Enabled && hits && len(r.Tags) == 0 && (r.ExpireDays > 0 || !r.ExpireDate.IsZero()) {
			return fmt.Sprintf("The lifecycle rule %q explains it: it expires live objects under %q, and so the log itself.", ruleName(r), r.Prefix)
		}
	}
	return "No lifecycle rule of the bucket explains it: a person or a tool removed them."
}

// markersMayBeGone says whether a deletion can have left no trace: a rule removes
// old markers or noncurrent versions of the log, or the rules are not known.
func (a *auditor) markersMayBeGone() bool {
	s := a.f.lock.Settings
	if s.LifecycleErr != nil {
		return true
	}
	for _, r := range s.Lifecycle {
		hits := strings.HasPrefix(commit.Logs, r.Prefix) || strings.HasPrefix(r.Prefix, commit.Logs)
		if r.Enabled && hits && (r.ExpireDeleteMarkers || r.NoncurrentDays > 0) {
			return true
		}
	}
	return false
}
