package views

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// A trove is something that a screen knows and that can be found. Its functions but
// pick run aside: they read only what nobody changes any more.
type trove struct {
	note string // what they are: "file"
	n    int
	text func(i int) string
	// about is shown after the text, and not searched; may be nil.
	about func(i int) string
	// notes is the note of one of them; nil: note.
	notes func(i int) string
	tail  bool // paths
	// pick goes to one of them, on the screen that they are from.
	pick func(i int) action
}

// A knower is a screen in which something can be found.
type knower interface{ troves() []trove }

// leave closes the finder or the command line. If to is not nil, the screens above it are left too; then
// is done there, or the key pressed, or run called.
type leave struct {
	to   screen
	then func() action
	key  *ui.Key
	run  func(a *app) tea.Cmd
	// stay: the finder or the line was closed already.
	stay bool
}

// owned is a trove and where it is from. at is the index of its first text.
type owned struct {
	trove
	owner screen // nil: stay where the finder was opened
	key   func(i int) *ui.Key
	// command is one of the command line.
	command func(i int) *command
	at      int
}

// finder finds folders, commits, files and commands by a few of their letters, over
// the screen that it was opened on. All that searches runs aside; the next key
// cancels it.
type finder struct {
	plain
	env     *env
	below   screen
	palette *ui.Palette
	owned   []owned
	texts   []string // of all troves, then of what the walk found
	ready   bool     // the troves' texts are there
	known   int      // how many those are
	last    *ui.Ranked
	busy    bool    // a search runs
	again   bool    // when it is over, search once more: texts came
	choose  bool    // enter was pressed before its answer came
	pasted  *pasted // an object that the pasted text names: then nothing is searched
	walk    walk
}

// newFinder opens over the screens of a stack. keys are the commands that work now.
func newFinder(e *env, below []screen, keys []ui.Key, able []*command) *finder {
	f := &finder{env: e, below: below[len(below)-1], palette: ui.NewPalette("")}
	f.own(nil, commandTrove(keys))
	f.owned[0].key = func(i int) *ui.Key { return &keys[i] }
	f.own(nil, lineTrove(able))
	f.owned[1].command = func(i int) *command { return able[i] }
	for i := len(below) - 1; i >= 0; i-- { // the nearest first
		if k, ok := below[i].(knower); ok {
			for _, t := range k.troves() {
				f.own(below[i], t)
			}
		}
		if s, ok := below[i].(*folder); ok && f.walk.from == nil {
			f.walk = newWalk(s)
		}
	}
	for _, t := range placeTroves(e) {
		f.own(nil, t)
	}
	f.palette.Entries = f
	f.palette.Empty = "…"
	return f
}

func (f *finder) own(owner screen, t trove) { f.owned = append(f.owned, owned{trove: t, owner: owner}) }

func (f *finder) kind() string      { return onFinder }
func (f *finder) crumb() string     { return "Find" }
func (f *finder) typing() bool      { return true }
func (f *finder) key(string) action { return nil }

// start puts the texts together, aside: there may be millions.
func (f *finder) start() action {
	parts := f.owned
	var texts []string
	return all{begin{load("gather", "Looking at what is known", func(ctx context.Context, _ func(struct{})) error {
		n := 0
		for _, t := range parts {
			n += t.n
		}
		texts = make([]string, 0, n)
		for _, t := range parts {
			for i := range t.n {
				if i%4096 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				texts = append(texts, t.text(i))
			}
		}
		return nil
	}, nil, func(err error) action {
		if err != nil {
			return nil
		}
		at := 0
		for i := range f.owned {
			f.owned[i].at = at
			at += f.owned[i].n
		}
		f.texts = append(texts, f.texts...)
		f.ready, f.known = true, at
		return all{f.search(), f.beginWalk()}
	})}}
}

// search looks for what is typed; a search that runs is dropped.
func (f *finder) search() action {
	if !f.ready {
		return nil
	}
	f.busy, f.again = true, false
	query, texts, before := f.palette.Query(), f.texts, f.last
	return begin{load("find", "Searching", func(ctx context.Context, add func(*ui.Ranked)) error {
		r, err := ui.Rank(ctx, query, texts, before)
		if err == nil {
			add(r)
		}
		return err
	}, func(rs []*ui.Ranked) action {
		f.show(rs[len(rs)-1])
		return nil
	}, func(error) action {
		f.busy = false
		switch {
		case f.choose:
			f.choose = false
			return f.pick()
		case f.again:
			return f.search()
		}
		f.walk.wantMore(f)
		return nil
	})}
}

// show puts an answer on the screen; the cursor stays on what it was moved to.
func (f *finder) show(r *ui.Ranked) {
	was := -1
	if i := f.palette.Selected(); i > 0 && f.last != nil && f.last.Query == r.Query {
		was = f.last.Best[i].Index
	}
	f.last = r
	f.palette.Top()
	for i, m := range r.Best {
		if m.Index == was {
			f.palette.Go(i)
		}
	}
}

func (f *finder) input(msg tea.Msg) action {
	switch f.palette.Update(msg) {
	case ui.PickQuery:
		f.choose, f.pasted = false, nil
		f.palette.Top()
		if m, ok := pastedObject(f.palette.Query(), f.root()); ok && (f.walk.from != nil || m.bucket != "") {
			f.pasted = &m
			return stop{"find"}
		}
		return f.search()
	case ui.PickCancel:
		return leave{}
	case ui.PickTab:
		if i := f.palette.Selected(); i >= 0 && f.pasted == nil {
			f.palette.Set(f.texts[f.last.Best[i].Index])
			return f.search()
		}
	case ui.PickThis, ui.PickNone:
		if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "enter" {
			if f.pasted != nil {
				return f.goToPasted()
			}
			// What is shown may still answer an earlier query.
			if !f.ready || f.last == nil || f.busy && f.last.Query != strings.Join(strings.Fields(f.palette.Query()), "") {
				f.choose = true
				return nil
			}
			return f.pick()
		}
	}
	return nil
}

// pick goes to what is selected.
func (f *finder) pick() action {
	i := f.palette.Selected()
	if i < 0 {
		return nil
	}
	n := f.last.Best[i].Index
	if n >= f.known {
		item := f.walk.found[n-f.known]
		return leave{to: f.walk.from, then: func() action { return f.walk.from.goToItem(item) }}
	}
	o, k := f.at(n)
	if o.key != nil {
		return leave{key: o.key(k)}
	}
	if o.command != nil {
		return leave{run: func(a *app) tea.Cmd { return a.beginCommand(o.command(k)) }}
	}
	return leave{to: o.owner, then: func() action { return o.pick(k) }}
}

// at is the trove that text n is from, and its index there.
func (f *finder) at(n int) (*owned, int) {
	o := len(f.owned) - 1
	for f.owned[o].at > n {
		o--
	}
	return &f.owned[o], n - f.owned[o].at
}

// Len and Entry make the finder the entries of its palette.
func (f *finder) Len() int {
	switch {
	case f.pasted != nil:
		return 1
	case f.last == nil:
		return 0
	}
	return len(f.last.Best)
}

// Entry is one of the best answers.
func (f *finder) Entry(i int) ui.Entry {
	if f.pasted != nil {
		return f.pasted.entry(f.root())
	}
	m := f.last.Best[i]
	e := ui.Entry{Text: f.texts[m.Index], Marks: m.Marks}
	if m.Index >= f.known {
		e.Note, e.Tail = f.walk.found[m.Index-f.known].note(), true
		return e
	}
	o, k := f.at(m.Index)
	e.Note, e.Tail = o.note, o.tail
	if o.notes != nil {
		e.Note = o.notes(k)
	}
	if o.about != nil {
		if about := o.about(k); about != "" {
			e.Text += ": " + about
		}
	}
	return e
}

func (f *finder) view(w, h int, th *ui.Theme) []string {
	p := f.palette
	p.Count = ""
	if f.pasted != nil {
		p.Count = f.pasted.kind()
	} else if f.last != nil {
		hits := len(f.last.Hits)
		if f.last.Query == "" {
			hits = len(f.texts)
		}
		p.Count = fmt.Sprintf("%s of %s", count(int64(hits)), count(int64(len(f.texts))))
		p.Empty = "Nothing that is known here has these letters in this order."
	}
	p.Foot = f.walk.say()
	if f.pasted != nil {
		p.Foot = f.pasted.foot()
	} else if f.last != nil && f.last.Query != "" && len(f.last.Hits) > len(f.last.Best) && f.palette.Selected() >= len(f.last.Best)-1 {
		p.Foot = fmt.Sprintf("only the best %s are listed: type more letters", count(int64(len(f.last.Best))))
	}
	bw, bh := min(w-8, 112), min(h-2, 32)
	quiet := *th // what lies below cannot be clicked
	quiet.TrackSpots(nil)
	return ui.Over(f.below.view(w, h, &quiet), ui.Box("Find a folder, commit, file or command", p.View(bw, bh-2, th), bw, th), w, h)
}
