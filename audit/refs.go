package audit

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A ref is one version of one key as commits recorded it. Commits that follow each
// other share most of their files, so each record is kept once, with the commits
// that hold it as runs of their indexes. Commits that recorded other ETags or
// sizes of one version have refs of their own, side by side: only one can be right.
type ref struct {
	key, version, etag string
	size               int64 // -1: unknown
	runs               []run
}

// A run is a row of commits, by index, first to last.
type run struct{ first, last int32 }

// refs is every version that sound, logged commits name. A ref is known by its place in
// the order of key, version, ETag and size, once finish made that order.
type refs struct {
	mu      sync.Mutex
	records records
	order   []int32 // the numbers of the records that count, in order
	flat    []run   // of all records, in order of their numbers

	index index           // of records, by what they are; before finish, as what follows
	runs  parts[row]      // of each record, the first
	more  map[int32][]row // its others
	// recent is what the last commit that was read of each folder named, in its
	// order: the next one names most of the same.
	recent  map[string][]int32
	commits []refCommit
	tracks  tracks // of the folders: see snapshots_lane.go
}

// A refCommit is a commit whose files are among the refs.
type refCommit struct {
	CommitRef
	header commit.Header
	ok     bool // its hash was right, and it is of this folder: its files count
}

func newRefs() *refs { return &refs{more: map[int32][]row{}, recent: map[string][]int32{}} }

// collect makes the collector of one commit's files.
func (r *refs) collect(c CommitRef) *collector {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits = append(r.commits, refCommit{CommitRef: c})
	return &collector{r: r, index: int32(len(r.commits) - 1), prefix: commit.KeyPrefix(c.Folder)}
}

// finish drops what only commits that don't count name, sorts by key and version,
// and gives up the index.
func (r *refs) finish() {
	good := make([]int32, len(r.commits)+1) // how many before it count
	for i := range r.commits {
		good[i+1] = good[i]
		if r.commits[i].ok {
			good[i+1]++
		}
	}
	r.order = make([]int32, 0, r.records.n)
	r.flat = make([]run, 0, r.records.n) // most have one
	var scratch []run
	for i := range r.records.n {
		scratch = r.row(i).appendRuns(scratch[:0])
		for _, u := range r.more[i] {
			scratch = u.appendRuns(scratch)
		}
		x := r.records.of(i)
		x.runs = uint32(len(r.flat))
		if runs := joinRuns(scratch); anyCounted(runs, good) {
			r.flat = append(r.flat, runs...)
			r.order = append(r.order, i)
		}
	}
	r.index, r.runs, r.more, r.recent = index{}, nil, nil, nil
	slices.SortFunc(r.order, func(i, j int32) int {
		a, b := r.records.of(i), r.records.of(j)
		aKey, aVersion, aETag := r.records.strings(a)
		bKey, bVersion, bETag := r.records.strings(b)
		return cmp.Or(strings.Compare(aKey, bKey), strings.Compare(aVersion, bVersion), strings.Compare(aETag, bETag), cmp.Compare(a.size, b.size))
	})
}

// joinRuns puts runs in order, and makes one of those that meet, in place.
func joinRuns(runs []run) []run {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	out := runs[:1]
	for _, u := range runs[1:] {
		if last := &out[len(out)-1]; u.first <= last.last+1 {
			last.last = max(last.last, u.last)
		} else {
			out = append(out, u)
		}
	}
	return out
}

// only gives some of the refs, by their places, as refs of their own.
func (r *refs) only(places []int32) *refs {
	out := &refs{records: r.records, flat: r.flat, commits: r.commits, order: make([]int32, len(places))}
	for k, i := range places {
		out.order[k] = r.order[i]
	}
	return out
}

// refsTo gives refs to versions that no commit names, which are in order.
func refsTo(versions []bucket.Version) *refs {
	out := newRefs()
	for i, v := range versions {
		out.records.texts = append(out.records.texts, v.Key+v.ID+v.ETag)
		out.order = append(out.order, out.records.add(record{text: uint32(i), key: uint32(len(v.Key)), version: uint32(len(v.ID)), etag: uint32(len(v.ETag)), size: v.Size}))
	}
	return out
}

func (r *refs) len() int { return len(r.order) }

// at gives the ref at a place.
func (r *refs) at(i int32) ref {
	n := r.order[i]
	x := r.records.of(n)
	key, version, etag := r.records.strings(x)
	end := uint32(len(r.flat))
	if n+1 < r.records.n {
		end = r.records.of(n + 1).runs
	}
	return ref{key: key, version: version, etag: etag, size: x.size, runs: r.flat[x.runs:end:end]}
}

// appendRefs appends the refs at the places first to end-1.
func (r *refs) appendRefs(out []ref, first, end int32) []ref {
	for i := first; i < end; i++ {
		out = append(out, r.at(i))
	}
	return out
}

// key is that of the ref at a place.
func (r *refs) key(i int) string {
	key, _, _ := r.records.strings(r.records.of(r.order[i]))
	return key
}

// same says whether the refs at two places are records of one version.
func (r *refs) same(i, j int32) bool {
	a, b := r.records.of(r.order[i]), r.records.of(r.order[j])
	return a.key == b.key && a.version == b.version &&
		r.records.all(a)[:a.key+a.version] == r.records.all(b)[:b.key+b.version]
}

// under gives the refs whose keys have a prefix: first to end-1.
func (r *refs) under(prefix string) (first, end int) {
	first = sort.Search(r.len(), func(i int) bool { return r.key(i) >= prefix })
	end = first + sort.Search(r.len()-first, func(i int) bool { return !strings.HasPrefix(r.key(first+i), prefix) })
	return first, end
}

// count counts the versions behind the refs i to j-1.
func (r *refs) count(i, j int) int64 {
	n := int64(0)
	for k := i; k < j; k++ {
		if k == i || !r.same(int32(k), int32(k-1)) {
			n++
		}
	}
	return n
}

// each calls f for every counted commit that names x.
func (r *refs) each(x *ref, f func(i int32)) {
	for _, u := range x.runs {
		for i := u.first; i <= u.last; i++ {
			if r.commits[i].ok {
				f(i)
			}
		}
	}
}
