package views

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"provcat-tui/internal/safe"
)

// A pasted text may name an object: the error of a reader, a line of a log, a URL. What
// it says was not checked.
type pasted struct {
	scheme, bucket string // empty: the text does not tell
	key            string
	version        string // empty: the text names none
	// what it is, if no object: then key is a folder, or a path below one.
	what namedThing
	ref  string // of a commit
}

// value is a word after a name: in quotes of one kind or the other, or without.
const value = `(?:"((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)'|([^\s"'<>]+))`

var (
	// storeURL also takes what Hadoop calls S3.
	storeURL  = regexp.MustCompile(`\b(s3|s3a|s3n|gs)://([^\s"'<>/]+)/([^\s"'<>]+)`)
	quotedURL = regexp.MustCompile(`["'](s3|s3a|s3n|gs)://([^\s"'<>/]+)/([^"'<>\n]+)["']`)
	webURL    = regexp.MustCompile(`\bhttps?://[^\s"'<>]+`)
	xmlKey    = regexp.MustCompile(`<Key>([^<]+)</Key>`)
	xmlBucket = regexp.MustCompile(`<BucketName>([^<]+)</BucketName>`)
	xmlID     = regexp.MustCompile(`<VersionId>([^<]+)</VersionId>`)
	keyIs     = regexp.MustCompile(`(?i)\b(?:object[-_ ]?)?key["']?\s*(?:[:=]|=>)\s*` + value)
	objectIs  = regexp.MustCompile(`(?i)\b(?:object|file|path|blob)(?:[-_ ]?name)?["']?\s*(?:[:=]|=>)\s*` + value)
	bucketIs  = regexp.MustCompile(`(?i)\bbucket(?:[-_ ]?name)?["']?\s*(?:[:=]|=>)\s*` + value)
	versionIs = regexp.MustCompile(`(?i)\b(?:version(?:[-_ ]?id)?|generation)["']?\s*(?:[:=]|=>)\s*` + value)
	// A version may also stand before its object, as this program's errors have it.
	versionFirst = regexp.MustCompile(`(?i)\bversion (\S+) of (\S+)`)
	versionAfter = regexp.MustCompile(`(?i)\b(?:version(?:[-_ ]?id)?|generation) (\S+)`)
)

// pastedObject finds the object that a text names, by the ways in which the stores, their
// SDKs and tools write it, or what a message of this program is about. A text that is only letters to search for names none.
// here is the URL of the open bucket; empty: none is open.
func pastedObject(text, here string) (pasted, bool) {
	var m pasted
	text, cmds := takeCommands(text, here)
	if m.fromOurs(text, cmds) {
		return m, true
	}
	rest := m.findURL(text, here)
	if m.key == "" {
		m.findKey(text)
	}
	if m.key == "" {
		m = pasted{}
		if m.fromCommand(cmds) {
			return m, true
		}
		if id := wholeID.FindStringSubmatch(strings.TrimSpace(text)); id != nil {
			return pasted{what: anyCommit, ref: id[1]}, true
		}
		return pasted{}, false
	}
	if m.version == "" {
		m.findVersion(text, rest)
	}
	return m, true
}

// findURL takes a URL of the text; rest is what follows it.
func (m *pasted) findURL(text, here string) (rest string) {
	// Of a file's URL only this tells where the bucket ends and the key begins.
	if _, after, found := strings.Cut(text, here+"/"); found && here != "" {
		key, rest, _ := strings.Cut(after, " ")
		m.key = bare(key)
		return rest
	}
	at := storeURL.FindStringSubmatchIndex(text)
	if q := quotedURL.FindStringSubmatchIndex(text); q != nil {
		at = q
	}
	if at != nil {
		m.scheme, m.bucket, m.key = text[at[2]:at[3]], text[at[4]:at[5]], text[at[6]:at[7]]
		if m.scheme != "gs" {
			m.scheme = "s3"
		}
		if text[at[0]] != '"' && text[at[0]] != '\'' {
			m.key = bare(m.key)
		}
		if safe.Signed(m.key) {
			// A presigned URL's query is no part of its key, and nothing to show.
			key, query, _ := strings.Cut(m.key, "?")
			values, _ := url.ParseQuery(query) // what can be read of it is enough
			m.key, m.version = key, cmp.Or(values.Get("versionId"), values.Get("generation"))
		}
		for _, sign := range []string{"?versionId=", "?versionID=", "?generation=", "#"} {
			key, id, found := strings.Cut(m.key, sign)
			if found && (sign != "#" || m.scheme == "gs" && isNumber(id)) {
				m.key, m.version = key, id
			}
		}
		return text[at[1]:]
	}
	if at := webURL.FindStringIndex(text); at != nil {
		m.fromWeb(bare(text[at[0]:at[1]]))
		return text[at[1]:]
	}
	return ""
}

// fromWeb takes a URL of the store's own API: with the bucket in the host's name, or
// first in the path.
func (m *pasted) fromWeb(raw string) {
	u, err := url.Parse(raw)
	if err != nil {
		return
	}
	path := strings.TrimPrefix(u.Path, "/")
	host := u.Hostname()
	for _, part := range []string{".s3.", ".s3-", ".storage.googleapis.com"} {
		if name, _, found := strings.Cut(host, part); found && name != "" {
			m.bucket, m.key = name, path
		}
	}
	if m.bucket == "" {
		m.bucket, m.key, _ = strings.Cut(path, "/")
	}
	m.scheme = "s3"
	if strings.HasSuffix(host, "storage.googleapis.com") {
		m.scheme = "gs"
	}
	m.version = u.Query().Get("versionId")
	if g := u.Query().Get("generation"); g != "" {
		m.version = g
	}
}

// findKey takes a key that stands after its name.
func (m *pasted) findKey(text string) {
	if k := xmlKey.FindStringSubmatch(text); k != nil {
		m.key = html.UnescapeString(k[1])
		if b := xmlBucket.FindStringSubmatch(text); b != nil {
			m.scheme, m.bucket = "s3", html.UnescapeString(b[1])
		}
		return
	}
	if v := versionFirst.FindStringSubmatch(text); v != nil && isID(bare(v[1])) {
		m.version, m.key = bare(v[1]), bare(v[2])
		return
	}
	for _, re := range []*regexp.Regexp{keyIs, objectIs} {
		if m.key = valueOf(re, text); m.key != "" {
			if m.bucket = valueOf(bucketIs, text); m.bucket != "" {
				m.scheme = "s3"
			}
			return
		}
	}
	if v := keyThenVersion.FindStringSubmatch(text); v != nil && isID(bare(v[2])) {
		m.key, m.version = bare(v[1]), bare(v[2])
		return
	}
	// What is copied from a listing: a key, then a version.
	if words := strings.Fields(text); len(words) == 2 && strings.Contains(words[0], "/") && isID(words[1]) {
		m.key, m.version = words[0], words[1]
	}
}

// findVersion takes a version that stands after its name, or after the object's URL.
func (m *pasted) findVersion(text, rest string) {
	if v := xmlID.FindStringSubmatch(text); v != nil {
		m.version = html.UnescapeString(v[1])
		return
	}
	if v := valueOf(versionIs, text); v != "" && !strings.EqualFold(v, "none") {
		m.version = v
		return
	}
	for _, v := range versionAfter.FindAllStringSubmatch(text, -1) {
		if id := bare(v[1]); isID(id) {
			m.version = id
			return
		}
	}
	if words := strings.Fields(rest); len(words) > 0 && isID(bare(words[0])) {
		m.version = bare(words[0])
	}
}

// valueOf is the value that stands after a name.
func valueOf(re *regexp.Regexp, text string) string {
	m := re.FindStringSubmatch(text)
	switch {
	case m == nil:
		return ""
	case m[1] != "":
		if s, err := strconv.Unquote(`"` + m[1] + `"`); err == nil { // JSON
			return s
		}
		return m[1]
	case m[2] != "":
		return m[2]
	}
	return bare(m[3])
}

// bare takes off what a sentence puts behind a word.
func bare(word string) string { return strings.TrimRight(word, ".,;:)]}'\"`") }

// isID tells a version's ID from a word of a sentence: IDs are opaque, but long, and
// have a digit.
func isID(s string) bool {
	return s == "null" || len(s) >= 12 && !strings.Contains(s, "/") && strings.ContainsFunc(s, unicode.IsDigit)
}

func isNumber(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
