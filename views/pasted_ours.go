package views

import (
	"regexp"
	"strings"

	"provcat-tui/bucket"
)

// What a pasted text names, if it is no object.
type namedThing int

const (
	anObject  namedThing = iota
	aFolder              // key is its name
	aCommit              // of the folder key: ref
	anyCommit            // ref is a whole ID, and nothing tells of which folder
	aPath                // key is a path below a folder that the text does not name
)

var (
	// ourCommand is a command of this program, as its messages name them.
	ourCommand = regexp.MustCompile(`\bprovcat-tui (?:([a-z]+) )?((?:s3|gs|file)://|['$"])`)
	// What the messages say: of a version, of a commit, of the newest entry of a log.
	goneKey     = regexp.MustCompile(`^(?:.*provcat-tui: )?(\S.*?) is gone: version (\S+)`)
	gonePath    = regexp.MustCompile(`(?:^|\s)gone\s+(\S.*?): version (\S+) does not exist any more`)
	commitNamed = regexp.MustCompile(`\bcommit (\d+|[0-9a-f]{6,64})(?:[ ]\([0-9a-f]{6,64}\))? of (?:folder "([^"]*)"|(the whole bucket)|(\S(?:.*?\S)??))(?:[:] | is )`)
	newestOf    = regexp.MustCompile(`\bnewest entry of the log of (?:(the whole bucket)|(\S.*?)), (\d+), is `)
	commitWord  = regexp.MustCompile(`\bcommit (\d+|[0-9a-f]{6,64})\b`)
	wholeID     = regexp.MustCompile(`(?:^|\bcommit |\bcommit: |\bid:)([0-9a-f]{64,64})(?:$|[\s.,;:)])`)
	// keyThenVersion is how many programs log a read.
	keyThenVersion = regexp.MustCompile(`(\S*[/.]\S*),? \(?(?i:version(?:[-_ ]?id)?) (\S+)`)
)

// A told is a command that a message of this program tells: it leads to a place.
type told struct {
	verb string
	loc  bucket.Location
	link Link
}

// takeCommands reads the commands of a text that are about a bucket whose name it can
// tell, and gives what else the text says: their URLs are no objects of its sentences.
func takeCommands(text, here string) (rest string, out []told) {
	var b strings.Builder
	for {
		at := ourCommand.FindStringSubmatchIndex(text)
		if at == nil {
			return b.String() + text, out
		}
		b.WriteString(text[:at[0]])
		verb := ""
		if at[2] >= 0 {
			verb = text[at[2]:at[3]]
		}
		line := text[at[4]:]
		words, _ := splitWords(line)
		var args []string
		end := 0
		for _, w := range words {
			arg, raw := w.text, line[w.from:w.to]
			last := raw != bare(raw)
			if last {
				arg = bare(arg)
			}
			// A sentence may go on after the command with no sign between.
			if len(args) > 0 && !strings.HasPrefix(arg, "-") && !isRef(arg) && !strings.HasPrefix(args[len(args)-1], "--") {
				break
			}
			args, end = append(args, arg), w.to
			if last {
				break
			}
		}
		text = line[max(end, 1):]
		if t, ok := toldBy(verb, args, here); ok {
			out = append(out, t)
		}
	}
}

// toldBy is where a command leads.
func toldBy(verb string, args []string, here string) (told, bool) {
	t := told{verb: verb}
	scheme, rest, found := strings.Cut(args[0], "://")
	path, inHere := strings.CutPrefix(args[0], here)
	switch {
	case here != "" && inHere && (path == "" || path[0] == '/'):
		t.loc.Path = strings.TrimPrefix(path, "/") // empty bucket: this one
	case found && (scheme == "s3" || scheme == "gs") && rest != "":
		t.loc.Scheme = scheme
		t.loc.Bucket, t.loc.Path, _ = strings.Cut(rest, "/")
	default:
		return t, false
	}
	if verb == "" {
		l, err := linkOf(args)
		t.link = l
		return t, err == nil
	}
	for i, a := range args[1:] {
		value := ""
		if i+2 < len(args) {
			value = args[i+2]
		}
		switch {
		case a == "--folder" && value != "":
			t.loc.Path = strings.Trim(t.loc.Path+"/"+value, "/")
		case a == "--at" && isRef(value), a == "--version-id":
			t.link.Screen, t.link.Ref = onCommit, value
		case verb == "show" && isRef(a) && t.link.Ref == "":
			t.link.Screen, t.link.Ref = onCommit, a
		}
	}
	if verb == "cat" || verb == "ls" && strings.Contains(strings.Join(args, " "), "--all-versions") {
		t.link = Link{Screen: onObject}
	}
	return t, true
}

// fromOurs reads what a message of this program says; false: it is none, or says
// nothing of an object, a commit or a folder. rest is the text without the commands.
func (m *pasted) fromOurs(rest string, cmds []told) bool {
	var in *told // the first command that is about a folder
	for i := range cmds {
		if in == nil && cmds[i].link.Screen != onObject {
			in = &cmds[i]
		}
	}
	place := func(folder string) {
		m.key = folder
		if in != nil {
			m.scheme, m.bucket = in.loc.Scheme, in.loc.Bucket
		}
	}
	if g := goneKey.FindStringSubmatch(rest); g != nil {
		place(g[1])
		m.version = bare(g[2])
		return true
	}
	if g := gonePath.FindStringSubmatch(rest); g != nil {
		place(g[1])
		m.version, m.what = g[2], aPath
		if in != nil {
			m.what, m.key = anObject, strings.TrimPrefix(in.loc.Path+"/", "/")+g[1]
		}
		return true
	}
	if c := commitNamed.FindStringSubmatch(rest); c != nil {
		place(c[2] + c[4])
		m.what, m.ref = aCommit, refOf(c[1])
	} else if c := newestOf.FindStringSubmatch(rest); c != nil {
		place(c[2])
		m.what, m.ref = aCommit, c[3]
	} else if c := commitWord.FindStringSubmatch(rest); c != nil && in != nil {
		m.what, m.ref = aCommit, refOf(c[1])
	}
	if m.what == aCommit && in != nil {
		place(in.loc.Path) // as it is, where a sentence may escape it
	}
	return m.what == aCommit
}

// refOf is a commit's number or ID as a REF.
func refOf(s string) string {
	if len(s) >= 6 && !isNumber(s) || len(s) == 64 {
		return "id:" + s
	}
	return s
}

// fromCommand goes where the first command leads.
func (m *pasted) fromCommand(cmds []told) bool {
	if len(cmds) == 0 {
		return false
	}
	c := cmds[0]
	m.scheme, m.bucket, m.key = c.loc.Scheme, c.loc.Bucket, c.loc.Path
	switch c.link.Screen {
	case onCommit:
		m.what, m.ref = aCommit, c.link.Ref
	case onObject:
		m.version = c.link.Version
	default:
		if m.what = aFolder; c.link.Ref != "" {
			m.what, m.ref = aCommit, c.link.Ref
		}
	}
	return true
}
