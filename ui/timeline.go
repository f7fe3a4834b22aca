package ui

// The marks of a time line, beside those of a chain.
const (
	MarkLive  = "●"
	MarkPast  = "○"
	MarkLost  = "✗"
	markPause = "┊"
)

// A Moment is one line of a time line, newest first: something that happened, or with
// a Span the time until the next one below, put into words.
type Moment struct {
	First, Last bool // of what happened
	Mark        string
	Word        string
	Span        string
}

// TimelineWidth is the width of a moment's line and mark, before its word.
const TimelineWidth = 4

// Timeline draws a moment: a line down the left that its mark hangs on.
func Timeline(m Moment) string {
	if m.Span != "" {
		return markPause + "   " + m.Span
	}
	bar := "├─"
	switch {
	case m.First && m.Last:
		bar = "──"
	case m.First:
		bar = "┌─"
	case m.Last:
		bar = "└─"
	}
	return bar + m.Mark + " " + m.Word
}
