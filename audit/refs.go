package audit

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"

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

// refs is every version that sound, logged commits name.
type refs struct {
	mu    sync.Mutex
	all   []ref           // without runs before finish
	index index           // of all, by what they are
	runs  []row           // of each of all, the first
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
	kept := r.all[:0]
	flat := make([]run, 0, len(r.all)) // one array for most
	var scratch []run
	for i := range r.all {
		x := r.all[i]
		scratch = r.runs[i].appendRuns(scratch[:0])
		for _, u := range r.more[int32(i)] {
			scratch = u.appendRuns(scratch)
		}
		n := len(flat)
		flat = append(flat, joinRuns(scratch)...)
		if x.runs = flat[n:len(flat):len(flat)]; x.any(good) {
			kept = append(kept, x)
		} else {
			flat = flat[:n]
		}
	}
	clear(r.all[len(kept):])
	r.all, r.index, r.runs, r.more, r.recent = kept, index{}, nil, nil, nil
	slices.SortFunc(r.all, func(a, b ref) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.version, b.version), strings.Compare(a.etag, b.etag), cmp.Compare(a.size, b.size))
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

// same says whether two refs are records of one version.
func (x *ref) same(y *ref) bool { return x.key == y.key && x.version == y.version }

func (r *refs) len() int { return len(r.all) }

func (r *refs) key(i int) string { return r.all[i].key }

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
		if k == i || !r.all[k].same(&r.all[k-1]) {
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
