package ui

import "strings"

// SparkNone is a column of a sparkline without anything.
const SparkNone = "·"

// the eighths of a bar, lowest first.
var eighths = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// Sparkline draws counts as h lines of bars, a column each; the highest fills all
// lines, and what is more than nothing is seen. A column with broken set shows
// MarkGap on the lowest line if it has no count, else above its bar; broken may be nil.
// Negative counts are none. h below 1 is 1.
func Sparkline(counts []int, broken []bool, h int) []string {
	h = max(h, 1)
	top := 1
	for _, c := range counts {
		top = max(top, c)
	}
	lines := make([]strings.Builder, h)
	for i, c := range counts {
		gap := i < len(broken) && broken[i]
		level := 0
		if c > 0 {
			level = max(int(int64(c)*int64(8*h)/int64(top)), 1)
		}
		if gap && h == 1 {
			level = 0 // there is no room above a bar
		}
		for y := range h { // from the bottom
			line := &lines[h-1-y]
			switch rest := level - 8*y; {
			case rest >= 8:
				line.WriteString(eighths[7])
			case rest > 0:
				line.WriteString(eighths[rest-1])
			case gap && rest > -8:
				line.WriteString(MarkGap)
			case y == 0:
				line.WriteString(SparkNone)
			default:
				line.WriteByte(' ')
			}
		}
	}
	out := make([]string, h)
	for i := range lines {
		out[i] = lines[i].String()
	}
	return out
}
