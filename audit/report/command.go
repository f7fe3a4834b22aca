package report

import (
	"regexp"
	"strings"

	"provcat-tui/audit"
)

// A step is a part of a repair's text: prose, or a command to be copied whole.
type step struct {
	text    string // not escaped
	command bool
}

// embedded is a repair command within a text: where something has to be put in first
// it stands there, not in Repair.Command. Only the plain form that the audit itself
// writes is taken for one (flags with a word each, which is bare or in single
// quotes), so that no name from a bucket makes a command of anything else.
var embedded = regexp.MustCompile(`provcat-tui repair [a-z-]+ ` + shellWord + `(?: --[a-z-]+[ =]` + shellWord + `)+`)

const shellWord = `(?:'[^'\n]*'|[A-Za-z0-9_@%+=:,./~-]+)`

// steps gives what a repair says to do, in order.
func steps(r *audit.Repair) []step {
	var out []step
	prose := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, step{s, false})
		}
	}
	rest := r.Text
	for rest != "" {
		at := embedded.FindStringIndex(rest)
		if at == nil {
			break
		}
		prose(rest[:at[0]])
		line := rest[at[0]:at[1]]
		rest = rest[at[1]:]
		if strings.HasSuffix(line, ".") && (rest == "" || rest[0] == ' ') {
			line = line[:len(line)-1] // the sentence's
		} else {
			rest = strings.TrimPrefix(rest, ".")
		}
		out = append(out, step{line, true})
	}
	prose(rest)
	if r.Command != "" {
		out = append(out, step{r.Command, true})
	}
	return out
}
