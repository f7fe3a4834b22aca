package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// A Row selects log entries, or commit objects, that were deleted in a row: one
// command of one person, or one run of a rule.
type Row struct {
	Folders []string  `json:"folders"` // whose logs; none: all logs of the bucket
	Objects bool      `json:"objects"` // the commit objects that their entries name, hidden ones too; else the entries
	From    time.Time `json:"from"`    // when the first delete marker was made, in whole seconds
	To      time.Time `json:"to"`      // and the last; both inclusive
}

// covers says whether a version was made within the row's span. A store may tell
// parts of a second.
func (r Row) covers(v bucket.Version) bool {
	t := v.Modified.Truncate(time.Second)
	return !v.Modified.IsZero() && !t.Before(r.From.Truncate(time.Second)) && !t.After(r.To)
}

// A RowState says what became of one key of a row.
type RowState string

// The states.
const (
	RowPlanned  RowState = "planned"  // checked; the repair is not made, or not yet
	RowDone     RowState = "done"     // somebody else mended it meanwhile
	RowRepaired RowState = "repaired" // the markers are gone, and what was under them is live
	RowRefused  RowState = "refused"  // a check says no; nothing was written
	RowFailed   RowState = "failed"   // a check or the write failed; nothing was written
	RowUnclear  RowState = "unclear"  // not known whether it was written
)

// A RowItem is one hidden key of a row.
type RowItem struct {
	Folder  *string  `json:"folder"` // nil: its name is not known
	Number  int64    `json:"number"` // of the entry, or of the one that names the commit object
	Key     string   `json:"key"`
	Markers []string `json:"markers"` // that hide it, newest first
	State   RowState `json:"state"`
	Detail  string   `json:"detail,omitempty"` // why, for a person

	bare bool // nothing is under the markers
	plan *RepairPlan
}

// A RowPlan is the repair of a row: checked against the bucket, and not made yet.
type RowPlan struct {
	Action string `json:"action"` // the subcommand's name
	Bucket string `json:"bucket"`
	Row    Row    `json:"row"`
	Looked int    `json:"looked"` // keys that were looked at
	Others int    `json:"others"` // of these, hidden by markers of other times: left alone
	// Items by folder, those with the highest number first: so readers get the
	// newest commit back at once.
	Items []RowItem `json:"items"`
	Notes []string  `json:"notes"`
}

// Count counts the items in a state.
func (p *RowPlan) Count(s RowState) int {
	n := 0
	for i := range p.Items {
		if p.Items[i].State == s {
			n++
		}
	}
	return n
}

// rowReads is how many keys of a row are read side by side.
const rowReads = 16

// PlanRow plans to remove for good the delete markers of a row. Each key gets the
// checks of PlanMarkers; those that must not be mended are in the plan, with the
// reason. *RefusedRepair: a folder has no log. Other errors: a listing failed.
func PlanRow(ctx context.Context, b bucket.Bucket, r Row) (*RowPlan, error) {
	p := &RowPlan{Action: "deletions", Bucket: b.URL(), Row: r, Items: []RowItem{}, Notes: []string{}}
	s := rowScan{b: b, p: p}
	slots, err := s.slots(ctx)
	if err != nil {
		return nil, err
	}
	if r.Objects {
		err = s.objects(ctx, slots)
	} else {
		for _, x := range slots {
			s.take(x.folder, x.number, x.versions)
		}
	}
	if err == nil {
		err = s.check(ctx)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(p.Items, func(x, y RowItem) int {
		return cmp.Or(strings.Compare(title(x.Folder), title(y.Folder)), cmp.Compare(y.Number, x.Number), strings.Compare(x.Key, y.Key))
	})
	p.note()
	return p, nil
}

func title(folder *string) string {
	if folder == nil {
		return "\xff" // those without a name come last
	}
	return *folder
}

// check plans each key, side by side.
func (s *rowScan) check(ctx context.Context) error {
	return side(ctx, len(s.p.Items), func(ctx context.Context, i int) {
		x := &s.p.Items[i]
		if x.State != RowPlanned {
			return
		}
		var err error
		switch {
		case x.bare && s.p.Row.Objects:
			err = refused("nothing is under the delete marker: put a copy of the object back with repair commit-object")
		case x.bare:
			err = refused("nothing is under the delete marker: audit says whether an entry was lost there")
		default:
			x.plan, err = PlanMarkers(ctx, s.b, x.Key, x.Markers)
		}
		switch {
		case err != nil:
			x.end(err)
		case x.plan.Done:
			x.State, x.Detail = RowDone, x.plan.After
		}
	})
}

// side calls f(0) … f(n-1), rowReads at a time. It fails only where ctx ends.
func side(ctx context.Context, n int, f func(context.Context, int)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(rowReads)
	for i := range n {
		g.Go(func() error {
			if ctx.Err() == nil {
				f(ctx, i)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// end notes the error that ended a key's repair.
func (x *RowItem) end(err error) {
	var r *RefusedRepair
	var u *UnclearRepair
	switch x.State, x.Detail = RowFailed, err.Error(); {
	case errors.As(err, &u):
		x.State = RowUnclear
	case errors.As(err, &r):
		x.State = RowRefused
	}
}

// note tells how many could not be compared with all that they must fit.
func (p *RowPlan) note() {
	n, first := 0, ""
	for _, x := range p.Items {
		if x.State != RowPlanned || len(x.plan.Notes) == 0 {
			continue
		}
		if n++; n == 1 {
			first = x.plan.Notes[0]
		}
	}
	if n > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d of them could not be compared with everything that they must fit; of the first: %s", n, first))
	}
	if p.Others > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s besides hidden by delete markers of other times: left alone", its(int64(p.Others), fmt.Sprint(p.Others, " are"), "1 is")))
	}
}

// Apply mends the planned keys one after the other: each is checked again right
// before. What became of each is in Items. each is called after every key, with how
// many are behind it; nil: nobody asks.
//
// nil: none was left out, though some may have been refused. Else it stopped early,
// and what is left is RowPlanned: *UnclearRepair, the error of a check or a write, or
// that of ctx. The same row planned again goes on from there.
func (p *RowPlan) Apply(ctx context.Context, each func(done int)) error {
	for i := range p.Items {
		x := &p.Items[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if x.State != RowPlanned {
			continue
		}
		out, err := x.plan.Apply(ctx)
		var u *UnclearRepair
		switch {
		case err == nil:
			x.State, x.Detail = RowRepaired, out.Detail
		case ctx.Err() != nil && !errors.As(err, &u):
			return ctx.Err() // nothing was written
		default:
			if x.end(err); x.State != RowRefused {
				return fmt.Errorf("%s: %w", safe.Text(x.Key), err)
			}
		}
		if each != nil {
			each(i + 1)
		}
	}
	return nil
}

// A rowScan looks for the keys of a row.
type rowScan struct {
	b bucket.Bucket
	p *RowPlan
}

// take adds a key where markers of the row hide it. vs are its versions, newest
// first.
func (s *rowScan) take(folder *string, number int64, vs []bucket.Version) {
	s.p.Looked++
	if len(vs) == 0 || !vs[0].DeleteMarker {
		return
	}
	if !s.p.Row.covers(vs[0]) {
		s.p.Others++
		return
	}
	x := RowItem{Folder: folder, Number: number, Key: vs[0].Key, State: RowPlanned}
	for _, v := range vs {
		if !v.DeleteMarker || !s.p.Row.covers(v) {
			break // an older marker under it: PlanMarkers refuses
		}
		x.Markers = append(x.Markers, v.ID)
	}
	x.bare = !slices.ContainsFunc(vs, func(v bucket.Version) bool { return !v.DeleteMarker })
	s.p.Items = append(s.p.Items, x)
}

// A rowSlot is one slot of the logs in question.
type rowSlot struct {
	folder   *string
	hash     string
	number   int64
	versions []bucket.Version // newest first
}

// slots lists the logs.
func (s *rowScan) slots(ctx context.Context) ([]rowSlot, error) {
	var out []rowSlot
	list := func(prefix string, folder *string) error {
		for v, err := range s.b.Versions(ctx, bucket.Range{Prefix: prefix, Ahead: true}) {
			if err != nil {
				return fmt.Errorf("list %s, so nothing was written: %w", prefix, err)
			}
			hash, n, ok := commit.ParseSlotKey(v.Key)
			if !ok {
				continue
			}
			if k := len(out) - 1; k < 0 || out[k].versions[0].Key != v.Key {
				out = append(out, rowSlot{folder: folder, hash: hash, number: n})
			}
			x := &out[len(out)-1]
			x.versions = append(x.versions, v)
		}
		return nil
	}
	if len(s.p.Row.Folders) == 0 {
		if err := list(commit.Logs, nil); err != nil {
			return nil, err
		}
		if len(out) == 0 {
			return nil, refused("the bucket has no log, now or in its history")
		}
		return out, s.name(ctx, out)
	}
	folders := slices.Clone(s.p.Row.Folders)
	slices.Sort(folders)
	for _, f := range slices.Compact(folders) {
		n := len(out)
		if err := list(commit.LogPrefix(commit.FolderHash(f)), &f); err != nil {
			return nil, err
		}
		if len(out) == n {
			return nil, refused("the folder %q has no log, now or in its history", safe.Text(f))
		}
	}
	return out, nil
}

// name finds the folder of each log in its newest entry, hidden or not.
func (s *rowScan) name(ctx context.Context, slots []rowSlot) error {
	var tops []int // indexes of each log's first slot
	for i := range slots {
		if i == 0 || slots[i].hash != slots[i-1].hash {
			tops = append(tops, i)
		}
	}
	return side(ctx, len(tops), func(ctx context.Context, k int) {
		from, to := tops[k], len(slots)
		if k+1 < len(tops) {
			to = tops[k+1]
		}
		for _, v := range slots[from].versions {
			if v.DeleteMarker {
				continue
			}
			e, err := commit.LoadEntry(ctx, s.b, v.Key, v.ID)
			if err != nil || !e.HasFolder || commit.FolderHash(e.Folder) != slots[from].hash {
				continue // the key alone tells which it is
			}
			for i := from; i < to; i++ {
				slots[i].folder = &e.Folder
			}
			return
		}
	})
}
