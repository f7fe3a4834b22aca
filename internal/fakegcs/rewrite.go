package fakegcs

import (
	"encoding/json"
	"strconv"
)

// A move is a rewrite that takes several calls.
type move struct {
	from            *generation
	toBucket, toKey string
	bucket, key     string
	done            int64
}

// rewriteObject is objects.rewrite and objects.copy: a new live generation of the
// destination with the bytes of a generation of the source.
func (x *exchange) rewriteObject(*bucket) *answer {
	source, destination := x.s.bucket(x.Req.Bucket), x.s.bucket(x.toBucket)
	if source == nil || destination == nil {
		return x.noBucket()
	}
	from, a := x.source(source)
	if a != nil {
		return a
	}
	m, replaced, err := x.copyMetadata()
	if err != nil {
		return x.fail(400, "parseError", "Parse Error")
	}
	destination.mu.Lock()
	defer destination.mu.Unlock()
	if a := x.mayUse(destination, "storage.objects.create"); a != nil {
		return a
	}
	if a := x.mayWrite(destination, x.toKey); a != nil {
		return a
	}
	if x.op.kind == "objects.rewrite" {
		if a := x.step(source, destination, from); a != nil {
			return a
		}
	}
	g := *from
	// Holds and retention are not copied ("Object holds", "Object Retention Lock").
	g.temporary, g.eventBased, g.mode, g.etag = false, destination.set.DefaultEventBasedHold, "", ""
	g.until, g.eventReleased, g.deleted = g.soft, g.soft, g.soft // zero
	if replaced {
		fresh := newGeneration(g.body)
		fresh.size, fresh.md5, fresh.eventBased = g.size, g.md5, g.eventBased
		g = *fresh
	}
	if m.StorageClass == "" {
		g.class = "STANDARD"
		if destination.set.StorageClass != "" {
			g.class = destination.set.StorageClass
		}
	}
	m.lay(&g, x.s.now())
	if a := x.put(destination, x.toKey, &g); a != nil {
		return a
	}
	made := x.resource(destination, x.toKey, &g)
	if x.op.kind == "objects.copy" {
		return x.reply(200, made)
	}
	return x.reply(200, rewritten{Kind: "storage#rewriteResponse", Total: strconv.FormatInt(g.size, 10), Size: strconv.FormatInt(g.size, 10), Done: true, Resource: made})
}

type rewritten struct {
	Kind     string    `json:"kind"`
	Total    string    `json:"totalBytesRewritten"`
	Size     string    `json:"objectSize"`
	Done     bool      `json:"done"`
	Token    string    `json:"rewriteToken,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

// source is the generation to copy: of a call that goes on, the one that the first
// call met.
func (x *exchange) source(b *bucket) (*generation, *answer) {
	if text := x.query.Get("rewriteToken"); text != "" {
		x.s.mu.Lock()
		m := x.s.moves[text]
		x.s.mu.Unlock()
		if m == nil || m.bucket != x.Req.Bucket || m.key != x.Req.Key || m.toBucket != x.toBucket || m.toKey != x.toKey {
			return nil, x.parameter("rewriteToken", text)
		}
		return m.from, nil
	}
	number, a := x.number("sourceGeneration")
	if a != nil {
		return nil, a
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if a := x.mayUse(b, "storage.objects.get"); a != nil {
		return nil, a
	}
	g := b.get(x.Req.Key, number)
	if g == nil {
		return nil, x.absent(b)
	}
	return g, x.met("ifSource", b.live(x.Req.Key), g)
}

// copyMetadata is what the body says of the new object. A body without any of it
// has the source's metadata copied; with some, all of it is new ("Rewrite": the
// metadata in the request body replaces the source's).
func (x *exchange) copyMetadata() (m metadata, replaced bool, err error) {
	if len(x.Body) == 0 {
		return m, false, nil
	}
	var members map[string]json.RawMessage
	if err = json.Unmarshal(x.Body, &members); err != nil {
		return m, false, err
	}
	for _, name := range []string{"contentType", "contentEncoding", "contentDisposition", "contentLanguage", "cacheControl", "metadata", "customTime"} {
		if _, ok := members[name]; ok {
			replaced = true
		}
	}
	return m, replaced, json.Unmarshal(x.Body, &m)
}

// step does one call's share of a rewrite that takes several; nil: the last share
// is done. maxBytesRewrittenPerCall counts only across locations or storage
// classes (objects.rewrite); SetRewriteStep makes every rewrite into a bucket take
// several calls, as the service may.
func (x *exchange) step(source, destination *bucket, from *generation) *answer {
	share, a := x.number("maxBytesRewrittenPerCall")
	switch {
	case a != nil:
		return a
	case share%(1<<20) != 0:
		return x.parameter("maxBytesRewrittenPerCall", x.query.Get("maxBytesRewrittenPerCall"))
	case destination.step > 0:
		share = destination.step
	case share == 0 || destination.class() == from.class && destination.where() == source.where():
		return nil
	}
	text := x.query.Get("rewriteToken")
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	m := x.s.moves[text]
	if m == nil {
		x.s.seq++
		text = "rewrite-" + strconv.Itoa(x.s.seq)
		m = &move{from: from, bucket: x.Req.Bucket, key: x.Req.Key, toBucket: x.toBucket, toKey: x.toKey}
		x.s.moves[text] = m
	}
	if m.done += share; m.done >= from.size {
		delete(x.s.moves, text)
		return nil
	}
	return x.reply(200, rewritten{Kind: "storage#rewriteResponse", Total: strconv.FormatInt(m.done, 10), Size: strconv.FormatInt(from.size, 10), Token: text})
}
