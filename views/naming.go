package views

import (
	"context"
	"errors"
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// standing says how a commit stands in a log. Only a commit that the live version
// of an entry names is in it, whatever else its object says.
type standing int

const (
	unasked   standing = iota
	logged             // a live entry names it
	lost               // an entry named it whose live version names another commit
	unentered          // an entry named it that has no live version
	unnamed            // no entry names it
	unclear            // not all entries could be read, and those that could don't name it
)

// A naming is what the log says about one commit.
type naming struct {
	standing standing
	number   int64  // of the entry; unnamed: of the entry after its parent's, 0: none
	other    string // the commit that this entry names instead; empty: none
	unread   int64  // entries that could not be read
	err      error  // of the log's listing
}

// findNaming looks for the entry that names a commit: at number first, then in
// the whole log.
func findNaming(ctx context.Context, b bucket.Bucket, hash string, number int64, id string, h *commit.Header, concurrency int) naming {
	if number > 0 {
		if n, known := namingAt(ctx, b, hash, number, id); known {
			return n
		}
	}
	out := naming{standing: unnamed}
	parent, first := "", false
	if h != nil { // nil: it could not be read, so nothing is known of its place
		parent, first = h.Parent, h.Parent == ""
	}
	var newer commit.Slot // the slot one number higher
	for s, err := range commit.Log(ctx, b, hash, concurrency) {
		if err != nil {
			return naming{standing: unclear, err: err}
		}
		switch {
		case s.Gap > 0:
		case s.Err == nil && s.Entry.Commit == id:
			return naming{standing: logged, number: s.Number}
		case s.Err != nil && !errors.Is(s.Err, commit.ErrDeleted):
			out.unread++
		case s.Err != nil || len(s.Versions) > 1:
			switch named, unread := earlier(ctx, b, s, id); {
			case named:
				return instead(s)
			case unread:
				out.unread++
			}
		}
		if s.Err == nil && s.Gap == 0 && s.Entry.Commit == parent && parent != "" {
			out.number = s.Number + 1
			if newer.Number == s.Number+1 && newer.Err == nil {
				out.other = newer.Entry.Commit
			}
		}
		if first && s.Number == 1 && s.Err == nil && s.Gap == 0 {
			out.number, out.other = 1, s.Entry.Commit
		}
		newer = s
	}
	if err := ctx.Err(); err != nil {
		return naming{standing: unclear, err: err}
	}
	if out.unread > 0 {
		out.standing = unclear
	}
	return out
}

// namingAt looks at one slot; known is false where it does not name the commit.
func namingAt(ctx context.Context, b bucket.Bucket, hash string, number int64, id string) (n naming, known bool) {
	key := commit.SlotKey(hash, number)
	e, err := commit.LoadEntry(ctx, b, key, "")
	if err == nil && e.Commit == id {
		return naming{standing: logged, number: number}, true
	}
	s := commit.Slot{Number: number, Key: key, Entry: e, Err: err}
	for v, err := range b.Versions(ctx, bucket.Range{Prefix: key, Through: key}) {
		if err != nil {
			return naming{standing: unclear, err: err}, true
		}
		if v.Key == key {
			s.Versions = append(s.Versions, v)
		}
	}
	if named, _ := earlier(ctx, b, s, id); named {
		return instead(s), true
	}
	return naming{}, false
}

// instead is the naming by a version of a slot that is not its live one.
func instead(s commit.Slot) naming {
	if s.Err == nil {
		return naming{standing: lost, number: s.Number, other: s.Entry.Commit}
	}
	return naming{standing: unentered, number: s.Number}
}

// earlier says whether a version of a slot that is not live names the commit.
func earlier(ctx context.Context, b bucket.Bucket, s commit.Slot, id string) (named, unread bool) {
	read := 0
	for _, v := range s.Versions {
		if v.DeleteMarker || v.Live() {
			continue
		}
		if read++; read > maxVersions {
			return false, true
		}
		e, err := commit.LoadEntry(ctx, b, s.Key, v.ID)
		switch {
		case err != nil:
			unread = true
		case e.Commit == id:
			return true, false
		}
	}
	return false, unread
}

// say puts a naming into words.
func (n naming) say(log string) (ui.Tone, string) {
	switch n.standing {
	case logged:
		return ui.Plain, fmt.Sprintf("entry #%d of the log of %s names this commit", n.number, log)
	case lost:
		return ui.Bad, fmt.Sprintf("✗ no entry of the log names this commit any more: #%d did, and now names %s", n.number, commit.ShortID(n.other))
	case unentered:
		return ui.Bad, fmt.Sprintf("✗ entry #%d, which names this commit, is deleted", n.number)
	case unnamed:
		switch {
		case n.other != "" && n.number > 1:
			return ui.Warn, fmt.Sprintf("! no entry of the log names this commit: #%d, after its parent, names %s", n.number, commit.ShortID(n.other))
		case n.other != "":
			return ui.Warn, fmt.Sprintf("! no entry of the log names this commit: #1 names %s", commit.ShortID(n.other))
		}
		return ui.Warn, "! no entry of the log names this commit"
	case unclear:
		if n.err != nil {
			return ui.Unsure, "? whether an entry names it could not be checked: " + n.err.Error()
		}
		return ui.Unsure, "? no entry that could be read names this commit; " + plural(n.unread, "entry") + " could not be"
	}
	return ui.Dim, "…"
}
