package audit

import (
	"fmt"
	"slices"
	"sort"
)

// ofSlots are the findings about slots of a log: a slot's number says what they are
// about. The commit that it names, and its version, are known only where they could be
// read.
var ofSlots = []string{"log-entry-deleted", "log-entry-missing", "log-entry-overwritten", "log-entry-remade", "log-entry-restored",
	"log-entry-unreadable", "log-marker-stray", "log-tail-missing"}

// about gives what a finding is about, for its fingerprint.
func about(f Finding) Finding {
	if !slices.Contains(ofSlots, f.ID) {
		return f
	}
	out := Finding{ID: f.ID, Number: f.Number}
	if f.Severity == Anomaly {
		out.Key = "harmless" // whoever knows of it does not know of damage to the slot
	}
	return out
}

// aboutGap is about for the absent slots between two: how far they reach is part of
// it, by the listing alone.
func aboutGap(l *logFacts, f Finding) Finding {
	i := sort.Search(len(l.slots), func(i int) bool { return l.slots[i].number <= f.Number })
	low := int64(0)
	if i < len(l.slots) {
		low = l.slots[i].number
	}
	return Finding{ID: f.ID, Number: f.Number, Key: fmt.Sprint("above ", low)}
}

// sized says that a finding's fingerprint tells how much it affects, so that the
// commits, as far as they could be read, say no more.
func (f Finding) sized() bool {
	switch f.ID {
	case "log-entry-deleted", "log-entry-missing", "log-entry-unreadable", "log-tail-missing":
		return f.Number > 0
	}
	return false
}
