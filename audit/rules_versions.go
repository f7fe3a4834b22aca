package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A group is what one finding about versions gathers: one folder. What removed them
// is not part of what it is about: a rule explains a loss only once it was due, and no
// longer when it is disabled.
type group struct {
	r      *refs
	folder string
	lost   []lost
	count  int64     // versions: refs less those that are records of one version
	gone   time.Time // known to be there at this time at least
	causes []*cause
}

// A cause is what removed some versions of a group, as far as the rules tell.
type cause struct {
	rule string // empty: none explains it
	// destroyed says that they had the ID null, and delete markers took their places.
	destroyed bool
	due       time.Time // the earliest date on which the rule could have acted
	lost      []lost
	count     int64 // as in group
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

// homes finds the folders that findings about versions are told of: the deepest one
// above a key that has a log. It goes by the listing of the logs, so that it does not
// hang on which commits were read. Not for use by several goroutines at once.
type homes struct {
	logs        map[string]*logFacts
	dir, folder string // of the key before: keys come in order
	ok          bool
}

// of gives the folder of a key; ok is false where none above it has a log.
func (h *homes) of(key string) (folder string, ok bool) {
	dir := key[:strings.LastIndexByte(key, '/')+1]
	if dir != h.dir || h.logs == nil || !h.ok {
		h.dir, h.folder, h.ok = dir, "", false
		for at := len(dir); ; at = strings.LastIndexByte(dir[:at-1], '/') + 1 {
			h.folder = strings.TrimSuffix(dir[:at], "/")
			l := h.logs[commit.FolderHash(h.folder)]
			if h.ok = l != nil && len(l.slots) > 0; h.ok || at == 0 {
				break
			}
		}
	}
	return h.folder, h.ok
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
		f.Title = fmt.Sprintf("%s that %s name %s gone", count(g.count, "version"), whose(g.folder, f.Affected.Commits), isAre(g.count))
		f.Detail = fmt.Sprintf("The complete listing of %s lacks %s. Readers of the commits below can no longer read these files; other files of those commits are not affected. They were there when commits named them, last at %s, and were gone at the latest at %s.",
			its(g.count, "their keys", "its key"), its(g.count, "them", "it"), commit.FormatTime(g.gone), commit.FormatTime(a.clock))
		for _, c := range g.causes {
			f.Detail += " "
			if len(g.causes) > 1 {
				f.Detail += fmt.Sprintf("Of %d of them: ", c.count)
			}
			f.Detail += a.whyMissing(c, r)
		}
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
		if slices.ContainsFunc(g.causes, func(c *cause) bool { return c.rule != "" }) {
			f.Repair.Text += " Change or remove the rule before it breaks more commits."
		}
		j.kept.tell(&f, r, g)
		out = append(out, f)
	}
	for _, g := range a.groups(r, j.changed, false) {
		f := a.versionFinding("version-changed", Damage, r, g)
		f.Title = fmt.Sprintf("%s that %s name %s other bytes now", count(g.count, "version"), whose(g.folder, f.Affected.Commits), its(g.count, "have", "has"))
		f.Detail = "The version is there under its ID, but its ETag or size is not what the commit recorded. " + r.whyChanged(g)
		out = append(out, f)
	}
	for _, g := range a.groups(r, unreadable, false) {
		f := a.versionFinding("version-unreadable", Damage, r, g)
		f.Title = fmt.Sprintf("%s that %s name cannot be read", count(g.count, "version"), whose(g.folder, f.Affected.Commits))
		f.Detail = "The listing has them, but the store does not give a byte of them: " + g.lost[0].err.Error() + "."
		out = append(out, f)
	}
	for _, g := range a.groups(r, j.null, false) {
		f := a.versionFinding("version-null", Risk, r, g)
		f.Title = fmt.Sprintf("%s name %s with the ID \"null\"", whose(g.folder, f.Affected.Commits), count(g.count, "version"))
		f.Detail = "They were written while versioning was off or suspended. An overwrite or a deletion under suspended versioning destroys such a version without a trace."
		f.Repair = &Repair{Kind: "rewrite", Text: "With versioning enabled, put each file again and commit: the new versions have IDs of their own."}
		out = append(out, f)
	}
	return out
}

// whyChanged says what may have given versions other bytes. One called null is no immutable
// version: the next write under suspended versioning takes its place and its ID.
func (r *refs) whyChanged(g *group) string {
	const (
		null  = "was overwritten while versioning was suspended, or before it was switched on: the new bytes take the place of the old ones and keep the ID null. S3 works so, it is no sign of tampering, and the bytes that the commit meant are gone."
		other = "Versions are immutable: the store was tampered with, or the commit names the wrong version."
	)
	isNull := func(l lost) bool { x := r.at(l.ref); return x.version == bucket.NullID }
	switch {
	case !slices.ContainsFunc(g.lost, isNull):
		return other
	case slices.ContainsFunc(g.lost, func(l lost) bool { return !isNull(l) }):
		return "Each whose ID is null " + null + " Of the others: " + strings.ToLower(other[:1]) + other[1:]
	case g.count > 1:
		return "Their IDs are null, and each " + null
	}
	return "Its ID is null, and it " + null
}

// whose names the commits of a finding: those that name a folder's versions may all
// be of folders above it.
func whose(folder string, list []CommitRef) string {
	if slices.ContainsFunc(list, func(c CommitRef) bool { return c.Folder == folder }) {
		return "commits of " + folderTitle(folder)
	}
	return "commits of folders above " + folderTitle(folder)
}

// whyMissing says what removed versions, as far as the rules tell.
func (a *auditor) whyMissing(c *cause, r *refs) string {
	rules, known := a.f.rules()
	switch {
	case c.destroyed && c.rule != "":
		return fmt.Sprintf("The lifecycle rule %q explains it: it expires live objects, which destroys one with the version ID null while versioning is suspended, and was due from %s on.", c.rule, c.due.Format("2006-01-02"))
	case c.destroyed:
		return fmt.Sprintf("%s the version ID null, and a delete marker took %s: somebody deleted %s while versioning was suspended, which destroys such a version.",
			its(c.count, "They had", "It had"), its(c.count, "their places", "its place"), its(c.count, "them", "it"))
	case c.rule != "":
		return fmt.Sprintf("The lifecycle rule %q explains it: it removes noncurrent versions, and was due from %s on.", c.rule, c.due.Format("2006-01-02"))
	case !known:
		return "Whether a lifecycle rule did it is not known: the rules could not be read."
	case slices.ContainsFunc(rules, func(rule bucket.Rule) bool { return mayHaveTaken(rule, r, c.lost) }):
		return "A lifecycle rule with a filter of tags may explain it; what tags they had cannot be known any more. No other rule of the bucket does."
	}
	return "No lifecycle rule of the bucket explains it: a person or a tool removed them, or a rule that has since been changed."
}

// mayHaveTaken says that a rule for noncurrent versions took some of these if they
// had its tags.
func mayHaveTaken(rule bucket.Rule, r *refs, list []lost) bool {
	return trims(rule) && len(rule.Tags) > 0 && slices.ContainsFunc(list, func(l lost) bool {
		x := r.at(l.ref)
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

// groups gathers lost versions by folder, and with causes by what removed them. The
// folders, and the causes of each, are in order.
func (a *auditor) groups(r *refs, list []lost, causes bool) []*group {
	by := map[string]*group{}
	// Most versions are named by one row of commits, and many by the same.
	known := map[run]place{}
	home := homes{logs: a.f.logs}
	var at place
	for i, l := range list {
		x := r.at(l.ref)
		if i == 0 || !r.same(l.ref, list[i-1].ref) {
			// Commits that recorded one version differently belong together.
			at = r.place(&x, known)
			for _, y := range list[i+1:] {
				if !r.same(l.ref, y.ref) {
					break
				}
				z := r.at(y.ref)
				p := r.place(&z, known)
				at.newest = later(at.newest, p.newest)
				if len(p.folder) > len(at.folder) {
					at.folder = p.folder
				}
			}
			if folder, ok := home.of(x.key); ok {
				at.folder = folder
			}
		}
		g := by[at.folder]
		if g == nil {
			g = &group{r: r, folder: at.folder}
			by[at.folder] = g
		}
		g.gone = later(g.gone, at.newest)
		g.count += add(r, &g.lost, l)
		if causes {
			g.blame(a, l, at.newest)
		}
	}
	out := slices.SortedFunc(maps.Values(by), func(x, y *group) int { return strings.Compare(x.folder, y.folder) })
	for _, g := range out {
		slices.SortFunc(g.causes, func(x, y *cause) int {
			return cmp.Or(strings.Compare(x.rule, y.rule), strings.Compare(fmt.Sprint(x.destroyed), fmt.Sprint(y.destroyed)))
		})
	}
	return out
}

// A place is what the commits that name a version say of it.
type place struct {
	folder string    // the deepest of theirs
	newest time.Time // of their times
}

func (r *refs) place(x *ref, known map[run]place) (p place) {
	if len(x.runs) == 1 {
		var ok bool
		if p, ok = known[x.runs[0]]; ok {
			return p
		}
	}
	p.folder, p.newest = r.nearest(x)
	if len(x.runs) == 1 {
		known[x.runs[0]] = p
	}
	return p
}

// add appends a lost version, and gives 1, or 0 where it is a further record of the
// one before.
func add(r *refs, list *[]lost, l lost) int64 {
	n := len(*list)
	*list = append(*list, l)
	if n > 0 && r.same(l.ref, (*list)[n-1].ref) {
		return 0
	}
	return 1
}

// blame counts a lost version under what removed it.
func (g *group) blame(a *auditor, l lost, newest time.Time) {
	x := g.r.at(l.ref)
	is := cause{destroyed: x.destroyed(l.now)}
	if rule, due, ok := a.expiry(&x, newest, l.now); ok {
		is.rule, is.due = ruleName(rule), due
	}
	i := slices.IndexFunc(g.causes, func(c *cause) bool { return c.rule == is.rule && c.destroyed == is.destroyed })
	if i < 0 {
		i = len(g.causes)
		g.causes = append(g.causes, &is)
	}
	c := g.causes[i]
	c.due = earlier(c.due, is.due)
	c.count += add(g.r, &c.lost, l)
}

func ruleName(r bucket.Rule) string {
	if r.ID == "" {
		return "without an ID, prefix " + r.Prefix
	}
	return r.ID
}

// digest is one of the keys and IDs of lost versions, which are in order.
func (r *refs) digest(list []lost) string {
	h := sha256.New()
	for i, l := range list {
		if x := r.at(l.ref); i == 0 || !r.same(l.ref, list[i-1].ref) {
			_, _ = fmt.Fprintf(h, "%q %q\n", x.key, x.version) // a hash takes all
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
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
	if s == Damage {
		f.Affected.Digest = r.digest(g.lost)
	}
	for _, l := range g.lost[:min(g.count, maxExamples)] {
		x := r.at(l.ref)
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
		if x := r.at(first.ref); id == "version-missing" && x.etag != "" && v.ETag == x.etag && v.Size == x.size {
			note = "there now: the same bytes, by ETag and size"
		}
		f.Evidence = append(f.Evidence, evidence(v, note))
	}
	x := r.at(first.ref)
	if g.count == 1 {
		f.Key, f.Version = x.key, x.version
	}
	f.Fingerprint = fingerprint(Finding{ID: id}, commit.FolderHash(folder))
	return f
}
