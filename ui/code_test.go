package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Coloured text has a contrast of at least 4.5:1 wherever it lies, in true colour and
// in 256 colours.
func TestCodeHasContrast(t *testing.T) {
	for dark, bgs := range backgrounds {
		th := NewTheme(dark, false)
		for _, p := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			for l := range lookKinds {
				for g := range grounds {
					for _, differs := range []bool{false, true} {
						text, ground := th.LookColor(l, g, differs)
						if text == nil {
							continue // the terminal's own
						}
						if ground != nil {
							if got := contrast(p.Convert(text), p.Convert(ground)); got < 4.5 {
								t.Errorf("dark=%v look %d on ground %d (differs: %v) in %v: contrast %.2f", dark, l, g, differs, p, got)
							}
							continue
						}
						for _, bg := range bgs {
							if got := contrast(p.Convert(text), lipgloss.Color(bg)); got < 4.5 {
								t.Errorf("dark=%v look %d on %s in %v: contrast %.2f", dark, l, bg, p, got)
							}
						}
					}
				}
			}
		}
	}
}

func TestCodeLine(t *testing.T) {
	th := NewTheme(true, true)
	for name, c := range map[string]struct {
		code    Code
		left, w int
		want    string
	}{
		"padded":               {Code{Text: "ab"}, 0, 4, "ab  "},
		"cut":                  {Code{Text: "abcdef"}, 0, 4, "abc…"},
		"scrolled":             {Code{Text: "abcdef"}, 2, 4, "cdef"},
		"scrolled and cut":     {Code{Text: "abcdefg"}, 2, 4, "cde…"},
		"scrolled past":        {Code{Text: "ab"}, 5, 3, "   "},
		"a tab":                {Code{Text: "\tx"}, 0, 5, "    x"},
		"an escape":            {Code{Text: "\x1b[31mx"}, 0, 20, `\x1b[31mx           `},
		"what differs":         {Code{Text: "abc", Differs: [][2]int{{1, 2}}}, 0, 3, "a\x1b[4mb\x1b[mc"},
		"what was found":       {Code{Text: "abc", Found: []int{1, 2}}, 0, 3, "a\x1b[7mbc\x1b[m"},
		"looks without colour": {Code{Text: "abc", Looks: []Stretch{{1, Keyword}, {3, String}}, Ground: AddedGround}, 0, 4, "abc "},
		"a wide one is whole":  {Code{Text: "日本語"}, 0, 4, "日… "},
	} {
		if got := th.CodeLine(c.code, c.left, c.w); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := NewTheme(true, false).In(colorprofile.ANSI).CodeLine(Code{Text: "ab", Looks: []Stretch{{1, Keyword}}, Differs: [][2]int{{1, 2}}, Ground: AddedGround}, 0, 3); got != "a\x1b[4mb\x1b[m " {
		t.Errorf("with 16 colours: %q", got)
	}
	colour := NewTheme(true, false).CodeLine(Code{Text: "ab", Looks: []Stretch{{1, Keyword}}, Ground: AddedGround}, 0, 3)
	if Plainly(colour) != "ab " || strings.Count(colour, "48;2;0;48;0") != 3 {
		t.Errorf("on its ground: %q", colour)
	}
}

func FuzzCodeLine(f *testing.F) {
	f.Add("a\tb\x1b]0;x\a日本 e\u0301\u202e", 1, 3, 2, 5, 1, 9)
	f.Add(strings.Repeat("x", 5000), 10, 20, 15, 16, 70, 80)
	f.Fuzz(func(t *testing.T, s string, a, b, c, d, left, w int) {
		if w > 300 || left > 5000 {
			return
		}
		code := Code{Text: s, Looks: []Stretch{{int32(a), Name}, {int32(b), String}}, Differs: [][2]int{{c, d}}, Found: []int{a, b}, Ground: RemovedGround}
		line := NewTheme(false, false).CodeLine(code, left, w)
		if got := Width(line); got != max(w, 0) {
			t.Fatalf("%d columns, want %d: %q", got, w, line)
		}
		for _, r := range Plainly(line) {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%U on the screen: %q", r, line)
			}
		}
	})
}

// samples have in each language something that must be told from the rest.
var samples = map[string]struct {
	text string
	part string
	look Look
}{
	"x.json":     {"{\"a\": [1, \"b\", true]}\n", "\"b\"", String},
	"x.yaml":     {"# c\na: 1\n", "# c", Comment},
	"x.sql":      {"-- c\nSELECT a FROM t WHERE b = 'x';\n", "SELECT", Keyword},
	"x.py":       {"def f(x):\n    return 'a'  # c\n", "def", Keyword},
	"x.go":       {"package x\n\n// c\nfunc f() string { return \"a\" }\n", "func", Keyword},
	"x.sh":       {"#!/bin/sh\nif true; then echo \"$x\"; fi\n", "if", Keyword},
	"x.toml":     {"# c\n[a]\nb = \"x\"\n", "\"x\"", String},
	"x.xml":      {"<?xml version=\"1.0\"?>\n<!-- c --><a b=\"c\">x</a>\n", "<!-- c -->", Comment},
	"x.html":     {"<p class=\"a\">x</p><style>a { b: c }</style><script>var x = 1;</script>\n", "\"a\"", String},
	"x.md":       {"# Title\n\n- a `b` [c](https://x.example)\n", "# Title", Keyword},
	"x.ini":      {"; c\n[a]\nb = x\n", "; c", Comment},
	"x.R":        {"f <- function(x) { \"a\" } # c\n", "# c", Comment},
	"x.scala":    {"object A { def f = \"a\" } // c\n", "def", Keyword},
	"X.java":     {"class X { /* c */ int f() { return 1; } }\n", "/* c */", Comment},
	"x.js":       {"const f = () => 'a'; // c\n", "// c", Comment},
	"x.ts":       {"const f: string = 'a'; // c\n", "// c", Comment},
	"x.tf":       {"# c\nresource \"a\" \"b\" {\n  c = 1\n}\n", "# c", Comment},
	"x.css":      {"/* c */ a { color: red; }\n", "/* c */", Comment},
	"x.rs":       {"fn f() -> u8 { 1 } // c\n", "fn", Keyword},
	"x.c":        {"/* c */ int f(void) { return 1; }\n", "/* c */", Comment},
	"x.proto":    {"message A { string b = 1; } // c\n", "// c", Comment},
	"x.diff":     {"--- a\n+++ b\n+x\n", "+x\n", String},
	"Dockerfile": {"# c\nFROM x\nRUN echo y\n", "# c", Comment},
	"Makefile":   {"# c\nall: b\n\techo x\n", "# c", Comment},
}

func TestColoursOfEachLanguage(t *testing.T) {
	tried := map[string]bool{}
	for name, s := range samples {
		language := Language(name, s.text)
		tried[language] = true
		got := Colours(t.Context(), language, s.text)
		lines := strings.Split(s.text, "\n")
		if len(got) != len(lines) {
			t.Errorf("%s: looks of %d lines, not of %d", name, len(got), len(lines))
			continue
		}
		found := false
		for i, l := range lines {
			from := 0
			for _, x := range got[i] {
				if int(x.To) <= from || int(x.To) > len(l) {
					t.Errorf("%s: line %q has the stretches %v", name, l, got[i])
					break
				}
				found = found || x.Look == s.look && strings.TrimSpace(l[from:x.To]) == strings.TrimSpace(s.part)
				from = int(x.To)
			}
			if from != len(l) {
				t.Errorf("%s: the end of line %q is bare: %v", name, l, got[i])
			}
		}
		if !found {
			t.Errorf("%s: %q is not told to be %d: %v", name, s.part, s.look, got)
		}
	}
	for l := range lexers() {
		if !tried[l] {
			t.Errorf("no sample of %s", l)
		}
	}
	if len(lexers()) != len(tried) || tried[""] {
		t.Errorf("%d lexers, tried %v", len(lexers()), tried)
	}
}

func TestLanguageByTheFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"#!/usr/bin/env python3\nx": "python", "#!/bin/bash\n": "bash", "#!/bin/sh -e\n": "bash", "#!/usr/bin/env node": "javascript",
		"#!/usr/bin/perl\n": "", "x = 1\n": "", "": "", "#!": "",
	} {
		if got := Language("run", text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Language("a.b/readme", ""); got != "" {
		t.Errorf("the folder's name counts: %q", got)
	}
}

func TestColoursEndWithTheirTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Colours(ctx, "json", "[1, 2]"); len(got) > 1 || len(got[0]) > 0 {
		t.Errorf("after the end: %v", got)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	Colours(ctx, "python", strings.Repeat("def f(x): return \"abc\" + 'd'\n", 200_000))
	if took := time.Since(start); took > 5*time.Second { // one match may take 250 ms by itself
		t.Errorf("it took %v", took)
	}
}

func FuzzColours(f *testing.F) {
	for name, s := range samples {
		f.Add(Language(name, s.text), s.text)
	}
	f.Add("json", "\xff\r\n\"")
	f.Fuzz(func(t *testing.T, language, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		lines := strings.Split(text, "\n")
		got := Colours(ctx, language, text)
		if len(got) > len(lines) {
			t.Fatalf("looks of %d lines, there are %d", len(got), len(lines))
		}
		for i, stretches := range got {
			from := int32(0)
			for _, x := range stretches {
				if x.To <= from || int(x.To) > len(lines[i]) {
					t.Fatalf("line %q: %v", lines[i], stretches)
				}
				from = x.To
			}
		}
	})
}
