package fakegcs

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
)

// insertObject is objects.insert in one request: uploadType media or multipart.
func (x *exchange) insertObject(b *bucket) *answer {
	var m metadata
	body := x.Body
	switch kind := x.query.Get("uploadType"); kind {
	case "media":
	case "multipart":
		var a *answer
		if m, body, a = x.parts(); a != nil {
			return a
		}
	default:
		return x.parameter("uploadType", kind)
	}
	if m.ContentType == nil && x.R.Header.Get("Content-Type") != "" && x.query.Get("uploadType") == "media" {
		kind := x.R.Header.Get("Content-Type")
		m.ContentType = &kind
	}
	key, a := x.nameOf(&m)
	if a != nil {
		return a
	}
	x.Req.Key = key
	if a := x.mayWrite(b, key); a != nil {
		return a
	}
	return x.write(b, key, &m, body)
}

// parts takes a body of multipart/related apart: the object resource, and the
// bytes ("Multipart upload").
func (x *exchange) parts() (m metadata, body []byte, a *answer) {
	bad := func() (metadata, []byte, *answer) {
		return metadata{}, nil, x.fail(400, "badRequest", "Malformed multipart body.")
	}
	kind, params, err := mime.ParseMediaType(x.R.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/related" {
		return bad()
	}
	r := multipart.NewReader(bytes.NewReader(x.Body), params["boundary"])
	first, err := r.NextRawPart()
	if err != nil || json.NewDecoder(first).Decode(&m) != nil {
		return bad()
	}
	second, err := r.NextRawPart()
	if err != nil {
		return bad()
	}
	if body, err = io.ReadAll(second); err != nil {
		return bad()
	}
	if kind := second.Header.Get("Content-Type"); m.ContentType == nil && kind != "" {
		m.ContentType = &kind
	}
	if _, err := r.NextRawPart(); err != io.EOF {
		return bad()
	}
	return m, body, nil
}

// nameOf is the new object's name: the parameter comes before the resource.
func (x *exchange) nameOf(m *metadata) (string, *answer) {
	key := x.query.Get("name")
	if key == "" {
		key = m.Name
	}
	if key == "" {
		return "", x.fail(400, "required", "Required", "locationType", "parameter", "location", "name")
	}
	x.Req.Key = key
	return key, x.badName()
}

// write makes a new live generation after its conditions have been checked.
func (x *exchange) write(b *bucket, key string, m *metadata, body []byte) *answer {
	g := newGeneration(body)
	if b.set.StorageClass != "" {
		g.class = b.set.StorageClass
	}
	g.eventBased = b.set.DefaultEventBasedHold
	if encoding := x.query.Get("contentEncoding"); encoding != "" && m.ContentEncoding == nil {
		m.ContentEncoding = &encoding
	}
	m.lay(g, x.s.now())
	switch {
	case m.CRC32C != "" && m.CRC32C != g.crc32c:
		return x.invalid("Provided CRC32C \"" + m.CRC32C + "\" doesn't match calculated CRC32C \"" + g.crc32c + "\".")
	case m.MD5Hash != "" && m.MD5Hash != g.md5:
		return x.invalid("Provided MD5 hash \"" + m.MD5Hash + "\" doesn't match calculated MD5 hash \"" + g.md5 + "\".")
	}
	if m.Retention != nil {
		if a := x.mayRetain(b, &generation{}, m); a != nil {
			return a
		}
	}
	if a := x.put(b, key, g); a != nil {
		return a
	}
	return x.reply(200, x.resource(b, key, g))
}

// put makes g the live generation of key, if what is live may be ended.
func (x *exchange) put(b *bucket, key string, g *generation) *answer {
	if old := b.live(key); old != nil {
		if a := x.needs(b, "storage.objects.delete"); a != nil { // objects.insert, required permissions
			return a
		}
		if a := x.mayEnd(b, key, old); a != nil {
			return a
		}
	}
	x.s.add(b, key, g)
	return nil
}
