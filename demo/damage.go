package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
)

// A Plant is one thing that is wrong in the demo bucket, and the finding by
// which the audit tells it.
type Plant struct {
	Finding string // the finding's ID
	Damage  bool   // its severity is damage
	Folder  string
	Number  int64 // the log entry or commit that it is about
	Story   string
}

// Planted is all that is wrong in the demo bucket.
var Planted = []Plant{
	{"log-entry-deleted", true, orders, 7, "somebody who freed space deleted an entry in the middle"},
	{"log-entry-deleted", true, churn, 10, "and the newest entry of another folder"},
	{"log-entry-remade", true, sales, 6, "an entry was deleted, and an older tool that does not look made it anew"},
	{"commit-missing", true, events, 9, "a commit object is gone with all its versions"},
	{"version-missing", true, events, 4, "a lifecycle rule removed the March rollup that commits 2 to 4 name"},
	{"commit-lost-race", false, orders, 11, "ben and dora committed at once, and dora won"},
	{"commit-unfinished", false, events, 14, "a laptop was shut between the two writes of a commit"},
	{"log-entry-restored", false, events, 6, "an entry was deleted and put back"},
}

// damage does what nobody should, the night after the last day.
func (m *maker) damage() error {
	if err := m.at(lastDay.AddDate(0, 0, 1), "01:10"); err != nil {
		return err
	}
	for _, key := range []string{commit.EntryKey(orders, 7), commit.EntryKey(churn, 10), commit.EntryKey(events, 6)} {
		if err := m.remove(key); err != nil {
			return err
		}
	}
	if err := m.eraseCommit(events, 9); err != nil {
		return err
	}
	return m.restoreEntry(events, 6)
}

// eraseCommit removes every version of the commit object that an entry names.
func (m *maker) eraseCommit(folder string, number int64) error {
	entry, err := commit.LoadEntry(m.ctx, m.b, commit.EntryKey(folder, number), "")
	if err != nil {
		return err
	}
	return m.erase(commit.CommitKey(entry.Commit), func([]bucket.Version) int { return 0 })
}

// erase removes versions for good: of each key under prefix those from the
// index on that from gives (its argument: the key's versions, newest first).
func (m *maker) erase(prefix string, from func([]bucket.Version) int) error {
	var all []bucket.Version
	for v, err := range m.b.Versions(m.ctx, bucket.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		all = append(all, v)
	}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(v bucket.Version) bool { return v.Key != all[0].Key })
		if n < 0 {
			n = len(all)
		}
		for _, v := range all[:n][from(all[:n]):] {
			if err := m.b.DeleteVersion(m.ctx, v.Key, v.ID); err != nil {
				return err
			}
		}
		all = all[n:]
	}
	return nil
}

// restoreEntry puts a deleted entry back, as the audit advises.
func (m *maker) restoreEntry(folder string, number int64) error {
	key := commit.EntryKey(folder, number)
	for v, err := range m.b.Versions(m.ctx, bucket.Range{Prefix: key}) {
		if err != nil {
			return err
		}
		if v.DeleteMarker {
			continue
		}
		r, _, err := m.b.Open(m.ctx, key, v.ID, 0)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(r)
		if closed := r.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		_, err = m.b.PutIfAbsent(m.ctx, key, bytes.NewReader(body))
		return err
	}
	return fmt.Errorf("%s has no version to put back", key)
}

// The rule keeps the bucket small, and is what makes three commits unreadable.
const (
	ruleID     = "trim-rollups"
	rulePrefix = events + "/rollup/"
	ruleDays   = 30
)

// restateRollup writes March again, after the commits that name its first form.
func (m *maker) restateRollup() error {
	return m.rollUp(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), false)
}

func (m *maker) setRule() error {
	return m.b.SetLifecycle(m.ctx, []bucket.Rule{
		{ID: ruleID, Enabled: true, Prefix: rulePrefix, NoncurrentDays: ruleDays},
		{ID: "abort-uploads", Enabled: true, AbortUploadsDays: 7},
	})
}

// ruleRuns does what the store does by the rule: the file does not act on it.
func (m *maker) ruleRuns() error {
	due := m.tick().AddDate(0, 0, -ruleDays)
	return m.erase(rulePrefix, func(versions []bucket.Version) int {
		for i := 1; i < len(versions); i++ {
			if !versions[i-1].Modified.After(due) {
				return i // it became noncurrent when its successor was made
			}
		}
		return len(versions)
	})
}

// remake deletes the newest entry of sales; in the same night the older tool
// takes its slot for free.
func (m *maker) remake() error {
	if err := m.remove(commit.EntryKey(sales, 6)); err != nil {
		return err
	}
	m.pass(2 * time.Hour)
	return m.oldTool(sales, "nightly-export", "Nightly export")
}

// oldTool commits as a tool does that looks only at what is live: it meets no
// delete marker, and grows a damaged log.
func (m *maker) oldTool(folder, author, message string) error {
	var head commit.Entry
	for s, err := range commit.Log(m.ctx, m.b, commit.FolderHash(folder), 1) {
		if err != nil {
			return err
		}
		if s.Err == nil && s.Gap == 0 {
			head = s.Entry
			break
		}
	}
	snapshot, err := commit.Collect(m.ctx, m.b, folder, 1, nil)
	if err != nil {
		return err
	}
	h := commit.Header{Folder: folder, Number: head.Number + 1, Parent: head.Commit, Time: m.tick(), Author: author, Message: message}
	var object bytes.Buffer
	id, err := commit.Encode(&object, h, func(yield func(commit.File, error) bool) {
		for _, f := range snapshot.Files {
			if !yield(f, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if _, err := m.b.PutIfAbsent(m.ctx, commit.CommitKey(id), bytes.NewReader(object.Bytes())); err != nil {
		return err
	}
	entry := commit.EncodeEntry(commit.Entry{Commit: id, Folder: folder, HasFolder: true, Number: h.Number, Time: h.Time})
	_, err = m.b.PutIfAbsent(m.ctx, commit.EntryKey(folder, h.Number), bytes.NewReader(entry))
	return err
}

// before is a bucket where something happens just before a key is created.
type before struct {
	bucket.Bucket
	key  string
	then func() error
}

func (b *before) PutIfAbsent(ctx context.Context, key string, body io.ReadSeeker) (bucket.Version, error) {
	if key == b.key && b.then != nil {
		then := b.then
		b.then = nil
		if err := then(); err != nil {
			return bucket.Version{}, err
		}
	}
	return b.Bucket.PutIfAbsent(ctx, key, body)
}

// race lets dora in between the two writes of ben's commit.
func (m *maker) race() error {
	b := &before{m.b, commit.EntryKey(orders, 11), func() error {
		return m.commit(orders, "dora", "Mid-September for the board")
	}}
	r, err := m.write(m.ctx, b, orders, "ben", "Orders to mid-September")
	if err == nil && r.Committed {
		err = fmt.Errorf("ben's commit %d came after the same files of dora's", r.Number)
	}
	return err
}

// crash ends a writer between its two writes.
func (m *maker) crash() error {
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	b := &before{m.b, commit.EntryKey(events, 14), func() error {
		cancel()
		return ctx.Err()
	}}
	if _, err := m.write(ctx, b, events, "dora", "Events to 20 November"); err == nil {
		return fmt.Errorf("the writer of %s did not end", events)
	}
	return m.ctx.Err()
}
