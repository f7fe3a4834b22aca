package views

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// window is how many names of a folder are loaded before the person scrolls on.
const window = 5000

// settleTime is how long the cursor must rest on a folder before it is asked for;
// shorter in tests.
var settleTime = 120 * time.Millisecond

// level is what is known of the selected folder's one level.
type level struct {
	prefix  string
	valve   *valve
	folders int
	deleted int   // keys that are deleted, shown or not
	bytes   int64 // of the live files
	hidden  []fileRow
	done    bool
	err     error
}

// levelItem is one name: a folder's prefix, or a key.
type levelItem struct {
	folder string
	file   fileRow
}

// loadLevel lists the selected folder, after the cursor rested.
func (s *folder) loadLevel(after time.Duration) action {
	prefix, node := s.prefix(), s.tree.Selected()
	v := newValve(window)
	s.level = level{prefix: prefix, valve: v}
	s.files.reset()
	s.files.table.Columns = liveColumns
	s.files.table.Relayout()
	for _, n := range s.nodes {
		n.Loading = false
	}
	node.Loading = true
	seen := map[string]bool{}
	w := load("level", "Listing "+s.url(prefix), func(ctx context.Context, add func(levelItem)) error {
		if after > 0 && !rest(ctx, after) {
			return ctx.Err()
		}
		return readLevel(ctx, s.b, prefix, v, add)
	}, func(items []levelItem) action {
		return s.addLevel(node, items, seen)
	}, func(err error) action {
		node.Loading = false
		s.level.done, s.level.err = err == nil, err
		if err == nil {
			node.Children = slices.DeleteFunc(node.Children, func(c *ui.Node) bool {
				p, _ := c.Value.(string)
				if seen[p] {
					return false
				}
				for k := range s.nodes {
					if strings.HasPrefix(k, p) {
						delete(s.nodes, k)
					}
				}
				return true
			})
			node.Loaded, node.Leaf = true, len(node.Children) == 0
			s.tree.Refresh()
		}
		return nil
	})
	w.waits = v.waits
	return all{stop{"filter"}, begin{w}}
}

// readLevel reads a level and puts the versions of each key together.
func readLevel(ctx context.Context, b bucket.Bucket, prefix string, v *valve, add func(levelItem)) error {
	var cur *fileRow
	flush := func() {
		if cur != nil {
			add(levelItem{file: *cur})
			cur = nil
		}
	}
	for item, err := range b.Level(ctx, prefix) {
		if err != nil {
			return err
		}
		if item.Folder == "" && cur != nil && cur.key == item.Version.Key {
			cur.versions++
			continue
		}
		flush()
		if err := v.pass(ctx); err != nil {
			return err
		}
		if item.Folder != "" {
			add(levelItem{folder: item.Folder})
			continue
		}
		cur = &fileRow{name: strings.TrimPrefix(item.Version.Key, prefix), key: item.Version.Key, v: item.Version, versions: 1}
	}
	flush()
	return ctx.Err()
}

func (s *folder) addLevel(node *ui.Node, items []levelItem, seen map[string]bool) action {
	var files []fileRow
	grown := false
	for _, it := range items {
		if it.folder == "" {
			if it.file.v.Live() {
				s.level.bytes += max(it.file.v.Size, 0)
			} else {
				s.level.deleted++
				if s.hideDeleted {
					s.level.hidden = append(s.level.hidden, it.file)
					continue
				}
			}
			files = append(files, it.file)
			continue
		}
		seen[it.folder] = true
		s.level.folders++
		if s.nodes[it.folder] == nil {
			s.child(node, it.folder)
			grown = true
		}
	}
	if grown {
		slices.SortStableFunc(node.Children, func(a, b *ui.Node) int {
			x, _ := a.Value.(string)
			y, _ := b.Value.(string)
			if (x == commit.Root) != (y == commit.Root) { // the format's own keys come last
				if x == commit.Root {
					return 1
				}
				return -1
			}
			return strings.Compare(x, y)
		})
		s.tree.Refresh()
	}
	act := s.files.add(files)
	s.putCursor()
	return act
}

// putCursor puts the cursor on the key that it was on, once that has come.
func (s *folder) putCursor() {
	if s.again == "" || s.files.filter.Active() {
		return
	}
	for i := range s.files.Len() {
		if k := s.files.at(i).key; k == s.again {
			s.files.table.Cursor, s.again = i, ""
			return
		}
	}
}

// hide hides the deleted keys, or shows them again.
func (s *folder) hide() action {
	s.hideDeleted = !s.hideDeleted
	if r := s.files.selected(); r != nil {
		s.again = r.key
	}
	rows := s.files.items
	if s.hideDeleted {
		kept := make([]fileRow, 0, len(rows))
		for _, r := range rows {
			if r.v.Live() {
				kept = append(kept, r)
			} else {
				s.level.hidden = append(s.level.hidden, r)
			}
		}
		rows = kept
	} else {
		rows = merged(rows, s.level.hidden)
		s.level.hidden = nil
	}
	s.files.reset()
	act := s.files.add(rows)
	s.putCursor()
	s.again = ""
	return all{stop{"filter"}, act}
}

// merged puts two lists in order of key together, in time that grows with them only.
func merged(a, b []fileRow) []fileRow {
	out := make([]fileRow, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].key < b[0].key {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// headLine is what is known of the selected folder's newest commit.
type headLine struct {
	slot   commit.Slot
	header commit.Header
	known  bool  // the header was read
	err    error // of the log's listing, or of the header
	done   bool
	// above is the nearest folder above that has a log, aboveSlot its head; looked
	// for where the folder itself has no log. aboveSlot.Number 0: there is none.
	above     string
	aboveSlot commit.Slot
}

// lookAbove finds the nearest folder above that has a log.
func (h *headLine) lookAbove(ctx context.Context, b bucket.Bucket, folder string) {
	for _, f := range foldersAbove(folder) {
		slot, err := commit.Head(ctx, b, f)
		if err != nil {
			h.err = err
			return
		}
		if slot.Number > 0 {
			h.above, h.aboveSlot = f, slot
			return
		}
	}
}

// foldersAbove are the folders above one that may have a log, nearest first.
func foldersAbove(folder string) []string {
	return slices.DeleteFunc(commit.Ancestors(folder), func(f string) bool {
		_, err := commit.FolderOf(f)
		return err != nil
	})
}

// resolveUp finds the commit that a REF means for a folder: in its own log, else in
// that of the nearest folder above that knows it. hidden is as of resolveToRead.
func resolveUp(ctx context.Context, b bucket.Bucket, folder, ref string) (in string, r commit.Ref, hidden int64, err error) {
	var first error
	orphanIn, orphan := "", commit.Ref{}
	for _, f := range append([]string{folder}, foldersAbove(folder)...) {
		r, hidden, err := resolveToRead(ctx, b, f, ref)
		switch {
		case errors.Is(err, commit.ErrUnknownRef):
			if first == nil {
				first = err
			}
		case err != nil:
			// A commit further up would be a guess at what was meant.
			return f, r, 0, err
		case r.Live || r.Number > 0 || hidden > 0:
			return f, r, hidden, nil
		case orphan.ID == "":
			orphanIn, orphan = f, r // an ID that this log doesn't name; one above may
		}
	}
	if orphan.ID != "" {
		return orphanIn, orphan, 0, nil
	}
	return folder, commit.Ref{}, 0, first
}

func (s *folder) loadHead() action {
	s.head = headLine{}
	name, why := canCommit(s.prefix())
	if why != "" {
		return stop{"head"} // nothing is told of the format's own keys
	}
	return begin{aside(load("head", "Looking for the newest commit of "+folderName(name), func(ctx context.Context, add func(headLine)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		h := readHead(ctx, s.b, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		add(h)
		return nil
	}, func(h []headLine) action {
		s.head = h[len(h)-1]
		if w := s.head.wrong(); w != "" {
			s.facts().looked(name, w)
		}
		if s.at != nil {
			return nil
		}
		return s.loadRest()
	}, func(err error) action {
		if err != nil {
			s.head = headLine{done: true, err: err}
		}
		return nil
	}))}
}

// readHead looks for a folder's newest commit, and where it has none above it.
func readHead(ctx context.Context, b bucket.Bucket, folder string) headLine {
	var h headLine
	h.slot, h.err = commit.Head(ctx, b, folder)
	if h.err == nil && h.slot.Number > 0 && h.slot.Err == nil {
		h.header, h.err = commit.LoadHeader(ctx, b, h.slot.Entry.Commit)
		h.known = h.err == nil
	}
	if h.err == nil && h.slot.Number == 0 {
		h.lookAbove(ctx, b, folder)
	}
	h.done = true
	return h
}

// same says that nothing new was committed.
func (h *headLine) same(x *headLine) bool {
	return h.slot.Number == x.slot.Number && h.slot.Entry.Commit == x.slot.Entry.Commit && (h.slot.Err == nil) == (x.slot.Err == nil) &&
		h.above == x.above && h.aboveSlot.Number == x.aboveSlot.Number && (h.err == nil) == (x.err == nil)
}

// wrong says in a few words what is damaged at the head; empty: nothing that was seen.
func (h *headLine) wrong() string {
	switch {
	case errors.Is(h.slot.Err, commit.ErrDeleted):
		return "the newest log entry was deleted"
	case errors.Is(h.slot.Err, commit.ErrEntry):
		return "the newest log entry is none"
	case h.slot.Number > 0 && errors.Is(h.err, bucket.ErrNotFound):
		return "the object of the newest commit is gone"
	case errors.Is(h.err, commit.ErrCorrupt), errors.Is(h.err, commit.ErrFormat):
		return "the object of the newest commit is not what was committed"
	}
	return ""
}

// loadAt loads the folder's files as a commit names them.
func (s *folder) loadAt() action {
	name, _ := canCommit(s.prefix())
	at := s.at
	at.err, at.done = nil, false
	s.files.reset()
	s.files.table.Columns = atColumns
	s.level = level{prefix: s.prefix()}
	var ref commit.Ref
	in, longest, hidden := name, 0, int64(0)
	return all{stop{"level"}, stop{"filter"}, begin{load("at", "Reading commit "+at.ref, func(ctx context.Context, add func(fileRow)) (err error) {
		if in, ref, hidden, err = resolveUp(ctx, s.b, name, at.ref); err != nil {
			return err
		}
		above := commit.KeyPrefix(in)
		below := strings.TrimPrefix(commit.KeyPrefix(name), above)
		for f, err := range commit.Files(ctx, s.b, ref.ID) {
			if err != nil {
				return err
			}
			path, ok := strings.CutPrefix(f.Path, below)
			if !ok {
				continue
			}
			key := above + f.Path
			add(fileRow{name: path, key: key, v: bucket.Version{Key: key, ID: f.Version, ETag: f.ETag, Size: f.Size}})
		}
		return nil
	}, func(rows []fileRow) action {
		for _, r := range rows {
			s.level.bytes += max(r.v.Size, 0)
			longest = max(longest, ui.Width(r.name))
		}
		// The other columns go before a path is cut.
		columns := slices.Clone(atColumns)
		columns[0].Min = max(columns[0].Min, min(longest, 60))
		s.files.table.Columns = columns
		s.files.table.Relayout()
		return s.files.add(rows)
	}, func(err error) action {
		at.id, at.num, at.in, at.hidden, at.err, at.done = ref.ID, ref.Number, in, hidden, err, err == nil
		return nil
	})}}
}
