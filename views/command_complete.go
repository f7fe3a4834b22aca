package views

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// Bounds of what is suggested: looked through in the program's own goroutine, or asked
// the bucket for.
const (
	suggestMost  = 200
	suggestNames = 500 // of one folder
	suggestRefs  = 30
)

// suggest offers what may stand at the cursor, and asks for what is not known.
func (c *commandLine) suggest() action {
	text, cursor := c.prompt.Typed()
	c.learnt.hint = ""
	before, at := wordAt(text, cursor)
	if len(before) == 0 {
		name := strings.TrimLeft(at.text, ":")
		c.prompt.Suggest(at.to-len(name), cursor, c.suggestCommands(name))
		if c.prompt.Offered() == 0 {
			c.learnt.hint = "No command has these letters."
		}
		return nil
	}
	x, _ := commandNamed(c.able, before[0].text)
	if x == nil || len(x.takes) == 0 {
		c.prompt.Suggest(cursor, cursor, nil)
		return nil
	}
	s := &suggesting{c: c, typed: at.text, from: at.from}
	for _, kind := range c.kinds(x, before) {
		s.add(kind, before)
	}
	if s.hint == "" && len(s.out) == 0 {
		s.hint = x.help
	}
	c.learnt.hint = s.hint
	c.prompt.Suggest(s.from, cursor, s.out)
	return s.ask
}

// kinds are what the argument at the cursor may be, after the words before it.
func (c *commandLine) kinds(x *command, before []word) []argument {
	i := len(before) - 1
	last := x.takes[len(x.takes)-1]
	switch {
	case i >= len(x.takes) && (last[0] == argLink || last[0] == argText):
		return last
	case i >= len(x.takes):
		return nil
	case x.name == "diff" && i == 1 && strings.Contains(before[1].text, ".."):
		return toFolder
	case x.name == "diff" && i == 2 && !isRef(before[2].text):
		return nil
	}
	return x.takes[i]
}

// suggestCommands are the commands whose name begins with what was typed, then those
// that have it elsewhere.
func (c *commandLine) suggestCommands(typed string) (out []ui.Suggestion) {
	low := strings.ToLower(typed)
	var others []ui.Suggestion
	for _, x := range c.able {
		s := ui.Suggestion{Insert: x.name, Text: x.usage(), About: x.help}
		if press := c.env.keymap.First(x.key); press != "" {
			s.Note = ui.PressName(press)
		}
		switch i := strings.Index(x.name, low); {
		case i == 0:
			s.Marks = marksOf(0, len(low))
			out = append(out, s)
		case i > 0:
			s.Marks = marksOf(i, len(low))
			others = append(others, s)
		case slices.Contains(x.aliases, low):
			out = append(out, s)
		case len(low) > 2 && strings.Contains(strings.ToLower(x.help), low):
			others = append(others, s)
		}
	}
	return append(out, others...)
}

func marksOf(at, n int) (out []int) {
	for i := range n {
		out = append(out, at+i)
	}
	return out
}

// suggesting puts together what an argument may be.
type suggesting struct {
	c     *commandLine
	typed string
	from  int
	out   []ui.Suggestion
	hint  string
	ask   all
}

// fits adds a suggestion if it has what was typed.
func (s *suggesting) fits(x ui.Suggestion, also string) bool {
	text := x.Text
	if text == "" {
		text = x.Insert
	}
	low, typed := strings.ToLower(text), strings.ToLower(s.typed)
	if i := strings.Index(low, typed); i >= 0 && len(low) == len(text) {
		x.Marks = marksOf(i, len(typed))
	} else if i < 0 && !strings.Contains(strings.ToLower(also), typed) {
		return false
	}
	if len(s.out) >= suggestMost {
		return false
	}
	s.out = append(s.out, x)
	return true
}

func (s *suggesting) add(kind argument, before []word) {
	switch kind {
	case argFolder:
		s.folders()
	case argKey:
		s.folders()
		s.files()
	case argVersion:
		s.versions(before[len(before)-1].text)
	case argRange:
		if _, b, ok := strings.Cut(s.typed, ".."); ok {
			s.from += strings.Index(s.typed, "..") + 2
			s.typed = b
			s.refs(true)
		}
	case argRef:
		if len(s.out) == 0 {
			s.refs(before[0].text == "diff" || strings.HasPrefix("diff", before[0].text))
		}
	case argTime:
		s.times()
	case argColumn:
		s.columns()
	case argOrder:
		s.words("asc", "smallest or first on top", "desc", "largest, newest or last on top")
	case argSwitch:
		s.words("on", "click and scroll", "off", "the terminal selects text")
	case argPlace:
		s.places()
	case argLink:
		s.words("--log", "the folder's log", "--commit", "one commit, by its REF", "--diff", "two commits: A..B", "--audit", "audit it", "--pin", "which commit a reader gets at a TIME", "--at", "its files at a REF", "--object", "the URL is a key: all its versions")
	case argScreen:
		for _, k := range s.c.screens() {
			s.fits(ui.Suggestion{Insert: k, About: "on the way here"}, "")
		}
	case argCommand:
		for _, x := range s.c.able {
			s.fits(ui.Suggestion{Insert: x.name, About: x.help}, "")
		}
	case argText:
		s.hint = "Any text, to the end of the line."
	}
}

func (s *suggesting) words(pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		s.fits(ui.Suggestion{Insert: pairs[i], About: pairs[i+1]}, "")
	}
}

func (s *suggesting) columns() {
	l, ok := s.c.top().(lister)
	if !ok || len(l.lines().sorts()) == 0 {
		s.hint = "The lines of this screen have one order only."
		return
	}
	for _, name := range l.lines().sorts() {
		s.fits(ui.Suggestion{Insert: name}, "")
	}
	s.fits(ui.Suggestion{Insert: "none", About: "as they are stored"}, "")
}

func (s *suggesting) places() {
	e := s.c.env
	for _, b := range e.Bookmarks {
		s.fits(ui.Suggestion{Insert: safe.Shell(b.URL), Text: b.URL, About: b.Name, Note: "bookmark"}, b.Name)
	}
	for _, u := range e.Recent {
		s.fits(ui.Suggestion{Insert: safe.Shell(u), Text: u, Note: "recent"}, "")
	}
	for _, x := range s.c.below {
		if l, ok := x.(*buckets); ok {
			for i := range min(len(l.list.items), inline) {
				if r := &l.list.items[i]; r.group == "listed" {
					s.fits(ui.Suggestion{Insert: safe.Shell(r.URL), Text: r.URL, Note: "bucket"}, "")
				}
			}
		}
	}
	s.hint = "A URL such as s3://bucket/folder, or the path of a bucket file."
}

// folders suggests those that are known: of the current folder first.
func (s *suggesting) folders() {
	here := s.c.here.prefix
	var near, far []string
	for p := range s.c.folders() {
		switch rest, ok := strings.CutPrefix(p, here); {
		case p == here, strings.HasPrefix(p, commit.Root):
		case ok && strings.Count(rest, "/") == 1:
			near = append(near, p)
		default:
			far = append(far, p)
		}
	}
	slices.Sort(near)
	slices.Sort(far)
	for _, p := range append(near, far...) {
		if p != "" {
			s.fits(ui.Suggestion{Insert: s.c.pathWord(p), Text: p, Note: "folder", Open: true}, "")
		}
	}
	dir := s.typed[:strings.LastIndexByte(s.typed, '/')+1]
	paths, err := s.c.paths(strings.TrimSuffix(dir, "/"))
	if dir == "" {
		paths, err = []string{here, ""}, nil
	}
	if err == nil {
		for _, p := range paths {
			s.ask = append(s.ask, s.c.askLevel(asPrefix(strings.TrimSuffix(p, "/"))))
		}
	}
	if s.typed != "" { // the format's own folder is nobody's, but can be looked into
		s.fits(ui.Suggestion{Insert: commit.Root, Note: "the format's own", Open: true}, "")
	}
	if len(s.out) == 0 {
		s.hint = "No folder that is known has these letters; it is looked for when you press enter."
	}
}

// pathWord is a path as it is typed: so that it means the same from here.
func (c *commandLine) pathWord(path string) string {
	first, _, _ := strings.Cut(path, "/")
	first += "/"
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.Contains(path, "://") ||
		c.here.prefix != "" && c.folders()[c.here.prefix+first] {
		path = "/" + path
	}
	return safe.Shell(path)
}

func (s *suggesting) files() {
	add := func(key, note string) { s.fits(ui.Suggestion{Insert: s.c.pathWord(key), Text: key, Note: note}, "") }
	for i := len(s.c.below) - 1; i >= 0; i-- {
		switch x := s.c.below[i].(type) {
		case *folder:
			for i := range min(len(x.files.items), inline) {
				add(x.files.items[i].key, "file")
			}
		case *commitScreen:
			for i := range min(len(x.list.items), inline) {
				add(commit.KeyPrefix(x.inFolder())+x.list.items[i].Path, "in "+commit.ShortID(x.id))
			}
		}
	}
	for _, k := range s.c.learnt.files {
		add(k, "file")
	}
	seen := map[string]bool{}
	s.out = slices.DeleteFunc(s.out, func(x ui.Suggestion) bool {
		was := seen[x.Insert]
		seen[x.Insert] = true
		return was
	})
	s.hint = "A key, from the bucket's root or the current folder; it need not be there any more."
}

// refs suggests the newest commits of the current folder's log.
func (s *suggesting) refs(live bool) {
	s.fits(ui.Suggestion{Insert: "head", About: "the newest commit"}, "")
	s.fits(ui.Suggestion{Insert: "head~1", About: "the one before"}, "")
	if live {
		s.fits(ui.Suggestion{Insert: "live", About: "what is live now"}, "")
	}
	lines, ask := s.c.refLines()
	s.ask = append(s.ask, ask)
	for _, r := range lines {
		s.fits(ui.Suggestion{Insert: fmt.Sprint(r.number), Text: fmt.Sprintf("%d", r.number), About: commit.ShortID(r.id) + "  " + r.text, Note: stamp(r.time)}, r.id+" "+r.text)
	}
	if len(s.out) == 0 {
		s.hint = "A commit: " + refForms + "."
	}
}

func (s *suggesting) times() {
	s.fits(ui.Suggestion{Insert: "now", About: "at this moment"}, "")
	s.fits(ui.Suggestion{Insert: "-1d", About: "a day ago"}, "")
	s.fits(ui.Suggestion{Insert: s.c.env.Now().UTC().Format(time.DateOnly), About: "the first moment of today (UTC)"}, "")
	lines, ask := s.c.refLines()
	s.ask = append(s.ask, ask)
	for _, r := range lines {
		if !r.time.IsZero() {
			s.fits(ui.Suggestion{Insert: r.time.UTC().Format(time.RFC3339Nano), About: fmt.Sprintf("when #%d was made", r.number), Note: r.text}, "")
		}
	}
	s.hint = "A time: 2026-10-30T12:00Z, 2026-10-30, -3d, -2h or now."
}

// versions suggests those of a key.
func (s *suggesting) versions(key string) {
	s.hint = "The ID of a version; without one the newest."
	paths, err := s.c.paths(key)
	if err != nil {
		return
	}
	c := s.c
	vs, asked := c.learnt.versions[key]
	for _, v := range vs {
		about := "noncurrent"
		switch {
		case v.DeleteMarker:
			about = "delete marker"
		case v.Live():
			about = "live"
		}
		s.fits(ui.Suggestion{Insert: safe.Shell(v.ID), Text: v.ID, About: about, Note: stamp(v.Modified)}, "")
	}
	if asked {
		return
	}
	b := c.here.b
	s.ask = append(s.ask, begin{aside(load("versions", "Listing the versions of "+key, func(ctx context.Context, add func(bucket.Version)) error {
		if !rest(ctx, settleTime) {
			return ctx.Err()
		}
		n := 0
		for _, p := range paths {
			for v, err := range b.Versions(ctx, bucket.Range{Prefix: p, Through: p, PageSize: suggestNames}) {
				if err != nil {
					return err
				}
				add(v)
				if n++; n == suggestNames {
					break
				}
			}
			if n > 0 {
				break
			}
		}
		return ctx.Err()
	}, func(vs []bucket.Version) action {
		if c.learnt.versions == nil {
			c.learnt.versions = map[string][]bucket.Version{}
		}
		c.learnt.versions[key] = append(c.learnt.versions[key], vs...)
		return nil
	}, func(err error) action {
		if c.learnt.versions == nil {
			c.learnt.versions = map[string][]bucket.Version{}
		}
		c.learnt.versions[key] = append([]bucket.Version{}, c.learnt.versions[key]...)
		return c.suggest()
	}))})
}
