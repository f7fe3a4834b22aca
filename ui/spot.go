package ui

import (
	"strconv"
	"strings"
)

// A Spot is a part of the screen that a mouse can point at. Widgets note theirs while
// they are drawn; where they ended up is read off the finished frame, so that a
// screen may put a widget anywhere and need not tell.
type Spot struct {
	X, Y, W, H int // in columns and lines of the frame

	// Table is set for the rows of a table or tree, with Title for the title of one of
	// its columns; Pane for lines that scroll.
	Table *Table
	Title string
	Pane  Pane
	// Focused says that keys go to it.
	Focused bool
	// Press is the key, as the terminal names it, that a hint stands for.
	Press string
	// Form and Part are a field of a form or one of its buttons, see Point.
	Form *Form
	Part int
	// Crumb is a piece of the way here: how many screens to leave to get there, plus
	// one; 0: it is none.
	Crumb int
}

// A Pane is a part of a screen that scrolls without a cursor.
type Pane interface {
	// Wheel scrolls n lines down; up if n is negative.
	Wheel(n int)
}

// Spots are those of the frame that is being drawn.
type Spots struct {
	all   []Spot
	found []Spot
}

// TrackSpots has the widgets that draw with this theme note their spots into s; nil:
// they don't.
func (t *Theme) TrackSpots(s *Spots) { t.spots = s }

// Mark notes a spot and gives the sign to put before its first line. The sign takes
// no column and must not reach a terminal: Find takes it off. Empty where no spots
// are tracked.
func (t *Theme) Mark(s Spot) string {
	if t.spots == nil || s.W <= 0 || s.H <= 0 {
		return ""
	}
	t.spots.all = append(t.spots.all, s)
	return sign(len(t.spots.all)-1, 0)
}

// sign is a control sequence that no terminal knows and no text of a bucket can hold.
func sign(n, right int) string {
	return "\x1b[" + strconv.Itoa(n) + ";" + strconv.Itoa(right) + "z"
}

// Reset forgets the spots: a new frame begins.
func (s *Spots) Reset() { s.all = s.all[:0] }

// Find takes the signs off the lines of a frame and gives the spots that are in it,
// until the next call.
func (s *Spots) Find(lines []string) []Spot {
	out := s.found[:0]
	for y := range lines {
		lines[y] = takeSigns(lines[y], func(n, x int) {
			if n < len(s.all) {
				spot := s.all[n]
				spot.X, spot.Y = x, y
				out = append(out, spot)
			}
		})
	}
	s.found = out
	return out
}

// takeSigns gives a line without its signs, and tells each with its column.
func takeSigns(line string, tell func(n, x int)) string {
	var b strings.Builder
	for {
		from, to := nextSign(line)
		if from < 0 {
			if b.Len() == 0 {
				return line
			}
			b.WriteString(line)
			return b.String()
		}
		num, right, _ := strings.Cut(line[from+2:to-1], ";")
		n, _ := strconv.Atoi(num) // digits only, see nextSign
		x, _ := strconv.Atoi(right)
		if from == 0 && b.Len() == 0 { // most are at the start of a line: nothing is copied
			tell(n, x)
		} else {
			b.Grow(len(line))
			b.WriteString(line[:from])
			tell(n, x+Width(b.String()))
		}
		line = line[to:]
	}
}

// nextSign is where the first sign of a line begins and ends; -1: there is none.
func nextSign(line string) (from, to int) {
	for at := 0; ; {
		i := strings.Index(line[at:], "\x1b[")
		if i < 0 {
			return -1, -1
		}
		end := at + i + 2
		for end < len(line) && (line[end] >= '0' && line[end] <= '9' || line[end] == ';') {
			end++
		}
		if end < len(line) && line[end] == 'z' {
			return at + i, end + 1
		}
		at = end
	}
}

// Has says whether the spot covers a place of the frame.
func (s Spot) Has(x, y int) bool { return x >= s.X && x < s.X+s.W && y >= s.Y && y < s.Y+s.H }
