package fakes3

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	ns     = ` xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`
	locked = `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`
)

func tagging(pairs ...string) string {
	out := ""
	for i := 0; i < len(pairs); i += 2 {
		out += "<Tag><Key>" + pairs[i] + "</Key><Value>" + pairs[i+1] + "</Value></Tag>"
	}
	return "<Tagging" + ns + "><TagSet>" + out + "</TagSet></Tagging>"
}

func TestTags(t *testing.T) {
	s := start(t, Options{})
	v1 := must(t, s, 200, "PUT", "/b/k", "x", "X-Amz-Tagging", "b=2&a=1+%C3%BC").header.Get("X-Amz-Version-Id")
	v2 := must(t, s, 200, "PUT", "/b/k", "y").header.Get("X-Amz-Version-Id")
	has := func(query, want string) {
		t.Helper()
		equal(t, query, must(t, s, 200, "GET", "/b/k?tagging"+query, "").body, decl+want)
	}
	has("&versionId="+v1, tagging("a", "1 ü", "b", "2"))
	has("", tagging())
	wantHeader(t, call(t, s, "GET", "/b/k?tagging", ""), "X-Amz-Version-Id", v2)
	must(t, s, 200, "PUT", "/b/k?tagging", tagging("c", "3"))
	has("&versionId="+v2, tagging("c", "3"))
	wantHeader(t, must(t, s, 200, "PUT", "/b/k?tagging&versionId="+v1, tagging("d", "")), "X-Amz-Version-Id", v1)
	has("&versionId="+v1, tagging("d", ""))
	has("", tagging("c", "3"))

	// A copy takes the tags along, unless they are replaced.
	must(t, s, 200, "PUT", "/b/copy", "", "X-Amz-Copy-Source", "b/k")
	equal(t, "copied", must(t, s, 200, "GET", "/b/copy?tagging", "").body, decl+tagging("c", "3"))
	must(t, s, 200, "PUT", "/b/copy", "", "X-Amz-Copy-Source", "b/k", "X-Amz-Tagging-Directive", "REPLACE", "X-Amz-Tagging", "e=5")
	equal(t, "replaced", must(t, s, 200, "GET", "/b/copy?tagging", "").body, decl+tagging("e", "5"))

	must(t, s, 204, "DELETE", "/b/k?tagging", "")
	has("", tagging())
	equal(t, "versions", states(s, "b", "k"), "y x") // none of this made or removed one

	var many []string
	for i := range 11 {
		many = append(many, fmt.Sprint(i), "")
	}
	marker := s.Delete("b", "k")
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/b/none?tagging", "", 404, "NoSuchKey"},
		{"GET", "/b/k?tagging&versionId=", "", 400, "InvalidArgument"},
		{"GET", "/b/k?tagging&versionId=" + strings.Repeat("A", 32), "", 404, "NoSuchVersion"},
		{"GET", "/b/k?tagging", "", 405, "MethodNotAllowed"},
		{"PUT", "/b/k?tagging&versionId=" + marker, tagging("a", "b"), 405, "MethodNotAllowed"},
		{"PUT", "/b/k?tagging&versionId=" + v1, "<Tagging/>", 400, "MalformedXML"},
		{"PUT", "/b/k?tagging&versionId=" + v1, tagging("a", "b", "a", "c"), 400, "InvalidTag"},
		{"PUT", "/b/k?tagging&versionId=" + v1, tagging("", "b"), 400, "InvalidTag"},
		{"PUT", "/b/k?tagging&versionId=" + v1, tagging("a", "b&amp;c"), 400, "InvalidTag"},
		{"PUT", "/b/k?tagging&versionId=" + v1, tagging(strings.Repeat("ü", 129), ""), 400, "InvalidTag"},
		{"PUT", "/b/k?tagging&versionId=" + v1, tagging("a", strings.Repeat("ü", 257)), 400, "InvalidTag"},
		{"PUT", "/b/k?tagging&versionId=" + v1, tagging(many...), 400, "BadRequest"},
	} {
		wantError(t, call(t, s, c.method, c.path, c.body), c.status, c.code)
	}
	wantError(t, call(t, s, "PUT", "/b/k", "x", "X-Amz-Tagging", "a=1&a=2"), 400, "InvalidArgument")
	has("&versionId="+v1, tagging("d", ""))
}

func retention(mode, until string) string {
	return "<Retention" + ns + "><Mode>" + mode + "</Mode><RetainUntilDate>" + until + "</RetainUntilDate></Retention>"
}

func hold(status string) string {
	return "<LegalHold" + ns + "><Status>" + status + "</Status></LegalHold>"
}

func TestObjectLock(t *testing.T) {
	now := noon
	s := start(t, Options{Now: func() time.Time { return now }})
	const day5, day6, day9 = "2026-03-05T00:00:00.000Z", "2026-03-06T00:00:00.000Z", "2026-03-09T00:00:00.000Z"
	bypass := []string{"X-Amz-Bypass-Governance-Retention", "true"}
	id := s.Put("b", "k", []byte("x"))
	at := "/b/k?versionId=" + id
	for _, sub := range []string{"&retention", "&legal-hold"} {
		wantError(t, call(t, s, "GET", at+sub, ""), 400, "InvalidRequest", "missing Object Lock Configuration")
		wantError(t, call(t, s, "PUT", at+sub, hold("ON")), 400, "InvalidRequest")
	}
	wantError(t, call(t, s, "PUT", "/b/k", "x", "X-Amz-Object-Lock-Legal-Hold", "ON"), 400, "InvalidRequest")
	must(t, s, 200, "PUT", "/b?object-lock", locked)
	for _, sub := range []string{"&retention", "&legal-hold"} {
		wantError(t, call(t, s, "GET", at+sub, ""), 404, "NoSuchObjectLockConfiguration")
		wantError(t, call(t, s, "PUT", at+sub, "<x/>"), 400, "MalformedXML")
		wantError(t, call(t, s, "GET", "/b/none?x"+sub, ""), 404, "NoSuchKey")
	}
	gone := func(path string, headers ...string) {
		t.Helper()
		r := call(t, s, "DELETE", path, "", headers...)
		if r.status != 204 {
			t.Errorf("DELETE %s: %d %s", path, r.status, r.body)
		}
	}
	held := func(path string, headers ...string) {
		t.Helper()
		wantError(t, call(t, s, "DELETE", path, "", headers...), 403, "AccessDenied", "object lock")
	}

	// A legal hold holds against everything, until it is off.
	must(t, s, 200, "PUT", at+"&legal-hold", hold("ON"))
	equal(t, "hold", must(t, s, 200, "GET", at+"&legal-hold", "").body, decl+hold("ON"))
	held(at, bypass...)
	must(t, s, 200, "PUT", at+"&legal-hold", hold("OFF"))
	equal(t, "hold", must(t, s, 200, "GET", at+"&legal-hold", "").body, decl+hold("OFF"))

	// Governance: who may bypass it can shorten it and delete.
	wantError(t, call(t, s, "PUT", at+"&retention", retention("GOVERNANCE", "2026-03-04T12:00:00Z")), 400, "InvalidArgument")
	must(t, s, 200, "PUT", at+"&retention", retention("GOVERNANCE", day6))
	equal(t, "retention", must(t, s, 200, "GET", at+"&retention", "").body, decl+retention("GOVERNANCE", day6))
	wantError(t, call(t, s, "PUT", at+"&retention", retention("GOVERNANCE", day5)), 403, "AccessDenied")
	must(t, s, 200, "PUT", at+"&retention", retention("GOVERNANCE", day5), bypass...)
	held(at)
	must(t, s, 200, "PUT", at+"&retention", retention("COMPLIANCE", day5)) // stricter
	held(at, bypass...)
	must(t, s, 200, "PUT", at+"&retention", retention("COMPLIANCE", day6)) // longer
	wantError(t, call(t, s, "PUT", at+"&retention", retention("GOVERNANCE", day9), bypass...), 403, "AccessDenied")
	wantError(t, call(t, s, "PUT", at+"&retention", "<Retention/>", bypass...), 403, "AccessDenied")

	// A marker can be laid over it, and taken off again.
	marker := must(t, s, 204, "DELETE", "/b/k", "").header.Get("X-Amz-Version-Id")
	held(at)
	gone("/b/k?versionId=" + marker)
	equal(t, "versions", states(s, "b", "k"), "x")
	now = time.Date(2026, 3, 6, 0, 0, 0, 0, time.UTC) // the day itself
	gone(at)
	equal(t, "versions", states(s, "b", "k"), "")

	// What a write brings along goes before the bucket's default.
	s.SetObjectLock("b", `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>2</Days></DefaultRetention></Rule></ObjectLockConfiguration>`)
	must(t, s, 200, "PUT", "/b/own", "x", "X-Amz-Object-Lock-Mode", "GOVERNANCE", "X-Amz-Object-Lock-Retain-Until-Date", day9, "X-Amz-Object-Lock-Legal-Hold", "ON")
	must(t, s, 200, "PUT", "/b/default", "x")
	must(t, s, 200, "PUT", "/b/copy", "", "X-Amz-Copy-Source", "b/own")
	s.Put("b", "direct", nil)
	equal(t, "own", must(t, s, 200, "GET", "/b/own?retention", "").body, decl+retention("GOVERNANCE", day9))
	equal(t, "own", must(t, s, 200, "GET", "/b/own?legal-hold", "").body, decl+hold("ON"))
	for _, key := range []string{"default", "copy", "direct"} {
		equal(t, key, must(t, s, 200, "GET", "/b/"+key+"?retention", "").body, decl+retention("COMPLIANCE", "2026-03-08T00:00:00.000Z"))
		wantError(t, call(t, s, "GET", "/b/"+key+"?legal-hold", ""), 404, "NoSuchObjectLockConfiguration")
	}
}

func TestPlantedTagsAndLocks(t *testing.T) {
	s := start(t, Options{})
	s.SetObjectLock("b", locked)
	until := time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)
	id := s.Plant("b", Planted{Key: "k", Tags: map[string]string{"a": "1"}, RetainUntil: until, Hold: true})[0]
	at := "/b/k?versionId=" + id
	equal(t, "tags", must(t, s, 200, "GET", at+"&tagging", "").body, decl+tagging("a", "1"))
	equal(t, "retention", must(t, s, 200, "GET", at+"&retention", "").body, decl+retention("COMPLIANCE", "2026-03-09T00:00:00.000Z"))
	equal(t, "hold", must(t, s, 200, "GET", at+"&legal-hold", "").body, decl+hold("ON"))
	s.SetTags("b", "k", id, nil)
	s.Protect("b", "k", id, time.Time{}, false)
	equal(t, "tags", must(t, s, 200, "GET", at+"&tagging", "").body, decl+tagging())
	must(t, s, 204, "DELETE", at, "")
}

func TestAmazonsClientTagsAndLocks(t *testing.T) {
	ctx := context.Background()
	s := start(t, Options{TLS: true})
	c := client(s, "us-east-1")
	name := aws.String("worm")
	until := aws.Time(noon.AddDate(0, 1, 0).Truncate(time.Second))
	if _, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: name, ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	if l, err := c.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: name}); err != nil || l.ObjectLockConfiguration.ObjectLockEnabled != "Enabled" {
		t.Fatal(l, err)
	}
	for _, key := range awkwardKeys() {
		put, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: &key, Body: strings.NewReader("x"), Tagging: aws.String("a=1")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.PutObjectTagging(ctx, &s3.PutObjectTaggingInput{Bucket: name, Key: &key, Tagging: &types.Tagging{TagSet: []types.Tag{{Key: aws.String("b"), Value: aws.String("2")}}}}); err != nil {
			t.Fatal(err)
		}
		if tags, err := c.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: name, Key: &key, VersionId: put.VersionId}); err != nil || len(tags.TagSet) != 1 || *tags.TagSet[0].Value != "2" || *tags.VersionId != *put.VersionId {
			t.Errorf("%q: %v %v", key, tags, err)
		}
		if _, err := c.PutObjectRetention(ctx, &s3.PutObjectRetentionInput{Bucket: name, Key: &key, Retention: &types.ObjectLockRetention{Mode: "GOVERNANCE", RetainUntilDate: until}}); err != nil {
			t.Fatal(err)
		}
		if r, err := c.GetObjectRetention(ctx, &s3.GetObjectRetentionInput{Bucket: name, Key: &key, VersionId: put.VersionId}); err != nil || !r.Retention.RetainUntilDate.Equal(*until) {
			t.Errorf("%q: %v %v", key, r, err)
		}
		if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: &key, VersionId: put.VersionId}); code(err) != "AccessDenied" {
			t.Errorf("%q: a retained version was deleted: %v", key, err)
		}
		if _, err := c.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: &key, VersionId: put.VersionId, BypassGovernanceRetention: aws.Bool(true)}); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
}
