package views

import (
	tea "charm.land/bubbletea/v2"

	"provcat-tui/ui"
)

// A screen is one place of the program. Its methods run one after another, never
// at the same time; none of them waits for anything.
type screen interface {
	// kind names the screen in the table of keys.
	kind() string
	// crumb is its piece of the breadcrumbs, as it came.
	crumb() string
	// start is what to do when it is shown for the first time or loaded anew.
	start() action
	// key does what the table of keys says; nil where there is nothing to do.
	key(id string) action
	// enabled says whether a key works now, and if not, why.
	enabled(id string) (bool, string)
	// view gives h lines of w columns.
	view(w, h int, th *ui.Theme) []string
	// status is the text of the status line, as it came.
	status() string
	// escape clears what stands in the way of going back (a filter, marks) and
	// tells whether there was anything.
	escape() (bool, action)
}

// A typist is a screen that may take keys as text. While typing is true all keys
// but ctrl+c go to input.
type typist interface {
	typing() bool
	input(msg tea.Msg) action
}

// A returner wants to know that it is shown again, after the screen above went.
type returner interface{ returned() action }

// An action is what a screen wants of the program. nil is none.
type action any

type (
	push  struct{ screen screen } // go to a screen
	swap  struct{ screen screen } // put a screen in the place of this one
	back  struct{}                // go back
	quit  struct{}
	begin struct{ work *work }  // run work aside
	stop  struct{ slot string } // drop the work in a slot of this screen
	note  struct {              // tell the person something
		tone ui.Tone
		text string
	}
	tell struct { // a note that names keys by their ID, see env.keys
		tone ui.Tone
		text string
	}
	ask struct { // show a form; yes is called if it is confirmed
		form *ui.Form
		yes  func(*ui.Form) action
		no   func() action // if it is cancelled; may be nil
	}
	clip struct { // put a text on the terminal's clipboard, and tell so
		text string
		told note
	}
	all []action
)

// plain gives screens what most of them answer.
type plain struct{}

func (plain) enabled(string) (bool, string) { return true, "" }
func (plain) escape() (bool, action)        { return false, nil }
func (plain) status() string                { return "" }
