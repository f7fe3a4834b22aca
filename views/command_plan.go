package views

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// folderArg is the argument that says of which folder a command is; empty: the current.
func folderArg(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// planLink goes to the screen of a link, in the folder that an argument names.
func (c *commandLine) planLink(folder string, l Link) (plan, error) {
	find, err := c.folderNamed(folder)
	if err != nil {
		return plan{}, err
	}
	p := c.here.place
	var screens []screen
	var prefix string
	return plan{doing: "Looking for " + lookedFor(l), look: func(ctx context.Context) (err error) {
		if prefix, err = find(ctx); err != nil {
			return err
		}
		in := strings.TrimSuffix(prefix, "/")
		if l.Screen != onFolder {
			if in, err = commit.FolderOf(prefix); err != nil {
				return err
			}
		}
		if l.Screen == onCommit || l.Screen == onDiff {
			if in, _, _, err = resolveUp(ctx, p.b, in, l.Ref); err != nil {
				return err
			}
		}
		screens, err = screensTo(ctx, p, asPrefix(in), l)
		return err
	}, then: func(a *app) tea.Cmd { return a.arrive(screens[len(screens)-1], prefix) }}, nil
}

// lookedFor says in a few words what a link needs.
func lookedFor(l Link) string {
	switch {
	case l.To != "":
		return "the commits " + l.Ref + " and " + l.To
	case l.Ref != "":
		return "commit " + l.Ref
	}
	return "the folder"
}

// arrive shows a screen that a command leads to.
func (a *app) arrive(x screen, prefix string) tea.Cmd {
	top := a.stack.top()
	if f, ok := x.(*folder); ok {
		return a.arriveInFolder(f, prefix)
	}
	if l, ok := top.(linker); ok && top.kind() == x.kind() && l.link() == x.(linker).link() {
		a.note = note{ui.Dim, a.env.keys("This is it already; {reload} loads it again.")}
		return nil
	}
	if s, ok := x.(*auditScreen); ok {
		x = s.auditScreen(s.folder)
	}
	return a.do(top, push{x})
}

// arriveInFolder goes back to the nearest folder screen of the bucket and moves it; at
// a commit only where it is the one that is shown, else a new one comes above.
func (a *app) arriveInFolder(f *folder, prefix string) tea.Cmd {
	for i := len(a.stack) - 1; i >= 0; i-- {
		s, ok := a.stack[i].(*folder)
		if !ok || s.loc.Root() != f.loc.Root() {
			continue
		}
		if f.at != nil && i < len(a.stack)-1 {
			break
		}
		return a.leave(leave{to: s, then: func() action {
			var act action
			if s.prefix() != prefix || f.at == nil {
				act = s.goTo(prefix)
			}
			if f.at == nil {
				return act
			}
			s.files.clear()
			s.at, s.right = f.at, true
			return all{act, s.loadAt()}
		}, stay: true})
	}
	return a.do(a.stack.top(), push{f})
}

func (c *commandLine) planFolder(args []string) (plan, error) {
	if len(args) == 0 {
		args = []string{"/"}
	}
	return c.planLink(args[0], Link{Screen: onFolder})
}

func (c *commandLine) planLog(args []string) (plan, error) {
	return c.planLink(folderArg(args, 0), Link{Screen: onLog})
}

func (c *commandLine) planAudit(args []string) (plan, error) {
	return c.planLink(folderArg(args, 0), Link{Screen: onAudit})
}

func (c *commandLine) planCommit(args []string) (plan, error) {
	if err := needRef("commit", args[0]); err != nil {
		return plan{}, err
	}
	if args[0] == "live" {
		return plan{}, &mistake{"live is no commit: what is live is what the folder shows.", "cd ."}
	}
	return c.planLink(folderArg(args, 1), Link{Screen: onCommit, Ref: args[0]})
}

func (c *commandLine) planDiff(args []string) (plan, error) {
	from, to := "head", "live"
	rest := args
	if len(args) > 0 {
		var ranged bool
		from, to, ranged = strings.Cut(args[0], "..")
		rest = args[1:]
		if !ranged {
			to = "live"
			if len(rest) > 0 && isRef(rest[0]) {
				to, rest = rest[0], rest[1:]
			}
		}
		for _, r := range []string{from, to} {
			if err := needRef("diff", r); err != nil {
				return plan{}, err
			}
		}
	}
	if len(rest) > 1 {
		return plan{}, mistaken("%q is too much: :diff A B [FOLDER], or A..B [FOLDER].", rest[1])
	}
	return c.planLink(folderArg(rest, 0), Link{Screen: onDiff, Ref: from, To: to})
}

func (c *commandLine) planAt(args []string) (plan, error) {
	when := args[0]
	if isRef(when) {
		if when == "live" {
			return c.planLink(folderArg(args, 1), Link{Screen: onFolder})
		}
		return c.planLink(folderArg(args, 1), Link{Screen: onFolder, Ref: when})
	}
	at, err := parsePinTime(when, c.env.Now())
	if err != nil {
		return plan{}, mistaken("%s is neither a commit (a number, six digits of an ID, head, head~2) nor a time (2026-10-30T12:00Z, 2026-10-30, -3d, now).", safe.Shell(when))
	}
	find, err := c.folderNamed(folderArg(args, 1))
	if err != nil {
		return plan{}, err
	}
	p := c.here.place
	var prefix string
	var pin commit.Pin
	return plan{doing: "Looking for the commit of that time", look: func(ctx context.Context) (err error) {
		if prefix, err = find(ctx); err != nil {
			return err
		}
		in, err := commit.FolderOf(prefix)
		if err != nil {
			return err
		}
		if pin, err = commit.FindPin(ctx, p.b, in, at, p.parallel()); err == nil && pin.Chosen == nil {
			err = mistaken("No reader of %s got a commit at %s: there was none yet, of it or of a folder above.", folderName(in), when)
		}
		return err
	}, then: func(a *app) tea.Cmd {
		f := newFolder(p, prefix)
		f.at, f.right = &atCommit{ref: "id:" + pin.Chosen.ID}, true
		cmd := a.arriveInFolder(f, prefix)
		if len(pin.Doubts) > 0 {
			a.note = note{ui.Warn, "! It may be another commit; :pin " + when + " says why."}
		}
		return cmd
	}}, nil
}

func (c *commandLine) planPin(args []string) (plan, error) {
	when := folderArg(args, 0)
	folder := folderArg(args, 1)
	at, err := parsePinTime(when, c.env.Now())
	if err != nil {
		if len(args) > 1 {
			return plan{}, mistaken("%v.", err)
		}
		if isRef(when) {
			return plan{}, &mistake{fmt.Sprintf("%s is a commit, not a time.", when), "commit " + when}
		}
		when, folder = "", when // :pin FOLDER is that of now
	}
	l := Link{Screen: onPin, At: when}
	if when != "" && !at.IsZero() {
		l.At = at.Format(timeFormat)
	}
	return c.planLink(folder, l)
}

func (c *commandLine) planObject(args []string) (plan, error) {
	find, err := c.keyNamed(args[0])
	if err != nil {
		return plan{}, err
	}
	var key string
	version := folderArg(args, 1)
	return plan{doing: "Looking for " + args[0], look: func(ctx context.Context) (err error) {
		key, err = find(ctx)
		return err
	}, then: func(a *app) tea.Cmd { return a.arrive(newObject(c.here.place, key, version), "") }}, nil
}

func (c *commandLine) planOpen(args []string) (plan, error) {
	for _, b := range c.env.Bookmarks {
		if b.Name == args[0] {
			args = append([]string{b.URL}, args[1:]...)
		}
	}
	l, err := linkOf(args)
	if err != nil {
		return plan{}, err
	}
	if l.URL == "" { // --requests, which is of no bucket
		return c.planRequests(nil)
	}
	var loc bucket.Location
	return plan{doing: "Looking for " + l.URL, look: func(context.Context) (err error) {
		// Parse looks at files, which may be slow.
		if loc, err = bucket.Parse(l.URL); err == nil {
			err = l.Check()
		}
		return err
	}, then: func(a *app) tea.Cmd {
		o := newOpening(a.env, loc)
		o.to = l
		return a.do(a.stack.top(), push{o})
	}}, nil
}

// then is a plan that has nothing to find out.
func doing(f func(a *app) tea.Cmd) (plan, error) { return plan{then: f}, nil }

func (c *commandLine) planBuckets([]string) (plan, error) {
	return doing(func(a *app) tea.Cmd {
		if a.stack.top().kind() == onBuckets {
			a.note = note{ui.Dim, "This is the list of buckets."}
			return nil
		}
		return a.do(a.stack.top(), push{newBuckets(a.env)})
	})
}

func (c *commandLine) planRequests([]string) (plan, error) {
	return doing(func(a *app) tea.Cmd {
		if a.stack.top().kind() == onRequests {
			a.note = note{ui.Dim, "These are the requests."}
			return nil
		}
		return a.do(a.stack.top(), push{newRequests(a.env)})
	})
}

func (c *commandLine) planFilter([]string) (plan, error) {
	if !c.has("filter") {
		return plan{}, mistaken("There are no lines to filter on this screen.")
	}
	text := c.rest
	return doing(func(a *app) tea.Cmd {
		cmds := []tea.Cmd{a.run("filter")}
		top := a.stack.top()
		t, ok := top.(typist)
		if !ok || !t.typing() {
			return tea.Batch(cmds...) // it said why not
		}
		for _, msg := range []tea.Msg{tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}, tea.PasteMsg{Content: text}, tea.KeyPressMsg{Code: tea.KeyEnter}} {
			cmds = append(cmds, a.do(top, t.input(msg)))
		}
		return tea.Batch(cmds...)
	})
}

// has says whether the screen below has a key, whatever it is bound to.
func (c *commandLine) has(id string) bool {
	return slices.ContainsFunc(c.env.keymap.On(c.top().kind()), func(k ui.Key) bool { return k.ID == id })
}

func (c *commandLine) planSort(args []string) (plan, error) {
	l, ok := c.top().(lister)
	if !ok || len(l.lines().sorts()) == 0 {
		return plan{}, mistaken("The lines of this screen have one order only.")
	}
	names := append(l.lines().sorts(), "none")
	name := strings.ToLower(args[0])
	if !slices.Contains(names, name) {
		m := &mistake{text: fmt.Sprintf("%q is none of %s.", args[0], inWords(names))}
		if near := ui.Near(name, names); near != "" {
			m.right = "sort " + near
		}
		return plan{}, m
	}
	way := ""
	if len(args) > 1 {
		if way = strings.ToLower(args[1]); way != "asc" && way != "desc" {
			return plan{}, &mistake{fmt.Sprintf("%q is neither asc nor desc.", args[1]), "sort " + name + " desc"}
		}
	}
	return doing(func(a *app) tea.Cmd {
		act, err := l.lines().sortBy(name, way)
		if err != nil {
			act = note{ui.Bad, "✗ " + err.Error()}
		}
		return a.do(a.stack.top(), act)
	})
}

func (c *commandLine) planBack(args []string) (plan, error) {
	if len(c.below) < 2 {
		return plan{}, mistaken("This is the first screen; :quit leaves the program.")
	}
	n := len(c.below) - 2
	if len(args) > 0 {
		for n >= 0 && c.below[n].kind() != args[0] {
			n--
		}
		if n < 0 {
			return plan{}, mistaken("%q is not on the way here: %s.", args[0], inWords(c.screens()))
		}
	}
	return doing(func(a *app) tea.Cmd { return a.backTo(n) })
}

// screens are the kinds of the screens on the way here, the nearest first.
func (c *commandLine) screens() (out []string) {
	for i := len(c.below) - 2; i >= 0; i-- {
		if k := c.below[i].kind(); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func (c *commandLine) planReload([]string) (plan, error) {
	if !c.has("reload") {
		return plan{}, mistaken("This screen cannot be loaded again.")
	}
	return doing(func(a *app) tea.Cmd { return a.run("reload") })
}

func (c *commandLine) planMouse(args []string) (plan, error) {
	want := folderArg(args, 0)
	if want != "" && want != "on" && want != "off" {
		return plan{}, &mistake{fmt.Sprintf("%q is neither on nor off.", want), "mouse off"}
	}
	return doing(func(a *app) tea.Cmd {
		if want == "" || (want == "on") != a.pointer {
			a.toggleMouse()
		}
		return nil
	})
}

func (c *commandLine) planWrite([]string) (plan, error) {
	if c.here.why != "" {
		return plan{}, mistaken("Not now: %s.", c.here.why)
	}
	folder, why := canCommit(c.here.prefix)
	if why != "" {
		return plan{}, mistaken("Not now: %s.", why)
	}
	message := c.rest
	return doing(func(a *app) tea.Cmd {
		f := newCommitForm(c.here.place, folder)
		if message != "" {
			f.message.Set(message)
		}
		return a.do(a.stack.top(), push{f})
	})
}

func (c *commandLine) planHelp([]string) (plan, error) {
	query := c.rest
	return doing(func(a *app) tea.Cmd {
		a.help = newHelp(query)
		return nil
	})
}

func (c *commandLine) planQuit([]string) (plan, error) {
	return doing(func(a *app) tea.Cmd { return a.quit() })
}
