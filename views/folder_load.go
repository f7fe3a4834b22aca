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
	deleted int
	bytes   int64 // of the live files
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
			files = append(files, it.file)
			if it.file.v.DeleteMarker {
				s.level.deleted++
			} else {
				s.level.bytes += it.file.v.Size
			}
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
	return s.files.add(files)
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
// that of the nearest folder above that knows it.
func resolveUp(ctx context.Context, b bucket.Bucket, folder, ref string) (in string, r commit.Ref, err error) {
	var first error
	orphanIn, orphan := "", commit.Ref{}
	for _, f := range append([]string{folder}, foldersAbove(folder)...) {
		r, err := commit.Resolve(ctx, b, f, ref)
		switch {
		case errors.Is(err, commit.ErrUnknownRef):
			if first == nil {
				first = err
			}
		case err != nil:
			// A commit further up would be a guess at what was meant.
			return f, r, err
		case r.Live || r.Number > 0:
			return f, r, nil
		case orphan.ID == "":
			orphanIn, orphan = f, r // an ID that this log doesn't name; one above may
		}
	}
	if orphan.ID != "" {
		return orphanIn, orphan, nil
	}
	return folder, commit.Ref{}, first
}

func (s *folder) loadHead() action {
	s.head = headLine{}
	name, why := canCommit(s.prefix())
	if why != "" {
		return stop{"head"}
	}
	return begin{load("head", "Looking for the newest commit of "+folderName(name), func(ctx context.Context, add func(headLine)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		var h headLine
		h.slot, h.err = commit.Head(ctx, s.b, name)
		if h.err == nil && h.slot.Number > 0 && h.slot.Err == nil {
			h.header, h.err = commit.LoadHeader(ctx, s.b, h.slot.Entry.Commit)
			h.known = h.err == nil
		}
		if h.err == nil && h.slot.Number == 0 {
			h.lookAbove(ctx, s.b, name)
		}
		h.done = true
		add(h)
		return nil
	}, func(h []headLine) action {
		s.head = h[len(h)-1]
		return nil
	}, func(err error) action {
		if err != nil {
			s.head = headLine{done: true, err: err}
		}
		return nil
	})}
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
	in, longest := name, 0
	return all{stop{"level"}, stop{"filter"}, begin{load("at", "Reading commit "+at.ref, func(ctx context.Context, add func(fileRow)) (err error) {
		if in, ref, err = resolveUp(ctx, s.b, name, at.ref); err != nil {
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
		at.id, at.num, at.in, at.err, at.done = ref.ID, ref.Number, in, err, err == nil
		return nil
	})}}
}
