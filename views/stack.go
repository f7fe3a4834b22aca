package views

import "slices"

// A stack of screens: the last one is shown, going back takes it off.
type stack []screen

func (s stack) top() screen {
	if len(s) == 0 {
		return nil
	}
	return s[len(s)-1]
}

// crumbs are the pieces of the way here.
func (s stack) crumbs() []string {
	out := make([]string, 0, len(s))
	for _, x := range s {
		if x.kind() != onCommand { // a line over a screen, not a place
			out = append(out, x.crumb())
		}
	}
	return out
}

// push adds a screen; pop takes the last one off, except the root.
func (s *stack) push(x screen) { *s = append(*s, x) }

func (s *stack) pop() (gone screen, ok bool) {
	n := len(*s)
	if n < 2 {
		return nil, false
	}
	gone = (*s)[n-1]
	(*s)[n-1] = nil
	*s = (*s)[:n-1]
	return gone, true
}

// put has x take the place of a screen that is not shown; false: it is not there.
func (s stack) put(old, x screen) bool {
	for i := range len(s) - 1 {
		if s[i] == old {
			s[i] = x
			return true
		}
	}
	return false
}

// lay has screens take the place of one, shown or not; false: it is not there.
func (s *stack) lay(old screen, xs []screen) bool {
	i := slices.Index(*s, old)
	if i >= 0 {
		*s = slices.Replace(*s, i, i+1, xs...)
	}
	return i >= 0
}

// swap puts x in the place of the last screen.
func (s *stack) swap(x screen) (gone screen) {
	gone = (*s)[len(*s)-1]
	(*s)[len(*s)-1] = x
	return gone
}
