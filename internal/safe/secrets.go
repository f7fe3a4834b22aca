package safe

import (
	"regexp"
	"strings"
	"sync"
)

// hidden stands in a text where a secret was.
const hidden = "(hidden)"

// A form is one of those in which stores, credential helpers, token servers and people's
// own URLs carry what lets somebody in.
type form struct {
	find *regexp.Regexp
	put  string
}

// forms are compiled when a text is first looked at: most runs of the program have none.
var forms = sync.OnceValue(func() []form {
	return []form{
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), hidden},
		// An Authorization header, and its value wherever it stands.
		{regexp.MustCompile(`(?i)\b(authorization\\?["']?\s*[:=]\s*\[?\\?["']?)[^"'\r\n]+`), hidden},
		{regexp.MustCompile(`\bAWS4-(?:HMAC|ECDSA)[A-Z0-9-]*[^"'<\r\n]*`), hidden},
		{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}`), hidden},
		// Elements of an error document about a signature.
		{regexp.MustCompile(`(?i)(<(?:AWSAccessKeyId|SecretAccessKey|SessionToken|StringToSign|SignatureProvided|StringToSignBytes|CanonicalRequest|Token-0)>)[^<]*`), "${1}" + hidden},
		// A name and its value: of a query, of JSON, of a header, of the environment.
		{regexp.MustCompile(`(?i)((?:(?:\b|_)(?:x-(?:amz|goog)-(?:signature|credential|security-token)|signature|credential|aws_?access_?key_?id|access_?key_?id|secret_?access_?key|session_?token|security_?token|(?:access|refresh|id|subject|bearer)_?token|client_?secret|private_?key(?:_?id)?|assertion|password|passwd)|[?&](?:sig|token|key))\\?["']?\s*(?:[=:]|%3d)\s*)(?:\\?"[^"]*"?|\\?'[^']*'?|[^\s"'&,;<>)}]+)`), hidden},
		// Keys and tokens that are known by their look.
		{regexp.MustCompile(`\b(?:(?:AKIA|ASIA)[A-Z0-9]{16}|ya29\.[A-Za-z0-9._-]+|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)`), hidden},
		// A user and a password before a host.
		{regexp.MustCompile(`(://)[^/\s"'<>?#@]*@`), "${1}" + hidden + "@"},
	}
})

// Secrets gives s without what looks like a credential, a signature or an
// authorization header. It is for texts that others wrote and for what a person may
// have pasted, not for keys: a key may look like anything.
func Secrets(s string) string {
	for _, f := range forms() {
		s = f.find.ReplaceAllString(s, f.put)
	}
	return s
}

// Endpoint gives the URL of a server without a user, a password and a query, whatever
// else is wrong with it.
func Endpoint(s string) string {
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		scheme, rest = "", s
	} else {
		scheme += "://"
	}
	at, query := strings.LastIndexByte(rest, '@'), strings.IndexAny(rest, "?#")
	if query >= 0 && query < at {
		return scheme + hidden // where the host is nobody can tell
	}
	if query >= 0 && query+1 < len(rest) {
		rest = rest[:query+1] + hidden
	}
	if at >= 0 {
		rest = hidden + rest[at:]
	}
	return scheme + rest
}

// signed finds the parts of a presigned URL's query: AWS's, Google's, and the older
// kind of both.
var signed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[?&](x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|googleaccessid|signature)(?:=|%3d)`)
})

// Signed says that a URL that a person gave carries a secret: it was presigned, or
// names a user before its host.
func Signed(url string) bool {
	if strings.ContainsAny(url, "?&") && signed().MatchString(url) {
		return true
	}
	_, rest, found := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return found && strings.Contains(host, "@")
}
