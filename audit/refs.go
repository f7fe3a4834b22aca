package audit

import (
	"bytes"
	"encoding/binary"
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
	mu      sync.Mutex
	byName  map[string]int32 // the record: see collector.flush
	all     []ref
	commits []refCommit
	// recent is what the last commit that was read of each folder named, in its
	// order: the next one names most of the same.
	recent  map[string][]int32
	scratch []byte
	tracks  tracks // of the folders: see snapshots_lane.go
}

// A refCommit is a commit whose files are among the refs.
type refCommit struct {
	CommitRef
	header commit.Header
	ok     bool // its hash was right, and it is of this folder: its files count
}

func newRefs() *refs { return &refs{byName: map[string]int32{}, recent: map[string][]int32{}} }

// collect makes the collector of one commit's files.
func (r *refs) collect(c CommitRef) *collector {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits = append(r.commits, refCommit{CommitRef: c})
	return &collector{r: r, index: int32(len(r.commits) - 1), prefix: commit.KeyPrefix(c.Folder)}
}

// A collector takes one commit's files, in batches, so that commits read side by
// side seldom wait for each other.
type collector struct {
	r      *refs
	index  int32
	prefix string
	batch  []commit.File
	mine   []int32 // the refs so far
	base   []int32 // those of a commit that was read before
	at     int     // in base
}

func (c *collector) file(f commit.File) {
	c.batch = append(c.batch, f)
	if len(c.batch) == 512 {
		c.flush()
	}
}

func (c *collector) flush() {
	r := c.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.base == nil {
		c.base = r.recent[c.prefix]
	}
	for _, f := range c.batch {
		if i, ok := c.known(f); ok {
			r.all[i].add(c.index)
			c.mine = append(c.mine, i)
			continue
		}
		n := append(r.scratch[:0], c.prefix...)
		n = append(n, f.Path...)
		if f.Version == "" || bytes.HasPrefix(n, []byte(commit.Root)) {
			continue // names nothing (commit-files-invalid), or belongs to no folder
		}
		key := len(n)
		n = append(n, f.Version...)
		version := len(n)
		// Some tools record the ETag with its quotes.
		n = append(n, strings.Trim(f.ETag, `"`)...)
		etag := len(n)
		// The lengths keep records apart that run together to the same bytes.
		n = binary.AppendVarint(n, f.Size)
		n = binary.AppendUvarint(n, uint64(key))
		n = binary.AppendUvarint(n, uint64(version))
		r.scratch = n
		i, ok := r.byName[string(n)]
		if !ok {
			name := string(n)
			i = int32(len(r.all))
			r.byName[name] = i
			r.all = append(r.all, ref{key: name[:key], version: name[key:version], etag: name[version:etag], size: f.Size})
		}
		r.all[i].add(c.index)
		c.mine = append(c.mine, i)
	}
	c.batch = c.batch[:0]
}

// known finds a file's record in the commit that was read before, by going down
// both lists together: both are in order of path, and where one is not, the index
// by name serves.
func (c *collector) known(f commit.File) (int32, bool) {
	for c.at < len(c.base) {
		i := c.base[c.at]
		x := &c.r.all[i]
		path := x.key[len(c.prefix):]
		if path < f.Path {
			c.at++
			continue
		}
		return i, path == f.Path && x.version == f.Version && x.size == f.Size && x.etag == strings.Trim(f.ETag, `"`)
	}
	return 0, false
}

// add notes that commit i holds the record. Commits are read side by side, so they
// come nearly in order.
func (x *ref) add(i int32) {
	for k := len(x.runs) - 1; k >= max(0, len(x.runs)-4); k-- {
		u := &x.runs[k]
		switch {
		case u.first <= i && i <= u.last:
			return
		case u.last == i-1:
			u.last = i
			return
		case u.first == i+1:
			u.first = i
			return
		}
	}
	x.runs = append(x.runs, run{i, i})
}

// done says that the commit's hash was right. A commit of another folder than its
// log's is misfiled: its paths lie elsewhere.
func (c *collector) done(h commit.Header) {
	c.flush()
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	h.Message = ""
	x := &c.r.commits[c.index]
	x.header, x.ok = h, h.Folder == x.Folder
	c.r.recent[c.prefix] = c.mine
}

// finish drops what only commits that don't count name, sorts by key and version,
// and gives up the index by name.
func (r *refs) finish() {
	r.byName, r.recent = nil, nil
	kept := r.all[:0]
	for i := range r.all {
		if x := &r.all[i]; r.first(x) >= 0 {
			kept = append(kept, *x)
		}
	}
	r.all = kept
	sort.Slice(r.all, func(i, j int) bool {
		a, b := &r.all[i], &r.all[j]
		if a.key != b.key {
			return a.key < b.key
		}
		if a.version != b.version {
			return a.version < b.version
		}
		if a.etag != b.etag {
			return a.etag < b.etag
		}
		return a.size < b.size
	})
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

// first gives the index of a counted commit that names x; -1: there is none.
func (r *refs) first(x *ref) int32 {
	for _, u := range x.runs {
		for i := u.first; i <= u.last; i++ {
			if r.commits[i].ok {
				return i
			}
		}
	}
	return -1
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
