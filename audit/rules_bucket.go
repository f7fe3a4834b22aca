package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A copying is when the bucket, or the scope, was copied to where it is.
type copying struct {
	first, last bucket.Version // that the copy made, by the bucket's times
	asked       int64          // versions of the newest commits that were looked for at their keys
	found       int64          // of which the key has the same bytes
	logs        int64          // entries that were copied too
}

// copied says whether versions are missing since the bucket was copied by a tool
// that gives each object a version of its own: all of this must hold.
//
//   - More than half of all versions that commits name are missing, and none that a
//     broken commit names is left (but those with the ID null, which every bucket can
//     have). A rule or a person takes some of them; a copy brings none.
//   - Nine in ten of those that each folder's newest broken commit names have, at
//     their own key, a version with the same ETag and size. Only the newest commits
//     are asked, for a copy takes what was live: what older commits name besides was
//     overwritten by then. One in ten may have changed after the last commit.
//   - The copy's versions, and every log entry of those commits, were written after
//     the newest broken commit (and the tolerance for its writer's clock), in a span in
//     which no commit lies. So it may last for days, as a large copy does, as long as
//     nobody worked with the copy yet. The entries tell a copy from files that were put
//     back from a backup beside a log that was always there: those stay
//     version-missing, folder by folder.
func (a *auditor) copied(r *refs, j *joined) (copying, bool) {
	var c copying
	n := r.distinct(j.missing)
	if n == 0 || n*2 <= r.count(0, r.len()) {
		return c, false
	}
	broken := r.naming(j.missing)
	heads, from := r.heads(broken)
	from = from.Add(a.o.SkewTolerance)
	counts := sums(broken)
	for i := range j.found.all() {
		if x := r.at(i); x.version != bucket.NullID && x.any(counts) {
			return c, false
		}
	}
	counts = sums(heads)
	for i := range j.missing {
		l := &j.missing[i]
		x := r.at(l.ref)
		if x.etag == "" || !x.any(counts) || i > 0 && r.same(l.ref, j.missing[i-1].ref) {
			continue
		}
		c.asked++
		for _, v := range slices.Backward(l.now) { // the oldest: what came later is no copy
			if x.is(v) && v.Modified.After(from) {
				c.found++
				c.span(v)
				break
			}
		}
	}
	if c.found == 0 || c.found*10 < c.asked*9 {
		return c, false
	}
	ids := map[string]bool{}
	for i, yes := range broken {
		if yes {
			ids[r.commits[i].ID] = true
		}
	}
	for _, l := range a.inScope() {
		for _, s := range l.slots {
			v, ok := s.live()
			if !ok || !ids[v.entry.Commit] {
				continue
			}
			first := s.versions[len(s.versions)-1].Version
			if !first.Modified.After(from) {
				return c, false
			}
			c.logs++
			c.span(first)
		}
	}
	for i := range r.commits {
		if x := &r.commits[i]; x.ok && !x.header.Time.Before(c.first.Modified) && !x.header.Time.After(c.last.Modified) {
			return c, false
		}
	}
	return c, c.logs > 0
}

func (c *copying) span(v bucket.Version) {
	if c.first.Key == "" || v.Modified.Before(c.first.Modified) {
		c.first = v
	}
	if c.last.Key == "" || v.Modified.After(c.last.Modified) {
		c.last = v
	}
}

// distinct counts the versions behind a list of refs in ascending order.
func (r *refs) distinct(list []lost) int64 {
	n := int64(0)
	for i := range list {
		if i == 0 || !r.same(list[i].ref, list[i-1].ref) {
			n++
		}
	}
	return n
}

// heads gives the newest of some commits in each folder, and the newest of all
// their times.
func (r *refs) heads(of []bool) (heads []bool, newest time.Time) {
	best := map[string]int{}
	for i, yes := range of {
		if !yes {
			continue
		}
		c := &r.commits[i]
		newest = later(newest, c.header.Time)
		if b, ok := best[c.Folder]; !ok || c.Number > r.commits[b].Number {
			best[c.Folder] = i
		}
	}
	heads = make([]bool, len(of))
	for _, i := range best {
		heads[i] = true
	}
	return heads, newest
}

// sums counts, for each index, what is true below it.
func sums(of []bool) []int32 {
	out := make([]int32, len(of)+1)
	for i, yes := range of {
		out[i+1] = out[i]
		if yes {
			out[i+1]++
		}
	}
	return out
}

// any says whether one of the commits that were counted names x.
func (x *ref) any(counts []int32) bool {
	return anyCounted(x.runs, counts)
}

func anyCounted(runs []run, counts []int32) bool {
	return slices.ContainsFunc(runs, func(u run) bool { return counts[u.last+1] > counts[u.first] })
}

// copiedFinding tells of a copied bucket.
func (a *auditor) copiedFinding(r *refs, j *joined, c copying) Finding {
	n := r.distinct(j.missing)
	f := a.versionFinding("bucket-copied", Damage, r, &group{folder: a.o.Folder, lost: j.missing, count: n})
	f.Confidence, f.Key, f.Version = Likely, "", ""
	if a.o.Folder == "" {
		f.Folder = nil
	}
	total := r.count(0, r.len())
	f.Title = fmt.Sprintf("%s is a copy: %d of the %s that its commits name are not here", folderOrBucket(a.o.Folder), n, count(total, "version"))
	f.Detail = fmt.Sprintf("The files and the log were written here between %s and %s, after the newest of these commits, by something that gave every object a version of its own. The commits name the versions of the bucket that they were copied from, so none of the %s below can be read here, although the bytes are there: of %s that the newest commits name, %d %s the same ETag and size at the same key. What older commits name besides was not copied. In the original bucket all of them may be sound.",
		commit.FormatTime(c.first.Modified.UTC()), commit.FormatTime(c.last.Modified.UTC()), count(int64(len(f.Affected.Commits)), "commit"), count(c.asked, "version"), c.found, its(c.found, "have", "has"))
	f.Evidence = []Evidence{evidence(c.first, "the first that the copy wrote"), evidence(c.last, "the last that the copy wrote")}
	for i := range f.Affected.Examples {
		f.Affected.Examples[i].Note = strings.Replace(f.Affected.Examples[i].Note, "gone;", "not here;", 1)
	}
	f.Repair = &Repair{Kind: "recommit", Text: "Read these commits in the original bucket. To move a bucket with its commits use S3 Replication (for what is there already, S3 Batch Replication): it keeps version IDs, and sync and cp don't. If this copy is to stay, commit its folders again here: that begins a fresh history, and the old commits stay broken."}
	return f
}

func folderOrBucket(folder string) string {
	if folder == "" {
		return "this bucket"
	}
	return folder
}

// withoutCopied drops what has the same cause as a copied bucket: the times at which
// the copy wrote entries and files are no writer's, so clocks, pins and snapshots
// that are judged by them say nothing.
func withoutCopied(fs []Finding) []Finding {
	i := slices.IndexFunc(fs, func(f Finding) bool { return f.ID == "bucket-copied" })
	if i < 0 {
		return fs
	}
	copied := map[string]bool{}
	for _, c := range fs[i].Affected.Commits {
		copied[c.ID] = true
	}
	return slices.DeleteFunc(fs, func(f Finding) bool {
		switch f.ID {
		case "time-skewed", "pin-misordered", "commit-not-snapshot":
			return !slices.ContainsFunc(f.Affected.Commits, func(c CommitRef) bool { return !copied[c.ID] })
		}
		return false
	})
}
