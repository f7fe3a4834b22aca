package fakegcs

import (
	"encoding/json"
	"maps"
	"net/http"
	"time"
)

// target is the generation that a request names, or the live one.
func (x *exchange) target(b *bucket) (*object, *generation, *answer) {
	number, a := x.number("generation")
	if a != nil {
		return nil, nil, a
	}
	g := b.get(x.Req.Key, number)
	if g == nil {
		return nil, nil, x.absent(b)
	}
	o := b.object(x.Req.Key)
	return o, g, x.met("if", o.live(), g)
}

// absent is the answer about an object that is not there. Who may not list doesn't
// learn that much ("HTTP status and error codes for JSON", 403 forbidden).
func (x *exchange) absent(b *bucket) *answer {
	if a := x.needs(b, "storage.objects.list"); a != nil {
		return a
	}
	return x.noObject(b.name, x.Req.Key)
}

// withACL refuses projection=full to a caller who may not read ACLs. The pages of
// the methods say that the permission is needed, not with which answer.
func (x *exchange) withACL(b *bucket) *answer {
	if x.query.Get("projection") != "full" {
		return nil
	}
	return x.needs(b, "storage.objects.getIamPolicy")
}

func (x *exchange) getObject(b *bucket) *answer {
	if a := x.withACL(b); a != nil {
		return a
	}
	if x.query.Get("softDeleted") == "true" {
		_, g, a := x.softDeleted(b)
		if a != nil {
			return a
		}
		return x.reply(200, x.resource(b, x.Req.Key, g))
	}
	_, g, a := x.target(b)
	if a != nil {
		return a
	}
	return x.reply(200, x.resource(b, x.Req.Key, g))
}

// deleteObject ends the live generation, or with a number takes that generation
// away for good (objects.delete). What was under it doesn't come to life again.
func (x *exchange) deleteObject(b *bucket) *answer {
	o, g, a := x.target(b)
	if a != nil {
		return a
	}
	if x.query.Get("generation") == "" {
		if a := x.mayEnd(b, o.name, g); a != nil {
			return a
		}
		x.s.replaced(b, o, g, x.s.tick(b))
	} else {
		if a := x.mayDestroy(b, o.name, g); a != nil {
			return a
		}
		x.s.destroy(b, o, g, x.s.tick(b))
	}
	b.drop(o)
	return &answer{Status: 204, Header: http.Header{}}
}

// metadata are the members of an object resource that a writer may set.
type metadata struct {
	Name               string
	ContentType        *string
	ContentEncoding    *string
	ContentDisposition *string
	ContentLanguage    *string
	CacheControl       *string
	CustomTime         *time.Time
	StorageClass       string
	TemporaryHold      *bool
	EventBasedHold     *bool
	Retention          *struct {
		Mode            string
		RetainUntilTime *time.Time
	}
	MD5Hash  string
	CRC32C   string
	Metadata map[string]*string // nil values take names away
}

// lay lays what a writer gave over a generation.
func (m *metadata) lay(g *generation, now time.Time) {
	for _, s := range []struct {
		from *string
		to   *string
	}{{m.ContentType, &g.contentType}, {m.ContentEncoding, &g.encoding}, {m.ContentDisposition, &g.disposition},
		{m.ContentLanguage, &g.language}, {m.CacheControl, &g.cacheControl}} {
		if s.from != nil {
			*s.to = *s.from
		}
	}
	if m.CustomTime != nil {
		g.customTime = m.CustomTime.UTC()
	}
	if m.StorageClass != "" {
		g.class = m.StorageClass
	}
	if m.TemporaryHold != nil {
		g.temporary = *m.TemporaryHold
	}
	if m.EventBasedHold != nil {
		if g.eventBased && !*m.EventBasedHold {
			g.eventReleased = now
		}
		g.eventBased = *m.EventBasedHold
	}
	if m.Retention != nil {
		g.mode, g.until = m.Retention.Mode, time.Time{}
		if m.Retention.RetainUntilTime != nil {
			g.until = m.Retention.RetainUntilTime.UTC()
		}
	}
	if m.Metadata != nil {
		g.metadata = maps.Clone(g.metadata)
		if g.metadata == nil {
			g.metadata = map[string]string{}
		}
		for name, value := range m.Metadata {
			if value == nil {
				delete(g.metadata, name)
			} else {
				g.metadata[name] = *value
			}
		}
	}
}

// patchObject changes metadata: holds, retention and the like. It makes a new
// metageneration.
func (x *exchange) patchObject(b *bucket) *answer {
	var m metadata
	if err := json.Unmarshal(x.Body, &m); err != nil {
		return x.fail(400, "parseError", "Parse Error")
	}
	o, g, a := x.target(b)
	if a != nil {
		return a
	}
	if m.Retention != nil {
		if a := x.mayRetain(b, g, &m); a != nil {
			return a
		}
	}
	t := x.s.tick(b)
	g = o.change(g, func(g *generation) {
		m.lay(g, t)
		g.metagen, g.updated = g.metagen+1, t
	})
	return x.reply(200, x.resource(b, o.name, g))
}

// mayRetain checks a change of an object's own retention ("Object Retention
// Lock"): the bucket has to have it enabled, a locked one only grows, an unlocked
// one shrinks with overrideUnlockedRetention.
func (x *exchange) mayRetain(b *bucket, g *generation, m *metadata) *answer {
	if b.set.ObjectRetention == nil || b.set.ObjectRetention.Mode != "Enabled" {
		return x.fail(400, "invalid", "Object retention is not enabled on this bucket.")
	}
	mode, until := m.Retention.Mode, time.Time{}
	if m.Retention.RetainUntilTime != nil {
		until = *m.Retention.RetainUntilTime
	}
	now := x.s.now()
	if mode != "" && (mode != "Locked" && mode != "Unlocked" || !until.After(now)) {
		return x.fail(400, "invalid", "The retention needs a mode and a time in the future.")
	}
	weaker := until.Before(g.until) || mode == ""
	switch {
	case g.mode == "Locked" && now.Before(g.until) && (weaker || mode != "Locked"):
		return x.retained(b, x.Req.Key, stamp(g.until))
	case g.mode == "Unlocked" && (weaker || mode != g.mode) && x.query.Get("overrideUnlockedRetention") != "true":
		return x.fail(403, "forbidden", "The retention of this object can be reduced, removed or locked only with overrideUnlockedRetention.")
	}
	return nil
}
