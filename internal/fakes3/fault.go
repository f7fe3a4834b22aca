package fakes3

import (
	"slices"
	"time"

	"provcat-tui/internal/faults"
)

// The script of faults: Server.Fail, Heal, and what follows.
type (
	// A Fault is one line of the script.
	Fault = faults.Fault
	// An Action is what a fault does to a request, before it is applied.
	Action = faults.Action
	// Armed is a fault in a server's script.
	Armed = faults.Armed
)

// Applied has the action happen after the request was applied: Applied(Reset)
// writes and then breaks the connection, Applied(SlowDown) writes and says no.
func Applied(a Action) Action { return faults.Applied(a) }

// Wait holds the request, or with Applied its answer, for d.
func Wait(d time.Duration) Action { return faults.Wait(d) }

// Call calls f, outside all locks: f may change buckets.
func Call(f func(Request)) Action { return faults.Call(f) }

// Cut keeps back the last n bytes of the answer's body, at least 1: less comes
// than Content-Length says, then the connection ends.
func Cut(n int) Action { return faults.Cut(n) }

// Answer gives an answer of any kind.
func Answer(status int, contentType, body string) Action {
	return faults.Reply(status, contentType, body)
}

// The actions without parameters.
var (
	Reset      = faults.Reset
	Drop       = faults.Drop
	DropAnswer = faults.DropAnswer
	HTML       = faults.HTML

	Conflict           = Error(409, "ConditionalRequestConflict", "The conditional request cannot succeed due to a conflicting operation against this resource.")
	PreconditionFailed = Error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
	NotModified        = Error(304, "NotModified", "")
	AccessDenied       = Error(403, "AccessDenied", "Access Denied")
	NoSuchKey          = Error(404, "NoSuchKey", "The specified key does not exist.")
	InternalError      = Error(500, "InternalError", "We encountered an internal error. Please try again.")
	NotImplemented     = Error(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
	SlowDown           = Error(503, "SlowDown", "Please reduce your request rate.")

	// Empty answers 200 with nothing.
	Empty = Answer(200, "application/xml", "")

	// IgnoreCondition has a write go through whatever If-None-Match says.
	IgnoreCondition = faults.On(func(x *exchange) { x.unconditional = true })

	// NoMarkers makes a page claim that it is truncated, without next markers.
	NoMarkers = Reshape(func(p *Page) { p.IsTruncated, p.NextKey, p.NextVersion = true, nil, nil })
	// SameMarkers makes a page claim that it is truncated, with the markers that
	// were asked with as the next ones: use it from the second page on.
	SameMarkers = Reshape(func(p *Page) {
		p.IsTruncated, p.NextKey, p.NextVersion = true, &p.l.keyMarker, &p.l.versionMarker
	})
	// NoTruncated leaves the element IsTruncated out.
	NoTruncated = Reshape(func(p *Page) { p.l.noTruncated = true })
	// OutOfOrder puts the first key of a page, with its versions, at its end.
	OutOfOrder = Reshape(func(p *Page) {
		rows, n := p.l.rows, 0
		for n < len(rows) && rows[n].key == rows[0].key && rows[n].prefix == rows[0].prefix {
			n++
		}
		p.l.rows = slices.Concat(rows[n:], rows[:n])
	})
)

// Error answers with an S3 error document (for HEAD and 304 without one).
func Error(status int, code, message string) Action {
	return faults.On(func(x *exchange) {
		x.Settle(x.fail(status, code, message, "Resource", "/"+x.Req.Bucket+"/"+x.Req.Key))
	})
}

// Redirect answers 301 PermanentRedirect: the bucket lies in region.
func Redirect(region string) Action {
	return faults.On(func(x *exchange) { x.Settle(x.redirect(region)) })
}

// PageSize gives at most n rows on a page, n at least 1.
func PageSize(n int) Action {
	return faults.On(func(x *exchange) { x.pageSize = max(1, n) })
}

// WrongName answers a listing in the name of another bucket.
func WrongName(name string) Action {
	return Reshape(func(p *Page) { p.Name = name })
}

// A Page is what Reshape may change of a listing's page.
type Page struct {
	Name        string
	IsTruncated bool
	// NextKey and NextVersion are the next markers; nil: the element is left out.
	NextKey, NextVersion *string

	l *listing
}

// Reshape changes a page of a listing before it is written out.
func Reshape(f func(*Page)) Action {
	return faults.On(func(x *exchange) {
		x.reshape = append(x.reshape, func(l *listing) {
			p := &Page{Name: l.name, IsTruncated: l.truncated, l: l}
			if l.hasNextKey {
				p.NextKey = &l.nextKey
			}
			if l.hasNextVers {
				p.NextVersion = &l.nextVersion
			}
			f(p)
			l.name, l.truncated = p.Name, p.IsTruncated
			l.hasNextKey, l.hasNextVers = p.NextKey != nil, p.NextVersion != nil
			if p.NextKey != nil {
				l.nextKey = *p.NextKey
			}
			if p.NextVersion != nil {
				l.nextVersion = *p.NextVersion
			}
		})
	})
}
