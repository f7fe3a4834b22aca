package fakegcs

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"provcat-tui/internal/faults"
)

const (
	apiPath      = "/storage/v1/"
	downloadPath = "/download/storage/v1/"
	uploadPath   = "/upload/storage/v1/"
	// resumablePath is where the discovery document has resumable uploads; the Go
	// client uses uploadPath for them too.
	resumablePath = "/resumable/upload/storage/v1/"
)

type answer = faults.Answer

// An exchange is one request on its way to its answer.
type exchange struct {
	faults.Exchange
	s     *Server
	query url.Values
	op    operation
	xml   bool // a request of the XML API
	// The destination of a rewrite or a copy, beside Req.Bucket and Req.Key, which
	// are the source.
	toBucket, toKey string

	// What faults change on the way.
	unconditional bool // conditions of writes are ignored
	pageSize      int  // 0: as asked
	reshape       []func(*Page)
}

// Parse takes the request apart. Names are decoded after the path was cut at its
// slashes: those of a name come as %2F (guide, "Cloud Storage request endpoints",
// encoding URI path parts). The XML API's paths may have them as they are.
func (x *exchange) Parse() *answer {
	raw, rawQuery, _ := strings.Cut(x.R.RequestURI, "?")
	if _, rest, ok := strings.Cut(raw, "://"); ok && !strings.HasPrefix(raw, "/") {
		_, raw, _ = strings.Cut(rest, "/")
		raw = "/" + raw
	}
	x.Req.Method, x.Req.Query, x.Req.Header, x.Req.Kind = x.R.Method, rawQuery, x.R.Header.Clone(), "Unknown"
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return x.invalid("Malformed query.")
	}
	x.query = query
	for _, base := range []string{apiPath, downloadPath, uploadPath, resumablePath} {
		if rest, ok := strings.CutPrefix(raw, base); ok {
			return x.parseJSON(base, strings.Split(rest, "/"))
		}
	}
	return x.parseXML(raw)
}

// parseJSON finds the method of the JSON API.
func (x *exchange) parseJSON(base string, parts []string) *answer {
	names := make([]string, len(parts))
	for i, p := range parts {
		name, err := url.PathUnescape(p)
		if err != nil || strings.ToValidUTF8(name, "") != name {
			return x.invalid("Malformed path.")
		}
		names[i] = name
	}
	// The shape of the path: its fixed words, "*" for names.
	shape := ""
	switch n := len(names); {
	case n == 1 && names[0] == "b":
		shape = "b"
	case n == 2 && names[0] == "b":
		shape, x.Req.Bucket = "b/*", names[1]
	case n == 3 && names[0] == "b" && names[2] == "o":
		shape, x.Req.Bucket = "b/*/o", names[1]
	case n == 4 && names[0] == "b" && names[2] == "iam" && names[3] == "testPermissions":
		shape, x.Req.Bucket = "b/*/iam/testPermissions", names[1]
	case n == 4 && names[0] == "b" && names[2] == "o":
		shape, x.Req.Bucket, x.Req.Key = "b/*/o/*", names[1], names[3]
	case n == 5 && names[0] == "b" && names[2] == "o" && names[4] == "restore":
		shape, x.Req.Bucket, x.Req.Key = "b/*/o/*/restore", names[1], names[3]
	case n == 9 && names[0] == "b" && names[2] == "o" && names[5] == "b" && names[7] == "o":
		shape, x.Req.Bucket, x.Req.Key = "b/*/o/*/"+names[4], names[1], names[3]
		x.toBucket, x.toKey = names[6], names[8]
	}
	switch base {
	case uploadPath, resumablePath:
		shape = "upload " + shape
		if x.query.Get("upload_id") != "" {
			shape += " session"
		} else if x.query.Get("uploadType") == "resumable" {
			shape += " resumable"
		}
		if x.Req.Key == "" {
			x.Req.Key = x.query.Get("name")
		}
	default:
		if x.query.Get("alt") == "media" {
			shape += " media"
		}
	}
	method := x.R.Method
	if method == "POST" && x.R.Header.Get("X-Http-Method-Override") != "" {
		method = x.R.Header.Get("X-Http-Method-Override")
	}
	x.find(method + " " + shape)
	return x.badName()
}

// parseXML finds the method of the XML API: only reads of objects.
func (x *exchange) parseXML(raw string) *answer {
	x.xml = true
	rawBucket, rawKey, _ := strings.Cut(strings.TrimPrefix(raw, "/"), "/")
	name, err1 := url.PathUnescape(rawBucket)
	key, err2 := url.PathUnescape(rawKey)
	x.Req.Bucket, x.Req.Key = name, key
	if err1 != nil || err2 != nil {
		return x.invalid("Malformed path.")
	}
	if key != "" && len(x.query) == len(x.query["generation"]) {
		x.find(x.R.Method + " object")
	}
	return nil
}

func (x *exchange) find(shape string) {
	if op, ok := operations[shape]; ok {
		x.op = op
		x.Req.Kind = op.kind
	}
}

// badName refuses names of objects that cannot be: guide, "About Cloud Storage
// objects", object name requirements: 1 to 1,024 bytes of valid UTF-8 without
// carriage return and line feed, not "." and "..", not starting with
// .well-known/acme-challenge/.
func (x *exchange) badName() *answer {
	for _, name := range []string{x.Req.Key, x.toKey} {
		switch {
		case len(name) > 1024:
			return x.invalid("The maximum object length is 1024 characters, but got a name with " + strconv.Itoa(len(name)) + " characters: '" + name[:20] + "...'")
		case strings.ContainsAny(name, "\r\n"), name == ".", name == "..", strings.HasPrefix(name, ".well-known/acme-challenge/"):
			return x.invalid("Disallowed unicode characters present in object name '" + name + "'")
		}
	}
	return nil
}

// An operation is one method of the API.
type operation struct {
	// kind is the method's ID in the discovery document without "storage.", and
	// "objects.media" for reads of bytes, "resumable.…" for the parts of such an
	// upload.
	kind string
	// permission is the IAM permission on the bucket that it needs.
	permission string
	// do applies the request; b is locked, and nil where it needs none.
	do func(x *exchange, b *bucket) *answer
}

var operations map[string]operation

func init() { // not a literal: the functions lead back here
	list := operation{"buckets.list", "", (*exchange).listBuckets}
	media := operation{"objects.media", "storage.objects.get", (*exchange).getMedia}
	insert := operation{"objects.insert", "storage.objects.create", (*exchange).insertObject}
	session := operation{"resumable.chunk", "storage.objects.create", (*exchange).uploadChunk}
	operations = map[string]operation{
		"GET b":                       list,
		"POST b":                      {"buckets.insert", "", (*exchange).insertBucket},
		"GET b/*":                     {"buckets.get", "storage.buckets.get", (*exchange).getBucket},
		"GET b/*/iam/testPermissions": {"buckets.testIamPermissions", "", (*exchange).testPermissions},
		"PATCH b/*":                   {"buckets.patch", "storage.buckets.update", (*exchange).patchBucket},
		"DELETE b/*":                  {"buckets.delete", "storage.buckets.delete", (*exchange).deleteBucket},
		"GET b/*/o":                   {"objects.list", "storage.objects.list", (*exchange).listObjects},
		"GET b/*/o/*":                 {"objects.get", "storage.objects.get", (*exchange).getObject},
		"GET b/*/o/* media":           media,
		"DELETE b/*/o/*":              {"objects.delete", "storage.objects.delete", (*exchange).deleteObject},
		"PATCH b/*/o/*":               {"objects.patch", "storage.objects.update", (*exchange).patchObject},
		"POST b/*/o/*/restore":        {"objects.restore", "storage.objects.restore", (*exchange).restoreObject},
		"POST b/*/o/*/rewriteTo":      {"objects.rewrite", "", (*exchange).rewriteObject},
		"POST b/*/o/*/copyTo":         {"objects.copy", "", (*exchange).rewriteObject},
		"POST upload b/*/o":           insert,
		"POST upload b/*/o resumable": {"resumable.start", "storage.objects.create", (*exchange).startUpload},
		"PUT upload b/*/o session":    session,
		"POST upload b/*/o session":   session,
		"DELETE upload b/*/o session": {"resumable.cancel", "storage.objects.create", (*exchange).cancelUpload},
		"GET object":                  media,
		"HEAD object":                 media,
	}
}

// Apply does what the request asks for.
func (x *exchange) Apply() *answer {
	if x.op.do == nil {
		return x.failXML(501, "notImplemented", "NotImplemented", "fakegcs has no such method.")
	}
	if want := x.s.o.Token; want != "" {
		switch got, _ := strings.CutPrefix(x.R.Header.Get("Authorization"), "Bearer "); got {
		case want:
		case "":
			return x.fail(401, "required", "Anonymous caller does not have "+x.op.permission+" access to the Google Cloud Storage bucket.", "locationType", "header", "location", "Authorization")
		default:
			return x.fail(401, "authError", "Invalid Credentials", "locationType", "header", "location", "Authorization")
		}
	}
	switch x.op.kind {
	case "buckets.list", "buckets.insert", "objects.rewrite", "objects.copy":
		return x.op.do(x, nil)
	}
	b := x.s.bucket(x.Req.Bucket)
	if b == nil {
		return x.noBucket()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if a := x.mayUse(b, x.op.permission); a != nil {
		return a
	}
	return x.op.do(x, b)
}

// mayUse refuses what the caller may not do with a bucket: requester pays first,
// then permissions. b is locked.
func (x *exchange) mayUse(b *bucket, permission string) *answer {
	project := x.query.Get("userProject")
	if x.R.Header.Get("X-Goog-User-Project") != "" {
		project = x.R.Header.Get("X-Goog-User-Project")
	}
	if b.set.Billing.RequesterPays && project == "" {
		// The reason is what the service sends; the page "HTTP status and error codes
		// for JSON" calls it UserProjectMissing.
		return x.failXML(400, "required", "UserProjectMissing", "Bucket is a requester pays bucket but no user project provided.")
	}
	return x.needs(b, permission)
}

// needs refuses without a permission.
func (x *exchange) needs(b *bucket, permission string) *answer {
	if permission == "" || !b.denied[permission] {
		return nil
	}
	where := "bucket"
	if strings.HasPrefix(permission, "storage.objects.") && x.Req.Key != "" {
		where = "object"
	}
	return x.failXML(403, "forbidden", "AccessDenied", "tester@project.iam.gserviceaccount.com does not have "+permission+" access to the Google Cloud Storage "+where+
		". Permission '"+permission+"' denied on resource (or it may not exist).")
}

// Sign adds what every answer carries.
func (x *exchange) Sign(h http.Header) {
	h.Set("Date", x.s.o.Now().UTC().Format(http.TimeFormat))
	h.Set("Server", "UploadServer")
	h.Set("X-Guploader-Uploadid", "fakegcs")
}
