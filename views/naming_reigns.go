package views

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// A reign is how long one version of a log entry was what readers got.
type reign struct {
	commit string    // that it names; empty: a delete marker, or it could not be read
	from   time.Time // zero: the store does not say
	until  time.Time // zero: it still is
	marker bool
}

// reigns are those of one entry, the oldest first, of its newest maxVersions.
type reigns struct {
	number int64
	of     []reign
	cut    bool // there are older ones
}

// findReigns lists an entry's versions and, where it has several, reads what they name.
func (s *commitScreen) findReigns() action {
	hash, number := s.hash, s.naming.number
	return begin{aside(load("reigns", fmt.Sprintf("Looking for earlier versions of entry #%d", number), func(ctx context.Context, add func(reigns)) error {
		out, err := readReigns(ctx, s.b, hash, number)
		if err == nil {
			add(out)
		}
		return err
	}, func(r []reigns) action {
		s.reigns = r[len(r)-1]
		return nil
	}, nil))}
}

func readReigns(ctx context.Context, b bucket.Bucket, hash string, number int64) (reigns, error) {
	out := reigns{number: number}
	key := commit.SlotKey(hash, number)
	var vs []bucket.Version // newest first
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			return out, err
		}
		if v.Key != key {
			continue
		}
		if len(vs) == maxVersions {
			out.cut = true
			break
		}
		vs = append(vs, v)
	}
	if len(vs) < 2 {
		return out, nil
	}
	var until time.Time
	for _, v := range vs {
		r := reign{from: v.Modified, until: until, marker: v.DeleteMarker}
		until = v.Modified
		if !v.DeleteMarker {
			if e, err := commit.LoadEntry(ctx, b, key, v.ID); err == nil {
				r.commit = e.Commit
			} else if ctx.Err() != nil {
				return out, ctx.Err()
			}
		}
		out.of = append(out.of, r)
	}
	slices.Reverse(out.of)
	return out, nil
}

// say tells who got which commit when, where the entry named several; empty: it did not.
func (r reigns) say(id string) (ui.Tone, string) {
	named := map[string]bool{}
	var parts []string
	for _, x := range r.of {
		if x.marker {
			continue // the times of the others tell the time between them
		}
		name := "what could not be read"
		switch {
		case x.commit == id:
			name = "this commit"
		case x.commit != "":
			name = commit.ShortID(x.commit)
		}
		if x.commit != "" {
			named[x.commit] = true
		}
		from := "from a time that is not known"
		if !x.from.IsZero() {
			from = "from " + stamp(x.from)
		}
		switch {
		case x.until.IsZero():
			name += " " + strings.Replace(from, "from", "since", 1)
		default:
			name += " " + from + " until " + stamp(x.until)
		}
		parts = append(parts, name)
	}
	if len(named) < 2 {
		return ui.Plain, ""
	}
	text := fmt.Sprintf("%s entry #%d was written again and names %d commits: readers got %s (UTC)", ui.MarkRemade, r.number, len(named), strings.Join(parts, ", "))
	if r.cut {
		text += "; older versions were not looked at"
	}
	return ui.Bad, text
}
