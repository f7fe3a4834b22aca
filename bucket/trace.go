package bucket

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// A Request is one request to a store, retries each for themselves. It holds no
// credential, no header and no URL. Its strings come from the store as they are.
type Request struct {
	ID   int64  // unique in this process, ascending
	Op   string // S3's name of the operation: "ListObjectVersions"
	Kind Kind
	// Bucket is the bucket's URL; Key a key or, of a listing, a prefix.
	Bucket, Key string
	Version     string
	// After is where a page of a listing begins: its key marker. Empty: the first page.
	After string
	// Attempt counts from 1; more is a retry.
	Attempt int
	Started time.Time
	// First is how long it took until the answer began, Took until its end.
	First, Took time.Duration
	Done        bool
	// Status is the HTTP status; 0: there was no answer, or the store has none.
	Status int
	// Bytes of the answer's body that were read, or of a body that was sent.
	Bytes int64
	// Store is the store's own ID of the request.
	Store string
	// Err is what went wrong, whole; empty: nothing did.
	Err string
	// Expected says that Err is a usual answer: absent, already there, cancelled.
	Expected bool
}

// Kind is how a request is counted and priced.
type Kind string

// The kinds, as in Requests.
const (
	KindList     Kind = "list"
	KindGet      Kind = "get"
	KindHead     Kind = "head"
	KindPut      Kind = "put"
	KindDelete   Kind = "delete"
	KindSettings Kind = "settings"
)

// Kinds are all of them.
var Kinds = []Kind{KindList, KindGet, KindHead, KindPut, KindDelete, KindSettings}

type traceKey struct{}

// WithTrace gives a context whose requests are told to f: each when it begins, and
// again with Done when it ended. f is called by many goroutines at once and must not
// wait.
func WithTrace(ctx context.Context, f func(Request)) context.Context {
	return context.WithValue(ctx, traceKey{}, f)
}

var requestIDs atomic.Int64

// A Trace is a request under way, for drivers. All its methods may be called on nil.
type Trace struct {
	r    Request
	tell func(Request)
	ctx  context.Context
	hide func(string) string
	over atomic.Bool
}

// Begin tells that a request begins; nil where nobody wants to know.
func Begin(ctx context.Context, r Request) *Trace {
	f, _ := ctx.Value(traceKey{}).(func(Request))
	if f == nil {
		return nil
	}
	r.ID, r.Started, r.Attempt = requestIDs.Add(1), time.Now(), max(r.Attempt, 1)
	f(r)
	return &Trace{r: r, tell: f, ctx: ctx}
}

// Hiding has f take secrets out of the texts that come from the store. Call it before
// the request is sent.
func (t *Trace) Hiding(f func(string) string) *Trace {
	if t != nil {
		t.hide = f
	}
	return t
}

func (t *Trace) hidden(text string) string {
	if t.hide == nil {
		return text
	}
	return t.hide(text)
}

// Answered notes that the answer began.
func (t *Trace) Answered(status int, store string) {
	if t != nil {
		t.r.First, t.r.Status, t.r.Store = time.Since(t.r.Started), status, t.hidden(store)
	}
}

// End tells that the request is over; only the first call counts. expected: see
// Request.
func (t *Trace) End(bytes int64, text string, expected bool) {
	if t == nil || t.over.Swap(true) {
		return
	}
	t.r.Took, t.r.Bytes, t.r.Done = time.Since(t.r.Started), bytes, true
	if t.r.First == 0 {
		t.r.First = t.r.Took
	}
	text = t.hidden(text)
	t.r.Err, t.r.Expected = text, expected && text != ""
	if text != "" && t.ctx.Err() != nil {
		t.r.Err, t.r.Expected = "cancelled", true
	}
	t.tell(t.r)
}

// Failed is End with an error; nil: it went well.
func (t *Trace) Failed(bytes int64, err error) {
	if t == nil {
		return
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	t.End(bytes, text, errors.Is(err, ErrNotFound) || errors.Is(err, ErrExists))
}
