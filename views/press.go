package views

import (
	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// press takes a key: whatever lies on top gets it first.
func (a *app) press(k tea.KeyPressMsg) tea.Cmd {
	if k.String() == "ctrl+c" {
		return a.quit()
	}
	if a.means(k.String(), "suspend") {
		return tea.Suspend // the shell's fg brings it back
	}
	if a.deaf() {
		return nil
	}
	a.note = note{}
	if a.w < ui.MinWidth || a.h < ui.MinHeight {
		if (k.String() == "q" || k.String() == a.env.keymap.First("quit")) && a.form == nil {
			return a.quit()
		}
		return nil
	}
	if a.form != nil {
		return a.answer(k)
	}
	top := a.stack.top()
	if a.help != nil {
		return a.help.input(a, k)
	}
	if t, ok := top.(typist); ok && t.typing() && (top.kind() == onForm || top.kind() == onFinder || top.kind() == onCommand || !a.means(k.String(), "find")) {
		return a.do(top, t.input(k))
	}
	presses, more := a.sequence(k.String())
	if more {
		return nil
	}
	keys := a.bound().Bound(top.kind(), presses)
	if len(keys) == 0 {
		if full, ok := a.env.keymap.Find(top.kind(), presses); ok && full.Writes {
			why := "Run without --read-only to write."
			if !a.env.ReadOnly {
				why = "The config says so for this place."
			}
			a.note = note{ui.Warn, "Opened read-only: " + full.Label + " is not bound. " + why}
		}
		return nil
	}
	return a.performFirst(keys)
}

// perform does what a key of the table means on the shown screen.
func (a *app) perform(top screen, key ui.Key) tea.Cmd {
	switch key.ID {
	case "":
		return nil
	case "find":
		return a.do(top, a.find())
	case "command":
		return a.do(top, a.openLine(""))
	case "requests":
		if top.kind() == onRequests {
			return a.back()
		}
		return a.do(top, push{newRequests(a.env)})
	case "suspend":
		return tea.Suspend
	case "link":
		return a.do(top, a.copyLink())
	case "mouse":
		a.toggleMouse()
		return nil
	case "help":
		a.help = newHelp("")
		return nil
	case "quit":
		if len(a.stack) > 1 {
			return a.back()
		}
		return a.quit()
	case "back":
		return a.escape(top)
	case "reload":
		a.drop(top, "")
		delete(a.unseen, top)
		a.env.forgetLevels()
		return a.do(top, top.start())
	}
	l, ok := top.(lister)
	if ok {
		if act, known := l.lines().does(key.ID); known {
			return a.do(top, act)
		}
	}
	cmd := a.do(top, top.key(key.ID))
	if ok && (key.ID == "next" || key.ID == "previous") {
		a.note = note{ui.Dim, l.lines().said()}
	}
	return cmd
}

// escape cancels what runs, else clears what the screen has to clear, else goes
// back.
func (a *app) escape(top screen) tea.Cmd {
	if t := a.running(); t != nil && !t.work.aside && (!t.cancelled || t.work.settle) {
		a.cancel(top)
		if !t.work.settle {
			a.note = note{ui.Dim, a.env.keys("Cancelled; {reload} loads again.")}
		}
		return nil
	}
	if done, act := top.escape(); done {
		return a.do(top, act)
	}
	return a.back()
}

// cancel ends what is busy for a screen, which is told so.
func (a *app) cancel(owner screen) {
	for _, t := range a.tasks {
		if t.owner == owner && t.busy() {
			t.cancel()
			t.cancelled = true
		}
	}
}

// answer gives a key to the form.
func (a *app) answer(msg tea.Msg) tea.Cmd {
	f := a.form
	switch f.form.Update(msg) {
	case ui.Cancelled:
		a.form = nil
		if f.no != nil {
			return a.do(a.stack.top(), f.no())
		}
	case ui.Confirmed:
		a.form = nil
		return a.do(a.stack.top(), f.yes(f.form))
	}
	return nil
}

// paste goes where text is typed, else nowhere; so does pointing at a form.
func (a *app) paste(msg tea.Msg) tea.Cmd {
	if a.deaf() {
		return nil
	}
	if a.form != nil {
		return a.answer(msg)
	}
	if a.help != nil {
		return a.help.input(a, msg)
	}
	if t, ok := a.stack.top().(typist); ok && t.typing() {
		return a.do(a.stack.top(), t.input(msg))
	}
	return nil
}
