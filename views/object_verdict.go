package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"provcat-tui/audit"
	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
	"provcat-tui/ui"
)

// loadOutlook reads the bucket's rules, which say what becomes of the versions.
func (s *objectScreen) loadOutlook() action {
	s.rules = nil
	return begin{load("outlook", "Reading the bucket's rules", func(ctx context.Context, add func(*audit.Outlook)) error {
		o, err := s.outlook(ctx)
		if err == nil {
			add(o)
		}
		return err
	}, func(o []*audit.Outlook) action {
		s.rules = o[len(o)-1]
		return nil
	}, nil)}
}

// A verdict says in plain words whether what was asked for can be read, and what to do.
type verdict struct {
	tone ui.Tone
	text string
}

// verdict judges the version that the screen was opened for, else a plain read of the
// key. Only a complete listing proves that a version is gone.
func (s *objectScreen) verdict() verdict {
	vs := s.versions
	at := slices.IndexFunc(vs, func(v bucket.Version) bool { return v.ID == s.named })
	if s.named == "" {
		at = 0
	}
	if at < 0 || at >= len(vs) {
		switch {
		case s.err != nil:
			return verdict{ui.Unsure, "? Whether the version is there could not be checked: the listing of its key was not read to its end."}
		case !s.done:
			return verdict{ui.Dim, "… looking for the version in the listing of its key"}
		}
		if len(vs) == 0 && len(s.names.newest) == 0 { // else it was a key
			if v, ok := s.folderInstead(); ok {
				return v
			}
		}
		if len(vs) == 0 && s.home != nil {
			return s.lostHere()
		}
		return verdict{ui.Bad, s.lost()}
	}
	v := vs[at]
	var unread error
	if s.preview.version == v.ID && s.preview.err != nil && !errors.Is(s.preview.err, context.Canceled) {
		unread = s.preview.err
	}
	switch {
	case v.DeleteMarker && s.named == "":
		return verdict{ui.Bad, "✗ Deleted: a plain read finds nothing since " + exact(v.Modified) + ", when this delete marker was made. " + under(vs[at:])}
	case v.DeleteMarker:
		return verdict{ui.Bad, "✗ Not readable: this ID is a delete marker, made " + exact(v.Modified) + "; it has no bytes. " + under(vs[at:])}
	case s.named != "" && s.recorded.Version == v.ID && s.recorded.OtherBytes(v.ETag, v.Size):
		return verdict{ui.Bad, "✗ Other bytes than " + s.by + " recorded are under this version ID: " + s.recorded.OtherText(v.ETag, v.Size) + "."}
	case audit.Archived(v.StorageClass):
		return verdict{ui.Warn, "! Not readable at once: the storage class " + v.StorageClass + " has to be restored first (minutes to two days, and it costs money): aws s3api restore-object."}
	case errors.Is(unread, bucket.ErrDenied):
		return verdict{ui.Unsure, "? It is there, but these credentials may not read it: " + unread.Error()}
	case errors.Is(unread, bucket.ErrNotFound):
		return verdict{ui.Bad, s.keys("✗ It was listed, and a read does not find it: it was removed just now, or the store is damaged. {reload} looks again.")}
	case unread != nil:
		return verdict{ui.Unsure, "? It is there, but reading it failed: " + unread.Error()}
	}
	out := verdict{ui.Good, "● Readable: it is the live version."}
	switch newest := vs[0]; {
	case v.Live():
	case newest.DeleteMarker:
		out = verdict{ui.Warn, "○ Readable by its version ID only: the key was deleted at " + exact(newest.Modified) + ", a plain read finds nothing."}
	default:
		out = verdict{ui.Plain, "○ Readable by its version ID; replaced since: the live version is " + newest.ID + " of " + exact(newest.Modified) + "."}
	}
	return s.foretold(out, at)
}

// folderInstead is the verdict on a key without a version that is a folder's name, or
// may be one; ok is false where it is none.
func (s *objectScreen) folderInstead() (v verdict, ok bool) {
	switch {
	case strings.HasSuffix(s.keyName, "/"), s.below == belowNone, s.home != nil:
		return v, false
	case s.below == belowUnknown:
		return verdict{ui.Dim, "… looking whether it is a folder"}, true
	case s.below == belowUnread:
		return verdict{ui.Unsure, "? No object has this key. Whether it is a folder could not be checked."}, true
	}
	text := "This is a folder: no object has this key, but there are keys below " + s.keyName + "/. {open} goes there."
	if s.named != "" {
		text += " Version " + s.named + " is one of a file: its key is missing in what you asked for."
	}
	return verdict{ui.Plain, s.keys(text)}, true
}

// foretold adds what a rule will do to a readable version.
func (s *objectScreen) foretold(out verdict, at int) verdict {
	v := s.versions[at]
	if v.ID == bucket.NullID {
		out.tone, out.text = ui.Warn, out.text+" Its ID is null: a write or a deletion while versioning is suspended destroys it."
	}
	switch {
	case s.rules == nil:
	case s.rules.Err() != nil:
		out.text += " ? Whether a lifecycle rule will remove it could not be checked."
	case s.done && len(s.versions) > keptVersions:
		out.text += " ? Of so many versions it is not foretold which a lifecycle rule removes."
	case s.done:
		if text := s.removal(at); text != "" {
			out.tone, out.text = ui.Warn, out.text+" ! "+text+"."
		}
	}
	return out
}

// removal says what a rule does to the version at an index; empty: nothing.
func (s *objectScreen) removal(at int) string {
	d := s.removals()[at]
	if d.On.IsZero() {
		return ""
	}
	rule, on := "The lifecycle rule "+safe.Text(d.Rule), d.On.Format(time.DateOnly)
	switch {
	case d.Sure && !d.On.After(s.rules.Now()):
		return rule + " was to delete it for good from " + on + " on: any day now"
	case d.Sure:
		return rule + " will delete it for good from " + on + " on"
	}
	return rule + " may delete it for good from " + on + " on"
}

// removals are worked out once for a complete listing, and not for each frame.
func (s *objectScreen) removals() []audit.Due {
	if s.due == nil {
		s.due = s.rules.Removals(s.versions)
	}
	return s.due
}

// under says what can be read below the delete marker that vs begins with.
func under(vs []bucket.Version) string {
	for i, v := range vs {
		if !v.DeleteMarker {
			text := "The versions under it can be read by their IDs; the newest is " + v.ID + "."
			switch {
			case i > 1: // another marker would be left
			case vs[0].Derived:
				text += " Copying that one over its key makes it live again, as a new version: this store has no marker to remove."
			default:
				text += " Removing the marker brings that one back."
			}
			return text
		}
	}
	return "No version is under it: nothing is left to be read."
}

// lost says what became of a version that a complete listing lacks, and what to do.
func (s *objectScreen) lost() string {
	rec, when := s.recorded, s.byTime
	if f, ok := s.names.files[s.named]; ok {
		rec = f
		if t := s.names.newest[s.named].time; !t.IsZero() {
			when = t
		}
	}
	text := s.goneText() + "."
	if len(s.versions) == 0 {
		nothing := "✗ This key has no version and no delete marker: nothing is left of it, or it never was."
		if s.named == "" {
			if len(s.names.newest) > 0 {
				return nothing + s.keys(" Commits name versions of it: below. {audit} audits the folder.")
			}
			if s.ofFormat() {
				return nothing // and no folder's
			}
			return nothing + s.keys(" An audit ({audit}) of its folder says what that breaks.")
		}
		text += " Nothing is left of the key."
	}
	if s.by == "" && s.names.text[s.named] == "" {
		switch {
		case s.ofFormat(): // commits name no keys of the format
			text += " If the ID is right, it was removed for good."
		case s.names.done && s.names.unread == 0 && len(s.names.failed) == 0:
			text += " No commit names it: the ID is wrong, or it was removed for good and never committed."
			if n, ok := s.newestWhole(); ok {
				text += fmt.Sprintf(" The newest commit whose version of this file is here is #%d of %s.", n.number, folderName(n.folder))
			}
			return text
		default:
			text += " If the ID is right, it was removed for good."
		}
	}
	if s.rules != nil {
		text += " " + s.rules.WhyGone(s.keyName, s.named, rec.Size, when, s.versions)
	}
	if rec.ETag != "" && rec.Size > 0 {
		for _, v := range s.versions {
			if !v.DeleteMarker && v.ETag == rec.ETag && v.Size == rec.Size {
				return text + " The same bytes (by ETag and size) are still here as version " + v.ID + ": read those."
			}
		}
	}
	if n, ok := s.newestWhole(); ok {
		return text + fmt.Sprintf(" It cannot be brought back; the newest commit whose version of this file is here is #%d of %s.", n.number, folderName(n.folder))
	}
	return text + s.keys(" It cannot be brought back; {audit} audits the folder and says what else broke.")
}

// newestWhole is the newest commit that names a version which the listing has.
func (s *objectScreen) newestWhole() (best namer, ok bool) {
	for i := range s.versions {
		if n, named := s.names.newest[s.versions[i].ID]; named && !s.versions[i].DeleteMarker && (!ok || n.time.After(best.time)) {
			best, ok = n, true
		}
	}
	return best, ok
}
