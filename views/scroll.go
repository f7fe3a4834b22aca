package views

// scrolled is the first line on the screen after a movement through lines that have no
// cursor, page of which are shown; ok: it was a movement.
func scrolled(id string, top, page, lines int) (to int, ok bool) {
	switch id {
	case "up":
		top--
	case "down":
		top++
	case "pageup":
		top -= max(page-1, 1)
	case "pagedown":
		top += max(page-1, 1)
	case "top":
		top = 0
	case "bottom":
		top = lines
	default:
		return top, false
	}
	return max(min(top, lines-page), 0), true
}
