package buckettest

import (
	"slices"
	"strings"

	"provcat-tui/bucket"
)

// AwkwardKeys are keys that S3 takes and that programs trip over, by the name
// of their check.
var AwkwardKeys = []struct{ Name, Key string }{
	{"space", "a b c"},
	{"leading-and-final-space", " a "},
	{"plus", "a+b"},
	{"percent", "100%"},
	{"percent-encoded-slash", "a%2Fb"},
	{"percent-encoded-twice", "a%252Fb%20c"},
	{"ampersand", "a&b&amp;c"},
	{"angle-brackets", "<a>b</a>"},
	{"double-quote", `a"b`},
	{"single-quote", "a'b"},
	{"backslash", `a\b`},
	{"question-and-hash", "a?b#c=d&versionId=e"},
	{"punctuation", "!-_.*'();:@$,[]{}|^~`"},
	{"umlaut", "Übergröße/straße"},
	{"decomposed-umlaut", "Ubergro\u0308ße"},
	{"cjk", "売上/2026年.csv"},
	{"emoji", "🙂/🏳️‍🌈"},
	{"private-use", "\ue000"},
	{"supplementary-plane", "\U00010000"},
	{"bidi-and-zero-width", "a\u202eb\u200bc\u00a0d\u2028e"},
	{"double-slash", "a//b"},
	{"leading-slash", "/a"},
	{"lone-slash", "/"},
	{"slashes-only", "///"},
	{"final-slash", "a/b/"},
	{"dot", "."},
	{"dot-part", "a/./b"},
	{"dot-dot-part", "a/../b"},
	{"leading-dot-dot", "../a"},
	{"newline", "a\nb"},
	{"carriage-return", "a\rb"},
	{"tab", "a\tb"},
	{"control-1", "a\x01b"},
	{"escape", "a\x1b[2Jb"},
	{"delete-character", "a\x7fb"},
	{"1024-bytes", strings.Repeat("k", 1024)},
	{"1024-bytes-of-emoji", strings.Repeat("🙂", 256)},
	{"like-a-query", "?versions"},
	{"like-a-slot", ".provcat/log/x/999999999999999"},
	{"null", "null"},
}

func keyChecks() []check {
	var all []check
	for _, k := range AwkwardKeys {
		all = append(all, check{k.Name, func(r *recorder) { r.key(k.Key) }})
	}
	return append(all, check{"order", func(r *recorder) {
		// In UTF-16 U+10000 sorts before U+E000, in bytes after it. Case and
		// language mean nothing.
		for _, k := range []string{"\U00010000", "\ue000", "\uffee", "z", "Z", "a", "a b", "a!", "a+b", "a%20b",
			"é", "e", "e\u0301", "ß", "ss", "0", "10", "9", "~", "a/b", "a-b", "a.b", "ab"} {
			r.put(k, k)
		}
		for _, size := range []int{1, 2, 7, 0} {
			r.lists(bucket.Range{PageSize: size})
		}
		for _, k := range r.model.keys() {
			r.lists(bucket.Range{After: k, PageSize: 5})
			r.lists(bucket.Range{Through: k, PageSize: 5})
			r.lists(bucket.Range{Prefix: k})
		}
	}})
}

// key takes one key through its life.
func (r *recorder) key(key string) {
	one := r.create(key, "one")
	r.refused(key, "again")
	two := r.put(key, "two")
	r.listsAll()
	r.lists(bucket.Range{PageSize: 1})
	r.lists(bucket.Range{Prefix: key})
	for i := range key {
		if i > 0 { // the first character, whole
			r.lists(bucket.Range{Prefix: key[:i]})
			break
		}
	}
	r.lists(bucket.Range{After: key})
	r.lists(bucket.Range{Through: key})
	r.reads(key, "", "two")
	r.reads(key, one.ID, "one")
	r.copied(one, key, "one")
	r.copied(two, "copy", "two")
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		r.level(key[:i+1], []string{key, key, key})
	}
	m := r.del(key)
	r.listsAll()
	r.notFound(key, "")
	r.destroy(m)
	r.reads(key, "", "one")
	for len(r.model[key]) > 0 { // the versions first: a generation takes its deletion along
		i := max(0, slices.IndexFunc(r.model[key], func(e entry) bool { return !e.marker }))
		r.destroy(bucket.Version{Key: key, ID: r.model[key][i].id})
	}
	r.listsAll()
}
