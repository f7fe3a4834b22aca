package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"provcat-tui/bucket"
	"provcat-tui/bucket/remote"
	"provcat-tui/internal/safe"
)

// A verdict is what an error means to the caller.
type verdict struct {
	kind       error
	permission string
	hint       string
}

// fail turns any error of a call into a *bucket.Error.
func (b *store) fail(c call, err error) error {
	var done *bucket.Error
	if errors.As(err, &done) {
		return err
	}
	v := b.judge(c, err)
	text := b.secrets.Hide(describe(err))
	if c.outcome != nil && unclear(c, err, v) {
		v = verdict{kind: bucket.ErrUnclear, hint: "it may have been written or may be yet: look before trying again"}
	}
	var creds *credentialsError
	if v.kind == bucket.ErrDenied && errors.As(err, &creds) {
		// It counts as denied, but nobody has denied anything: the text must not
		// send people to look for a permission.
		v.kind, err = nil, errors.Join(bucket.ErrDenied, err)
	}
	return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key + c.prefix, Version: c.version,
		Kind: v.kind, Permission: v.permission, Hint: b.secrets.Hide(v.hint), Err: &said{Text: text, Err: err}}
}

// unclear says whether a failed write may have happened after all: an attempt
// got no clear answer, or one that was not the store's, or S3 said 409, which says that
// another write was on its way. A refusal for what is there is clear by itself.
func unclear(c call, err error, v verdict) bool {
	switch {
	case v.kind == bucket.ErrExists:
		return false
	case c.outcome.lost.Load() || v.kind == bucket.ErrBadAnswer:
		return true
	case apiCode(err) == "ConditionalRequestConflict" || c.conditional && httpStatus(err) == http.StatusConflict:
		return true
	}
	status := httpStatus(err)
	// A success that could not be read, as of a copy that broke off.
	return status >= 200 && status < 300
}

// apiCode is the code in the store's error document; empty: there was none.
func apiCode(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// httpStatus is the status of the answer; 0: there was no answer.
func httpStatus(err error) int {
	var res *awshttp.ResponseError
	if errors.As(err, &res) {
		return res.HTTPStatusCode()
	}
	return 0
}

func header(err error, name string) string {
	var res *awshttp.ResponseError
	if errors.As(err, &res) && res.Response != nil {
		return res.Response.Header.Get(name)
	}
	return ""
}

// expecting finds the region in S3's own text of AuthorizationHeaderMalformed.
var expecting = regexp.MustCompile(`expecting '([a-z0-9-]+)'`)

// regionOf is the region that a refusal says the bucket is in; empty: not said.
func regionOf(err error) string {
	if err == nil {
		return ""
	}
	if r := header(err, "x-amz-bucket-region"); r != "" {
		return r
	}
	if m := expecting.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// unsupported says that the store has no such operation at all.
func unsupported(err error) bool {
	switch apiCode(err) {
	case "NotImplemented", "MethodNotAllowed":
		return true
	}
	return httpStatus(err) == http.StatusNotImplemented
}

// describe is the cause in one clause: the store's code and words, and the
// request's name for the store's support. The SDK's text repeats itself.
func describe(err error) string {
	var bad *badAnswer
	var lost *lostBody
	var creds *credentialsError
	var api smithy.APIError
	switch {
	case errors.As(err, &bad):
		return bad.Text
	case errors.As(err, &lost):
		return lost.Error()
	case errors.As(err, &creds):
		why, _ := noCredentials(creds.err)
		return why
	case errors.As(err, &api):
		var b strings.Builder
		b.WriteString(api.ErrorCode())
		if m := api.ErrorMessage(); m != "" && m != api.ErrorCode() {
			b.WriteString(": " + remote.Clip(m))
		}
		if s := httpStatus(err); s != 0 {
			fmt.Fprintf(&b, " (HTTP %d", s)
			var res *awshttp.ResponseError
			if errors.As(err, &res) && res.ServiceRequestID() != "" {
				b.WriteString(", request " + remote.Clip(res.ServiceRequestID()))
			}
			b.WriteString(")")
		}
		return b.String()
	}
	if s := httpStatus(err); s >= 300 {
		return fmt.Sprintf("HTTP %d without an S3 error document", s)
	}
	if text := network(err).Text; text != "" {
		return text
	}
	return remote.Clip(err.Error())
}

// judge finds what an error means. The order matters: what happened last is
// asked first.
func (b *store) judge(c call, err error) verdict {
	var bad *badAnswer
	var lost *lostBody
	var creds *credentialsError
	var conf *configError
	switch {
	case errors.As(err, &creds):
		// What to do comes first: the chain's own words are long and speak of its
		// last resort.
		_, hint := noCredentials(creds.err)
		return verdict{kind: bucket.ErrDenied, hint: hint + " (the search for them said: " + safe.Text(remote.Clip(spoken(creds))) + ")"}
	case errors.As(err, &conf):
		return verdict{hint: "check --profile and the files ~/.aws/config and ~/.aws/credentials"}
	case errors.As(err, &bad):
		return verdict{kind: bucket.ErrBadAnswer, hint: cmp.Or(bad.Hint, badAnswerHint)}
	case errors.As(err, &lost):
		return verdict{kind: bucket.ErrBadAnswer, hint: "try again; if it stays, look for a proxy on the way"}
	case errors.Is(err, context.Canceled):
		return verdict{}
	}
	if v, ok := b.byCode(c, err); ok {
		return v
	}
	if n := network(err); n.Text != "" {
		return verdict{hint: n.Hint}
	}
	return verdict{}
}

const badAnswerHint = "check that the endpoint is an S3 store and that no proxy or portal answers in its place"
