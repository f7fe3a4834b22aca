package audit

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"provcat-tui/bucket"
)

// An omitted error says that something was not read because the caller chose so: it
// lies outside of the sample, or the budget ended. It is no trouble: nothing is
// known of the thing, and nothing is wrong with the bucket.
type omitted struct{ reason string }

func (e *omitted) Error() string { return e.reason }

var (
	errRequests = &omitted{"the budget of requests ended"}
	errDuration = &omitted{"the budget of time ended"}
	errSample   = &omitted{"not in this part of the sample; what only they name is not checked either, and not counted"}
	// What seemed damaged was to be looked at once more: that it was not is
	// trouble, and never left out by choice.
	errSecondLook = errors.New("the budget ended before what seemed damaged could be looked at a second time; give a larger one")
)

// chosen gives the reason for which something was left out; ok is false where it
// could not be read.
func chosen(err error) (reason string, ok bool) {
	var e *omitted
	if errors.As(err, &e) {
		return e.reason, true
	}
	return "", false
}

// skipOf is why n things were not checked: err, or for a trouble the reason.
func skipOf(err error, reason string, n int64) Skip {
	if why, ok := chosen(err); ok {
		return Skip{Reason: why, Count: n, Chosen: true}
	}
	return Skip{Reason: reason, Count: n}
}

// A budget is a bucket that gives errors once a number of requests or a time is
// spent. A fifth of both is kept for the second looks at what seems damaged. A page
// of a listing is a request; a retry, which the store's client makes by itself, and
// the next page of a store whose pages are smaller than asked for count but are not
// held back, so that a few more requests than allowed are possible there.
type budget struct {
	bucket.Bucket
	max    int64 // 0: no bound
	start  int64
	booked atomic.Int64
	soft   time.Time // when the first look ends; zero: never
	hard   time.Time
	second atomic.Int64 // second looks under way
	ended  atomic.Bool  // something was refused
}

// withBudget puts a budget around b, of which requests had been made before it
// began; nil: the options set none.
func withBudget(b bucket.Bucket, o Options, before int64) *budget {
	if o.MaxRequests <= 0 && o.MaxDuration <= 0 {
		return nil
	}
	g := &budget{Bucket: b, max: o.MaxRequests, start: before}
	if o.MaxDuration > 0 {
		now := time.Now()
		g.soft, g.hard = now.Add(o.MaxDuration-o.MaxDuration/5), now.Add(o.MaxDuration)
	}
	return g
}

func requestsIn(r bucket.Requests) int64 {
	return r.List + r.Get + r.Head + r.Put + r.Delete + r.Settings
}

// firstLooks is how many of a budget of n requests are for first looks.
func firstLooks(n int64) int64 { return n - n/5 }

// secondLook opens what is kept for second looks, until done is called. A nil
// budget has no bound.
func (g *budget) secondLook() (done func()) {
	if g == nil {
		return func() {}
	}
	g.second.Add(1)
	return func() { g.second.Add(-1) }
}

func (g *budget) over(e *omitted) error {
	g.ended.Store(true)
	if g.second.Load() > 0 {
		return errSecondLook
	}
	return e
}

// book takes n requests from the budget.
func (g *budget) book(n int64) error {
	until := g.soft
	if g.second.Load() > 0 {
		until = g.hard
	}
	if !until.IsZero() && !time.Now().Before(until) {
		return g.over(errDuration)
	}
	if g.max <= 0 {
		return nil
	}
	limit := g.max
	if g.second.Load() == 0 {
		limit = firstLooks(g.max)
	}
	for {
		booked := g.booked.Load()
		spent := max(booked, requestsIn(g.Bucket.Requests())-g.start)
		if spent+n > limit {
			return g.over(errRequests)
		}
		if g.booked.CompareAndSwap(booked, spent+n) {
			return nil
		}
	}
}

// overspent says that more was asked for than booked and allowed, as by a store
// whose pages are small.
func (g *budget) overspent() error {
	if g.max <= 0 {
		return nil
	}
	limit := g.max
	if g.second.Load() == 0 {
		limit = firstLooks(g.max)
	}
	if requestsIn(g.Bucket.Requests())-g.start > limit {
		return g.over(errRequests)
	}
	return nil
}

// begin books n requests and gives the context in which they may run.
func (g *budget) begin(ctx context.Context, n int64) (context.Context, context.CancelFunc, error) {
	if err := g.book(n); err != nil {
		return ctx, func() {}, err
	}
	until := g.soft
	if g.second.Load() > 0 {
		until = g.hard
	}
	if until.IsZero() {
		return ctx, func() {}, nil
	}
	cause := error(errDuration)
	if g.second.Load() > 0 {
		cause = errSecondLook
	}
	in, cancel := context.WithDeadlineCause(ctx, until, cause)
	return in, cancel, nil
}

// why gives the budget's own error where it was the budget that ended a call.
func (g *budget) why(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if _, ours := chosen(cause); err != nil && (ours || errors.Is(cause, errSecondLook)) {
		g.ended.Store(true)
		return cause
	}
	return err
}

func (g *budget) Versions(ctx context.Context, r bucket.Range) iter.Seq2[bucket.Version, error] {
	page := 1000 // S3 API reference, ListObjectVersions: at most 1,000 in an answer
	if r.PageSize > 0 && r.PageSize < page {
		page = r.PageSize
	}
	if g.max > 0 {
		r.Ahead = false // each page is booked before it is asked for
	}
	return counted(ctx, g, page, func(ctx context.Context) iter.Seq2[bucket.Version, error] { return g.Bucket.Versions(ctx, r) })
}

func (g *budget) Level(ctx context.Context, prefix string) iter.Seq2[bucket.Item, error] {
	return counted(ctx, g, 1000, func(ctx context.Context) iter.Seq2[bucket.Item, error] { return g.Bucket.Level(ctx, prefix) })
}

func (g *budget) Uploads(ctx context.Context, prefix string) iter.Seq2[bucket.Upload, error] {
	return counted(ctx, g, 1000, func(ctx context.Context) iter.Seq2[bucket.Upload, error] { return g.Bucket.Uploads(ctx, prefix) })
}

// SoftDeleted is bucket.SoftDeleted within the budget.
func (g *budget) SoftDeleted(ctx context.Context, prefix string) iter.Seq2[bucket.Removed, error] {
	return counted(ctx, g, 1000, func(ctx context.Context) iter.Seq2[bucket.Removed, error] {
		return bucket.SoftDeleted(ctx, g.Bucket, prefix)
	})
}

// counted books a request for each page of a listing.
func counted[T any](ctx context.Context, g *budget, page int, list func(context.Context) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		ctx, cancel, err := g.begin(ctx, 1)
		defer cancel()
		if err != nil {
			yield(none, err)
			return
		}
		n := 0
		for v, err := range list(ctx) {
			if err != nil {
				yield(none, g.why(ctx, err))
				return
			}
			if !yield(v, nil) {
				return
			}
			n++
			err := g.overspent()
			if n%page == 0 && err == nil {
				err = g.book(1)
			}
			if err != nil {
				yield(none, err)
				return
			}
		}
	}
}

func (g *budget) Open(ctx context.Context, key, version string, first int64) (io.ReadCloser, bucket.Version, error) {
	ctx, cancel, err := g.begin(ctx, 1)
	if err != nil {
		return nil, bucket.Version{}, err
	}
	r, v, err := g.Bucket.Open(ctx, key, version, first)
	if err != nil {
		cancel()
		return nil, v, g.why(ctx, err)
	}
	return &budgetBody{r, ctx, cancel, g}, v, nil
}

// A budgetBody is a body whose reading ends with the budget's time.
type budgetBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
	g      *budget
}

func (b *budgetBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF { // EOF as it is: io.Reader's own word
		err = b.g.why(b.ctx, err)
	}
	return n, err
}

func (b *budgetBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// Unwrap gives the bucket itself.
func (g *budget) Unwrap() bucket.Bucket { return g.Bucket }

func (g *budget) Settings(ctx context.Context) bucket.Settings {
	ctx, cancel, err := g.begin(ctx, 3) // versioning, lifecycle, object lock
	defer cancel()
	if err != nil {
		return bucket.Settings{VersioningErr: err, LifecycleErr: err, ObjectLockErr: err}
	}
	s := g.Bucket.Settings(ctx)
	for _, e := range []*error{&s.VersioningErr, &s.LifecycleErr, &s.ObjectLockErr} {
		*e = g.why(ctx, *e)
	}
	return s
}

func (g *budget) Versioning(ctx context.Context) (bucket.Versioning, time.Time, error) {
	ctx, cancel, err := g.begin(ctx, 1)
	defer cancel()
	if err != nil {
		return bucket.VersioningUnknown, time.Time{}, err
	}
	v, clock, err := g.Bucket.Versioning(ctx)
	return v, clock, g.why(ctx, err)
}

func (g *budget) Tags(ctx context.Context, key, version string) (map[string]string, error) {
	ctx, cancel, err := g.begin(ctx, 1)
	defer cancel()
	if err != nil {
		return nil, err
	}
	tags, err := g.Bucket.Tags(ctx, key, version)
	return tags, g.why(ctx, err)
}

func (g *budget) Protection(ctx context.Context, key, version string) (bucket.Protection, error) {
	ctx, cancel, err := g.begin(ctx, 1)
	defer cancel()
	if err != nil {
		return bucket.Protection{}, err
	}
	p, err := g.Bucket.Protection(ctx, key, version)
	return p, g.why(ctx, err)
}
