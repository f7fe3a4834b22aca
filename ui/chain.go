package ui

// Link is one place of a drawn chain, top to bottom.
type Link struct {
	// Up and Down say whether the chain holds to the next place above and below.
	Up, Down bool
	// Mark is the sign of what is at this place, one column.
	Mark string
	// Beside: it stands beside the chain, which goes on past it where Up and Down say so.
	Beside bool
}

// The marks of a chain.
const (
	MarkSound   = "●"
	MarkGap     = "┊"
	MarkDeleted = "✗"
	MarkRemade  = "≠"
	MarkUnsure  = "?"
	MarkBroken  = "✗"
)

// ChainWidth is the width of a drawn link.
const ChainWidth = 3

// Chain draws a link: the line that joins it to its neighbours, and its mark. A
// break is where the line stops.
func Chain(l Link) string {
	bar := "╶"
	switch {
	case l.Beside && l.Up && l.Down:
		return "│ " + l.Mark
	case l.Beside:
		return "  " + l.Mark
	case l.Up && l.Down:
		bar = "├"
	case l.Up:
		bar = "└"
	case l.Down:
		bar = "┌"
	case l.Mark == MarkGap:
		return MarkGap + "  "
	}
	return bar + "─" + l.Mark
}
