package safe

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"sales/2026/eu.csv", "sales/2026/eu.csv"},
		{"a b", "a b"},
		{"Zürich/東京/🚀", "Zürich/東京/🚀"},
		{"\x1b[31mred", `\x1b[31mred`},
		{"a\nb\rc\td", `a\nb\rc\td`},
		{`a\nb`, `a\\nb`}, // not the same as a line feed
		{"\x00\x7f", `\x00\x7f`},
		{"\u0085\u009b31m", `\u0085\u009b31m`}, // C1: next line, CSI
		{"a\u202eb\u2066", `a\u202eb\u2066`},   // direction overrides
		{"a\u200bb\ufeff", `a\u200bb\ufeff`},   // zero width
		{"a\u00a0b\u3000c", `a\u00a0b\u3000c`}, // look like a space
		{"a\u2028b", `a\u2028b`},
		{"\U000e0041", `\U000e0041`}, // tag character
		{"\xff\xc3", `\xff\xc3`},
		{"e\u0301", "e\u0301"}, // combining accent stays
		{"\ue000", `\ue000`},   // private use
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// No two strings may be shown alike, and nothing shown may be a control.
func FuzzText(f *testing.F) {
	f.Add("a\x1b[2J", `a\x1b[2J`)
	f.Add("\xff", `\xff`)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Text(a), Text(b)
		if a != b && x == y {
			t.Errorf("%q and %q are both shown as %q", a, b, x)
		}
		if !utf8.ValidString(x) {
			t.Errorf("Text(%q) is not UTF-8", a)
		}
		for _, r := range x {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("Text(%q) holds %U", a, r)
			}
		}
		out, err := JSONLine(a)
		if err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("JSON of %q does not parse: %v", a, err)
		}
		if utf8.ValidString(a) && back != a {
			t.Errorf("JSON of %q reads back as %q", a, back)
		}
		for _, r := range strings.TrimSuffix(string(out), "\n") {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("JSON of %q holds %U", a, r)
			}
		}
	})
}

// A real shell is the judge of the quoting.
func TestShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash on this machine")
	}
	for _, s := range []string{
		"", "plain", "s3://team-data/sales", "a b", "it's", `"`, `\`, "$(id)", "`id`", "a;b", "*", "~", "~root", "=ls",
		"a\nb", "\x1b[31m", "tab\t1", "x\x011", "\xff\xfe9", "ünï", "é'\n'", "!", "#x", "-n", "{a,b}", "a&b", "%s",
		"\u202e", "\U000e0041b",
	} {
		out, err := exec.Command(bash, "-c", "printf '%s' "+Shell(s)).Output() //nolint:gosec // quoting is what is tested
		if err != nil || string(out) != s {
			t.Errorf("Shell(%q) = %s gives %q, %v", s, Shell(s), out, err)
		}
		for _, r := range Shell(s) {
			if unicode.IsControl(r) {
				t.Errorf("Shell(%q) holds %U", s, r)
			}
		}
	}
}

func TestJSONEscapesWhatATerminalObeys(t *testing.T) {
	out, err := JSON(map[string]string{"key": "\x1b[2J\u009b\u202e\U000e0041<ü>"})
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"key\": \"\\u001b[2J\\u009b\\u202e\\udb40\\udc41<ü>\"\n}\n"
	if string(out) != want {
		t.Errorf("got %s want %s", out, want)
	}
}
