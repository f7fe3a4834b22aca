package audit

import (
	"context"
	"slices"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// judgeTwice judges the facts, reads afresh what looks wrong, and judges again.
// Only what both judgements say is reported: what changed in between is a writer
// at work, or damage done just now, and left to the next run.
func (a *auditor) judgeTwice(ctx context.Context) ([]Finding, error) {
	first := a.judge()
	a.mu.Lock()
	a.findings = len(first)
	a.mu.Unlock()
	s := a.suspectsOf(first)
	if len(s.logs)+len(s.commits) == 0 {
		return first, nil
	}
	a.step("confirming", 0, int64(len(s.commits)+len(s.logs)))
	defer a.budget.secondLook()()
	unread := s.lateIn()
	// The objects before the logs, as in the first listing.
	err := a.each(ctx, len(s.commits), func(i int) { a.refreshCommit(ctx, s.commits[i]) })
	if err != nil {
		return nil, err
	}
	if err := a.refreshLogs(ctx, s); err != nil {
		return nil, err
	}
	again := map[string]bool{}
	for _, f := range first {
		again[f.Fingerprint] = true
		// An entry that only the second look could read tells its commit, and so
		// changes the fingerprint: the slot is the same.
		if _, _, ok := commit.ParseSlotKey(f.Key); ok {
			again[f.ID+"\x00"+f.Key] = true
		}
	}
	a.tellLate(unread)
	return slices.DeleteFunc(a.judge(), func(f Finding) bool {
		// What the witness misses is compared entry by entry, for some may be back.
		return !again[f.Fingerprint] && !again[f.ID+"\x00"+f.Key] && f.ID != "witness-regressed"
	}), nil
}

// suspects are what looks wrong at first sight.
type suspects struct {
	logs    []*logFacts
	commits []*commitFacts
	slots   map[string]bool // keys that a finding shows: their entries are read again
}

func (a *auditor) suspectsOf(findings []Finding) suspects {
	out := suspects{slots: map[string]bool{}}
	seen := map[string]bool{}
	log := func(hash string) {
		if !seen[hash] {
			seen[hash] = true
			out.logs = append(out.logs, a.f.log(hash))
		}
	}
	object := func(id string) {
		if c := a.f.commits[id]; c != nil && a.f.objects && !seen[id] {
			seen[id] = true
			out.commits = append(out.commits, c)
		}
	}
	for _, f := range findings {
		if f.Severity == Info {
			continue
		}
		for _, key := range append(keysOf(f.Evidence), f.Key) {
			if hash, _, ok := commit.ParseSlotKey(key); ok {
				log(hash)
				out.slots[key] = true
			} else if hash := foreignLog(key); hash != "" {
				log(hash)
			}
			if id, ok := commit.ParseCommitKey(key); ok {
				object(id)
			}
		}
		if !aboutTime(f.ID) { // what a commit object says of its time never changes
			object(f.Commit)
			for _, c := range f.Affected.Commits {
				object(c.ID)
			}
		}
		if f.Folder != nil {
			hash := commit.FolderHash(*f.Folder)
			log(hash)
			// There may be no entry of it yet: a first commit whose writer is at work.
			l := a.f.log(hash)
			l.folder, l.known = *f.Folder, true
		}
	}
	for k := range a.lost {
		out.slots[commit.SlotKey(k.hash, k.number)] = true
	}
	return out
}

func keysOf(es []Evidence) []string {
	var out []string
	for _, e := range es {
		out = append(out, e.Key)
	}
	return out
}

// refreshCommit lists and reads one commit object afresh.
func (a *auditor) refreshCommit(ctx context.Context, c *commitFacts) {
	c.header = nil
	vs, err := a.versionsOf(ctx, commit.CommitKey(c.id))
	if err != nil {
		c.unread(err)
		return
	}
	c.listed(vs)
	a.readCommit(ctx, c, nil, newGate(1))
}

// refreshLogs lists logs afresh, side by side, and reads their entries, those
// that were written since too.
func (a *auditor) refreshLogs(ctx context.Context, s suspects) error {
	fresh := make([]*logFacts, len(s.logs))
	err := a.each(ctx, len(s.logs), func(i int) { fresh[i] = a.relistLog(ctx, s.logs[i], s.slots) })
	if err != nil {
		return err
	}
	var unread []*slotFacts
	for i, l := range fresh {
		*s.logs[i] = *l
		for _, x := range l.slots {
			if slices.ContainsFunc(x.versions, func(v entryVersion) bool { return !v.DeleteMarker && v.entry.Commit == "" }) {
				unread = append(unread, x)
			}
		}
	}
	return a.readEntries(ctx, unread)
}

// relistLog lists a log. Entries that no finding shows are not read again where
// their slot is as it was: a version never changes. Where the listing fails the
// log is as before, but broken.
func (a *auditor) relistLog(ctx context.Context, was *logFacts, suspect map[string]bool) *logFacts {
	known := map[string][]entryVersion{}
	for _, s := range was.slots {
		if !suspect[s.key] {
			known[s.key] = s.versions
		}
	}
	fresh := *was
	fresh.slots, fresh.foreign = nil, nil
	var slot *slotFacts
	for v, err := range a.b.Versions(ctx, bucket.Range{Prefix: commit.LogPrefix(was.hash), Ahead: true}) {
		if err != nil {
			fresh = *was
			fresh.broken = err
			return &fresh
		}
		_, n, ok := commit.ParseSlotKey(v.Key)
		if !ok {
			if v.Live() && len(fresh.foreign) < maxForeign {
				fresh.foreign = append(fresh.foreign, v)
			}
			continue
		}
		if slot == nil || slot.key != v.Key {
			slot = &slotFacts{number: n, key: v.Key}
			fresh.slots = append(fresh.slots, slot)
		}
		x := entryVersion{Version: v}
		for _, k := range known[v.Key] {
			if k.ID == v.ID && k.Modified.Equal(v.Modified) && k.ETag == v.ETag && k.parsed() {
				x.entry = k.entry
			}
		}
		slot.versions = append(slot.versions, x)
	}
	return &fresh
}
