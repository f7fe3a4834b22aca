// Package fakes3 is an S3 server on loopback for tests: everything in memory,
// AWS's semantics on the wire for the calls that the program makes, and a
// script of faults (see Fault).
//
// It is written from the S3 API reference and user guide, not from our driver,
// so that the two check each other. Buckets are addressed by path. Signatures
// are not verified, only whose they claim to be and for which region.
package fakes3

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options set a server up. The zero value is a server without credentials that
// takes requests signed for any region.
type Options struct {
	// PageCap is the most entries in one page of a listing, whatever was asked
	// for: 1 to 1,000. 0: 1,000.
	PageCap int
	// Now is the server's clock, of the Date header and of new versions.
	// nil: time.Now.
	Now func() time.Time
	// Region is where new buckets lie. A request signed for another region gets
	// 301 PermanentRedirect. Empty: us-east-1, and every region is taken.
	Region string
	// AccessKey, where it is set, is the only one that is let in: others get 403
	// InvalidAccessKeyId, requests without a signature 403 AccessDenied.
	AccessKey string
	// TLS serves https. Trust its certificate with Server.Client.
	TLS bool
}

// A Server is one S3 endpoint. All methods may be called from several
// goroutines at once.
type Server struct {
	o      Options
	http   *httptest.Server
	closed chan struct{}
	seq    atomic.Uint64 // of versions; also orders them
	gone   atomic.Int64

	mu      sync.Mutex // guards all below, never held while a bucket's lock is taken
	buckets map[string]*bucket
	log     []Request
	faults  []*Armed
	before  []func(Request)
	after   []func(Request)
}

// New starts a server on 127.0.0.1. Close it.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.PageCap < 1 || o.PageCap > maxPage {
		o.PageCap = maxPage
	}
	s := &Server{o: o, closed: make(chan struct{}), buckets: map[string]*bucket{}}
	s.http = httptest.NewUnstartedServer(s.Handler())
	// Dropped connections are what this server is for: no noise about them.
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0)
	if o.TLS {
		s.http.StartTLS()
	} else {
		s.http.Start()
	}
	return s
}

// URL is the endpoint, such as "http://127.0.0.1:40123".
func (s *Server) URL() string { return s.http.URL }

// Client trusts the server's certificate (with Options.TLS).
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

// Handler is the server without its listener.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// now is the clock in whole seconds, as S3 keeps times.
func (s *Server) now() time.Time { return s.o.Now().UTC().Truncate(time.Second) }

// A Request is one line of the log.
type Request struct {
	Method string
	Bucket string
	Key    string // decoded
	Query  string // as sent, without "?"
	// Kind is the API's name of the operation: "ListObjectVersions",
	// "PutObject", "CopyObject", … "Unknown" where there is none.
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
