package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/pflag"

	"provcat-tui/views"
)

// linkOf reads words as the explorer's command line does.
func linkOf(words []string) (views.Link, error) {
	var d deepLink
	f := pflag.NewFlagSet("test", pflag.ContinueOnError)
	d.add(f)
	if err := f.Parse(words); err != nil {
		return views.Link{}, err
	}
	l := views.Link{}
	if f.NArg() > 0 {
		l.URL = f.Arg(0)
	}
	return l, d.fill(&l, f.Changed)
}

func FuzzLinkRoundTrip(f *testing.F) {
	for _, key := range []string{"sales", "a b", "it's", `"`, "a\nb", "-x", "--log", "", "\xff\x1b[31m", "a%20b", "=", "a=b"} {
		for kind := range 7 {
			f.Add(kind, key, "42", key)
		}
	}
	f.Fuzz(func(t *testing.T, kind int, key, ref, other string) {
		l := views.Link{URL: "s3://b/" + key}
		switch kind % 7 {
		case 0:
			l.Screen = "log"
		case 1:
			l.Screen, l.Ref = "commit", ref
		case 2:
			if strings.Contains(ref, "..") || strings.HasSuffix(ref, ".") {
				t.Skip("no REF holds two dots")
			}
			l.Screen, l.Ref, l.To = "diff", ref, other
		case 3:
			l.Screen = "audit"
		case 4:
			if l.Screen, l.At = "pin", ref; ref == "now" {
				t.Skip("a link to the pin of now names no time")
			}
		case 5:
			l.Screen, l.Version = "object", other
		case 6:
			if ref == "" {
				t.Skip("an empty --at is refused")
			}
			l.Screen, l.Ref = "folder", ref
		}
		got, err := linkOf(l.Words())
		if err != nil || got != l {
			t.Errorf("%q leads to %+v (%v), not %+v", l.Words(), got, err, l)
		}
	})
}

// Whatever stands on the command line is a link that leads back to itself, or an error of
// usage that can be shown.
func FuzzDeepLink(f *testing.F) {
	for _, line := range []string{"s3://b --log", "s3://b/x --diff 41..live", "s3://b/k --object --version-id=-v", "s3://b --pin now", "s3://b --pin 2026-13-40", "--requests", "s3://b --at= --commit", "gs://\x1b[2J --commit \u202e", "/a/b --diff ....", "s3://b/.provcat/log --audit"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		l, err := linkOf(words)
		if err == nil {
			err = l.Check()
		}
		if err != nil {
			var out bytes.Buffer
			(&app{err: &out}).complain(err.Error())
			tame(t, fmt.Sprintf("%q", line), out.String())
			return
		}
		if l.Screen == "pin" && (l.At == "" || l.At == "now") {
			return // of now
		}
		again, err := linkOf(l.Words())
		if err == nil {
			err = again.Check()
		}
		if err != nil || again != l {
			t.Errorf("%q: %+v, whose words %q are %+v, %v", line, l, l.Words(), again, err)
		}
		if command := l.Command(); strings.ContainsFunc(command, unicode.IsControl) {
			t.Errorf("%q: the command is %q", line, command)
		}
	})
}

func TestWrongDeepLinks(t *testing.T) {
	for line, want := range map[string]string{
		"s3://b --log --audit":     "--log and --audit are two screens",
		"s3://b --at 3 --commit 4": "--commit and --at are two screens",
		"s3://b --version-id x":    "--version-id goes with --object",
		"s3://b --object":          "--object needs the URL of a key",
		"s3://b --diff 4":          "--diff needs two REFs",
		"s3://b --commit live":     "--commit needs a commit",
		"s3://b --pin yesterday":   "--pin yesterday is no time",
		"--log":                    "--log needs a URL",
		"--at 3":                   "--at needs the URL",
		"s3://b/.provcat/x --log":  "--log",
	} {
		l, err := linkOf(strings.Fields(line))
		if err == nil {
			err = l.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	for _, line := range []string{"s3://b/x --pin 2026-10-30T12:00Z", "s3://b/x --pin 2026-10-30", "s3://b/x --diff 41..live", "s3://b/x/y.txt --object --version-id -v", "--requests", ""} {
		l, err := linkOf(strings.Fields(line))
		if err == nil {
			err = l.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
