package fakegcs

import (
	"time"

	"provcat-tui/internal/faults"
)

// The script of faults, as in the S3 server: Server.Fail, Heal, and what follows.
type (
	// A Fault is one line of the script.
	Fault = faults.Fault
	// An Action is what a fault does to a request, before it is applied.
	Action = faults.Action
	// Armed is a fault in a server's script.
	Armed = faults.Armed
	// A Request is one line of the log.
	Request = faults.Request
)

// Applied has the action happen after the request was applied.
func Applied(a Action) Action { return faults.Applied(a) }

// Wait holds the request, or with Applied its answer, for d.
func Wait(d time.Duration) Action { return faults.Wait(d) }

// Call calls f, outside all locks: f may change buckets.
func Call(f func(Request)) Action { return faults.Call(f) }

// Cut keeps back the last n bytes of the answer's body, at least 1: less comes
// than Content-Length says, then the connection ends.
func Cut(n int) Action { return faults.Cut(n) }

// Reply gives an answer of any kind.
func Reply(status int, contentType, body string) Action {
	return faults.Reply(status, contentType, body)
}

// The actions without parameters.
var (
	Reset      = faults.Reset
	Drop       = faults.Drop
	DropAnswer = faults.DropAnswer
	HTML       = faults.HTML
	// Empty answers 200 with nothing, EmptyObject with {}.
	Empty       = Reply(200, "application/json; charset=UTF-8", "")
	EmptyObject = Reply(200, "application/json; charset=UTF-8", "{}")

	ConditionNotMet   = Error(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
	NotModified       = Error(304, "notModified", "")
	Forbidden         = Error(403, "forbidden", "Forbidden")
	NotFound          = Error(404, "notFound", "Not Found")
	RequestTimeout    = Error(408, "requestTimeout", "Request Timeout")
	RateLimitExceeded = Error(429, "rateLimitExceeded", "The object exceeded the rate limit for object mutation operations (create, update, and delete). Please reduce your request rate.")
	InternalError     = Error(500, "internalError", "We encountered an internal error. Please try again.")
	BackendError      = Error(503, "backendError", "Backend Error")

	// IgnoreCondition has a write go through whatever ifGenerationMatch says.
	IgnoreCondition = faults.On(func(x *exchange) { x.unconditional = true })

	// SameToken gives the page token that was asked with as the next one: use it
	// from the second page on.
	SameToken = Reshape(func(p *Page) { p.NextPageToken = p.asked })
	// NoItems leaves the items and prefixes of a page out, and keeps its token: the
	// reference doesn't rule such pages out.
	NoItems = Reshape(func(p *Page) { p.Items, p.Prefixes = nil, nil })
	// NoKind leaves the member kind empty.
	NoKind = Reshape(func(p *Page) { p.Kind = "" })
	// OutOfOrder puts the first name of a page, with its generations, at its end.
	OutOfOrder = Reshape(func(p *Page) {
		n := 0
		for n < len(p.Items) && p.Items[n].Name == p.Items[0].Name {
			n++
		}
		p.Items = append(append([]*resource{}, p.Items[n:]...), p.Items[:n]...)
	})
)

// Error answers with the API's error document (for 304 without one).
func Error(status int, reason, message string) Action {
	return faults.On(func(x *exchange) { x.Settle(x.failXML(status, reason, reason, message)) })
}

// PageSize gives at most n rows on a page, n at least 1.
func PageSize(n int) Action {
	return faults.On(func(x *exchange) { x.pageSize = max(1, n) })
}

// Reshape changes a page of a listing before it is written out.
func Reshape(f func(*Page)) Action {
	return faults.On(func(x *exchange) { x.reshape = append(x.reshape, f) })
}
