package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"provcat-tui/bucket/inventory"
	"provcat-tui/commit"
)

// measured is what the looks before an estimate gave, beside the listing.
type measured struct {
	opening, settings, listing Requests
	nameless                   int64 // logs whose newest entry tells no folder
	sights                     map[*logFacts]*sight
}

// pageSize is how many versions an answer lists at most (S3 API reference,
// ListObjectVersions).
const pageSize = 1000

// stages computes the requests of each stage from what was listed.
func (a *auditor) stages(x *measured) []EstimateStage {
	measured := func(stage string, r Requests, how string) EstimateStage {
		return EstimateStage{Stage: stage, List: r.List, Get: r.Get + r.Head, Bound: Counted, How: how}
	}
	var out []EstimateStage
	if x.opening != (Requests{}) {
		out = append(out, measured("opening", x.opening, "the requests that opening the bucket and finding the folder just took"))
	}
	out = append(out, measured("settings", x.settings, "the requests that reading the settings just took"),
		measured("logs", x.listing, fmt.Sprintf("the pages that listing %s just took: %s, %s, %s", commit.Root,
			plural(int64(len(x.sights)), "log", "logs"), plural(a.slotCount(), "entry", "entries"), plural(a.objectCount(), "commit object", "commit objects"))),
		a.entryStage())
	if x.nameless > 0 {
		out = append(out, EstimateStage{Stage: "names", Get: x.nameless, Bound: AtLeast,
			How: "the newest entries of " + plural(x.nameless, "log", "logs") + " tell no folder: up to three commit objects of each may"})
	}
	if a.f.objects {
		out = append(out, a.commitStage(x))
	}
	if a.deep() {
		out = append(out, a.versionStages(x)...)
	}
	return out
}

func (a *auditor) deep() bool { return a.o.Depth == DepthVersions || a.o.Depth == DepthReadable }

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (a *auditor) slotCount() (n int64) {
	for _, l := range a.f.logs {
		n += l.entries()
	}
	return n
}

// entries counts the slots with a body.
func (l *logFacts) entries() (n int64) {
	for _, s := range l.slots {
		if len(s.bodies()) > 0 {
			n++
		}
	}
	return n
}

func (a *auditor) objectCount() (n int64) {
	for _, c := range a.f.commits {
		if c.newest() != nil {
			n++
		}
	}
	return n
}

// entryStage: every version of every entry is read, in scope or not, for only the
// entries tell the folders.
func (a *auditor) entryStage() EstimateStage {
	e := EstimateStage{Stage: "entries", Bound: Counted, How: "one for each version of each entry"}
	for _, l := range a.f.logs {
		for _, s := range l.slots {
			for _, v := range s.bodies() {
				e.Get++
				e.read(v.Size)
			}
		}
	}
	return e
}

// read adds the bytes of a body; a store may make sizes up.
func (e *EstimateStage) read(size int64) { e.Bytes += min(max(size, 0), math.MaxInt64-e.Bytes) }

// commitStage: every version of the commit objects in scope is read whole.
func (a *auditor) commitStage(x *measured) EstimateStage {
	e := EstimateStage{Stage: "commits", Bound: Counted}
	unnamed := a.objectCount() - a.slotCount() // at least
	if a.o.Folder != "" {
		return a.commitsBelow(e, max(unnamed, 0))
	}
	heads := map[string]bool{}
	for _, s := range x.sights {
		heads[s.id] = true
		if s.id == "" && a.o.Sample.Of > 1 {
			e.Bound = AtLeast
		}
	}
	for id, c := range a.f.commits {
		if !a.o.Sample.holds(id) && !heads[id] {
			continue
		}
		for _, v := range c.versions {
			if !v.DeleteMarker {
				e.Get++
				e.read(v.Size)
			}
		}
	}
	e.How = "one for each version of each commit object"
	if a.o.Sample.Of > 1 {
		e.How += " in this part of the sample, and of the newest of each log"
		if unnamed != 0 || a.holes() {
			e.Bound = AtLeast
			e.How += "; those that no entry names, or that follow a hole in a log, are read besides"
		}
	}
	if unnamed < 0 {
		e.Bound = AtLeast
		e.How += "; there are more entries than commit objects, and each that is missing is listed and read once more"
	}
	return e
}

// commitsBelow: which commits a log of a folder names is only in its entries, so
// its share of all commit objects stands for them.
func (a *auditor) commitsBelow(e EstimateStage, unnamed int64) EstimateStage {
	n, all, whole := int64(0), int64(0), EstimateStage{}
	for _, l := range a.inScope() {
		part := l.entries()
		if of := int64(a.o.Sample.Of); of > 1 && part > 0 {
			part = 1 + (part-1+of-1)/of
		}
		n += part
	}
	for _, c := range a.f.commits {
		for _, v := range c.versions {
			if !v.DeleteMarker {
				all++
				whole.read(v.Size)
			}
		}
	}
	e.Get, e.Bound = n+unnamed, About
	if all > 0 {
		e.Bytes = int64(float64(whole.Bytes) / float64(all) * float64(min(n, all)))
	}
	e.How = "one for each entry of the logs in scope"
	if a.o.Sample.Of > 1 {
		e.How = "one for the newest entry of each log in scope and for its part of the others"
	}
	if unnamed > 0 {
		e.How += fmt.Sprintf(", and a look at %s that no entry names", plural(unnamed, "commit object", "commit objects"))
	}
	return e
}

// holes says whether a log has more or less than one live version in each number.
func (a *auditor) holes() bool {
	for _, l := range a.f.logs {
		for i, s := range l.slots {
			if len(s.versions) != 1 || s.newest() == nil || s.number != l.top()-int64(i) {
				return true
			}
		}
	}
	return false
}

// A sized is a committed folder's prefix and how many versions lie under it at
// least.
type sized struct {
	prefix   string
	versions int64
}

// versionStages: a listing of each committed folder that lies in no other one, and
// for depth readable a read of each named version, and on S3 a listing of unfinished
// uploads. The newest commit of a folder
// tells how many there are at least.
func (a *auditor) versionStages(x *measured) []EstimateStage {
	list := EstimateStage{Stage: "versions", Bound: Counted, How: "no committed folder is in scope"}
	read := EstimateStage{Stage: "reading", Bound: Counted, How: list.How}
	var folders []sized
	for _, l := range a.inScope() {
		if l.known && x.sights[l] != nil {
			folders = append(folders, sized{commit.KeyPrefix(l.folder), x.sights[l].files})
		}
	}
	slices.SortFunc(folders, func(x, y sized) int { return strings.Compare(x.prefix, y.prefix) })
	for _, f := range outermost(folders) {
		list.List += max(1, (f.versions+pageSize-1)/pageSize)
		read.Get += f.versions
		read.Bytes += f.versions
	}
	if i := a.o.Inventory; i != nil && list.List > 0 {
		return a.inventoryStages(i, read, int64(len(outermost(folders))))
	}
	if list.List > 0 {
		list.Bound, read.Bound = AtLeast, AtLeast
		list.How = fmt.Sprintf("pages of %d versions: the newest commits name some %s", pageSize, plural(read.Get, "version", "versions"))
		read.How = "one for each version that the newest commits name"
	}
	return a.withUploads([]EstimateStage{list}, read, int64(len(outermost(folders))))
}

// withUploads adds the stages that come after the versions of n folders.
func (a *auditor) withUploads(out []EstimateStage, read EstimateStage, n int64) []EstimateStage {
	if a.o.Depth == DepthReadable {
		out = append(out, read)
	}
	// Only S3 has unfinished uploads of many parts.
	if _, ok := a.s3Name(); ok && n > 0 {
		out = append(out, EstimateStage{Stage: "uploads", List: n, Bound: AtLeast,
			How: "unfinished uploads of each committed folder that lies in no other one"})
	}
	return out
}

// inventoryStages: the report's files instead of the listing.
func (a *auditor) inventoryStages(i *inventory.Report, read EstimateStage, folders int64) []EstimateStage {
	rows := EstimateStage{Stage: "inventory", Bytes: i.Size(), Bound: Counted, How: plural(int64(len(i.Files)), "file", "files") + " of the inventory report"}
	if i.Remote() {
		rows.Get = int64(len(i.Files))
	} else {
		rows.How += ", on this machine"
	}
	read.Bound, read.How = AtLeast, "one for each version that the newest commits name"
	live := EstimateStage{Stage: "versions", Bound: AtLeast, How: "up to one for each named version that the report lacks, as it lacks all that is newer"}
	return a.withUploads([]EstimateStage{rows, live}, read, folders)
}

// outermost gives those of the folders, sorted by prefix, that lie in no other one:
// each with the versions that it or the folders in it have at least.
func outermost(folders []sized) []sized {
	var out []sized
	for i := 0; i < len(folders); {
		f, j := folders[i], i+1
		for j < len(folders) && strings.HasPrefix(folders[j].prefix, f.prefix) {
			j++
		}
		inner := int64(0)
		for _, in := range outermost(folders[i+1 : j]) {
			inner += in.versions
		}
		f.versions = max(f.versions, inner)
		out = append(out, f)
		i = j
	}
	return out
}

// unknowns says what the numbers don't include.
func (a *auditor) unknowns(x *measured) []string {
	var out []string
	if a.deep() {
		if a.o.Inventory != nil {
			out = append(out, "How many of the named versions the inventory report lacks: each is looked up in the bucket.")
		} else {
			out = append(out, "How many versions lie under the committed folders: only the newest commits' files are counted. Older versions, delete markers and files that no commit names are listed too.")
		}
		unread, guessed, nameless := int64(0), int64(0), int64(0)
		for l, s := range x.sights {
			switch {
			case !l.known:
				nameless++
			case !a.scoped(l):
			case s.err != nil || s.id == "" || s.files == 0 && !s.whole:
				unread++
			case !s.whole:
				guessed++
			}
		}
		if guessed > 0 {
			out = append(out, fmt.Sprintf("The exact number of files of %s: it was computed from the object's size and its first %d KiB.", plural(guessed, "newest commit", "newest commits"), sightBytes>>10))
		}
		if unread > 0 {
			out = append(out, fmt.Sprintf("The files of %s, whose newest commit could not be read: they are not counted.", plural(unread, "log", "logs")))
		}
		if nameless > 0 {
			out = append(out, fmt.Sprintf("The folder of %s: to find it the audit may read every commit object's start and list the whole bucket.", plural(nameless, "log", "logs")))
		}
		if a.o.Depth == DepthReadable {
			out = append(out, "How many different versions all commits name together: each is read once.")
		}
		tags := false
		for _, r := range a.f.settings.Lifecycle {
			tags = tags || r.Enabled && len(r.Tags) > 0
		}
		if tags {
			out = append(out, "How many versions' tags are read, for lifecycle rules that go by tags.")
		}
		if a.f.settings.ObjectLock.Enabled || a.f.settings.ObjectLock.Holds {
			out = append(out, "How many versions' locks are read, where a lifecycle rule would remove them.")
		}
	}
	out = append(out, "Second looks at what seems damaged, and requests that fail and are made again.",
		"The price of bytes that leave the store's region or are read from another storage class.")
	if a.o.MaxDuration > 0 {
		out = append(out, fmt.Sprintf("How far an audit comes in %s.", a.o.MaxDuration))
	}
	return out
}
