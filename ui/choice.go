package ui

// An Option of a choice.
type Option struct {
	Name  string
	About string // a few words beside it
}

// A Choice is one of several options, which left and right go through.
type Choice struct {
	Options []Option
	At      int
}

// Move goes n options on, round at the ends.
func (c *Choice) Move(n int) {
	if len(c.Options) > 0 {
		c.At = ((c.At+n)%len(c.Options) + len(c.Options)) % len(c.Options)
	}
}

// Chosen is the option; the zero Option where there is none.
func (c *Choice) Chosen() Option {
	if c.At < 0 || c.At >= len(c.Options) {
		return Option{}
	}
	return c.Options[c.At]
}

// View is one line of exactly w columns.
func (c *Choice) View(w int, focused bool, th *Theme) string {
	o := c.Chosen()
	name := "‹ " + Clean(o.Name) + " ›"
	about := ""
	if room := w - Width(name) - 2; room > 0 {
		about = "  " + th.Paint(Dim, Fit(o.About, room, Left))
	}
	if focused {
		name = th.Selected(name)
	}
	return Pad(name+about, w)
}
