package audit

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A group is what one finding about versions gathers: one folder, one cause.
type group struct {
	r      *refs
	folder string
	rule   string
	// destroyed says that they had the ID null, and delete markers took their places.
	destroyed bool
	due       time.Time // the earliest date on which the rule could have acted
	lost      []lost
	count     int64     // versions: refs less those that are records of one version
	gone      time.Time // known to be there at this time at least
}

// nearest gives the deepest committed folder among the commits that name x, and
// the newest of all their times.
func (r *refs) nearest(x *ref) (folder string, newest time.Time) {
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
	if c, ok := a.copied(r, j); ok {
		out = append(out, a.copiedFinding(r, j, c))
		j.missing = nil // one cause, one finding
	}
	whole := a.wholeCommits(r, j, unreadable)
	for _, g := range a.groups(r, j.missing, true) {
		f := a.versionFinding("version-missing", Damage, r, g)
		f.Title = fmt.Sprintf("%s that commits of %s name %s gone", count(g.count, "version"), folderTitle(g.folder), isAre(g.count))
		f.Detail = fmt.Sprintf("The complete listing of %s lacks %s. Readers of the commits below can no longer read these files; other files of those commits are not affected. They were there when commits named them, last at %s, and were gone at the latest at %s.",
			its(g.count, "their keys", "its key"), its(g.count, "them", "it"), commit.FormatTime(g.gone), commit.FormatTime(a.clock))
		f.Detail += " " + a.whyMissing(g)
		same, repair := j.search.sameBytes(r, g)
		if same != "" {
			f.Detail += " " + same
		}
		if says := whole[g.folder]; says != "" {
			f.Detail += " " + says
		}
		if i := slices.IndexFunc(g.lost, func(l lost) bool { return l.equal != nil }); i >= 0 {
			f.Evidence = append(f.Evidence, evidence(*g.lost[i].equal, "the same bytes, by ETag and size"))
		}
		f.Repair = &Repair{Kind: "recommit", Text: "A version that was removed for good cannot be brought back" + repair}
		if g.rule != "" {
			f.Repair.Text += " Change or remove the rule before it breaks more commits."
		}
		out = append(out, f)
	}
	for _, g := range a.groups(r, j.changed, false) {
		f := a.versionFinding("version-changed", Damage, r, g)
		f.Title = fmt.Sprintf("%s that commits of %s name %s other bytes now", count(g.count, "version"), folderTitle(g.folder), its(g.count, "have", "has"))
		f.Detail = "The version is there under its ID, but its ETag or size is not what the commit recorded. Versions are immutable: the store was tampered with, or the commit names the wrong version."
		out = append(out, f)
	}
	for _, g := range a.groups(r, unreadable, false) {
		f := a.versionFinding("version-unreadable", Damage, r, g)
		f.Title = fmt.Sprintf("%s that commits of %s name cannot be read", count(g.count, "version"), folderTitle(g.folder))
		f.Detail = "The listing has them, but the store does not give a byte of them: " + g.lost[0].err.Error() + "."
		out = append(out, f)
	}
	for _, g := range a.groups(r, j.null, false) {
		f := a.versionFinding("version-null", Risk, r, g)
		f.Title = fmt.Sprintf("commits of %s name %s with the ID \"null\"", folderTitle(g.folder), count(g.count, "version"))
		f.Detail = "They were written while versioning was off or suspended. An overwrite or a deletion under suspended versioning destroys such a version without a trace."
		f.Repair = &Repair{Kind: "rewrite", Text: "With versioning enabled, put each file again and commit: the new versions have IDs of their own."}
		out = append(out, f)
	}
	return out
}

// whyMissing says what removed versions, as far as the rules tell.
func (a *auditor) whyMissing(g *group) string {
	rules, known := a.f.rules()
	switch {
	case g.destroyed && g.rule != "":
		return fmt.Sprintf("The lifecycle rule %q explains it: it expires live objects, which destroys one with the version ID null while versioning is suspended, and was due from %s on.", g.rule, g.due.Format("2006-01-02"))
	case g.destroyed:
		return fmt.Sprintf("%s the version ID null, and a delete marker took %s: somebody deleted %s while versioning was suspended, which destroys such a version.",
			its(g.count, "They had", "It had"), its(g.count, "their places", "its place"), its(g.count, "them", "it"))
	case g.rule != "":
		return fmt.Sprintf("The lifecycle rule %q explains it: it removes noncurrent versions, and was due from %s on.", g.rule, g.due.Format("2006-01-02"))
	case !known:
		return "Whether a lifecycle rule did it is not known: the rules could not be read."
	case slices.ContainsFunc(rules, func(r bucket.Rule) bool { return a.mayHaveTaken(r, g) }):
		return "A lifecycle rule with a filter of tags may explain it; what tags they had cannot be known any more. No other rule of the bucket does."
	}
	return "No lifecycle rule of the bucket explains it: a person or a tool removed them, or a rule that has since been changed."
}

// mayHaveTaken says that a rule for noncurrent versions took some of a group if they
// had its tags.
func (a *auditor) mayHaveTaken(rule bucket.Rule, g *group) bool {
	return trims(rule) && len(rule.Tags) > 0 && slices.ContainsFunc(g.lost, func(l lost) bool {
		x := &g.r.all[l.ref]
		return reach(rule, bucket.Version{Key: x.key, Size: x.size}, nil) != no
	})
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func its(n int64, many, one string) string {
	if n == 1 {
		return one
	}
	return many
}

func isAre(n int64) string { return its(n, "are", "is") }

func (a *auditor) groups(r *refs, list []lost, causes bool) []*group {
	by := map[string]*group{}
	// Most versions are named by one row of commits, and many by the same.
	type place struct {
		folder string
		newest time.Time
	}
	known := map[run]place{}
	nearest := func(x *ref) (string, time.Time) {
		if len(x.runs) != 1 {
			return r.nearest(x)
		}
		p, ok := known[x.runs[0]]
		if !ok {
			p.folder, p.newest = r.nearest(x)
			known[x.runs[0]] = p
		}
		return p.folder, p.newest
	}
	var folder string
	var newest time.Time
	for i, l := range list {
		x := &r.all[l.ref]
		if i == 0 || !x.same(&r.all[list[i-1].ref]) {
			// Commits that recorded one version differently belong together.
			folder, newest = nearest(x)
			for _, y := range list[i+1:] {
				if !x.same(&r.all[y.ref]) {
					break
				}
				if f, t := nearest(&r.all[y.ref]); len(f) > len(folder) {
					folder, newest = f, later(newest, t)
				} else {
					newest = later(newest, t)
				}
			}
		}
		rule, due := "", time.Time{}
		if causes {
			if found, at, ok := a.expiry(x, newest, l.now); ok {
				rule, due = ruleName(found), at
			}
		}
		null := causes && x.destroyed(l.now)
		id := fmt.Sprint(folder, "\x00", rule, "\x00", null)
		g := by[id]
		if g == nil {
			g = &group{r: r, folder: folder, rule: rule, destroyed: null, due: due}
			by[id] = g
		}
		if due.Before(g.due) {
			g.due = due
		}
		if newest.After(g.gone) {
			g.gone = newest
		}
		if n := len(g.lost); n == 0 || !x.same(&r.all[g.lost[n-1].ref]) {
			g.count++
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
		if out[i].rule != out[j].rule {
			return out[i].rule < out[j].rule
		}
		return !out[i].destroyed && out[j].destroyed
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
	for i, yes := range r.naming(g.lost) {
		if yes {
			f.Affected.Commits = append(f.Affected.Commits, r.commits[i].CommitRef)
		}
	}
	slices.SortFunc(f.Affected.Commits, func(x, y CommitRef) int {
		if c := strings.Compare(x.Folder, y.Folder); c != 0 {
			return c
		}
		return cmp.Compare(x.Number, y.Number)
	})
	f.Affected.Versions = g.count
	for _, l := range g.lost[:min(g.count, maxExamples)] {
		x := r.all[l.ref]
		e := Evidence{Key: x.key, Version: x.version, ETag: x.etag, Size: max(x.size, 0), Note: "as the commit recorded it"}
		if l.same == nil && (id == "version-missing" || id == "bucket-copied") {
			e.Note = "gone; ETag and size as the commit recorded them"
			if l.equal != nil {
				e.Note += fmt.Sprintf("; the same bytes are still at %s, version %s", l.equal.Key, l.equal.ID)
			}
		}
		if l.err != nil {
			e.Note += "; " + l.err.Error()
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
	if g.count == 1 {
		f.Key, f.Version = x.key, x.version
	}
	print := Finding{ID: id, Key: g.rule}
	if g.destroyed {
		print.Version = bucket.NullID
	}
	f.Fingerprint = fingerprint(print, commit.FolderHash(folder))
	return f
}
