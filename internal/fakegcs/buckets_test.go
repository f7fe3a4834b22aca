package fakegcs

import (
	"context"
	"errors"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
)

// Every condition of a lifecycle rule comes back as it was set.
const everyRule = `{"rule":[` +
	`{"action":{"type":"Delete"},"condition":{"age":30,"createdBefore":"2026-01-02","customTimeBefore":"2026-01-03","daysSinceCustomTime":4,"daysSinceNoncurrentTime":0,"isLive":false,` +
	`"matchesPrefix":["a/","b/"],"matchesStorageClass":["STANDARD"],"matchesSuffix":[".csv"],"noncurrentTimeBefore":"2026-01-04","numNewerVersions":3,"sizeAboveBytes":"10","sizeBelowBytes":"20"}},` +
	`{"action":{"type":"SetStorageClass","storageClass":"COLDLINE"},"condition":{"age":0}},` +
	`{"action":{"type":"AbortIncompleteMultipartUpload"},"condition":{"age":7}}]}`

func TestBucketResource(t *testing.T) {
	s := start(t, Options{})
	got := must(t, s, 200, "GET", "b/b", "")
	for name, want := range map[string]any{"kind": "storage#bucket", "id": "b", "name": "b", "location": "US", "storageClass": "STANDARD", "metageneration": "1", "timeCreated": "2026-03-04T12:00:00.000Z",
		"versioning": "map[enabled:true]", "softDeletePolicy": "map[effectiveTime:2026-03-04T12:00:00.000Z retentionDurationSeconds:604800]", "lifecycle": nil, "retentionPolicy": nil, "hierarchicalNamespace": nil} {
		equal(t, name, got[name], want)
	}
	wantHeader(t, api(t, s, "GET", "b/b", ""), "Date", "Wed, 04 Mar 2026 12:00:00 GMT")
	must(t, s, 200, "PATCH", "b/b", `{"lifecycle":`+everyRule+`,"labels":{"a":"b"}}`)
	if body := api(t, s, "GET", "b/b?fields=lifecycle", "").body; len(body) != len(`{"lifecycle":`+everyRule+`}`) || !strings.Contains(body, `"sizeBelowBytes":"20"`) {
		t.Errorf("lifecycle %s", body)
	}
	equal(t, "metageneration", must(t, s, 200, "GET", "b/b", "")["metageneration"], "2")
	must(t, s, 200, "PATCH", "b/b?ifMetagenerationMatch=2", `{"lifecycle":{},"labels":null,"versioning":{"enabled":false},"retentionPolicy":{"retentionPeriod":"3600"},"hierarchicalNamespace":{"enabled":true}}`)
	wantError(t, api(t, s, "PATCH", "b/b?ifMetagenerationMatch=2", `{}`), 412, "conditionNotMet")
	got = must(t, s, 200, "GET", "b/b", "")
	for name, want := range map[string]any{"versioning": "map[enabled:false]", "lifecycle": nil, "labels": nil, "hierarchicalNamespace": "map[enabled:true]",
		"retentionPolicy": "map[effectiveTime:2026-03-04T12:00:00.000Z retentionPeriod:3600]"} {
		equal(t, name, got[name], want)
	}
	for _, bad := range []string{
		`{`, `{"versioning":{"enabled":true}}`, // with a hierarchical namespace
		`{"softDeletePolicy":{"retentionDurationSeconds":"60"}}`, `{"lifecycle":{"rule":[{"action":{"type":"Delete"}}]}}`, `{"lifecycle":{"rule":[{"action":{"type":"Burn"},"condition":{"age":1}}]}}`,
		`{"lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"age":-1}}]}}`, `{"lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"createdBefore":"yesterday"}}]}}`,
		`{"lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"ages":1}}]}}`, `{"lifecycle":{"rule":[{"condition":{"age":1}}]}}`,
		`{"lifecycle":{"rule":[{"action":{"type":"SetStorageClass"},"condition":{"age":1}}]}}`, `{"retentionPolicy":{"retentionPeriod":"x"}}`,
	} {
		if r := api(t, s, "PATCH", "b/b", bad); r.status != 400 {
			t.Errorf("%s: %d %s", bad, r.status, r.body)
		}
	}
	s.SetRetention("b", time.Hour, true)
	wantError(t, api(t, s, "PATCH", "b/b", `{"retentionPolicy":null}`), 403, "forbidden", "locked")
	must(t, s, 200, "PATCH", "b/b", `{"retentionPolicy":{"retentionPeriod":"7200","isLocked":true}}`)
	for path, want := range map[string]int{"b/none": 404, "b/b?ifMetagenerationMatch=1": 412, "b/b?ifMetagenerationNotMatch=5": 304} {
		if r := api(t, s, "GET", path, ""); r.status != want {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
}

func TestBuckets(t *testing.T) {
	s := start(t, Options{Project: "mine", PageCap: 2})
	must(t, s, 200, "POST", "b?project=mine&enableObjectRetention=true", `{"name":"made","versioning":{"enabled":true},"location":"EU","storageClass":"NEARLINE"}`)
	must(t, s, 200, "POST", "b?project=other", `{"name":"elsewhere"}`)
	wantError(t, api(t, s, "POST", "b?project=mine", `{"name":"made"}`), 409, "conflict")
	wantError(t, api(t, s, "POST", "b?project=mine", `{}`), 400, "parseError")
	got := must(t, s, 200, "GET", "b/made", "")
	equal(t, "made", line(got["location"], got["storageClass"], got["objectRetention"], got["versioning"]), "EU NEARLINE map[mode:Enabled] map[enabled:true]")
	equal(t, "the class of its objects", put(t, s, 200, "made", "k", "x", "")["storageClass"], "NEARLINE")
	equal(t, "first page", api(t, s, "GET", "b?project=mine&fields=items(name),nextPageToken", "").body, `{"items":[{"name":"b"},{"name":"made"}],"nextPageToken":"made"}`)
	equal(t, "second page", api(t, s, "GET", "b?project=mine&pageToken=made&fields=items(name),nextPageToken", "").body, `{"items":[{"name":"u"}]}`)
	equal(t, "by prefix", api(t, s, "GET", "b?project=mine&prefix=m&fields=items/name", "").body, `{"items":[{"name":"made"}]}`)
	wantError(t, api(t, s, "GET", "b", ""), 400, "required", "project")
	s.DenyBuckets("mine", true)
	wantError(t, api(t, s, "GET", "b?project=mine", ""), 403, "forbidden", "storage.buckets.list")
	wantError(t, api(t, s, "DELETE", "b/made", ""), 409, "conflict", "not empty")
	s.SetSoftDelete("made", 0)
	s.DeleteGeneration("made", "k", s.Entries("made", "")[0].Generation)
	must(t, s, 204, "DELETE", "b/made", "")
	wantError(t, api(t, s, "GET", "b/made", ""), 404, "notFound")
}

// Google's client reads a bucket's settings and lists buckets.
func TestGooglesClientAndBuckets(t *testing.T) {
	ctx := context.Background()
	s := start(t, Options{})
	s.Set("b", "lifecycle", everyRule)
	s.SetRetention("b", time.Hour, true)
	s.SetSoftDelete("b", 2*week)
	s.Set("u", "hierarchicalNamespace", `{"enabled":true}`)
	c := client(t, s)
	a, err := c.Bucket("b").Attrs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !a.VersioningEnabled || a.RetentionPolicy.RetentionPeriod != time.Hour || !a.RetentionPolicy.IsLocked || a.SoftDeletePolicy.RetentionDuration != 2*week || !a.SoftDeletePolicy.EffectiveTime.Equal(noon) {
		t.Errorf("%+v", a)
	}
	if r := a.Lifecycle.Rules; len(r) != 3 || r[0].Condition.NumNewerVersions != 3 || r[0].Condition.MatchesPrefix[1] != "b/" || r[0].Condition.Liveness != storage.Archived ||
		!r[0].Condition.NoncurrentTimeBefore.Equal(time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC)) || r[1].Action.StorageClass != "COLDLINE" || !r[1].Condition.AllObjects {
		t.Errorf("%+v", r)
	}
	if a, err := c.Bucket("u").Attrs(ctx); err != nil || a.VersioningEnabled || !a.HierarchicalNamespace.Enabled || a.Lifecycle.Rules != nil {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := c.Bucket("none").Attrs(ctx); !errors.Is(err, storage.ErrBucketNotExist) {
		t.Errorf("no bucket: %v", err)
	}
	var names []string
	it := c.Buckets(ctx, "project")
	it.PageInfo().MaxSize = 1
	for {
		b, err := it.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, b.Name)
	}
	equal(t, "buckets", names, "[b u]")
	if a, err := c.Bucket("b").Update(ctx, storage.BucketAttrsToUpdate{VersioningEnabled: false, Lifecycle: &storage.Lifecycle{}}); err != nil || a.VersioningEnabled || a.Lifecycle.Rules != nil {
		t.Errorf("updated %+v %v", a, err)
	}
}

// Requester pays, with the parameter of the JSON API and the header of the XML API.
func TestRequesterPays(t *testing.T) {
	ctx := context.Background()
	s := start(t, Options{})
	s.Put("b", "k", []byte("x"))
	s.SetRequesterPays("b", true)
	wantError(t, api(t, s, "GET", "b/b", ""), 400, "required", "Bucket is a requester pays bucket but no user project provided.")
	if r := call(t, s, "GET", "/b/k", ""); r.status != 400 || !strings.Contains(r.body, "<Code>UserProjectMissing</Code>") {
		t.Errorf("%d %s", r.status, r.body)
	}
	must(t, s, 200, "GET", "b/b?userProject=payer", "")
	b := client(t, s).Bucket("b")
	if _, err := read(ctx, b.Object("k")); status(err) != 400 {
		t.Errorf("read: %v", err)
	}
	b = b.UserProject("payer")
	if body, err := read(ctx, b.Object("k")); body != "x" || err != nil {
		t.Errorf("read: %q %v", body, err)
	}
	if _, err := write(ctx, b.Object("k2"), "x"); err != nil {
		t.Errorf("write: %v", err)
	}
	if _, err := b.Object("k3").CopierFrom(b.Object("k")).Run(ctx); err != nil {
		t.Errorf("copy: %v", err)
	}
	if _, err := b.Objects(ctx, nil).Next(); err != nil {
		t.Errorf("list: %v", err)
	}
}

// Each permission that is taken away refuses what needs it, and nothing else.
func TestDenied(t *testing.T) {
	for _, c := range []struct{ permission, refused string }{
		{"storage.objects.list", "list absent acl"}, {"storage.objects.get", "get media xml absent copy"}, {"storage.objects.create", "insert overwrite copy restore start"},
		{"storage.objects.delete", "delete overwrite copy restore"}, {"storage.objects.update", "patch"}, {"storage.objects.restore", "restore"},
		{"storage.buckets.get", "bucket"}, {"storage.buckets.update", "set"}, {"storage.objects.getIamPolicy", "acl"},
	} {
		var refused []string
		for _, do := range []struct{ name, method, path string }{
			{"list", "GET", "b/b/o"}, {"absent", "GET", "b/b/o/none"}, {"get", "GET", "b/b/o/k"}, {"media", "GET", "b/b/o/k?alt=media"}, {"xml", "GET", "/b/k"},
			{"insert", "POST", "/upload/storage/v1/b/b/o?uploadType=media&name=new"}, {"overwrite", "POST", "/upload/storage/v1/b/b/o?uploadType=media&name=k"},
			{"copy", "POST", "b/b/o/k/copyTo/b/b/o/k"}, {"restore", "POST", "b/b/o/k/restore?generation=7"}, {"start", "POST", "/upload/storage/v1/b/b/o?uploadType=resumable&name=k"},
			{"delete", "DELETE", "b/b/o/k"}, {"patch", "PATCH", "b/b/o/k"}, {"bucket", "GET", "b/b"}, {"set", "PATCH", "b/b"}, {"acl", "GET", "b/b/o?projection=full"},
		} {
			s := start(t, Options{})
			s.Plant("b", Planted{Key: "k", Generation: 7, Created: noon, SoftDeleted: noon}, Planted{Key: "k"})
			s.Deny("b", c.permission)
			path := do.path
			if path[0] != '/' {
				path = "/storage/v1/" + path
			}
			if r := call(t, s, do.method, path, "{}"); r.status == 403 {
				refused = append(refused, do.name)
				if !strings.Contains(html.UnescapeString(r.body), "Permission '"+c.permission+"' denied") {
					t.Errorf("%s, %s: %s", c.permission, do.name, r.body)
				}
			} else if r.status >= 300 && do.name != "absent" {
				t.Errorf("%s, %s: %d %s", c.permission, do.name, r.status, r.body)
			}
			s.Allow("b", c.permission)
			if r := call(t, s, do.method, path, "{}"); r.status == 403 {
				t.Errorf("%s, %s is not given back: %s", c.permission, do.name, r.body)
			}
		}
		want := strings.Fields(c.refused)
		slices.Sort(want)
		slices.Sort(refused)
		equal(t, c.permission, refused, want)
	}
	s := start(t, Options{Token: "secret"})
	wantError(t, api(t, s, "GET", "b/b/o", ""), 401, "required", "Anonymous caller does not have storage.objects.list access")
	wantError(t, api(t, s, "GET", "b/b/o", "", "Authorization", "Bearer other"), 401, "authError", "Invalid Credentials")
	must(t, s, 200, "GET", "b/b/o", "", "Authorization", "Bearer secret")
}
