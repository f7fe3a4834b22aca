package fakes3

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Fault is one line of the script: which requests it meets, and what happens
// to them.
type Fault struct {
	// Kind, Bucket and Key are what a request must have; empty: any. Prefix is
	// a prefix of its key, or for a listing of its prefix parameter.
	Kind, Bucket, Key, Prefix string
	// Match, where it is set, must say yes too.
	Match func(Request) bool
	// Skip lets so many of the matching requests pass first.
	Skip int
	// Times is how many then meet the fault: 0 is one, negative all.
	Times int
	// Do is what happens. Several faults on one request happen in the order in
	// which they were given; the first that gives an answer or ends the
	// connection settles that.
	Do Action
}

// Armed is a fault in a server's script.
type Armed struct {
	f     Fault
	s     *Server
	seen  int
	fired int
}

// Fired is how many requests met the fault so far.
func (a *Armed) Fired() int {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	return a.fired
}

// Fail adds a fault to the script. It panics on one that does nothing.
func (s *Server) Fail(f Fault) *Armed {
	if f.Do.do == nil {
		panic("fakes3: a fault without Do")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &Armed{f: f, s: s}
	s.faults = append(s.faults, a)
	return a
}

// Heal ends the script: all faults are gone. Hooks and ignored conditions stay.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// matching counts the request on every fault and gives what it meets.
func (s *Server) matching(r Request) []Action {
	s.mu.Lock()
	faults := slices.Clone(s.faults)
	s.mu.Unlock()
	var out []Action
	for _, a := range faults {
		if !a.f.matches(r) {
			continue
		}
		s.mu.Lock()
		a.seen++
		hit := a.seen > a.f.Skip && (a.f.Times < 0 || a.fired < max(1, a.f.Times))
		if hit {
			a.fired++
		}
		s.mu.Unlock()
		if hit {
			out = append(out, a.f.Do)
		}
	}
	return out
}

func (f Fault) matches(r Request) bool {
	name := r.Key
	if name == "" {
		name = r.listPrefix()
	}
	return (f.Kind == "" || f.Kind == r.Kind) &&
		(f.Bucket == "" || f.Bucket == r.Bucket) &&
		(f.Key == "" || f.Key == r.Key) &&
		strings.HasPrefix(name, f.Prefix) &&
		(f.Match == nil || f.Match(r))
}

// An Action is what a fault does to a request. Those below happen before the
// request is applied; Applied moves them behind.
type Action struct {
	do      func(*exchange)
	applied bool
}

// Applied has the action happen after the request was applied: Applied(Reset)
// writes and then breaks the connection, Applied(SlowDown) writes and says no.
func Applied(a Action) Action {
	a.applied = true
	return a
}

func (x *exchange) run(actions []Action, applied bool) {
	for _, a := range actions {
		if a.applied == applied && x.end == answered {
			a.do(x)
		}
	}
}

// The actions without parameters.
var (
	// Reset breaks the connection with a TCP RST.
	Reset = Action{do: func(x *exchange) { x.end = reset }}
	// Drop closes the connection without an answer.
	Drop = Action{do: func(x *exchange) { x.end = dropped }}
	// DropAnswer applies the request and then does the same.
	DropAnswer = Applied(Drop)

	Conflict           = Error(409, "ConditionalRequestConflict", "The conditional request cannot succeed due to a conflicting operation against this resource.")
	PreconditionFailed = Error(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
	NotModified        = Error(304, "NotModified", "")
	AccessDenied       = Error(403, "AccessDenied", "Access Denied")
	NoSuchKey          = Error(404, "NoSuchKey", "The specified key does not exist.")
	InternalError      = Error(500, "InternalError", "We encountered an internal error. Please try again.")
	NotImplemented     = Error(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
	SlowDown           = Error(503, "SlowDown", "Please reduce your request rate.")

	// HTML answers 200 with a page, as a proxy or a portal does.
	HTML = Answer(200, "text/html; charset=utf-8", "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><p>Please sign in.</p></body></html>\n")
	// Empty answers 200 with nothing.
	Empty = Answer(200, "application/xml", "")

	// IgnoreCondition has a write go through whatever If-None-Match says.
	IgnoreCondition = Action{do: func(x *exchange) { x.unconditional = true }}

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
	return Action{do: func(x *exchange) {
		x.settle(x.fail(status, code, message, "Resource", "/"+x.req.Bucket+"/"+x.req.Key))
	}}
}

// Answer gives an answer of any kind.
func Answer(status int, contentType, body string) Action {
	return Action{do: func(x *exchange) {
		x.settle(&answer{status: status, header: http.Header{"Content-Type": {contentType}}, body: []byte(body)})
	}}
}

// Redirect answers 301 PermanentRedirect: the bucket lies in region.
func Redirect(region string) Action {
	return Action{do: func(x *exchange) { x.settle(x.redirect(region)) }}
}

// settle sets the answer, in place of the one that applying gave. The first
// fault that does so counts.
func (x *exchange) settle(a *answer) {
	if !x.settled {
		x.settled, x.answer = true, a
	}
}

// Wait holds the request, or with Applied its answer, for d.
func Wait(d time.Duration) Action {
	return Action{do: func(x *exchange) { x.wait(d) }}
}

// Call calls f, outside all locks: f may change buckets.
func Call(f func(Request)) Action {
	return Action{do: func(x *exchange) { f(x.req) }}
}

// Cut keeps back the last n bytes of the answer's body, at least 1: less comes
// than Content-Length says, then the connection ends.
func Cut(n int) Action {
	return Applied(Action{do: func(x *exchange) { x.cut = max(1, n) }})
}

// PageSize gives at most n rows on a page, n at least 1.
func PageSize(n int) Action {
	return Action{do: func(x *exchange) { x.pageSize = max(1, n) }}
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
	return Action{do: func(x *exchange) {
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
	}}
}
