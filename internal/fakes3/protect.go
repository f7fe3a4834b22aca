package fakes3

import (
	"encoding/xml"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// What can be set on a version after it was written: tags, retention and legal
// hold. A version never changes, so a changed copy takes its place.

// A lock is what keeps a version from being deleted (user guide, "Object Lock").
type lock struct {
	mode  string    // "GOVERNANCE", "COMPLIANCE" or empty: no retention
	until time.Time // of the retention
	hold  string    // "ON", "OFF" or empty: never set
}

// target is the version that a request names, or the newest, and its place.
func (x *exchange) target(b *bucket) (o *object, j int, a *answer) {
	id := x.query.Get("versionId")
	v := b.get(x.Req.Key, id)
	if x.query.Has("versionId") {
		if a := x.badID(id, v); a != nil {
			return nil, 0, a
		}
	}
	switch {
	case v == nil && id != "":
		return nil, 0, x.noSuchVersion(x.Req.Key, id)
	case v == nil:
		return nil, 0, x.noSuchKey()
	case v.marker:
		a := x.fail(405, "MethodNotAllowed", "The specified method is not allowed against this resource.", "Method", x.R.Method, "ResourceType", "DeleteMarker")
		a.Header.Set("X-Amz-Delete-Marker", "true")
		return nil, 0, a
	}
	i, _ := b.search(x.Req.Key)
	return b.objects[i], b.objects[i].find(v.id), nil
}

// change puts a changed copy of a version into its place.
func (o *object) change(j int, f func(*version)) {
	v := *o.versions[j]
	f(&v)
	o.versions[j] = &v
}

func (x *exchange) getTags(b *bucket) *answer {
	o, j, a := x.target(b)
	if a != nil {
		return a
	}
	v := o.versions[j]
	out := []byte(xmlHead + "<Tagging" + xmlns + "><TagSet>")
	for _, name := range slices.Sorted(maps.Keys(v.tags)) {
		out = append(out, "<Tag>"...)
		out = element(out, "Key", name)
		out = element(out, "Value", v.tags[name])
		out = append(out, "</Tag>"...)
	}
	a = xmlAnswer(append(out, "</TagSet></Tagging>"...))
	b.nameVersion(a, v)
	return a
}

func (x *exchange) putTags(b *bucket) *answer {
	var in struct {
		XMLName xml.Name `xml:"Tagging"`
		TagSet  *struct{ Tag []struct{ Key, Value string } }
	}
	o, j, a := x.target(b)
	if a != nil {
		return a
	}
	body, a := x.payload()
	if a != nil {
		return a
	}
	if xml.Unmarshal(body, &in) != nil || in.TagSet == nil {
		return x.malformed()
	}
	tags := map[string]string{}
	for _, t := range in.TagSet.Tag {
		if _, twice := tags[t.Key]; twice {
			return x.fail(400, "InvalidTag", "Cannot provide multiple Tags with the same key", "TagKey", t.Key)
		}
		tags[t.Key] = t.Value
	}
	if a := x.badTags(tags); a != nil {
		return a
	}
	o.change(j, func(v *version) { v.tags = tags })
	a = &answer{Status: 200, Header: http.Header{}}
	b.nameVersion(a, o.versions[j])
	return a
}

func (x *exchange) deleteTags(b *bucket) *answer {
	o, j, a := x.target(b)
	if a != nil {
		return a
	}
	o.change(j, func(v *version) { v.tags = nil })
	a = &answer{Status: 204, Header: http.Header{}}
	b.nameVersion(a, o.versions[j])
	return a
}

// tagText is what the API reference, "Tag", lets keys and values hold.
var tagText = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)

// badTags refuses what breaks the limits of the user guide, its page on object
// tagging: 10 tags, keys of 128 characters, values of 256.
func (x *exchange) badTags(tags map[string]string) *answer {
	if len(tags) > 10 {
		return x.fail(400, "BadRequest", "Object tags cannot be greater than 10")
	}
	for k, v := range tags {
		if n := utf8.RuneCountInString(k); n == 0 || n > 128 || !tagText.MatchString(k) {
			return x.fail(400, "InvalidTag", "The TagKey you have provided is invalid", "TagKey", k)
		}
		if utf8.RuneCountInString(v) > 256 || !tagText.MatchString(v) {
			return x.fail(400, "InvalidTag", "The TagValue you have provided is invalid", "TagKey", k, "TagValue", v)
		}
	}
	return nil
}

// headerTags are the tags that a write brings along: x-amz-tagging, as a query.
func (x *exchange) headerTags() (map[string]string, *answer) {
	raw := x.R.Header.Get("X-Amz-Tagging")
	if raw == "" {
		return nil, nil
	}
	q, err := url.ParseQuery(raw)
	tags := map[string]string{}
	for k, v := range q {
		tags[k] = v[0]
		if len(v) > 1 {
			err = strconv.ErrSyntax
		}
	}
	if err != nil {
		return nil, x.argument("The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.", "x-amz-tagging", raw)
	}
	return tags, x.badTags(tags)
}

func (x *exchange) noLock() *answer {
	return x.fail(400, "InvalidRequest", "Bucket is missing Object Lock Configuration")
}

func (x *exchange) noObjectLock() *answer {
	return x.fail(404, "NoSuchObjectLockConfiguration", "The specified object does not have a ObjectLock configuration")
}

func (x *exchange) getRetention(b *bucket) *answer {
	o, j, a := x.target(b)
	switch {
	case a != nil:
		return a
	case b.lock == nil:
		return x.noLock()
	case o.versions[j].lock.mode == "":
		return x.noObjectLock()
	}
	out := []byte(xmlHead + "<Retention" + xmlns + ">")
	out = element(out, "Mode", o.versions[j].lock.mode)
	out = element(out, "RetainUntilDate", xmlTime(o.versions[j].lock.until))
	return xmlAnswer(append(out, "</Retention>"...))
}

func (x *exchange) putRetention(b *bucket) *answer {
	var in struct {
		XMLName         xml.Name `xml:"Retention"`
		Mode            string
		RetainUntilDate string
	}
	o, j, a := x.target(b)
	if a != nil {
		return a
	}
	if b.lock == nil {
		return x.noLock()
	}
	body, a := x.payload()
	if a != nil {
		return a
	}
	if xml.Unmarshal(body, &in) != nil {
		return x.malformed()
	}
	var want lock
	if in.Mode != "" || in.RetainUntilDate != "" {
		if want, a = x.retention(in.Mode, in.RetainUntilDate); a != nil {
			return a
		}
	}
	have := o.versions[j].lock
	weaker := want.until.Before(have.until) || have.mode == "COMPLIANCE" && want.mode != have.mode
	if x.s.now().Before(have.until) && weaker && (have.mode == "COMPLIANCE" || !x.bypasses()) {
		return x.protected()
	}
	o.change(j, func(v *version) { v.lock.mode, v.lock.until = want.mode, want.until })
	return &answer{Status: 200}
}

// retention reads a mode and a date, which must lie ahead.
func (x *exchange) retention(mode, date string) (lock, *answer) {
	until, err := time.Parse(time.RFC3339, date)
	switch {
	case err != nil || mode != "GOVERNANCE" && mode != "COMPLIANCE":
		return lock{}, x.malformed()
	case !until.After(x.s.now()):
		return lock{}, x.argument("The retain until date must be in the future!", "RetainUntilDate", date)
	}
	return lock{mode: mode, until: until.UTC()}, nil
}

func (x *exchange) getHold(b *bucket) *answer {
	o, j, a := x.target(b)
	switch {
	case a != nil:
		return a
	case b.lock == nil:
		return x.noLock()
	case o.versions[j].lock.hold == "":
		return x.noObjectLock()
	}
	out := element([]byte(xmlHead+"<LegalHold"+xmlns+">"), "Status", o.versions[j].lock.hold)
	return xmlAnswer(append(out, "</LegalHold>"...))
}

func (x *exchange) putHold(b *bucket) *answer {
	var in struct {
		XMLName xml.Name `xml:"LegalHold"`
		Status  string
	}
	o, j, a := x.target(b)
	if a != nil {
		return a
	}
	if b.lock == nil {
		return x.noLock()
	}
	body, a := x.payload()
	if a != nil {
		return a
	}
	if xml.Unmarshal(body, &in) != nil || in.Status != "ON" && in.Status != "OFF" {
		return x.malformed()
	}
	o.change(j, func(v *version) { v.lock.hold = in.Status })
	return &answer{Status: 200}
}

// headerLock is the lock that a write brings along, or else the bucket's
// default retention (user guide, "Object Lock": default retention).
func (x *exchange) headerLock(b *bucket) (lock, *answer) {
	h := x.R.Header
	mode, date, hold := h.Get("X-Amz-Object-Lock-Mode"), h.Get("X-Amz-Object-Lock-Retain-Until-Date"), h.Get("X-Amz-Object-Lock-Legal-Hold")
	if b.lock == nil {
		if mode+date+hold != "" {
			return lock{}, x.noLock()
		}
		return lock{}, nil
	}
	l := b.defaultLock(x.s.now())
	if mode+date != "" {
		var a *answer
		if l, a = x.retention(mode, date); a != nil {
			return lock{}, a
		}
	}
	l.hold = hold
	return l, nil
}

func (b *bucket) defaultLock(now time.Time) lock {
	var in struct {
		Rule struct {
			DefaultRetention struct {
				Mode        string
				Days, Years int
			}
		}
	}
	if b.lock == nil || xml.Unmarshal(b.lock, &in) != nil {
		return lock{}
	}
	r := in.Rule.DefaultRetention
	if r.Mode == "" {
		return lock{}
	}
	return lock{mode: r.Mode, until: now.AddDate(r.Years, 0, r.Days)}
}

// bypasses says that the request asks to go past a governance retention.
func (x *exchange) bypasses() bool {
	return x.R.Header.Get("X-Amz-Bypass-Governance-Retention") == "true"
}

// mayDelete refuses to remove a version that is protected.
func (x *exchange) mayDelete(v *version) *answer {
	if v == nil {
		return nil
	}
	retained := x.s.now().Before(v.lock.until) && (v.lock.mode == "COMPLIANCE" || !x.bypasses())
	if v.lock.hold == "ON" || retained {
		return x.protected()
	}
	return nil
}

func (x *exchange) protected() *answer {
	return x.fail(403, "AccessDenied", "Access Denied because object protected by object lock.")
}
