package audit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"provcat-tui/bucket"
	"provcat-tui/bucket/inventory"
	"provcat-tui/commit"
	"provcat-tui/internal/safe"
)

// Options of an audit.
type Options struct {
	// Folder is the scope: this folder and those below it. Empty: the whole bucket.
	Folder      string
	Depth       Depth            // empty: DepthVersions
	FailOn      Severity         // empty: Damage
	Concurrency int              // reads side by side; 0: 32
	Now         func() time.Time // nil: time.Now; used where the bucket does not tell its clock
	Version     string           // of the tool, for the report
	// SkewTolerance is how far a commit's time and the bucket's own time of its
	// entry may lie apart; 0: 60 seconds.
	SkewTolerance time.Duration
	// Witness is what earlier audits saw of this bucket's logs; nil: none is kept.
	// Report.Witness is what the next one is to be given.
	Witness *Witness
	// Ignore acknowledges findings, and Baseline those of an earlier report; nil:
	// none. Ignore goes first.
	Ignore   *IgnoreList
	Baseline *Baseline
	// Sample leaves out commits; MaxRequests and MaxDuration end the audit early;
	// 0: no bound. What was left out is in the coverage.
	Sample      Sample
	MaxRequests int64
	MaxDuration time.Duration
	// Inventory stands for the listing of the committed folders; nil: they are listed.
	// CheckInventory has to have nothing against it. InventoryAge is how old it may be;
	// 0: 8 days.
	Inventory    *inventory.Report
	InventoryAge time.Duration
	// Prices of requests; nil: DefaultPrices.
	Prices *Prices
	// Since is what the bucket had been asked when the audit began for its caller,
	// who may have opened the bucket for it: what came after counts for the report
	// and for MaxRequests. nil: when Run is called.
	Since *bucket.Requests
	// Progress is called at most 20 times a second and at each change of stage,
	// from one goroutine at a time. nil: nobody asks.
	Progress func(Progress)

	pageSize int // of the listings of folders, for tests; 0: the store's
}

// Progress tells how far an audit is.
type Progress struct {
	Stage    string // "logs", "entries", "commits", "inventory", "versions", "reading", "confirming"
	Done     int64
	Total    int64 // 0: not known
	Findings int   // so far
	Requests int64 // that the audit made so far
}

// An auditor is one run.
type auditor struct {
	b     bucket.Bucket
	o     Options
	f     *facts
	t     *troubles
	clock time.Time // the bucket's, else ours
	recollection
	budget    *budget       // nil: none
	inventory *InventoryUse // nil: none
	before    bucket.Requests

	mu       sync.Mutex // guards what follows
	last     Progress
	lastAt   time.Time
	findings int
}

// Run audits a bucket. It only reads: it works on bucket.ReadOnly(b). An error
// means that ctx ended; what could not be checked is in the report.
func Run(ctx context.Context, b bucket.Bucket, o Options) (*Report, error) {
	a := newAuditor(b, o)
	o = a.o
	r := &Report{Schema: "provcat-audit/1", Tool: Tool{Name: "provcat-tui", Version: o.Version}, Bucket: b.URL(),
		Scope: Scope{Folder: o.Folder, Depth: o.Depth}, FailOn: o.FailOn, Started: o.Now().UTC()}

	a.f.settings = a.b.Settings(ctx)
	a.clock = a.f.settings.Clock
	if a.clock.IsZero() {
		a.clock = o.Now()
	}
	a.clock = a.clock.UTC()
	a.inventory = a.useInventory()
	findings, cov, err := a.check(ctx)
	if err != nil {
		return nil, fmt.Errorf("audit %s: interrupted, so there is no report: %w", safe.Text(b.URL()), err)
	}
	findings = append(findings, a.settingsFindings()...)
	findings = append(findings, a.t.findings()...)
	order(findings)
	r.Inventory = a.inventory
	r.Findings, r.Coverage, r.Folders = findings, cov, a.folders()
	r.Coverage.Settings = a.settingsCoverage()
	r.Witness = a.learn(r.Started)
	acks := acknowledger{o: o}
	acks.apply(r)
	r.conclude(o.FailOn)
	acks.tell(r)
	r.Requests = cost(a.before, a.b.Requests(), o.Prices)
	r.Finished = o.Now().UTC()
	return r, nil
}

// newAuditor sets what the options leave open, and the budget.
func newAuditor(b bucket.Bucket, o Options) *auditor {
	if o.Depth == "" {
		o.Depth = DepthVersions
	}
	if o.FailOn == "" {
		o.FailOn = Damage
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 32
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.SkewTolerance <= 0 {
		o.SkewTolerance = time.Minute
	}
	a := &auditor{b: bucket.ReadOnly(b), o: o, t: &troubles{},
		f: &facts{logs: map[string]*logFacts{}, commits: map[string]*commitFacts{}, objects: o.Depth != DepthLog}}
	if o.Inventory != nil {
		a.b = withInventory{a.b, o.Inventory}
	}
	a.before = a.b.Requests()
	if o.Since != nil {
		a.before = *o.Since
	}
	if a.budget = withBudget(a.b, o, requestsIn(a.before)); a.budget != nil {
		a.b = a.budget
	}
	return a
}

// check gathers the facts, judges them, and reads afresh what looks wrong.
func (a *auditor) check(ctx context.Context) ([]Finding, CoverageSet, error) {
	var cov CoverageSet
	if err := a.list(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, cov, ctx.Err()
		}
		// A broken listing proves nothing, neither absence nor order.
		a.t.add("keys under "+commit.Root, commit.Root, nil, err)
		a.t.nothing = !slices.ContainsFunc(a.settingErrors(), func(x settingError) bool { return x.err == nil })
		cov.Logs.Skipped = []Skip{skipOf(err, "the listing of "+commit.Root+" failed", 1)}
		cov.Logs.Total = 1
		return nil, cov, nil
	}
	var slots []*slotFacts
	for _, l := range a.f.logs {
		slots = append(slots, l.slots...)
	}
	a.newestFirst(slots)
	if err := a.readEntries(ctx, slots); err != nil {
		return nil, cov, err
	}
	a.nameByEntries()
	a.recallNames()
	if err := a.nameByHeaders(ctx); err != nil {
		return nil, cov, err
	}
	r := newRefs()
	if a.f.objects {
		if err := a.readAllCommits(ctx, r); err != nil {
			return nil, cov, err
		}
	}
	if err := a.nameTheRest(ctx); err != nil {
		return nil, cov, err
	}
	a.recall()
	findings, err := a.judgeTwice(ctx)
	if err != nil {
		return nil, cov, err
	}
	findings = a.deletionsTogether(findings)
	onLog, err := a.logRules(ctx)
	if err != nil {
		return nil, cov, err
	}
	findings = append(findings, onLog...)
	a.tellUnread()
	a.cover(&cov)
	if cov.Logs.Total == 0 {
		if f, ok := a.outsideScope(); ok {
			findings = append(findings, f)
		}
	}
	if a.o.Depth == DepthVersions || a.o.Depth == DepthReadable {
		more, err := a.checkVersions(ctx, r, &cov)
		if err != nil {
			return nil, cov, err
		}
		findings = withoutCopied(append(findings, more...))
		a.uncounted(&cov.Versions)
	}
	return findings, cov, nil
}

// each calls f(0) … f(n-1) side by side.
func (a *auditor) each(ctx context.Context, n int, f func(int)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(a.o.Concurrency)
	for i := range n {
		g.Go(func() error {
			if ctx.Err() == nil {
				f(i)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// step reports progress.
func (a *auditor) step(stage string, done, total int64) {
	if a.o.Progress == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if stage == a.last.Stage && now.Sub(a.lastAt) < 50*time.Millisecond {
		return
	}
	a.last, a.lastAt = Progress{Stage: stage, Done: done, Total: total, Findings: a.findings,
		Requests: requestsIn(a.b.Requests()) - requestsIn(a.before)}, now
	a.o.Progress(a.last)
}
