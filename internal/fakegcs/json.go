package fakegcs

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// stamp is a time as the API gives it: RFC 3339 in milliseconds, UTC.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func orEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}

// A resource is an object resource, its members in the order of the reference.
type resource struct {
	Kind                    string            `json:"kind"`
	ID                      string            `json:"id"`
	SelfLink                string            `json:"selfLink"`
	MediaLink               string            `json:"mediaLink,omitempty"`
	Name                    string            `json:"name"`
	Bucket                  string            `json:"bucket"`
	Generation              string            `json:"generation"`
	Metageneration          string            `json:"metageneration"`
	ContentType             string            `json:"contentType,omitempty"`
	StorageClass            string            `json:"storageClass"`
	Size                    string            `json:"size"`
	MD5Hash                 string            `json:"md5Hash,omitempty"`
	CRC32C                  string            `json:"crc32c"`
	ETag                    string            `json:"etag"`
	ContentEncoding         string            `json:"contentEncoding,omitempty"`
	ContentDisposition      string            `json:"contentDisposition,omitempty"`
	ContentLanguage         string            `json:"contentLanguage,omitempty"`
	CacheControl            string            `json:"cacheControl,omitempty"`
	Metadata                map[string]string `json:"metadata,omitempty"`
	TemporaryHold           bool              `json:"temporaryHold,omitempty"`
	EventBasedHold          bool              `json:"eventBasedHold,omitempty"`
	RetentionExpirationTime string            `json:"retentionExpirationTime,omitempty"`
	Retention               *retention        `json:"retention,omitempty"`
	TimeCreated             string            `json:"timeCreated"`
	Updated                 string            `json:"updated"`
	TimeDeleted             string            `json:"timeDeleted,omitempty"`
	SoftDeleteTime          string            `json:"softDeleteTime,omitempty"`
	HardDeleteTime          string            `json:"hardDeleteTime,omitempty"`
	TimeStorageClassUpdated string            `json:"timeStorageClassUpdated"`
	TimeFinalized           string            `json:"timeFinalized"`
	CustomTime              string            `json:"customTime,omitempty"`
}

type retention struct {
	Mode            string `json:"mode"`
	RetainUntilTime string `json:"retainUntilTime"`
}

func (x *exchange) resource(b *bucket, name string, g *generation) *resource {
	number := strconv.FormatInt(g.number, 10)
	path := "b/" + b.name + "/o/" + url.PathEscape(name)
	r := &resource{
		Kind: "storage#object", ID: b.name + "/" + name + "/" + number,
		SelfLink: x.s.URL() + apiPath + path, MediaLink: x.s.URL() + downloadPath + path + "?generation=" + number + "&alt=media",
		Name: name, Bucket: b.name, Generation: number, Metageneration: strconv.FormatInt(g.metagen, 10),
		ContentType: g.contentType, StorageClass: g.class, Size: strconv.FormatInt(g.size, 10), MD5Hash: g.md5, CRC32C: g.crc32c, ETag: g.tag(),
		ContentEncoding: g.encoding, ContentDisposition: g.disposition, ContentLanguage: g.language, CacheControl: g.cacheControl, Metadata: g.metadata,
		TemporaryHold: g.temporary, EventBasedHold: g.eventBased,
		TimeCreated: stamp(g.created), Updated: stamp(g.updated), TimeDeleted: orEmpty(g.deleted), SoftDeleteTime: orEmpty(g.soft), HardDeleteTime: orEmpty(g.hard),
		TimeStorageClassUpdated: stamp(g.classUpdated), TimeFinalized: stamp(g.created), CustomTime: orEmpty(g.customTime),
	}
	if until, ok := b.expiration(g); ok {
		r.RetentionExpirationTime = stamp(until)
	}
	if g.mode != "" {
		r.Retention = &retention{g.mode, stamp(g.until)}
	}
	return r
}

// reply is an answer of JSON, cut down to what the parameter fields asks for.
func (x *exchange) reply(status int, value any) *answer {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err) // our own types
	}
	if mask := x.query.Get("fields"); mask != "" {
		if out, err = partial(out, mask); err != nil {
			return x.fail(400, "invalidParameter", "Invalid field selection "+mask, "locationType", "parameter", "location", "fields")
		}
	}
	return &answer{Status: status, Header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}}, Body: out}
}

// number is a parameter that is an int64; 0 where it is not there.
func (x *exchange) number(name string) (n int64, a *answer) {
	if text := x.query.Get(name); text != "" {
		var err error
		if n, err = strconv.ParseInt(text, 10, 64); err != nil || n < 0 {
			return 0, x.parameter(name, text)
		}
	}
	return n, nil
}
