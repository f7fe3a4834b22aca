package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// The states of a log entry, as far as the log itself shows them.
type state string

const (
	stateOK         state = "ok"
	stateRestored   state = "restored"   // several versions, all naming one commit
	stateRemade     state = "remade"     // its versions name different commits
	stateDeleted    state = "deleted"    // no version is live
	stateUnreadable state = "unreadable" // not the bytes of a log entry
	stateUnknown    state = "unknown"    // could not be read
	stateGap        state = "gap"        // nothing at these numbers
)

// A logLine is one entry or gap of a log, with what its commit object says.
type logLine struct {
	State   state   `json:"state"`
	Number  int64   `json:"number"`
	Gap     int64   `json:"gap,omitempty"` // how many numbers from Number down
	Key     string  `json:"key,omitempty"`
	Detail  string  `json:"detail,omitempty"`
	Commit  *string `json:"commit"`
	Parent  *string `json:"parent"`
	Time    *string `json:"time"`
	Author  string  `json:"author,omitempty"`
	Message string  `json:"message,omitempty"`
	// Object tells of the commit object: "ok" (there; its hash is not checked
	// here), "missing", "unreadable", "unknown"; empty where no commit is named.
	Object   string        `json:"object,omitempty"`
	Commits  []string      `json:"commits,omitempty"` // of a re-made entry, newest first
	Versions []versionJSON `json:"versions,omitempty"`

	time time.Time
	why  string // Detail less what the state's word says
}

// damage adds to what is wrong; why is the same beside the state's word.
func (l *logLine) damage(detail, why string) {
	if l.Detail != "" {
		detail = l.Detail + "; " + detail
	}
	if l.why != "" {
		why = l.why + "; " + why
	}
	l.Detail, l.why = detail, why
}

// deletedSince is when the newest marker hid the entry; empty: not known.
func deletedSince(versions []bucket.Version) string {
	if len(versions) == 0 || !versions[0].DeleteMarker || versions[0].Modified.IsZero() {
		return ""
	}
	return "since " + second(versions[0].Modified)
}

// readLine reads what is to be shown of a slot: the other versions of an entry
// that has several, and the commit object's header.
func readLine(ctx context.Context, b bucket.Bucket, s commit.Slot) logLine {
	if s.Gap > 0 {
		return logLine{State: stateGap, Number: s.Number, Gap: s.Gap}
	}
	l := logLine{State: stateOK, Number: s.Number, Key: s.Key}
	for _, v := range s.Versions {
		l.Versions = append(l.Versions, toVersionJSON(v))
	}
	entry := s.Entry
	switch {
	case s.Err == nil:
	case errors.Is(s.Err, commit.ErrDeleted):
		l.State = stateDeleted
		since := deletedSince(s.Versions)
		l.damage(strings.TrimSpace("the entry is deleted "+since), since)
	case errors.Is(s.Err, commit.ErrEntry):
		l.State = stateUnreadable
		l.damage(s.Err.Error(), s.Err.Error())
	default:
		l.State = stateUnknown
		l.damage(s.Err.Error(), s.Err.Error())
	}
	older := l.readVersions(ctx, b, s)
	if s.Err != nil {
		entry = older // what it said before
	}
	if entry.Commit == "" {
		return l
	}
	l.setTime(entry.Time)
	l.Commit = &entry.Commit
	l.readHeader(ctx, b, entry.Commit)
	return l
}

// readVersions reads an entry's other versions: which commits they name, newest
// first. It gives the newest that could be read.
func (l *logLine) readVersions(ctx context.Context, b bucket.Bucket, s commit.Slot) commit.Entry {
	var newest commit.Entry
	bodies := 0
	for _, v := range s.Versions {
		if v.DeleteMarker {
			continue
		}
		bodies++
		e := s.Entry
		if !v.Live() || s.Err != nil {
			var err error
			if e, err = commit.LoadEntry(ctx, b, s.Key, v.ID); err != nil {
				continue // the audit tells of each
			}
		}
		if newest.Commit == "" {
			newest = e
		}
		if n := len(l.Commits); n == 0 || l.Commits[n-1] != e.Commit {
			l.Commits = append(l.Commits, e.Commit)
		}
	}
	switch {
	case len(l.Commits) > 1 && l.State == stateOK:
		l.State = stateRemade
		fallthrough
	case len(l.Commits) > 1:
		names := "its versions name " + shortIDs(l.Commits)
		l.damage(names, names)
	default:
		l.Commits = nil
		if l.State == stateOK && bodies > 1 {
			l.State = stateRestored
		}
	}
	return newest
}

func (l *logLine) readHeader(ctx context.Context, b bucket.Bucket, id string) {
	h, err := commit.LoadHeader(ctx, b, id)
	problem := ""
	switch {
	case err == nil:
		l.Object = "ok"
		l.Parent, l.Author, l.Message = orNull(h.Parent), h.Author, h.Message
		l.setTime(h.Time)
		return
	case errors.Is(err, bucket.ErrNotFound):
		l.Object, problem = "missing", "the commit object is missing or deleted"
	case errors.Is(err, commit.ErrFormat), errors.Is(err, commit.ErrCorrupt):
		l.Object, problem = "unreadable", "the commit object cannot be read: "+err.Error()
	default:
		l.Object, problem = "unknown", "the commit object could not be read: "+err.Error()
	}
	l.damage(problem, problem)
}

func (l *logLine) setTime(t time.Time) {
	if !t.IsZero() {
		l.time, l.Time = t, jsonCommitTime(t)
	}
}

// shortIDs is "3f2a9c1b04 and 77aa01bb23"; IDs are hex digits.
func shortIDs(ids []string) string {
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = commit.ShortID(id)
	}
	return strings.Join(short[:len(short)-1], ", ") + fmt.Sprintf(" and %s", short[len(short)-1])
}
