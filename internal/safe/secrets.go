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
	// named says that it begins with a name, the first group, which may also end a path.
	named bool
}

// forms are compiled when a text is first looked at: most runs of the program have none.
var forms = sync.OnceValue(func() []form {
	return []form{
		{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), hidden, false},
		// An Authorization header, and its value wherever it stands.
		{regexp.MustCompile(`(?i)\b(authorization\\?["']?\s*[:=]\s*\[?\\?["']?)[^"'\r\n]+`), hidden, true},
		{regexp.MustCompile(`\bAWS4-(?:HMAC|ECDSA)[A-Z0-9-]*[^"'<\r\n]*`), hidden, false},
		{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}`), hidden, false},
		// Elements of an error document about a signature.
		{regexp.MustCompile(`(?i)(<(?:AWSAccessKeyId|SecretAccessKey|SessionToken|StringToSign|SignatureProvided|StringToSignBytes|CanonicalRequest|Token-0)>)[^<]*`), "${1}" + hidden, false},
		// A name and its value: of a query, of JSON, of a header, of the environment.
		{regexp.MustCompile(`(?i)((?:(?:\b|_)(?:x-(?:amz|goog)-(?:signature|credential|security-token)|signature|credential|aws_?access_?key_?id|access_?key_?id|secret_?access_?key|session_?token|security_?token|(?:access|refresh|id|subject|bearer)_?token|client_?secret|private_?key(?:_?id)?|assertion|password|passwd)|[?&](?:sig|token|key))\\?["']?\s*(?:[=:]|%3d)\s*)(?:\\?"[^"]*"?|\\?'[^']*'?|[^\s"'&,;<>)}]+)`), hidden, true},
		// Keys and tokens that are known by their look.
		{regexp.MustCompile(`\b(?:(?:AKIA|ASIA)[A-Z0-9]{16}|ya29\.[A-Za-z0-9._-]+|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)`), hidden, false},
		// A user and a password before a host.
		{regexp.MustCompile(`(://)[^/\s"'<>?#@]*@`), "${1}" + hidden + "@", false},
	}
})

// Secrets gives s without what looks like a credential, a signature or an
// authorization header. It is for texts that others wrote and for what a person may
// have pasted, not for keys: a key may look like anything.
func Secrets(s string) string {
	for _, f := range forms() {
		if f.named {
			s = f.hide(s)
		} else {
			s = f.find.ReplaceAllString(s, f.put)
		}
	}
	return s
}

// hide replaces what the form finds, but for the names of files before a cause.
func (f form) hide(s string) string {
	var out strings.Builder
	for s != "" {
		at := f.find.FindStringSubmatchIndex(s)
		if at == nil {
			break
		}
		if value := at[3]; ofFile(s[:at[0]], s[at[0]:value], s[value:]) {
			out.WriteString(s[:value]) // a cause may hold a secret: it is looked at too
			s = s[value:]
			continue
		}
		out.WriteString(s[:at[0]])
		out.WriteString(f.put)
		s = s[at[1]:]
	}
	out.WriteString(s)
	return out.String()
}

// causes are the beginnings of what systems say about a file, after its name.
var causes = []string{"no such file", "not a directory", "is a directory", "file exists", "permission denied", "operation not permitted",
	"file name too long", "file too large", "no space left", "read-only file system", "input/output error", "too many open files",
	"The system cannot find", "Access is denied", "The filename, directory name"}

// ofFile says that a name which could be that of a secret ends the path of a file, and
// what comes after ": " is why something failed: "mkdir /etc/passwd: not a directory".
func ofFile(before, name, after string) bool {
	if !strings.HasSuffix(name, ": ") || strings.ContainsAny(name, `"'[`) {
		return false
	}
	for _, c := range causes {
		if strings.HasPrefix(after, c) {
			return true
		}
	}
	word := before[strings.LastIndexAny(before, " \t\r\n\"'?&=;,<>{}()[]")+1:]
	return strings.ContainsAny(word, `/\`)
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
