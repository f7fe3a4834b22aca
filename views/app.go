package views

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// app is the program: a stack of screens, the tasks that run for them, and what
// may lie over them (a form, the help).
type app struct {
	env    *env
	stack  stack
	tasks  map[int64]*task
	lastID int64
	begun  string // the presses of a sequence so far
	// boundKeys are the keys of each screen, once it was shown.
	boundKeys map[boundAt]ui.Keymap
	theme     *ui.Theme
	profile   colorprofile.Profile // the colours that the terminal has
	w, h      int
	note      note
	form      *ask
	help      *help
	// ticking says that a tick for the spinner is under way.
	ticking bool
	// pointer says that the mouse is on; spots is what it can point at in the frame.
	pointer bool
	tracked ui.Spots
	spots   []ui.Spot
	// leaving says that the person quit while a write waits for its answer;
	// abandoned, that they did not wait for it.
	leaving   bool
	abandoned bool
	quitting  bool
	// unseen lie below and were not started; resume does that.
	unseen map[screen]bool
	// deafUntil: see deafFor. clock is the real one, but in tests.
	deafUntil time.Time
	clock     func() time.Time
}

// tickMsg moves the spinner on.
type tickMsg struct{}

func newApp(s Start) *app {
	e := newEnv(s)
	a := &app{env: e, tasks: map[int64]*task{}, unseen: map[screen]bool{}, boundKeys: map[boundAt]ui.Keymap{}, pointer: s.Mouse, clock: time.Now}
	a.retheme(s.dark(), colorprofile.TrueColor)
	if s.Location != nil {
		o := newOpening(e, *s.Location)
		o.to = s.Link
		a.stack.push(o)
	} else {
		a.stack.push(newBuckets(e))
		if s.Link.Screen == onRequests {
			a.unseen[a.stack.top()] = true
			a.stack.push(newRequests(e))
		}
	}
	return a
}

// retheme takes the theme for a background and what colours there are.
func (a *app) retheme(dark bool, p colorprofile.Profile) {
	a.profile, a.theme = p, ui.NewTheme(dark, a.env.NoColor).In(p)
}

// Init asks for the terminal's background and starts the first screen.
func (a *app) Init() tea.Cmd {
	first := a.do(a.stack.top(), a.stack.top().start())
	if a.env.themeSet() {
		return first
	}
	return tea.Batch(tea.RequestBackgroundColor, first)
}

// Update takes a message. It never waits.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.env.shown = a.stack.top()
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if !a.env.themeSet() {
			a.retheme(msg.IsDark(), a.profile)
		}
	case tea.ColorProfileMsg:
		a.retheme(a.theme.Dark, msg.Profile)
	case tickMsg:
		a.ticking = false
	case endMsg:
		cmd = a.end()
	case overdueMsg:
		if a.leaving && !a.quitting {
			cmd = a.quit()
		}
	case taskMsg:
		cmd = a.news(msg)
	case tea.KeyPressMsg:
		cmd = a.press(msg)
	case tea.PasteMsg:
		cmd = a.paste(msg)
	case tea.MouseMsg:
		cmd = a.mouse(msg)
	}
	return a, tea.Batch(cmd, a.tick())
}

// tick keeps the spinner moving while something runs.
func (a *app) tick() tea.Cmd {
	if a.ticking || a.running() == nil {
		return nil
	}
	a.ticking = true
	return tea.Tick(ui.SpinnerAfter, func(time.Time) tea.Msg { return tickMsg{} })
}

// running is the busy task of the shown screen that began first; one that nobody
// waits for only if there is no other.
func (a *app) running() *task {
	var first *task
	for _, t := range a.tasks {
		if t.owner == a.stack.top() && t.busy() && (first == nil || t.before(first)) {
			first = t
		}
	}
	return first
}

// do carries out what a screen asked for.
func (a *app) do(from screen, act action) tea.Cmd {
	switch act := act.(type) {
	case nil:
	case all:
		var cmds []tea.Cmd
		for _, x := range act {
			cmds = append(cmds, a.do(from, x))
		}
		return tea.Batch(cmds...)
	case push:
		if from != a.stack.top() {
			return nil // the person went elsewhere meanwhile
		}
		a.stack.push(act.screen)
		return a.do(act.screen, act.screen.start())
	case swap:
		if from != a.stack.top() && !a.stack.put(from, act.screen) {
			return nil // it is gone
		}
		if from == a.stack.top() {
			a.stack.swap(act.screen)
			a.form = nil
		}
		a.drop(from, "")
		return a.do(act.screen, act.screen.start())
	case lay:
		shown := from == a.stack.top()
		if !a.stack.lay(from, act.screens) {
			return nil // it is gone
		}
		if shown {
			a.form = nil
		}
		a.drop(from, "")
		last := len(act.screens) - 1
		for _, x := range act.screens[:last] {
			a.unseen[x] = true
		}
		return a.do(act.screens[last], act.screens[last].start())
	case back:
		if from == a.stack.top() {
			return a.back()
		}
	case leave:
		if from == a.stack.top() {
			return a.leave(act)
		}
	case quit:
		return a.quit()
	case begin:
		return a.begin(from, act.work)
	case stop:
		a.drop(from, act.slot)
	case note:
		if from == a.stack.top() {
			a.note = act
		}
	case tell:
		if from == a.stack.top() {
			a.note = note{act.tone, a.env.keys(act.text)}
		}
	case ask:
		if from == a.stack.top() {
			a.form = &act
		}
	case clip:
		if from == a.stack.top() {
			a.note = act.told
			return tea.SetClipboard(act.text)
		}
	default:
		panic(fmt.Sprintf("no such action: %T", act))
	}
	return nil
}

// begin runs work for a screen.
func (a *app) begin(owner screen, w *work) tea.Cmd {
	a.drop(owner, w.slot)
	ctx, cancel := context.WithCancel(a.env.ctx)
	a.lastID++
	t := &task{id: a.lastID, owner: owner, work: w, cancel: cancel, started: time.Now()}
	t.next = w.launch(ctx)
	a.tasks[t.id] = t
	return wait(t)
}

func wait(t *task) tea.Cmd {
	return func() tea.Msg { return taskMsg{t.id, t.next()} }
}

// news hands on what a task brought, unless the task was dropped meanwhile.
func (a *app) news(msg taskMsg) tea.Cmd {
	t := a.tasks[msg.id]
	if t == nil {
		return nil
	}
	var cmds []tea.Cmd
	if msg.news.last {
		t.cancel()
		delete(a.tasks, t.id)
	} else {
		cmds = append(cmds, wait(t))
	}
	before := a.surface()
	cmds = append(cmds, a.do(t.owner, msg.news.apply()))
	a.byItself(before)
	if text := a.env.warning(); text != "" {
		a.note = note{ui.Warn, text}
	}
	if a.leaving && a.settling() == nil {
		cmds = append(cmds, a.quit())
	}
	return tea.Batch(cmds...)
}

// drop forgets the tasks of a screen, in one slot or (slot empty) all of them. A
// write is cancelled, but its answer is still waited for.
func (a *app) drop(owner screen, slot string) {
	for id, t := range a.tasks {
		if t.owner != owner || slot != "" && t.work.slot != slot {
			continue
		}
		t.cancel()
		if !t.work.settle {
			delete(a.tasks, id)
		}
	}
}

// settling is a write whose answer is not known yet.
func (a *app) settling() *task {
	for _, t := range a.tasks {
		if t.work.settle {
			return t
		}
	}
	return nil
}

// back leaves the shown screen, unless it must show the answer to a write.
func (a *app) back() tea.Cmd {
	if t := a.settling(); t != nil && t.owner == a.stack.top() {
		t.cancel()
		t.cancelled = true
		return nil
	}
	gone, ok := a.stack.pop()
	if !ok {
		a.note = note{ui.Dim, a.env.keys("This is the first screen; {quit} quits.")}
		if a.running() != nil { // only looks that nobody waits for: esc has no other use here
			a.cancel(a.stack.top())
			a.note = note{ui.Dim, a.env.keys("Cancelled; {reload} loads again.")}
		}
		return nil
	}
	a.drop(gone, "")
	if a.unseen[a.stack.top()] {
		return a.do(a.stack.top(), a.resume(a.stack.top()))
	}
	if r, ok := a.stack.top().(returner); ok {
		return a.do(a.stack.top(), r.returned())
	}
	return nil
}

// quit leaves the program; a write that runs is first cancelled and waited for,
// once.
func (a *app) quit() tea.Cmd {
	if t := a.settling(); t != nil {
		if !a.leaving {
			a.leaving = true
			t.cancel()
			t.cancelled = true
			a.note = note{ui.Warn, "Cancelling; waiting for the answer to a write. ctrl+c again leaves without it."}
			return nil
		}
		a.abandoned = true
	}
	a.quitting = true
	a.env.cancel()
	return tea.Quit
}

// end is quit where nobody may be there to wait.
func (a *app) end() tea.Cmd {
	if a.leaving {
		return nil
	}
	cmd := a.quit()
	if a.leaving {
		return tea.Tick(patience, func(time.Time) tea.Msg { return overdueMsg{} })
	}
	return cmd
}

// close gives up the buckets.
func (a *app) close() { a.env.close() }

// View draws the program.
func (a *app) View() tea.View {
	a.tracked.Reset()
	a.theme.TrackSpots(nil)
	if a.pointer {
		a.theme.TrackSpots(&a.tracked)
	}
	lines := a.lines()
	a.spots = a.tracked.Find(lines)
	frame := strings.Join(lines, "\n")
	if a.env.ASCII {
		frame = ui.ASCII(frame)
	}
	v := tea.NewView(frame)
	v.AltScreen = true
	if a.pointer {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = "provcat-tui"
	return v
}

func (a *app) lines() []string {
	w, h := a.w, a.h
	if w <= 0 || h <= 0 || a.quitting {
		return nil
	}
	if w < ui.MinWidth || h < ui.MinHeight {
		return ui.TooSmall(w, h)
	}
	top := a.stack.top()
	badges := ""
	if a.readOnly() {
		badges = a.theme.Badge(ui.Warn, "READ-ONLY")
	}
	if n := a.env.trace.slow(time.Now()); n > 0 {
		badges = strings.TrimSpace(a.theme.Paint(ui.Dim, plural(int64(n), "request")+" …") + " " + badges)
	}
	out := []string{ui.Crumbs(a.stack.crumbs(), badges, w, a.theme)}
	body := ui.Block(top.view(w, h-3, a.theme), w, h-3)
	switch {
	case a.form != nil:
		bw := min(w-8, 76)
		body = ui.Over(body, ui.Box(a.form.form.Title, a.form.form.LinesIn(bw, h-5, a.theme), bw, a.theme), w, h-3)
	case a.help != nil:
		body = a.help.over(a, body, w, h-3, a.theme)
	}
	out = append(out, body...)
	return append(out, a.statusLine(w), ui.Pad(a.hints(w), w))
}

func (a *app) statusLine(w int) string {
	if c, ok := a.stack.top().(*commandLine); ok {
		return c.prompt.Line(w, a.theme)
	}
	if a.note.text != "" {
		return a.theme.Paint(a.note.tone, ui.Fit(a.note.text, w, ui.Left))
	}
	if t := a.running(); t != nil {
		if since := time.Since(t.started); since >= ui.SpinnerAfter {
			text := t.work.text + a.env.keys("  ({back} cancels)")
			if t.work.aside {
				text = a.stack.top().status()
			}
			if t.cancelled {
				text = t.work.text + "  (cancelling, waiting for an answer)"
			}
			return a.theme.Paint(ui.Accent, ui.Spinner(since)+" ") + a.theme.Paint(ui.Dim, ui.Fit(text, w-2, ui.Left))
		}
	}
	return a.theme.Paint(ui.Dim, ui.Fit(a.stack.top().status(), w, ui.Left))
}

func (a *app) hints(w int) string {
	switch t, ok := a.stack.top().(typist); {
	case a.form != nil:
		return hintsOf(a.form.form).Hints(always, w, a.theme)
	case a.help != nil && a.help.menu.Query() != "":
		return helpSearchKeys.Hints(always, w, a.theme)
	case a.help != nil:
		return helpKeys.Hints(always, w, a.theme)
	case ok && t.typing() && a.stack.top().kind() == onFinder:
		return finderKeys.Hints(always, w, a.theme)
	case ok && a.stack.top().kind() == onCommand:
		return a.stack.top().(*commandLine).hints().Hints(always, w, a.theme)
	case ok && t.typing() && a.stack.top().kind() == onForm:
		form := formKeys
		if c, ok := a.stack.top().(*commitForm); ok {
			form = hintsOf(c.form)
		}
		return form.Hints(always, w, a.theme)
	case ok && t.typing() && (a.stack.top().kind() == onObject || a.stack.top().kind() == onContents):
		keys := slices.Clone(searchKeys)
		for i := range keys {
			keys[i].Label = a.env.keys(keys[i].Label)
		}
		return keys.Hints(always, w, a.theme)
	case ok && t.typing():
		return typingKeys.Hints(always, w, a.theme)
	}
	if a.begun != "" {
		return a.continuations().Hints(always, w, a.theme)
	}
	return a.bound().Hints(func(id string) (bool, string) {
		if id == "back" && len(a.stack) == 1 {
			return false, ""
		}
		return a.enabled(id)
	}, w, a.theme)
}

// hintsOf are the keys of a form, by what has its focus.
func hintsOf(f *ui.Form) ui.Keymap {
	if !f.Typing() {
		return formKeys
	}
	if f.Asks && f.Last() && !f.Choosing() {
		keys := slices.Clone(askKeys)
		keys[0].Label = strings.ToLower(f.Go)
		return keys
	}
	keys := slices.Clone(fieldKeys)
	if f.Last() {
		keys[1].Label = "to the buttons"
	}
	if f.Breaks() {
		keys = append(keys, ui.Key{ID: "newline", Press: []string{"alt+enter"}, Label: "new line", Hint: 3})
	}
	return slices.DeleteFunc(keys, func(k ui.Key) bool {
		return k.ID == "right" && !f.Choosing() || k.ID == "up" && f.First()
	})
}

func always(string) (bool, string) { return true, "" }

// enabled says whether a key works now on the shown screen.
func (a *app) enabled(id string) (bool, string) {
	switch id {
	case "help", "quit", "back", "find", "command", "mouse", "suspend", "requests", "link":
		return true, ""
	}
	if l, ok := a.stack.top().(lister); ok {
		if known, ok, why := l.lines().able(id); known {
			return ok, a.env.keys(why)
		}
	}
	return a.stack.top().enabled(id)
}

// bucketName is how a bucket is named in breadcrumbs.
func bucketName(l bucket.Location) string {
	if l.Scheme == "file" {
		return l.Bucket[strings.LastIndexByte(l.Bucket, '/')+1:]
	}
	return l.Root()
}
