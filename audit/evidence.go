package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// maxExamples bounds the examples of a finding; counts and lists of commits are
// whole.
const maxExamples = 20

func evidence(v bucket.Version, note string) Evidence {
	e := Evidence{Key: v.Key, Version: v.ID, Latest: v.Latest, DeleteMarker: v.DeleteMarker, Derived: v.Derived, ETag: v.ETag, Size: v.Size, Note: note}
	if !v.Modified.IsZero() {
		t := v.Modified.UTC()
		e.Modified = &t
	}
	return e
}

// slotEvidence is every version of a slot, and what it names.
func slotEvidence(s *slotFacts) []Evidence {
	if s == nil {
		return nil
	}
	var out []Evidence
	for _, v := range s.versions[:min(len(s.versions), maxExamples)] {
		note := ""
		switch {
		case v.DeleteMarker:
		case v.err != nil:
			note = "not read: " + v.err.Error()
			if isEntryError(v.err) {
				note = "is no log entry"
			}
		default:
			note = "names commit " + v.entry.Commit
		}
		out = append(out, evidence(v.Version, note))
	}
	return out
}

// objectEvidence is every version of a commit object, and its hash.
func objectEvidence(c *commitFacts) []Evidence {
	var out []Evidence
	for _, v := range c.versions[:min(len(c.versions), maxExamples)] {
		note := ""
		switch {
		case v.DeleteMarker:
		case v.good(c.id):
			note = "has the right hash"
		case v.read:
			note = "has the SHA-256 " + v.obj.ID
		case v.err != nil:
			note = "not read: " + v.err.Error()
		}
		out = append(out, evidence(v.Version, note))
	}
	return out
}

func evidenceOf(l *logFacts) []Evidence {
	var out []Evidence
	for _, s := range l.slots[:min(len(l.slots), 3)] {
		out = append(out, slotEvidence(s)...)
	}
	return out
}

func commitRefs(l *logFacts, n int64, id string) []CommitRef {
	if id == "" || l == nil || !l.known {
		return nil
	}
	return []CommitRef{{Folder: l.folder, Number: n, ID: id}}
}

// fingerprint names a finding the same way in every run: by what it is about, not
// by times and counts.
func fingerprint(f Finding, where string) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\x00%s\x00%d\x00%s\x00%s\x00%s", f.ID, where, f.Number, f.Commit, f.Key, f.Version) // a hash takes all
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// gcsName is s3Name for Google's.
func (a *auditor) gcsName() (string, bool) {
	return strings.CutPrefix(a.b.URL(), "gs://")
}

// s3Name gives the bucket's name where the cloud has a command line for it.
func (a *auditor) s3Name() (string, bool) {
	return strings.CutPrefix(a.b.URL(), "s3://")
}

const nothingUnder = "Nothing is under the marker."

// repairCommand is the shell line of a repair; docs/cli.md, "repair".
func (a *auditor) repairCommand(what string, args ...string) string {
	line := "provcat-tui repair " + what + " " + safe.Shell(a.b.URL())
	for i := 0; i < len(args); i += 2 {
		line += " --" + args[i]
		if strings.HasPrefix(args[i+1], "-") {
			line += "=" // else it could be taken for a flag
		} else {
			line += " "
		}
		line += safe.Shell(args[i+1])
	}
	return line
}

// removeMarkers is the repair that brings an object back from under the markers
// that lie on it, newest first.
//
// nothingUnder as text says that there is no such version.
func (a *auditor) removeMarkers(key string, markers []bucket.Version, text string) *Repair {
	what := "Remove the delete marker (not the object)"
	if len(markers) > 1 {
		what = fmt.Sprintf("Remove the %d delete markers that lie on each other (not the object)", len(markers))
	}
	then := ": the version under it is then live again."
	switch {
	case text == nothingUnder:
		then = "."
	case len(markers) > 0 && markers[0].Derived:
		what, then = "Undo the deletion", ": a copy of the version that was deleted becomes the live one, if nothing else is live by then."
	}
	args := []string{"key", key}
	for _, m := range markers {
		args = append(args, "version", m.ID)
	}
	return &Repair{Kind: "remove-delete-marker", Text: strings.TrimSpace(text + " " + what + then), Command: a.repairCommand("marker", args...)}
}

// removeVersion is the repair that removes one version for good, after a copy was
// kept where the command runs.
func (a *auditor) removeVersion(key, version, text string) *Repair {
	h := sha256.Sum256([]byte(key + "\x00" + version))
	return &Repair{Kind: "remove-version", Text: text,
		Command: a.repairCommand("discard", "key", key, "version", version, "keep", "kept-"+hex.EncodeToString(h[:6]))}
}

// copyVersion is the repair that makes an earlier version live again.
func (a *auditor) copyVersion(key, version, text string) *Repair {
	return &Repair{Kind: "copy-version", Text: strings.TrimSpace(text + " Copy it over the key."),
		Command: a.repairCommand("version", "key", key, "version", version)}
}

// copyBack is the repair of a slot whose live version is no entry: nil where no
// earlier version is.
func (a *auditor) copyBack(s *slotFacts) *Repair {
	for _, v := range s.versions {
		if v.parsed() {
			return a.copyVersion(s.key, v.ID, "An earlier version names commit "+commit.ShortID(v.entry.Commit)+".")
		}
	}
	return nil
}

// rebuild is the repair that writes lost entry n again from its commit object. over:
// a delete marker lies on its key.
func (a *auditor) rebuild(l *logFacts, n int64, c *commitFacts, over bool) *Repair {
	r := &Repair{Kind: "rebuild-entry", Text: "Write the entry again with put-if-absent; the commit object tells all that it holds."}
	if over {
		r.Text += " It succeeds over the delete marker."
	}
	if c == nil || c.header == nil || c.state() != sound {
		r.Text = "Write the entry again with put-if-absent, once its commit object is back."
		return r
	}
	h := c.header
	if n < 1 || n > commit.MaxNumber || h.Number != 0 && h.Number != n || commit.FolderHash(h.Folder) != l.hash {
		return r // an orphan may claim any number
	}
	r.Command = a.repairCommand("entry", "folder", h.Folder, "number", strconv.FormatInt(n, 10), "commit", c.id)
	return r
}

// restoreObject is the repair of a commit object of which the bucket has no sound
// version. Where a copy is nobody here can know, so there is no command.
func (a *auditor) restoreObject(id, more string) *Repair {
	return &Repair{Kind: "restore-commit-object", Text: "Any copy of the object whose SHA-256 is " + id + " is as good as the original: put it back under its key with put-if-absent" + more +
		". With the copy in FILE: " + a.repairCommand("commit-object", "id", id, "from", "FILE")}
}
