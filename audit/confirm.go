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
	logs, commits := map[string]bool{}, map[string]bool{}
	for _, f := range first {
		if f.Severity == Info {
			continue
		}
		for _, e := range append(f.Evidence, Evidence{Key: f.Key}) {
			if hash, _, ok := commit.ParseSlotKey(e.Key); ok {
				logs[hash] = true
			}
			if id, ok := commit.ParseCommitKey(e.Key); ok {
				commits[id] = true
			}
		}
		if f.Commit != "" && a.f.objects {
			commits[f.Commit] = true
		}
		if f.Folder != nil {
			logs[commit.FolderHash(*f.Folder)] = true
		}
	}
	if len(logs)+len(commits) == 0 {
		return first, nil
	}
	// The objects before the logs, as in the first listing.
	var ids []string
	for id := range commits {
		if c := a.f.commits[id]; c != nil {
			ids = append(ids, id)
		}
	}
	a.step("confirming", 0, int64(len(ids)+len(logs)))
	err := a.each(ctx, len(ids), func(i int) { a.refreshCommit(ctx, a.f.commits[ids[i]]) })
	if err != nil {
		return nil, err
	}
	for hash := range logs {
		if l := a.f.logs[hash]; l != nil {
			if err := a.refreshLog(ctx, l); err != nil {
				return nil, err
			}
		}
	}
	again := map[string]bool{}
	for _, f := range first {
		again[f.Fingerprint] = true
	}
	return slices.DeleteFunc(a.judge(), func(f Finding) bool { return !again[f.Fingerprint] }), nil
}

// refreshCommit lists and reads one commit object afresh.
func (a *auditor) refreshCommit(ctx context.Context, c *commitFacts) {
	vs, err := a.versionsOf(ctx, commit.CommitKey(c.id))
	if err != nil {
		c.versions = []objectVersion{{Version: bucket.Version{Key: commit.CommitKey(c.id), Latest: true}, err: err}}
		c.header = nil
		return
	}
	c.versions = c.versions[:0]
	for _, v := range vs {
		c.versions = append(c.versions, objectVersion{Version: v})
	}
	a.readCommit(ctx, c, nil)
}

// refreshLog lists a log afresh and reads its entries. Entries above the head of
// the first listing are new and left to the next run.
func (a *auditor) refreshLog(ctx context.Context, l *logFacts) error {
	was := l.slots
	head := int64(0)
	if len(was) > 0 {
		head = was[0].number
	}
	known := map[string][]entryVersion{}
	for _, s := range was {
		known[s.key] = s.versions
	}
	fresh := &logFacts{hash: l.hash, folder: l.folder, known: l.known}
	var slot *slotFacts
	for v, err := range a.b.Versions(ctx, bucket.Range{Prefix: commit.LogPrefix(l.hash)}) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// Not confirmed, so nothing of this log is said but that.
			a.t.add("log entries", commit.LogPrefix(l.hash), nil, err)
			for _, s := range was {
				for i := range s.versions {
					s.versions[i].err = err
				}
			}
			return nil
		}
		_, n, ok := commit.ParseSlotKey(v.Key)
		if !ok {
			if v.Live() && len(fresh.foreign) < maxForeign {
				fresh.foreign = append(fresh.foreign, v)
			}
			continue
		}
		if n > head && head > 0 {
			a.newer(ctx, v)
			continue
		}
		if slot == nil || slot.key != v.Key {
			slot = &slotFacts{number: n, key: v.Key}
			fresh.slots = append(fresh.slots, slot)
		}
		slot.versions = append(slot.versions, entryVersion{Version: v})
	}
	if err := a.readEntries(ctx, fresh.slots); err != nil {
		return err
	}
	*l = *fresh
	return nil
}

// newer takes note of an entry that was written while the audit ran: what it
// names is no orphan.
func (a *auditor) newer(ctx context.Context, v bucket.Version) {
	if v.DeleteMarker {
		return
	}
	e, err := commit.LoadEntry(ctx, a.b, v.Key, v.ID)
	if err == nil {
		delete(a.f.commits, e.Commit)
	}
}
