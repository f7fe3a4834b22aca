package views

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// commandTrove are the keys that work now.
func commandTrove(keys []ui.Key) trove {
	return trove{
		n:     len(keys),
		text:  func(i int) string { return keys[i].Label },
		about: func(i int) string { return keys[i].Help },
		notes: func(i int) string {
			if len(keys[i].Press) == 0 {
				return "no key"
			}
			return "key " + ui.PressName(keys[i].Press[0])
		},
	}
}

// lineTrove are the commands of the command line; one that takes arguments is put
// there, to be gone on with.
func lineTrove(able []*command) trove {
	return trove{
		n: len(able), note: "command",
		text:  func(i int) string { return ":" + able[i].name },
		about: func(i int) string { return able[i].help },
	}
}

// placeTroves are the bookmarks and the recent places.
func placeTroves(e *env) []trove {
	marks, recent := e.Bookmarks, e.Recent
	return []trove{
		{note: "bookmark", n: len(marks), text: func(i int) string { return marks[i].Name },
			about: func(i int) string { return marks[i].URL }, pick: func(i int) action { return openURL(e, marks[i].URL) }},
		{note: "recent", n: len(recent), tail: true, text: func(i int) string { return recent[i] },
			pick: func(i int) action { return openURL(e, recent[i]) }},
	}
}

// openURL goes to a bucket or folder by its URL.
func openURL(e *env, url string) action {
	var loc bucket.Location
	// Parse looks at files, which may be slow: not here.
	return begin{load("open", "Looking for "+url, func(context.Context, func(struct{})) (err error) {
		loc, err = bucket.Parse(url)
		return err
	}, nil, func(err error) action {
		if err != nil {
			return note{ui.Bad, "✗ " + err.Error()}
		}
		return push{newOpening(e, loc)}
	})}
}

func (s *buckets) troves() []trove {
	var urls []string // the others are known without this screen
	for _, r := range s.list.items {
		if r.group == "listed" {
			urls = append(urls, r.URL)
		}
	}
	return []trove{{note: "bucket", n: len(urls), text: func(i int) string { return urls[i] },
		pick: func(i int) action { return openURL(s.env, urls[i]) }}}
}

func (s *folder) troves() []trove {
	var folders []string
	var walk func(n *ui.Node)
	walk = func(n *ui.Node) {
		if p, _ := n.Value.(string); p != "" {
			folders = append(folders, p)
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(s.tree.Root)
	out := []trove{{note: "folder", n: len(folders), tail: true, text: func(i int) string { return folders[i] },
		pick: func(i int) action { return s.goTo(folders[i]) }}}
	files := s.files.items
	t := trove{note: "file", n: len(files), tail: true, text: func(i int) string { return files[i].key }}
	if s.at != nil {
		t.note = "at " + s.at.name()
	}
	// A reload meanwhile makes the list another one: the key is what was chosen.
	at := s.at
	t.pick = func(i int) action {
		r := files[i]
		o := newObject(s.place, r.key, r.v.ID)
		if at != nil {
			o.by = at.name()
		}
		s.right = true
		return push{o}
	}
	return append(out, t)
}

func (s *logScreen) troves() []trove {
	rows := s.list.items
	return []trove{{note: "commit", n: len(rows),
		text: func(i int) string {
			r := rows[i]
			if r.slot.Gap > 0 {
				return fmt.Sprintf("#%d missing", r.slot.Number)
			}
			text := fmt.Sprintf("#%d %s", r.slot.Number, commit.ShortID(r.commit()))
			if d := r.detail.Load(); d != nil && d.known {
				text += " " + d.header.Author + ": " + firstLine(d.header.Message)
			}
			return text
		},
		pick: func(i int) action { return selectThen(s, &s.list, min(i, len(s.list.items)-1)) },
	}}
}

func (s *commitScreen) troves() []trove {
	files, note := s.list.items, "in "+commit.ShortID(s.id)
	if s.number > 0 {
		note = fmt.Sprintf("in #%d", s.number)
	}
	return []trove{{note: note, n: len(files), tail: true, text: func(i int) string { return files[i].Path },
		pick: func(i int) action { return selectThen(s, &s.list, i) }}}
}

func (s *diffScreen) troves() []trove {
	changes := s.list.items
	return []trove{{note: "difference", n: len(changes), tail: true, text: func(i int) string { return changes[i].Path },
		notes: func(i int) string { return string(changes[i].Kind) },
		pick: func(i int) action {
			s.show(i)
			return s.key("open")
		}}}
}

// find opens the finder over the shown screen.
func (a *app) find() action {
	if a.settling() != nil {
		return note{ui.Warn, "Not now: a write waits for its answer."}
	}
	var keys []ui.Key
	for _, k := range a.bound() {
		if ok, _ := a.enabled(k.ID); ok && k.Group != "Move" && k.ID != "find" && !(k.ID == "back" && len(a.stack) == 1) {
			keys = append(keys, k)
		}
	}
	return push{newFinder(a.env, append([]screen(nil), a.stack...), keys, a.ableCommands(a.stack))}
}

// leave closes the finder, and goes to what was chosen in it.
func (a *app) leave(l leave) tea.Cmd {
	if !l.stay {
		gone, _ := a.stack.pop()
		a.drop(gone, "")
	}
	if l.run != nil {
		return l.run(a)
	}
	if l.key != nil {
		return a.perform(a.stack.top(), *l.key)
	}
	for l.to != nil && a.stack.top() != l.to {
		gone, ok := a.stack.pop()
		if !ok {
			return nil
		}
		a.drop(gone, "")
	}
	started := a.do(a.stack.top(), a.resume(a.stack.top()))
	if l.then == nil {
		return started
	}
	return tea.Batch(started, a.do(a.stack.top(), l.then()))
}
