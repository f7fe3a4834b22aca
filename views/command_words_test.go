package views

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
		open bool
	}{
		{"", nil, false},
		{"  log   sales/2026 ", []string{"log", "sales/2026"}, false},
		{`cd 'a b'/c`, []string{"cd", "a b/c"}, false},
		{`cd "a \"b\" \c"`, []string{"cd", `a "b" \c`}, false},
		{`cd a\ b\\`, []string{"cd", `a b\`}, false},
		{`cd 'it'\''s'`, []string{"cd", "it's"}, false},
		{`cd $'a\012b\'\\\n'`, []string{"cd", "a\nb'\\\n"}, false},
		{`cd ''`, []string{"cd", ""}, false},
		{`cd 'a b`, []string{"cd", "a b"}, true},
		{`cd "`, []string{"cd", ""}, true},
		{`cd \`, []string{"cd", `\`}, false},
	} {
		words, open := splitWords(c.line)
		var got []string
		for _, w := range words {
			got = append(got, w.text)
		}
		if !reflect.DeepEqual(got, c.want) || open != c.open {
			t.Errorf("%q: %q %v, want %q %v", c.line, got, open, c.want, c.open)
		}
	}
}

// What a link says as words leads to the same link.
func TestLinksAreReadAsTheyAreWritten(t *testing.T) {
	for _, l := range []Link{
		{URL: "s3://b", Screen: onLog}, {URL: "s3://b/x", Screen: onCommit, Ref: "42"}, {URL: "s3://b/x", Screen: onDiff, Ref: "1", To: "live"},
		{URL: "s3://b/x", Screen: onAudit}, {URL: "s3://b/x", Screen: onPin}, {URL: "s3://b/x", Screen: onPin, At: "2026-10-30"},
		{URL: "s3://b/x", Screen: onFolder, Ref: "3"}, {URL: "s3://b/k", Screen: onObject, Version: "v"}, {Screen: onRequests}, {URL: "s3://b/x"},
	} {
		got, err := linkOf(l.Words())
		if err != nil || got != l {
			t.Errorf("%+v: %v: %+v %v", l, l.Words(), got, err)
		}
	}
	for _, words := range [][]string{nil, {"--log"}, {"s3://b", "s3://c"}, {"s3://b", "--log", "--audit"}, {"s3://b", "--commit"}, {"s3://b", "--log=1"}, {"s3://b", "--version-id", "v"}} {
		if l, err := linkOf(words); err == nil {
			t.Errorf("%q: %+v", words, l)
		}
	}
}

// Words that are quoted for a shell are the same words here.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "a b", "it's", "a\nb", `back\slash`, "\x1b[31m", "\xff", "$'x'", "日本 語"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		words, open := splitWords(safe.Shell(a) + " " + safe.Shell(b))
		if open || len(words) != 2 || words[0].text != a || words[1].text != b {
			t.Errorf("%q %q: %+v %v", a, b, words, open)
		}
		before, at := wordAt(a, len(a))
		for _, w := range append(before, at) {
			if w.from < 0 || w.from > w.to || w.to > len(a) {
				t.Errorf("%q: %+v", a, w)
			}
		}
	})
}

// Whatever is typed is either a plan or an error that says something, and what is
// suggested for it stands within the line.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"log sales/2026", "diff 41..live x", "at -3d", "pin now /", "object 'a b' v", "open s3://b --log", ":q", "sort size desc", "cd ../..", "commit head~", "write \x00", "provcat-tui s3://b --commit 4", "diff ..", "cd ./../.", "42", "'"} {
		f.Add(s, "a/b/")
	}
	f.Fuzz(func(t *testing.T, line, prefix string) {
		e := newEnv(Start{Commands: []string{line}})
		defer e.close()
		if prefix != "" && !strings.HasSuffix(prefix, "/") {
			prefix += "/"
		}
		p := place{e, nil, bucket.Location{Scheme: "s3", Bucket: "b"}}
		s := newFolder(p, prefix)
		c := &commandLine{env: e, below: []screen{s}, here: whereAt([]screen{s}), prompt: ui.NewPrompt(":", line, e.Commands)}
		for i := range commands {
			c.able = append(c.able, &commands[i])
		}
		text, _ := c.prompt.Typed()
		c.suggest()
		th := ui.NewTheme(true, false)
		for _, key := range []string{"tab", "tab", "up", "down", "shift+tab", "enter"} {
			c.prompt.Update(keyMsg(strings.TrimPrefix(key, "shift+")))
			for _, l := range append(c.panel(80, 20, th), c.prompt.Line(80, th)) {
				if ui.Width(l) != 80 || !utf8.ValidString(l) {
					t.Errorf("%q: %q is %d wide", line, l, ui.Width(l))
				}
			}
		}
		got, err := c.parse(text)
		if (err == nil) != (got.then != nil) || err != nil && lineError(err) == "" {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	})
}
