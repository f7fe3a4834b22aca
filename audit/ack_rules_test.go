package audit

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestParseIgnoreIsStrict(t *testing.T) {
	const fp = "0123456789abcdef0123456789abcdef"
	good := "# known\n- fingerprint: " + fp + reasonAndDay +
		"- id: commit-lost-race\n  folder: sales/**\n  key: '*.csv'" + reasonAndDay +
		"- {id: log-key-foreign, folder: 2026, reason: x, expires: 2027-01-31} # a folder that looks like a number\n" +
		"- id: log-key-foreign\n  folder: \"\"" + reasonAndDay
	list := rules(t, good)
	if len(list.Rules) != 4 || list.Rules[0].Fingerprint != fp || list.Rules[1].Line != 5 || list.Rules[2].folder.text != "2026" ||
		list.Rules[3].folder == nil || list.Rules[3].folder.text != "" || list.Rules[1].Reason != "it is so" ||
		!list.Rules[0].Through.Equal(time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", list.Rules)
	}
	for _, empty := range []string{"", "# nothing yet\n", "---\n", "[]", "null"} {
		if list := rules(t, empty); len(list.Rules) != 0 {
			t.Errorf("%q: %+v", empty, list)
		}
	}
	for text, says := range map[string]string{
		"id: x":                "line 1: a list of rules",
		"- x":                  "line 1: a rule is expected",
		"\n-\n  - x":           "line 3: a rule is expected",
		"- fingerprint: " + fp: "a rule needs a reason",
		"- fingerprint: " + fp + "\n  reason: ' '\n  expires: 2027-01-31": "line 2: a rule needs a reason",
		"- fingerprint: " + fp + "\n  reason: x":                          "needs a day on which it expires",
		"- fingerprint: abc" + reasonAndDay:                               "line 1: fingerprint: 32 hex digits",
		"- fingerprint: " + strings.ToUpper(fp) + reasonAndDay:            "32 hex digits",
		"- fingerprint: " + fp + "\n  id: log-key-foreign" + reasonAndDay: "line 2: id does not go with fingerprint",
		"- fingerprint: " + fp + "\n  versions: many" + reasonAndDay:      "line 2: versions: a count",
		"- fingerprint: " + fp + "\n  commits: -1" + reasonAndDay:         "line 2: commits: a count",
		"- id: log-key-foreign\n  commits: 1" + reasonAndDay:              "line 2: commits goes with fingerprint only",
		"- fingerprint: " + fp + "\n  digest: 12" + reasonAndDay:          "line 2: digest: 32 hex digits",
		"- id: log-key-foreign\n  digest: " + fp + reasonAndDay:           "line 2: digest goes with fingerprint only",
		"- reason: x\n  expires: 2027-01-31":                              "needs a fingerprint, or an id",
		"- id: log-key-strange" + reasonAndDay:                            `line 1: no finding has the id "log-key-strange"`,
		"- folder: a\n  id: log-entry-remade" + reasonAndDay:              "line 2: log-entry-remade is damage",
		"- id: commit-corrupt" + reasonAndDay:                             "one by one",
		"- id: version-changed" + reasonAndDay:                            "one by one",
		"- id: witness-regressed" + reasonAndDay:                          "one by one",
		"- id: log-key-foreign\n  reasn: x\n  expires: 2027-01-31":        `line 2: a rule has no member "reasn"`,
		"- id: log-key-foreign\n  folder: [a, b]" + reasonAndDay:          "line 2: folder: one text",
		"- id: log-key-foreign\n  folder:" + reasonAndDay:                 `line 2: folder has no value`,
		"- id: log-key-foreign\n  folder: ~" + reasonAndDay:               "has no value",
		"- id: log-key-foreign\n  id: log-key-foreign" + reasonAndDay:     "line 2: id stands twice",
		"- id: log-key-foreign\n  reason: 5\n  expires: 2027-01-31":       "line 2: reason: a text",
		"- id: log-key-foreign\n  reason: x\n  expires: tomorrow":         "line 3: expires: a day",
		"- id: log-key-foreign\n  reason: x\n  expires: 2027-02-30":       "line 3: expires: a day",
		"- id: log-key-foreign\n  reason: x\n  expires: 9999-12-31":       "line 3: expires: a day",
		"- &a {id: log-key-foreign}\n- *a":                                "line 1: a rule needs a reason",
		"- id: log-key-foreign" + reasonAndDay + "- *a":                   "",
		"a: [":                              "line 1",
		"[]\n---\n[]":                       "second document",
		"- id: \"\\x1b[2J\"" + reasonAndDay: `\\x1b`,
	} {
		_, err := ParseIgnore([]byte(text))
		if err == nil || !strings.Contains(err.Error(), says) || strings.ContainsAny(err.Error(), "\x1b") {
			t.Errorf("%q: %v, want %q in it", text, err, says)
		}
	}
	if _, err := ParseIgnore(make([]byte, MaxIgnore+1)); err == nil || !strings.Contains(err.Error(), "larger than 4 MiB") {
		t.Errorf("a huge list: %v", err)
	}
}

func TestPatterns(t *testing.T) {
	for p, x := range map[string]struct{ yes, no string }{ // names apart by spaces
		"sales":       {"sales", "sale sales2 sales/2026"},
		"sales/**":    {"sales sales/2026 sales/2026/eu", "sales2 other/sales"},
		"sales/*":     {"sales/2026", "sales sales/2026/eu"},
		"**":          {"a a/b a/b/c", ""},
		"*":           {"a", "a/b"},
		"**/eu":       {"eu a/eu a/b/eu", "eux aeu eu/x"},
		"a/**/z":      {"a/b/z a/b/c/z", "a b/z"},
		"*.csv":       {"x.csv .csv", "a/x.csv x.csvx xcsv"},
		"**.csv":      {"x.csv a/x.csv", "x.csv/y"},
		"a?c":         {"abc aéc", "ac a/c abbc"},
		`a\*c`:        {"a*c", "abc"},
		`a\`:          {`a\`, "a"},
		"a.c[x](y)+$": {"a.c[x](y)+$", "abc"},
		"a*(":         {"a( ab(", "a"},
	} {
		q := newPattern(p)
		for _, s := range strings.Fields(x.yes) {
			if !q.match(s) {
				t.Errorf("%q does not match %q", p, s)
			}
		}
		for _, s := range strings.Fields(x.no) {
			if q.match(s) {
				t.Errorf("%q matches %q", p, s)
			}
		}
	}
	if !newPattern("").match("") || !newPattern("**").match("") || newPattern("*").match("a\n/b") || !newPattern("a*").match("a\n\xff") {
		t.Error("the empty folder, or keys that are no text")
	}
}

func FuzzParseIgnore(f *testing.F) {
	f.Add([]byte("# x\n- id: log-key-foreign\n  folder: a/**\n  key: '*'\n  reason: x\n  expires: 2027-01-31\n"), "why")
	f.Add([]byte("  - {fingerprint: 0123456789abcdef0123456789abcdef, reason: x, expires: 2027-01-31}"), "a\"b\\\n\u2028")
	f.Add([]byte("- &a [*a]\n- !!binary x\n- <<: *a\n- ? x\n"), "x")
	f.Fuzz(func(t *testing.T, data []byte, reason string) {
		list, err := ParseIgnore(data)
		if err != nil {
			if err.Error() == "" || strings.ContainsRune(err.Error(), 0x1b) {
				t.Fatalf("%q", err)
			}
			return
		}
		for _, r := range list.Rules {
			if (r.Fingerprint == "") == (r.ID == "") || r.Reason == "" || r.Through.IsZero() || r.Line < 1 {
				t.Fatalf("%+v", r)
			}
		}
		print := strings.Repeat("0e", 16)
		out, err := AddIgnore(data, Finding{ID: "x", Title: reason, Fingerprint: print}, reason, today)
		if err != nil {
			return
		}
		again, err := ParseIgnore(out)
		if err != nil || len(again.Rules) != len(list.Rules)+1 || !bytes.HasPrefix(out, data) {
			t.Fatalf("%v: %q", err, out)
		}
		if got := again.Rules[len(list.Rules)]; got.Fingerprint != print || got.Reason != strings.TrimSpace(strings.ToValidUTF8(reason, "\uFFFD")) {
			t.Fatalf("%+v of %q", got, out)
		}
	})
}
