package audit

import (
	"bytes"
	"context"
	"fmt"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// PlanEntry plans to write a lost log entry again, with put-if-absent, from the
// commit object that it named.
func PlanEntry(ctx context.Context, b bucket.Bucket, folder string, number int64, id string) (*RepairPlan, error) {
	if number < 1 || number > commit.MaxNumber || !commit.ValidID(id) {
		return nil, refused("a log entry has a number from 1 on and names a commit by 64 lowercase hex digits")
	}
	t := target{b: b, key: commit.EntryKey(folder, number), hash: commit.FolderHash(folder), number: number}
	p, err := t.plan(ctx, "entry")
	if err != nil {
		return nil, err
	}
	p.again = func(ctx context.Context) (*RepairPlan, error) { return PlanEntry(ctx, b, folder, number, id) }
	if err := writable(ctx, b); err != nil {
		return nil, err
	}
	for i := range p.seen {
		switch v := &p.seen[i]; {
		case v.Live():
			return nil, refused("entry %d is there: version %s %s", number, safe.Text(v.ID), safe.Text(v.note))
		case v.err != nil:
			return nil, fmt.Errorf("an older version of the entry could not be read, so nothing was written: %w", v.err)
		case v.named != "" && v.named != id:
			return nil, refused("an older version of the entry, %s, %s: to write another commit there would make a second history", safe.Text(v.ID), safe.Text(v.note))
		}
	}
	o, err := commit.Load(ctx, b, id, nil)
	switch h := o.Header; {
	case goneOrBad(err):
		return nil, refused("the commit object is needed, and is not sound: %v", err)
	case err != nil:
		return nil, fmt.Errorf("the commit object could not be read, so nothing was written: %w", err)
	case h.Folder != folder:
		return nil, refused("commit %s is of the folder %q, not of %q", commit.ShortID(id), safe.Text(h.Folder), safe.Text(folder))
	case h.Number != 0 && h.Number != number:
		return nil, refused("commit %s says that it has the number %d, not %d", commit.ShortID(id), h.Number, number)
	}
	anchored, notes, err := t.fits(ctx, id, &o.Header)
	if err != nil {
		return nil, err
	}
	if !anchored {
		return nil, refused("neither entry %d nor entry %d is there to show that commit %s belongs between them: write the entries next to one that is there first", number-1, number+1, commit.ShortID(id))
	}
	p.Notes = append(p.Notes, notes...)
	if len(p.seen) > 0 {
		p.Notes = append(p.Notes, "a delete marker lies on the key; put-if-absent succeeds over it, and the marker stays in the history")
	}
	body := commit.EncodeEntry(commit.Entry{Commit: id, Folder: folder, HasFolder: true, Number: number, Time: o.Header.Time})
	p.Will = []string{fmt.Sprintf("write entry %d, which names commit %s, if nothing is live there: %s", number, id, body)}
	p.After = fmt.Sprintf("Entry %d names commit %s.", number, id)
	p.Mends = fmt.Sprintf("entry %d of %q is lost: readers do not find its commit", number, folder)
	if head, _, err := t.highest(ctx); err != nil {
		return nil, err
	} else if number > head {
		p.Mends = fmt.Sprintf("no entry %d of %q names the commit: it was lost, or never written", number, folder)
		p.Notes = append(p.Notes, fmt.Sprintf("it becomes the newest commit, which readers get from now on, and that cannot be taken back: do it only if commit %s was reported as done, for a writer that crashed leaves such a commit too", commit.ShortID(id)))
		if next := t.child(ctx, id); next != "" {
			p.Notes = append(p.Notes, "another commit follows it, whose entry is missing too: "+next+"; write that one next")
		}
	}
	p.write = func(ctx context.Context) error { return t.putAbsent(ctx, bytes.NewReader(body)) }
	p.holds = func(now []seenVersion) bool {
		l := live(now)
		return l != nil && l.named == id && len(now) == len(p.seen)+1
	}
	return p, nil
}
