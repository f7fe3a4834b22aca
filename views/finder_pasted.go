package views

import (
	"cmp"
	"slices"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// root is the URL of the open bucket; empty: none is open.
func (f *finder) root() string {
	if f.walk.from == nil {
		return ""
	}
	return f.walk.from.loc.Root()
}

// elsewhere is the URL of the object's bucket where that is not the open one.
func (m *pasted) elsewhere(here string) string {
	if m.bucket == "" || m.root() == here {
		return ""
	}
	return m.root()
}

func (m *pasted) root() string { return bucket.Location{Scheme: m.scheme, Bucket: m.bucket}.Root() }

// entry is the line of the palette.
func (m *pasted) entry(here string) ui.Entry {
	e := ui.Entry{Text: m.key, Note: "object", Tail: true}
	if root := m.elsewhere(here); root != "" {
		e.Text = root + "/" + m.key
	}
	switch {
	case m.what == aCommit:
		e.Text, e.Note = folderName(e.Text), "commit "+shortRef(m.ref)
	case m.what == anyCommit:
		e.Text, e.Note = m.ref, "commit"
	case m.what == aFolder:
		e.Text, e.Note = folderName(e.Text), "folder"
	case m.what == aPath:
		e.Text = "…/" + m.key
	}
	if m.version != "" {
		e.Note = "version " + m.version
	}
	return e
}

// shortRef is a REF with its ID cut to what is shown of one.
func shortRef(ref string) string {
	if id, ok := strings.CutPrefix(ref, "id:"); ok && len(id) == 64 {
		return commit.ShortID(id)
	}
	return strings.TrimPrefix(ref, "id:")
}

// foot says what enter does with it.
func (m *pasted) foot() string {
	switch m.what {
	case aCommit:
		return "the pasted text is about this commit; enter opens it"
	case anyCommit:
		return "enter looks for the folder of this commit, and opens it"
	case aFolder:
		return "the pasted text names this folder; enter goes there"
	case aPath:
		return "the text names no folder: enter looks below those that are known"
	}
	return "the pasted text names this object; enter tells what became of it"
}

// kind is what is counted.
func (m *pasted) kind() string {
	switch m.what {
	case aCommit, anyCommit:
		return "a commit"
	case aFolder:
		return "a folder"
	case aPath:
		return "a path"
	}
	return "an object"
}

// goToPasted opens what the pasted text names, whether it is there or not: its screen
// tells what became of it.
func (f *finder) goToPasted() action {
	m, from := *f.pasted, f.walk.from
	switch m.what {
	case anyCommit:
		return leave{to: from, then: func() action { return from.lookForCommit(m.ref) }}
	case aPath:
		folders := f.walk.known()
		return leave{to: from, then: func() action { return from.lookForPath(m.key, m.version, folders) }}
	}
	root := m.elsewhere(f.root())
	l := bucket.Location{Scheme: m.scheme, Bucket: m.bucket, Path: m.key}
	if root == "" {
		switch m.what {
		case anObject:
			return leave{to: from, then: func() action { return push{newObject(from.place, m.key, m.version)} }}
		case aFolder:
			return leave{to: from, then: func() action { return from.goTo(asPrefix(m.key)) }}
		}
		root, l = f.root(), from.loc
		l.Path = m.key
	}
	return leave{then: func() action {
		o := newOpening(f.env, l)
		switch o.to = (Link{URL: root + "/" + m.key}); m.what {
		case anObject:
			o.to.Screen, o.to.Version = onObject, m.version
		case aCommit:
			o.to.Screen, o.to.Ref = onCommit, m.ref
		}
		return push{o}
	}}
}

// known are the folders that the finder knows, the current one first, then those
// above it.
func (w *walk) known() []string {
	out := []string{w.prefix}
	for p := w.prefix; p != ""; {
		p = p[:strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/')+1]
		out = append(out, p)
	}
	var others []string
	for p := range w.folders {
		others = append(others, p)
	}
	for _, it := range w.found {
		if it.folder != "" {
			others = append(others, it.folder)
		}
	}
	slices.SortFunc(others, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	for _, p := range others {
		if !slices.Contains(out, p) && !strings.HasPrefix(p, commit.Root) {
			out = append(out, p)
		}
	}
	return out
}
