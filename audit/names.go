package audit

import (
	"context"
	"errors"

	"provcat-tui/commit"
)

// nameByEntries names logs from their entries. Only a name whose hash is the
// log's counts.
func (a *auditor) nameByEntries() {
	whole := commit.FolderHash("")
	for _, l := range a.f.logs {
		if l.hash == whole {
			l.known = true // the whole bucket's name is empty
			continue
		}
		if a.o.Folder != "" && l.hash == commit.FolderHash(a.o.Folder) {
			l.folder, l.known = a.o.Folder, true
			continue
		}
		for _, s := range l.slots {
			for _, v := range s.versions {
				if !l.known && v.parsed() && v.entry.HasFolder && commit.FolderHash(v.entry.Folder) == l.hash {
					l.folder, l.known = v.entry.Folder, true
				}
			}
		}
	}
}

var errNoWalk = errors.New("to find them the whole bucket would have to be listed, which an audit with an inventory report doesn't do")

// namingReads bounds the commit objects that are read for a log's name.
const namingReads = 3

// nameByHeaders names the logs whose entries tell no folder from the commits that
// their newest entries name.
func (a *auditor) nameByHeaders(ctx context.Context) error {
	var nameless []*logFacts
	for _, l := range a.f.logs {
		if !l.known && len(l.slots) > 0 {
			nameless = append(nameless, l)
		}
	}
	return a.each(ctx, len(nameless), func(i int) {
		l := nameless[i]
		tried := map[string]bool{}
		for _, s := range l.slots {
			for _, id := range s.distinct() {
				if tried[id] || len(tried) == namingReads {
					continue
				}
				tried[id] = true
				h, err := commit.LoadHeader(ctx, a.b, id)
				if err == nil && commit.FolderHash(h.Folder) == l.hash {
					l.folder, l.known = h.Folder, true
					return
				}
			}
			if len(tried) == namingReads {
				return
			}
		}
	})
}

// nameTheRest names logs from commit objects, and at last by hashing the folders
// that exist, which walks the bucket.
func (a *auditor) nameTheRest(ctx context.Context) error {
	for _, c := range a.f.commits {
		if c.header == nil {
			continue
		}
		if l := a.f.logs[commit.FolderHash(c.header.Folder)]; l != nil && !l.known {
			l.folder, l.known = c.header.Folder, true
		}
	}
	nameless := false
	for _, l := range a.f.logs {
		nameless = nameless || !l.known && len(l.slots) > 0
	}
	if !nameless || a.o.Depth == DepthLog || a.o.Depth == DepthCommits {
		return nil
	}
	if a.o.Inventory != nil { // a walk over the bucket is what it is to spare
		a.f.namesUnknown = true
		a.t.add("folders of logs without a name", "", nil, errNoWalk)
		return nil
	}
	for ref, err := range commit.AllLogs(ctx, a.b, a.o.Concurrency, true) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a.f.namesUnknown = true
			a.t.add("folders of logs without a name", "", nil, err)
			return nil
		}
		if l := a.f.logs[ref.Hash]; l != nil && ref.Known && !l.known {
			l.folder, l.known = ref.Folder, true
		}
	}
	return nil
}
