package views

import "time"

// deafFor is how long a dialog that opened by itself takes no key: the person was
// about to press one that meant something else.
var deafFor = 400 * time.Millisecond // none in most tests

// A surface is what takes the keys: a dialog, or a screen that is a form.
type surface struct {
	form   *ask
	screen screen // the commit form, or what came in its place
	typing bool
}

func (a *app) surface() surface {
	s := surface{form: a.form}
	switch t := a.stack.top().(type) {
	case *commitForm:
		s.screen, s.typing = t, t.typing()
	case *commitScreen:
		if t.said != "" {
			s.screen = t
		}
	}
	return s
}

// byItself notes that news put something else under the person's fingers.
func (a *app) byItself(before surface) {
	if now := a.surface(); now != before && (now.form != nil || now.screen != nil) {
		a.deafUntil = a.clock().Add(deafFor)
	}
}

// deaf says that a dialog just opened by itself.
func (a *app) deaf() bool { return a.clock().Before(a.deafUntil) }
