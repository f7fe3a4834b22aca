package views

import (
	"slices"
	"strings"

	"provcat-tui/ui"
)

// linkFlags are the words of a link that take one after them, and those that don't.
var linkFlags = map[string]bool{
	"--log": false, "--audit": false, "--requests": false, "--object": false,
	"--commit": true, "--diff": true, "--pin": true, "--at": true, "--version-id": true,
}

// sessionFlags belong to the way to a bucket, which is that of this run.
var sessionFlags = []string{"--endpoint", "--profile", "--region", "--config", "--path-style", "--request-payer"}

// linkOf reads the words of a link, as Link.Words gives them. It does not check it.
func linkOf(words []string) (Link, error) {
	var l Link
	for i := 0; i < len(words); i++ {
		w := words[i]
		flag, value, given := strings.Cut(w, "=")
		takes, known := linkFlags[flag]
		switch {
		case !strings.HasPrefix(w, "--"):
			if l.URL != "" {
				return Link{}, mistaken("%q is too much: one URL, then --log, --commit REF and the like.", w)
			}
			l.URL = w
			continue
		case slices.Contains(sessionFlags, flag):
			return Link{}, mistaken("%s is for the start of the program; here it stays as it was.", flag)
		case !known:
			m := &mistake{text: "There is no " + flag + " here."}
			var names []string
			for f := range linkFlags {
				names = append(names, f)
			}
			slices.Sort(names)
			if near := ui.Near(flag, names); near != "" {
				m.text += " Did you mean " + near + "?"
			}
			return Link{}, m
		case takes && !given:
			i++
			if i == len(words) {
				return Link{}, mistaken("%s needs a word after it.", flag)
			}
			value = words[i]
		case !takes && given:
			return Link{}, mistaken("%s takes no value.", flag)
		}
		name := flag[2:]
		if name == "version-id" {
			l.Version = value
			continue
		}
		if l.Screen != "" {
			return Link{}, mistaken("Two screens; give one of them.")
		}
		l.Screen = name
		switch name {
		case "at":
			l.Screen, l.Ref = onFolder, value
		case "commit":
			l.Ref = value
		case "diff":
			l.Ref, l.To, _ = strings.Cut(value, "..")
		case "pin":
			if l.At = value; value == "now" {
				l.At = ""
			}
		}
	}
	if l.URL == "" && l.Screen != onRequests {
		return Link{}, mistaken("A URL is missing, such as s3://bucket/folder.")
	}
	if l.Version != "" && l.Screen != onObject {
		return Link{}, mistaken("--version-id goes with --object.")
	}
	return l, nil
}
