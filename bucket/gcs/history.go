package gcs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// markerPrefix and the generation under it are the ID of a deletion.
const markerPrefix = "deleted-"

// under gives the generation under a marker's ID.
func under(version string) (number int64, ok bool) {
	rest, ok := strings.CutPrefix(version, markerPrefix)
	if !ok {
		return 0, false
	}
	n, ok := generationOf(rest)
	return n, ok
}

// generationOf reads a version's ID, in the one way that the store writes it.
func generationOf(version string) (int64, bool) {
	n, err := number(version)
	return n, err == nil && fmt.Sprint(n) == version
}

// history turns the generations of one key, in any order, into what S3 would list:
// versions and markers, newest first. It sorts gens.
//
// The order is that of the times of creation. The documentation promises nothing about
// the order in a listing, and of generations' numbers only that each is another. Of
// two in the same millisecond the one that stopped being live first is the older.
//
// Where a generation stopped being live before the next was made, somebody deleted it.
// What is removed for good leaves nothing: a generation between two that was removed
// makes the same gap, and a deletion and a write in the same millisecond make none.
func history(out []bucket.Version, gens []generation) ([]bucket.Version, error) {
	slices.SortFunc(gens, func(a, b generation) int {
		return cmp.Or(b.Modified.Compare(a.Modified), b.end().Compare(a.end()), cmp.Compare(b.number, a.number))
	})
	for i := range gens {
		g := &gens[i]
		if i > 0 && gens[i-1].number == g.number {
			return out, &remote.BadAnswer{Text: fmt.Sprintf("the listing has generation %d of %.80q twice", g.number, g.Key)}
		}
		next := time.Time{}
		if i > 0 {
			next = gens[i-1].Modified
		}
		switch {
		case g.deleted.IsZero():
			// One that another page of the listing still had as live.
			g.Latest = i == 0
		case i == 0:
			out = append(out, g.marker(true))
		case g.deleted.Before(next):
			out = append(out, g.marker(false))
		}
		out = append(out, g.Version)
	}
	return out, nil
}

// end is when a generation stopped being live; of a live one the end of time.
func (g *generation) end() time.Time {
	if g.deleted.IsZero() {
		return time.Unix(1<<40, 0)
	}
	return g.deleted
}

// marker is the deletion that ended a generation.
func (g *generation) marker(latest bool) bucket.Version {
	return bucket.Version{Key: g.Key, ID: markerPrefix + g.ID, Latest: latest, DeleteMarker: true, Derived: true, Modified: g.deleted}
}
