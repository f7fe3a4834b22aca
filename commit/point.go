package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// commit is steps 4 to 6. again: another writer was faster.
func (w *writer) commit(ctx context.Context, p Plan) (again bool, err error) {
	head := p.Head
	w.report(Progress{Stage: StageTime})
	h := Header{Folder: w.folder, Number: head.Number + 1, Parent: head.Entry.Commit, Author: w.o.Author, Message: w.o.Message}
	if h.Time, err = w.time(ctx, p); err != nil {
		return false, err
	}

	w.report(Progress{Stage: StageObject})
	body, id, err := spool(h, p.Snapshot)
	if err != nil {
		return false, w.nothing(err)
	}
	defer func() { _ = body.Close() }() // a temporary file of ours
	if err := fits(ctx, w.folder, body); err != nil {
		return false, w.nothing(err)
	}
	w.tried[id] = true
	w.res.Number, w.res.ID, w.res.Parent, w.res.Time = h.Number, id, h.Parent, h.Time
	if err := w.putObject(ctx, id, body); err != nil {
		return false, err
	}

	w.report(Progress{Stage: StagePoint})
	now, err := w.checkHead(ctx)
	if err != nil {
		return false, err
	}
	if now.Number != head.Number || now.Entry.Commit != head.Entry.Commit {
		return true, nil
	}
	entry := EncodeEntry(Entry{Commit: id, Folder: w.folder, HasFolder: true, Number: h.Number, Time: h.Time})
	if err := ctx.Err(); err != nil {
		return false, w.nothing(err)
	}
	landed, err := w.putEntry(ctx, EntryKey(w.folder, h.Number), entry)
	if err != nil {
		return false, err
	}
	if !landed {
		return true, nil
	}
	w.report(Progress{Stage: StageCheck})
	return false, w.lookAfter(ctx, now)
}

// passed holds the buckets whose store has shown in this process that it looks
// at conditions.
var passed sync.Map // bucket.Bucket → true

// setPassed notes what the store has shown. A bucket that cannot be a map's key
// is tested at every commit.
func (w *writer) setPassed(yes bool) {
	switch {
	case !reflect.TypeOf(w.b).Comparable():
	case yes:
		passed.Store(w.b, true)
	default:
		passed.Delete(w.b)
	}
}

func (w *writer) hasPassed() bool {
	if !reflect.TypeOf(w.b).Comparable() {
		return false
	}
	_, ok := passed.Load(w.b)
	return ok
}

// putObject is step 4's write: the commit object, and the store's test.
func (w *writer) putObject(ctx context.Context, id string, body io.ReadSeeker) error {
	key := CommitKey(id)
	err := w.putClear(ctx, key, body)
	switch {
	case errors.Is(err, bucket.ErrExists):
		// Most likely this very put, whose first answer was lost.
		if _, err := Load(ctx, w.b, id, nil); err != nil {
			switch {
			case errors.Is(err, bucket.ErrNotFound):
				return w.contradicts(key, "the store refused it as if its key were taken, and has nothing there")
			case errUnread(err):
				return w.nothing(err)
			}
			return &WriteError{Reason: ReasonDamagedLog, ID: id, Err: err,
				Detail: fmt.Sprintf("the key of the new commit object is taken by something else, so nothing was committed: %v; look at it with: provcat-tui ls --all-versions %s",
					err, safe.Shell(w.b.URL()+"/"+key))}
		}
		w.setPassed(true)
		return nil
	case err != nil:
		return w.putFailed(id, err)
	}
	if w.hasPassed() {
		// No second put shows that the first one was kept.
		switch there, err := present(ctx, w.b, key); {
		case err != nil:
			return w.nothing(err)
		case !there:
			return w.contradicts(key, "the store said that it was written, and does not have it")
		}
		return nil
	}
	err = w.putClear(ctx, key, body)
	switch {
	case errors.Is(err, bucket.ErrExists):
		w.setPassed(true)
		return nil
	case err == nil:
		return &WriteError{Reason: ReasonConditions, ID: id,
			Detail: fmt.Sprintf("the store behind %s ignores conditional writes: it took the same commit object twice although the second put said If-None-Match; a commit would not be safe there, so the log was not touched; use a store with conditional writes",
				safe.Text(w.b.URL()))}
	}
	return w.putFailed(id, err)
}

// contradicts tells that the store's answers to the commit object's put and read cannot
// both be right.
func (w *writer) contradicts(key, what string) error {
	return w.nothing(&bucket.Error{Op: "create", Bucket: w.b.URL(), Key: key, Kind: bucket.ErrBadAnswer, Err: errors.New(what),
		Hint: "a store that contradicts itself is no place for commits: tell whoever runs it"})
}

// putFailed tells of a put with a clear answer: nothing was written.
func (w *writer) putFailed(id string, err error) error {
	if errors.Is(err, bucket.ErrUnsupported) {
		return &WriteError{Reason: ReasonConditions, ID: id, Err: err,
			Detail: "the store refuses conditional writes, which a commit needs, so the log was not touched: " + err.Error()}
	}
	return w.nothing(err)
}

// putClear puts the same bytes until the answer is clear, the time limit is over
// or ctx ends.
func (w *writer) putClear(ctx context.Context, key string, body io.ReadSeeker) error {
	end := time.Now().Add(w.o.TimeLimit)
	for n := 2; ; n++ {
		_, err := w.b.PutIfAbsent(ctx, key, body)
		if !errors.Is(err, bucket.ErrUnclear) || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		if err := w.o.Sleep(ctx, backoff(n)); err != nil {
			return err
		}
	}
}

// settleTime bounds the settling of a write whose context has ended.
const settleTime = 10 * time.Second

// putEntry is the commit point: step 5's write, repeated until it is clear
// whether this commit's entry landed. landed false without an error: another
// commit has the number. Any commit that this run tried counts as ours.
func (w *writer) putEntry(ctx context.Context, key string, entry []byte) (landed bool, err error) {
	end := time.Now().Add(w.o.TimeLimit)
	unclear := false
	for n := 2; ; n++ {
		_, err := w.b.PutIfAbsent(ctx, key, bytes.NewReader(entry))
		if err == nil {
			return true, nil
		}
		refused := errors.Is(err, bucket.ErrExists)
		unclear = unclear || errors.Is(err, bucket.ErrUnclear)
		if !refused && !unclear {
			return false, w.putFailed(w.res.ID, err)
		}
		if ctx.Err() != nil {
			// Cancelled at the commit point: a little time to tell the truth.
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), settleTime)
			defer cancel()
			end = time.Now().Add(settleTime)
		}
		// Also after a clear "no": what was put before may have landed.
		landed, settled, rerr := w.readSlot(ctx, key, refused)
		if settled {
			return landed, rerr
		}
		if rerr != nil {
			unclear, err = true, rerr
		}
		// Absent, or not to be read: an earlier put may still arrive.
		if ctx.Err() != nil || time.Now().After(end) {
			return false, w.unclear(err)
		}
		w.report(Progress{Stage: StagePoint, Detail: "no clear answer from the store; asking again"})
		if serr := w.o.Sleep(ctx, backoff(n)); serr != nil {
			return false, w.unclear(err)
		}
	}
}

// readSlot reads the slot after an answer that needs it. settled false: nothing
// is there yet, or (with an error) it could not be read.
func (w *writer) readSlot(ctx context.Context, key string, refused bool) (landed, settled bool, err error) {
	e, err := LoadEntry(ctx, w.b, key, "")
	switch {
	case err == nil && w.tried[e.Commit]:
		w.res.ID = e.Commit
		return true, true, nil
	case err == nil:
		w.taken = w.res.Number
		return false, true, nil
	case errors.Is(err, ErrEntry):
		return false, true, w.damagedSlot(key, err)
	case errors.Is(err, bucket.ErrNotFound) && refused:
		return false, true, w.damagedSlot(key, errors.New("the store refused the entry, and yet no version of it is live"))
	case errors.Is(err, bucket.ErrNotFound):
		return false, false, nil
	}
	return false, false, err
}

func (w *writer) damagedSlot(key string, cause error) error {
	return w.damagedLog(damaged(w.b, w.folder, Slot{Number: w.res.Number, Key: key}, cause))
}

func (w *writer) unclear(err error) error {
	return &WriteError{Reason: ReasonUnclear, Unclear: true, ID: w.res.ID, Number: w.res.Number, Err: err,
		Detail: fmt.Sprintf("it is unclear whether commit %d of %s (%s) became visible: %v; it did if its log names that commit; ask later with: provcat-tui log %s",
			w.res.Number, folderName(w.folder), w.res.ID, err, folderURL(w.b, w.folder))}
}

// lookAfter is step 6: slot N as before, and slot N+1 with one version, ours.
func (w *writer) lookAfter(ctx context.Context, head Slot) error {
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), settleTime)
		defer cancel()
	}
	w.res.Committed = true
	hash := FolderHash(w.folder)
	n := head.Number + 1
	var before, ours Slot
	for s, err := range slots(ctx, w.b, bucket.Range{Prefix: LogPrefix(hash),
		After: SlotKey(hash, min(n+1, MaxNumber)), Through: SlotKey(hash, max(head.Number, 1))}) {
		if err != nil {
			return w.unchecked(err)
		}
		switch s.Number {
		case n:
			ours = s
		case head.Number:
			before = s
		}
	}
	if len(ours.Versions) == 0 {
		return w.unlisted(ctx, n)
	}
	ours = ours.read(ctx, w.b).rest(ctx, w.b, hash)
	switch {
	case errUnread(ours.Err):
		return w.unchecked(ours.Err)
	case ours.moving():
		return w.unchecked(errMoved)
	case ours.Err != nil:
		w.res.Committed = false
		return w.damageAfter(fmt.Sprintf("entry %d was written, and cannot be read now: %v", n, ours.Err))
	case ours.Entry.Commit != w.res.ID:
		w.res.Committed = false
		return w.damageAfter(fmt.Sprintf("entry %d was written, and now names the commit %s of another writer", n, ours.Entry.Commit))
	case len(ours.Versions) != 1:
		return w.damageAfter(fmt.Sprintf("entry %d has %d versions and markers where one should be: %s", n, len(ours.Versions), w.others(ctx, ours)))
	case head.Number > 0 && !sameVersions(before.Versions, head.Versions):
		return w.damageAfter(fmt.Sprintf("entry %d, which names its parent %s, was changed meanwhile", head.Number, head.Entry.Commit))
	case ours.Versions[0].ID == bucket.NullID:
		w.warn(fmt.Sprintf("commit %d of %s was written, but its log entry is the version \"null\": the bucket's versioning was suspended meanwhile, and the next write to that key would destroy it; switch versioning on and run: %s",
			w.res.Number, folderName(w.folder), auditCommand(w.b, w.folder)))
	}
	return nil
}

// unlisted tells of an entry that was written, and that a listing does not show.
func (w *writer) unlisted(ctx context.Context, n int64) error {
	switch e, err := LoadEntry(ctx, w.b, EntryKey(w.folder, n), ""); {
	case errUnread(err):
		return w.unchecked(err)
	case err == nil && e.Commit == w.res.ID:
		return w.damageAfter(fmt.Sprintf("entry %d was written and can be read, but the store does not list it: its listings are behind, and other writers may not see this commit", n))
	case err == nil:
		w.res.Committed = false
		return w.damageAfter(fmt.Sprintf("entry %d was written, and now names the commit %s of another writer", n, e.Commit))
	default:
		w.res.Committed = false
		return w.damageAfter(fmt.Sprintf("the store said that entry %d was written, and has none that can be read: %v", n, err))
	}
}

// others names the commits that the noncurrent versions of a slot name.
func (w *writer) others(ctx context.Context, s Slot) string {
	text := ""
	for _, v := range s.Versions {
		if v.DeleteMarker || v.Live() {
			continue
		}
		if text != "" {
			text += ", "
		}
		if e, err := LoadEntry(ctx, w.b, s.Key, v.ID); err != nil {
			text += "an older one could not be read"
		} else {
			text += "an older one names the commit " + e.Commit
		}
	}
	if text == "" {
		return "it was deleted before"
	}
	return text
}

func sameVersions(a, b []bucket.Version) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || a[i].DeleteMarker != b[i].DeleteMarker {
			return false
		}
	}
	return true
}

// unchecked reports a commit that stands but could not be looked at.
func (w *writer) unchecked(err error) error {
	w.res.Committed = true
	w.warn(fmt.Sprintf("commit %d of %s was written, but its log could not be looked at afterwards: %v; check it with: %s",
		w.res.Number, folderName(w.folder), err, auditCommand(w.b, w.folder)))
	return nil
}

func (w *writer) damageAfter(what string) error {
	w.setPassed(false)
	return &WriteError{Reason: ReasonDamageAfter, ID: w.res.ID, Number: w.res.Number, Err: bucket.ErrDamaged,
		Detail: fmt.Sprintf("commit %d of %s (%s): %s; the log is damaged, stop other writers and run: %s",
			w.res.Number, folderName(w.folder), w.res.ID, what, auditCommand(w.b, w.folder))}
}
