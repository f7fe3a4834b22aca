package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"provcat-tui/views"
)

// deepLink are the flags that say which screen the explorer opens.
type deepLink struct {
	log, audit, object, requests     bool
	commit, diff, pin, at, versionID string
}

func (d *deepLink) add(f *pflag.FlagSet) {
	f.BoolVar(&d.log, "log", false, "open the folder's log")
	f.StringVar(&d.commit, "commit", "", "open a commit of the folder, by its `REF`")
	f.StringVar(&d.diff, "diff", "", "compare two commits, or one with what is live: `A..B`, A..live")
	f.BoolVar(&d.audit, "audit", false, "audit the folder; reads only")
	f.StringVar(&d.pin, "pin", "", "open on which commit a reader of the folder gets at `TIME`, or now")
	f.StringVar(&d.at, "at", "", "open the folder's files as the commit `REF` names them")
	f.BoolVar(&d.object, "object", false, "open the URL as a key: all its versions")
	f.StringVar(&d.versionID, "version-id", "", "with --object: the version to show, by its `ID`")
	f.BoolVar(&d.requests, "requests", false, "open what is asked of the bucket")
}

// fill puts what the flags say into a link. given tells which there were.
func (d *deepLink) fill(l *views.Link, given func(string) bool) error {
	for _, name := range []string{"log", "commit", "diff", "audit", "pin", "at", "object", "requests"} {
		on := map[string]bool{"log": d.log, "audit": d.audit, "object": d.object, "requests": d.requests}
		if is, flag := on[name]; !given(name) || flag && !is {
			continue
		}
		if l.Screen != "" {
			was := l.Screen
			if was == "folder" {
				was = "at"
			}
			return usagef("--%s and --%s are two screens; give one of them", was, name)
		}
		l.Screen = name
		switch name {
		case "at":
			l.Screen, l.Ref = "folder", d.at
			if d.at == "" {
				return usagef("--at needs a commit: a number, six hex digits of an ID, head or head~2")
			}
		case "commit":
			l.Ref = d.commit
		case "diff":
			l.Ref, l.To, _ = strings.Cut(d.diff, "..")
		case "pin":
			if l.At = d.pin; l.At == "now" {
				l.At = "" // which is now, in a link
			}
		}
	}
	if given("version-id") {
		if l.Screen != "object" {
			return usagef("--version-id goes with --object")
		}
		l.Version = d.versionID
	}
	return nil
}

// session are the given flags that lead to the same buckets again.
func (a *app) session() []string {
	var out []string
	for _, f := range [][2]string{{"endpoint", a.flags.endpoint}, {"profile", a.flags.profile}, {"region", a.flags.region}, {"config", a.flags.config}} {
		if a.flags.set(f[0]) {
			out = append(out, "--"+f[0], f[1])
		}
	}
	if a.flags.set("max-commit-size") {
		out = append(out, "--max-commit-size", (*byteSize)(&a.flags.maxCommit).String())
	}
	if a.flags.set("path-style") && a.flags.pathStyle {
		out = append(out, "--path-style")
	}
	if a.flags.set("billing-project") {
		out = append(out, "--billing-project", a.flags.billing)
	}
	if a.flags.set("request-payer") && a.flags.requestPayer {
		out = append(out, "--request-payer")
	}
	return out
}
