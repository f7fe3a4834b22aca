package faults

import (
	"bytes"
	"net/http"
	"net/url"
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
		panic("faults: a fault without Do")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &Armed{f: f, s: s}
	s.faults = append(s.faults, a)
	return a
}

// Heal ends the script: all faults are gone. Hooks stay.
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

// listPrefix is the prefix parameter of a request, empty without one.
func (r Request) listPrefix() string {
	q, err := url.ParseQuery(r.Query)
	if err != nil {
		return ""
	}
	return q.Get("prefix")
}

// An Action is what a fault does to a request. Those below happen before the
// request is applied; Applied moves them behind.
type Action struct {
	do      func(Exchanger)
	applied bool
}

// Applied has the action happen after the request was applied: Applied(Reset)
// writes and then breaks the connection.
func Applied(a Action) Action {
	a.applied = true
	return a
}

// On is an action on a server's own kind of exchange. It panics where another
// server meets it.
func On[X Exchanger](f func(X)) Action {
	return Action{do: func(x Exchanger) { f(x.(X)) }}
}

// The actions without parameters.
var (
	// Reset breaks the connection with a TCP RST.
	Reset = Action{do: func(x Exchanger) { x.Base().end = reset }}
	// Drop closes the connection without an answer.
	Drop = Action{do: func(x Exchanger) { x.Base().end = dropped }}
	// DropAnswer applies the request and then does the same.
	DropAnswer = Applied(Drop)

	// HTML answers 200 with a page, as a proxy or a portal does.
	HTML = Reply(200, "text/html; charset=utf-8", "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><p>Please sign in.</p></body></html>\n")
)

// Late closes the connection without an answer, and applies the request only d after
// that: it was held up on its way, and arrives although its sender has given it up. done,
// where it is not nil, is called then.
func Late(d time.Duration, done func()) Action {
	return Action{do: func(x Exchanger) {
		b := x.Base()
		b.end = dropped
		b.later = func() {
			time.AfterFunc(d, func() {
				x.Apply()
				if done != nil {
					done()
				}
			})
		}
	}}
}

// Reply gives an answer of any kind.
func Reply(status int, contentType, body string) Action {
	return Action{do: func(x Exchanger) {
		x.Base().Settle(&Answer{Status: status, Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body)})
	}}
}

// Proxy gives a web page that is not the server's: something on the way refuses in its
// place, and none of the server's headers are with it.
func Proxy(status int) Action {
	return Action{do: func(x Exchanger) {
		b := x.Base()
		b.foreign = true
		b.Settle(&Answer{Status: status, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<html><body>You shall not pass.</body></html>\n")})
	}}
}

// Wait holds the request, or with Applied its answer, for d.
func Wait(d time.Duration) Action {
	return Action{do: func(x Exchanger) { x.Base().wait(d) }}
}

// Call calls f, outside all locks: f may change buckets.
func Call(f func(Request)) Action {
	return Action{do: func(x Exchanger) { f(x.Base().Req) }}
}

// Edit changes the answer before it is written out: its status, its headers, its body. The
// server's own bytes are not touched by that.
func Edit(f func(a *Answer)) Action {
	return Applied(Action{do: func(x Exchanger) {
		b := x.Base()
		a := *b.answer
		a.Header, a.Body = a.Header.Clone(), bytes.Clone(a.Body)
		if a.Header == nil {
			a.Header = http.Header{}
		}
		f(&a)
		b.answer = &a
	}})
}

// Cut keeps back the last n bytes of the answer's body, at least 1: less comes
// than Content-Length says, then the connection ends.
func Cut(n int) Action {
	return Applied(Action{do: func(x Exchanger) { x.Base().cut = max(1, n) }})
}
