package views

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// What a commit changed is read without being asked where that takes at most
// countEach bytes of commit objects, and countAll for all of a log's screen.
const (
	countEach = 8 << 20
	countAll  = 64 << 20
	// countAside is how many commits are compared side by side: each may be large.
	countAside = 4
	// keptChanges is how many of a commit's changed files are kept, the first by path.
	keptChanges = 40
)

// changes is what a commit changed against its parent.
type changes struct {
	added, changed, removed int64
	// files is how many the commit holds, bytes the sum of their known sizes; grew is
	// how much larger that is than the parent's.
	files, bytes, grew int64
	first              []commit.Change
	// held: the objects are too large to be read unasked.
	held bool
	err  error // why it is not known
}

// countRows finds out what the commits on the screen changed, and a few below.
func (s *logScreen) countRows() action {
	if s.counting {
		return nil
	}
	from, to := s.list.table.Window(s.list.Len())
	to = min(to+(to-from)/2, s.list.Len())
	var rows []*logRow
	for i := from; i < to; i++ {
		if r := *s.list.at(i); s.countable(r) {
			r.counting = true
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	type answer struct {
		row *logRow
		c   *changes
	}
	free := s.countFree
	s.counting, s.countFree = true, false
	text := "Comparing " + plural(int64(len(rows)), "commit") + " with " + map[bool]string{true: "its parent", false: "their parents"}[len(rows) == 1]
	return begin{load("counts", text, func(ctx context.Context, add func(answer)) error {
		return sideBySide(ctx, rows, min(s.parallel(), countAside), func(r *logRow) {
			c := s.count(ctx, r, free)
			if ctx.Err() == nil {
				add(answer{r, c})
			}
		})
	}, func(got []answer) action {
		for _, a := range got {
			a.row.changes = a.c
		}
		return nil
	}, func(err error) action {
		s.counting = false
		for _, r := range rows {
			r.counting = false
		}
		if err != nil { // cancelled: until the cursor moves
			return nil
		}
		return s.countRows()
	})}
}

// countable says that a row's commit is to be compared now. Where its parent stands
// below it and is being read, that is waited for: then it is at hand.
func (s *logScreen) countable(r *logRow) bool {
	d := r.detail.Load()
	if r.slot.Gap > 0 || r.counting || d == nil || d.light || !d.known || d.err != nil ||
		r.changes != nil && !(r.changes.held && s.countFree) {
		return false
	}
	_, below := s.neighbours(r)
	return below == nil || below.commit() != d.header.Parent || below.asked < askedAll || below.detail.Load() != nil && !below.detail.Load().light
}

// count compares a commit with its parent; free: whatever it takes.
func (s *logScreen) count(ctx context.Context, r *logRow, free bool) *changes {
	d := r.detail.Load()
	m := &metered{Bucket: s.b, all: &s.countLeft, left: countEach, free: free}
	c := &changes{}
	var files, held int64
	to := func(yield func(commit.File, error) bool) {
		for f, err := range s.filesOf(ctx, m, r.commit()) {
			if err == nil {
				files++
				held = plus(held, max(f.Size, 0))
			}
			if !yield(f, err) {
				return
			}
		}
	}
	for x, err := range commit.Diff(s.filesOf(ctx, m, d.header.Parent), to) {
		if err != nil {
			if errors.Is(err, errBudget) {
				return &changes{held: true}
			}
			return &changes{err: err}
		}
		c.add(x)
	}
	c.files, c.bytes = files, held
	return c
}

func (c *changes) add(x commit.Change) {
	switch x.Kind {
	case commit.Added:
		c.added++
	case commit.Removed:
		c.removed++
	default:
		c.changed++
	}
	c.grew = plus(c.grew, max(x.To.Size, 0)-max(x.From.Size, 0))
	if len(c.first) < keptChanges {
		c.first = append(c.first, x)
	}
}

// plus adds two numbers and stays at the ends of their range.
func plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < -math.MaxInt64-b:
		return -math.MaxInt64
	}
	return a + b
}

// filesOf streams a commit's files, out of what is kept where they are; none for no
// commit.
func (s *logScreen) filesOf(ctx context.Context, b bucket.Bucket, id string) iter.Seq2[commit.File, error] {
	if files, ok := s.small.get(id); ok {
		return func(yield func(commit.File, error) bool) {
			for _, f := range files {
				if !yield(f, nil) {
					return
				}
			}
		}
	}
	return commit.FilesOf(ctx, b, s.folder, commit.Ref{ID: id})
}

// metered ends the reading of objects with errBudget where one comparison, or all of
// them, have read enough. Unless it is free.
type metered struct {
	bucket.Bucket
	mu   sync.Mutex
	left int64
	all  *allowance
	free bool
}

// An allowance is what may still be read, in bytes.
type allowance struct {
	mu   sync.Mutex
	left int64
}

func (a *allowance) take(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left -= n
	return a.left >= 0
}

// covers says whether n bytes may be read.
func (a *allowance) covers(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return n <= a.left
}

func (m *metered) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	if m.free {
		return m.Bucket.Open(ctx, key, version, first)
	}
	r, v, err := m.Bucket.Open(ctx, key, version, first)
	if err != nil {
		return r, v, err
	}
	m.mu.Lock()
	left := m.left
	m.mu.Unlock()
	if v.Size > left || !m.all.covers(v.Size) {
		_ = r.Close() // nothing was read of it
		return nil, v, errBudget
	}
	return &meteredBody{r, m}, v, nil
}

type meteredBody struct {
	io.ReadCloser
	m *metered
}

func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.m.mu.Lock()
	b.m.left -= int64(n)
	over := b.m.left < 0
	b.m.mu.Unlock()
	if !b.m.all.take(int64(n)) || over {
		return 0, errBudget
	}
	return n, err
}

// smallFiles keeps the files of small commits, the last ones that were read: the next
// newer commit is compared with them. Safe for several goroutines.
type smallFiles struct {
	mu    sync.Mutex
	files map[string][]commit.File
	sizes map[string]int
	order []string
	total int
}

// keptSmall bounds the sizes of the commit objects whose files are kept, in bytes.
const keptSmall = 16 << 20

// put keeps a commit's files; size is its object's. On nil it does nothing.
func (k *smallFiles) put(id string, files []commit.File, size int) {
	if k == nil {
		return
	}
	byPath := func(a, b commit.File) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(files, byPath) {
		slices.SortStableFunc(files, byPath) // as commit.Files does
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.files[id]; ok {
		return
	}
	if k.files == nil {
		k.files, k.sizes = map[string][]commit.File{}, map[string]int{}
	}
	k.files[id], k.sizes[id] = files, size
	k.order = append(k.order, id)
	for k.total += size; k.total > keptSmall; k.order = k.order[1:] {
		old := k.order[0]
		k.total -= k.sizes[old]
		delete(k.files, old)
		delete(k.sizes, old)
	}
}

func (k *smallFiles) get(id string) ([]commit.File, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	files, ok := k.files[id]
	return files, ok
}

// few is a number in at most four columns.
func few(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 100_000:
		return strconv.FormatInt(n/1000, 10) + "k"
	case n < 1_000_000:
		return "." + strconv.FormatInt(n/100_000, 10) + "M"
	case n < 100_000_000:
		return strconv.FormatInt(n/1_000_000, 10) + "M"
	}
	return "lots"
}
