package views

import (
	"provcat-tui/bucket"
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
	if m.version != "" {
		e.Note = "version " + m.version
	}
	return e
}

// goToPasted opens the object that the pasted text names, whether it is there or not:
// its screen tells what became of it.
func (f *finder) goToPasted() action {
	m, from := f.pasted, f.walk.from
	root := m.elsewhere(f.root())
	if root == "" {
		return leave{to: from, then: func() action { return push{newObject(from.place, m.key, m.version)} }}
	}
	return leave{then: func() action {
		o := newOpening(f.env, bucket.Location{Scheme: m.scheme, Bucket: m.bucket, Path: m.key})
		o.to = Link{URL: root + "/" + m.key, Screen: onObject, Version: m.version}
		return push{o}
	}}
}
