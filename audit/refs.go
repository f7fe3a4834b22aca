package audit

import (
	"sort"
	"strings"
	"sync"

	"provcat-tui/commit"
)

// A ref is one version of one key that commits name. Commits that follow each
// other share most of their files, so each version is kept once, with the commits
// that name it as runs of their indexes.
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
	byName  map[string]int32 // key, NUL, version
	all     []ref
	commits []refCommit
	scratch []byte
}

// A refCommit is a commit whose files are among the refs.
type refCommit struct {
	CommitRef
	header commit.Header
	ok     bool // its hash was right: its files count
	files  int64
}

func newRefs() *refs { return &refs{byName: map[string]int32{}} }

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
	r.commits[c.index].files += int64(len(c.batch))
	for _, f := range c.batch {
		if strings.HasPrefix(c.prefix+f.Path, commit.Root) {
			continue // belongs to no folder; no writer names it
		}
		n := append(r.scratch[:0], c.prefix...)
		n = append(n, f.Path...)
		key := len(n)
		n = append(n, 0)
		n = append(n, f.Version...)
		r.scratch = n
		i, ok := r.byName[string(n)]
		if !ok {
			name := string(n)
			i = int32(len(r.all))
			r.byName[name] = i
			r.all = append(r.all, ref{key: name[:key], version: name[key+1:], etag: strings.Clone(f.ETag), size: f.Size})
		}
		x := &r.all[i]
		if x.size < 0 {
			x.size = f.Size
		}
		if x.etag == "" {
			x.etag = strings.Clone(f.ETag)
		}
		switch k := len(x.runs) - 1; {
		case k >= 0 && x.runs[k].last == c.index:
		case k >= 0 && x.runs[k].last == c.index-1:
			x.runs[k].last = c.index
		default:
			x.runs = append(x.runs, run{c.index, c.index})
		}
	}
	c.batch = c.batch[:0]
}

// done says that the commit's hash was right.
func (c *collector) done(h commit.Header) {
	c.flush()
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	h.Message = ""
	c.r.commits[c.index].header, c.r.commits[c.index].ok = h, true
}

// finish drops what only commits with a wrong hash name, sorts by key, and gives
// back the index by name.
func (r *refs) finish() {
	r.byName = nil
	kept := r.all[:0]
	for _, x := range r.all {
		if r.first(x) >= 0 {
			kept = append(kept, x)
		}
	}
	r.all = kept
	sort.Slice(r.all, func(i, j int) bool {
		a, b := &r.all[i], &r.all[j]
		if a.key != b.key {
			return a.key < b.key
		}
		return a.version < b.version
	})
}

// first gives the index of a counted commit that names x; -1: there is none.
func (r *refs) first(x ref) int32 {
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
func (r *refs) each(x ref, f func(i int32)) {
	for _, u := range x.runs {
		for i := u.first; i <= u.last; i++ {
			if r.commits[i].ok {
				f(i)
			}
		}
	}
}
