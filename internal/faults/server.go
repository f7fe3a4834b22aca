// Package faults is what the test servers of this program share: an HTTP server
// on loopback with a log of its requests, hooks before and after each of them,
// and a script of faults (see Fault). It knows no cloud; the server around it
// takes requests apart and applies them (see Exchanger).
package faults

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
)

// A Server is the part of a test server that is not about its API. Embed it, and
// call Start. All methods may be called from several goroutines at once.
type Server struct {
	http   *httptest.Server
	closed chan struct{}
	gone   atomic.Int64

	mu     sync.Mutex // guards all below
	log    []Request
	faults []*Armed
	before []func(Request)
	after  []func(Request)
}

// Start listens on 127.0.0.1. Close it.
func (s *Server) Start(h http.Handler, tls bool) {
	s.closed = make(chan struct{})
	s.http = httptest.NewUnstartedServer(h)
	// Dropped connections are what this server is for: no noise about them.
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0)
	if tls {
		s.http.StartTLS()
	} else {
		s.http.Start()
	}
}

// URL is the endpoint, such as "http://127.0.0.1:40123".
func (s *Server) URL() string { return s.http.URL }

// Client trusts the server's certificate (with TLS).
func (s *Server) Client() *http.Client { return s.http.Client() }

// Close ends all connections, delayed answers too.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// A Request is one line of the log.
type Request struct {
	Method string
	Bucket string
	Key    string // decoded
	Query  string // as sent, without "?"
	// Kind is the API's name of the operation, as the server tells it; "Unknown"
	// where there is none.
	Kind   string
	Header http.Header
	// Status is the answer's HTTP status; 0 where no answer was sent, and before
	// there is one.
	Status int
}

// Requests is the log of all requests so far, in the order in which they were
// finished. A request is in it before its answer goes out.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Gone is how many requests so far lost their client before the answer: it gave up
// or broke off.
func (s *Server) Gone() int { return int(s.gone.Load()) }

// Count is the number of requests of a kind so far; of all with an empty kind.
func (s *Server) Count(kind string) int {
	n := 0
	for _, r := range s.Requests() {
		if kind == "" || r.Kind == kind {
			n++
		}
	}
	return n
}

// Forget empties the log.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// Before has f called for every request before it is applied, outside all
// locks: f may change buckets. Hooks stay.
func (s *Server) Before(f func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = append(s.before, f)
}

// After has f called for every request after it was applied and before its
// answer goes out, outside all locks; the request's status is known then.
func (s *Server) After(f func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = append(s.after, f)
}

func (s *Server) hooks(after bool) []func(Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after {
		return s.after[:len(s.after):len(s.after)]
	}
	return s.before[:len(s.before):len(s.before)]
}
