package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// A RepairPlan is one repair: checked against the bucket, and not made yet. The
// audit itself never makes one.
type RepairPlan struct {
	Action string     `json:"action"` // the subcommand's name
	Bucket string     `json:"bucket"`
	Key    string     `json:"key"`
	Now    []Evidence `json:"now"` // what is at the key, newest first
	Will   []string   `json:"will"`
	After  string     `json:"after"` // what will be there
	Mends  string     `json:"mends"`
	Notes  []string   `json:"notes"` // what could not be checked, and what else to know
	// Done says that it is so already: Apply writes nothing.
	Done bool `json:"done"`

	t     target
	seen  []seenVersion
	again func(context.Context) (*RepairPlan, error)
	write func(context.Context) error
	// holds tells whether what the repair promises is so now.
	holds func(now []seenVersion) bool
}

// alreadySo says that there is nothing left to do.
func (p *RepairPlan) alreadySo(after string) {
	p.Done, p.After, p.Will, p.Mends = true, after, []string{}, "nothing: it is so already"
}

// A RepairOutcome is what is true after a repair.
type RepairOutcome struct {
	Now    []Evidence `json:"now"`
	Detail string     `json:"detail"`
}

// A RefusedRepair is a precondition that does not hold. Nothing was written.
type RefusedRepair struct{ Reason string }

func (e *RefusedRepair) Error() string { return e.Reason }

func refused(format string, args ...any) error {
	return &RefusedRepair{fmt.Sprintf(format, args...)}
}

// An UnclearRepair is a write of which it is not known whether it was made, or may
// still be.
type UnclearRepair struct {
	Command string // tells later
	Err     error
}

func (e *UnclearRepair) Error() string {
	return fmt.Sprintf("it is unclear whether the repair was made: %v; ask later with: %s", e.Err, e.Command)
}

// Unwrap gives the cause to errors.Is.
func (e *UnclearRepair) Unwrap() error { return e.Err }

// settleRepair bounds the reading back of a write, also after ctx has ended.
const settleRepair = 10 * time.Second

// Apply makes the repair: all checks once more, the write, and a look at what is
// there then.
//
// *RefusedRepair: something does not hold any more, or the store refused; nothing
// was written. *UnclearRepair: not known. Other errors: a check or the write failed,
// and nothing was written.
func (p *RepairPlan) Apply(ctx context.Context) (RepairOutcome, error) {
	if p.Done {
		return RepairOutcome{Now: p.Now, Detail: p.After}, nil
	}
	fresh, err := p.again(ctx)
	if err != nil {
		return RepairOutcome{}, err
	}
	if !sameSeen(p.seen, fresh.seen) {
		return RepairOutcome{}, refused("%s was changed since the plan was shown, so nothing was written; look again", safe.Text(p.Key))
	}
	if err := ctx.Err(); err != nil {
		return RepairOutcome{}, err
	}
	werr := fresh.write(ctx)
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), settleRepair)
		defer cancel()
	}
	now, err := fresh.t.look(ctx)
	out := RepairOutcome{Now: evidenceOfSeen(now)}
	unclear := func(cause error) error {
		return &UnclearRepair{Command: "provcat-tui ls --all-versions " + safe.Shell(p.Bucket+"/"+p.Key), Err: cause}
	}
	switch {
	case err != nil && werr != nil:
		if settled(werr) {
			return out, werr
		}
		return out, unclear(werr)
	case err != nil:
		return out, unclear(fmt.Errorf("the store said yes, but what is there now could not be read: %w", err))
	case fresh.holds(now):
		out.Detail = p.After
		if werr != nil {
			out.Detail += " (The store's answer to the write was lost or a refusal; it is so all the same.)"
		}
		return out, nil
	case werr == nil:
		return out, unclear(errors.New("the store said yes, and yet what is there now is not what was to be: somebody else may be writing"))
	case settled(werr):
		if r := (*RefusedRepair)(nil); errors.As(werr, &r) || sameSeen(fresh.seen, now) {
			return out, werr
		}
		return out, unclear(fmt.Errorf("the repair stopped half-way: %w", werr))
	}
	return out, unclear(werr)
}

// settled says that an error of a write means that nothing was written.
func settled(err error) bool {
	var r *RefusedRepair
	return errors.As(err, &r) || errors.Is(err, bucket.ErrUnwritable) || errors.Is(err, bucket.ErrDenied) || errors.Is(err, bucket.ErrUnsupported) || errors.Is(err, bucket.ErrExists)
}

// writable refuses a bucket whose versioning is not on: a write would then destroy
// the version "null".
func writable(ctx context.Context, b bucket.Bucket) error {
	state, _, err := b.Versioning(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("whether the bucket's versioning is on could not be read, so nothing was written: %w", err)
	case state != bucket.VersioningEnabled:
		return refused("the bucket's versioning is %q: a write would destroy a version \"null\" of the key; switch versioning on first", string(state))
	}
	return nil
}

// name names what a plan mends for people.
func (p *RepairPlan) name(ctx context.Context) string {
	t := p.t
	if t.id != "" {
		return "the commit object " + commit.ShortID(t.id)
	}
	of := "the log " + commit.ShortID(t.hash)
	if folder, ok := p.folder(ctx); ok {
		of = "the whole bucket"
		if folder != "" {
			of = safe.Text(folder)
		}
	}
	return fmt.Sprintf("entry %d of %s", t.number, of)
}

// folder is that of the log of an entry, as one of its versions says or the commit that
// one names: only a folder whose hash is the log's counts.
func (p *RepairPlan) folder(ctx context.Context) (string, bool) {
	for _, v := range p.seen {
		if v.folder != nil {
			return *v.folder, true
		}
	}
	for _, id := range names(p.seen) {
		h, err := commit.LoadHeader(ctx, p.t.b, id)
		if err == nil && commit.FolderHash(h.Folder) == p.t.hash {
			return h.Folder, true
		}
	}
	return "", false
}
