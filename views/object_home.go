package views

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/ui"
)

// A home is where an object of the format belongs: the commit or the entry that it is.
type home struct {
	id     string // of a commit object; empty: it is a log entry
	hash   string // of the log
	folder string
	known  bool  // the folder is
	number int64 // of the entry, or of the one that names the commit; 0: none is known to
	past   bool  // it named it, and is deleted or names another now
	// found: it was found out, from its own bytes, a log or an audit; whole: all logs
	// were looked through.
	found, whole bool
	repair       string // what an audit of this session says that mends it
}

// name is what the key holds, as far as it is known.
func (h *home) name() string {
	folder := "of a folder that is not known"
	if h.known {
		folder = "of " + folderName(h.folder)
	}
	switch {
	case h.id == "":
		return fmt.Sprintf("log entry #%d %s", h.number, folder)
	case h.number > 0 && h.past:
		return fmt.Sprintf("commit object that entry #%d %s named", h.number, folder)
	case h.number > 0:
		return fmt.Sprintf("commit object of #%d %s; entry #%d names it", h.number, folder, h.number)
	case h.found:
		return "commit object " + folder + "; no entry is known to name it"
	}
	return "commit object " + folder
}

// audited takes what the audits of this session say of the key.
func (h *home) audited(key string, audits map[string]*keptAudit) {
	for _, kept := range audits {
		for i := range kept.report.Findings {
			f := &kept.report.Findings[i]
			own := f.Key == key
			if f.Folder == nil || !own && (h.id == "" || f.Commit != h.id) {
				continue
			}
			if !h.found || own {
				h.take(f, own)
			}
		}
	}
}

func (h *home) take(f *audit.Finding, own bool) {
	h.folder, h.known, h.found, h.hash = *f.Folder, true, true, commit.FolderHash(*f.Folder)
	if h.id != "" {
		h.number = entryNumber(f)
	}
	if own && f.Repair != nil && f.Repair.Text != "" {
		h.repair = f.Repair.Text
	}
}

// find looks for it in the bucket: in the object's own bytes, else in the logs. It
// waits: only for tasks.
func (h *home) find(ctx context.Context, b bucket.Bucket, concurrency int) error {
	if h.id != "" {
		if x, err := commit.LoadHeader(ctx, b, h.id); err == nil {
			h.folder, h.known, h.found, h.hash = x.Folder, true, true, commit.FolderHash(x.Folder)
			n := findNaming(ctx, b, h.hash, x.Number, h.id, &x, concurrency)
			if n.standing == logged || n.standing == unentered || n.standing == lost {
				h.number, h.past = n.number, n.standing != logged
			}
			return ctx.Err()
		}
	}
	h.whole = true
	looked := 0
	for log, err := range commit.AllLogs(ctx, b, concurrency, false) {
		switch {
		case err != nil:
			return err
		case h.id == "" && log.Hash == h.hash:
			h.folder, h.known, h.found = log.Folder, log.Known, true
			return nil
		case h.id == "":
			continue
		case log.Err != nil:
			h.whole = false
			continue
		}
		for slot, err := range commit.Log(ctx, b, log.Hash, concurrency) {
			if err != nil {
				return err
			}
			if looked++; looked > commitLooks {
				h.whole = false
				return nil
			}
			if slot.Gap > 0 {
				continue
			}
			named := slot.Err == nil && slot.Entry.Commit == h.id
			past := !named
			if past && (slot.Err != nil || len(slot.Versions) > 1) {
				unread := false
				if named, unread = earlier(ctx, b, slot, h.id); unread || slot.Err != nil && !errors.Is(slot.Err, commit.ErrDeleted) {
					h.whole = false
				}
			}
			if named {
				h.folder, h.known, h.hash, h.number, h.found, h.past = log.Folder, log.Known, log.Hash, slot.Number, true, past
				return nil
			}
		}
	}
	return nil
}

// findHome finds out what a key under .provcat/ is; nil: it is none of the format's.
func (s *objectScreen) findHome() action {
	h := home{}
	if id, ok := commit.ParseCommitKey(s.keyName); ok {
		h.id = id
	} else if hash, n, ok := commit.ParseSlotKey(s.keyName); ok {
		h.hash, h.number = hash, n
	} else {
		return nil
	}
	h.audited(s.keyName, s.facts().audits)
	s.home = &h
	if h.found {
		return nil
	}
	return begin{aside(load("home", "Looking for the folder that it belongs to", func(ctx context.Context, add func(home)) error {
		x := h
		if err := x.find(ctx, s.b, s.parallel()); err != nil {
			return err
		}
		add(x)
		return nil
	}, func(hs []home) action {
		s.home = &hs[len(hs)-1]
		return nil
	}, nil))}
}

// lostHere is the verdict on a key of the format that has no version left.
func (s *objectScreen) lostHere() verdict {
	h := s.home
	text := "✗ Nothing is left of this " + h.name() + ". "
	if h.known {
		text += s.keys("{audit} audits ") + folderName(h.folder) + ". "
	}
	switch {
	case !h.found && h.whole:
		return verdict{ui.Bad, "✗ This key has no version and no delete marker: nothing is left of it, or it never was. No log of this bucket names this commit."}
	case !h.found:
		return verdict{ui.Bad, "✗ This key has no version and no delete marker: nothing is left of it, or it never was. Whether a log names it is not known."}
	case h.id == "":
		text += "An audit says whether the commit that it named is left, and then gives the command that writes the entry again."
	case h.repair != "":
		text += "That commit cannot be read. " + h.repair
	default:
		text += "That commit cannot be read. Any copy of the object whose SHA-256 is " + h.id + " is as good as the original: an audit gives the command that puts it back."
	}
	return verdict{ui.Bad, text}
}

// ofFormat says that the key is one of the format's own.
func (s *objectScreen) ofFormat() bool { return strings.HasPrefix(s.keyName, commit.Root) }
