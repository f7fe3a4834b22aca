package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// maxExamples bounds the examples of a finding; counts and lists of commits are
// whole.
const maxExamples = 20

func evidence(v bucket.Version, note string) Evidence {
	e := Evidence{Key: v.Key, Version: v.ID, Latest: v.Latest, DeleteMarker: v.DeleteMarker, ETag: v.ETag, Size: v.Size, Note: note}
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

// s3Name gives the bucket's name where the cloud has a command line for it.
func (a *auditor) s3Name() (string, bool) {
	return strings.CutPrefix(a.b.URL(), "s3://")
}

const nothingUnder = "Nothing is under the marker."

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
	if text == nothingUnder {
		then = "."
	}
	r := &Repair{Kind: "remove-delete-marker", Text: strings.TrimSpace(text + " " + what + then)}
	name, ok := a.s3Name()
	if !ok {
		return r
	}
	var commands []string
	for _, m := range markers {
		commands = append(commands, fmt.Sprintf("aws s3api delete-object --bucket %s --key %s --version-id %s", safe.Shell(name), safe.Shell(key), safe.Shell(m.ID)))
	}
	r.Command = strings.Join(commands, " && ")
	return r
}

// removeVersion is the repair that removes one version for good.
func (a *auditor) removeVersion(key, version, text string) *Repair {
	r := &Repair{Kind: "remove-version", Text: text}
	if name, ok := a.s3Name(); ok {
		r.Command = fmt.Sprintf("aws s3api delete-object --bucket %s --key %s --version-id %s", safe.Shell(name), safe.Shell(key), safe.Shell(version))
	}
	return r
}

// copyVersion is the repair that makes an earlier version live again.
func (a *auditor) copyVersion(key, version, text string) *Repair {
	r := &Repair{Kind: "copy-version", Text: strings.TrimSpace(text + " Copy it over the key.")}
	if name, ok := a.s3Name(); ok {
		source := url.PathEscape(name) + "/" + strings.ReplaceAll(url.PathEscape(key), "%2F", "/") + "?versionId=" + strings.ReplaceAll(url.QueryEscape(version), "+", "%20")
		r.Command = fmt.Sprintf("aws s3api copy-object --bucket %s --key %s --copy-source %s", safe.Shell(name), safe.Shell(key), safe.Shell(source))
	}
	return r
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
	name, ok := a.s3Name()
	if !ok || n < 1 || n > commit.MaxNumber {
		return r // an orphan may claim any number
	}
	body := commit.EncodeEntry(commit.Entry{Commit: c.id, Folder: c.header.Folder, HasFolder: true, Number: n, Time: c.header.Time})
	r.Command = fmt.Sprintf("printf %%s %s > entry.json && aws s3api put-object --bucket %s --key %s --body entry.json --if-none-match '*'",
		safe.Shell(string(body)), safe.Shell(name), safe.Shell(commit.SlotKey(l.hash, n)))
	return r
}
