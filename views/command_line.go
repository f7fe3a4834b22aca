package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"provcat-tui/bucket"
	"provcat-tui/ui"
)

// commandLine is the line that ":" opens over a screen: it completes and runs the
// commands of command_table.go. What they have to ask the bucket for first is asked
// aside, with the line still there: what is wrong is told on it, and nothing that was
// typed is lost.
type commandLine struct {
	plain
	env    *env
	below  []screen // the way here, the line aside
	here   where
	able   []*command // that work here
	prompt *ui.Prompt
	rest   string // of the line that is run, after the command's word
	busy   string // what is asked for the line that is run
	began  time.Time
	wrong  error
	learnt learnt
}

// A plan is what a line means: what has to be found out first, aside, and what is done
// then, on the screen below.
type plan struct {
	doing string
	look  func(ctx context.Context) error // nil: nothing is to be found out
	then  func(a *app) tea.Cmd
}

// where is what the commands are about.
type where struct {
	place
	open   bool
	prefix string // of the folder
	why    string // nothing can be said of the folder
}

// A sited screen is at a folder, or knows why that has no name.
type sited interface {
	site() (p place, prefix string, why string)
}

func (s *folder) site() (place, string, string)       { return s.place, s.prefix(), "" }
func (s *commitScreen) site() (place, string, string) { return s.place, asPrefix(s.inFolder()), "" }
func (s *diffScreen) site() (place, string, string)   { return s.place, asPrefix(s.folder), "" }
func (s *auditScreen) site() (place, string, string)  { return s.place, asPrefix(s.folder), "" }
func (s *pinScreen) site() (place, string, string)    { return s.place, asPrefix(s.folder), "" }
func (s *commitForm) site() (place, string, string)   { return s.place, asPrefix(s.folder), "" }
func (s *logScreen) site() (place, string, string) {
	if !s.named {
		return s.place, "", "nothing reveals the folder of this log"
	}
	return s.place, asPrefix(s.folder), ""
}

func asPrefix(folder string) string {
	if folder == "" {
		return ""
	}
	return folder + "/"
}

// whereAt is what commands are about on a stack of screens.
func whereAt(below []screen) where {
	for i := len(below) - 1; i >= 0; i-- {
		switch s := below[i].(type) {
		case sited:
			p, prefix, why := s.site()
			return where{place: p, open: true, prefix: prefix, why: why}
		case *buckets, *opening:
			return where{}
		}
	}
	return where{}
}

// openLine opens the command line with a text in it.
func (a *app) openLine(text string) action {
	if a.settling() != nil {
		return note{ui.Warn, "Not now: a write waits for its answer."}
	}
	c := &commandLine{env: a.env, below: slices.Clone(a.stack), here: whereAt(a.stack), prompt: ui.NewPrompt(":", text, a.env.Commands)}
	c.able = a.ableCommands(a.stack)
	return push{c}
}

// ableCommands are the commands that work on top of some screens.
func (a *app) ableCommands(below []screen) (out []*command) {
	open := whereAt(below).open
	for i := range commands {
		if x := &commands[i]; (!x.inside || open) && !(x.writes && a.readOnly()) {
			out = append(out, x)
		}
	}
	return out
}

// beginCommand runs a command that was chosen by name; one that takes arguments is put
// into the line first.
func (a *app) beginCommand(x *command) tea.Cmd {
	text := x.name
	if len(x.takes) > 0 {
		text += " "
	}
	cmd := a.do(a.stack.top(), a.openLine(text))
	if c, ok := a.stack.top().(*commandLine); ok && len(x.takes) == 0 {
		cmd = tea.Batch(cmd, a.do(c, c.run()))
	}
	return cmd
}

func (c *commandLine) kind() string      { return onCommand }
func (c *commandLine) crumb() string     { return "" }
func (c *commandLine) typing() bool      { return true }
func (c *commandLine) key(string) action { return nil }
func (c *commandLine) start() action     { return c.suggest() }

// top is the screen below the line.
func (c *commandLine) top() screen { return c.below[len(c.below)-1] }

func (c *commandLine) input(msg tea.Msg) action {
	var stopped action
	if c.busy != "" {
		c.busy, stopped = "", stop{"run"}
		if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "esc" {
			return stopped
		}
	}
	c.wrong = nil
	switch c.prompt.Update(msg) {
	case ui.PromptText:
		return all{stopped, c.suggest()}
	case ui.PromptCancel:
		return leave{}
	case ui.PromptRun:
		return all{stopped, c.run()}
	}
	return stopped
}

// pointed puts the suggestion into the line that was clicked at.
func (c *commandLine) pointed() { c.prompt.Point() }

// run does what the line says, or tells on it why not.
func (c *commandLine) run() action {
	line := strings.TrimSpace(c.prompt.Text())
	if strings.Trim(line, ": ") == "" {
		return leave{}
	}
	c.env.typed(line)
	c.prompt.History = c.env.Commands
	p, err := c.parse(line)
	if err != nil {
		return c.fail(err)
	}
	done := leave{run: func(a *app) tea.Cmd {
		return tea.Batch(p.then(a), a.remember(line))
	}}
	if p.look == nil {
		return done
	}
	c.busy, c.began = p.doing, time.Now()
	return begin{load("run", p.doing, func(ctx context.Context, _ func(struct{})) error {
		return p.look(ctx)
	}, nil, func(err error) action {
		c.busy = ""
		if err != nil {
			return c.fail(err)
		}
		return done
	})}
}

// fail shows what is wrong, with what it should be where that is known.
func (c *commandLine) fail(err error) action {
	c.wrong = err
	var m *mistake
	if errors.As(err, &m) && m.right != "" {
		text := c.prompt.Text()
		c.prompt.Set(text)
		c.prompt.Suggest(0, len(text), []ui.Suggestion{{Insert: m.right, About: "is this what you mean?", Open: true}})
	}
	return nil
}

// A mistake is a line that cannot be run. right is the line that was probably meant.
type mistake struct{ text, right string }

func (m *mistake) Error() string { return m.text }

func mistaken(text string, args ...any) error { return &mistake{text: fmt.Sprintf(text, args...)} }

// parse says what a line means.
func (c *commandLine) parse(line string) (plan, error) {
	line = strings.TrimLeft(line, ": ")
	words, open := splitWords(line)
	if open && words[len(words)-1].text == "" {
		return plan{}, mistaken("The quotes at the end are not closed.")
	}
	if open {
		return plan{}, mistaken("The quotes of %s are not closed.", words[len(words)-1].text)
	}
	if len(words) == 0 {
		return plan{}, mistaken("There is no command here.")
	}
	x, err := c.find(words[0].text, line[words[0].to:])
	if err != nil {
		return plan{}, err
	}
	c.rest = strings.TrimSpace(line[words[0].to:])
	var args []string
	for _, w := range words[1:] {
		args = append(args, w.text)
	}
	switch most := len(x.takes); {
	case len(args) == 0 && x.needs:
		return plan{}, mistaken("%s is missing: :%s", strings.Fields(x.args)[0], x.usage())
	case len(args) > most && most == 0:
		return plan{}, &mistake{fmt.Sprintf(":%s takes nothing after it.", x.name), x.name}
	case len(args) > most && x.takes[most-1][0] != argText && x.takes[most-1][0] != argLink:
		return plan{}, mistaken("%q is too much: :%s", args[most], x.usage())
	}
	return x.plan(c, args)
}

// find gives the command of a word, or says which one was probably meant.
func (c *commandLine) find(name, rest string) (*command, error) {
	x, several := commandNamed(c.able, name)
	if x != nil {
		return x, nil
	}
	if len(several) > 0 {
		return nil, mistaken(":%s may be %s: type more of it.", name, inWords(several))
	}
	var every []*command
	for i := range commands {
		every = append(every, &commands[i])
	}
	if other, _ := commandNamed(every, name); other != nil {
		if other.writes {
			return nil, mistaken("Opened read-only: :%s is not there.", other.name)
		}
		return nil, mistaken(":%s works in a bucket, and none is open here. Choose one, or :open URL.", other.name)
	}
	if strings.Trim(name, "0123456789") == "" && c.here.open {
		return nil, &mistake{fmt.Sprintf("There is no command :%s.", name), "commit " + name}
	}
	if strings.Contains(name, "://") {
		return nil, &mistake{fmt.Sprintf("There is no command :%s.", name), "open " + name + rest}
	}
	if near := nearCommand(c.able, name); near != "" {
		return nil, &mistake{fmt.Sprintf("There is no command :%s. Did you mean :%s?", name, near), near + rest}
	}
	if ui.Width(name) > 40 { // pasted: the advice must be seen
		name = ui.Fit(name, 40, ui.Left)
	}
	return nil, mistaken("There is no command :%s. tab on an empty line goes through all that work here.", name)
}

// inWords joins names with "or".
func inWords(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// lineError is an error as the line tells it: the commands' own way to say that the
// usage is wrong is left out.
func lineError(err error) string {
	return strings.TrimPrefix(err.Error(), bucket.ErrUsage.Error()+": ")
}

// view draws the screen below, and over its last lines what there is to choose from.
// The line itself takes the place of the status line.
func (c *commandLine) view(w, h int, th *ui.Theme) []string {
	quiet := *th // what lies below cannot be clicked
	quiet.TrackSpots(nil)
	body := ui.Block(c.top().view(w, h, &quiet), w, h)
	over := c.panel(w, h, th)
	return append(body[:h-len(over)], over...)
}

// panel is what stands over the line.
func (c *commandLine) panel(w, h int, th *ui.Theme) []string {
	most := max(min(h/2, 14), 3)
	out := []string{ui.Rule(c.title(), w, false, th)}
	if c.wrong != nil {
		lines := th.Shown(ui.Bad, lineError(c.wrong), w-4)
		for i, l := range lines[:min(len(lines), most)] {
			mark := "  "
			if i == 0 {
				mark = th.Paint(ui.Bad, "✗ ")
			}
			out = append(out, ui.Pad(" "+mark+l, w))
		}
		var m *mistake
		if !errors.As(c.wrong, &m) || m.right == "" {
			return out
		}
	}
	n := c.prompt.Offered()
	switch {
	case n > 0:
		out = append(out, c.prompt.List(w, min(n, most), th)...)
	case c.prompt.Searching():
		out = append(out, ui.Pad(th.Paint(ui.Dim, "   No line that was typed before has these words."), w))
	case c.wrong == nil && c.learnt.hint != "":
		out = append(out, ui.Pad(th.Say(ui.Dim, ui.Fit("   "+c.learnt.hint, w, ui.Left)), w))
	}
	return out
}

// title says what is being typed, or what is asked.
func (c *commandLine) title() string {
	if c.busy != "" {
		if since := time.Since(c.began); since >= ui.SpinnerAfter {
			return ui.Spinner(since) + " " + c.busy + " (esc cancels)"
		}
	}
	if c.prompt.Searching() {
		return "What was typed before"
	}
	text, cursor := c.prompt.Typed()
	if before, _ := wordAt(text, cursor); len(before) > 0 {
		if x, _ := commandNamed(c.able, before[0].text); x != nil {
			return x.usage() + ": " + x.help
		}
	}
	n := c.prompt.Offered()
	return "Commands" + map[bool]string{true: fmt.Sprintf(", %d", n)}[n > 0 && c.wrong == nil]
}

// hints are the keys of the line.
func (c *commandLine) hints() ui.Keymap {
	switch {
	case c.busy != "":
		return ui.Keymap{{ID: "esc", Press: []string{"esc"}, Label: "cancel", Hint: 1}}
	case c.prompt.Searching():
		return lineSearchKeys
	case c.prompt.Choosing():
		return lineChoiceKeys
	}
	return lineKeys
}

// typed puts a line last in the history of this run.
func (e *env) typed(line string) {
	const most = 200
	e.Commands = append(slices.DeleteFunc(slices.Clone(e.Commands), func(x string) bool { return x == line }), line)
	e.Commands = e.Commands[max(len(e.Commands)-most, 0):]
}

// remember keeps a line for the next run, aside.
func (a *app) remember(line string) tea.Cmd {
	if a.env.Typed == nil {
		return nil
	}
	return func() tea.Msg {
		a.env.Typed(line)
		return nil
	}
}
