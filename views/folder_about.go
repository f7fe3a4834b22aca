package views

// about is what is known of the selected folder beyond its one level. All of it is
// read aside, one after another, after the cursor rested.
type about struct {
	head headLine
	past past
	scan *scanned // nil: not begun
	// scanning says that a scan is under way.
	scanning bool
	pin      pinLine
	last     []*logRow // the newest commits, where there is room to show them
}

// loadAbout begins anew with all that is told of the selected folder.
func (s *folder) loadAbout() action {
	s.about = about{}
	return all{stop{"past"}, stop{"scan"}, stop{"pin"}, stop{"last"}, s.loadHead()}
}

// loadRest goes on after the head is known.
func (s *folder) loadRest() action {
	out := all{s.loadLogs(), s.loadScan()}
	if s.head.slot.Number > 0 {
		out = append(out, s.loadPast())
	}
	if s.head.slot.Number > 0 || s.head.aboveSlot.Number > 0 {
		out = append(out, s.loadPin())
	}
	return out
}
