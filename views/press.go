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
	if k.String() == "ctrl+z" {
		return tea.Suspend // the shell's fg brings it back
	}
	if a.deaf() {
		return nil
	}
	a.note = note{}
	if a.w < ui.MinWidth || a.h < ui.MinHeight {
		if k.String() == "q" && a.form == nil {
			return a.quit()
		}
		return nil
	}
	if a.form != nil {
		return a.answer(k)
	}
	top := a.stack.top()
	if a.help != nil {
		if id := a.help.press(k, a.keys.On(top.kind())); id != "" {
			a.help = nil
		}
		return nil
	}
	if t, ok := top.(typist); ok && t.typing() && !a.finds(top, k.String()) {
		return a.do(top, t.input(k))
	}
	keys := a.keys.Bound(top.kind(), k.String())
	if len(keys) == 0 {
		if full, ok := keyTable.Find(top.kind(), k.String()); ok && full.Writes {
			a.note = note{ui.Warn, "Opened read-only: " + full.Label + " is not bound. Run without --read-only to write."}
		}
		return nil
	}
	key, why := ui.Key{}, ""
	for _, x := range keys { // one press may mean other things elsewhere on a screen
		ok, not := a.enabled(x.ID)
		if ok {
			key, why = x, ""
			break
		}
		if why == "" {
			why = not
		}
	}
	if why != "" {
		a.note = note{ui.Dim, "Not now: " + why + "."}
	}
	return a.perform(top, key)
}

// perform does what a key of the table means on the shown screen.
func (a *app) perform(top screen, key ui.Key) tea.Cmd {
	switch key.ID {
	case "":
		return nil
	case "find":
		return a.do(top, a.find())
	case "requests":
		if top.kind() == onRequests {
			return a.back()
		}
		return a.do(top, push{newRequests(a.env)})
	case "suspend":
		return tea.Suspend
	case "mouse":
		a.toggleMouse()
		return nil
	case "help":
		a.help = &help{}
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
			a.note = note{ui.Dim, "Cancelled; r loads again."}
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
	if t, ok := a.stack.top().(typist); ok && t.typing() {
		return a.do(a.stack.top(), t.input(msg))
	}
	return nil
}
