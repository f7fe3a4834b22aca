package gcs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"google.golang.org/api/googleapi"

	"provcat-tui/bucket"
)

// byStatus judges by the HTTP status and the API's reason.
//
// Cloud Storage documentation, "HTTP status and error codes for JSON".
func (b *store) byStatus(c *call, err error) (verdict, bool) {
	var api *googleapi.Error
	if !errors.As(err, &api) {
		return verdict{}, false
	}
	why, said := reason(err), message(api)
	switch {
	case (api.Code >= 300 && api.Code < 500 || api.Code == http.StatusNotImplemented) && foreign(api):
		return verdict{kind: bucket.ErrBadAnswer, hint: badAnswerHint}, true
	case api.Code == http.StatusUnauthorized:
		return verdict{kind: bucket.ErrDenied, hint: "the store does not accept these credentials: " + hintSignIn}, true
	case limited(err), api.Code == http.StatusTooManyRequests, api.Code == http.StatusServiceUnavailable:
		return verdict{kind: bucket.ErrSlowDown, hint: "the store asks for fewer requests: wait, or lower --concurrency"}, true
	case why == "userProjectMissing" || strings.Contains(said, "requester pays bucket"):
		return verdict{kind: bucket.ErrDenied, hint: "name the project that pays with --billing-project"}, true
	case api.Code == http.StatusForbidden:
		return b.denied(c, why, said), true
	case api.Code == http.StatusNotFound && c.key == "" || noBucket(err):
		return verdict{kind: bucket.ErrNotFound, hint: "there is no such bucket: check its name and the endpoint"}, true
	case api.Code == http.StatusNotFound:
		v := verdict{kind: bucket.ErrNotFound}
		if c.version == "" && c.media {
			v.hint = "no generation of it is live; name an older version to read that"
		}
		return v, true
	case api.Code == http.StatusPreconditionFailed && c.conditional:
		return verdict{kind: bucket.ErrExists}, true
	case api.Code == http.StatusPreconditionFailed:
		return verdict{hint: "somebody changed it meanwhile: look, and try again"}, true
	case api.Code == http.StatusNotImplemented || api.Code == http.StatusMethodNotAllowed:
		v := verdict{kind: bucket.ErrUnsupported}
		if c.conditional {
			v.hint = "the store has no conditional writes, without which two writers could overwrite each other's commits"
		}
		return v, true
	case api.Code >= 500 || api.Code == http.StatusRequestTimeout:
		return verdict{hint: "the store had a fault of its own: try again"}, true
	case why == "invalid" && c.key == "" && c.prefix == "" && strings.Contains(strings.ToLower(said), "bucket name"):
		return verdict{hint: "bucket names have 3 to 63 lowercase letters, digits, dots, hyphens and underscores"}, true
	}
	return verdict{}, true
}

// foreign says that no Cloud Storage answered: its refusals are in JSON or, where an
// object's content was asked for, in plain text; a web server's page is neither.
func foreign(api *googleapi.Error) bool {
	return api.Message == "" && len(api.Errors) == 0 && message(api) == "" && api.Header.Get("X-Guploader-Uploadid") == ""
}

// noBucket says that it is the bucket that is not there.
func noBucket(err error) bool {
	var api *googleapi.Error
	return errors.As(err, &api) && api.Code == http.StatusNotFound && strings.Contains(message(api), "bucket does not exist")
}

// permission finds it in the store's own words: "… does not have storage.objects.list
// access to the Google Cloud Storage bucket. Permission 'storage.objects.list' denied
// on resource (or it may not exist)."
var permission = regexp.MustCompile(`does not have (storage\.[A-Za-z.]+) access|Permission '(storage\.[A-Za-z.]+)' denied`)

func (b *store) denied(c *call, why, said string) verdict {
	v := verdict{kind: bucket.ErrDenied, permission: c.permission}
	switch why {
	case "retentionPolicyNotMet", "objectUnderActiveHold":
		return verdict{kind: bucket.ErrDenied, hint: "a retention policy or a hold protects it"}
	}
	if m := permission.FindStringSubmatch(said); m != nil {
		v.permission = m[1] + m[2]
	}
	switch {
	case strings.Contains(said, "retention policy") || strings.Contains(said, "active hold") || strings.Contains(said, "retention configuration"):
		return verdict{kind: bucket.ErrDenied, hint: "a retention policy or a hold protects it"}
	case v.permission == "storage.objects.get":
		v.hint = "without storage.objects.list the store gives this answer for an absent key too"
	case v.permission == "storage.objects.list":
		v.hint = "ask the bucket's owner for a role with it, such as Storage Object Viewer; where it holds for one folder only, name that folder in the URL"
	case v.permission == "storage.buckets.get":
		v.hint = "Storage Object Viewer lacks it: it is in Storage Bucket Viewer and Storage Legacy Bucket Reader"
	case v.permission == "storage.buckets.list":
		v.hint = "a bucket can be opened without it: name it as gs://bucket"
	}
	return v
}

// refusal is what an answer says of its status, for the trace: the store's own words.
func refusal(status int, body []byte) (text string, expected bool) {
	if status < 300 || status == http.StatusNotModified {
		return "", false
	}
	text = fmt.Sprintf("%d %s", status, http.StatusText(status))
	var doc struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	// A document that cannot be read leaves it empty: the status alone is told.
	_ = json.Unmarshal(body, &doc)
	if len(doc.Error.Errors) > 0 && doc.Error.Errors[0].Reason != "" {
		text += ", " + doc.Error.Errors[0].Reason
	}
	if doc.Error.Message != "" {
		text += ": " + doc.Error.Message
	}
	return text, status == http.StatusNotFound || status == http.StatusPreconditionFailed
}
