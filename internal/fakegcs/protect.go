package fakegcs

import (
	"time"
)

// expiration is the time until which a generation is retained: by the bucket's
// policy, from its creation ("Retention policies and Bucket Lock") or the release
// of its event-based hold ("Object holds"), and by its own retention, whichever is
// later. ok is false without any, and while an event-based hold makes it unknown.
func (b *bucket) expiration(g *generation) (until time.Time, ok bool) {
	if g.eventBased {
		return time.Time{}, false
	}
	if period := b.set.retention(); period > 0 {
		from := g.created
		if g.eventReleased.After(from) {
			from = g.eventReleased
		}
		until = from.Add(period)
	}
	if g.mode != "" && g.until.After(until) {
		until = g.until
	}
	return until, !until.IsZero()
}

// mayEnd refuses to end a live generation by an overwrite or a deletion without
// its number. A hold always stands against it ("deleted, overwritten or archived").
// A retention does so without versioning only: with it the generation becomes
// noncurrent and is still there ("Object Retention Lock" and "Bucket Lock",
// their considerations for Object Versioning).
func (x *exchange) mayEnd(b *bucket, key string, g *generation) *answer {
	if a := x.mayHold(b, key, g); a != nil || b.set.Versioning.Enabled {
		return a
	}
	return x.mayDestroy(b, key, g)
}

// mayDestroy refuses to take away a generation that is held or retained.
func (x *exchange) mayDestroy(b *bucket, key string, g *generation) *answer {
	if a := x.mayHold(b, key, g); a != nil {
		return a
	}
	if until, ok := b.expiration(g); ok && x.s.now().Before(until) {
		return x.retained(b, key, stamp(until))
	}
	return nil
}

func (x *exchange) mayHold(b *bucket, key string, g *generation) *answer {
	switch {
	case g.temporary:
		return x.held(b, key, "Temporary")
	case g.eventBased:
		return x.held(b, key, "Event-Based")
	}
	return nil
}
