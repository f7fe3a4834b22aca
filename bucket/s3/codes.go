package s3

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"provcat-tui/bucket"
)

const (
	hintSignIn = "sign in again or get new credentials (\"aws sso login\", \"aws configure\")"
	slowHint   = "the store asks for fewer requests: wait, or lower --concurrency"
	hintKeys   = "check the access key, the secret key and --profile"
)

// byCode judges by the code in the store's error document, and by the HTTP
// status where there is none. S3 API reference, "Error responses".
func (b *store) byCode(c call, err error) (verdict, bool) {
	code, status := apiCode(err), httpStatus(err)
	if foreign(err) {
		return verdict{kind: bucket.ErrBadAnswer, hint: badAnswerHint}, true
	}
	switch code {
	case "NoSuchBucket":
		return verdict{kind: bucket.ErrNotFound, hint: "there is no such bucket at this endpoint: check its name, the profile and the endpoint"}, true
	case "NotFound":
		if c.key == "" { // the SDK's word for a 404 without a code, which S3 gives for HEAD only
			return verdict{kind: bucket.ErrBadAnswer, hint: badAnswerHint}, true
		}
		fallthrough
	case "NoSuchKey":
		v := verdict{kind: bucket.ErrNotFound}
		if header(err, "x-amz-delete-marker") == "true" {
			v.hint = "its newest version is a delete marker; name an older version to read that"
		}
		return v, true
	case "NoSuchVersion":
		return verdict{kind: bucket.ErrNotFound}, true
	case "MethodNotAllowed":
		if c.key != "" && c.version != "" {
			return verdict{kind: bucket.ErrNotFound, hint: "that version is a delete marker, which has no content"}, true
		}
		return verdict{kind: bucket.ErrUnsupported}, true
	case "InvalidArgument":
		if c.version != "" && strings.Contains(strings.ToLower(apiMessage(err)), "version id") {
			return verdict{kind: bucket.ErrNotFound, hint: "the store cannot have made a version with such an ID"}, true
		}
	case "InvalidObjectState":
		return verdict{kind: bucket.ErrUnsupported, hint: "it is archived: restore it first (\"aws s3api restore-object\"), then read it"}, true
	case "PreconditionFailed", "NotModified":
		if c.conditional {
			return verdict{kind: bucket.ErrExists}, true
		}
	case "NotImplemented":
		return verdict{kind: bucket.ErrUnsupported, hint: b.unsupportedHint(c)}, true
	case "AccessDenied", "AllAccessDisabled", "AccountProblem", "UnauthorizedAccess":
		return b.denied(c, err), true
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidSecurity", "NotSignedUp":
		return verdict{kind: bucket.ErrDenied, hint: "the store does not accept these credentials: " + hintKeys}, true
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired":
		return verdict{kind: bucket.ErrDenied, hint: "the credentials have expired: " + hintSignIn}, true
	case "InvalidToken", "InvalidClientTokenId":
		return verdict{kind: bucket.ErrDenied, hint: "the session token is not valid: " + hintSignIn}, true
	case "RequestTimeTooSkewed":
		return verdict{kind: bucket.ErrDenied, hint: "this machine's clock differs from the store's: set it"}, true
	case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "IncorrectEndpoint":
		return verdict{hint: b.regionHint(err)}, true
	case "SlowDown", "ServiceUnavailable", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests":
		return verdict{kind: bucket.ErrSlowDown, hint: slowHint}, true
	case "InternalError", "RequestTimeout":
		return verdict{hint: "the store had a fault of its own: try again"}, true
	case "InvalidBucketName":
		return verdict{hint: "S3 bucket names have 3 to 63 lowercase letters, digits, dots and hyphens"}, true
	}
	switch {
	case status == 0 || status < 300:
		return verdict{}, false
	case status == http.StatusMovedPermanently || status == http.StatusTemporaryRedirect || status == http.StatusFound:
		return verdict{hint: b.regionHint(err)}, true
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return b.denied(c, err), true
	case status == http.StatusPreconditionFailed || status == http.StatusNotModified:
		if c.conditional {
			return verdict{kind: bucket.ErrExists}, true
		}
	case status == http.StatusNotFound && c.key != "" && header(err, "x-amz-request-id") != "":
		// An error document that names a key with control characters is no XML
		// that the SDK can read; a web server's page has no such header.
		return verdict{kind: bucket.ErrNotFound}, true
	case status == http.StatusNotImplemented:
		return verdict{kind: bucket.ErrUnsupported, hint: b.unsupportedHint(c)}, true
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return verdict{kind: bucket.ErrSlowDown, hint: slowHint}, true
	case status >= 500:
		return verdict{hint: "the store had a fault of its own: try again"}, true
	}
	if code == "" {
		return verdict{kind: bucket.ErrBadAnswer, hint: badAnswerHint}, true
	}
	return verdict{}, true
}

// foreign says that no S3 store refused: there is no error document and none of the
// headers with which a store names each request. A proxy knows neither whether a key is
// there nor whether a write was done. HEAD and 304 have no body, and some stores send
// these without the headers. (The SDK makes up a code from the status.)
func foreign(err error) bool {
	var res *awshttp.ResponseError
	if !errors.As(err, &res) || res.Response == nil {
		return false
	}
	status := res.HTTPStatusCode()
	if status < 300 || status == http.StatusNotModified || status > 499 && status != http.StatusNotImplemented || res.Response.Request != nil && res.Response.Request.Method == http.MethodHead {
		return false
	}
	code := apiCode(err)
	said := code != "" && code != strings.ReplaceAll(http.StatusText(status), " ", "")
	return !said && header(err, "x-amz-request-id") == "" && header(err, "x-amz-id-2") == ""
}

func (b *store) unsupportedHint(c call) string {
	if c.conditional {
		return "the store has no conditional writes, without which two writers could overwrite each other's commits"
	}
	return ""
}

// action finds the action in AWS's own words: "User: arn:… is not authorized to
// perform: s3:ListBucketVersions on resource: …".
var action = regexp.MustCompile(`not authorized to perform: ([a-z0-9-]+:[A-Za-z]+)`)

func (b *store) denied(c call, err error) verdict {
	v := verdict{kind: bucket.ErrDenied, permission: c.permission}
	message := apiMessage(err)
	if m := action.FindStringSubmatch(message); m != nil {
		v.permission = m[1]
	}
	var hints []string
	if strings.Contains(message, "explicit deny") {
		hints = append(hints, "a policy denies it explicitly: an allowing one will not help")
	}
	switch c.permission {
	case "s3:GetObject", "s3:GetObjectVersion":
		hints = append(hints, "without s3:ListBucket the store gives this answer for an absent key too")
	case "s3:ListBucketVersions":
		hints = append(hints, "ask the bucket's owner for it; where it holds for one folder only, name that folder in the URL")
	case "s3:ListAllMyBuckets":
		hints = append(hints, "a bucket can be opened without it: name it as s3://bucket")
	}
	if !b.payer && c.permission != "s3:ListAllMyBuckets" {
		hints = append(hints, "a requester-pays bucket needs --request-payer")
	}
	v.hint = strings.Join(hints, "; ")
	return v
}

func apiMessage(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorMessage()
	}
	return ""
}

func (b *store) regionHint(err error) string {
	mine := defaultRegion
	if b.client != nil {
		mine = b.client.Options().Region
	}
	if r := regionOf(err); r != "" {
		return fmt.Sprintf("wrong region: the request was for %s, the bucket is in %.40q: use --region, and leave out --endpoint or name that region's", mine, r)
	}
	return fmt.Sprintf("wrong region: the request was for %s: name the bucket's with --region", mine)
}
