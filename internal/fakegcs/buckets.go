package fakegcs

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// bucketResource is the bucket resource: what was set, and what the server knows.
func (x *exchange) bucketResource(b *bucket) map[string]any {
	r := map[string]any{}
	for name, value := range b.set.raw {
		r[name] = value
	}
	r["kind"], r["id"], r["name"], r["selfLink"] = "storage#bucket", b.name, b.name, x.s.URL()+apiPath+"b/"+b.name
	r["projectNumber"], r["metageneration"], r["etag"] = "1", strconv.FormatInt(b.metagen, 10), "CA"+strconv.FormatInt(b.metagen, 10)+"="
	r["timeCreated"], r["updated"] = stamp(b.created), stamp(b.updated)
	r["storageClass"], r["location"], r["locationType"] = b.class(), b.where(), "multi-region"
	return r
}

func (b *bucket) class() string {
	if b.set.StorageClass != "" {
		return b.set.StorageClass
	}
	return "STANDARD"
}

func (b *bucket) where() string {
	var where string
	if raw, ok := b.set.raw["location"]; ok && json.Unmarshal(raw, &where) == nil {
		return where
	}
	return "US"
}

func (x *exchange) getBucket(b *bucket) *answer {
	if a := x.bucketMet(b); a != nil {
		return a
	}
	if x.query.Get("projection") == "full" {
		if a := x.needs(b, "storage.buckets.getIamPolicy"); a != nil {
			return a
		}
	}
	return x.reply(200, x.bucketResource(b))
}

// bucketMet checks the conditions on a bucket's metageneration.
func (x *exchange) bucketMet(b *bucket) *answer {
	if text := x.query.Get("ifMetagenerationMatch"); text != "" && text != strconv.FormatInt(b.metagen, 10) {
		return x.conditionNotMet()
	}
	if x.query.Get("ifMetagenerationNotMatch") == strconv.FormatInt(b.metagen, 10) {
		return x.notModified()
	}
	return nil
}

func (x *exchange) listBuckets(*bucket) *answer {
	project := x.query.Get("project")
	if project == "" {
		return x.fail(400, "required", "Required parameter: project", "locationType", "parameter", "location", "project")
	}
	most, a := x.number("maxResults")
	if a != nil {
		return a
	}
	if most == 0 || most > int64(x.s.o.PageCap) {
		most = int64(x.s.o.PageCap)
	}
	x.s.mu.Lock()
	denied := x.s.deniedLists[project]
	names := slices.Sorted(maps.Keys(x.s.buckets))
	x.s.mu.Unlock()
	if denied {
		return x.fail(403, "forbidden", "tester@project.iam.gserviceaccount.com does not have storage.buckets.list access to the Google Cloud project. Permission 'storage.buckets.list' denied on resource (or it may not exist).")
	}
	out := struct {
		Kind          string           `json:"kind"`
		NextPageToken string           `json:"nextPageToken,omitempty"`
		Items         []map[string]any `json:"items,omitempty"`
	}{Kind: "storage#buckets"}
	prefix, after := x.query.Get("prefix"), x.query.Get("pageToken")
	last := ""
	for _, name := range names {
		b := x.s.bucket(name)
		if b == nil || b.project != project || !strings.HasPrefix(name, prefix) || name <= after {
			continue
		}
		if int64(len(out.Items)) == most {
			out.NextPageToken = last
			break
		}
		b.mu.Lock()
		out.Items = append(out.Items, x.bucketResource(b))
		b.mu.Unlock()
		last = name
	}
	return x.reply(200, out)
}

func (x *exchange) insertBucket(*bucket) *answer {
	var in map[string]json.RawMessage
	var name string
	if json.Unmarshal(x.Body, &in) != nil || json.Unmarshal(in["name"], &name) != nil || name == "" {
		return x.fail(400, "parseError", "Parse Error")
	}
	x.Req.Bucket = name
	if x.query.Get("enableObjectRetention") == "true" {
		in["objectRetention"] = json.RawMessage(`{"mode":"Enabled"}`)
	}
	if _, ok := in["softDeletePolicy"]; !ok {
		in["softDeletePolicy"] = json.RawMessage(defaultSoftDelete)
	}
	set, err := settings{}.with(in, x.s.now())
	if err != nil {
		return x.invalid("Invalid argument: " + err.Error())
	}
	if a := x.badSettings(&set); a != nil {
		return a
	}
	b := x.s.newBucket(name, x.query.Get("project"), set)
	if b == nil {
		return x.fail(409, "conflict", "Your previous request to create the named bucket succeeded and you already own it.")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return x.reply(200, x.bucketResource(b))
}

// defaultSoftDelete is the policy of a new bucket: seven days ("Soft delete").
const defaultSoftDelete = `{"retentionDurationSeconds":"604800"}`

// badSettings refuses what does not go together: a hierarchical namespace has no
// Object Versioning ("Hierarchical namespace", limitations). A soft delete policy
// is off or of 7 to 90 days ("Soft delete").
func (x *exchange) badSettings(s *settings) *answer {
	var hns struct{ Enabled bool }
	if raw, ok := s.raw["hierarchicalNamespace"]; ok {
		if json.Unmarshal(raw, &hns) != nil {
			return x.fail(400, "parseError", "Parse Error")
		}
	}
	if hns.Enabled && s.Versioning.Enabled {
		return x.invalid("Object versioning is not supported for buckets with hierarchical namespace.")
	}
	const day = 24 * 3600
	if p := s.SoftDeletePolicy; p != nil && p.RetentionDurationSeconds != 0 && (p.RetentionDurationSeconds < 7*day || p.RetentionDurationSeconds > 90*day) {
		return x.invalid("Soft delete retention duration must be 0 or between 7 and 90 days.")
	}
	return nil
}

func (x *exchange) patchBucket(b *bucket) *answer {
	if a := x.bucketMet(b); a != nil {
		return a
	}
	var in map[string]json.RawMessage
	if json.Unmarshal(x.Body, &in) != nil {
		return x.fail(400, "parseError", "Parse Error")
	}
	set, err := b.set.with(in, x.s.now())
	if err != nil {
		return x.invalid("Invalid argument: " + err.Error())
	}
	if a := x.badSettings(&set); a != nil {
		return a
	}
	if p := b.set.RetentionPolicy; p != nil && p.IsLocked && set.retention() < b.set.retention() {
		return x.fail(403, "forbidden", "The retention policy of bucket '"+b.name+"' is locked: it cannot be removed or shortened.")
	}
	b.set, b.updated = set, x.s.now()
	b.metagen++
	return x.reply(200, x.bucketResource(b))
}

func (x *exchange) deleteBucket(b *bucket) *answer {
	for _, o := range b.objects {
		if len(o.gens) > 0 {
			return x.fail(409, "conflict", "The bucket you tried to delete is not empty.")
		}
	}
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	delete(x.s.buckets, b.name)
	return &answer{Status: 204}
}
