package fakes3

import (
	"fmt"
	"strings"
	"testing"
)

const decl = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

func TestSettings(t *testing.T) {
	s := start(t, Options{})
	const ns = ` xmlns="http://s3.amazonaws.com/doc/2006-03-01/"`
	const rules = `<LifecycleConfiguration` + ns + `><Rule><ID>old</ID><Filter><Prefix>a/</Prefix></Filter><Status>Enabled</Status><NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays></NoncurrentVersionExpiration></Rule></LifecycleConfiguration>`
	const lock = `<ObjectLockConfiguration` + ns + `><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>`
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // the whole body of a 200, else the code
	}{
		{"GET", "/b?versioning", "", 200, decl + `<VersioningConfiguration` + ns + `><Status>Enabled</Status></VersioningConfiguration>`},
		{"GET", "/u?versioning", "", 200, decl + `<VersioningConfiguration` + ns + `></VersioningConfiguration>`},
		{"PUT", "/u?versioning", `<VersioningConfiguration><Status>On</Status></VersioningConfiguration>`, 400, "IllegalVersioningConfigurationException"},
		{"PUT", "/u?versioning", `<Versioning`, 400, "MalformedXML"},
		{"GET", "/b?lifecycle", "", 404, "NoSuchLifecycleConfiguration"},
		{"PUT", "/b?lifecycle", lock, 400, "MalformedXML"},
		{"PUT", "/b?lifecycle", rules, 200, ""},
		{"GET", "/b?lifecycle", "", 200, rules},
		{"DELETE", "/b?lifecycle", "", 204, ""},
		{"GET", "/b?lifecycle", "", 404, "NoSuchLifecycleConfiguration"},
		{"GET", "/b?object-lock", "", 404, "ObjectLockConfigurationNotFoundError"},
		{"PUT", "/u?object-lock", lock, 409, "InvalidBucketState"},
		{"PUT", "/b?object-lock", lock, 200, ""},
		{"GET", "/b?object-lock", "", 200, lock},
		{"PUT", "/b?versioning", `<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>`, 409, "InvalidBucketState"},
		{"GET", "/b?location", "", 200, decl + `<LocationConstraint` + ns + `/>`},
		{"HEAD", "/b", "", 200, ""},
		{"HEAD", "/none", "", 404, ""},
		{"GET", "/none?versioning", "", 404, "NoSuchBucket"},
		{"PUT", "/b", "", 409, "BucketAlreadyOwnedByYou"},
		{"PUT", "/c", "", 200, ""},
		{"GET", "/", "", 200, decl + `<ListAllMyBucketsResult` + ns + `>` + owner + `<Buckets>` + bucketXML("b") + bucketXML("c") + bucketXML("u") + `</Buckets></ListAllMyBucketsResult>`},
		{"GET", "/?max-buckets=1", "", 200, decl + `<ListAllMyBucketsResult` + ns + `>` + owner + `<Buckets>` + bucketXML("b") + `</Buckets><ContinuationToken>b</ContinuationToken></ListAllMyBucketsResult>`},
		{"GET", "/?continuation-token=b&prefix=u", "", 200, decl + `<ListAllMyBucketsResult` + ns + `>` + owner + `<Buckets>` + bucketXML("u") + `</Buckets><Prefix>u</Prefix></ListAllMyBucketsResult>`},
	} {
		r := must(t, s, c.status, c.method, c.path, c.body)
		switch {
		case c.status < 300:
			equal(t, c.method+" "+c.path, r.body, c.want)
		case c.want != "":
			wantError(t, r, c.status, c.want)
		}
		wantHeader(t, r, "Date", "Wed, 04 Mar 2026 12:00:00 GMT")
	}
}

func bucketXML(name string) string {
	return `<Bucket><Name>` + name + `</Name><CreationDate>2026-03-04T12:00:00.000Z</CreationDate><BucketRegion>us-east-1</BucketRegion></Bucket>`
}

func signed(key, region string) []string {
	return []string{"Authorization", "AWS4-HMAC-SHA256 Credential=" + key + "/20260304/" + region + "/s3/aws4_request, SignedHeaders=host, Signature=00"}
}

func TestWhoAndWhere(t *testing.T) {
	s := start(t, Options{AccessKey: "AKID", Region: "eu-west-1"})
	wantError(t, call(t, s, "GET", "/b?versioning", ""), 403, "AccessDenied")
	wantError(t, call(t, s, "GET", "/b?versioning", "", signed("OTHER", "eu-west-1")...), 403, "InvalidAccessKeyId", "<AWSAccessKeyId>OTHER</AWSAccessKeyId>")
	must(t, s, 200, "GET", "/b?versioning", "", signed("AKID", "eu-west-1")...)
	r := call(t, s, "GET", "/b?versioning", "", signed("AKID", "us-east-1")...)
	wantError(t, r, 301, "PermanentRedirect")
	wantHeader(t, r, "X-Amz-Bucket-Region", "eu-west-1")
	r = must(t, s, 301, "HEAD", "/b", "", signed("AKID", "us-east-1")...)
	wantHeader(t, r, "X-Amz-Bucket-Region", "eu-west-1")
	r = must(t, s, 200, "GET", "/b?location", "", signed("AKID", "us-east-1")...)
	equal(t, "location", r.body, decl+`<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">eu-west-1</LocationConstraint>`)
	s.SetRegion("b", "us-east-1")
	must(t, s, 200, "HEAD", "/b", "", signed("AKID", "us-east-1")...)

	s.SetRequesterPays("u", true)
	wantError(t, call(t, s, "GET", "/u?versions", "", signed("AKID", "eu-west-1")...), 403, "AccessDenied")
	must(t, s, 200, "GET", "/u?versions", "", append(signed("AKID", "eu-west-1"), "X-Amz-Request-Payer", "requester")...)
}

func TestRequestLog(t *testing.T) {
	s := start(t, Options{})
	call(t, s, "PUT", "/b/a%2Fb//c", "x")
	call(t, s, "GET", "/b/none?versionId=null", "")
	call(t, s, "GET", "/b?versions&prefix=a", "")
	s.Fail(Fault{Do: Drop})
	call(t, s, "DELETE", "/b/a", "")
	var got []string
	for _, r := range s.Requests() {
		got = append(got, strings.Join([]string{r.Method, r.Bucket, r.Key, r.Query, r.Kind}, ","), fmt.Sprint(r.Status))
	}
	equal(t, "log", strings.Join(got, " "), "PUT,b,a/b//c,,PutObject 200 GET,b,none,versionId=null,GetObject 404 GET,b,,versions&prefix=a,ListObjectVersions 200 DELETE,b,a,,DeleteObject 0")
	if s.Count("PutObject") != 1 || s.Count("") != 4 {
		t.Error("counts")
	}
	s.Forget()
	if s.Count("") != 0 {
		t.Error("not forgotten")
	}
}
