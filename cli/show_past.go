package cli

import (
	"context"
	"strings"
	"time"

	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// An entryPast is what a commit's log entry named besides, now or before.
type entryPast struct {
	number int64 // of the entry that named the commit, where none does now; 0: none did
	past   []commit.PinPast
}

// pastOf looks at the history of the entry that names a commit, or once did.
func pastOf(ctx context.Context, p *place, folder string, r commit.Ref) (out entryPast, err error) {
	if r.Number > 0 {
		out.past, err = commit.EntryPast(ctx, p, commit.FolderHash(folder), r.Number)
		return out, err
	}
	out.number, out.past, err = commit.EntryThatNamed(ctx, p, folder, r.ID)
	return out, err
}

// others are the spans in which the entry named other commits.
func (e entryPast) others(id string) (out []commit.PinPast) {
	for _, p := range e.past {
		if p.ID != "" && p.ID != id {
			out = append(out, p)
		}
	}
	return out
}

// span says from when until when a version of an entry was the newest.
func span(p commit.PinPast) string {
	s := "from a time that is not known"
	if !p.From.IsZero() {
		s = "from " + p.From.UTC().Format(time.RFC3339)
	}
	if !p.Until.IsZero() {
		s += " until " + p.Until.UTC().Format(time.RFC3339)
	}
	return s
}

// again is a line on an entry that named another commit than this one before; empty:
// it did not.
func (e entryPast) again(id string) string {
	var named []string
	for _, p := range e.others(id) {
		named = append(named, safe.Text(commit.ShortID(p.ID))+" ("+span(p)+")")
	}
	if len(named) == 0 {
		return ""
	}
	return "written again: it names " + safe.Text(commit.ShortID(id)) + " now, and before " + strings.Join(named, ", ") + "; readers got that then"
}

// before says when the entry named a commit that it does not name now.
func (e entryPast) before(id string) string {
	var spans []string
	for _, p := range e.past {
		if p.ID == id {
			spans = append(spans, span(p))
		}
	}
	now := "is deleted now"
	if p := e.past[0]; p.ID != "" {
		now = "names " + safe.Text(commit.ShortID(p.ID)) + " now"
	}
	return strings.Join(spans, " and ") + ", and " + now
}

// A namedJSON is what an entry named for a while.
type namedJSON struct {
	Commit *string `json:"commit"`
	From   *string `json:"from"`
	Until  *string `json:"until"`
}

func (e entryPast) json() []namedJSON {
	out := []namedJSON{}
	for _, p := range e.past {
		out = append(out, namedJSON{orNull(p.ID), jsonTime(p.From), jsonTime(p.Until)})
	}
	return out
}
