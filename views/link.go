package views

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// A Link leads to a screen: what the command line can say of a place. The zero Link
// leads nowhere; one with a Screen of its own and no URL to the list of buckets.
type Link struct {
	URL     string // of a bucket, folder or key, as bucket.Parse takes it
	Screen  string // the kind of screen; empty: folder
	Ref     string // of commit and diff: a REF; of folder: the commit at which it is shown
	To      string // of diff: the other REF, or live
	At      string // of pin: the time, RFC 3339; empty: now
	Version string // of object: the version's ID; empty: the newest
}

// A linker is a screen to which a command leads. The zero Link: none does.
type linker interface{ link() Link }

// Words are the arguments that lead there, without quotes.
func (l Link) Words() []string {
	var out []string
	if l.URL != "" {
		out = append(out, l.URL)
	}
	switch l.Screen {
	case onLog, onAudit, onRequests:
		out = append(out, "--"+l.Screen)
	case onCommit:
		out = append(out, "--commit", l.Ref)
	case onDiff:
		out = append(out, "--diff", l.Ref+".."+l.To)
	case onPin:
		out = append(out, "--pin", cmp.Or(l.At, "now"))
	case onObject:
		out = append(out, "--object")
		if l.Version != "" {
			out = append(out, "--version-id", l.Version)
		}
	default:
		if l.Ref != "" {
			out = append(out, "--at", l.Ref)
		}
	}
	return out
}

// Command is the shell line that leads there, with further words of the session.
// Empty where no line can say it: no program can be given a NUL character.
func (l Link) Command(session ...string) string {
	if l == (Link{}) {
		return ""
	}
	line := "provcat-tui"
	for _, w := range append(l.Words(), session...) {
		if strings.ContainsRune(w, 0) {
			return ""
		}
		line += " " + safe.Shell(w)
	}
	return line
}

// Check tells what is wrong with a link that can be known without reading.
func (l Link) Check() error {
	wrong := func(text string, args ...any) error {
		return fmt.Errorf("%w: "+text, append([]any{bucket.ErrUsage}, args...)...)
	}
	switch l.Screen {
	case "", onFolder, onRequests, onBuckets:
		if l.Ref != "" && l.URL == "" {
			return wrong("--at needs the URL of a folder")
		}
		return nil
	}
	if l.URL == "" {
		return wrong("--%s needs a URL, such as s3://bucket/folder", l.Screen)
	}
	loc, err := bucket.Parse(l.URL)
	if err != nil {
		return err
	}
	if l.Screen == onObject {
		if loc.Path == "" {
			return wrong("--object needs the URL of a key: %s names a whole bucket", safe.Text(l.URL))
		}
		return nil
	}
	if _, err := commit.FolderOf(loc.Path); err != nil {
		return fmt.Errorf("%w: --%s: %w", bucket.ErrUsage, l.Screen, err)
	}
	switch l.Screen {
	case onCommit:
		if l.Ref == "" || l.Ref == "live" {
			return wrong("--commit needs a commit: a number, six hex digits of an ID, head or head~2")
		}
	case onDiff:
		if l.Ref == "" || l.To == "" {
			return wrong("--diff needs two REFs with two dots between, such as 41..42 or 41..live")
		}
	case onPin:
		if _, err := parsePinTime(l.At, time.Now()); err != nil {
			return wrong("--pin %w", err)
		}
	}
	return nil
}

// refWord is how a commit is called on the command line.
func refWord(r commit.Ref) string {
	switch {
	case r.Live:
		return "live"
	case r.Number > 0:
		return fmt.Sprint(r.Number)
	case r.ID == "":
		return ""
	}
	return "id:" + r.ID
}

// folderURL is the URL of a folder or key prefix. Its last slash is left out, where
// the prefix can be told without it.
func (p place) folderURL(prefix string) string {
	if f := strings.TrimSuffix(prefix, "/"); f != "" && !strings.HasSuffix(f, "/") {
		prefix = f
	}
	return p.url(prefix)
}

// link names the time; that of now has none, so that it stays now.
func (s *pinScreen) link() Link {
	l := Link{URL: s.folderURL(s.folder), Screen: onPin}
	if !s.at.IsZero() {
		l.At = s.at.Format(time.RFC3339Nano)
	}
	return l
}

func (s *buckets) link() Link        { return Link{Screen: onBuckets} }
func (s *requestsScreen) link() Link { return Link{Screen: onRequests} }
func (s *auditScreen) link() Link    { return Link{URL: s.folderURL(s.folder), Screen: onAudit} }

// link names the selected version. One that it was opened for and that is not listed
// stays named until another is chosen: it is what the person asks about.
func (s *objectScreen) link() Link {
	l := Link{URL: s.url(s.keyName), Screen: onObject, Version: s.named}
	listed := slices.ContainsFunc(s.list.items, func(r objRow) bool { return r.ID == s.named })
	if v := s.list.selected(); v != nil && (s.list.table.Cursor > 0 || listed) {
		l.Version = v.ID
	}
	return l
}

func (o *opening) link() Link {
	if l := o.to; l.Screen != "" || l.Ref != "" {
		return l
	}
	return Link{URL: o.loc.String(), Screen: onFolder}
}

func (s *folder) link() Link {
	l := Link{URL: s.folderURL(s.prefix()), Screen: onFolder}
	if s.at != nil {
		l.Ref = s.at.ref
	}
	return l
}

func (s *logScreen) link() Link {
	if !s.named {
		return Link{}
	}
	return Link{URL: s.folderURL(s.folder), Screen: onLog}
}

func (s *commitScreen) link() Link {
	return Link{URL: s.folderURL(s.inFolder()), Screen: onCommit, Ref: refWord(commit.Ref{Number: s.number, ID: s.id})}
}

func (s *diffScreen) link() Link {
	from, to := refWord(s.from), refWord(s.to)
	if from == "" || to == "" { // against nothing: what the first commit added
		return Link{URL: s.folderURL(s.folder), Screen: onCommit, Ref: from + to}
	}
	return Link{URL: s.folderURL(s.folder), Screen: onDiff, Ref: from, To: to}
}

// command is the shell line to the shown screen, or to the nearest below that has one.
func (a *app) command() (string, error) {
	for i := len(a.stack) - 1; i >= 0; i-- {
		l, ok := a.stack[i].(linker)
		if !ok {
			continue
		}
		link := l.link()
		if link == (Link{}) {
			return "", errors.New("nothing reveals the folder of this log, so that no command leads here")
		}
		if line := link.Command(a.env.Session...); line != "" {
			return line, nil
		}
		return "", errors.New("the name holds a NUL character, which no command line can carry")
	}
	return "", errors.New("no command leads here")
}

// copyLink puts that line on the terminal's clipboard.
func (a *app) copyLink() action {
	line, err := a.command()
	if err != nil {
		return note{ui.Dim, "Not now: " + err.Error() + "."}
	}
	return clip{line, note{ui.Good, "Copied: " + line}}
}

// copyThis is what Y copies: of what is shown, the name alone.
func copyThis(text, told string) action {
	// Cf: marks that are not seen, and turn or join what is pasted.
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return tell{ui.Dim, "Not now: it holds characters that are not seen; {link} copies the command."}
	}
	return clip{text, note{ui.Good, told + text}}
}

// copyName copies the URL and version of an object.
func (s *objectScreen) copyName() action {
	text := s.url(s.keyName)
	if v := s.list.selected(); v != nil {
		text += " " + v.ID
	}
	return copyThis(text, "Copied URL and version: ")
}
