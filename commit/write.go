package commit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/internal/safe"
)

// maxAttempts is how often a lost race is run again.
const maxAttempts = 10

// WriteOptions are the choices of a commit. The zero value is right, but for the
// message.
type WriteOptions struct {
	Author, Message string
	// DryRun stops before step 4: nothing is written, and the Result tells what
	// would be.
	DryRun bool
	// MaxSkew is how far the commit's time may lie ahead of the bucket's own
	// clock; 0: five minutes.
	MaxSkew time.Duration
	// TimeLimit bounds the settling of unclear answers to one write; 0: two
	// minutes.
	TimeLimit time.Duration
	// Concurrency is how many requests run side by side, of listings and of reads of
	// heads; 0: 16.
	Concurrency int
	// Now is the writer's clock; nil: time.Now.
	Now func() time.Time
	// Sleep waits between tries; nil: a timer.
	Sleep func(context.Context, time.Duration) error
	// Progress, if not nil, is told what is being done.
	Progress func(Progress)
}

// A Result is what a commit did, or with DryRun would do.
type Result struct {
	Committed bool
	Folder    string
	Number    int64  // the commit's; the head's where there was nothing to commit
	ID        string // likewise; empty with DryRun, and where there is no head
	Parent    string // empty: none
	Time      time.Time
	Files     int64
	Bytes     int64
	Versions  int64 // versions and markers in the last listing
	Listings  int   // of the last attempt
	Attempts  int
	// Warning is what a person should know although the commit stands; fit to be
	// shown. Empty: nothing.
	Warning string
	// With DryRun: the changes against the head.
	Added, Removed, ChangedFiles int64
}

// Reasons of a WriteError.
const (
	ReasonDamagedLog  = "damaged-log"
	ReasonVersioning  = "versioning"
	ReasonConditions  = "store-ignores-conditions"
	ReasonClock       = "clock"
	ReasonNoFolder    = "no-such-folder" // wrong usage
	ReasonContended   = "contended"
	ReasonStale       = "stale-listing"
	ReasonUnsettled   = "unsettled"
	ReasonUnclear     = "unclear"
	ReasonDamageAfter = "damage-seen-after-commit"
	// ReasonUnknownFormat: the newest commit is one that this program cannot read, which
	// is no damage: its bytes are what its writer wrote.
	ReasonUnknownFormat = "unknown-format"
)

// A WriteError says why a commit was refused or given up, or that its outcome is
// unclear. Other errors of Write mean that a read or a write failed before the
// commit point: nothing was committed.
type WriteError struct {
	Reason string // one of the constants
	// Unclear: whether the commit is visible is not known.
	Unclear bool
	// ID and Number are those of the commit in question, where one was made.
	ID     string
	Number int64
	Detail string // for a person, with what to do; fit to be shown
	Err    error  // the cause; may be nil
}

func (e *WriteError) Error() string { return e.Detail }

// Unwrap gives the cause to errors.Is.
func (e *WriteError) Unwrap() error { return e.Err }

// A writer is one call of Write.
type writer struct {
	b      bucket.Bucket
	folder string
	o      WriteOptions
	report func(Progress)
	tried  map[string]bool // IDs of the commits that this run made
	taken  int64           // the highest number at which another's entry was read
	behind bool            // the last listing of the log did not show that number
	res    Result
}

// Write commits a folder, by the steps 0 to 6 of docs/format.md. A nil error with
// Committed false: there was nothing to commit, or it was a dry run. With a
// *WriteError of ReasonDamageAfter the Result tells whether the commit is visible.
//
// ctx can be cancelled until the commit point. If it ends later, the outcome is
// still settled, for at most ten seconds, and then reported as it is.
func Write(ctx context.Context, b bucket.Bucket, folder string, o WriteOptions) (Result, error) {
	w := newWriter(b, folder, o)
	for n := 1; n <= maxAttempts; n++ {
		w.res = Result{Folder: folder, Attempts: n}
		if n > 1 {
			if err := w.o.Sleep(ctx, backoff(n)); err != nil {
				return w.res, w.nothing(err)
			}
		}
		again, err := w.attempt(ctx, n)
		if !again {
			return w.res, err
		}
	}
	if w.behind {
		return w.res, &WriteError{Reason: ReasonStale, Err: bucket.ErrBadAnswer,
			Detail: fmt.Sprintf("%s: the store has entry %d of the log, but its listings do not show it: they are behind, so that no commit can be made on top; nothing was committed; try again later, and tell whoever runs the store",
				folderName(folder), w.taken)}
	}
	return w.res, &WriteError{Reason: ReasonContended,
		Detail: fmt.Sprintf("%s: other writers committed %d times while this one tried; nothing was committed; try again when fewer are at work",
			folderName(folder), maxAttempts)}
}

func newWriter(b bucket.Bucket, folder string, o WriteOptions) *writer {
	if o.MaxSkew <= 0 {
		o.MaxSkew = 5 * time.Minute
	}
	if o.TimeLimit <= 0 {
		o.TimeLimit = 2 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &writer{b: b, folder: folder, o: o, report: throttle(o.Progress), tried: map[string]bool{}}
}

// attempt runs steps 0 to 6 once. again: another writer was faster.
func (w *writer) attempt(ctx context.Context, n int) (again bool, err error) {
	report := w.report
	w.report = func(p Progress) { p.Attempt = n; report(p) }
	defer func() { w.report = report }()

	p, err := w.plan(ctx, false)
	if err != nil {
		return false, err
	}
	if p.Head.Number > 0 && w.tried[p.Head.Entry.Commit] {
		// A put of an earlier attempt arrived after all. Step 1 has just shown
		// that this entry is sound; what is below it is looked at now.
		w.res.Number, w.res.ID = p.Head.Number, p.Head.Entry.Commit
		below, err := slot(ctx, w.b, FolderHash(w.folder), p.Head.Number-1)
		if below.Number = p.Head.Number - 1; err != nil {
			return false, w.unchecked(err)
		}
		return false, w.lookAfter(ctx, below)
	}
	if p.Nothing || w.o.DryRun {
		return false, nil
	}
	return w.commit(ctx, p)
}

// A Plan is what a commit of a folder would do now.
type Plan struct {
	Folder   string
	Head     Slot // Number 0: the folder has no commit yet
	Snapshot Snapshot
	Nothing  bool // the snapshot's paths, versions and what is known of their bytes are the head's
	// The changes against the head, and the first of them.
	Added, Removed, ChangedFiles int64
	Changes                      []Change
}

// maxPlanChanges is how many changes a Plan lists; its counts are whole.
const maxPlanChanges = 10_000

// Preview tells what Write would commit now, by steps 0 to 3; it writes nothing.
// It is refused where Write would be, but for the clock. progress may be nil.
func Preview(ctx context.Context, b bucket.Bucket, folder string, progress func(Progress)) (Plan, error) {
	return newWriter(b, folder, WriteOptions{DryRun: true, Progress: progress}).plan(ctx, true)
}

// plan is steps 0 to 3. Without list a plan that will be committed counts no
// changes: one is enough.
func (w *writer) plan(ctx context.Context, list bool) (Plan, error) {
	p := Plan{Folder: w.folder}
	if _, err := FolderOf(KeyPrefix(w.folder)); err != nil {
		return p, &WriteError{Reason: ReasonNoFolder, Detail: err.Error(), Err: err}
	}
	w.report(Progress{Stage: StageSettings})
	if _, err := w.versioning(ctx); err != nil {
		return p, err
	}
	w.report(Progress{Stage: StageHead})
	var err error
	if p.Head, err = w.checkHead(ctx); err != nil {
		return p, err
	}
	if p.Snapshot, err = Collect(ctx, w.b, w.folder, w.o.Concurrency, w.report); err != nil {
		if errors.Is(err, ErrUnsettled) {
			return p, &WriteError{Reason: ReasonUnsettled, Detail: err.Error() + "; nothing was committed", Err: err}
		}
		return p, w.nothing(err)
	}
	s := p.Snapshot
	w.res.Files, w.res.Bytes, w.res.Versions, w.res.Listings = int64(len(s.Files)), s.Bytes, s.Versions, s.Listings
	if s.Versions == 0 && p.Head.Number == 0 {
		return p, &WriteError{Reason: ReasonNoFolder,
			Detail: fmt.Sprintf("there is no %s in %s: no key starts with it, now or ever, and it has no log; check its name",
				folderName(w.folder), safe.Text(w.b.URL()))}
	}
	w.report(Progress{Stage: StageCompare})
	if err := w.compare(ctx, &p, list || w.o.DryRun); err != nil {
		return p, err
	}
	w.res.Added, w.res.Removed, w.res.ChangedFiles = p.Added, p.Removed, p.ChangedFiles
	w.res.Number = p.Head.Number + 1
	w.res.Parent = p.Head.Entry.Commit
	if p.Nothing {
		w.res.Number, w.res.ID, w.res.Parent = p.Head.Number, p.Head.Entry.Commit, ""
	}
	return p, nil
}

// compare is step 3. Without all it ends with the first difference, unless more of those
// may come that a person has to know of.
func (w *writer) compare(ctx context.Context, p *Plan, all bool) error {
	ref := Ref{Number: p.Head.Number, ID: p.Head.Entry.Commit}
	same := true
	var over overwritten
	whole := all || slices.ContainsFunc(p.Snapshot.Files, func(f File) bool { return f.Version == bucket.NullID })
	for c, err := range Diff(FilesOf(ctx, w.b, w.folder, ref), p.Snapshot.Seq()) {
		if err != nil {
			return w.headObject(p.Head, err)
		}
		same = false
		over.add(c)
		if !whole {
			break
		}
		if !all {
			continue
		}
		switch c.Kind {
		case Added:
			p.Added++
		case Removed:
			p.Removed++
		case Changed:
			p.ChangedFiles++
		}
		if len(p.Changes) < maxPlanChanges {
			p.Changes = append(p.Changes, c)
		}
	}
	w.warn(over.text(p.Head.Number))
	// The first commit is worth making also of a folder without live files.
	p.Nothing = same && p.Head.Number > 0
	return nil
}

// headObject explains an error of reading the head's commit object.
func (w *writer) headObject(head Slot, err error) error {
	if errUnread(err) {
		return w.nothing(err)
	}
	if errors.Is(err, ErrFormat) {
		why := err
		if e := (*bucket.Error)(nil); errors.As(err, &e) && e.Err != nil {
			why = e.Err // which commit is told before
		}
		return &WriteError{Reason: ReasonUnknownFormat, Err: err,
			Detail: fmt.Sprintf("the newest commit of %s, number %d (%s), could not be checked: its hash is right, but it is %v; nothing was committed, since a new commit is compared with it; this is no damage: a newer version of this program may read it, and what the audit says of it tells: %s",
				folderName(w.folder), head.Number, ShortID(head.Entry.Commit), why, auditCommand(w.b, w.folder))}
	}
	return w.damagedLog(damaged(w.b, w.folder, head, err))
}

// versioning is step 0: it refuses unless versioning is on, and gives the
// bucket's clock.
func (w *writer) versioning(ctx context.Context) (time.Time, error) {
	clock, err := needVersioning(ctx, w.b, "committed")
	if err != nil && ctx.Err() != nil {
		return clock, w.nothing(err)
	}
	return clock, err
}

// needVersioning refuses with a *WriteError unless versioning is on, and gives the
// bucket's clock. done is what is not done then: "committed".
func needVersioning(ctx context.Context, b bucket.Bucket, done string) (time.Time, error) {
	state, clock, err := b.Versioning(ctx)
	why, do := "", "switch it on first: a commit names versions, and only versioning keeps them"
	switch {
	case err != nil && ctx.Err() != nil:
		return clock, err
	case errors.Is(err, bucket.ErrUnsupported) || err == nil && state == bucket.VersioningUnsupported:
		why, do = "this store has no versioning", "use a store that has"
	case err != nil:
		return clock, &WriteError{Reason: ReasonVersioning, Err: err,
			Detail: "whether the bucket's versioning is on could not be read, so nothing was " + done + ": " + err.Error()}
	case state == bucket.VersioningEnabled:
		return clock, nil
	case state == bucket.VersioningSuspended:
		why = "its versioning is suspended"
	case state == bucket.VersioningOff:
		why = "its versioning is off"
	default:
		why, do = "its versioning state is unknown", "check the bucket's settings"
	}
	return clock, &WriteError{Reason: ReasonVersioning, Err: err,
		Detail: fmt.Sprintf("nothing can be %s in %s: %s; %s", done, safe.Text(b.URL()), why, do)}
}

// checkHead is step 1.
func (w *writer) checkHead(ctx context.Context) (Slot, error) {
	s, err := CheckHead(ctx, w.b, w.folder)
	w.behind = err == nil && s.Number < w.taken
	if err == nil && s.Number >= MaxNumber {
		err = damaged(w.b, w.folder, s, errors.New("no higher number can be written"))
	}
	if errors.Is(err, bucket.ErrDamaged) {
		return s, w.damagedLog(err)
	}
	if err != nil {
		return s, w.nothing(err)
	}
	return s, nil
}

// warn adds to the warning.
func (w *writer) warn(text string) {
	if text != "" && w.res.Warning != "" {
		text = w.res.Warning + "; besides, " + text
	}
	if text != "" {
		w.res.Warning = text
	}
}

// overwritten are files whose version has other bytes than the head recorded of it.
type overwritten struct {
	files int64
	first Change
}

func (o *overwritten) add(c Change) {
	if !c.SameVersion {
		return
	}
	if o.files++; o.files == 1 {
		o.first = c
	}
}

// text says so; empty: there are none.
func (o *overwritten) text(head int64) string {
	if o.files == 0 {
		return ""
	}
	what := "1 file has"
	if o.files > 1 {
		what = fmt.Sprintf("%d files have", o.files)
	}
	f, now := o.first.From, o.first.To
	return fmt.Sprintf("%s the version ID that commit %d names, with other bytes, so that commit %d can no longer give them: %s, version %s: %s",
		what, head, head, safe.Text(f.Path), safe.Text(f.Version), f.OtherText(now.ETag, now.Size))
}

func (w *writer) damagedLog(err error) error {
	return &WriteError{Reason: ReasonDamagedLog, Detail: err.Error(), Err: err}
}

// nothing says of an error before the commit point that nothing was committed.
func (w *writer) nothing(err error) error {
	return fmt.Errorf("nothing was committed: %w", err)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// backoff is the wait before attempt n, with full jitter: up to 100 ms before the
// second, doubled for each further one, at most 5 s.
func backoff(n int) time.Duration {
	most := min(100*time.Millisecond<<min(max(n-2, 0), 10), 5*time.Second)
	return time.Duration(rand.Int64N(int64(most))) + time.Millisecond
}
