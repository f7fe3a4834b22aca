package ui

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		a    Align
		want string
	}{
		{"abc", 5, Left, "abc  "},
		{"abc", 5, Right, "  abc"},
		{"abcdef", 4, Left, "abc…"},
		{"abcdef", 4, Tail, "…def"},
		{"abcdef", 1, Left, "…"},
		{"abc", 0, Left, ""},
		{"a\nb", 6, Left, `a\nb  `},
		{"\x1b[2J", 8, Left, `\x1b[2J `},
		{"日本語", 6, Left, "日本語"},
		{"日本語", 5, Left, "日本…"},
		{"日本語", 4, Left, "日… "},
		{"日本語", 4, Tail, "…語 "},
		{"e\u0301e\u0301", 3, Left, "e\u0301e\u0301 "},
		{`a\b`, 5, Left, `a\\b `},
		{"\u202eabc", 10, Left, `\u202eabc `},
		{"❤\ufe0f", 12, Left, `❤\u{fe0f}   `},
	} {
		if got := Fit(c.in, c.w, c.a); got != c.want {
			t.Errorf("Fit(%q, %d, %d) = %q, want %q", c.in, c.w, c.a, got, c.want)
		}
	}
}

func TestFitLooksOnlyAtWhatIsShown(t *testing.T) {
	huge := strings.Repeat("x\x1b", 5_000_000)
	n := testing.AllocsPerRun(3, func() { Fit(huge, 40, Left) })
	if n > 2000 { // looking at all of it would take millions
		t.Errorf("%v allocations for one cell of a huge string", n)
	}
	if got := Fit(huge, 7, Left); got != `x\x1bx…` {
		t.Errorf("got %q", got)
	}
}

func TestWrap(t *testing.T) {
	got := Wrap("one two three\nfour\x1b", 8)
	want := []string{"one two", "three", `four\x1b`}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, l := range Wrap(strings.Repeat("日本", 40), 7) {
		if Width(l) > 7 {
			t.Errorf("line %q is %d wide", l, Width(l))
		}
	}
	if n := len(Wrap("", 5)); n != 1 {
		t.Errorf("nothing wraps to %d lines, want 1", n)
	}
}

// FuzzWidth: the quick count is the slow one, styles or not.
func FuzzWidth(f *testing.F) {
	for _, s := range []string{"abc", "\x1b[1;31mred\x1b[m", "› a … │", "│\u0301", "…\ufe0f", "日本", "\x1b[2J", "\x1b[", "├─●", "›\u20ddx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = Clean(s)
		for _, line := range []string{s, "\x1b[1m" + s + "\x1b[m│…" + s + "›"} {
			if got, want := Width(line), ansi.StringWidth(line); got != want {
				t.Errorf("Width(%q) = %d, want %d", line, got, want)
			}
		}
	})
}

// FuzzFit: whatever comes in, a cell is exactly as wide as it was told, by both
// ways in which terminals count, and holds no control character.
func FuzzFit(f *testing.F) {
	for _, s := range []string{"abc", "日本", "e\u0301", "\x1b[31m", "👨‍👩‍👧", "🇩🇪x", "\xff\xfe", "a\u202eb", "❤️", strings.Repeat("\u0301", 50), "가", "👍🏽", "\u0e33", "क्षि"} {
		f.Add(s, 7)
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = 1 + (w&0x7fffffff)%60
		for _, a := range []Align{Left, Right, Tail} {
			got := Fit(s, w, a)
			var b strings.Builder
			if writeFit(&b, s, w, a); b.String() != got {
				t.Errorf("writeFit(%q, %d, %d) = %q, Fit gives %q", s, w, a, b.String(), got)
			}
			if n := ansi.StringWidth(got); n != w {
				t.Errorf("Fit(%q, %d, %d) = %q is %d wide", s, w, a, got, n)
			}
			if n := ansi.StringWidthWc(got); n != w {
				t.Errorf("Fit(%q, %d, %d) = %q is %d wide by wcwidth", s, w, a, got, n)
			}
			for _, r := range got {
				if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 {
					t.Errorf("control character %q in %q", r, got)
				}
			}
			if !utf8.ValidString(got) {
				t.Errorf("not UTF-8: %q", got)
			}
		}
		for _, l := range Wrap(s, w) {
			if ansi.StringWidth(l) > w {
				t.Errorf("Wrap(%q, %d): line %q is too wide", s, w, l)
			}
		}
	})
}

func TestWrapKeepsDatesAndKeysWhole(t *testing.T) {
	got := Wrap("seen at 2026-11-20T17:45:00Z in eu-central-1", 22)
	want := []string{"seen at", "2026-11-20T17:45:00Z", "in eu-central-1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
