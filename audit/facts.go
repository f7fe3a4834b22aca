package audit

import (
	"context"
	"errors"
	"slices"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// The audit works on facts: what the listings said and what was read, nothing
// concluded. The rules (files rules_*.go) are functions of the facts alone, so
// that a finding is confirmed by reading its facts afresh and judging again.

// An entryVersion is one version of a slot. A delete marker has neither entry nor
// err.
type entryVersion struct {
	bucket.Version
	entry commit.Entry
	err   error
}

// parsed says that the version was read and is a log entry.
func (v entryVersion) parsed() bool { return !v.DeleteMarker && v.err == nil }

// A slotFacts is one slot: all versions of its key, newest first.
type slotFacts struct {
	number   int64
	key      string
	versions []entryVersion
}

// bodies are the versions that are no markers.
func (s *slotFacts) bodies() []entryVersion {
	var out []entryVersion
	for _, v := range s.versions {
		if !v.DeleteMarker {
			out = append(out, v)
		}
	}
	return out
}

// live gives the live version; ok is false where the newest is a marker.
func (s *slotFacts) live() (v entryVersion, ok bool) {
	if len(s.versions) == 0 || s.versions[0].DeleteMarker {
		return v, false
	}
	return s.versions[0], true
}

// underMarkers gives the live version, or the one that would be live if the markers
// over it were removed.
func (s *slotFacts) underMarkers() (v entryVersion, ok bool) {
	i := slices.IndexFunc(s.versions, func(v entryVersion) bool { return !v.DeleteMarker })
	if i < 0 {
		return v, false
	}
	return s.versions[i], true
}

// named is the commit that the slot's newest log entry names, hidden or not;
// empty: unknown.
func (s *slotFacts) named() string {
	if s == nil {
		return ""
	}
	for _, v := range s.versions {
		if v.parsed() {
			return v.entry.Commit
		}
	}
	return ""
}

// distinct are the commits that the slot's versions name, newest first.
func (s *slotFacts) distinct() []string {
	var out []string
	for _, v := range s.versions {
		if v.parsed() && !slices.Contains(out, v.entry.Commit) {
			out = append(out, v.entry.Commit)
		}
	}
	return out
}

// A logFacts is one log, its slots in descending order of number.
type logFacts struct {
	hash    string
	folder  string // only if known
	known   bool
	slots   []*slotFacts
	foreign []bucket.Version // live keys under the log's prefix that are no slots
	// head is the highest slot of the first listing; 0: none. What is above it was
	// written while the audit ran and counts for the second judgement only.
	head int64
	// broken is why the log could not be listed a second time: nothing is said of
	// it then. nil: it could, or there was no need.
	broken error
}

// top is the number of the highest slot; 0: there is none.
func (l *logFacts) top() int64 {
	if len(l.slots) == 0 {
		return 0
	}
	return l.slots[0].number
}

// at finds a slot by number; nil: nothing is there.
func (l *logFacts) at(n int64) *slotFacts {
	i, ok := slices.BinarySearchFunc(l.slots, n, func(s *slotFacts, n int64) int {
		switch {
		case s.number > n:
			return -1
		case s.number < n:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return l.slots[i]
}

// An objectVersion is one version of a commit object.
type objectVersion struct {
	bucket.Version
	read bool
	obj  commit.Object // ID is the hash of the bytes, if read
	err  error         // of reading, or commit.ErrFormat
}

// good says that the bytes are those of the commit.
func (v objectVersion) good(id string) bool { return v.read && v.obj.ID == id }

// A commitFacts is one commit: all versions of its object, newest first.
type commitFacts struct {
	id       string
	versions []objectVersion
	header   *commit.Header // from the newest version with the right hash
	// digest of the paths and versions of the files; only with header.
	digest uint64
	files  int64
	// What is wrong with the list of files, for a person; empty: nothing.
	invalid string
}

// newest gives the newest version that is no marker.
func (c *commitFacts) newest() *objectVersion {
	for i := range c.versions {
		if !c.versions[i].DeleteMarker {
			return &c.versions[i]
		}
	}
	return nil
}

// listed takes the versions from a listing; nothing of them is read yet.
func (c *commitFacts) listed(vs []bucket.Version) {
	c.versions = nil
	for _, v := range vs {
		c.versions = append(c.versions, objectVersion{Version: v})
	}
}

// unread says that whether the object is there could not be learned.
func (c *commitFacts) unread(err error) {
	c.versions = []objectVersion{{Version: bucket.Version{Key: commit.CommitKey(c.id), Latest: true}, err: err}}
}

// state of a commit object.
type state int

const (
	sound         state = iota
	missing             // no version
	deleted             // the newest version is a marker
	corrupt             // the live bytes have another hash
	unknownFormat       // right hash, no commit that can be read
	unreadable          // could not be read
)

func (c *commitFacts) state() state {
	v := c.newest()
	switch {
	case v == nil && len(c.versions) == 0:
		return missing
	case v == nil || c.versions[0].DeleteMarker:
		return deleted
	case !v.read:
		return unreadable
	case v.obj.ID != c.id:
		return corrupt
	case v.err != nil:
		return unknownFormat
	}
	return sound
}

// facts is all that is known under .provcat/.
type facts struct {
	logs    map[string]*logFacts    // by folder hash
	commits map[string]*commitFacts // by ID: listed, or named by an entry
	foreign []bucket.Version        // live keys outside of logs that are none of the layout's
	// objects says that the commit objects were read (depth commits and deeper).
	objects  bool
	settings bucket.Settings
	// namesUnknown says that the walk which names logs failed.
	namesUnknown bool
}

// rules gives the bucket's lifecycle rules; known is false where they could not
// be read. A store that has none at all is known to have none.
func (f *facts) rules() (rules []bucket.Rule, known bool) {
	err := f.settings.LifecycleErr
	return f.settings.Lifecycle, err == nil || errors.Is(err, bucket.ErrUnsupported)
}

func (f *facts) log(hash string) *logFacts {
	l := f.logs[hash]
	if l == nil {
		l = &logFacts{hash: hash}
		f.logs[hash] = l
	}
	return l
}

func (f *facts) commit(id string) *commitFacts {
	c := f.commits[id]
	if c == nil {
		c = &commitFacts{id: id}
		f.commits[id] = c
	}
	return c
}

// list lists everything under .provcat/ in one pass. Commit objects come before
// the logs, as their keys sort: a commit object that was listed before its entry
// was written is then seen as named, so a writer at work leaves no false orphan;
// an entry whose commit object came after the listing of objects is caught when
// the object is read afresh.
func (a *auditor) list(ctx context.Context) error {
	var slot *slotFacts
	for v, err := range a.b.Versions(ctx, bucket.Range{Prefix: commit.Root, Ahead: true}) {
		if err != nil {
			return err
		}
		if id, ok := commit.ParseCommitKey(v.Key); ok {
			c := a.f.commit(id)
			c.versions = append(c.versions, objectVersion{Version: v})
			continue
		}
		hash, n, ok := commit.ParseSlotKey(v.Key)
		if !ok {
			a.foreign(v)
			continue
		}
		if slot == nil || slot.key != v.Key {
			slot = &slotFacts{number: n, key: v.Key}
			l := a.f.log(hash)
			l.slots = append(l.slots, slot)
		}
		slot.versions = append(slot.versions, entryVersion{Version: v})
		a.step("logs", int64(len(a.f.logs)), 0)
	}
	for _, l := range a.f.logs {
		l.head = l.top()
	}
	return nil
}

// maxForeign bounds the foreign keys that are kept as evidence of one place.
const maxForeign = 10_000

func (a *auditor) foreign(v bucket.Version) {
	if !v.Live() {
		return
	}
	into := &a.f.foreign
	if hash := foreignLog(v.Key); hash != "" {
		into = &a.f.log(hash).foreign
	}
	if len(*into) < maxForeign {
		*into = append(*into, v)
	}
}

// foreignLog gives the log under whose prefix a key lies; empty: none.
func foreignLog(key string) string {
	const at = len(commit.Logs)
	if len(key) > at+64 && key[:at] == commit.Logs && key[at+64] == '/' && commit.ValidID(key[at:at+64]) {
		return key[at : at+64]
	}
	return ""
}
