package views

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// The finder lists folders that were not opened yet while it is open: one request at
// a time, nearest first, a few at first and more only while little was found. Folders that an
// earlier walk listed are remembered, see known.keepLevel.
const (
	walkFirst  = 20     // folders listed at once
	walkMost   = 500    // in all
	walkNames  = 2000   // of one folder
	walkHere   = 50_000 // of the current one
	walkPage   = 1000   // names that count like one more folder
	enoughHits = 20     // with these nobody needs more folders
)

// walkItem is a folder or a file that the walk found.
type walkItem struct {
	folder string
	file   fileRow
}

func (w walkItem) text() string {
	if w.folder != "" {
		return w.folder
	}
	return w.file.key
}

func (w walkItem) note() string {
	switch {
	case w.folder != "":
		return "folder"
	case w.file.v.DeleteMarker:
		return "deleted file"
	}
	return "file"
}

// walkNews is what one listing gave.
type walkNews struct {
	items []walkItem
	left  int  // folders that wait to be listed
	cut   bool // of a folder not all names were taken
	// level is a folder that was listed to the end of what is taken; before: it was
	// remembered from an earlier walk.
	level  *walkLevel
	before bool
}

// walk is the state of the listing that goes on behind the finder.
type walk struct {
	from  *folder // nil: there is none to walk
	valve *valve
	found []walkItem
	left  int
	cut   bool
	begun bool
	done  bool
	err   error
	// kept are the folders that earlier walks listed, as of the start of this one;
	// before: some of what was found is of them.
	kept   map[string]*walkLevel
	before bool
	// Known at the start: the folders of the tree, and the last file of the level
	// that is on the screen.
	prefix  string
	folders map[string]bool
	level   string
	lastKey string
}

func newWalk(s *folder) walk {
	w := walk{from: s, valve: newValve(walkFirst), prefix: s.prefix(), folders: make(map[string]bool, len(s.nodes)), level: s.level.prefix}
	for p := range s.nodes {
		w.folders[p] = true
	}
	if n := len(s.files.items); n > 0 && s.at == nil {
		w.lastKey = s.files.items[n-1].key
	}
	return w
}

func (f *finder) beginWalk() action {
	w := &f.walk
	if w.from == nil {
		return nil
	}
	w.begun = true
	facts := w.from.facts()
	w.kept = maps.Clone(facts.levels) // the walk reads them aside
	valve, start := w.valve, *w
	task := load("walk", "Looking into more folders", func(ctx context.Context, add func(walkNews)) error {
		return start.run(ctx, add)
	}, func(news []walkNews) action {
		for _, n := range news {
			for _, it := range n.items {
				w.found = append(w.found, it)
				f.texts = append(f.texts, it.text())
			}
			w.left, w.cut, w.before = n.left, w.cut || n.cut, w.before || n.before
			if n.level != nil {
				facts.keepLevel(n.level)
			}
		}
		if f.busy {
			f.again = true
			return nil
		}
		return f.search()
	}, func(err error) action {
		w.done, w.err = true, err
		return nil
	})
	task.waits = valve.waits
	return begin{task}
}

// run lists folder by folder: those below the current one, then the whole bucket's.
func (w walk) run(ctx context.Context, add func(walkNews)) error {
	queue, queued := []string{w.prefix}, map[string]bool{w.prefix: true}
	rooted := w.prefix == ""
	for listed := 0; listed < walkMost; listed++ {
		if len(queue) == 0 && !rooted {
			rooted = true
			queue = append(queue, "")
		}
		if len(queue) == 0 {
			return nil
		}
		prefix := queue[0]
		queue = queue[1:]
		kept, before := w.kept[prefix]
		if before && kept.cut && prefix == w.prefix {
			before = false // of the current folder more names are taken
		}
		pass := func() error {
			if before {
				return ctx.Err() // it costs no request
			}
			return w.valve.pass(ctx)
		}
		if err := pass(); err != nil {
			return err
		}
		level := &walkLevel{prefix: prefix}
		news := walkNews{before: before}
		items := w.list(ctx, prefix)
		if before {
			items, news.cut = kept.all(), kept.cut
		}
		n := 0
		for item, err := range items {
			if err != nil {
				return err
			}
			if n++; !before && n > walkNames && (prefix != w.prefix || n > walkHere) {
				news.cut, level.cut = true, true
				break
			}
			if n%walkPage == 0 { // about a request
				listed++
				news.left = max(len(queue), 1)
				add(news)
				news.items = nil
				if err := pass(); err != nil {
					return err
				}
			}
			if !before {
				level.items = append(level.items, item)
			}
			if item.folder != "" {
				if item.folder != commit.Root && !queued[item.folder] {
					queued[item.folder] = true
					queue = append(queue, item.folder)
				}
				if !w.folders[item.folder] {
					news.items = append(news.items, item)
				}
				continue
			}
			if prefix == w.level && item.file.key <= w.lastKey {
				continue
			}
			news.items = append(news.items, item)
		}
		news.left = len(queue)
		if !rooted {
			news.left++
		}
		if !before {
			news.level = level
		}
		add(news)
	}
	return nil
}

// list gives the folders and files of one level, a key once.
func (w walk) list(ctx context.Context, prefix string) iter.Seq2[walkItem, error] {
	return func(yield func(walkItem, error) bool) {
		last := ""
		for item, err := range w.from.b.Level(ctx, prefix) {
			x := walkItem{folder: item.Folder}
			if err == nil && item.Folder == "" {
				key := item.Version.Key
				if key == last {
					continue
				}
				last = key
				x.file = fileRow{name: strings.TrimPrefix(key, prefix), key: key, v: item.Version}
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// wantMore lets the walk go on while little was found.
func (w *walk) wantMore(f *finder) {
	if w.from != nil && w.valve.waits() && f.last != nil && f.last.Query != "" && len(f.last.Hits) < enoughHits {
		w.valve.open(walkFirst)
	}
}

// say tells what was not searched.
func (w *walk) say() string {
	switch {
	case w.from == nil:
		return ""
	case w.err != nil:
		return "? more folders could not be looked at: " + w.err.Error()
	case !w.begun || !w.done && !w.valve.waits():
		return "looking into more folders …"
	case w.left > 0 && w.done:
		return fmt.Sprintf("%s or more were not looked at: open one and search there", plural(int64(w.left), "folder"))
	case w.left > 0:
		return "more folders were not looked at: type on to look into them"
	case w.cut:
		return "of folders with many names the rest was not looked at: scroll there"
	}
	if w.before {
		return w.from.keys("every folder of the bucket was looked at, some earlier: {reload} looks anew")
	}
	return "every folder of the bucket was looked at"
}

// goTo selects a folder in the tree, opened down to it, and loads it.
func (s *folder) goTo(prefix string) action {
	s.at, s.again = nil, ""
	s.right = false
	s.files.clear()
	node, at := s.tree.Root, ""
	for at != prefix {
		rest := prefix[len(at):]
		at += rest[:strings.IndexByte(rest, '/')+1]
		node.Open = true
		node = s.child(node, at)
	}
	for n := node; n != nil; n = n.Parent {
		n.Open = true
	}
	s.tree.Refresh()
	s.tree.Select(node)
	return all{stop{"at"}, s.loadLevel(0), s.loadAbout()}
}

// goToItem goes to a folder, or to a file and its folder.
func (s *folder) goToItem(it walkItem) action {
	if it.folder != "" {
		return s.goTo(it.folder)
	}
	key := it.file.key
	act := s.goTo(key[:strings.LastIndexByte(key, '/')+1])
	s.right = true
	return all{act, push{newObject(s.place, key, it.file.v.ID)}}
}

// selectThen puts the cursor of a list on an item and opens it as enter would.
func selectThen[T any](s screen, l *list[T], i int) action {
	l.show(i)
	if ok, why := s.enabled("open"); !ok {
		return note{ui.Dim, "Not now: " + why + "."}
	}
	return s.key("open")
}
