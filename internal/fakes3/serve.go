package fakes3

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"provcat-tui/internal/faults"
)

type answer = faults.Answer

// An exchange is one request on its way to its answer.
type exchange struct {
	faults.Exchange
	s      *Server
	op     operation
	query  url.Values
	source *version // of CopyObject
	sum    checksum // that the request gave for its body

	// What faults change on the way.
	unconditional bool // conditions of writes are ignored
	pageSize      int  // 0: as asked
	reshape       []func(*listing)
}

// Parse takes the request apart. The path is taken as it was sent: "//", "."
// and ".." are parts of keys like others.
func (x *exchange) Parse() *answer {
	raw, rawQuery, _ := strings.Cut(x.R.RequestURI, "?")
	if _, rest, ok := strings.Cut(raw, "://"); ok && !strings.HasPrefix(raw, "/") {
		_, raw, _ = strings.Cut(rest, "/")
	}
	rawBucket, rawKey, _ := strings.Cut(strings.TrimPrefix(raw, "/"), "/")
	name, err1 := url.PathUnescape(rawBucket)
	key, err2 := url.PathUnescape(rawKey)
	query, err3 := url.ParseQuery(rawQuery)
	x.query = query
	x.Req = Request{Method: x.R.Method, Bucket: name, Key: key, Query: rawQuery, Header: x.R.Header.Clone()}
	x.op = operationOf(x)
	x.Req.Kind = x.op.kind
	if err1 != nil || err2 != nil || err3 != nil || strings.ToValidUTF8(key, "") != key {
		return x.fail(400, "InvalidURI", "Couldn't parse the specified URI.")
	}
	if len(key) > 1024 {
		return x.fail(400, "KeyTooLongError", "Your key is too long", "Size", strconv.Itoa(len(key)), "MaxSizeAllowed", "1024")
	}
	return nil
}

// operationOf tells operations apart as the API reference does: by method, by
// what the path names, and by parameters and headers.
func operationOf(x *exchange) operation {
	at := "service"
	if x.Req.Key != "" {
		at = "object"
	} else if x.Req.Bucket != "" {
		at = "bucket"
	}
	sub := ""
	for _, name := range []string{"versions", "versioning", "lifecycle", "object-lock", "location", "uploads"} {
		if at == "bucket" && x.query.Has(name) {
			sub = " ?" + name
		}
	}
	for _, name := range []string{"tagging", "retention", "legal-hold", "uploads", "uploadId"} {
		if at == "object" && x.query.Has(name) {
			sub = " ?" + name
		}
	}
	if at == "bucket" && x.query.Get("list-type") == "2" {
		sub = " ?list-type=2"
	}
	if at == "object" && x.Req.Method == "PUT" && x.R.Header.Get("X-Amz-Copy-Source") != "" {
		sub += " copy"
	}
	if op, ok := operations[x.Req.Method+" "+at+sub]; ok {
		return op
	}
	return operation{kind: "Unknown"}
}

type operation struct {
	kind string
	// do applies the request; b is locked. b is nil only for ListBuckets and
	// CreateBucket.
	do func(x *exchange, b *bucket) *answer
}

var operations map[string]operation

func init() { // not a literal: the functions lead back here
	operations = map[string]operation{
		"GET service":              {"ListBuckets", (*exchange).listBuckets},
		"PUT bucket":               {"CreateBucket", (*exchange).createBucket},
		"HEAD bucket":              {"HeadBucket", (*exchange).headBucket},
		"GET bucket ?location":     {"GetBucketLocation", (*exchange).getLocation},
		"GET bucket ?versioning":   {"GetBucketVersioning", (*exchange).getVersioning},
		"PUT bucket ?versioning":   {"PutBucketVersioning", (*exchange).putVersioning},
		"GET bucket ?lifecycle":    {"GetBucketLifecycleConfiguration", (*exchange).getLifecycle},
		"PUT bucket ?lifecycle":    {"PutBucketLifecycleConfiguration", (*exchange).putLifecycle},
		"DELETE bucket ?lifecycle": {"DeleteBucketLifecycle", (*exchange).deleteLifecycle},
		"GET bucket ?object-lock":  {"GetObjectLockConfiguration", (*exchange).getLock},
		"PUT bucket ?object-lock":  {"PutObjectLockConfiguration", (*exchange).putLock},
		"GET bucket ?versions":     {"ListObjectVersions", (*exchange).listVersions},
		"GET bucket ?list-type=2":  {"ListObjectsV2", (*exchange).listObjects},
		"GET bucket ?uploads":      {"ListMultipartUploads", (*exchange).listUploads},
		"PUT object":               {"PutObject", (*exchange).putObject},
		"PUT object copy":          {"CopyObject", (*exchange).copyObject},
		"GET object":               {"GetObject", (*exchange).getObject},
		"HEAD object":              {"HeadObject", (*exchange).getObject},
		"DELETE object":            {"DeleteObject", (*exchange).deleteObject},
		"GET object ?tagging":      {"GetObjectTagging", (*exchange).getTags},
		"PUT object ?tagging":      {"PutObjectTagging", (*exchange).putTags},
		"DELETE object ?tagging":   {"DeleteObjectTagging", (*exchange).deleteTags},
		"GET object ?retention":    {"GetObjectRetention", (*exchange).getRetention},
		"PUT object ?retention":    {"PutObjectRetention", (*exchange).putRetention},
		"GET object ?legal-hold":   {"GetObjectLegalHold", (*exchange).getHold},
		"PUT object ?legal-hold":   {"PutObjectLegalHold", (*exchange).putHold},
		"POST object ?uploads":     {"CreateMultipartUpload", (*exchange).createUpload},
		"PUT object ?uploadId":     {"UploadPart", (*exchange).uploadPart},
		"POST object ?uploadId":    {"CompleteMultipartUpload", (*exchange).completeUpload},
		"DELETE object ?uploadId":  {"AbortMultipartUpload", (*exchange).abortUpload},
	}
}

// Apply does what the request asks for.
func (x *exchange) Apply() *answer {
	op := x.op
	if op.do == nil {
		return x.fail(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
	}
	region, a := x.authenticate()
	if a != nil {
		return a
	}
	switch op.kind {
	case "ListBuckets", "CreateBucket":
		return op.do(x, nil)
	}
	b := x.s.bucket(x.Req.Bucket)
	if b == nil {
		return x.fail(404, "NoSuchBucket", "The specified bucket does not exist", "BucketName", x.Req.Bucket)
	}
	if op.kind == "CopyObject" {
		// The source is read first, under its own bucket's lock: never two at once.
		if x.source, a = x.copySource(); a != nil {
			return a
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if x.s.o.Region != "" && region != "" && region != b.region && op.kind != "GetBucketLocation" {
		return x.redirect(b.region)
	}
	if b.requesterPays && x.R.Header.Get("X-Amz-Request-Payer") != "requester" {
		return x.fail(403, "AccessDenied", "Access Denied")
	}
	return op.do(x, b)
}

// authenticate looks at whose signature it is, not whether it is right. The
// region is that of the credential scope.
func (x *exchange) authenticate() (region string, a *answer) {
	scope := x.query.Get("X-Amz-Credential")
	if auth := x.R.Header.Get("Authorization"); auth != "" {
		_, scope, _ = strings.Cut(auth, "Credential=")
		scope, _, _ = strings.Cut(scope, ",")
	}
	parts := strings.Split(scope, "/")
	if len(parts) == 5 {
		region = parts[2]
	}
	if want := x.s.o.AccessKey; want != "" {
		if scope == "" {
			return "", x.fail(403, "AccessDenied", "Access Denied")
		}
		if parts[0] != want {
			return "", x.fail(403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.", "AWSAccessKeyId", parts[0])
		}
	}
	return region, nil
}

func (x *exchange) redirect(region string) *answer {
	a := x.fail(301, "PermanentRedirect", "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.",
		"Endpoint", x.R.Host, "Bucket", x.Req.Bucket)
	a.Header.Set("X-Amz-Bucket-Region", region)
	return a
}

// Sign adds what every answer carries.
func (x *exchange) Sign(h http.Header) {
	h.Set("Date", x.s.o.Now().UTC().Format(http.TimeFormat))
	h.Set("Server", "AmazonS3")
	h.Set("X-Amz-Request-Id", x.requestID())
}

func (x *exchange) requestID() string {
	sum := sha256.Sum256([]byte(x.Req.Method + x.R.RequestURI + x.R.RemoteAddr))
	return strings.ToUpper(hex.EncodeToString(sum[:8]))
}
