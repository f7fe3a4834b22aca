package audit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"provcat-tui/bucket"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// A Bound says how good a number of an estimate is, for a bucket that is sound and
// that nobody writes to meanwhile.
type Bound string

// The bounds, best first.
const (
	Counted Bound = "counted" // just now, in the bucket
	About   Bound = "about"   // by a share of what was counted
	AtLeast Bound = "minimum" // what more there is cannot be known before the audit
)

// An Estimate is what an audit with the same options would ask of the store.
type Estimate struct {
	Schema string    `json:"schema"` // "provcat-audit-estimate/1"
	Tool   Tool      `json:"tool"`
	Bucket string    `json:"bucket"`
	Scope  Scope     `json:"scope"`
	Sample string    `json:"sample,omitempty"` // n/t; empty: every commit
	Made   time.Time `json:"made"`
	// Stages in the order of the audit.
	Stages []EstimateStage `json:"stages"`
	// Requests of all stages together, and how good that number is.
	Requests Requests `json:"requests"`
	Bound    Bound    `json:"bound"`
	// MaxRequests is the budget; 0: none. Fits says whether a whole audit stays
	// within what it leaves for first looks; nil: that depends on what is not known.
	MaxRequests int64  `json:"max_requests,omitempty"`
	Fits        *bool  `json:"fits,omitempty"`
	Prices      Prices `json:"prices"`
	// Unknown says, in sentences, what no number here includes.
	Unknown []string `json:"unknown"`
	// Took is what the estimate itself asked for.
	Took Requests `json:"took"`
}

// An EstimateStage is one part of the audit. Its names are those of Progress, and
// "opening", "settings", "names" and "uploads".
type EstimateStage struct {
	Stage string `json:"stage"`
	List  int64  `json:"list"`
	Get   int64  `json:"get"`
	Bytes int64  `json:"bytes"` // of bodies that are read
	Bound Bound  `json:"bound"`
	How   string `json:"how"` // how the numbers are known
}

// A sight is what the newest commit of a log tells of its size.
type sight struct {
	id    string // that the newest entry names; empty: it could not be read
	files int64  // 0: not known
	whole bool   // files was counted, not computed
	err   error  // why something is not known
}

// MakeEstimate tells what Run with the same options would ask for. It reads the
// settings, lists what is under .provcat/, and reads of each log the newest entry
// and, from depth versions on, the start of the commit object that it names. An
// error: that listing failed, so nothing can be said; or ctx ended.
func MakeEstimate(ctx context.Context, b bucket.Bucket, o Options) (*Estimate, error) {
	a := newAuditor(b, o)
	at := cost(a.before, a.b.Requests(), nil)
	x := measured{opening: at, sights: map[*logFacts]*sight{}}
	measure := func(into *Requests) {
		now := cost(a.before, a.b.Requests(), nil)
		*into = Requests{List: now.List - at.List, Get: now.Get - at.Get, Head: now.Head - at.Head}
		at = now
	}
	a.f.settings = a.b.Settings(ctx)
	measure(&x.settings)
	if err := a.list(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if why, ok := chosen(err); ok {
			return nil, fmt.Errorf("estimate the audit of %s: %s before %s was listed: an audit with it would check nothing; give a larger one", safe.Text(b.URL()), why, commit.Root)
		}
		return nil, fmt.Errorf("estimate the audit of %s: what is under %s cannot be listed, so nothing is known of its size: %w", safe.Text(b.URL()), commit.Root, err)
	}
	measure(&x.listing)
	if err := a.sightAll(ctx, &x); err != nil {
		return nil, err
	}
	e := &Estimate{Schema: "provcat-audit-estimate/1", Tool: Tool{Name: "provcat-tui", Version: o.Version}, Bucket: b.URL(),
		Scope: Scope{Folder: a.o.Folder, Depth: a.o.Depth}, Made: a.o.Now().UTC(), MaxRequests: max(a.o.MaxRequests, 0),
		Prices: DefaultPrices, Bound: Counted}
	if a.o.Prices != nil {
		e.Prices = *a.o.Prices
	}
	if s := a.o.Sample; s.Of > 0 {
		e.Sample = fmt.Sprintf("%d/%d", s.Part, s.Of)
	}
	e.Stages = a.stages(&x)
	e.Unknown = a.unknowns(&x)
	e.sum()
	e.Took = cost(a.before, a.b.Requests(), &e.Prices)
	e.Took.Prices = nil // once is enough
	return e, nil
}

// sum adds up the stages.
func (e *Estimate) sum() {
	for _, s := range e.Stages {
		e.Requests.List += s.List
		e.Requests.Get += s.Get
		if s.Bound == AtLeast || s.Bound == About && e.Bound == Counted {
			e.Bound = s.Bound
		}
	}
	e.Requests.CostUSD = e.Prices.Of(e.Requests)
	if e.MaxRequests > 0 {
		fits := e.Requests.List+e.Requests.Get <= firstLooks(e.MaxRequests)
		if e.Bound == Counted || !fits && e.Bound == AtLeast {
			e.Fits = &fits
		}
	}
}

// sightAll reads the newest live entry of each log, side by side, and what its
// commit tells where that matters.
func (a *auditor) sightAll(ctx context.Context, x *measured) error {
	var logs []*logFacts
	for _, l := range a.f.logs {
		if len(l.slots) > 0 {
			logs = append(logs, l)
			x.sights[l] = &sight{}
		}
	}
	err := a.each(ctx, len(logs), func(i int) {
		for _, s := range logs[i].slots {
			if v := s.newest(); v != nil {
				v.entry, v.err = commit.LoadEntry(ctx, a.b, s.key, v.ID)
				x.sights[logs[i]].id, x.sights[logs[i]].err = v.entry.Commit, v.err
				return
			}
		}
	})
	if err != nil {
		return err
	}
	a.nameByEntries()
	deep := a.o.Depth == DepthVersions || a.o.Depth == DepthReadable
	var look []*logFacts
	for _, l := range logs {
		if !l.known {
			x.nameless++
		}
		if x.sights[l].id != "" && (!l.known || deep && a.scoped(l)) {
			look = append(look, l)
		}
	}
	return a.each(ctx, len(look), func(i int) {
		l, s := look[i], x.sights[look[i]]
		h, err := a.look(ctx, s)
		if s.err = err; err == nil && !l.known && commit.FolderHash(h.Folder) == l.hash {
			l.folder, l.known = h.Folder, true
		}
	})
}

// newest gives the slot's live entry; nil: it has none.
func (s *slotFacts) newest() *entryVersion {
	if len(s.versions) == 0 || s.versions[0].DeleteMarker {
		return nil
	}
	return &s.versions[0]
}

// sightBytes is how much of a commit object is read to know how many files it has.
const sightBytes = 64 << 10

// maxGuess bounds what a size that a store made up can make of an estimate.
const maxGuess = 1 << 40

// look reads the start of a commit object. An object of ours that is longer has
// as many more files as it has more bytes; its header, which is counted as if it
// were files, makes that a little too few.
func (a *auditor) look(ctx context.Context, s *sight) (commit.Header, error) {
	r, v, err := a.b.Open(ctx, commit.CommitKey(s.id), "", sightBytes)
	if err != nil {
		return commit.Header{}, err
	}
	part, err := io.ReadAll(io.LimitReader(r, sightBytes))
	_ = r.Close() // only read from
	if err != nil {
		return commit.Header{}, err
	}
	n := int64(0)
	obj, err := commit.Decode(bytes.NewReader(part), func(commit.File) error { n++; return nil })
	if s.whole = v.Size <= int64(len(part)); s.whole {
		s.files = n
		return obj.Header, err
	}
	if len(part) > 0 && n > 0 {
		s.files = int64(min(float64(v.Size)/float64(len(part))*float64(n), maxGuess))
	}
	return obj.Header, nil // cut off: the error is that of the end
}
