package views

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"provcat-tui/commit"
	"provcat-tui/ui"
)

// reigns are what the versions of one log entry named while readers got them.
type reigns struct {
	number int64
	past   []commit.PinPast // newest first
	err    error            // they could not be listed
}

// findReigns looks at an entry's versions and, where it has several, at what they named.
func (s *commitScreen) findReigns() action {
	hash, number := s.hash, s.naming.number
	return begin{aside(load("reigns", fmt.Sprintf("Looking for earlier versions of entry #%d", number), func(ctx context.Context, add func(reigns)) error {
		past, err := commit.EntryPast(ctx, s.b, hash, number)
		if err == nil {
			add(reigns{number: number, past: past})
		}
		return err
	}, func(r []reigns) action {
		s.reigns = r[len(r)-1]
		return nil
	}, func(err error) action {
		if err != nil {
			s.reigns = reigns{number: number, err: err}
		}
		return nil
	}))}
}

// say tells who got which commit when, where the entry named several, and what of it could
// not be looked at; empty: it named one.
func (r reigns) say(id string) (ui.Tone, string) {
	if r.err != nil {
		return ui.Unsure, fmt.Sprintf("? whether entry #%d was written more than once could not be checked: %s", r.number, briefly(r.err))
	}
	named := map[string]bool{}
	var parts []string
	var unread error
	for _, p := range slices.Backward(r.past) {
		name := commit.ShortID(p.ID)
		switch {
		case p.ID == "" && p.Err == nil:
			continue // a marker, or no entry: the times of the others tell the time between them
		case p.ID == "":
			name, unread = "what could not be read", p.Err
		case p.ID == id:
			name = "this commit"
		}
		if p.ID != "" {
			named[p.ID] = true
		}
		from := "from a time that is not known"
		if !p.From.IsZero() {
			from = "from " + stamp(p.From)
		}
		if p.Until.IsZero() {
			name += " " + strings.Replace(from, "from", "since", 1)
		} else {
			name += " " + from + " until " + stamp(p.Until)
		}
		parts = append(parts, name)
	}
	switch {
	case len(named) > 1:
		return ui.Bad, fmt.Sprintf("%s entry #%d was written again and names %d commits: readers got %s (UTC)", ui.MarkRemade, r.number, len(named), strings.Join(parts, ", "))
	case unread != nil:
		return ui.Unsure, fmt.Sprintf("? what earlier versions of entry #%d named could not be read: %s", r.number, briefly(unread))
	}
	return ui.Plain, ""
}
