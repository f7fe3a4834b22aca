package views

import (
	"context"
	"fmt"
	"path"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sync/errgroup"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// contentsScreen compares what is in two versions of a key. facing.go are the ways to
// show them, contents_rows.go what is on the screen of it, contents_view.go draws.
type contentsScreen struct {
	place
	keyName string
	sides   [2]side
	step    int // of contentsSteps
	facings []*facing
	shown   int // of facings
	colours [2][][]ui.Stretch
	done    bool
	err     error
	beside  choice // side by side
	all     bool   // all lines, not only what differs
	left    int    // the first column
	rows    contentsRows
	find    textFind
	told    string
}

// A choice of the person; unset: what fits.
type choice int

const (
	unset choice = iota
	on
	off
)

// newContents compares two versions of a key. A side without a file has ref alone.
func newContents(p place, key string, from, to side) *contentsScreen {
	return &contentsScreen{place: p, keyName: key, sides: [2]side{from, to}}
}

// contentsOf is the screen for a change of a diff.
func (s *diffScreen) contentsOf(c *commit.Change) *contentsScreen {
	from := side{ref: refName(s.from), file: c.From, there: c.Kind != commit.Added}
	to := side{ref: refName(s.to), file: c.To, there: c.Kind != commit.Removed}
	return newContents(s.place, commit.KeyPrefix(s.folder)+c.Path, from, to)
}

func (s *contentsScreen) kind() string { return onContents }
func (s *contentsScreen) crumb() string {
	return fmt.Sprintf("Contents of %s: %s to %s", path.Base(s.keyName), s.sides[0].ref, s.sides[1].ref)
}

// What a task of the screen brings.
type (
	readSide struct {
		side int
		content
	}
	contentsNews struct {
		read    *readSide
		facings []*facing
	}
)

func (s *contentsScreen) start() action {
	s.done, s.err, s.facings, s.colours = false, nil, nil, [2][][]ui.Stretch{}
	for i := range s.sides {
		s.sides[i].content = content{}
	}
	sides, limit := s.sides, contentsSteps[s.step]
	return all{stop{"colours"}, begin{load("contents", "Reading both versions of "+s.keyName, func(ctx context.Context, add func(contentsNews)) error {
		var both errgroup.Group
		for i := range sides {
			if !sides[i].there {
				continue
			}
			both.Go(func() (err error) {
				sides[i].content, err = readContent(ctx, s.b, s.keyName, sides[i].file, limit)
				if err == nil {
					add(contentsNews{read: &readSide{i, sides[i].content}})
				}
				return err
			})
		}
		if err := both.Wait(); err != nil {
			return err
		}
		add(contentsNews{facings: facingsOf(s.keyName, sides)})
		return ctx.Err()
	}, func(news []contentsNews) action {
		var act action
		for _, n := range news {
			if n.read != nil {
				s.sides[n.read.side].content = n.read.content
				continue
			}
			s.facings = n.facings
			act = s.turnTo(min(s.shown, max(len(s.facings)-1, 0)))
		}
		return act
	}, func(err error) action {
		s.done, s.err = err == nil, err
		return nil
	})}}
}

// facingsOf makes what can be shown of two sides.
func facingsOf(key string, sides [2]side) []*facing {
	var c [2]*content
	lost := false
	for i := range sides {
		switch {
		case sides[i].read:
			c[i] = &sides[i].content
		case sides[i].there:
			lost = true
		}
	}
	if c[0] == nil && c[1] == nil {
		return nil
	}
	return facings(key, c[0], c[1], lost)
}

// facing is what is shown; nil: nothing yet.
func (s *contentsScreen) facing() *facing {
	if s.shown < len(s.facings) {
		return s.facings[s.shown]
	}
	return nil
}

// turnTo shows one of the facings.
func (s *contentsScreen) turnTo(n int) action {
	s.shown = n
	s.rows, s.left = contentsRows{screen: s.rows.screen, page: s.rows.page, at: -1}, 0
	s.find.clear()
	s.find.query = ""
	return s.loadColours()
}

// coloured is how much of each side gets colours, and how long that may take.
const (
	coloured     = 512 << 10
	colouredTime = 2 * time.Second
)

// loadColours finds out the colours of the lines, aside.
func (s *contentsScreen) loadColours() action {
	f := s.facing()
	if f == nil || f.language == "" || s.colours[0] != nil || s.colours[1] != nil {
		return nil
	}
	language, data := f.language, [2][]byte{s.sides[0].data, s.sides[1].data}
	type result struct {
		side int
		all  [][]ui.Stretch
	}
	return begin{aside(load("colours", "Colouring", func(ctx context.Context, add func(result)) error {
		ctx, cancel := context.WithTimeout(ctx, colouredTime)
		defer cancel()
		for i, d := range data {
			add(result{i, ui.Colours(ctx, language, string(d[:min(len(d), coloured)]))})
		}
		return nil
	}, func(rs []result) action {
		for _, r := range rs {
			s.colours[r.side] = r.all
		}
		return nil
	}, nil))}
}

func (s *contentsScreen) enabled(id string) (bool, string) {
	f := s.facing()
	switch id {
	case "beside":
		if f == nil || !s.bothRead() {
			return false, "there is only one side"
		}
	case "as":
		if len(s.facings) < 2 {
			return false, "there is one way only to show it"
		}
	case "whole", "nextchange", "lastchange":
		switch {
		case f == nil || f.alone:
			return false, "nothing is compared"
		case id == "whole" && len(s.rows.changes) == 1 && s.rows.differ == len(f.pairs):
			return false, "nothing is left out"
		}
		if len(s.rows.changes) == 0 {
			return false, "nothing differs"
		}
	case "filter", "left", "right":
		if f == nil {
			return false, "there is no text"
		}
	case "goon":
		if s.step+1 == len(contentsSteps) {
			return false, "more than " + size(contentsSteps[s.step]) + " of each side are not compared here; provcat-tui cat writes a file whole"
		}
		if !s.sides[0].cut && !s.sides[1].cut {
			return false, "all of it was read"
		}
	}
	return true, ""
}

func (s *contentsScreen) bothRead() bool { return s.sides[0].read && s.sides[1].read }

func (s *contentsScreen) key(id string) action {
	switch id {
	case "open":
		to := s.sides[1]
		if !to.there {
			to = s.sides[0]
		}
		return push{newObject(s.place, s.keyName, to.file.Version)}
	case "copythis":
		to := s.sides[1]
		if !to.there {
			to = s.sides[0]
		}
		return copyThis(s.url(s.keyName)+" "+to.file.Version, "Copied URL and version: ")
	case "beside":
		s.beside = map[bool]choice{true: off, false: on}[s.rows.beside]
	case "as":
		return s.turnTo((s.shown + 1) % len(s.facings))
	case "whole":
		s.all = !s.all
	case "goon":
		s.step++
		return s.start()
	case "filter":
		s.all = true // or what is folded would not be found
		s.find.begin()
	case "next", "previous", "nextchange", "lastchange":
		by := 1
		if id == "previous" || id == "lastchange" {
			by = -1
		}
		if s.find.query != "" && (id == "next" || id == "previous") {
			if to, ok := s.find.step(by); ok {
				s.rows.show(to)
			}
			s.told = s.find.told
			return nil
		}
		s.told = s.rows.step(by)
		if id == "nextchange" || id == "lastchange" {
			return note{ui.Dim, s.told}
		}
	case "left":
		s.left = max(s.left-s.rows.half(), 0)
	case "right":
		s.left = min(s.left+s.rows.half(), max(s.rows.widest-s.rows.half(), 0))
	default:
		s.rows.move(id)
	}
	return nil
}

func (s *contentsScreen) typing() bool { return s.find.typing() }

func (s *contentsScreen) input(msg tea.Msg) action {
	if f := s.facing(); f != nil {
		s.fold(f)
		if to, ok := s.find.input(msg, s.rows.texts(f), s.rows.top); ok {
			s.rows.show(to)
		}
	}
	return nil
}

func (s *contentsScreen) escape() (bool, action) { return s.find.clear(), nil }

// A contentsFind has n and N go from change to change as long as nothing was searched.
type contentsFind struct {
	*textFind
	s *contentsScreen
}

func (s *contentsScreen) lines() liner { return contentsFind{&s.find, s} }

func (f contentsFind) able(id string) (known, ok bool, why string) {
	if (id == "next" || id == "previous") && f.query == "" {
		ok, why = f.s.enabled("nextchange")
		return true, ok, why
	}
	return f.textFind.able(id)
}

func (f contentsFind) said() string { return f.s.told }

func (s *contentsScreen) status() string {
	f := s.facing()
	switch {
	case f == nil:
		return ""
	case s.sides[0].cut || s.sides[1].cut:
		text := "Only the first " + size(contentsSteps[s.step]) + " of each side were read"
		if ok, why := s.enabled("goon"); ok {
			return text + s.keys("; {goon} reads on, up to ") + size(contentsSteps[s.step+1])
		} else {
			return text + "; " + why
		}
	}
	if n := len(s.rows.changes); n > 0 && !f.alone {
		return fmt.Sprintf(s.keys("change %s of %s; {nextchange} and {lastchange} go from one to the next"), count(int64(s.rows.change()+1)), count(int64(n)))
	}
	return ""
}
