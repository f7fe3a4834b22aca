package views

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// The commits that name an object's versions are read without being asked as long as
// they are at most namesCommits, or namesBytes of their objects.
const (
	namesCommits = 200
	namesBytes   = 64 << 20
	// namesAside is how many commit objects are read side by side: each may be large.
	namesAside = 4
)

// A mention is a commit that names a version of the key.
type mention struct {
	read bool // else it could not be
	has  bool // it names one
	file commit.File
}

// An entry of a log above the key: a commit that may name a version of it.
type namer struct {
	folder string
	number int64
	id     string
	time   time.Time // of the log entry; zero: unknown
	gone   bool      // the entry is deleted: what it named last
}

// namesNews is what the search finds, piece by piece: an entry, or what a commit says.
type namesNews struct {
	namer
	entry   bool
	mention mention
	unread  int64  // entries that are gone or could not be read
	failed  string // the folder whose log could not be listed
	err     error
}

// names is what is known of the commits that name the versions of a key.
type names struct {
	known   map[string]mention // by commit ID: their objects never change
	entries []namer            // of all logs above, each newest first
	unread  int64
	failed  []string
	err     error // of the first thing that could not be read
	valve   *valve
	running bool
	done    bool // all that there is was looked at
	work    *work
	// What follows is worked out of the entries.
	text   map[string]string      // by version: "#3–17 of sales/2026"
	newest map[string]namer       // by version: the newest commit that names it
	files  map[string]commit.File // as that commit recorded it
	asked  int64                  // commits that were looked at
}

// logsAbove are the folders whose commits may name a key, the nearest first.
func logsAbove(key string) []string {
	if strings.HasPrefix(key, commit.Root) {
		return nil // keys of the format belong to no folder
	}
	dir := key[:strings.LastIndexByte(key, '/')+1]
	for ; dir != ""; dir = dir[:strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')+1] {
		if f, err := commit.FolderOf(dir); err == nil {
			return append([]string{f}, commit.Ancestors(f)...)
		}
	}
	return []string{""}
}

// findNames looks through the logs above the key, newest commits first. What was
// found of a commit before is kept.
func (s *objectScreen) findNames() action {
	n := &s.names
	if n.known == nil {
		n.known = map[string]mention{}
	}
	known := make(map[string]bool, len(n.known))
	for id, m := range n.known {
		known[id] = m.read
	}
	*n = names{known: n.known, valve: newValve(namesCommits), running: true}
	v := n.valve
	n.work = aside(load("names", "Looking for the commits that name it", func(ctx context.Context, add func(namesNews)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(namesAside)
		for _, folder := range logsAbove(s.keyName) {
			path := strings.TrimPrefix(s.keyName, commit.KeyPrefix(folder))
			for slot, err := range commit.Log(gctx, s.b, commit.FolderHash(folder), s.parallel()) {
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case err != nil:
					add(namesNews{failed: folderName(folder), err: err})
					continue
				case slot.Gap > 0:
					add(namesNews{unread: slot.Gap})
					continue
				}
				e := namer{folder, slot.Number, slot.Entry.Commit, slot.Entry.Time, false}
				if slot.Err != nil {
					last, ok := lastNamed(gctx, s.b, slot)
					if !ok {
						add(namesNews{unread: 1, err: slot.Err})
						continue
					}
					e = namer{folder, slot.Number, last.Commit, last.Time, true}
				}
				if _, ok := known[e.id]; ok && known[e.id] {
					add(namesNews{namer: e, entry: true})
					continue
				}
				known[e.id] = true
				if err := v.pass(ctx); err != nil {
					return err
				}
				add(namesNews{namer: e, entry: true})
				g.Go(func() error {
					m, n, err := mentionIn(gctx, s.b, e.id, path)
					v.charge(int(n * namesCommits / namesBytes))
					if gctx.Err() == nil {
						add(namesNews{namer: e, mention: m, err: err})
					}
					return gctx.Err()
				})
			}
		}
		return g.Wait()
	}, func(news []namesNews) action {
		for _, x := range news {
			n.take(x)
		}
		n.sum()
		n.work.text = fmt.Sprintf("Looking for the commits that name it: %s read", count(n.asked))
		s.learnt()
		return s.loadPreview()
	}, func(err error) action {
		n.running, n.done = false, err == nil
		s.learnt()
		return s.loadPreview()
	}))
	n.work.waits = v.waits
	return begin{n.work}
}

// lastNamed is what a deleted entry named last: its commit can still be read by its ID.
func lastNamed(ctx context.Context, b bucket.Bucket, slot commit.Slot) (e commit.Entry, ok bool) {
	if !errors.Is(slot.Err, commit.ErrDeleted) {
		return e, false
	}
	for _, v := range slot.Versions {
		if v.DeleteMarker {
			continue
		}
		e, err := commit.LoadEntry(ctx, b, slot.Key, v.ID)
		return e, err == nil
	}
	return e, false
}

// charge takes n items off what may still pass.
func (v *valve) charge(n int) {
	v.mu.Lock()
	v.passed += max(n, 0)
	v.mu.Unlock()
}

// mentionIn reads a commit's files until past the path, and tells how many bytes.
func mentionIn(ctx context.Context, b bucket.Bucket, id, path string) (m mention, read int64, err error) {
	c := &counted{Bucket: b}
	defer func() { read = c.n.Load() }()
	for f, err := range commit.Files(ctx, c, id) {
		if err != nil {
			return mention{}, 0, err // what came before does not count
		}
		if f.Path == path && !m.has {
			m.has, m.file = true, f
		}
		if f.Path > path {
			break
		}
	}
	m.read = true
	return m, 0, nil
}

// counted counts the bytes that are read of a bucket's objects.
type counted struct {
	bucket.Bucket
	n atomic.Int64
}

func (c *counted) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	r, v, err := c.Bucket.Open(ctx, key, version, first)
	if err != nil {
		return r, v, err
	}
	return countedBody{r, &c.n}, v, nil
}

type countedBody struct {
	io.ReadCloser
	n *atomic.Int64
}

func (b countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n.Add(int64(n))
	return n, err
}

// take takes in a piece of news.
func (n *names) take(x namesNews) {
	if n.err == nil {
		n.err = x.err
	}
	switch {
	case x.failed != "":
		n.failed = append(n.failed, x.failed)
	case x.unread > 0:
		n.unread += x.unread
	case x.entry:
		n.entries = append(n.entries, x.namer)
	default:
		n.known[x.id] = x.mention
		if x.err != nil {
			n.unread++
		}
	}
}

// sum puts into words which commits name each version: rows of numbers without a
// commit between that names another, by log.
func (n *names) sum() {
	type row struct {
		from, to int64
		gone     bool
	}
	rows := map[string]map[string][]row{} // by version, then folder
	var order []string                    // folders, the nearest first
	n.newest, n.files, n.asked = map[string]namer{}, map[string]commit.File{}, 0
	for i, e := range n.entries {
		if len(order) == 0 || order[len(order)-1] != e.folder {
			order = append(order, e.folder)
		}
		m, ok := n.known[e.id]
		if ok {
			n.asked++
		}
		if !m.has {
			continue
		}
		id := m.file.Version
		if old, ok := n.newest[id]; !ok || e.time.After(old.time) {
			n.newest[id], n.files[id] = e, m.file
		}
		if rows[id] == nil {
			rows[id] = map[string][]row{}
		}
		rs := rows[id][e.folder]
		if k := len(rs); k > 0 && !e.gone && !rs[k-1].gone && rs[k-1].from == e.number+1 && n.entries[i-1].number == e.number+1 {
			rs[k-1].from = e.number
		} else {
			rs = append(rs, row{e.number, e.number, e.gone})
		}
		rows[id][e.folder] = rs
	}
	n.text = make(map[string]string, len(rows))
	for id, by := range rows {
		var parts []string
		for _, folder := range order {
			var nums []string
			for i, r := range by[folder] {
				if i == 3 {
					nums = append(nums, fmt.Sprintf("%d more", len(by[folder])-3))
					break
				}
				switch {
				case r.gone:
					nums = append(nums, fmt.Sprintf("#%d (entry deleted)", r.to))
				case r.from == r.to:
					nums = append(nums, fmt.Sprintf("#%d", r.to))
				default:
					nums = append(nums, fmt.Sprintf("#%d–%d", r.from, r.to))
				}
			}
			if len(nums) > 0 {
				parts = append(parts, strings.Join(nums, ", ")+" of "+folderName(folder))
			}
		}
		n.text[id] = strings.Join(parts, "; ")
	}
}

// state says what is not known of the commits that name the versions; empty: nothing.
func (n *names) state(e *env) (ui.Tone, string) {
	switch {
	case len(n.failed) > 0:
		return ui.Unsure, "? The log of " + n.failed[0] + " could not be read, its commits may name versions too: " + n.err.Error()
	case n.unread > 0:
		return ui.Unsure, "? " + plural(n.unread, "commit") + " could not be read: may name it too"
	case n.valve != nil && n.running && n.valve.waits():
		return ui.Warn, "! Only the newest " + plural(n.asked, "commit") + e.keys(" above it were looked at: {goon} goes on")
	case !n.running && !n.done && n.known != nil:
		return ui.Unsure, e.keys("? The search for commits that name it was cancelled: {goon} goes on with it")
	}
	return ui.Plain, ""
}
