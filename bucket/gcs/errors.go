package gcs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/api/googleapi"

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

// credentialsError marks that there are no credentials, before anything was sent.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

// fail turns any error of a call into a *bucket.Error.
func (b *store) fail(c *call, err error) error {
	var done *bucket.Error
	if errors.As(err, &done) {
		return err
	}
	err = classify(err)
	v := b.judge(c, err)
	text := b.secrets.Hide(describe(err))
	if c.write && unclear(c, err, v) {
		v = verdict{kind: bucket.ErrUnclear, hint: "it may have been written or may be yet: look before trying again"}
	}
	var creds *credentialsError
	if v.kind == bucket.ErrDenied && errors.As(err, &creds) {
		// It counts as denied, but nobody has denied anything: the text must not send
		// people to look for a permission.
		v.kind, err = nil, errors.Join(bucket.ErrDenied, err)
	}
	return &bucket.Error{Op: c.op, Bucket: b.URL(), Key: c.key + c.prefix, Version: c.version,
		Kind: v.kind, Permission: v.permission, Hint: b.secrets.Hide(v.hint), Err: &remote.Said{Text: text, Err: err}}
}

// classify gives errors of the client's own decoder and of its credentials their
// kind. What happened on the way, and what the store said, have one.
func classify(err error) error {
	var way *wayError
	var api *googleapi.Error
	var bad *remote.BadAnswer
	var lost *remote.LostBody
	var creds *credentialsError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &bad), errors.As(err, &lost), errors.As(err, &creds), errors.As(err, &way), errors.As(err, &api),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errNoVersion):
		return err
	case errors.As(err, &syntax), errors.As(err, &kind):
		return errors.Join(&remote.BadAnswer{Text: "an answer that cannot be read: " + remote.Clip(err.Error())}, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &remote.LostBody{Err: err}
	case strings.Contains(err.Error(), "oauth2:"), strings.Contains(err.Error(), "auth:"), strings.Contains(err.Error(), "credentials:"):
		return &credentialsError{err}
	}
	return err
}

// unclear says whether a failed write may have happened after all: an attempt got no
// clear answer, or one that was not the store's, or the store said 409. A refusal for what
// is there is clear by itself.
func unclear(c *call, err error, v verdict) bool {
	switch {
	case v.kind == bucket.ErrExists:
		return false
	case c.lost.Load() || v.kind == bucket.ErrBadAnswer:
		return true
	case c.conditional && status(err) == http.StatusConflict:
		return true
	}
	s := status(err)
	return s >= 200 && s < 300
}

// describe is the cause in one clause: the store's words and its status.
func describe(err error) string {
	var bad *remote.BadAnswer
	var lost *remote.LostBody
	var creds *credentialsError
	var api *googleapi.Error
	switch {
	case errors.As(err, &bad):
		return bad.Text
	case errors.As(err, &lost):
		return lost.Error()
	case errors.As(err, &creds):
		return noCredentials(creds.err)
	case errors.As(err, &api):
		text := fmt.Sprintf("HTTP %d", api.Code)
		if why := reason(err); why != "" {
			text += ", " + remote.Clip(why)
		}
		if m := message(api); m != "" {
			return remote.Clip(m) + " (" + text + ")"
		}
		return text + " without an error document of Cloud Storage"
	}
	if text := network(err).Text; text != "" {
		return text
	}
	return remote.Clip(err.Error())
}

// message is what the store says. Where an object's content was asked for it says so
// in plain text, otherwise in JSON.
func message(api *googleapi.Error) string {
	switch {
	case api.Message != "":
		return api.Message
	case strings.HasPrefix(strings.TrimSpace(api.Body), "{"):
		var doc struct{ Error struct{ Message string } }
		if json.Unmarshal([]byte(api.Body), &doc) == nil {
			return doc.Error.Message
		}
	case !strings.HasPrefix(strings.TrimSpace(api.Body), "<") && len(api.Body) < 1000:
		return strings.TrimSpace(api.Body)
	}
	return ""
}

// network tells what failed on the way to the store. Empty: not a network error.
func network(err error) remote.Trouble {
	return remote.Network(err, remote.Advice{
		Name:      "check the endpoint, STORAGE_EMULATOR_HOST and the network",
		Authority: "have this machine trust its authority (SSL_CERT_FILE names a file of them)",
		Hostname:  "check --endpoint and STORAGE_EMULATOR_HOST",
	})
}

const (
	hintSignIn    = "sign in with \"gcloud auth application-default login\", or name a key file in GOOGLE_APPLICATION_CREDENTIALS"
	badAnswerHint = "check that the endpoint is Cloud Storage and that no proxy or portal answers in its place"
)

// noCredentials tells why there are no credentials.
func noCredentials(err error) string {
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "could not find default credentials"):
		return "no credentials were found"
	case strings.Contains(text, "invalid_grant"), strings.Contains(text, "reauth"), strings.Contains(text, "expired"):
		return "the sign-in has expired"
	}
	return "no credentials could be had"
}

// judge finds what an error means.
func (b *store) judge(c *call, err error) verdict {
	var bad *remote.BadAnswer
	var lost *remote.LostBody
	var creds *credentialsError
	switch {
	case errors.As(err, &creds):
		return verdict{kind: bucket.ErrDenied, hint: hintSignIn + " (the search for them said: " + safe.Text(remote.Clip(creds.Error())) + ")"}
	case errors.As(err, &bad):
		return verdict{kind: bucket.ErrBadAnswer, hint: cmp.Or(bad.Hint, badAnswerHint)}
	case errors.As(err, &lost):
		return verdict{kind: bucket.ErrBadAnswer, hint: "try again; if it stays, look for a proxy on the way"}
	case errors.Is(err, context.Canceled):
		return verdict{}
	}
	if v, ok := b.byStatus(c, err); ok {
		return v
	}
	return verdict{hint: network(err).Hint}
}
