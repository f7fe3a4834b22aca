package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"net/http"

	smithyhttp "github.com/aws/smithy-go/transport/http"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
)

// kindOf is how an operation is counted.
func kindOf(operation string) bucket.Kind {
	switch operation {
	case "ListObjectVersions", "ListBuckets", "ListMultipartUploads":
		return bucket.KindList
	case "GetObject", "GetObjectTagging", "GetObjectRetention", "GetObjectLegalHold":
		return bucket.KindGet
	case "HeadObject":
		return bucket.KindHead
	case "PutObject", "CopyObject", "PutObjectLegalHold":
		return bucket.KindPut
	case "DeleteObject":
		return bucket.KindDelete
	}
	return bucket.KindSettings
}

// trace tells that an attempt begins.
func (b *store) trace(ctx context.Context, operation string, c *call, in any) *bucket.Trace {
	r := bucket.Request{Op: operation, Kind: kindOf(operation), Bucket: b.URL()}
	if c != nil {
		if c.operation != operation {
			c.operation, c.attempt = operation, 0
		}
		c.attempt++
		r.Key, r.Version, r.Attempt = c.key+c.prefix, c.version, c.attempt
	}
	if req, ok := in.(*smithyhttp.Request); ok && req.Request != nil && req.URL != nil && r.Kind == bucket.KindList {
		r.After = req.URL.Query().Get("key-marker")
	}
	return bucket.Begin(ctx, r).Hiding(b.secrets.Hide)
}

// sentBy is how long the body of a request is.
func sentBy(in any) int64 {
	if req, ok := in.(*smithyhttp.Request); ok && req.Request != nil {
		return max(req.ContentLength, 0)
	}
	return 0
}

// follow notes the answer of an attempt, and its end once its body was read.
func follow(t *bucket.Trace, res *smithyhttp.Response, err error, sent int64) {
	if t == nil {
		return
	}
	if err != nil || res == nil || res.Response == nil || res.StatusCode == 0 {
		text := "no answer"
		if err != nil {
			text = describe(err)
		}
		t.End(0, text, false)
		return
	}
	t.Answered(res.StatusCode, res.Header.Get("x-amz-request-id"))
	if res.Body == nil || res.Body == http.NoBody {
		text, expected := refusal(res.StatusCode, nil)
		t.End(sent, text, expected)
		return
	}
	res.Body = remote.Traced(res.Response, t, sent, refusal, describe)
}

// refusal is what an answer says of its status: the code and the message of S3's
// error document and nothing else of it, which may hold parts of the signature.
func refusal(status int, body []byte) (text string, expected bool) {
	if status < 300 || status == http.StatusNotModified {
		return "", false
	}
	var doc struct{ Code, Message string }
	// A document that cannot be read leaves both empty: the status alone is told.
	_ = xml.NewDecoder(bytes.NewReader(body)).Decode(&doc)
	text = fmt.Sprintf("%d %s", status, http.StatusText(status))
	if doc.Code != "" {
		text += ", " + doc.Code
	}
	if doc.Message != "" {
		text += ": " + doc.Message
	}
	switch doc.Code {
	case "", "NoSuchKey", "NoSuchVersion":
		return text, status == http.StatusNotFound || status == http.StatusPreconditionFailed
	case "PreconditionFailed":
		return text, true
	case "MethodNotAllowed": // reading a delete marker by its version
		return text, true
	case "NoSuchLifecycleConfiguration", "ObjectLockConfigurationNotFoundError", "NoSuchObjectLockConfiguration", "NoSuchTagSet":
		return text, true
	}
	return text, false
}
